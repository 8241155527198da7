/*
 * Clean times: from samples to medians with intervals, one row per series. The series that the
 * statistics functions of the database use are the query's.
 */
#ifndef WHYFAST_CLEAN_TIMES_H
#define WHYFAST_CLEAN_TIMES_H

#include "query/point_index.h"

/* Reads samples.csv into the query's series and makes the table timing(point, l2, kind, copy,
 * series, samples, throttled, main, median, low, high, q1, q3, clock), point being the rowid in
 * points. main is 1 for the series that time_ns is of: end to end with a cold L2 cache; on the
 * CPU, whose caches nobody flushes, a warm one. Samples of points that are not in points count
 * for nothing. Wants the tables variants and points. */
int clean_times_make(struct query *query, struct point_index *points);

#endif
