/*
 * Records when each kernel ran, and counters over time, of the fastest setting of each variant:
 * CUPTI's activity records at every size, its PM sampling at the largest of each family. Writes
 * traces, activities and trace_samples. Nothing is owned.
 */
#ifndef WHYFAST_COLLECT_TIMELINE_H
#define WHYFAST_COLLECT_TIMELINE_H

#include "collect/collect_counters.h"

/* Data that are unavailable are absent, with the reason. */
int traces_run(struct run *run, uint64_t seed, const struct collect_options *options);

#endif
