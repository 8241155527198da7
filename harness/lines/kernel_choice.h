/*
 * Finds the kernel that a word on the command line means. Nothing is owned.
 */
#ifndef WHYFAST_KERNEL_CHOICE_H
#define WHYFAST_KERNEL_CHOICE_H

#include "query/query.h"

enum { KERNEL_SIZE = 24 };

/* The point and launch of a variant; unspecified ones are chosen. */
struct kernel_choice {
    const char *size;  /* as on the command line, or NULL */
    long block, sweep; /* 0 if unspecified */
    long launch;       /* -1 if unspecified */
};

/* Writes the number of a kernel of the variant that `word` names: by 'family/name' or by its name
 * alone, in full, by a pattern or by its beginning, if that means one variant. Among several points
 * it prefers the size, block and launch of the kernel `like`, unless that is NULL, then the largest
 * size, the best setting of a swept variant and the first launch. Returns FAIL_USAGE, with a
 * message that names the alternatives, for a word that means no variant or several, and for a
 * choice that the run does not have; FAIL_INPUT for a variant without per-line data. Needs
 * lines_tables_load_kernels and the table variants. */
int kernel_choice_find(struct query *query, const char *word, const struct kernel_choice *choice,
                       const char *like, char kernel[KERNEL_SIZE]);

#endif
