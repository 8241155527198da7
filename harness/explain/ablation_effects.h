/*
 * Computes the numbers of an ablation: effects, interactions and shares of the factors of a grid,
 * with 95 % bootstrap intervals. Nothing is owned; the grid stays the caller's.
 *
 * In a round all variants take turns, so that a drift is common to them: whole rounds are drawn,
 * the same ones for all cells. Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap
 * (1993), chapter 8.
 */
#ifndef WHYFAST_ABLATION_EFFECTS_H
#define WHYFAST_ABLATION_EFFECTS_H

#include "explain/ablation_grid.h"

enum {
    ABLATION_EFFECTS = FACTORIAL_MOST + 15 + 20, /* of one, two and three of six factors */
    ABLATION_ESTIMATES = ABLATION_EFFECTS + 2 * FACTORIAL_MOST + 1
};

struct estimate {
    double value, low, high; /* NAN if absent */
};

/* Estimates are logarithms of speed-ups, except parts of the whole: first the effects, then shares
 * and parts factor by factor, then the whole. */
struct effects {
    const struct grid *grid;
    int count;
    unsigned of[ABLATION_EFFECTS]; /* the factors of each effect: single ones first, then pairs,
                                      then three */
    struct factorial_effect effect[ABLATION_EFFECTS];
    struct estimate estimate[ABLATION_ESTIMATES];
    double floor_pct; /* the largest of the cells; NAN if one is unknown */
};

/* Computes all of it for a grid that has its times (1000 resamples, always the same ones). */
int effects_find(struct effects *effects, const struct grid *grid);

/* The share of a factor in the whole; its part, share over whole; the whole, all off to all on. */
const struct estimate *effects_share(const struct effects *effects, int factor);
const struct estimate *effects_part(const struct effects *effects, int factor);
const struct estimate *effects_whole(const struct effects *effects);

/* Returns 1 if its interval lies on one side of 1 by more than the noise floor. Not for parts. */
int effects_resolved(const struct effects *effects, const struct estimate *estimate);

#endif
