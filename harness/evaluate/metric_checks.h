/*
 * Values that cannot be: over the peak of what they are a rate of, shares below 0 or above 100 %,
 * parts that exceed their whole, counts that contradict each other. What cannot be is known as
 * records: `least` and `most` of a metric, a fact or a counter, and checks (metrics/README.md).
 * Nothing is owned; what was found is in the query's table `impossible`, and the run counts it.
 *
 * A value that cannot be is left empty at its point, in all repeats of its counters, before
 * anything is computed from it. impossible.csv says of each point what did not hold, with the
 * numbers, and of what was computed from it and is empty too, from what it follows.
 */
#ifndef WHYFAST_METRIC_CHECKS_H
#define WHYFAST_METRIC_CHECKS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "evaluate/metric_table.h"
#include "query/query.h"

/* What stands in place of such a value. */
#define IMPOSSIBLE_WORDS "cannot be"

/* 1 for a record that says what cannot be of a point: a check, or one with bounds. */
int metric_checks_is_known(const struct record *record);

/* 1 when the record may leave this column empty. */
int metric_checks_empties(const struct record *record, const char *name, size_t length);

/* The names that must be columns of table m before the record is judged. */
void metric_checks_identifiers(const struct record *record,
                               void (*visit)(const char *name, size_t length, void *context),
                               void *context);

/* Makes the table `impossible`, empty. */
int metric_checks_begin(struct query *query);

/* Judges the points of table m by each of the records, in this order; their names are all
 * columns of it by now. Empties what cannot be, and says so in one line. */
int metric_checks_judge(struct metric_table *rows, const struct record *const *record, int count);

/* Notes where the metric, just computed, is empty because of a value that was emptied. */
int metric_checks_follow(struct metric_table *rows, const struct record *metric);

/* Whether the column `name` of a row of the ladder, prev_ and first_ included, is empty because
 * of what cannot be: SQL over such a row and the table `impossible`, appended. */
void metric_checks_append_test(struct text *sql, const char *name);

/* The same of one row of the ladder: 1 or 0 in *yes. */
int metric_checks_test(struct query *query, const struct scope *row, const char *name, int *yes);

/* Writes impossible.csv, and counts in *found what does not hold. */
int metric_checks_write(struct query *query, struct atomic_files *group, int *found);

#endif
