/*
 * The counters of a run by name: of each launch and repeat of a point one array of values. A struct
 * counter_rows owns them until counter_rows_free.
 */
#ifndef WHYFAST_COUNTER_ROWS_H
#define WHYFAST_COUNTER_ROWS_H

#include "catalog/records.h"
#include "query/point_index.h"

struct counter_rows {
    int columns;                  /* counters that have a record */
    const struct record **record; /* of each column */
    int count, capacity;
    struct counter_row {
        int64_t point, launch, repeat; /* rowid in points */
        int at;                        /* of its values, among those of all rows */
    } * row;                           /* by point, repeat and launch */
    double *value;                     /* `columns` for each row: NAN where it is absent */
    unsigned char *is_there;           /* for each value, whether the file has a row of it */
    int repeat_count, repeat_capacity;
    int64_t *repeat; /* the different ones of the whole file, also of rows that the query does not
                        keep */
};

/* Reads counters.csv. Of a counter that is there twice in one launch and repeat: FAIL_INPUT.
 * Rows of points that are not in points count for nothing, nor do those that the query does not
 * keep. */
int counter_rows_read(struct counter_rows *rows, struct query *query, const struct records *records,
                      struct point_index *points);
void counter_rows_free(struct counter_rows *rows);

/* The rows of a point: the first, and how many. They stand by repeat, then by launch. */
int counter_rows_find(const struct counter_rows *rows, int64_t point, int *count);

/* Makes the table repeats(point, repeat) of what is there; of point 0 are all repeats of the file.
 */
int counter_rows_make_repeats(const struct counter_rows *rows, struct query *query);

/* Makes the table `name`(row_id, each counter): of each row of m its counters, by their records
 * over all launches or of the first. Absent where a launch lacks it. */
int counter_rows_make_table(const struct counter_rows *rows, struct query *query, const char *name);

#endif
