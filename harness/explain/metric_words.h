/*
 * Makes the table metric_words(name, words, unit), unless the database has it: what metrics,
 * counters and facts of the records, and the numbers of an account, are called beside their values.
 * Nothing is owned.
 */
#ifndef WHYFAST_METRIC_WORDS_H
#define WHYFAST_METRIC_WORDS_H

#include "catalog/records.h"
#include "query/query.h"

int metric_words_make(struct query *query, const struct records *records);

#endif
