/*
 * Computes the causes of the difference between two points from their ledgers. Nothing is owned;
 * tables are in the query's database.
 *
 * The level of a cause is the sum of the ledger's terms whose records name the cause
 * (metrics/ledger_terms.metric). Five more causes are split off with the help of counters:
 *   divergence, predication   issue slots of lanes that were inactive or had their predicate off:
 *                             issued * (1 - warp execution efficiency) and issued * warp execution
 *                             efficiency * (1 - predicated on), in whole warps, taken from all but
 *                             the useful work
 *   bank_conflicts            the share of excess wavefronts in the waiting for shared memory
 *   uncoalesced               in the waiting for global memory, the share of the excess sectors of
 *                             global loads
 *   spills                    in the waiting for global and local memory, the share of the sectors
 *                             of local memory, unless waits were charged to instructions (ledger
 *                             status "by producer"): then local memory has terms of its own
 * These shares are a model: they assume that each wavefront or sector costs the same wait. A part
 * of a level gets the same part of the level's interval; a level has no interval if one of its
 * parts has none.
 */
#ifndef WHYFAST_CAUSES_H
#define WHYFAST_CAUSES_H

#include "catalog/records.h"
#include "explain/attribution.h"
#include "query/query.h"

/* Makes the table cause(cause, place, title, area, means, witness) from the records, in order. */
int causes_names(struct query *query, const struct records *records);

/* Makes `cause`, the levels in cycles per scheduler as ledger_cause(family, variant, size, block,
 * sweep, device, cause, waiting, busy, cycles, half), and in time as `levels`, with the columns of
 * run/tables.c. Needs the tables ledger and metrics. Returns FAIL_INPUT, with file and line, for a
 * term whose cause has no record. */
int causes_levels(struct query *query, const struct records *records);

/* The point whose keys are in the scope under the names family, variant, size, block, sweep,
 * device. */
#define CAUSES_POINT                                                                               \
    "family = :family AND variant = :variant AND size = :size AND block = CAST(:block AS "         \
    "INTEGER) AND sweep = CAST(:sweep AS INTEGER) AND device = CAST(:device AS INTEGER)"

/* Reads the side of an attribution at CAUSES_POINT; it has no levels if the point has no ledger.
 * The causes point into the records. Returns FAIL_INPUT for a cause without a record. */
int causes_side(struct query *query, const struct records *records, const struct scope *scope,
                struct attribution_side *side);

/* Appends the cells cause, before_ns, after_ns, saved_ns, low_ns, high_ns, share_pct (of `change`,
 * in ns) and status of a row as SQL values. Returns 0, with nothing appended, if neither side has
 * the cause. */
int causes_row_values(struct text *values, const struct attribution_row *row, double change,
                      const char *evidence);

/* Makes the tables `causes` and `headlines` for all rows of the table `steps`. A step with no
 * ledger on one side has no rows in `causes`. */
int causes_make(struct query *query, const struct records *records);

#endif
