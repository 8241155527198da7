/*
 * Estimates what remains to be gained at each point: how much faster the model says it would be
 * without each cause that a kernel may do without (field `spare` of metrics/causes.metric). Nothing
 * is owned.
 *
 * The table `remains`, with the columns of run/tables.c, has at most three rows for each point, the
 * largest first, each of at least 1 % of its time. If a later rung of the ladder saved by the same
 * cause at this size, `later` names the one that saved most by it, and later_saved_ns says how
 * much. Causes overlap: together they bring less than the sum of what each brings alone.
 */
#ifndef WHYFAST_REMAINS_H
#define WHYFAST_REMAINS_H

#include "catalog/records.h"
#include "query/query.h"

/* Needs the tables features, causes, details and variants. */
int remains_make(struct query *query, const struct records *records);

#endif
