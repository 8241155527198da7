/*
 * The rows that metrics are computed on: the view m, a row per point and per repeat of its
 * counters. Its columns lie side by side in tables of their own, so that a new metric writes itself
 * and not all others again; row_id is the same in all of them. Nothing but the list of tables is
 * owned.
 */
#ifndef WHYFAST_METRIC_TABLE_H
#define WHYFAST_METRIC_TABLE_H

#include "query/query.h"

enum {
    METRIC_PIECES = 20
}; /* three times as many tables are joined in the view ladder; SQLite joins at most 64 */

struct metric_table {
    struct query *query;
    int count;
    char *piece[METRIC_PIECES]; /* tables, the first with the columns that name a row */
};

/* Begins with the table m_facts (evaluate/point_facts.h); steps_of must be there
 * (query_make_steps_of). */
int metric_table_begin(struct metric_table *rows, struct query *query);
void metric_table_free(struct metric_table *rows);

/* Adds the columns of a table that has a row for each row_id of m. FAIL_INPUT when there are too
 * many: formulas need each other in too long a chain. */
int metric_table_add(struct metric_table *rows, const char *table);

/* 1 when m has this column. */
int metric_table_has(const struct metric_table *rows, const char *column);

/* Empties the column in the rows that a condition over m_facts chooses. */
int metric_table_empty(struct metric_table *rows, const char *column, const char *condition);

/* Makes the view ladder of what m has by now: each row with the columns of the best row of the
 * rung before as prev_<column>, and of the ladder's first rung as first_<column>, at the same
 * size, block and repeat. Wants the table variants. */
int metric_table_make_ladder(struct metric_table *rows);

#endif
