/*
 * The rows of an annotation, read from the database: lines or instructions with their numbers, and
 * the texts of their files. What is read is owned until it is freed.
 */
#ifndef WHYFAST_ANNOTATION_ROWS_H
#define WHYFAST_ANNOTATION_ROWS_H

#include "lines/line_columns.h"
#include "query/query.h"

struct line_row {
    int source, line;      /* -1 where no line is known */
    const char *pc, *sass; /* of an instruction, else NULL */
    const char *own_source, *own_line, *inlined_at;
    int depth;                            /* lines/lines_tables.h */
    const char *value[LINE_METRIC_COUNT]; /* as the database has it; NULL: not there */
    char *storage;                        /* of all these strings */
};

struct line_rows {
    struct line_row *row;
    int count, capacity;
};

/* The lines of a kernel in source order, or by a metric (-1: none) in falling order; or its
 * instructions in source order, those that were inlined by the same way side by side. */
int line_rows_read(struct line_rows *rows, struct query *query, const char *kernel, int sort);
int instruction_rows_read(struct line_rows *rows, struct query *query, const char *kernel);
void line_rows_free(struct line_rows *rows);

struct line_file {
    int source;
    char *path, *state;
    char **line; /* line[0] is line 1; none unless the file is the same as when it was measured */
    int count, capacity;
};

struct line_files {
    struct line_file *file;
    int count;
};

/* The files that the kernel's lines are in, and those that they were inlined into. */
int line_files_read(struct line_files *files, struct query *query, const char *kernel);
const struct line_file *line_files_find(const struct line_files *files, int source);
void line_files_free(struct line_files *files);

#endif
