/*
 * Tries an expression of a record before it stands in a statement that writes. Nothing is owned.
 */
#ifndef WHYFAST_EXPRESSION_H
#define WHYFAST_EXPRESSION_H

#include "catalog/records.h"
#include "query/query.h"

/* Prepares the expression alone, over the columns of `table`, so that neither a second statement
 * nor a write can hide in it. Returns FAIL_INPUT, with file:line, if that fails. */
int expression_check(struct query *query, const struct record *record, const char *field,
                     const char *expression, const char *table);

#endif
