/*
 * Reads a table of a run row by row, with cells by the names of their columns. struct rows owns its
 * reader's memory until csv_close(&rows.reader).
 */
#ifndef TESTS_UNIT_ROWS_H
#define TESTS_UNIT_ROWS_H

#include "fixture.h"

enum { ROWS_COLUMNS = 512 };

struct rows {
    struct csv_reader reader;
    int count;
    char name[ROWS_COLUMNS][64];
    char path[1200];
};

/* Opens the table and reads its header; csv_next(&rows.reader) reads the next row. */
static void rows_of(struct rows *rows, const char *directory, const char *table)
{
    snprintf(rows->path, sizeof rows->path, "%s/%s.csv", directory, table);
    assert_int_equal(csv_open(&rows->reader, rows->path), 0);
    assert_int_equal(csv_next(&rows->reader), 1);
    rows->count = rows->reader.count;
    assert_in_range(rows->count, 1, ROWS_COLUMNS);
    for (int i = 0; i < rows->count; i++)
        snprintf(rows->name[i], sizeof rows->name[i], "%s", rows->reader.cell[i]);
}

static const char *value(const struct rows *rows, const char *column)
{
    for (int i = 0; i < rows->count; i++)
        if (!strcmp(rows->name[i], column)) return rows->reader.cell[i];
    fail_msg("%s has no column '%s'", rows->path, column);
    return NULL;
}

#endif
