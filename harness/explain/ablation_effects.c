#include "explain/ablation_effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "query/verdict.h"

/* ---- arrays of values ------------------------------------------------------------------------ */

/* Sums over all settings of `of`, with the others as in `rest` and a plus if an even number of them
 * is off. */
static double alternating_sum(const double *value, unsigned of, unsigned rest)
{
    double sum = 0;
    for (unsigned on = of;; on = (on - 1) & of) {
        const double term = value[rest | on];
        sum += __builtin_popcount(of & ~on) % 2 ? -term : term;
        if (on == 0) return sum;
    }
}

void factorial_effect(const double *value, int factors, unsigned of,
                      struct factorial_effect *effect)
{
    double sum = 0;
    *effect = (struct factorial_effect){.mean = NAN, .least = NAN, .most = NAN};
    for (unsigned rest = 0; rest < 1u << factors; rest++) {
        const double difference = rest & of ? NAN : alternating_sum(value, of, rest);
        if (!isfinite(difference)) continue;
        if (!(effect->least <= difference)) {
            effect->least = difference;
            effect->least_at = rest;
        }
        if (!(effect->most >= difference)) {
            effect->most = difference;
            effect->most_at = rest;
        }
        sum += difference;
        effect->settings++;
    }
    if (effect->settings) effect->mean = sum / effect->settings;
}

/* The part of all orders of n factors in which exactly `before` given ones precede a given one:
 * before! (n - before - 1)! / n!. */
static double part_of_orders(int n, int before)
{
    double part = 1.0 / n;
    for (int i = 1; i <= before; i++) part *= (double)i / (n - i);
    return part;
}

void factorial_shapley(const double *value, int factors, double *share)
{
    for (int f = 0; f < factors; f++) {
        const unsigned bit = 1u << f;
        share[f] = 0;
        for (unsigned cell = 0; cell < 1u << factors; cell++)
            if (!(cell & bit))
                share[f] += part_of_orders(factors, __builtin_popcount(cell)) *
                            (value[cell | bit] - value[cell]);
    }
}

/* ---- factors --------------------------------------------------------------------------------- */

/* The first reason counts. */
static int impossible(struct grid *grid, char *why)
{
    if (grid->impossible)
        free(why);
    else
        grid->impossible = why;
    return grid->impossible ? 0 : error_memory();
}

/* Columns: name, other, the number of factors. */
static int add_factor(void *context, const struct scope *row)
{
    struct grid *grid = context;
    const char *name = row->value[0], *other = row->value[1], *count = row->value[2];
    if (other && impossible(grid, text_new("%s=%s is neither 0 nor 1", name, other)))
        return error_memory();
    if (grid->factors == FACTORIAL_MOST)
        return impossible(
            grid, text_new("%s factors; at most %d can be compared", count, FACTORIAL_MOST));
    grid->factor[grid->factors] = strdup(name);
    return grid->factor[grid->factors++] ? 0 : error_memory();
}

/* Columns: cell, variant. */
static int place_variant(void *context, const struct scope *row)
{
    struct grid *grid = context;
    struct grid_cell *cell = &grid->cell[strtol(row->value[0], NULL, 10)];
    if (cell->variant)
        return impossible(
            grid, text_new("%s and %s have the same factors", cell->variant, row->value[1]));
    cell->variant = strdup(row->value[1]);
    return cell->variant ? 0 : error_memory();
}

int grid_open(struct grid *grid, struct query *query, const struct scope *family)
{
    static const char factors[] = "SELECT name, other, count(*) OVER () FROM ablation_factor "
                                  "WHERE family = :family ORDER BY bit";
    static const char variants[] =
        "SELECT cell, variant FROM ablation_cell WHERE family = :family ORDER BY nth";
    *grid = (struct grid){.family = scope_value(family, "family", NULL)};
    const int result = query_each(query, NULL, factors, family, add_factor, grid);
    if (result || !grid->factors || grid->impossible) return result;
    return query_each(query, NULL, variants, family, place_variant, grid);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void clear_times(struct grid *grid)
{
    for (int i = 0; i < FACTORIAL_CELLS; i++) {
        struct grid_cell *cell = &grid->cell[i];
        free(cell->missing);
        free(cell->sample_ns);
        free(cell->round);
        *cell = (struct grid_cell){.variant = cell->variant, .time_ns = NAN, .floor_pct = NAN};
    }
    grid->rounds = 0;
}

void grid_close(struct grid *grid)
{
    clear_times(grid);
    for (int i = 0; i < FACTORIAL_CELLS; i++) free(grid->cell[i].variant);
    for (int f = 0; f < grid->factors; f++) free(grid->factor[f]);
    free(grid->impossible);
}

/* Columns: cell, time, floor, the reason if the time is missing, the number of samples. */
static int add_time(void *context, const struct scope *row)
{
    struct grid_cell *cell = &((struct grid *)context)->cell[strtol(row->value[0], NULL, 10)];
    const size_t samples = strtoul(row->value[4], NULL, 10) + 1;
    if (row->value[1]) cell->time_ns = strtod(row->value[1], NULL);
    if (row->value[2]) cell->floor_pct = strtod(row->value[2], NULL);
    if (row->value[3]) cell->missing = strdup(row->value[3]);
    cell->sample_ns = malloc(samples * sizeof *cell->sample_ns);
    cell->round = malloc(samples * sizeof *cell->round);
    return !cell->sample_ns || !cell->round || (row->value[3] && !cell->missing) ? error_memory()
                                                                                 : 0;
}

/* Columns: cell, time, round. */
static int add_sample(void *context, const struct scope *row)
{
    struct grid *grid = context;
    struct grid_cell *cell = &grid->cell[strtol(row->value[0], NULL, 10)];
    const int round = (int)strtol(row->value[2], NULL, 10);
    cell->sample_ns[cell->count] = strtod(row->value[1], NULL);
    cell->round[cell->count++] = round;
    if (round >= grid->rounds) grid->rounds = round + 1;
    return 0;
}

int grid_read(struct grid *grid, struct query *query, const struct scope *size)
{
    static const char times[] =
        "SELECT c.cell, t.time_ns, t.floor_pct, CASE WHEN t.time_ns IS NULL THEN coalesce((SELECT "
        "status || coalesce(': ' || reason, '') FROM points p WHERE p.family = c.family AND "
        "p.variant = c.variant AND p.size = :size AND status <> 'ok' ORDER BY block, sweep "
        "LIMIT 1), 'it was not measured') END, (SELECT count(*) FROM ablation_sample s WHERE "
        "s.family = c.family AND s.size = :size AND s.cell = c.cell) FROM ablation_cell c LEFT "
        "JOIN ablation_time t ON t.family = c.family AND t.variant = c.variant AND t.size = :size "
        "WHERE c.family = :family";
    static const char samples[] = "SELECT cell, time_ns, round FROM ablation_sample "
                                  "WHERE family = :family AND size = :size ORDER BY cell, time_ns";
    clear_times(grid);
    int result = query_each(query, NULL, times, size, add_time, grid);
    if (!result) result = query_each(query, NULL, samples, size, add_sample, grid);
    for (int i = 0; i < 1 << grid->factors && !result; i++) {
        if (grid->cell[i].variant) continue;
        grid->cell[i].missing = strdup("no variant has this setting");
        if (!grid->cell[i].missing) result = error_memory();
    }
    return result;
}

/* ---- effects --------------------------------------------------------------------------------- */

enum { RESAMPLES = 1000, SEED = 1, LEAST_SAMPLES = 6, MOST_SAMPLES = 65535 };

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
    double *share = statistic + effects->count, *part = share + factors;
    part[factors] = value[(1u << factors) - 1] - value[0];
    factorial_shapley(value, factors, share);
    for (int f = 0; f < factors; f++) part[f] = share[f] / part[factors];
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
    for (int i = 0; i < 1 << grid->factors; i++)
        if (!grid->cell[i].missing &&
            (grid->cell[i].count < LEAST_SAMPLES || grid->cell[i].count > MOST_SAMPLES))
            return 0;
    return 1;
}

/* Draws rounds, the same for all cells, and takes the median of each cell. The arrays hold how
 * often each round was drawn, and the same for each sample of a cell. */
static void resample(const struct grid *grid, unsigned short *drawn_rounds,
                     unsigned short *drawn_samples, uint64_t *random, double *value)
{
    memset(drawn_rounds, 0, (size_t)grid->rounds * sizeof *drawn_rounds);
    for (int k = 0; k < grid->rounds; k++) drawn_rounds[stats_draw(random, (size_t)grid->rounds)]++;
    for (int i = 0; i < 1 << grid->factors; i++) {
        const struct grid_cell *cell = &grid->cell[i];
        for (int k = 0; k < cell->count; k++) drawn_samples[k] = drawn_rounds[cell->round[k]];
        value[i] = -log(stats_counted_median(cell->sample_ns, drawn_samples, (size_t)cell->count));
    }
}

static int find_intervals(struct effects *effects)
{
    const struct grid *grid = effects->grid;
    const int statistics = effects->count + 2 * grid->factors + 1;
    double value[FACTORIAL_CELLS], statistic[ABLATION_ESTIMATES];
    uint64_t random = SEED;
    if (!can_resample(grid)) return 0;
    unsigned short *rounds = malloc(((size_t)grid->rounds + 1) * sizeof *rounds),
                   *samples = malloc((MOST_SAMPLES + 1) * sizeof *samples);
    double *resampled =
        malloc((size_t)statistics * RESAMPLES * sizeof *resampled); /* [statistics][RESAMPLES] */
    const int result = rounds && samples && resampled ? 0 : error_memory();
    for (int i = 0; i < RESAMPLES && !result; i++) {
        resample(grid, rounds, samples, &random, value);
        compute(effects, value, NULL, statistic);
        for (int k = 0; k < statistics; k++)
            resampled[(size_t)k * RESAMPLES + (size_t)i] = statistic[k];
    }
    for (int k = 0; k < statistics && !result; k++)
        find_interval(&resampled[(size_t)k * RESAMPLES], &effects->estimate[k]);
    free(resampled);
    free(rounds);
    free(samples);
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
    double value[FACTORIAL_CELLS] = {0}, statistic[ABLATION_ESTIMATES];
    *effects = (struct effects){.grid = grid};
    for (int order = 1; order <= 3; order++)
        for (unsigned of = 1; of < 1u << grid->factors; of++)
            if (__builtin_popcount(of) == order) effects->of[effects->count++] = of;
    effects->share = effects->estimate + effects->count;
    effects->part = effects->share + grid->factors;
    effects->whole = effects->part + grid->factors;
    find_floor(effects);
    for (int i = 0; i < 1 << grid->factors; i++) value[i] = -log(grid->cell[i].time_ns);
    compute(effects, value, effects->effect, statistic);
    for (int k = 0; &effects->estimate[k] <= effects->whole; k++)
        effects->estimate[k] = (struct estimate){statistic[k], NAN, NAN};
    return find_intervals(effects);
}

int effects_resolved(const struct effects *effects, const struct estimate *estimate)
{
    /* Times have nine digits: equal ratios may differ by 1e-8. */
    const double floor_pct = effects->floor_pct + 1e-6;
    return verdict_of(exp(estimate->low), exp(estimate->high), floor_pct) > VERDICT_NO_EVIDENCE;
}
