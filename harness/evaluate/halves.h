/*
 * A large run in two halves, each the work of a process: what is computed of a ladder needs no
 * other one. The families are halved in the order of their names, and by the run alone: on any
 * machine the same run has the same halves.
 */
#ifndef WHYFAST_HALVES_H
#define WHYFAST_HALVES_H

#include "base/atomic_files.h"
#include "run/table_rows.h"

/* From how many points on a run is large. */
enum { HALVES_LEAST = 4000 };

struct half {
    const char
        *split; /* the first family of the second half; NULL: the whole run is in the first */
    int is_second;
};

/* *split: where the halves of the run part, to be freed; NULL for a run that is not large or has
 * one family. FAIL_INPUT for a damaged table of points. */
int halves_choose(const struct run *run, char **split);

/* A row_filter for rows of this half; rows without a family are of both. `half` is a struct half.
 */
int half_keeps(void *half, const struct table_rows *row);

/* A file of both halves. */
struct half_file {
    const char *name;
    int by_number; /* its rows stand in the order of the number that each begins with; else all of
                      the first half come first */
};

/* Makes `count` files of the group: `work` writes those of one half into `pieces`, a group that
 * has them already (atomic_files_begin), and counts in *found. Returns the first failure; *found
 * is the sum of both. */
int halves_write(const struct run *run, const char *split, const struct half_file *file, int count,
                 int (*work)(void *context, const struct half *half, struct atomic_files *pieces,
                             int *found),
                 void *context, struct atomic_files *group, int *found);

#endif
