/*
 * Lists the tables of a run with their files and columns. Nothing is owned.
 */
#ifndef WHYFAST_TABLES_H
#define WHYFAST_TABLES_H

#include "base/csv.h"

enum column_kind {
    COLUMN_TEXT,   /* any text, or empty */
    COLUMN_NUMBER, /* a number, or empty if it is absent */
    COLUMN_KEY,    /* text, never empty */
    COLUMN_NAME,   /* at most 64 letters, digits, '_', '.' and '-', the first a letter or digit */
    COLUMN_MAYBE,  /* a COLUMN_NAME, or empty */
    COLUMN_COUNT,  /* a whole number >= 0, never empty */
    COLUMN_SIGN    /* 1, 0 or -1, or empty if it is not known */
};

struct column {
    const char *name;
    enum column_kind kind;
    int later; /* 1: a run may lack the column: in its rows a count is 0, another one NULL */
};

struct table {
    const char *name;             /* of the SQL table; the file is <name>.csv */
    const struct column *columns; /* up to an empty name */
    int later;                    /* 1: a run may lack the file, which counts as empty */
};

/* metrics/method.md describes the tables. Raw tables are written with a GPU; the others are
 * computed from them. */
#define RAW_TABLES                                                                                 \
    TABLE_FAMILIES, TABLE_VARIANTS, TABLE_CLAIMS, TABLE_PUBLISHED, TABLE_POINTS, TABLE_LAUNCHES,   \
        TABLE_ACCESSES, TABLE_SERIES, TABLE_SAMPLES, TABLE_COUNTERS, TABLE_SOURCES,                \
        TABLE_SOURCE_FILES, TABLE_KERNELS, TABLE_LINES, TABLE_CEILINGS, TABLE_POWER, TABLE_STAGES, \
        TABLE_TRACES, TABLE_ACTIVITIES, TABLE_TRACE_SAMPLES, TABLE_KNOCKOUTS
#define COMPUTED_TABLES                                                                            \
    TABLE_METRICS = TABLE_RAW_COUNT, TABLE_NOISE, TABLE_KERNEL_COUNTERS, TABLE_IMPOSSIBLE,         \
    TABLE_EVALUATION, TABLE_STEPS, TABLE_VERDICTS, TABLE_PUBLISHED_STEPS, TABLE_MOVED,             \
    TABLE_LEDGER, TABLE_LEVELS, TABLE_SIDES, TABLE_CAUSE_LINES, TABLE_CAUSES, TABLE_REMAINS,       \
    TABLE_CONFLICTS, TABLE_CONFLICT_LINES, TABLE_SAID, TABLE_EXPERIMENTS, TABLE_ABLATION,          \
    TABLE_DEMANDS, TABLE_SHAPE_MAP, TABLE_CHARTS, TABLE_DEVICES, TABLE_BOARDS
enum table_id { RAW_TABLES, TABLE_RAW_COUNT, COMPUTED_TABLES, TABLE_COUNT };

/* metrics and noise have one more column per metric record, kernel_counters one per counter. */
extern const struct table tables[TABLE_COUNT];

/* Writes the names of the known columns as the header of the table's file. */
void table_header(struct csv_writer *writer, enum table_id id);

#endif
