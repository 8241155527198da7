/*
 * Describes the run, measures the ceilings of the device, and verifies and times the selected
 * points. Nothing is owned. The method is described in measure/gpu_timer.h.
 */
#ifndef WHYFAST_MEASURE_RUN_H
#define WHYFAST_MEASURE_RUN_H

#include "catalog/registry.h"
#include "run/run.h"

struct measure_options {
    uint64_t seed;       /* for the inputs and the order of the samples */
    int most_samples;    /* of a series */
    double most_seconds; /* for one problem size, in equal shares for its series */
    int keeps_ceilings;  /* those of an earlier run may be used, and are kept for later ones */
};

/* Writes provenance into run.txt, and the tables families, variants, claims and published, so that
 * later stages do not need the program that measured. */
int describe_run(struct run *run, const struct selection *selection,
                 const struct measure_options *options);

/* Writes the facts about this program, this machine and its device, which describe_run begins with.
 */
struct device;
int describe_machine(struct run *run, const struct device *device,
                     const struct measure_options *options);

/* Measures bandwidths, arithmetic, launches and latencies; writes table ceilings. */
int ceilings_run(struct run *run, const struct measure_options *options);

/* Verifies and times; writes points, launches, accesses, series, samples and power. */
int measure_run(struct run *run, const struct selection *selection,
                const struct measure_options *options);

struct launch_options {
    uint64_t seed; /* for the inputs */
    int times;     /* launches of each point */
};

/* Launches every point `times` times, each time after a flush of the L2 cache. Prints a CSV row per
 * launch. */
int launch_run(const struct selection *selection, const struct launch_options *options);

#endif
