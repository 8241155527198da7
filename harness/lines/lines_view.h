/*
 * Prints `whyfast lines`: the annotated source of one kernel, or of two and their differences.
 * Nothing is owned.
 */
#ifndef WHYFAST_LINES_VIEW_H
#define WHYFAST_LINES_VIEW_H

#include <stdio.h>

#include "base/terminal.h"
#include "query/query.h"

/* The point and launch of a variant; unspecified ones are chosen. */
struct kernel_choice {
    const char *size;  /* as on the command line, or NULL */
    long block, sweep; /* 0 if unspecified */
    long launch;       /* -1 if unspecified */
};

struct lines_options {
    /* Each a 'family/name' or a name, given in full, by a pattern or by its beginning. */
    const char *const *variants;
    int variant_count; /* 1 or 2 */
    struct kernel_choice choice;
    const char *const *metrics; /* columns by name; none for the basic ones */
    int metric_count;
    const char *sort; /* a metric, or NULL for source order */
    int sass, csv, json;
    int hot_only; /* 1 for only the hot lines (lines/annotation.h) */
    int banks;    /* 1 for bank maps of its accesses to shared memory instead of its source */
    int recorded; /* 1 to print that the run comes with the program */
    /* NULL, or appends why the second of two kernels is faster, a sentence, if that is known. */
    int (*verdict)(struct text *words, struct query *query, const char *before, const char *after,
                   const char *size);
};

/* Two kernels are printed side by side if each has at least this many columns. */
enum { LINES_LEAST_HALF = 80 };

/* Prints for this screen, and warns of each source that is shown without its text. Returns, before
 * anything is printed, FAIL_USAGE or FAIL_INPUT, with a message, for an unknown metric, variant or
 * launch and for a run without per-line data; FAIL_CHECK after printing a kernel with impossible
 * counts. */
int lines_view_print(const struct run *run, const struct lines_options *options,
                     const struct terminal *screen, FILE *file);

#endif
