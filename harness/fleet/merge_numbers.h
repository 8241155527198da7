/*
 * Gives new numbers to the sources, kernels and traces of a run that is merged with others, because
 * every run counts them from 0. A struct numbers owns its array until numbers_free; a zeroed one is
 * empty.
 */
#ifndef WHYFAST_MERGE_NUMBERS_H
#define WHYFAST_MERGE_NUMBERS_H

#include "base/text.h"

/* The new numbers of one run by the old ones. */
struct numbers {
    int *now; /* -1: unknown */
    size_t count;
};

int numbers_set(struct numbers *numbers, long old, int now);

/* Returns the new number for the digits at the beginning of a text, or -1. */
int numbers_get(const struct numbers *numbers, const char *digits);

/* Appends the list "source:line source:line ..." of inlined functions with new numbers. Returns the
 * rest of the list from the first unknown number on, or NULL. */
const char *numbers_append_list(struct text *text, const struct numbers *sources, const char *list);

void numbers_free(struct numbers *numbers);

#endif
