/*
 * Puts a run that was built in <path>.part into place at <path>, and repairs what a killed program
 * left of that. Locks are descriptors of directories, which the caller closes.
 *
 * The earlier run at <path> moves into the new one as earlier.whyfast, gives back the files that
 * the user has put into it, and is removed. Between the two renames, for an instant, it is
 * <path>.part/earlier.whyfast; run_publish_recover moves it back.
 */
#ifndef WHYFAST_RUN_PUBLISH_H
#define WHYFAST_RUN_PUBLISH_H

/* Returns 1 if the program writes files of this name into a run, temporary ones included. */
int run_publish_is_own(const char *name);

/* Checks that a run may be written at `path`. Returns FAIL_OUTPUT, with a message, if something
 * else than a run or an empty directory is there. */
int run_publish_check(const char *path);

/* Locks a directory against other writers. Returns FAIL_OUTPUT if another program holds the lock;
 * with `wait` it waits for that program, and returns FAIL_INTERRUPTED after Ctrl-C. */
int run_publish_lock(const char *directory, int wait, int *lock);

/* Repairs what a program left that was killed while it published. The caller has locked `part`, if
 * it exists. */
int run_publish_recover(const char *path, const char *part);

/* Removes temporary files and unfinished charts of a killed program. */
int run_publish_tidy(const char *directory);

/* Empties a directory that holds a run. run.txt goes last, so that the rest of it is still known as
 * a run. */
int run_publish_clear(const char *directory);

/* Renames `part`, which is complete, to `path`. Returns FAIL_OUTPUT, or FAIL_INTERRUPTED while it
 * waits for a writer of the earlier run; `path` is unchanged then. */
int run_publish_swap(const char *path, const char *part);

/* Cleans up after run_publish_swap: removes the earlier run but for the user's files, and the
 * journal. */
int run_publish_finish(const char *path);

#endif
