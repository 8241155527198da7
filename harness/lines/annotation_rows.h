/*
 * Reads the rows of an annotation from the database: lines or instructions with their numbers. The
 * caller frees them, also if reading fails.
 */
#ifndef WHYFAST_ANNOTATION_ROWS_H
#define WHYFAST_ANNOTATION_ROWS_H

#include "lines/line_columns.h"
#include "query/query.h"

struct annotation_row {
    int source, line; /* -1 if unknown */
    int depth;        /* of an instruction (lines/lines_tables.h) */
    int own_source, own_line;
    const char *pc, *sass, *inlined_at;   /* NULL for a line, or if unknown */
    const char *value[LINE_METRIC_COUNT]; /* as in the database; NULL if absent */
    char *storage;                        /* holds all these strings */
};

struct annotation_rows {
    struct annotation_row *row;
    int count, capacity;
};

/* Reads the lines or the instructions of a kernel in source order, or, unless `sort` is -1, in
 * descending order of a metric. In source order the variant's own file comes first, then the others
 * by path; rows without a line come last. Instructions of the same inlining chain are adjacent. */
int annotation_rows_read(struct annotation_rows *rows, struct query *query, const char *kernel,
                         int are_instructions, int sort);

double annotation_rows_sum(const struct annotation_rows *rows, int metric);

/* Removes the rows that are not hot, unless none is, and returns how many these were. A hot row has
 * at least `least_pct` per cent of all samples, excess wavefronts, excess sectors or sectors of
 * local memory, or of one of these metrics, if it adds up. */
int annotation_rows_keep_hot(struct annotation_rows *rows, const int *metric, int metric_count,
                             double least_pct);
void annotation_rows_free(struct annotation_rows *rows);

#endif
