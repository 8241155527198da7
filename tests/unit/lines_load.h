/*
 * Loads the run l/ (lines_run.h) into the tables about lines, for the tests of these. The run and
 * the query are the header's from load to unload.
 */
#ifndef TESTS_UNIT_LINES_LOAD_H
#define TESTS_UNIT_LINES_LOAD_H

#include "lines_run.h"

#include "lines/lines_tables.h"

static struct run run;
static struct query query;

/* Loads the run l/. */
UNUSED_IS_FINE static int load(void)
{
    assert_int_equal(run_open(&run, place("l")), 0);
    assert_int_equal(query_open(&query, &run), 0);
    return lines_tables_load(&query, NULL);
}

UNUSED_IS_FINE static void unload(void)
{
    query_close(&query);
    run_close(&run);
}

/* Returns the first value of a statement; "NULL" if it is NULL. */
UNUSED_IS_FINE static const char *first(const char *format, ...)
{
    static char value[1024];
    char sql[512], *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    assert_int_equal(query_text(&query, "here:1", sql, NULL, &text), 0);
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    free(text);
    return value;
}

#define LINE(column, source, line)                                                                 \
    first("SELECT %s FROM line_sums WHERE kernel = 0 AND source = %d AND line = %d", column,       \
          source, line)
#define KERNEL(column, kernel) first("SELECT %s FROM kernel_sums WHERE kernel = %d", column, kernel)

#endif
