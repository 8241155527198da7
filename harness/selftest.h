/*
 * The self-test: runs kernels whose counts are known by construction (selftest_kernels.h),
 * evaluates them by the records of metrics/ like any run, and judges every metric
 * (selftest_judge.h). Nothing is owned.
 */
#ifndef WHYFAST_SELFTEST_H
#define WHYFAST_SELFTEST_H

#include "cli.h"

/* The command. Prints the table, keeps the run where -o names a place, and remembers the result
 * for later runs (selftest_stamp.h) when everything was tested here. With the directory of a run
 * of the self-test: judges that anew. FAIL_CHECK when a metric is not what it must be, FAIL_GPU
 * without a GPU, or when counters cannot be had. */
int selftest_command(const struct arguments *arguments);

#endif
