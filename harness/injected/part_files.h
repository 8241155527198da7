/*
 * Writes the files that this process leaves for whyfast. Every write opens the file by its full
 * path and closes it again, because the watched program may close our descriptors, change its
 * directory or its limits. Rows wait in memory until part_flush; rows that cannot be written then
 * are dropped, and the reason is left in the file UNWRITTEN_FILE (watch_plan.h). Nothing here is
 * thread-safe: the caller holds the lock of watch.h.
 */
#ifndef WHYFAST_INJECT_PART_FILES_H
#define WHYFAST_INJECT_PART_FILES_H

#include "base/csv.h"
#include "injected/watch_plan.h"

enum part_file {
    PART_PROCESS, /* process.txt; the others are .csv */
    PART_KERNELS,
    PART_LAUNCHES,
    PART_SAMPLES,
    PART_TOTALS,
    PART_COUNTERS,
    PART_COUNTS,
    PART_KNOCKOUTS,
    PART_PROBLEMS,
    PART_FILE_COUNT
};

/* Makes the directory of this process below `watch_directory`, whose name is a number: the first
 * free one of `numbers`, else the first free one from `next` on. Returns it, or -1 if the directory
 * cannot be made. */
int part_open(const char *watch_directory, const int *numbers, int count, int next);

/* Returns the writer of a table; its header has been written. NULL if memory is short. */
struct csv_writer *part_row(enum part_file file);

/* Ends a row. The file is written once many rows wait. */
void part_row_end(struct csv_writer *writer);

/* Adds a line "key: value" to process.txt at once. */
void part_fact(const char *key, const char *value);

/* Adds a row to problems.csv at once: what failed, for which kernel of the plan (or -1), and why.
 * The same problem is written once. */
void part_problem(const char *what, int kernel, const char *reason);

/* Writes the machine code of a module to cubins/<crc>.cubin. */
void part_cubin(uint64_t crc, const void *cubin, size_t bytes);

/* Replaces a file atomically. Returns 1, or 0 with errno set: the file is as before then. */
int part_replace(const char *path, const void *bytes, size_t count);

/* Locks the file `name` in the directory of the start, which all processes of the program share, by
 * flock(2). Returns its descriptor, or -1 with errno set. */
int part_lock(const char *name, int operation);

/* Writes all rows that wait. */
void part_flush(void);

/* Escapes tabs, line feeds, backslashes and other control characters, as plan.txt and the tables
 * have them. The caller frees the result; NULL if memory is short. */
char *part_escaped(const char *text);

#endif
