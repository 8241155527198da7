/*
 * Measures the effect of each factor of the variants that carry factors, by clean times. Nothing is
 * owned.
 *
 * The rows for each family with factors and each size, from the grid of its cells
 * (explain/ablation_grid.h), on a logarithmic scale and given as ratios of times:
 *   main         the effect of a factor: time without it over time with it, the geometric mean over
 *                all pairs of cells that differ in it alone
 *   interaction  of two factors: the speed-up of the one with the other over that without it;
 *                symmetric
 *   three_way    the largest interaction of three: an interaction of two with the third over that
 *                without it
 *   shapley      the share of a factor in the way from all off to all on (explain/factorial.h); its
 *                logarithm in per cent of the whole, too
 *   all          the whole: all off over all on
 * with 95 % bootstrap intervals (explain/ablation_effects.h). A row is unresolved if its interval
 * is not beyond the noise floor of the cells on one side of 1. A value that a missing cell hides is
 * absent, with the reason.
 */
#ifndef WHYFAST_ABLATION_H
#define WHYFAST_ABLATION_H

#include "base/atomic_file.h"
#include "query/query.h"

/* Adds ablation.csv to the group. Needs variants, points and metrics; loads the samples if a family
 * has factors. */
int ablation_write(struct query *query, struct atomic_files *group);

#endif
