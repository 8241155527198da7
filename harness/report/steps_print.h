/*
 * Prints the steps of the ladders of an explained run: `explain RUN` and `explain FAMILY`. Nothing
 * is owned.
 */
#ifndef WHYFAST_STEPS_PRINT_H
#define WHYFAST_STEPS_PRINT_H

#include "base/print_table.h"
#include "query/query.h"

struct steps_options {
    const char *family; /* NULL: all */
    const char *size;   /* as on the command line; NULL: the primary one of each family */
    int recorded;       /* 1 to print that the run comes with the program */
    enum print_form form;
};

/* Prints the rungs of each ladder with their times, steps and main causes. Returns FAIL_USAGE, with
 * a message, if there is no point of this size. */
int steps_print(struct query *query, const struct steps_options *options);

#endif
