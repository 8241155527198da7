/*
 * Bootstrap resamples of all cells of an ablation at once. A struct grid_draws owns its arrays
 * until grid_draws_close; the grid stays the caller's.
 *
 * In a round all variants take turns, so that a drift is common to them: rounds that all cells took
 * part in are drawn as a whole, for all cells alike; the other samples of a cell are drawn by
 * themselves. Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter
 * 8.
 */
#ifndef WHYFAST_ABLATION_RESAMPLE_H
#define WHYFAST_ABLATION_RESAMPLE_H

#include <stdint.h>

#include "explain/ablation_grid.h"

/* 1 when each cell that has a time has samples enough for intervals. */
int grid_can_resample(const struct grid *grid);

/* Which samples are drawn together. */
struct grid_draws {
    const struct grid *grid;
    int common;                  /* rounds in which every cell that has a time has a sample */
    unsigned short *round_drawn; /* [common] how often each was drawn */
    int *slot[FACTORIAL_CELLS];  /* of each sample: its common round, or -1 */
    double *sorted[FACTORIAL_CELLS];
    unsigned short *drawn[FACTORIAL_CELLS];
    int *alone[FACTORIAL_CELLS]; /* room for the samples without a common round */
};

int grid_draws_open(struct grid_draws *draws, const struct grid *grid);
void grid_draws_close(struct grid_draws *draws);

/* One resample: value[cell] = -log(median), as grid_values gives it of the times themselves. */
void grid_resample(struct grid_draws *draws, uint64_t *random, double *value);

#endif
