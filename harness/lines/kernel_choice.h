/*
 * Which kernel a word on the command line means. Nothing is owned.
 */
#ifndef WHYFAST_KERNEL_CHOICE_H
#define WHYFAST_KERNEL_CHOICE_H

#include "query/query.h"

enum { KERNEL_SIZE = 24 };

/* Which point and launch of a variant; what is not said is chosen. */
struct kernel_choice {
    const char *size;  /* as on the command line, or NULL */
    long block, sweep; /* 0: not said */
    long launch;       /* -1: not said */
};

/* The number, as text, of a kernel of the variant that `word` names: by 'family/name' or by its
 * name alone, in full, by a pattern or by its beginning, when one variant alone is meant. Of
 * several points: first those of the size, block and launch of the kernel `like`, unless that is
 * NULL; then the largest size, the best setting of a swept variant, the first launch. FAIL_USAGE
 * for a word that means none or several, with what comes nearest, and for a choice that there is
 * not, with those that there are; FAIL_INPUT for a variant of the run without per-line data.
 * After lines_tables_load, with the table variants. */
int kernel_find(struct query *query, const char *word, const struct kernel_choice *choice,
                const char *like, char kernel[KERNEL_SIZE]);

#endif
