/*
 * The results of a run as marks, for a profiler from outside that listens (run/nvtx.h). Nothing is
 * owned.
 */
#ifndef WHYFAST_NVTX_RESULTS_H
#define WHYFAST_NVTX_RESULTS_H

#include "catalog/records.h"
#include "query/query.h"

/* One mark for every variant and size, in its best setting, from the metrics in table m
 * (evaluate/evaluate.c). Does nothing where no tool listens. */
int announce_results(struct query *query, const struct records *records);

#endif
