/*
 * The annotated source of one kernel, as lines of text. Nothing is owned.
 *
 *  line  ways excess stall % most wait for executed lanes kernels/reduce/02_interleaved_strided.cu
 *   ...
 *    22                   13.5 branch_resolving 2.1M 32.00 for (unsigned s = 1; s < blockDim.x; s
 *                         *= 2) {
 *    23                    2.4 wait 2.1M 32.00 const unsigned first = 2 * s * t;
 *    24  3.33 1.7M 39.8 short_scoreboard 3.8M 22.81 if (first < blockDim.x) sum[first] += sum[first
 *        + s];
 *
 * In source order: file by file, the variant's own first; the lines that have instructions, and two
 * on either side of them; a gap is marked. Sorted by a metric: these lines alone, those with most
 * of it first. Columns that have no value at all are left out, unless they were asked for. Where
 * the screen is too narrow for all columns and ANNOTATION_LEAST_TEXT columns of text, columns are
 * left out from the right; they are named above.
 */
#ifndef WHYFAST_ANNOTATION_H
#define WHYFAST_ANNOTATION_H

#include "base/terminal.h"
#include "lines/line_columns.h"
#include "query/query.h"

enum { ANNOTATION_CONTEXT = 2, ANNOTATION_LEAST_TEXT = 28 };

/* Shares of the kernel, in per cent, from which a line is shown warm and hot. */
enum { ANNOTATION_WARM_PCT = 3, ANNOTATION_HOT_PCT = 10 };

struct annotation {
    struct query *query; /* after lines_tables_load */
    const char *kernel;  /* its number */
    const struct terminal *screen;
    int metric_count; /* columns that were asked for; 0: the basic ones */
    int metric[LINE_METRIC_COUNT];
    int sort; /* a metric, or -1: in source order */
    int sass; /* the instructions of each line below it */
};

/* Appends the annotation to the page: what the columns are, and the lines. */
int annotation_append(struct text *page, const struct annotation *annotation);

#endif
