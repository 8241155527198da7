/*
 * Names the metrics of a line, for --metric, --sort and the columns of `whyfast lines`. Nothing is
 * owned.
 */
#ifndef WHYFAST_LINE_COLUMNS_H
#define WHYFAST_LINE_COLUMNS_H

#include "base/text.h"

enum line_format {
    LINE_COUNT, /* four digits, with k, M, G or T for thousands, millions, and so on */
    LINE_PERCENT,
    LINE_RATIO,
    LINE_WORD /* text */
};

struct line_metric {
    const char *name;   /* on the command line */
    const char *column; /* of the views instructions and line_sums (lines/lines_tables.h) */
    const char *heading;
    const char *means; /* with its unit */
    enum line_format format;
    int adds_up;  /* the lines of a kernel sum to its total, so that each has a share */
    int is_basic; /* shown unless other metrics are requested; or only if some line has any */
};
enum { LINE_IF_ANY = 2 };

enum { LINE_METRIC_COUNT = 17 };

/* In the order in which they are shown. */
extern const struct line_metric line_metrics[LINE_METRIC_COUNT];

/* Returns the index of the metric, or FAIL_USAGE, with a message that names the nearest one. */
int line_column_find(const char *name);

/* Appends a value of the database in the metric's format; nothing for NULL. */
void line_column_append(struct text *text, const struct line_metric *metric, const char *value);

#endif
