/*
 * Runs the self-test: measures kernels whose counts are known by construction
 * (check/selftest_kernels.h) like variants of any ladder, evaluates them with the records of
 * metrics/, and compares every metric with the expectation in metrics/selftest.metric at each
 * point. A struct run is the caller's.
 */
#ifndef WHYFAST_SELFTEST_H
#define WHYFAST_SELFTEST_H

#include "base/print_table.h"
#include "run/run.h"

struct selftest_options {
    const char *const *patterns; /* choose kernels; none: all */
    int pattern_count;
    long seed;                /* negative: the self-test's own */
    int repeats;              /* 0: the self-test's own */
    const char *command_line; /* for the provenance */
    enum print_form form;
    const char *output; /* the directory that keeps the run; NULL: the run is not kept */
    const char *again;  /* an earlier run of the self-test to judge again; NULL: measure */
};

/* Prints the table, keeps the run if `output` names a directory, and stores the result for later
 * runs (run/selftest_result.h) if all kernels were tested here. Returns FAIL_CHECK if a metric is
 * wrong, FAIL_GPU if counters are unavailable. */
int selftest_run(const struct selftest_options *options);

/* Writes the raw tables of a run that was begun. Returns FAIL_USAGE if the patterns match no
 * kernel, FAIL_GPU also if counters are unavailable. */
int selftest_measure(struct run *run, const struct selftest_options *options);

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
