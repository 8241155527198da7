/*
 * Which resource a point leans on: how long each would need alone, beside the clean time. Nothing
 * is owned.
 */
#ifndef WHYFAST_RESOURCE_DEMANDS_H
#define WHYFAST_RESOURCE_DEMANDS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Adds demands.csv to the group: for the best setting of whatever runs on the GPU one row for
 * each metric demand_<resource>_ns. A resource that is not needed (0 ns) has no row. A demand
 * that is not known has one with empty cells, and then the point has no ranks: the one that is
 * missing could be the limiter. Conflicts, shared memory and what else goes through L1 (l1) take
 * up the time of one unit, its data stage: they are ranked by their sum, and share the rank.
 * Wants the tables metrics and steps_of. */
int demands_write(struct query *query, const struct records *records, struct atomic_files *group);

#endif
