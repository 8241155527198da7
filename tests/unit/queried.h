/*
 * Opens a query on a run that holds only its facts, for each test.
 */
#ifndef TESTS_UNIT_QUERIED_H
#define TESTS_UNIT_QUERIED_H

#include "fixture.h"

#include "query/query.h"

static struct run run;
static struct query query;
static char place_of_run[512];

static int open_query(void **state)
{
    (void)state;
    make_run("q");
    snprintf(place_of_run, sizeof place_of_run, "%s", place("q"));
    if (run_open(&run, place_of_run)) return -1;
    return query_open(&query, &run);
}

static int close_query(void **state)
{
    (void)state;
    query_close(&query);
    run_close(&run);
    return 0;
}

/* Returns the value of an expression; "NULL" if it is NULL. */
UNUSED_IS_FINE static const char *value_of(const char *expression)
{
    static char value[256];
    char sql[1024], *text = NULL;
    snprintf(sql, sizeof sql, "SELECT %s", expression);
    assert_int_equal(query_text(&query, "here:1", sql, NULL, &text), 0);
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    free(text);
    return value;
}

#define QUERY_TEST(test) TEST_WITHIN(test, open_query, close_query)

#endif
