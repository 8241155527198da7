/*
 * Makes the tables that the templates of the report read: all tables of the run except samples,
 * counters, trace_samples and charts, and
 *   those of report/pages.sql     sizes, rungs, causes of steps and refuted claims
 *   those of report/map_tables.sql    the shape map
 *   those of explain/pairs.h          what is said of each pair of rungs
 *   those of report/compare_tables.sql    the same with numbers in place of names
 *   those of lines/lines_tables.h with line_rows and kernel_rows, which are line_sums and
 *                                 kernel_sums stored, of the kernels at the primary sizes
 *   coverage, claim_outcome, claim_count    harness/report/coverage.sql
 *   glossary(kind, name, title, words, unit, formula, better, means)     the records under metrics/
 *   cause(cause, place, title, area, ...)   the causes among them
 *   metric_words                  those that have values, in words (explain/metric_words.h)
 *   witness(name, place)          the metrics that show causes at work
 *   witness_values(POINT_KEY, place, value)   their values in the best settings
 *   facts(key, value)             run.txt as it is written, an absent fact with its reason (in
 *                                 table run it is NULL)
 *   selection                     the extent of a selection (report/report_scope.h), if the run is
 *                                 too large to be shown in full
 * and the function
 *   short_number(x, digits)       x rounded to that number of digits, by default to four
 * Nothing is owned.
 */
#ifndef WHYFAST_PAGE_TABLES_H
#define WHYFAST_PAGE_TABLES_H

#include "query/query.h"

/* Sets run->impossible to the number of kernels with impossible counts, if it is 0. */
int page_tables_load(struct query *query, struct run *run, const struct records *records);

#endif
