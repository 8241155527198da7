/*
 * What words of a command line mean in a run: names of its variants, sizes. A run may name variants that this program does not carry. A
 * struct names owns its strings until names_free.
 */
#ifndef WHYFAST_NAMES_H
#define WHYFAST_NAMES_H

#include "query.h"

/* Variants, "family/name" each. A zeroed struct has none. */
struct names {
    char **name;
    int count;
};

/* A row_visitor: adds the first cell of the row. */
int names_add(void *context, const struct scope *row);
void names_free(struct names *names);

/* The name without its family. */
const char *names_bare(const char *name);

/* The name nearest to a typo, with its family or without it; in *nearest NULL when none is near enough. */
int names_nearest(const struct names *names, const char *word, const char **nearest);

/* A size as a run writes it, "4194304" for "2^22". */
int size_digits(const char *size, char digits[72]);

#endif
