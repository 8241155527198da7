/*
 * Writes numbers for readers, also as SQL functions (metrics/README.md). Nothing is owned.
 */
#ifndef WHYFAST_NUMBER_TEXTS_H
#define WHYFAST_NUMBER_TEXTS_H

#include "query/query.h"

/* Appends a number as the function human() writes it. */
void number_text_append(struct text *text, double value);

/* Appends a ratio as the function ratio_text() writes it. */
void number_text_append_ratio(struct text *text, double ratio);

/* Appends a setting as the function setting_text() writes it. */
void number_text_append_setting(struct text *text, const char *name, const char *means,
                                const char *value);

/* Returns the unit to write beside these words, or NULL if it is none or the words name it. */
const char *number_text_beside(const char *words, const char *unit);

/* For SQL. */
query_function number_text_human; /* human(x) and human(x, decimals) */
query_function number_text_time;  /* time_text(ns) and time_text(low_ns, high_ns) */
/* time_among(ns, largest), part_among(ns, largest) and saved_among(ns, largest): a cell of a column
 * of times, of parts of times (struct text_times) or of times that were saved, with this largest
 * one. With the smallest as a third argument, its point stands below the points of the others. */
enum { AMONG_TIMES, AMONG_PARTS, AMONG_SAVED }; /* the parts of the query (query/query.h) */
query_function number_text_among;
query_function number_text_moved; /* moved_text(before, after, is_pct): "−45 %", "0 → 221 M" */
query_function number_text_size;  /* size_text(size) */
query_function number_text_unit;  /* unit_text(unit[, operations]): the words for a unit */
query_function number_text_unit_beside; /* unit_beside(words, unit): number_text_beside */
query_function number_text_status;      /* status_text(status, trials, wrong_trials), of a point */
query_function number_text_ratio;       /* ratio_text(ratio): "1.42×" */
query_function number_text_setting; /* setting_text(sweep_name, sweep_text, sweep): "16 loads" */
query_function number_text_saved; /* saved_text(ns): "−4.2 µs" if it was saved, "+4.2 µs" if lost */
query_function number_text_change; /* change_text(speedup): "1.42× faster", "3.1 % slower" */

#endif
