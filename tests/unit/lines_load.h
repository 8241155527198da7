/*
 * Loads the run l/ (lines_run.h) into the tables about lines, for the tests of these.
 */
#ifndef TESTS_UNIT_LINES_LOAD_H
#define TESTS_UNIT_LINES_LOAD_H

#include "asked.h"
#include "lines_run.h"

#include "lines/lines_tables.h"

/* Loads the run l/. */
UNUSED_IS_FINE static int load(void)
{
    assert_int_equal(ask_run("l"), 0);
    return lines_tables_load(&query, NULL);
}

/* Makes the run l/ with these rows in lines.csv, or its usual ones, and loads it. */
UNUSED_IS_FINE static void load_lines(const char *rows)
{
    make_lines_run();
    if (rows) write_table("l", TABLE_LINES, rows);
    SUCCEEDS(load(), "");
}

#define LINE(column, source, line)                                                                 \
    ask("SELECT %s FROM line_sums WHERE kernel = 0 AND source = %d AND line = %d", column, source, \
        line)
#define KERNEL(column, kernel) ask("SELECT %s FROM kernel_sums WHERE kernel = %d", column, kernel)

/* Assert that a line of kernel 0, and a kernel, have these sums. */
#define line_is(source, line, words)                                                               \
    row_is("line_sums WHERE kernel = 0 AND source = " #source " AND line = " #line, words)
#define kernel_is(kernel, words) row_is("kernel_sums WHERE kernel = " #kernel, words)

#endif
