/*
 * The commands that show a run, two variants or two runs on the terminal, and the self-test.
 * Nothing is owned.
 */
#ifndef WHYFAST_REPORT_COMMANDS_H
#define WHYFAST_REPORT_COMMANDS_H

#include "cli.h"

/* Returns FAIL_CHECK if a point is slower or failed. */
int compare_command(const struct arguments *arguments);

/* `explain A B`: two variants of a run or of the newest recorded one, or one or two variants of two
 * runs. Returns FAIL_USAGE for anything else. */
int explain_pair_command(const struct arguments *arguments);

int timeline_command(const struct arguments *arguments);

/* Runs the self-test, or judges the run of one anew. Returns FAIL_CHECK if a metric is wrong. */
int selftest_command(const struct arguments *arguments);

#endif
