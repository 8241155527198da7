/*
 * Holds the rows from which metrics are computed: the view m, with a row per point and per repeat
 * of its counters. Its columns are in several tables with the same row_id, so that a new metric is
 * added without rewriting the others. A struct metric_table owns the list of these tables.
 */
#ifndef WHYFAST_METRIC_TABLE_H
#define WHYFAST_METRIC_TABLE_H

#include "query/query.h"

/* The view ladder joins three times as many tables, and SQLite at most 64. */
enum { METRIC_PIECES = 20 };

struct metric_table {
    struct query *query;
    int count;
    char *piece[METRIC_PIECES]; /* the tables; the first has the columns that name a row */
};

/* Begins with the table m_facts (evaluate/point_facts.h). Needs the table steps_of
 * (query_make_steps_of). */
int metric_table_begin(struct metric_table *rows, struct query *query);
void metric_table_free(struct metric_table *rows);

/* Adds the columns of a table that has all row_ids of m. Returns FAIL_INPUT, with a message, if
 * there are too many tables, because formulas depend on each other in too long a chain. */
int metric_table_add(struct metric_table *rows, const char *table);

int metric_table_has(const struct metric_table *rows, const char *column);

/* Empties the column in the rows of m_facts where the condition holds. */
int metric_table_empty(struct metric_table *rows, const char *column, const char *condition);

/* Makes the view ladder of the present columns of m: each row with the columns of the best row of
 * the previous rung as prev_<column> and of the first rung as first_<column>, at the same size,
 * block and repeat. */
int metric_table_make_ladder(struct metric_table *rows);

#endif
