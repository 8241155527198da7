/*
 * Explains how the rungs of a ladder differ from each other at up to eight sizes, as `whyfast
 * explain A B` does for two (explain/explain_pair.h): the first 32 rungs that have a time on the
 * GPU at the primary size, each after each other one. Nothing is owned.
 *
 * The pairs are made as steps are (explain/causes.h), in a database of their own, in which the
 * table `steps` has a row for each pair in each order: the key of the second rung, and in `after`
 * the first one. The rows that pages need are then copied:
 *   pair_steps(family, variant, size, after, speedup_prev, speedup_prev_low, speedup_prev_high,
 *       floor_pct, evidence, place)   columns as of steps.csv, and the place of the size
 *   pair_said(family, variant, size, after, place, id, title, saved_ns, share_pct, direction,
 *       proves, note, sentence, main_moved)   as of said.csv, of each pair, without small causes
 */
#ifndef WHYFAST_PAIRS_H
#define WHYFAST_PAIRS_H

#include "catalog/records.h"
#include "query/query.h"

/* Makes both tables in `pages`, of what it keeps of its run. Needs the tables of explain_run. */
int pairs_make(struct query *pages, const struct records *records);

#endif
