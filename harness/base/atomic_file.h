/*
 * Writes files atomically: each is written to a temporary file beside its path, synced and renamed.
 * A struct atomic_file owns its FILE and its names until atomic_file_end;
 * a struct atomic_files owns its files until atomic_files_end.
 *
 * If the path is a symbolic link, the file that it leads to is replaced. A pipe or a device
 * is written directly, because it cannot be replaced.
 */
#ifndef WHYFAST_ATOMIC_FILE_H
#define WHYFAST_ATOMIC_FILE_H

#include <stdio.h>

#include "base/text.h"

struct atomic_file {
    FILE *file;
    char *path;      /* after following links */
    char *temporary; /* NULL if the path itself is written */
};

/* Opens the file at `path` for writing. Returns FAIL_OUTPUT, and nothing is owned, on failure. */
int atomic_file_open(struct atomic_file *output, const char *path);

/* Opens `directory`/`name` in the same way. */
int atomic_file_begin(struct atomic_file *output, const char *directory, const char *name);

/* Writes a text to `directory`/`name`. Returns FAIL_OUTPUT also if the text has failed. */
int atomic_file_write(const char *directory, const char *name, const struct text *text);

/* Syncs, closes and renames the file if `result` is 0, else removes the temporary one. Returns
 * `result`, or FAIL_OUTPUT if a write failed; the earlier file is untouched then. */
int atomic_file_end(struct atomic_file *output, int result);

/* Files of one stage: no file is renamed before all of them are complete. A zeroed list is empty.
 */
struct atomic_files {
    struct atomic_file output[100];
    int count;
};

/* Opens one more file and returns its FILE in *file. */
int atomic_files_begin(struct atomic_files *files, const char *directory, const char *name,
                       FILE **file);

/* Ends all files in the same way. */
int atomic_files_end(struct atomic_files *files, int result);

/* Flushes stdout. Returns FAIL_OUTPUT, with a message, if a write to it has failed. */
int stdout_end(void);

/* If `name` is that of a temporary file, returns the length of the final file's name, else 0. */
size_t atomic_file_temporary_of(const char *name);

/* Creates a file without a name in TMPDIR or /tmp. Returns its descriptor, or -1 with errno. */
int nameless_file(void);

/* Creates a directory in TMPDIR or /tmp. Returns its absolute path, which the caller frees; NULL,
 * with a message, on failure. */
char *temporary_directory(void);

/* Creates a directory and its parents. Returns 0 if the directory exists already. */
int directory_make(const char *path);

/* Syncs every file and directory below `path`, and `path` itself. */
int directory_sync(const char *path);

/* Syncs the directory that contains `path`, so that a rename to `path` survives a crash. */
int directory_sync_above(const char *path);

/* Removes a file, or a directory with its contents. Returns 0 also if nothing is there. */
int directory_remove(const char *path);

/* Calls `visit` for each name in a directory until it returns a failure. Returns the first
 * failure. */
int directory_visit(const char *path, int (*visit)(void *context, const char *name), void *context);

/* Returns the path, which the caller frees, of the entry beside `path` whose name is nearest to its
 * name, or NULL. Unless `inside` is "", only directories count that have a file of this name. */
char *file_nearest(const char *path, const char *inside);

/* Returns FAIL_INPUT and says that `word` is none of the `kinds`, such as "file or folder", and
 * what lies near `path`. */
int file_missing(const char *kinds, const char *word, const char *path);

/* Returns 1 if there is a file, a directory or a link at `path`. */
int file_exists(const char *path);
int directory_exists(const char *path);

/* Copies a file. Returns FAIL_INPUT or FAIL_OUTPUT on failure. */
int file_copy(const char *from, const char *directory, const char *name);

/* Returns the directory that holds metrics/, plots/, reports/ and kernels/: the one that
 * WHYFAST_DATA names, the source tree of this program, or its installation. The caller frees it.
 * Returns NULL, with a message, if there is none. */
char *data_directory(void);

/* Does the same without a message. */
char *data_find(void);

/* Returns the path of a file that belongs to the program, beside it, in ../lib/whyfast, or
 * for a program there in ../../bin; or NULL. The caller frees it. */
char *program_file(const char *name);

/* Returns a directory for files derived from the data, such as "recorded" for unpacked runs, which
 * it makes: in build/ of the source tree that this program was built in, else in
 * $XDG_CACHE_HOME/whyfast or ~/.cache/whyfast. The caller frees it. Returns NULL, with a message,
 * if there is none. It may be one that can only be read, with all that is needed. */
char *data_cache(const char *part);

/* To be called before something is made in it. Returns FAIL_OUTPUT, with a message that names the
 * variables to set, if nothing can be. */
int data_cache_check(const char *path);

#endif
