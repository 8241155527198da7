/*
 * Marks the results of a run for an outside profiler that listens (run/nvtx.h). Nothing is owned.
 */
#ifndef WHYFAST_NVTX_RESULTS_H
#define WHYFAST_NVTX_RESULTS_H

#include "catalog/records.h"
#include "query/query.h"

/* Sends one mark for every variant and size, in its best setting, from the metrics in view m
 * (evaluate/metric_table.h). Does nothing unless a tool listens. */
int nvtx_results_announce(struct query *query, const struct records *records);

#endif
