/*
 * Launches every selected point for another profiler: ncu, nsys, compute-sanitizer. Nothing is
 * owned.
 *
 * The first launch of a kernel in a process differs from those that follow, because its code is
 * loaded then: on an H200 many write 0.3 to 3 MB more to device memory, and occupancy differs by up
 * to 2 points.
 */
#ifndef WHYFAST_LAUNCH_RUN_H
#define WHYFAST_LAUNCH_RUN_H

#include "catalog/registry.h"

struct launch_options {
    uint64_t seed; /* for the inputs */
    int times;     /* launches of each point */
};

/* Launches every point `times` times, each time after a flush of the L2 cache. Prints a CSV row per
 * launch. */
int launch_run(const struct selection *selection, const struct launch_options *options);

#endif
