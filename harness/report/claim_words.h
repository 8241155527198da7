/*
 * Writes the numbers of a verdict for readers, also as an SQL function. Nothing is owned.
 */
#ifndef WHYFAST_CLAIM_WORDS_H
#define WHYFAST_CLAIM_WORDS_H

#include "query/query.h"

/* Appends the column numbers of verdicts.csv in words: "time_ns = 857024; prev_time_ns = 482944"
 * becomes "time 857.0 µs, before 482.9 µs". The name of a metric ends with its unit; `prev_` is
 * the rung before. Other words stay as they are. */
void claim_words_append(struct text *words, const char *numbers);

query_function claim_words_sql; /* claim_words(numbers) */

#endif
