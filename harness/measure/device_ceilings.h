/*
 * Measures the most that the device can do: bandwidths, arithmetic and launches. Writes table
 * ceilings; a ceiling that cannot be measured is absent, with the reason. Nothing is owned.
 *
 * Method, beside that of measure/gpu_timer.h:
 *   - A rate is the amount of a kernel over its clean time less that of an empty kernel. The cost
 * of a launch is a ceiling of its own (launch_ns): a kernel that does more per launch than those
 *     here must not seem to beat them.
 *   - DRAM: 1 GiB once, with the fastest of a few shapes of the launch. Reading starts with a cold
 * L2 cache. Writing and copying start right after a launch of the same kernel, so that the cache
 *     holds as much at the end as at the start and everything that is counted is written to memory.
 *   - All others run once right before, too: their data lie in the L2 cache or in shared memory,
 * and the clock is that of their load.
 *   - Every kernel is verified before and after it is timed; the empty one can only be launched.
 */
#ifndef WHYFAST_DEVICE_CEILINGS_H
#define WHYFAST_DEVICE_CEILINGS_H

#include "measure/measure_run.h"

int ceilings_run(struct run *run, const struct measure_options *options);

#endif
