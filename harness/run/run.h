/*
 * The run directory: run.txt (facts and provenance), one CSV file per table, and while it is being
 * made a journal of finished units of work (run/run_journal.h).
 *
 * A run is made in <path>.part and takes its place at <path> only when complete, so that whatever
 * stood there before stays intact until then (run/run_publish.h). A program that is killed leaves
 * <path>.part complete up to the last finished unit, and --resume goes on from there. A unit is
 * what is worth nothing by half: the points of one family and size, whose samples are taken in
 * turns, in random order, so that a variant is finished when all of them are; or their counters,
 * which are replayed in one go.
 *
 * Its files are plain files: a run with a link, a pipe or a device in it is refused before any of
 * them is opened, so that what is read is the run's and what is written lies in it
 * (base/atomic_file.h has the rest).
 *
 * Who writes a run, into <path>.part or into one that is finished, locks its directory until
 * run_close. A struct run owns everything it points to until run_close.
 */
#ifndef WHYFAST_RUN_H
#define WHYFAST_RUN_H

#include <sys/types.h>

#include "base/csv.h"
#include "run/run_journal.h"
#include "run/tables.h"

struct fact {
    char *key;
    char *value;
};

struct run {
    char *path;      /* where the run is or will be */
    char *directory; /* where its files are now: path, or path.part while it is being made */
    int fact_count;
    struct fact *facts;
    struct csv_writer writer[TABLE_COUNT];
    struct journal journal; /* of a run that is being made */
    int locked, lock;       /* the descriptor that holds the lock */
    ino_t inode;            /* of the directory of a run that was opened */
    int impossible;         /* values that cannot be, by the stages of this process
                               (evaluate/metric_checks.h) */
};

/* Begins a run at `path`. With `resume` it goes on with what an interrupted run left in
 * <path>.part. FAIL_OUTPUT when the place cannot be written, holds something that is no run, or
 * an interrupted run that was not to be resumed, or when another program writes there;
 * FAIL_INPUT when there is nothing to resume or it is damaged. */
int run_begin(struct run *run, const char *path, int resume);

/* What a run is begun with must be so when it is resumed: notes `what` and its value, or
 * FAIL_USAGE when that was another. */
int run_same(struct run *run, const char *what, const char *value);

/* Copies the facts of a finished run and its raw tables, but for those whose bit (1 << id) is
 * set in `except`, into a run that was begun; they are safe on the disk once its directory is
 * synced, as run_commit does. FAIL_INPUT also when another run takes its place meanwhile. */
int run_copy_raw(struct run *to, const struct run *from, unsigned except);

/* Opens a finished run to read it. FAIL_INPUT with what was expected when it is none. What a
 * program that was killed had begun to replace in it is finished first. */
int run_open(struct run *run, const char *path);

/* For who writes files into a run that was opened: FAIL_OUTPUT while somebody else does. Removes
 * what a killed program left there. */
int run_lock(struct run *run);

/* Facts of run.txt. Keys are bare identifiers; line feeds in values become spaces. run_fact
 * returns NULL when there is no such fact. */
int run_fact_set(struct run *run, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *run_fact(const struct run *run, const char *key);

/* Writer of a raw table, opened for appending, its header written. NULL after a failure, which
 * was said. */
struct csv_writer *run_writer(struct run *run, enum table_id table);

/* Was this unit of work finished, now or by the interrupted run that is being resumed? */
int run_unit_done(const struct run *run, const char *unit);

/* The rows of this unit are written: makes them and the facts safe and notes the unit in the
 * journal. run_unit_ready is for a unit that any run does anew in no time: nobody minds when it
 * is lost. */
int run_unit_finish(struct run *run, const char *unit);
int run_unit_ready(struct run *run, const char *unit);

/* Whether any other unit is finished of a run that does not have its place. */
int run_is_worth_keeping(const struct run *run);

/* Writes run.txt as it stands (also before the run is complete, so that provenance survives a
 * crash). */
int run_write_facts(struct run *run);

/* The run is complete: its directory takes its place. Files that somebody else has put into the
 * run that was there go with it. FAIL_OUTPUT also when it has its place and what was there
 * cannot be removed. */
int run_commit(struct run *run);

/* Removes what was made of a run that was begun and does not have its place. run_close is still
 * due. */
void run_abandon(struct run *run);

/* Closes. A run that was begun and not committed stays in <path>.part and can be resumed. */
void run_close(struct run *run);

/* Path of one of the run's files, which the caller frees; NULL when out of memory. */
char *run_file(const struct run *run, const char *name);

#endif
