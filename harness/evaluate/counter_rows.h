/*
 * Loads the counters of a run into tables with one column for each counter record. Nothing is
 * owned; the tables are in the query's database.
 */
#ifndef WHYFAST_COUNTER_ROWS_H
#define WHYFAST_COUNTER_ROWS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Loads counters.csv and makes repeats(point, repeat) and the tables of counter_rows.sql. Needs the
 * table points. Returns FAIL_INPUT, with a message, if a counter appears twice in one launch and
 * repeat, or if the field `over` of a record is neither sum nor first. */
int counter_rows_load(struct query *query, const struct records *records);

/* Makes the table `name`(row_id, each counter): the counters of each row of m_facts over all
 * launches, or of the first one, as their records say. */
int counter_rows_make_table(struct query *query, const struct records *records, const char *name);

/* Writes kernel_counters.csv into the group: a row per kernel of kernels.csv with each counter, the
 * median over its repeats in that launch. The cells are empty for a launch of several kernels (a
 * library's call): its counters are of all of them. */
int counter_rows_write_kernels(struct query *query, const struct records *records,
                               struct atomic_files *group);

#endif
