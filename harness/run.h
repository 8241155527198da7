/*
 * The run directory: run.txt (facts and provenance), one CSV file per table, and while it is being made a journal of finished units of work.
 *
 * A run is made in <path>.part and takes its place at <path> only when complete, so that whatever stood there before stays intact until
 * then. A struct run owns everything it points to until run_close.
 */
#ifndef WHYFAST_RUN_H
#define WHYFAST_RUN_H

#include <stdio.h>

#include "csv.h"
#include "tables.h"

struct fact {
    char *key;
    char *value;
};

struct run {
    char *path;                   /* where the run is or will be */
    char *directory;              /* where its files are now: path, or path.part while it is being made */
    int fact_count;
    struct fact *facts;
    struct csv_writer writer[TABLE_COUNT];
    FILE *journal;
    int impossible;               /* values that cannot be, by the stages of this process (impossible.h) */
    char *finished;               /* the journal of an earlier, interrupted run, one unit a line; or NULL */
};

/* Begins a run at `path`. With `resume` it goes on with what an interrupted run left in <path>.part. FAIL_OUTPUT when the place cannot be
 * written or holds something that is no run; FAIL_INPUT when there is nothing to resume or it is damaged. */
int run_begin(struct run *run, const char *path, int resume);

/* Copies the facts of a finished run and its raw tables, but for those whose bit (1 << id) is set in `except`, into a run that was begun. */
int run_copy_raw(struct run *to, const struct run *from, unsigned except);

/* Copies the files of `from` that the program did not write, when `to` will take its place; a directory among them is FAIL_OUTPUT. */
int run_carry_over(struct run *to, const struct run *from);

/* Opens a finished run to read it. FAIL_INPUT with what was expected when it is none. */
int run_open(struct run *run, const char *path);

/* Facts of run.txt. Keys are bare identifiers; line feeds in values become spaces. run_fact returns NULL when there is no such fact. */
int run_fact_set(struct run *run, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *run_fact(const struct run *run, const char *key);

/* Writer of a raw table, opened for appending, its header written. NULL after a failure, which was said. */
struct csv_writer *run_writer(struct run *run, enum table_id table);

/* Was this unit of work finished by the interrupted run that is being resumed? */
int run_unit_done(const struct run *run, const char *unit);

/* The rows of this unit are written: makes them safe and notes the unit in the journal. */
int run_unit_finish(struct run *run, const char *unit);

/* Writes run.txt as it stands (also before the run is complete, so that provenance survives a crash). */
int run_write_facts(struct run *run);

/* The run is complete: its directory takes its place. */
int run_commit(struct run *run);

/* Closes. A run that was begun and not committed stays in <path>.part and can be resumed. */
void run_close(struct run *run);

/* Path of one of the run's files, which the caller frees; NULL when out of memory. */
char *run_file(const struct run *run, const char *name);

#endif
