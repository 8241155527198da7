/*
 * Finds impossible values: rates above the peak, shares below 0 or above 100 %, parts that exceed
 * their whole, counts that contradict each other. The records say what must hold: `least` and
 * `most` of a metric, a fact or a counter, and checks (metrics/README.md). Nothing is owned; the
 * findings are in the query's table `impossible`.
 *
 * An impossible value is emptied at its point, in all repeats of its counters, before anything is
 * computed from it. For each point impossible.csv names the condition that does not hold, with the
 * numbers, and the metrics that are empty as a consequence.
 */
#ifndef WHYFAST_METRIC_CHECKS_H
#define WHYFAST_METRIC_CHECKS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "evaluate/metric_table.h"
#include "query/query.h"

/* Shown in place of such a value. */
#define IMPOSSIBLE_WORDS "impossible"

/* Returns 1 for a check, and for a counter, fact or metric that has bounds. */
int metric_checks_is_known(const struct record *record);

int metric_checks_empties(const struct record *record, const char *name, size_t length);

/* Visits the names that must be columns of m before the record is judged. */
void metric_checks_identifiers(const struct record *record,
                               void (*visit)(const char *name, size_t length, void *context),
                               void *context);

/* Makes the empty table `impossible`. */
int metric_checks_begin(struct query *query);

/* Judges the points of m by the records, in this order. Empties impossible values, and prints one
 * line for each record that does not hold. */
int metric_checks_judge(struct metric_table *rows, const struct record *const *record, int count);

/* Notes the points where a metric that was just computed is empty because of an emptied value. */
int metric_checks_follow(struct metric_table *rows, const struct record *metric);

/* Tests for a row of the ladder whether its column `name`, with prev_ or first_ if it has it, is
 * empty because of an impossible value: 1 or 0 in *yes. */
int metric_checks_test(struct query *query, const struct scope *row, const char *name, int *yes);

/* Writes impossible.csv. */
int metric_checks_write(struct query *query, struct atomic_files *group);

/* Counts the findings, without their consequences. */
int metric_checks_count(struct query *query, int *found);

#endif
