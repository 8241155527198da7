/*
 * Judges the self-test: whyfast-gpu has measured kernels whose counts are known by construction
 * (selftest_kernels/selftest_kernels.h) like variants of any ladder; this evaluates them with the
 * records of metrics/, and compares every metric with the expectation in metrics/selftest.metric at
 * each point. A struct run is the caller's.
 */
#ifndef WHYFAST_SELFTEST_H
#define WHYFAST_SELFTEST_H

#include "base/print_table.h"
#include "run/run.h"

struct judging_options {
    enum print_form form;
    int is_measured; /* here, just now; else the run is an evaluated copy */
    int is_whole;    /* with all kernels: later runs can use the result of what was measured here */
};

/* Copies the raw tables of a run of the self-test to `output` and evaluates them, to judge it
 * again. */
int selftest_copy(const char *path, const char *output);

/* Evaluates a run that was measured, prints the table, and stores the result for later runs
 * (run/selftest_result.h) as the options say. Returns FAIL_CHECK if a metric is wrong. */
int selftest_conclude(const char *path, const struct judging_options *options);

struct selftest_tally {
    int right;   /* measured as expected */
    int wrong;   /* not as expected */
    int missing; /* not measured, or skipped, with the reason */
};

/* Judges an evaluated run: writes selftest.csv into it, a row for each expected metric of each
 * point, and prints the same on stdout. Returns FAIL_INPUT for an expectation that SQLite refuses.
 */
int selftest_judge(const struct run *run, enum print_form form, struct selftest_tally *tally);

#endif
