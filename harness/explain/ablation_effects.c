#include "explain/ablation_effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"

enum { RESAMPLES = 1000, SEED = 1 };

static int at_share(const struct effects *effects, int factor)
{
    return effects->count + factor;
}
static int at_part(const struct effects *effects, int factor)
{
    return effects->count + effects->grid->factors + factor;
}
static int at_whole(const struct effects *effects)
{
    return effects->count + 2 * effects->grid->factors;
}

static void list_effects(struct effects *effects)
{
    for (int order = 1; order <= 3; order++)
        for (unsigned of = 1; of < 1u << effects->grid->factors; of++)
            if (__builtin_popcount(of) == order) effects->of[effects->count++] = of;
}

/* All statistics of one set of values; `effect` is NULL if only their means are wanted. */
static void compute(const struct effects *effects, const double *value,
                    struct factorial_effect *effect, double *statistic)
{
    const int factors = effects->grid->factors;
    struct factorial_effect one;
    for (int i = 0; i < effects->count; i++) {
        factorial_effect(value, factors, effects->of[i], &one);
        statistic[i] = one.mean;
        if (effect) effect[i] = one;
    }
    const double whole = value[(1u << factors) - 1] - value[0];
    factorial_shapley(value, factors, &statistic[at_share(effects, 0)]);
    for (int f = 0; f < factors; f++)
        statistic[at_part(effects, f)] = statistic[at_share(effects, f)] / whole;
    statistic[at_whole(effects)] = whole;
}

static void find_interval(double *resampled, struct estimate *estimate)
{
    for (int i = 0; i < RESAMPLES; i++)
        if (!isfinite(resampled[i])) return;
    stats_sort(resampled, RESAMPLES);
    estimate->low = stats_quantile(resampled, RESAMPLES, 0.025);
    estimate->high = stats_quantile(resampled, RESAMPLES, 0.975);
}

/* Fewer than six samples of a cell are too few, as for other intervals of medians. */
static int can_resample(const struct grid *grid)
{
    enum { LEAST = 6, MOST = 65535 };
    for (int i = 0; i < 1 << grid->factors; i++)
        if (!grid->cell[i].missing && (grid->cell[i].count < LEAST || grid->cell[i].count > MOST))
            return 0;
    return 1;
}

struct draws {
    unsigned short *round; /* how often each round was drawn */
    unsigned short *drawn; /* the same for each sample of a cell */
};

/* Draws rounds, the same for all cells, and takes the median of each cell. */
static void resample(const struct grid *grid, const struct draws *draws, uint64_t *random,
                     double *value)
{
    memset(draws->round, 0, (size_t)grid->rounds * sizeof *draws->round);
    for (int k = 0; k < grid->rounds; k++) draws->round[stats_draw(random, (size_t)grid->rounds)]++;
    for (int i = 0; i < 1 << grid->factors; i++) {
        const struct grid_cell *cell = &grid->cell[i];
        for (int k = 0; k < cell->count; k++) draws->drawn[k] = draws->round[cell->round[k]];
        value[i] =
            cell->missing
                ? NAN
                : -log(stats_counted_median(cell->sample_ns, draws->drawn, (size_t)cell->count));
    }
}

static int find_intervals(struct effects *effects)
{
    const struct grid *grid = effects->grid;
    const int statistics = at_whole(effects) + 1;
    double value[FACTORIAL_CELLS], statistic[ABLATION_ESTIMATES];
    uint64_t random = SEED;
    if (!can_resample(grid)) return 0;
    size_t most = (size_t)grid->rounds + 1;
    for (int i = 0; i < 1 << grid->factors; i++)
        if ((size_t)grid->cell[i].count > most) most = (size_t)grid->cell[i].count;
    struct draws draws = {malloc(most * sizeof *draws.round), malloc(most * sizeof *draws.drawn)};
    double *resampled =
        malloc((size_t)statistics * RESAMPLES * sizeof *resampled); /* [statistics][RESAMPLES] */
    const int result = draws.round && draws.drawn && resampled ? 0 : error_memory();
    for (int i = 0; i < RESAMPLES && !result; i++) {
        resample(grid, &draws, &random, value);
        compute(effects, value, NULL, statistic);
        for (int k = 0; k < statistics; k++)
            resampled[(size_t)k * RESAMPLES + (size_t)i] = statistic[k];
    }
    for (int k = 0; k < statistics && !result; k++)
        find_interval(&resampled[(size_t)k * RESAMPLES], &effects->estimate[k]);
    free(resampled);
    free(draws.round);
    free(draws.drawn);
    return result;
}

static void find_floor(struct effects *effects)
{
    effects->floor_pct = 0;
    for (int i = 0; i < 1 << effects->grid->factors; i++) {
        const struct grid_cell *cell = &effects->grid->cell[i];
        if (cell->missing || isnan(effects->floor_pct)) continue;
        if (!(cell->floor_pct <= effects->floor_pct))
            effects->floor_pct = cell->floor_pct; /* also NAN, which stays */
    }
}

int effects_find(struct effects *effects, const struct grid *grid)
{
    double value[FACTORIAL_CELLS], statistic[ABLATION_ESTIMATES];
    *effects = (struct effects){.grid = grid};
    list_effects(effects);
    find_floor(effects);
    for (int i = 0; i < 1 << grid->factors; i++) value[i] = -log(grid->cell[i].time_ns);
    compute(effects, value, effects->effect, statistic);
    for (int k = 0; k <= at_whole(effects); k++)
        effects->estimate[k] = (struct estimate){statistic[k], NAN, NAN};
    return find_intervals(effects);
}

const struct estimate *effects_share(const struct effects *effects, int factor)
{
    return &effects->estimate[at_share(effects, factor)];
}
const struct estimate *effects_part(const struct effects *effects, int factor)
{
    return &effects->estimate[at_part(effects, factor)];
}
const struct estimate *effects_whole(const struct effects *effects)
{
    return &effects->estimate[at_whole(effects)];
}

int effects_resolved(const struct effects *effects, const struct estimate *estimate)
{
    const double nine_digits = 1e-8; /* the precision of the times: equal ratios may differ by it */
    const double floor = effects->floor_pct / 100 + nine_digits;
    return exp(estimate->low) > 1 + floor || exp(estimate->high) < 1 - floor;
}
