/*
 * Prints `whyfast conflicts`: the kernels of a run, ranked by the time that bank conflicts cost,
 * from the tables conflicts and conflict_lines (explain/conflicts.h). Nothing is owned.
 */
#ifndef WHYFAST_CONFLICTS_PRINT_H
#define WHYFAST_CONFLICTS_PRINT_H

#include <stdio.h>

#include "base/print_table.h"
#include "run/run.h"

struct conflicts_options {
    const char *const *patterns; /* none for all variants */
    int pattern_count;
    int first_may_be_run;     /* 1: the first pattern may have been meant as a run */
    const char *const *sizes; /* none for the primary size of each family */
    int size_count;
    int recorded; /* 1 to print that the run comes with the program */
    int all; /* 1 to show the lines of all kernels, not of the first alone; patterns do that, too */
    enum print_form form;
};

/* Returns, before anything is printed, FAIL_USAGE, with a message, for a pattern or a size that the
 * run does not have, and FAIL_INPUT for a run that is not explained. */
int conflicts_print(const struct run *run, const struct conflicts_options *options,
                    const struct terminal *screen, FILE *file);

#endif
