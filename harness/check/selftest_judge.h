/*
 * How a run of the self-test came out: every metric held against what metrics/selftest.metric
 * expects of it at each point. No GPU is needed. A struct run is the caller's.
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

/* Judges an evaluated run: writes selftest.csv into it, a row for each metric of each point that
 * there is an expectation of. FAIL_INPUT for an expectation that SQLite does not understand. */
int selftest_judge(const struct run *run, struct selftest_tally *tally);

/* Prints the rows of selftest.csv as a table. */
int selftest_print(const struct run *run, FILE *file);

#endif
