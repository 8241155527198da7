/*
 * Work that a process of its own does beside this one, on a copy of all that there is now: tables
 * in memory, open files. What it writes to files that were open already is there when it has ended;
 * nothing else of it comes back but its result, how much it found, and what it said, which is said
 * when it has ended. A struct beside owns the process until beside_end.
 */
#ifndef WHYFAST_BESIDE_H
#define WHYFAST_BESIDE_H

#include <sys/types.h>

struct beside {
    pid_t pid; /* 0 where no process can be had: then the work was done at once */
    int said;  /* the file of what it says on stderr */
    struct beside_outcome {
        int result, found;
    } * outcome, own;
};

/* `work` returns 0 or the first failure, and may count something in *found. `lock` is a
 * descriptor that the other process does not keep, or -1: a lock ends with this one, even where
 * the other ends a moment later. */
void beside_begin(struct beside *beside, int (*work)(void *context, int *found), void *context,
                  int lock);

/* Waits for it where `result`, of the work done meanwhile, is 0; else stops it. Returns the
 * first failure; what it found is added to *found. */
int beside_end(struct beside *beside, int result, int *found);

#endif
