/*
 * Verifies and times the selected points; writes points, launches, accesses, series and samples.
 * Nothing is owned. The method is described in measure/gpu_timer.h.
 */
#ifndef WHYFAST_MEASURE_RUN_H
#define WHYFAST_MEASURE_RUN_H

#include "catalog/registry.h"
#include "run/run.h"

struct measure_options {
    uint64_t seed;       /* for the inputs and the order of the samples */
    int most_samples;    /* of a series */
    double most_seconds; /* for one problem size, in equal shares for its series */
};

int measure_run(struct run *run, const struct selection *selection,
                const struct measure_options *options);

#endif
