/*
 * Finds the variants and sizes of a run that are named on a command line. A run may have variants
 * that this program lacks. A struct variant_names owns its strings until variant_names_free.
 */
#ifndef WHYFAST_VARIANT_NAMES_H
#define WHYFAST_VARIANT_NAMES_H

#include "query/query.h"

/* Variants, each as "family/name". A zeroed struct is empty. */
struct variant_names {
    char **name;
    int count;
};

/* A row_visitor that adds the first cell of the row. */
int variant_names_add(void *context, const struct scope *row);
void variant_names_free(struct variant_names *names);

/* The variants among which variant_names_find searches. */
struct variant_names_search {
    const char *sql;    /* selects them, each as "family/name" */
    const char *wanted; /* a property that all of them have, as in "per-line data" */
};

/* Finds the variant that `word` names: a 'family/name' or a name, given in full, by a pattern or by
 * its beginning. The caller frees *name. Returns FAIL_USAGE, naming the nearest variants, if the
 * word names none or several, or FAIL_INPUT if it names a variant of the run (table variants)
 * outside of the search. */
int variant_names_find(struct query *query, const struct variant_names_search *search,
                       const char *word, char **name);

/* Returns 1 if variant_names_want would find any of `known`, else 0. */
int variant_names_match(const struct variant_names *known, const char *pattern);

/* Inserts into table wanted(name) the variants of `known` that a word selects (names_select).
 * Returns FAIL_USAGE if it selects none, naming the nearest variant, or if it means several, naming
 * them; `lacking` opens the first message, as in "RUN has no". */
int variant_names_want(struct query *query, const struct variant_names *known, const char *pattern,
                       const char *lacking);

/* Returns 1 if an operand is a run, else 0. It is a run if a run of that name exists, or if it
 * begins with '/' or '.', which no variant does. */
int variant_names_is_run(const char *word);

/* Returns FAIL_USAGE if one of the words that stand where runs do names no run, but a variant of
 * this program: there are too many. */
int variant_names_check_runs(const char *command, const char *const *words, int count);

/* Inserts the sizes that words of the command line mean (size_list) into table wanted_sizes(size)
 * if the statement `sizes` selects them. Returns FAIL_USAGE if it does not, naming those that it
 * does: the message begins with these words, as in "RUN", "has no kernel of". */
int variant_names_want_sizes(struct query *query, const char *sizes, const char *const *size,
                             int count, const char *owner, const char *lacks);

/* Writes the sizes that a word may mean, in the form used in runs, each between commas:
 * ",512x1024,"; a single number also means the cube. */
enum { SIZE_LIST = 240 };
int size_list(const char *size, char list[SIZE_LIST]);

#endif
