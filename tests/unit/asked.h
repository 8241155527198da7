/*
 * Queries the tables of a run that is open in `query`, which the test opens and closes.
 */
#ifndef TESTS_UNIT_ASKED_H
#define TESTS_UNIT_ASKED_H

#include "fixture.h"
#include "query/query.h"

static struct query query;

/* Loads these tables of the run. Returns 0, or what query_load returns. */
UNUSED_IS_FINE static int load_tables(const enum table_id *table, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count && !result; i++) result = query_load(&query, table[i]);
    return result;
}

/* Returns the first cell of the statement; it stays valid until the next call. */
static const char *ask(const char *sql)
{
    static char *last;
    free(last);
    last = NULL;
    assert_int_equal(query_text(&query, "test", sql, NULL, &last), 0);
    return last ? last : "NULL";
}

/* Asserts that the statement finds nothing; otherwise the test fails with its first result. */
UNUSED_IS_FINE static void finds_nothing(const char *sql)
{
    const char *found = ask(sql);
    if (strcmp(found, "NULL")) fail_msg("%s", found);
}

UNUSED_IS_FINE static double number(const char *sql)
{
    return strtod(ask(sql), NULL);
}

/* Asserts that there are as many rows (what follows FROM) as a statement needs to be about
 * something. */
UNUSED_IS_FINE static void finds_at_least(double least, const char *rows)
{
    char sql[2000];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", rows);
    const double count = number(sql);
    if (count < least) fail_msg("%.0f rows, not %.0f: %s", count, least, rows);
}

#endif
