/*
 * `explain A B`: the account of the difference between any two measured points: two variants of a
 * run, or variants of two runs. A struct explain_pair owns its two sides, each with the tables of
 * its run, until explain_pair_close; the runs are the caller's.
 *
 * The account is that of the steps (explain/attribution.h), from the ledgers that `explain RUN`
 * wrote. The interval of the ratio sets the 95 % intervals of the two times against each other: it
 * is wider than the bootstrap of steps.csv, and needs no samples. Where it is not beyond the larger
 * noise floor there is no evidence of a difference, and no cause is said to be resolved.
 */
#ifndef WHYFAST_EXPLAIN_PAIR_H
#define WHYFAST_EXPLAIN_PAIR_H

#include "catalog/records.h"
#include "explain/attribution.h"
#include "query/query.h"

/* What is known of a point, as text, NULL where it is not. */
enum side_fact {
    FAMILY,
    VARIANT,
    SIZE,
    BLOCK,
    SWEEP,
    TIME,
    TIME_LOW,
    TIME_HIGH,
    FLOOR,
    TITLE,
    SIDE_FACTS
};

struct side {
    struct query query;
    char *name; /* "family/variant" */
    char *fact[SIDE_FACTS];
    struct attribution_side levels;
};

struct explain_pair {
    struct records records;
    struct side before, after;
    double ratio, low, high; /* time before over time after, above 1 where the second is faster; NAN
                                where not known */
    double floor_pct;        /* the larger noise floor */
    const char *evidence;    /* faster, slower, no evidence, not measured */
};

/* Sets a variant of `first` against one of `second`, which may be the same run, each in its best
 * setting; the words are as variant_names_find takes them. At the size that is asked for, else
 * at the one at which instructions were counted, else at the largest that both have. Makes the
 * table difference(cause, before_ns, after_ns, saved_ns, low_ns, high_ns, share_pct, status,
 * title, witness, witness_before, witness_after) in the database of the second side. FAIL_USAGE
 * for words that mean no variant and for a size that they do not share, FAIL_INPUT where a run
 * has no ledger, or one of other times than its metrics. After a failure, too, the caller
 * closes. */
int explain_pair_open(struct explain_pair *difference, const struct run *first,
                      const struct run *second, const char *before, const char *after,
                      const char *size);
void explain_pair_close(struct explain_pair *difference);

/* A fact as a number; NAN where it is not known. */
double side_number(const struct side *side, enum side_fact fact);

#endif
