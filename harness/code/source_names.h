/*
 * Names for source files that say nothing of the machine that they were compiled on. Strings
 * returned are the caller's, who frees them.
 */
#ifndef WHYFAST_SOURCE_NAMES_H
#define WHYFAST_SOURCE_NAMES_H

/* The project's root as the compiler's paths have it, with its last '/'; "" where they are
 * relative to it. `file` is the project's own name for one of its sources
 * ("kernels/gemm/01_x.cu"): the root stands in front of that, or, where no path is of that file,
 * in front of the same directory or one above it; NULL where no path tells it. 0 or FAIL_OUTPUT. */
int source_root(char *const *paths, int count, const char *file, char **root);

/* The name of a path: below the root ("" too), as it goes on from there; in the include
 * directory of a toolkit, from "include/" on, wherever that lies; a relative path that stays
 * below where it begins, itself; else the file's own name alone. "." and ".." are resolved by
 * their names. NULL when out of memory. */
char *source_name(const char *path, const char *root);

#endif
