/*
 * Explains the difference between any two measured points (`explain A B`): two variants of a run,
 * or variants of two runs. A struct explain_pair owns its two sides until explain_pair_close; the
 * databases of the runs are the caller's.
 *
 * Causes are computed as for steps (explain/causes.h), from the table `sides` that `evaluate`
 * wrote. The ratio of a rung and the library that it is compared with is that of the same rounds
 * (query/library_ratios.sql). Of other pairs it is that of the two times; its interval, unless it
 * is a step of the run, combines their 95 % intervals: it is wider than the bootstrap interval of
 * steps.csv, and needs no samples. If it is not beyond the larger noise floor, there is no evidence
 * of a difference, and no cause is resolved.
 */
#ifndef WHYFAST_EXPLAIN_PAIR_H
#define WHYFAST_EXPLAIN_PAIR_H

#include "base/print_table.h"
#include "catalog/records.h"
#include "explain/account.h"
#include "query/query.h"

/* Facts of a point, as text; NULL if unknown. */
enum side_fact {
    FAMILY,
    VARIANT,
    SIZE,
    BLOCK,
    SWEEP,
    DEVICE,
    TIME,
    TIME_LOW,
    TIME_HIGH,
    FLOOR,
    TITLE,
    SIDE_FACTS
};

struct side {
    struct query *query; /* of its run */
    char *name;          /* "family/variant" */
    char *fact[SIDE_FACTS];
    struct account_side numbers;
};

struct explain_pair {
    struct records records;
    struct side before, after;
    double ratio, low, high; /* time before over time after, above 1 if the second is faster; NAN
                                if unknown */
    int in_rounds;           /* it is the median of the ratios in the rounds that timed both */
    double floor_pct;        /* the larger noise floor */
    char *evidence;          /* faster, slower, no evidence, not measured */
    char *headline;          /* a sentence that names the main causes */
};

/* A ratio of two times whose interval is known, as in struct explain_pair. */
struct explain_ratio {
    double ratio, low, high, floor_pct;
};

/* Compares a variant of `first` with one of `second`, which may be the same, each in its best
 * setting; the words are as for variant_names_find. `known` is their ratio, or NULL. If `before` is
 * NULL, it is the variant that the other one follows in its ladder. The size is the given one, else
 * the one at which instructions were counted, else the largest that both have. Makes the tables
 * `causes` and `said` in the database of the second side, which must not have `said`, with the key
 * of the second point, and the only row of `steps`. Returns FAIL_USAGE for words that match no
 * variant, for the first of a ladder without `before` and for a size that they do not share,
 * FAIL_INPUT if a run has no ledger or one that does not match its metrics. The caller closes, also
 * after a failure. */
int explain_pair_open(struct explain_pair *pair, struct query *first, struct query *second,
                      const char *before, const char *after, const char *size,
                      const struct explain_ratio *known);

/* Finds the family and, unless *size is NULL, the size of a question to a run that is not
 * evaluated: the caller frees both. `before` and `size` may be NULL. */
int explain_pair_part(struct query *query, const char *before, const char *after, const char *asked,
                      char **family, char **size);
void explain_pair_close(struct explain_pair *pair);

/* Fills a table with what knock-outs say of the pair (explain/experiments.sql); without them it has
 * no rows. The caller frees it. */
int explain_pair_experiments(struct explain_pair *pair, struct print_table *table);

/* Appends why `after` is faster or slower than `before` at a size, both named in full, as a
 * sentence with their names; nothing if the run does not say. For lines_options. */
int explain_pair_sentence(struct text *words, struct query *query, const char *before,
                          const char *after, const char *size);

/* A fact as a number; NAN if unknown. */
double side_number(const struct side *side, enum side_fact fact);

#endif
