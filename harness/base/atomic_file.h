/*
 * Files that appear whole or not at all: written beside their place under a temporary name that no
 * file has, renamed when complete. Where the place is a symbolic link the file that it leads to is
 * meant. Where the user names a pipe or a device (atomic_file_open), that is written as it is: it
 * cannot be replaced. A struct atomic_file owns its FILE and its names until atomic_file_commit or
 * atomic_file_abandon, one of which must be called.
 */
#ifndef WHYFAST_ATOMIC_FILE_H
#define WHYFAST_ATOMIC_FILE_H

#include <stdio.h>

struct atomic_file {
    FILE *file;
    char *path;      /* where links led */
    char *temporary; /* NULL where the path itself is written */
    int unsynced;    /* its caller makes it safe, by directory_sync */
};

/* Opens `directory`/`name` for writing. FAIL_OUTPUT when that is not possible, or when a link
 * there leads out of the directory or something stands there that is no plain file; then nothing
 * is owned. */
int atomic_file_begin(struct atomic_file *output, const char *directory, const char *name);

/* The same for the file at `path`. */
int atomic_file_open(struct atomic_file *output, const char *path);

/* Flushes, syncs, closes and renames: what has its name is on the disk, unless it is `unsynced`.
 * FAIL_OUTPUT when anything was lost on the way; the file that was there before is then
 * untouched. */
int atomic_file_commit(struct atomic_file *output);

/* Drops what was written. */
void atomic_file_abandon(struct atomic_file *output);

/* atomic_file_commit when `result` is 0, else atomic_file_abandon; returns the first failure. */
int atomic_file_end(struct atomic_file *output, int result);

/* What base/atomic_file.c itself is made of, for base/atomic_files.c: flushes, syncs and closes,
 * and the temporary file stays; gives what is finished its name, also where that is a directory,
 * which goes first; frees the names. */
int atomic_file_finish(struct atomic_file *output);
int atomic_file_publish(const struct atomic_file *output);
void atomic_file_forget(struct atomic_file *output);

/* Whether a file of this name was being written for another when its program was killed: the
 * length of that other name, else 0. */
size_t atomic_file_temporary_of(const char *name);

/* Makes a file for a while, in TMPDIR or /tmp: its descriptor, and its path, which the caller
 * unlinks and frees. -1 with errno where it cannot be made; then there is no path. */
int temporary_file(char **path);

/* One without a name, which nobody else can open; -1 where there is none. */
int nameless_file(void);

/* Makes a directory and its parents; 0 when it is there already. */
int directory_make(const char *path);

/* Makes safe what is there: every file and directory below `path`, and that one, is on the disk,
 * under its name. */
int directory_sync(const char *path);

/* The same of the directory that holds `path`, and of nothing else in it: `path` has this name
 * for good. */
int directory_sync_above(const char *path);

/* Removes a directory of plain files and such directories. Silent where nothing is there. */
int directory_remove(const char *path);

/* Copies a file, unsynced. FAIL_INPUT or FAIL_OUTPUT. */
int file_copy(const char *from, const char *directory, const char *name);

#endif
