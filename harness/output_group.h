/*
 * Files of a directory that are replaced together, all of them or none, also when the program is
 * killed meanwhile: before the first gets its name, replacing.txt says which ones do, and what was
 * begun is finished by output_group_recover. What stands there as a link, a pipe or a device is
 * written as output.h has it, apart from the others. A zeroed group is empty; it owns its outputs
 * until output_group_end.
 */
#ifndef WHYFAST_OUTPUT_GROUP_H
#define WHYFAST_OUTPUT_GROUP_H

#include "output.h"

/* The file that is there while a group is being replaced. */
#define GROUP_NOTE "replacing.txt"

enum { GROUP_SIZE = 20 };

struct output_group {
    struct output output[GROUP_SIZE];
    int count;
    char *directory;
};

/* Opens one more file of the group; its FILE in *file. All files of a group are of one
 * directory. What the group has already is given again: a process beside this one (beside.h) can
 * write files that this one began. */
int output_group_begin(struct output_group *group, const char *directory, const char *name,
                       FILE **file);

/* Writes what is buffered of its files; FAIL_OUTPUT, said, when that cannot be done. */
int output_group_flush(struct output_group *group);

/* `directory`/`fresh`, a directory that is made and complete, takes the place of
 * `directory`/`name` together with the files. From here on it is the group's. */
int output_group_directory(struct output_group *group, const char *directory, const char *fresh,
                           const char *name);

/* When `result` is 0: first makes sure that every file is whole, then renames them all. Else
 * drops them. Returns the first failure. */
int output_group_end(struct output_group *group, int result);

/* Finishes what a program that was killed had begun to replace in this directory; nobody else
 * may be writing there. FAIL_OUTPUT when that cannot be done, FAIL_INPUT when the note is
 * damaged. */
int output_group_recover(const char *directory);

#endif
