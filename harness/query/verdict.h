/*
 * Decides whether one time is faster or slower than another. This is the only place that does:
 * steps, pairs, the comparison of runs and all pages ask it, in C or by the SQL function verdict().
 * Nothing is owned.
 *
 * A speed-up is the time before over the time after. It counts only if its whole 95 % interval lies
 * beyond the noise floor, by which two measurements of the same code can differ. "Slower" is
 * "faster" with the times exchanged, so the bounds are 1 + floor and 1 / (1 + floor).
 */
#ifndef WHYFAST_VERDICT_H
#define WHYFAST_VERDICT_H

#include "query/query.h"

enum verdict { VERDICT_NOT_MEASURED, VERDICT_NO_EVIDENCE, VERDICT_FASTER, VERDICT_SLOWER };

/* The words of the tables: "not measured", "no evidence", "faster", "slower". */
extern const char *const verdict_words[];

/* Judges a speed-up by its interval and the noise floor in per cent; NAN for what is not known. */
enum verdict verdict_of(double low, double high, double floor_pct);

/* For SQL: verdict(low, high, floor_pct). */
query_function verdict_sql;

/* What the comparisons of a base and a candidate say together. */
enum decision {
    DECISION_NOT_COMPARABLE,
    DECISION_NO_EVIDENCE,
    DECISION_FASTER,
    DECISION_SLOWER,
    DECISION_WRONG,
    DECISIONS
};
extern const char *const decision_words[DECISIONS];

/* How many comparisons said this. */
struct decision_counts {
    int refused, wrong, slower, faster, alike; /* refused: conditions of the comparison are broken;
                                                  alike: compared without one of these words */
};

/* The worst that is found; without any comparison they cannot be compared. */
enum decision decision_of(const struct decision_counts *counts);

/* Appends how many are slower, faster and alike. */
void decision_append_counts(struct text *text, const struct decision_counts *counts);

/* Returns the failure of a command that ends with this decision. A gate passes a candidate that is
 * faster or alike (0); others tell these apart: 0 and FAIL_NO_EVIDENCE. */
int decision_failure(enum decision decision, int is_gate);

#endif
