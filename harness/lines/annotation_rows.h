/*
 * Reads the rows of an annotation from the database: lines or instructions with their numbers, and
 * the texts of their files. The caller frees what was read.
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

/* Reads the lines of a kernel in source order, or in falling order of a metric unless `sort` is -1.
 */
int annotation_rows_read_lines(struct annotation_rows *rows, struct query *query,
                               const char *kernel, int sort);

/* Reads the instructions of a kernel in source order; those of the same inlining chain stand side
 * by side. */
int annotation_rows_read_instructions(struct annotation_rows *rows, struct query *query,
                                      const char *kernel);
void annotation_rows_free(struct annotation_rows *rows);

struct annotation_file {
    int source;
    char *path, *state;
    char **line; /* line[0] is line 1; none unless the file is the same as when it was measured */
    int count, capacity;
};

struct annotation_files {
    struct annotation_file *file;
    int count;
};

/* Reads the files of the run, and the texts of those that the kernel's lines are in. */
int annotation_files_read(struct annotation_files *files, struct query *query, const char *kernel);
struct annotation_file *annotation_files_find(const struct annotation_files *files, int source);
void annotation_files_free(struct annotation_files *files);

#endif
