/*
 * Judges a run of the self-test: compares every metric with the expectation of
 * metrics/selftest.metric at each point. No GPU is needed. A struct run is the caller's.
 */
#ifndef WHYFAST_SELFTEST_JUDGE_H
#define WHYFAST_SELFTEST_JUDGE_H

#include <stdio.h>

#include "run/run.h"

struct selftest_tally {
    int right;   /* measured as expected */
    int wrong;   /* not as expected */
    int missing; /* not measured, or skipped, with the reason */
};

/* Judges an evaluated run: writes selftest.csv into it, a row for each expected metric of each
 * point. Returns FAIL_INPUT for an expectation that SQLite refuses. */
int selftest_judge(const struct run *run, struct selftest_tally *tally);

/* Prints the rows of selftest.csv as a table. */
int selftest_print(const struct run *run, FILE *file);

#endif
