/*
 * Prints what `verify` found of a base and a candidate: what all comparisons say together, what
 * could have changed a time besides the code, and the causes of one difference. A struct verified
 * owns its tables and texts until verified_free; the pair is the caller's.
 */
#ifndef WHYFAST_VERIFY_PRINT_H
#define WHYFAST_VERIFY_PRINT_H

#include "base/print_table.h"
#include "explain/compare_runs.h"
#include "explain/explain_pair.h"
#include "query/verdict.h"

struct verified {
    enum decision decision;
    char *sentence;            /* why it is wrong, or not comparable; else how many are what */
    struct print_table points; /* a row for each comparison: verify_print.c lists the columns */
    struct print_table guards; /* guard, state, words: explain/compare_guards.sql */
    const struct run *run[2];  /* which are told if nothing is explained; or NULL */
    struct explain_pair *pair; /* the comparison that is explained, or NULL */
    const char *code;          /* why it is NULL: a code of reports/schema/verify.2.json */
    struct text unexplained;   /* and in words */
};

void verified_make(struct verified *verified);
void verified_free(struct verified *verified);

/* Takes the decision, the points and the guards of two runs. Unless `all` is set, points without
 * evidence and guards that hold are left out. */
int verified_take(struct verified *verified, struct run_comparison *comparison, int all);

/* Adds a point; NULL or NAN for what is unknown. */
struct verified_point {
    const char *before, *after, *verdict, *machine_code;
    struct explain_ratio ratio;
    double before_ns, after_ns;
};
void verified_point(struct verified *verified, const struct verified_point *point);

/* Explains nothing, because the candidate is wrong or not comparable, or nothing changed. */
void verified_refuse(struct verified *verified);

void verified_guard(struct verified *verified, const char *guard, const char *state,
                    const char *words);

/* Prints it on the screen, as JSON, or the points as CSV. `all` adds the smallest causes. */
int verified_print(struct verified *verified, enum print_form form, int all);

#endif
