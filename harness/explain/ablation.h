/*
 * ablation: where variants carry factors, what each factor is worth, by clean times. Nothing is
 * owned.
 *
 * For each family with factors and each size, from the grid of its cells (explain/ablation_grid.h),
 * on a logarithmic scale and given as ratios of times:
 *   main         what a factor is worth: time without it over time with it, the geometric mean over
 *                all pairs of cells that differ in it alone
 *   interaction  of two factors: the speed-up of the one with the other over that without it;
 *                symmetric
 *   three_way    the largest interaction of three: how many times as large an interaction of two is
 *                with the third
 *   shapley      a factor's share in the way from all off to all on (explain/factorial.h); its
 *                logarithm in per cent of the whole, too
 *   all          the whole: all off over all on
 * with 95 % bootstrap intervals (explain/ablation_resample.h; percentiles, always the same seed).
 * An interval that does not clear the noise floor of the cells on one side of 1 is unresolved. What
 * a missing cell hides is absent, with the reason.
 */
#ifndef WHYFAST_ABLATION_H
#define WHYFAST_ABLATION_H

#include <stdio.h>

#include "query/query.h"

/* Writes the table `ablation`. Wants variants, points and metrics; loads the samples where there
 * is a family with factors. */
int ablation_write(struct query *query, FILE *file);

#endif
