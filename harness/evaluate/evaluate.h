/*
 * Evaluates a run: computes metrics, noise, kernel_counters and impossible from its raw tables and
 * the records under metrics/. Needs no GPU. Nothing is owned.
 */
#ifndef WHYFAST_EVALUATE_H
#define WHYFAST_EVALUATE_H

#include "catalog/records.h"
#include "query/query.h"

/* Evaluates a run, and writes the files of these tables. */
int evaluate_run(struct run *run);

/* Does the same in a database of the run, which keeps the tables. */
int evaluate_query(struct query *query, const struct records *records, struct run *run);

/* The first part of these functions: loads raw tables, and makes best_points(point), the rowids in
 * points of the best settings. */
int evaluate_begin(struct query *query);

/* Makes metrics, noise and impossible in the database alone. */
int evaluate_make(struct query *query, const struct records *records);

#endif
