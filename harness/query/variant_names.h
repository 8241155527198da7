/*
 * What words of a command line mean in a run: names of its variants, sizes. A run may name variants
 * that this program does not carry. A struct names owns its strings until variant_names_free.
 */
#ifndef WHYFAST_VARIANT_NAMES_H
#define WHYFAST_VARIANT_NAMES_H

#include "query/query.h"

/* Variants, "family/name" each. A zeroed struct has none. */
struct names {
    char **name;
    int count;
};

/* A row_visitor: adds the first cell of the row. */
int variant_names_add(void *context, const struct scope *row);
void variant_names_free(struct names *names);

/* Variants that have something that is wanted. */
struct variant_names_search {
    const char *sql;    /* their names, "family/name" each */
    const char *wanted; /* what they have, as in "per-line data" */
};

/* The one of them that `word` means, into *name, which the caller frees: by 'family/name' or by
 * its name alone, in full, by a pattern or by its beginning, when one alone is meant. FAIL_USAGE
 * for a word that means none or several, with what comes nearest; FAIL_INPUT for a variant of
 * the run (table variants) without what is wanted. */
int variant_names_find(struct query *query, const struct variant_names_search *search,
                       const char *word, char **name);

/* 1 when the pattern means some of `known`, as variant_names_want has it. */
int variant_names_mean(const struct names *known, const char *pattern);

/* Inserts into table wanted(name) those of `known` that a pattern means: globs over
 * "family/name" or over the name, or a family. FAIL_USAGE with what comes nearest where it means
 * none; `lacking` opens that sentence, as in "RUN has no". */
int variant_names_want(struct query *query, const struct names *known, const char *pattern,
                       const char *lacking);

/* 1 when an operand is a run: there is one of that name, or it can be nothing else, because
 * names of variants begin with their family. */
int variant_names_a_run(const char *word);

/* A size as a run writes it, "4194304" for "2^22". */
int size_digits(const char *size, char digits[72]);

#endif
