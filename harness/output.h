/*
 * Files that appear whole or not at all: written beside their place under a temporary name that no file has, renamed when complete. Where the place is a symbolic
 * link the file that it leads to is meant. Where the user names a pipe or a device (output_open), that is written as it is: it cannot be replaced.
 * A struct output owns its FILE and its names until output_commit or output_abandon, one of which must be called.
 */
#ifndef WHYFAST_OUTPUT_H
#define WHYFAST_OUTPUT_H

#include <stdio.h>

struct output {
    FILE *file;
    char *path;              /* where links led */
    char *temporary;         /* NULL where the path itself is written */
};

/* Opens `directory`/`name` for writing. FAIL_OUTPUT when that is not possible, or when a link there leads out of the directory or something stands there that
 * is no plain file; then nothing is owned. */
int output_begin(struct output *output, const char *directory, const char *name);

/* The same for the file at `path`. */
int output_open(struct output *output, const char *path);

/* Flushes, closes and renames. FAIL_OUTPUT when anything was lost on the way; the file that was there before is then untouched. */
int output_commit(struct output *output);

/* Drops what was written. */
void output_abandon(struct output *output);

/* output_commit when `result` is 0, else output_abandon; returns the first failure. */
int output_end(struct output *output, int result);

/* Files that appear together or not at all. A zeroed group is empty; it owns its outputs until commit or abandon. */
enum { GROUP_SIZE = 20 };

struct output_group {
    struct output output[GROUP_SIZE];
    int count;
};

/* Opens one more file of the group; its FILE in *file. */
int output_group_begin(struct output_group *group, const char *directory, const char *name, FILE **file);

/* When `result` is 0: first makes sure that every file is whole, then renames them all. Else drops them. Returns the first failure. */
int output_group_end(struct output_group *group, int result);

/* Makes a file for a while, in TMPDIR or /tmp: its descriptor, and its path, which the caller unlinks and frees. -1 with errno where it cannot be made;
 * then there is no path. */
int temporary_file(char **path);

/* Makes a directory and its parents; 0 when it is there already. */
int directory_make(const char *path);

/* Removes a directory of plain files and such directories. Silent where nothing is there. */
int directory_remove(const char *path);

/* Copies a file. FAIL_INPUT or FAIL_OUTPUT. */
int file_copy(const char *from, const char *directory, const char *name);

#endif
