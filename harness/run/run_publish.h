/*
 * The places of a run: <path>, where it will be, and <path>.part, where it is made. What may stand
 * there, who may write there, how the one takes the place of the other at once, and what is put
 * right after a program that was killed. A lock is a file descriptor of a directory, which the
 * caller closes.
 *
 * An earlier run at <path> is there, whole, at every moment until the new one is, but where the
 * file system cannot exchange two directories: there it lies in <path>.part/earlier.whyfast for a
 * moment, from where place_recover takes it back.
 */
#ifndef WHYFAST_RUN_PUBLISH_H
#define WHYFAST_RUN_PUBLISH_H

/* Whether the program makes files of this name in a run, its temporary ones among them. */
int place_is_own(const char *name);

/* Whether a run may be put there: FAIL_OUTPUT, said, when something stands there that is no run,
 * or a run with a directory in it that is somebody else's. */
int place_check(const char *path);

/* Locks a directory against other writers. FAIL_OUTPUT when another program has it; with `wait`,
 * waits for that one, or FAIL_INTERRUPTED after Ctrl-C. */
int place_lock(const char *directory, int wait, int *lock);

/* Whether there is anything under this name. */
int place_taken(const char *path);

/* Puts right what a program left that was killed while its run took its place. The caller has
 * locked `part`, where that is there. */
int place_recover(const char *path, const char *part);

/* Removes what a killed program leaves besides the run itself: temporary files and half-made
 * charts, and with `derived` all that is computed from raw tables. */
int place_tidy(const char *directory, int derived);

/* Empties a directory that holds a run. Until the last moment it can be told that it is one; its
 * journal goes first. */
int place_clear(const char *directory);

/* The run in `part`, which is complete and on the disk, takes its place at `path`, with the
 * files that somebody else has put into the run that is there. FAIL_OUTPUT when that is not
 * possible: then both are as they were. FAIL_INTERRUPTED while it waits for who writes in that
 * run. *untidy is FAIL_OUTPUT, said, when it has its place and what was there cannot be removed. */
int place_take(const char *path, const char *part, int *untidy);

#endif
