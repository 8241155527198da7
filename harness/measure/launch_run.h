/*
 * Launches every selected point for a profiler from outside. Nothing is owned.
 */
#ifndef WHYFAST_LAUNCH_RUN_H
#define WHYFAST_LAUNCH_RUN_H

#include "catalog/registry.h"

struct launch_options {
    uint64_t seed; /* of the inputs */
    int times;     /* launches of each point */
};

/* Launches every point `times` times, each time after a flush of the L2 cache; prints one CSV row
 * per launch. */
int launch_run(const struct selection *selection, const struct launch_options *options);

#endif
