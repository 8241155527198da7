/*
 * Computes the effects of the factors of a family, on or off, on its times: alone, together, and as
 * shares of the whole. A struct grid owns its strings and samples until grid_close.
 *
 * A cell is a setting of all factors, numbered by its bits: bit f is set if factor f is on. The
 * factors of a grid are those that are on in some variants and off in others (1 and 0). A factor
 * with the same value in all variants does not count, and a variant that does not name all factors
 * of the grid is not a cell. A variant is represented by its fastest setting (block and sweep).
 *
 * Intervals are 95 % bootstrap intervals. In a round all variants take turns, so that drift affects
 * all of them: whole rounds are resampled, the same ones for all cells. Source: B. Efron and R.
 * Tibshirani, An Introduction to the Bootstrap (1993), chapter 8.
 */
#ifndef WHYFAST_ABLATION_EFFECTS_H
#define WHYFAST_ABLATION_EFFECTS_H

#include "query/query.h"

enum {
    FACTORIAL_MOST = 6,
    FACTORIAL_CELLS = 1 << FACTORIAL_MOST,
    ABLATION_EFFECTS = FACTORIAL_MOST + 15 + 20, /* of one, two and three of six factors */
    ABLATION_ESTIMATES = ABLATION_EFFECTS + 2 * FACTORIAL_MOST + 1
};

/* Functions take an array of values: value[cell] is on a scale on which independent effects add up,
 * -log(time) for speed-ups, and NAN for a cell that was not measured. */

struct factorial_effect {
    double mean, least, most;   /* over the settings of the other factors; NAN if there are none */
    unsigned least_at, most_at; /* cells with these settings of the others, its own factors off */
    int settings;               /* of the others for which all cells of the effect were measured */
};

/* Computes the effect of the factors whose bits are set in `of`. For one factor this is value(on) -
 * value(off); for two it is the change of that difference when the other is switched on; for three
 * it is the change of the two-factor effect when the third is switched on. In general it is the
 * alternating sum over the settings of these factors, as the mean over the settings of the other
 * factors for which no cell is missing. Source: G. Box, J. Hunter and W. Hunter, Statistics for
 * Experimenters (1978), chapter 10; F. Yates, The Design and Analysis of Factorial Experiments
 * (1937). Their interaction of n factors is this one divided by 2^(n - 1); here the exponential of
 * an interaction is a ratio of speed-ups. */
void factorial_effect(const double *value, int factors, unsigned of,
                      struct factorial_effect *effect);

/* Computes the share of each factor in value(all on) - value(all off): the gain of switching it on,
 * averaged over all orders of switching on the factors. The shares add up to the whole; all are NAN
 * if a cell is missing. Source: L. Shapley, A Value for n-Person Games (1953). */
void factorial_shapley(const double *value, int factors, double *share);

/* The cells of a family, with their times at one size. */
struct grid {
    const char *family; /* the caller's */
    int factors;
    char *factor[FACTORIAL_MOST];
    char *impossible; /* the reason why the variants make no grid, or NULL */
    int rounds;       /* in which any cell has a sample */
    struct grid_cell {
        char *variant;    /* NULL: no variant has this setting */
        char *missing;    /* the reason why there is no time, else NULL */
        double time_ns;   /* median; NAN if missing */
        double floor_pct; /* NAN if unknown */
        int count;        /* of its samples, the fastest first */
        double *sample_ns;
        int *round; /* of each sample, counted over the rounds of all cells */
    } cell[FACTORIAL_CELLS];
};

/* Reads the grid of the family in the row, without times. A grid without factors is no ablation.
 * Needs the tables of explain/ablation_grid.sql. The caller closes, also after a failure. */
int grid_open(struct grid *grid, struct query *query, const struct scope *family);
void grid_close(struct grid *grid);

/* Reads the times of its cells at the family and size in the row. */
int grid_read(struct grid *grid, struct query *query, const struct scope *size);

/* Estimates are logarithms of speed-ups, except parts. The grid stays the caller's. */
struct effects {
    const struct grid *grid;
    int count;
    unsigned of[ABLATION_EFFECTS]; /* the factors of each effect: single ones, pairs, then three */
    struct factorial_effect effect[ABLATION_EFFECTS];
    struct estimate {
        double value, low, high; /* NAN if absent */
    } estimate[ABLATION_ESTIMATES];
    const struct estimate *share, *part; /* of each factor in the whole, and share over whole */
    const struct estimate *whole;        /* all off to all on */
    double floor_pct;                    /* the largest of the cells; NAN if one is unknown */
};

/* Computes all of it for a grid that has its times (1000 resamples, always the same ones). */
int effects_find(struct effects *effects, const struct grid *grid);

/* Returns 1 if the interval of the estimate lies on one side of 1 by more than the noise floor. Not
 * valid for effects->part. */
int effects_resolved(const struct effects *effects, const struct estimate *estimate);

#endif
