/*
 * Compares the time that each resource would need alone with the clean time of a point. Nothing is
 * owned.
 */
#ifndef WHYFAST_RESOURCE_DEMANDS_H
#define WHYFAST_RESOURCE_DEMANDS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Makes the table `demands`: for the best setting of whatever runs on the GPU one row for each
 * metric demand_<resource>_ns. An unused resource (0 ns) has no row. An unknown demand has a row
 * with empty cells, and then the point has no ranks, because the missing one could be the limiter.
 * Conflicts, shared memory and the other traffic of L1 (l1) share one unit, its data stage: they
 * are ranked by their sum and share the rank. Needs the tables metrics and steps_of. */
int demands_make(struct query *query, const struct records *records);

#endif
