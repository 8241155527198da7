/*
 * Lists the tables of a run with their files and columns. Nothing is owned.
 */
#ifndef WHYFAST_TABLES_H
#define WHYFAST_TABLES_H

enum column_kind {
    COLUMN_TEXT,   /* any text, or empty */
    COLUMN_NUMBER, /* a number, or empty if it is absent */
    COLUMN_KEY,    /* text, never empty */
    COLUMN_NAME,   /* at most 64 letters, digits, '_', '.' and '-', the first a letter or digit */
    COLUMN_MAYBE,  /* a COLUMN_NAME, or empty */
    COLUMN_COUNT   /* a whole number >= 0, never empty */
};

struct column {
    const char *name;
    enum column_kind kind;
    int later; /* 1: earlier runs lack the column, which is NULL in their rows */
};

struct table {
    const char *name;             /* of the SQL table; the file is <name>.csv */
    const struct column *columns; /* up to an empty name */
    int later;                    /* 1: earlier runs lack the file, which counts as empty */
};

enum table_id {
    TABLE_FAMILIES,      /* the problems of the run */
    TABLE_VARIANTS,      /* the rungs, and the hash of their machine code */
    TABLE_CLAIMS,        /* claims of the sources, and the expressions that check them */
    TABLE_PUBLISHED,     /* figures that the sources publish */
    TABLE_POINTS,        /* every requested point: verified, failed or skipped */
    TABLE_LAUNCHES,      /* kernels of each point: grid, resources, occupancy */
    TABLE_ACCESSES,      /* accesses to shared memory that a variant describes */
    TABLE_SERIES,        /* series of samples: how many, why each ended */
    TABLE_SAMPLES,       /* clean samples */
    TABLE_COUNTERS,      /* every counter of every launch, one value a row */
    TABLE_SOURCES,       /* source files of the lines, with hashes */
    TABLE_SOURCE_FILES,  /* text of those files */
    TABLE_KERNELS,       /* kernels whose instructions were counted or sampled */
    TABLE_LINES,         /* instructions of those kernels */
    TABLE_CEILINGS,      /* measured limits of the device */
    TABLE_STAGES,        /* stages of work; ns since the run began */
    TABLE_TRACES,        /* runs of a point for the timeline; ns since the run began */
    TABLE_ACTIVITIES,    /* kernels of a trace; ns since the trace began */
    TABLE_TRACE_SAMPLES, /* counters over time; ns since the trace began */
    TABLE_RAW_COUNT,     /* raw tables up to here are written with a GPU; the others are computed */
    TABLE_METRICS = TABLE_RAW_COUNT, /* every metric of each point */
    TABLE_NOISE,                     /* how far each metric moved between repeats */
    TABLE_KERNEL_COUNTERS,           /* counters of the launches of TABLE_KERNELS */
    TABLE_IMPOSSIBLE,                /* values that cannot be and were left empty */
    TABLE_STEPS,                     /* speed-up of each step, with its interval */
    TABLE_VERDICTS,                  /* every claim: confirmed, refuted or not measurable */
    TABLE_PUBLISHED_STEPS,           /* published speed-ups and measured ones */
    TABLE_FINDINGS,                  /* metrics that moved in each step, and rules */
    TABLE_LEDGER,                    /* cycles of a scheduler, term by term */
    TABLE_LEVELS,                    /* the same by cause */
    TABLE_CAUSES,                    /* change of time of each step, by cause */
    TABLE_HEADLINES,                 /* one sentence for each step */
    TABLE_ABLATION,                  /* worth of each factor of a family */
    TABLE_DEMANDS,                   /* time that each resource alone would need */
    TABLE_PREDICTIONS,               /* predicted and achieved speed-ups */
    TABLE_DECLARED,                  /* declared counts and measured ones */
    TABLE_PHASES,                    /* ramp, steady part and tail of each sampled trace */
    TABLE_CHARTS,                    /* the pictures under charts/ */
    TABLE_COUNT
};

/* metrics and noise have one more column per metric record, kernel_counters one per counter. */
extern const struct table tables[TABLE_COUNT];

/* Returns the number of columns of a table. */
int table_width(const struct table *table);

#endif
