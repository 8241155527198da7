/*
 * Writes numbers for readers: SQL functions (metrics/README.md lists them). Nothing is owned.
 */
#ifndef WHYFAST_NUMBER_TEXTS_H
#define WHYFAST_NUMBER_TEXTS_H

#include "query/query.h"

query_function number_text_human; /* human(x) and human(x, decimals) */
query_function number_text_time;  /* time_text(ns) */
query_function number_text_size;  /* size_text(size) */
query_function number_text_unit;  /* unit_text(unit): the words for a name in the table families */

#endif
