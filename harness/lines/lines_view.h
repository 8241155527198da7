/*
 * `whyfast lines`: the annotated source of one kernel, or of two and what differs between them.
 * Nothing is owned.
 */
#ifndef WHYFAST_LINES_VIEW_H
#define WHYFAST_LINES_VIEW_H

#include <stdio.h>

#include "base/terminal.h"
#include "lines/kernel_choice.h"

struct lines_options {
    const char *const *variants; /* words for kernel_find */
    int variant_count;           /* 1 or 2 */
    struct kernel_choice choice;
    const char *const *metrics; /* columns by name; none: the basic ones */
    int metric_count;
    const char *sort; /* a metric, or NULL: in source order */
    int sass, csv;
    int banks;    /* the maps of its accesses to shared memory, in place of its source */
    int recorded; /* the run is one of those that come with the program: it says so */
};

/* Two kernels stand side by side where each has this many columns. */
enum { LINES_LEAST_HALF = 80 };

/* Prints it for this screen. FAIL_USAGE or FAIL_INPUT, before anything is printed, where there
 * is no such metric, variant or launch; FAIL_INPUT for a run without per-line data, with the
 * command that adds them. Says on stderr why a source stands without its text. */
int lines_print(const struct run *run, const struct lines_options *options,
                const struct terminal *screen, FILE *file);

/* Appends what a kernel is, what was counted and sampled of it, and what its bank conflicts cost.
 */
int lines_append_head(struct text *page, struct query *query, const char *kernel,
                      const struct terminal *screen);

/* Appends what differs between two kernels: their numbers, and what warps waited for. */
int lines_append_differences(struct text *page, struct query *query, const char *const kernels[2],
                             const struct terminal *screen);

#endif
