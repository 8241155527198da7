/*
 * From the ledgers of two points to the causes of their difference. Nothing is owned; tables are in the query's database.
 *
 * Levels: the terms of the ledger summed by the cause that their records name (metrics/ledger_terms.metric), with four told apart by counters:
 *   divergence, predication   issue slots of lanes that were not active, or had their predicate off: issued * (1 - warp execution efficiency), issued * warp
 *                             execution efficiency * (1 - predicated on), in whole warps, taken from all instructions but the useful work
 *   bank_conflicts            of the waiting for shared memory, the share of excess wavefronts among all
 *   uncoalesced, spills       of the waiting for global memory, the shares of excess sectors and of sectors of local memory among those loaded and stored
 * These shares are a model: a wavefront more or a sector more is taken to wait as long as any other.
 */
#ifndef WHYFAST_CAUSES_H
#define WHYFAST_CAUSES_H

#include "account.h"
#include "query.h"
#include "record.h"

/* Makes the table cause(cause, place, title, area, means, witness) from the records, in their order. */
int causes_names(struct query *query, const struct records *records);

/* Makes the table ledger_cause(family, variant, size, block, sweep, cause, waiting, cycles, half): the levels; and `cause`. Needs `ledger`, `metrics` and
 * the records. */
int causes_levels(struct query *query, const struct records *records);

/* One side of an account: the point whose keys are in `scope` under the names family, variant, size, block, sweep. FAIL_INPUT when it has no ledger. The
 * causes point into the records. */
int causes_side(struct query *query, const struct records *records, const struct scope *scope, struct account_side *side);

/* Makes the tables `causes` and `headlines` for all rows of the table `steps`. */
int causes_make(struct query *query, const struct records *records);

#endif
