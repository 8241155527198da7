/*
 * Prints the annotated source of one kernel as lines of text. Nothing is owned.
 *
 *   line  ways  excess  stall %  main reason       executed  kernels/reduce/02_strided.cu
 *    ...
 *     23                    2.4  wait                  2.1M  const unsigned first = 2 * s * t;
 *     24  3.33    1.7M     39.8  short scoreboard      3.8M  if (first < blockDim.x) sum[...
 *
 * In source order, the variant's own file comes first; lines with instructions are shown with
 * ANNOTATION_CONTEXT lines on either side, and a mark for each gap. If sorted by a metric, only
 * lines with instructions are shown, the largest value first. Metrics without any value are left
 * out unless they were requested. If the screen is too narrow for all metrics and
 * ANNOTATION_LEAST_TEXT columns of text, metrics are left out from the right, and named above.
 */
#ifndef WHYFAST_ANNOTATION_H
#define WHYFAST_ANNOTATION_H

#include "base/terminal.h"
#include "lines/line_columns.h"
#include "query/query.h"

enum { ANNOTATION_CONTEXT = 2, ANNOTATION_LEAST_TEXT = 28 };

/* A line with at least this share of the kernel, in per cent, is coloured. */
enum { ANNOTATION_WARM_PCT = 3, ANNOTATION_HOT_PCT = 10 };

struct annotation {
    struct query *query; /* after lines_tables_load */
    const char *kernel;  /* its number */
    const struct terminal *screen;
    int metric_count; /* columns that were requested; 0 for the basic ones */
    int metric[LINE_METRIC_COUNT];
    int sort;     /* a metric, or -1 for source order */
    int sass;     /* 1 to show the instructions of each line below it */
    int hot_only; /* 1 to leave out lines below SHOWN_LINE_PCT of everything that counts */
};

/* Appends the explanation of the columns, and the lines. */
int annotation_append(struct text *page, const struct annotation *annotation);

#endif
