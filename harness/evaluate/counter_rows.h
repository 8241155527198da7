/*
 * Reads the counters of a run and gives each a column. A struct counter_rows owns them until
 * counter_rows_free.
 */
#ifndef WHYFAST_COUNTER_ROWS_H
#define WHYFAST_COUNTER_ROWS_H

#include "catalog/records.h"
#include "query/query.h"

struct counter_rows {
    int columns;                  /* counters that have a record */
    const struct record **record; /* of each column */
    size_t count;
    struct counter_row {
        int64_t point, repeat, launch; /* the point by its rowid in points */
        int column;                    /* -1 for a counter without a record */
        int line;                      /* of counters.csv */
        double value;                  /* NAN if absent */
    } * row;                           /* in this order */
};

/* Reads counters.csv. Rows of unknown points are ignored. Returns FAIL_INPUT, with file and line,
 * if a counter is there twice in one launch and repeat. */
int counter_rows_read(struct counter_rows *rows, struct query *query,
                      const struct records *records);
void counter_rows_free(struct counter_rows *rows);

/* The index of the first row of a point at this repeat or a later one. */
size_t counter_rows_find(const struct counter_rows *rows, int64_t point, int64_t repeat);

/* Makes the table repeats(point, repeat). */
int counter_rows_make_repeats(const struct counter_rows *rows, struct query *query);

/* Makes the table `name`(row_id, each counter): the counters of each row of m over all launches, or
 * of the first one, as their records say; NULL for a counter that a launch has no value of. */
int counter_rows_make_table(const struct counter_rows *rows, struct query *query, const char *name);

#endif
