/*
 * `explain A B` on the command line: the account of difference.h as a table, CSV or JSON. Nothing
 * is owned.
 */
#ifndef WHYFAST_DIFFERENCE_VIEW_H
#define WHYFAST_DIFFERENCE_VIEW_H

#include "cli.h"

/* Two variants of a run or of the newest recorded one, or one or two variants of two runs.
 * FAIL_USAGE for anything else. */
int difference_run(const struct arguments *arguments);

#endif
