/*
 * Reads the rows of a table of a run one by one and checks header, number of cells and kinds. Rows
 * of lines.csv that refer to the code of another kernel (run/line_codes.h) are read as if they held
 * it. A struct table_rows owns what it reads until table_rows_close; cells are valid until the next
 * row.
 */
#ifndef WHYFAST_TABLE_ROWS_H
#define WHYFAST_TABLE_ROWS_H

#include "run/line_codes.h"
#include "run/run.h"

struct selection;
struct table_rows;

/* Returns 1 for a row to keep. */
typedef int row_filter(void *context, const struct table_rows *row);

struct table_rows {
    const struct table *table;
    char *path;
    int is_there;             /* 0: the run lacks the file; there are no rows */
    struct csv_reader reader; /* cell[0..width): the row */
    int width;                /* columns of the file */
    char **name;              /* of each column of the file */
    const struct column *
        *column;     /* what its cells are; NULL: the program does not know it and ignores them */
    double *number;  /* of each cell that is a number and not empty */
    long long end;   /* of an interrupted run: where its finished rows end; -1: there is no limit */
    int size_column; /* index of the column size, or -1 */
    int code_column; /* of lines.csv: index of the column code_of, or -1 */
    struct line_codes codes; /* of the rows so far, if there is such a column */
    row_filter *keeps; /* NULL, or set after opening: other rows are passed over; of their cells,
                          only code_of is checked */
    void *context;
};

/* Opens a table, of an interrupted run as far as it is finished. Returns FAIL_INPUT for a damaged
 * header or end, and for a missing file unless the table is marked later (run/tables.h) and, if it
 * is lines.csv, no kernel has instructions; nothing is owned then. */
int table_rows_open(struct table_rows *rows, const struct run *run, enum table_id id);

/* Reads the next row. Returns 1, 0 at the end, or FAIL_INPUT with file:line. */
int table_rows_next(struct table_rows *rows);
void table_rows_close(struct table_rows *rows);

/* Returns the index of a column in the file, or -1. */
int table_rows_find(const struct table_rows *rows, const char *name);

/* Selects the verified points of points.csv; the caller frees them (selection_free). Returns
 * FAIL_INPUT if it names a variant that this program lacks. */
int selection_of_run(struct selection *selection, const struct run *run);

#endif
