/*
 * Estimates what remains to be gained at each point: how much faster the model says it would be
 * without each cause that a kernel may do without (field `spare` of metrics/causes.metric). Nothing
 * is owned.
 *
 * The table `remains`, with the columns of run/tables.c, has at most three rows for each point,
 * the largest first, each of at least 1 % of its time. `later` is the next rung built on this one,
 * directly or not, that saved at least a third of that by the same cause at this size, in a step in
 * which it is resolved, and later_saved_ns is what it saved. Causes overlap: together they bring
 * less than the sum of what each brings alone. The table spare(POINT_KEY, cause, saved_ns,
 * share_pct) has all estimates.
 */
#ifndef WHYFAST_REMAINS_H
#define WHYFAST_REMAINS_H

#include "catalog/records.h"
#include "query/query.h"

/* Needs the tables features, causes and variants. */
int remains_make(struct query *query, const struct records *records);

#endif
