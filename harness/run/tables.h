/*
 * The tables of a run: their files and columns, in one list. Static constant data; nothing is
 * owned.
 */
#ifndef WHYFAST_TABLES_H
#define WHYFAST_TABLES_H

enum column_kind {
    COLUMN_TEXT,   /* any text; may be empty unless required */
    COLUMN_NUMBER, /* a number, or empty where it is absent */
    COLUMN_KEY,    /* text that must not be empty */
    COLUMN_NAME, /* a key that names files, anchors and words of a command line: at most 64 letters,
                    digits, '_', '.' and '-', the first a letter or digit */
    COLUMN_MAYBE, /* such a name, or empty */
    COLUMN_COUNT  /* a whole number >= 0, never empty */
};

struct column {
    const char *name;
    enum column_kind kind;
    int later; /* 1: runs that were made before there was this column lack it, and it is absent
                  (NULL) in all their rows */
};

struct table {
    const char *name;             /* of the SQL table; the file is <name>.csv */
    const char *means;            /* one sentence */
    const struct column *columns; /* closed by an empty name */
    int later;                    /* recorded runs from before it lack its file: it has no rows */
};

enum table_id {
    TABLE_FAMILIES,
    TABLE_VARIANTS,
    TABLE_CLAIMS,
    TABLE_PUBLISHED,
    TABLE_POINTS,
    TABLE_LAUNCHES,
    TABLE_ACCESSES,
    TABLE_SERIES,
    TABLE_SAMPLES,
    TABLE_COUNTERS,
    TABLE_SOURCES,
    TABLE_SOURCE_FILES,
    TABLE_KERNELS,
    TABLE_LINES,
    TABLE_CEILINGS,
    TABLE_STAGES,
    TABLE_TRACES,
    TABLE_ACTIVITIES,
    TABLE_TRACE_SAMPLES,
    TABLE_RAW_COUNT, /* the tables up to here are written by the stages with a GPU; the rest is
                        computed from them */
    TABLE_METRICS = TABLE_RAW_COUNT,
    TABLE_NOISE,
    TABLE_KERNEL_COUNTERS,
    TABLE_IMPOSSIBLE,
    TABLE_STEPS,
    TABLE_VERDICTS,
    TABLE_PUBLISHED_STEPS,
    TABLE_FINDINGS,
    TABLE_LEDGER,
    TABLE_LEVELS,
    TABLE_CAUSES,
    TABLE_HEADLINES,
    TABLE_ABLATION,
    TABLE_DEMANDS,
    TABLE_PREDICTIONS,
    TABLE_DECLARED,
    TABLE_PHASES,
    TABLE_CHARTS,
    TABLE_COUNT
};

/* metrics and noise have one column per metric record besides those listed here, kernel_counters
 * one per counter. */
extern const struct table tables[TABLE_COUNT];

/* Columns of a table. */
int table_width(const struct table *table);

#endif
