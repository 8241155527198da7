/*
 * Names source files independently of the machine on which they were compiled. The caller frees the
 * strings.
 */
#ifndef WHYFAST_SOURCE_NAMES_H
#define WHYFAST_SOURCE_NAMES_H

/* Finds the project's root in the compiler's paths, with its last '/'; "" if they are relative to
 * it. `file` is the project's name of one of its sources ("kernels/gemm/01_x.cu"): the root is what
 * precedes it in a path, or, if no path names that file, what precedes its directory or one above.
 * *root is NULL if no path shows it. */
int source_root(char *const *paths, int count, const char *file, char **root);

/* Names a path: below the root, by the rest of the path; in an include directory of a toolkit, from
 * "include/" on; a relative path that does not leave its start, by itself; any other, by its last
 * part. "." and ".." are resolved by their names. Returns NULL when out of memory. */
char *source_name(const char *path, const char *root);

/* Copies a path without ".", doubled '/' and "x/..": the remaining ".." begin a relative path.
 * Returns NULL when out of memory. */
char *source_resolved(const char *path);

#endif
