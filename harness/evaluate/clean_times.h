/*
 * Turns samples into medians with intervals, one row per series. The query owns the samples of the
 * series, which the statistics functions of its database use.
 */
#ifndef WHYFAST_CLEAN_TIMES_H
#define WHYFAST_CLEAN_TIMES_H

#include "query/query.h"

/* Reads samples.csv and makes the table timing(point, l2, kind, copy, series, samples, last_round,
 * throttled, main, clock, median, low, high, q1, q3) as clean_times.sql describes it; `point` is
 * the rowid in points; and those of best_points.sql. Samples of unknown points are ignored. Needs
 * the tables families, variants and points. */
int clean_times_make(struct query *query);

#endif
