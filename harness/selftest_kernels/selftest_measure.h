/*
 * Measures the kernels of the self-test like variants of any ladder.
 */
#ifndef WHYFAST_SELFTEST_MEASURE_H
#define WHYFAST_SELFTEST_MEASURE_H

#include "catalog/registry.h"
#include "run/run.h"

struct selftest_options {
    const char *const *patterns; /* choose kernels; none: all */
    int pattern_count;
    long seed;                /* negative: the self-test's own */
    int repeats;              /* 0: the self-test's own */
    const char *command_line; /* for the provenance */
};

/* Returns FAIL_USAGE, with a message, if the patterns match no kernel. */
int selftest_select(struct selection *selection, const struct selftest_options *options);

/* Writes the raw tables of a run that was begun. Returns FAIL_GPU also if counters are unavailable.
 */
int selftest_measure(struct run *run, const struct selection *selection,
                     const struct selftest_options *options);

#endif
