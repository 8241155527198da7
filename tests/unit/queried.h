/*
 * Opens a query on a run that holds only its facts, for each test.
 */
#ifndef TESTS_UNIT_QUERIED_H
#define TESTS_UNIT_QUERIED_H

#include "asked.h"

static int open_query(void **state)
{
    make_run("q");
    return ask_run("q");
}

static int close_query(void **state)
{
    close_asked();
    return 0;
}

/* Returns the value of an expression. */
#define value_of(expression) ask("SELECT %s", expression)

/* Asserts that this is the value. */
#define gives(expression, value) finds("SELECT " expression, value)

#define QUERY_TEST(test) TEST_WITHIN(test, open_query, close_query)

#endif
