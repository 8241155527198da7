/*
 * Writes a program that calls the kernels of a CUDA file without main(). Nothing is owned.
 *
 * The call of a kernel is CUDA code: NAME<<<GRID, BLOCK>>>(ARGUMENT, ...), in which n is the number
 * of version_calls and array(COUNT) is memory of COUNT elements of the type that the parameter
 * points to, filled with numbers. Without a call of the user it follows from the signature:
 *
 *   a pointer    array(n), or array(n * n) if the kernel has several integers or uses blockIdx.y
 *   an integer   n
 *   a number     1
 *   others       zeros, or a null pointer
 *   grid, block  a thread for each n; for each n * n in blocks of 16 x 16 with blockIdx.y; n blocks
 *                with several integers alone. block is 256, or less if the kernel allows less
 */
#ifndef WHYFAST_VERSION_DRIVER_H
#define WHYFAST_VERSION_DRIVER_H

#include "base/text.h"
#include "user_kernels/kernel_source.h"

enum { MOST_CALLS = 32 };

struct version_calls {
    char *words;                                     /* of --call, cut into calls */
    const char *name[MOST_CALLS], *rest[MOST_CALLS]; /* name: "" for all kernels */
    int used[MOST_CALLS], uses;                      /* by kernels of files */
    int count;
    unsigned long long n; /* 0: 2^23, or 1024 for arrays of n * n */
};

/* Reads the values of --call and --size, which may be NULL. Returns FAIL_USAGE for a damaged one;
 * version_calls_free follows in any case. */
int version_calls_read(struct version_calls *calls, const char *call, const char *size);
void version_calls_free(struct version_calls *calls);

/* Appends the program for the kernels of the file, or for those that `only` names, unless it is
 * NULL. Appends the calls to `shown`, one a line. Returns FAIL_INPUT if no kernel is called so. */
int version_driver_append(struct text *program, struct text *shown,
                          const struct kernel_source *source, struct version_calls *calls,
                          const char *only);

#endif
