/*
 * The rows of a table of a run, one after the other, checked: header, number of cells, kinds. A
 * struct table_rows owns what it reads until table_rows_close; cells are good until the next row.
 */
#ifndef WHYFAST_TABLE_ROWS_H
#define WHYFAST_TABLE_ROWS_H

#include "run/run.h"

struct table_rows;

/* 1 for a row that is asked for. */
typedef int row_filter(void *context, const struct table_rows *row);

struct table_rows {
    const struct table *table;
    char *path;
    int is_there; /* 0: a recorded run may lack the file, and this one does: there are no rows */
    struct csv_reader reader; /* cell[0..width): the row */
    int width;                /* columns of the file */
    char **name;              /* of each column of the file */
    const struct column *
        *column;    /* what its cells are; numbers where the program does not know it */
    double *number; /* of each cell that is a number and not empty */
    int place_size; /* where the column size stands, -1 without one */
    row_filter
        *keeps; /* NULL, or set after opening: other rows are passed over, their cells unchecked */
    void *context;
};

/* Opens a table: FAIL_INPUT for a damaged header or end, and for a missing file unless a
 * recorded run may lack it (run/tables.h: later). For a computed one the message names the stage to
 * run. After a failure nothing is owned. */
int table_rows_open(struct table_rows *rows, const struct run *run, enum table_id id);

/* The next row: 1, or 0 at the end, or FAIL_INPUT with file:line. */
int table_rows_next(struct table_rows *rows);
void table_rows_close(struct table_rows *rows);

/* Where the file has this column; -1 where it has not. */
int table_rows_find(const struct table_rows *rows, const char *name);

/* Writes the names of the known columns as the header of the table's file. */
void table_header(struct csv_writer *writer, enum table_id id);

#endif
