/*
 * Writes the tables of a run about a program: its kernels as variants and points, their times and
 * counters. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_TABLES_H
#define WHYFAST_PROGRAM_TABLES_H

#include "collect/chip_counters.h"
#include "gpu/device.h"
#include "watched_program/program_names.h"

/* Series of a program's kernels: `kind` of series.csv. */
#define SERIES_KIND "activity"
#define SERIES_KIND_ALONE "activity_alone" /* the kernels of the program ran one at a time */

/* All that is known about a program once it was started as often as needed. */
struct program_record {
    const struct program_parts *first, *second; /* second: NULL if it was started once */
    const struct program_parts *alone;          /* of two starts with kernels one at a time, or
                                                   NULL */
    const struct program_parts *counters;       /* of the starts with counters */
    int counter_starts;
    unsigned replayed; /* chosen kernels whose counters are those of a replayed launch, as bits */
    const struct replay_counters *replay; /* which counters that launch had in which passes */
    const struct program_parts *counts;   /* of the starts with instructions */
    const int *counted;                   /* the chosen kernel of each of them */
    int count_starts;
    const struct counter_set *planned;
    const char *no_counters; /* why there are none, or NULL */
    const char *few_passes;  /* why passes may be missing */
    const char *few_counts;  /* why kernels may have no counts of instructions */
    const struct program_choice *choice;
    const struct program_filter *filter;
    const struct program_names *names;
    const char *problem; /* a sentence on the program, for families.csv */
};

int program_tables_write(struct run *run, const struct program_record *record,
                         const struct device *device);

#endif
