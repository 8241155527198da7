/*
 * Runs the kernels of the self-test (selftest_kernels.h) like variants of any ladder: verified,
 * timed, their counters collected. The struct run is the caller's.
 */
#ifndef WHYFAST_SELFTEST_MEASURE_H
#define WHYFAST_SELFTEST_MEASURE_H

#include "cli.h"
#include "run.h"

/* Writes the raw tables of a run that was begun; patterns among the arguments choose kernels.
 * FAIL_USAGE when they choose none, FAIL_GPU also when counters cannot be had. */
int selftest_measure(struct run *run, const struct arguments *arguments);

#endif
