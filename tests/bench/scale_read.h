/*
 * Reads the recorded run that scale_run.c scales, and finds the rows of its rungs. A struct
 * recorded owns its rows until free_recorded; a struct rung refers to them.
 */
#ifndef TESTS_BENCH_SCALE_READ_H
#define TESTS_BENCH_SCALE_READ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/stats.h"
#include "run/line_codes.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* The columns of a point but for the device, which older runs lack. */
enum { KEY_COLUMNS = 5 };

struct rows {
    int count, capacity, width;
    char ***row; /* cells; row 0 is the header */
};

/* The tables that are written; all but the series are recorded ones. */
enum scaled_table {
    FAMILIES,
    VARIANTS,
    CLAIMS,
    PUBLISHED,
    POINTS,
    LAUNCHES,
    ACCESSES,
    SERIES_TABLE,
    SAMPLES,
    COUNTERS,
    KERNELS,
    LINES_TABLE,
    TRACES,
    ACTIVITIES,
    TRACE_SAMPLES,
    TABLES
};

static const char *const table_names[TABLES] = {
    "families", "variants", "claims", "published",  "points",
    "launches", "accesses", "series", "samples",    "counters",
    "kernels",  "lines",    "traces", "activities", "trace_samples"};

struct recorded {
    const char *directory;
    struct rows table[TABLES];
};

/* Rows of lines.csv are read with their code. */
static int read_rows(const struct recorded *recorded, const char *name, struct rows *rows)
{
    struct csv_reader reader;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", recorded->directory, name);
    struct line_codes codes = {0};
    int more = csv_open(&reader, path), code_of = -1;
    if (more) return more;
    while (more >= 0 && (more = csv_next(&reader)) > 0) {
        if (rows->count == 0 && !strcmp(reader.cell[reader.count - 1], "code_of"))
            code_of = reader.count - 1;
        else if (code_of >= 0)
            more = line_codes_expand(&codes, &reader, code_of);
        if (rows->count == rows->capacity) {
            rows->capacity = rows->capacity ? 2 * rows->capacity : 64;
            rows->row = realloc(rows->row, (size_t)rows->capacity * sizeof *rows->row);
        }
        char **cells = rows->row[rows->count++] = calloc((size_t)reader.count + 1, sizeof *cells);
        rows->width = reader.count;
        for (int i = 0; i < reader.count; i++) cells[i] = strdup(reader.cell[i]);
    }
    csv_close(&reader);
    line_codes_free(&codes);
    return more;
}

static int read_recorded(struct recorded *recorded)
{
    int result = 0;
    for (int t = 0; t < TABLES && !result; t++)
        if (t != SERIES_TABLE) result = read_rows(recorded, table_names[t], &recorded->table[t]);
    return result;
}

static void free_recorded(struct recorded *recorded)
{
    for (int t = 0; t < TABLES; t++) {
        struct rows *rows = &recorded->table[t];
        for (int i = 0; i < rows->count; i++) {
            for (int k = 0; rows->row[i][k]; k++) free(rows->row[i][k]);
            free(rows->row[i]);
        }
        free(rows->row);
    }
}

/* The number of the column of this name; the width of the table if it has none. */
static int column_of(const struct rows *rows, const char *name)
{
    int at = 0;
    while (at < rows->width && strcmp(rows->row[0][at], name)) at++;
    return at;
}

/* The cell of a row in the column of this name; NULL if the table has none. */
static const char *cell_of(const struct rows *rows, char **row, const char *name)
{
    return row[column_of(rows, name)];
}

static int cell_is(const struct rows *rows, char **row, const char *name, const char *text)
{
    const char *cell = cell_of(rows, row, name);
    return cell && !strcmp(cell, text);
}

/* Returns 1 if the two rows begin with the same `count` cells, else 0. */
static int alike(char **a, char **b, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(a[i], b[i])) return 0;
    return 1;
}

/* Finds the rows that begin with these cells: the first, and the number of adjacent ones. */
static int find_rows(const struct rows *rows, char **key, int cells, int *count)
{
    int first = 1;
    while (first < rows->count && !alike(rows->row[first], key, cells)) first++;
    *count = 0;
    while (first + *count < rows->count && alike(rows->row[first + *count], key, cells)) (*count)++;
    return first;
}

/* ---- rungs ----------------------------------------------------------------------------------- */

/* A rung to be scaled, at the recorded point whose instructions are known: its rows in the recorded
 * tables, each with the first row and the number of rows. */
struct rung {
    char **variant, **kernel, **point, **launch;
    int line, lines, counter, counters, access, accesses, trace, samples, sample;
    double time_ns;
};

static double median_time(const struct recorded *recorded, char **key)
{
    const struct rows *samples = &recorded->table[SAMPLES];
    double time[4096];
    size_t count = 0;
    for (int i = 1; i < samples->count && count < 4096; i++) {
        char **row = samples->row[i];
        if (alike(row, key, KEY_COLUMNS) && cell_is(samples, row, "l2", "cold") &&
            cell_is(samples, row, "kind", "end_to_end") && cell_is(samples, row, "copy", "a"))
            time[count++] = strtod(cell_of(samples, row, "time_ns"), NULL);
    }
    stats_sort(time, count);
    return stats_quantile(time, count, 0.5);
}

/* The rung's trace with its samples over time. */
static void find_trace(const struct recorded *recorded, struct rung *rung)
{
    const struct rows *traces = &recorded->table[TRACES];
    rung->trace = 0;
    for (int i = 1; i < traces->count && !rung->trace; i++)
        if (alike(traces->row[i] + 1, rung->variant, 2) &&
            cell_is(traces, traces->row[i], "counter_set", "timeline"))
            rung->trace = i;
    if (rung->trace)
        rung->sample = find_rows(&recorded->table[TRACE_SAMPLES],
                                 recorded->table[TRACES].row[rung->trace], 1, &rung->samples);
}

/* Returns 1 if the recorded run has all the data that the variant needs, else 0. */
static int find_rung(const struct recorded *recorded, char **variant, struct rung *rung)
{
    const struct rows *kernels = &recorded->table[KERNELS], *counters = &recorded->table[COUNTERS];
    int found = 0, count;
    memset(rung, 0, sizeof *rung);
    for (int i = 1; i < kernels->count && !found; i++) {
        rung->kernel = kernels->row[i];
        found = alike(rung->kernel + 1, variant, 2) &&
                cell_is(kernels, rung->kernel, "launch", "0") &&
                cell_is(kernels, rung->kernel, "counts_status", "ok");
    }
    if (!found) return 0;
    char **key = rung->kernel + 1;
    rung->variant = variant;
    rung->point =
        recorded->table[POINTS].row[find_rows(&recorded->table[POINTS], key, KEY_COLUMNS, &count)];
    rung->launch = recorded->table[LAUNCHES]
                       .row[find_rows(&recorded->table[LAUNCHES], key, KEY_COLUMNS, &count)];
    rung->line = find_rows(&recorded->table[LINES_TABLE], rung->kernel, 1, &rung->lines);
    const int with_launch =
        column_of(kernels, "launch"); /* its place behind the key and `kernel` */
    rung->counter = find_rows(counters, key, with_launch, &rung->counters);
    while (rung->counters &&
           !cell_is(counters, counters->row[rung->counter + rung->counters - 1], "repeat", "0"))
        rung->counters--;
    rung->access = find_rows(&recorded->table[ACCESSES], key, with_launch, &rung->accesses);
    rung->time_ns = median_time(recorded, key);
    find_trace(recorded, rung);
    return rung->lines > 0 && rung->counters > 0 && rung->time_ns > 0;
}

#endif
