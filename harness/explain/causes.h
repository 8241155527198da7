/*
 * From the ledgers of two points to the causes of their difference. Nothing is owned; tables are in
 * the query's database.
 *
 * Levels: the terms of the ledger summed by the cause that their records name
 * (metrics/ledger_terms.metric), with five told apart by counters:
 *   divergence, predication   issue slots of lanes that were not active, or had their predicate
 *                             off: issued * (1 - warp execution efficiency), issued * warp
 *                             execution efficiency * (1 - predicated on), in whole warps, taken
 *                             from all but the useful work
 *   bank_conflicts            of the waiting for shared memory, the share of excess wavefronts
 *                             among all
 *   uncoalesced, spills       of the waiting for global memory, the shares of the excess sectors of
 *                             global loads and of the sectors of local memory, among those of
 *                             global loads and of local memory
 * These shares are a model: a wavefront more or a sector more is taken to wait as long as any
 * other. A part of a level has that part of its interval; a level of which a part has no interval
 * has none.
 */
#ifndef WHYFAST_CAUSES_H
#define WHYFAST_CAUSES_H

#include "catalog/records.h"
#include "explain/attribution.h"
#include "query/query.h"

/* Makes the table cause(cause, place, title, area, means, witness) from the records, in their
 * order. */
int causes_names(struct query *query, const struct records *records);

/* Makes the table ledger_cause(family, variant, size, block, sweep, cause, waiting, cycles,
 * half): the levels, in cycles per scheduler; `levels`, the same in time with the columns of
 * run/tables.c; and `cause`. Needs the tables `ledger` and `metrics`. FAIL_INPUT, with file and
 * line, for a term whose cause has no record. */
int causes_levels(struct query *query, const struct records *records);

/* The point whose keys are in the scope under the names family, variant, size, block, sweep. */
#define CAUSES_POINT                                                                               \
    "family = :family AND variant = :variant AND size = :size AND block = CAST(:block AS "         \
    "INTEGER) AND sweep = CAST(:sweep AS INTEGER)"

/* One side of an account: the point of CAUSES_POINT, without levels when it has no ledger. The
 * causes point into the records. FAIL_INPUT for a cause that has no record. */
int causes_side(struct query *query, const struct records *records, const struct scope *scope,
                struct attribution_side *side);

/* Appends the cells cause, before_ns, after_ns, saved_ns, low_ns, high_ns, share_pct (of
 * `change`, in ns) and status of a row of an account, as values of an SQL statement. 0, and
 * nothing appended, for a cause that neither side has. */
int causes_row_values(struct text *values, const struct attribution_row *row, double change,
                      const char *evidence);

/* Makes the tables `causes` and `headlines` for all rows of the table `steps`. A step with no
 * ledger on one side has no rows in `causes`. */
int causes_make(struct query *query, const struct records *records);

#endif
