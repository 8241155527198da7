/*
 * Files of a directory that are replaced together, all of them or none, also when the program is
 * killed meanwhile: before the first gets its name, replacing.txt says which ones do, and what was
 * begun is finished by atomic_files_recover. What stands there as a link, a pipe or a device is
 * written as base/atomic_file.h has it, apart from the others. A zeroed group is empty; it owns its
 * outputs until atomic_files_end.
 */
#ifndef WHYFAST_ATOMIC_FILES_H
#define WHYFAST_ATOMIC_FILES_H

#include "base/atomic_file.h"

/* The file that is there while a group is being replaced. */
#define GROUP_NOTE "replacing.txt"

enum { GROUP_SIZE = 20 };

struct atomic_files {
    struct atomic_file output[GROUP_SIZE];
    int count;
    char *directory;
};

/* Opens one more file of the group; its FILE in *file. All files of a group are of one
 * directory. What the group has already is given again: a process beside this one
 * (base/beside.h) can write files that this one began. */
int atomic_files_begin(struct atomic_files *group, const char *directory, const char *name,
                       FILE **file);

/* Writes what is buffered of its files; FAIL_OUTPUT, said, when that cannot be done. */
int atomic_files_flush(struct atomic_files *group);

/* `directory`/`fresh`, a directory that is made and complete, takes the place of
 * `directory`/`name` together with the files. From here on it is the group's. */
int atomic_files_directory(struct atomic_files *group, const char *directory, const char *fresh,
                           const char *name);

/* When `result` is 0: first makes sure that every file is whole, then renames them all. Else
 * drops them. Returns the first failure. */
int atomic_files_end(struct atomic_files *group, int result);

/* Finishes what a program that was killed had begun to replace in this directory; nobody else
 * may be writing there. FAIL_OUTPUT when that cannot be done, FAIL_INPUT when the note is
 * damaged. */
int atomic_files_recover(const char *directory);

#endif
