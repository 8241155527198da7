/*
 * Records when each kernel ran, and counters over time, for the fastest setting of each variant,
 * after everything was timed. At every size each point runs a few times with a cold L2 cache while
 * CUPTI records its kernels; at the largest size of each family it runs once more for each set of
 * tracks that is asked for, while the hardware is sampled (collect/timeline_point.h). Writes
 * traces, activities and trace_samples. Nothing is owned.
 */
#ifndef WHYFAST_COLLECT_TIMELINE_H
#define WHYFAST_COLLECT_TIMELINE_H

#include "collect/collect_counters.h"

/* Data that are unavailable are absent, with the reason. */
int timeline_run(struct run *run, uint64_t seed, const struct collect_options *options);

#endif
