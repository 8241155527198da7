/*
 * Reads a table of a run row by row, with cells by the names of their columns. One table is open at
 * a time: until the next one is, or close_rows.
 */
#ifndef TESTS_UNIT_ROWS_H
#define TESTS_UNIT_ROWS_H

#include "fixture.h"

enum { ROWS_COLUMNS = 512 };

static struct {
    struct csv_reader reader;
    int count;
    char name[ROWS_COLUMNS][64];
    char path[1200];
} rows;

static void close_rows(void)
{
    csv_close(&rows.reader);
    memset(&rows.reader, 0, sizeof rows.reader);
}

/* Goes on to the next row. Returns 0 after the last one. */
static int next_row(void)
{
    const int status = csv_next(&rows.reader);
    assert_in_range(status, 0, 1);
    return status;
}

/* Opens the table and reads its header. */
static void open_rows(const char *directory, const char *table)
{
    close_rows();
    snprintf(rows.path, sizeof rows.path, "%s/%s.csv", directory, table);
    assert_int_equal(csv_open(&rows.reader, rows.path), 0);
    assert_true(next_row());
    rows.count = rows.reader.count;
    assert_in_range(rows.count, 1, ROWS_COLUMNS);
    for (int i = 0; i < rows.count; i++)
        snprintf(rows.name[i], sizeof rows.name[i], "%s", rows.reader.cell[i]);
}

static const char *value(const char *column)
{
    for (int i = 0; i < rows.count; i++)
        if (!strcmp(rows.name[i], column)) return rows.reader.cell[i];
    fail_msg("%s has no column '%s'", rows.path, column);
    return NULL;
}

#endif
