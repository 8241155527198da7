/*
 * Builds a run in <path>.part, then swaps it into place at <path> (run/run_publish.h), so that an
 * earlier run stays intact until the new one is complete. A run is a directory of plain files:
 * run.txt (facts and provenance, run/run_journal.h), one CSV file per table, and while it is being
 * made a journal of finished units of work (run/run_journal.h). If the program is killed,
 * <path>.part contains all finished units, and --resume continues from there.
 *
 * A unit is the smallest piece of work that is kept: the samples of all points of one family and
 * size, which are taken in turns in random order, or their counters, which are replayed together.
 *
 * A run that contains a symbolic link, a pipe or a device is refused before any of its files is
 * opened, so that no file outside the run is read or written.
 *
 * A writer of a run locks its directory until run_close. A struct run owns everything it points to
 * until run_close.
 */
#ifndef WHYFAST_RUN_H
#define WHYFAST_RUN_H

#include "base/csv.h"
#include "run/run_journal.h"
#include "run/tables.h"

struct run {
    char *path;      /* where the run is or will be */
    char *directory; /* where its files are now: path, or path.part while it is being made */
    struct facts facts;
    struct csv_writer writer[TABLE_COUNT];
    struct journal journal; /* of a run that is being made */
    int locked, lock;       /* descriptor of the locked directory */
    char *source;           /* the run from which raw tables were copied, or NULL */
    unsigned copied;        /* which: the bits 1 << id */
    int is_piece;   /* 1: an interrupted run, of which table_rows_open reads what is finished */
    int impossible; /* impossible values that this process found (evaluate/metric_checks.h) */
};

/* Begins a run at `path`; if `resume` is set, continues the interrupted run in <path>.part. Returns
 * FAIL_OUTPUT if the path cannot be written, contains something other than a run, contains an
 * interrupted run although `resume` is not set, or has another writer; FAIL_INPUT if there is no
 * interrupted run to resume or if it is damaged. */
int run_begin(struct run *run, const char *path, int resume);

/* Begins a run at `output`. NULL: in the place of the finished run `from`, and where a symbolic
 * link to that leads. */
int run_begin_result(struct run *run, const char *output, const struct run *from, int resume);

/* Says what a run that failed leaves in <path>.part, and how it is continued. Returns `result`. */
int run_leave(struct run *run, int result);

/* Turns wrong results and impossible values, which were reported where they were found, into
 * FAIL_CHECK. */
int run_checked(const struct run *run, int result);

/* Returns the directory that holds a table, for messages: that from which it was copied, because
 * the copy vanishes if the run is not finished. */
const char *run_source(const struct run *run, enum table_id id);

/* Records a condition under which the run is made. Returns FAIL_USAGE if the interrupted run was
 * made under a different one. */
int run_same(struct run *run, const char *what, const char *value);

/* Copies the facts of a finished run, except its status, into one that was begun. */
int run_copy_facts(struct run *to, const struct run *from);

/* Copies the facts and raw tables of a finished run into one that was begun, except the tables
 * whose bit (1 << id) is set in `except`. */
int run_copy_raw(struct run *to, const struct run *from, unsigned except);

/* Copies what was computed from these tables, but no list of charts. */
int run_copy_computed(struct run *to, const struct run *from);

/* Opens a finished run for reading. Returns FAIL_INPUT, with a message that names the nearest one,
 * if there is no such run, and for a merged run (run/merged_run.h), whose devices are opened one by
 * one. */
int run_open(struct run *run, const char *path);

/* Opens a finished run that may be a merged one. */
int run_open_any(struct run *run, const char *path);

/* Opens an interrupted run, RUN.part, for reading the rows of its finished units. Returns
 * FAIL_INPUT if it has none, and FAIL_OUTPUT if a program is still writing it. */
int run_open_piece(struct run *run, const char *path);

int run_is_piece(const char *path);

/* Locks an opened run for writing and removes temporary files of a killed program. Returns
 * FAIL_OUTPUT if it has another writer. */
int run_lock(struct run *run);

/* Sets a fact of run.txt. Keys are bare identifiers; line feeds in values become spaces. */
int run_fact_set(struct run *run, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *run_fact(const struct run *run, const char *key);

/* Returns the writer of a raw table, which is opened for appending below its header, or NULL after
 * a failure, with a message. */
struct csv_writer *run_writer(struct run *run, enum table_id table);

/* Returns 1 if this unit is finished, by this program or by the interrupted one. */
int run_unit_done(const struct run *run, const char *unit);

/* Sync the rows and facts of a unit and add it to the journal. run_unit_ready is for a unit that is
 * quick to repeat and not worth keeping. */
int run_unit_finish(struct run *run, const char *unit);
int run_unit_ready(struct run *run, const char *unit);

/* Returns 1 if a unit that is worth keeping is finished and the run is not in place. */
int run_is_worth_keeping(const struct run *run);

/* Writes run.txt, also for an incomplete run. */
int run_write_facts(struct run *run);

/* Completes the run and swaps it into place; the user's files in an earlier run are kept. Returns
 * FAIL_OUTPUT also if the run is in place but the earlier one cannot be removed. */
int run_commit(struct run *run);

/* Removes an uncommitted run. The caller must still call run_close. */
void run_abandon(struct run *run);

/* Closes. An uncommitted run stays in <path>.part and can be resumed. */
void run_close(struct run *run);

struct path table_path(const char *directory, enum table_id id);

int run_is_at(const char *path);

#endif
