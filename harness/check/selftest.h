/*
 * The self-test: runs kernels whose counts are known by construction (check/selftest_kernels.h),
 * evaluates them by the records of metrics/ like any run, and judges every metric
 * (check/selftest_judge.h). Nothing is owned.
 */
#ifndef WHYFAST_SELFTEST_H
#define WHYFAST_SELFTEST_H

#include "check/selftest_measure.h"

/* Prints the table, keeps the run if `output` names a directory, and remembers the result for later
 * runs (run/selftest_result.h) if everything was tested here. Returns FAIL_CHECK if a metric is
 * wrong, FAIL_GPU if counters are unavailable. */
int selftest_run(const struct selftest_options *options);

#endif
