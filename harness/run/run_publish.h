/*
 * Moves a run that was built in <path>.part into place at <path>, and completes or undoes this if
 * the program was killed meanwhile. Locks are descriptors of directories, which the caller closes.
 *
 * The earlier run at <path> is moved into the new one as earlier.whyfast. Files that the user has
 * put into it are moved to the new run, then it is removed. Between the two renames, for an
 * instant, it is <path>.part/earlier.whyfast; after a crash run_publish_recover moves it back.
 */
#ifndef WHYFAST_RUN_PUBLISH_H
#define WHYFAST_RUN_PUBLISH_H

/* Returns 1 if the program writes files of this name into a run, temporary ones included. */
int run_publish_is_own(const char *name);

/* Checks that a run may be written at `path`. Returns FAIL_OUTPUT, with a message, if something
 * other than a run or an empty directory is there. */
int run_publish_check(const char *path);

/* Checks that the run at `path`, if there is one, may be replaced. Returns FAIL_OUTPUT, with a
 * message, if its directory cannot be moved, if it is or holds the current directory, or if it is a
 * compressed recorded run. */
int run_publish_check_earlier(const char *path);

/* Checks that a file may be written at `path`. Returns FAIL_OUTPUT, with a message, if it is one of
 * a run's own files. */
int run_publish_check_file(const char *path);

/* Returns 1 if the tables of the run at `path` are compressed. */
int run_publish_is_packed(const char *path);

/* Locks a directory against other writers. Returns FAIL_OUTPUT if another program holds the lock;
 * with `wait` it waits for that program, and returns FAIL_INTERRUPTED after Ctrl-C. */
int run_publish_lock(const char *directory, int wait, int *lock);

/* Repairs the directories after a program was killed while it published. The caller has locked
 * `part`, if it exists. */
int run_publish_recover(const char *path, const char *part);

/* Removes temporary files and unfinished charts of a killed program. */
int run_publish_tidy(const char *directory);

/* Empties the directory of a run. run.txt is removed last, so that a partly emptied directory is
 * still recognised as a run. */
int run_publish_clear(const char *directory);

/* Renames `part`, which is complete, to `path`. Returns FAIL_OUTPUT, or FAIL_INTERRUPTED while it
 * waits for a writer of the earlier run; `path` is unchanged then. */
int run_publish_swap(const char *path, const char *part);

/* Cleans up after run_publish_swap: removes the journal and the earlier run, except the user's
 * files. */
int run_publish_finish(const char *path);

#endif
