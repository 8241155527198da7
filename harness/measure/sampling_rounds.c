/*
 * Runs the rounds in which all series of one problem size take turns (the method is described in
 * measure/gpu_timer.h): which series take part, in which order, when the rounds end and why. The
 * series are the caller's, with room for their samples; nothing else is kept.
 */
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"
#include "catalog/thresholds.h"
#include "measure/gpu_timer.h"

enum { LEAST_SAMPLES = 25 };

static const double THROTTLED_BELOW = 0.95;    /* of the median clock of the series */
static const double WARM_UP_SECONDS = 0.3;     /* clocks rise within this */

static double now(const struct rounds *rounds)
{
    return rounds->seconds ? rounds->seconds(rounds->context) : seconds_now();
}

static void shuffle(int *order, int count, uint64_t *random)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)(stats_random(random) % (uint64_t)(i + 1));
        const int other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

/* Marks the samples of a series whose clock fell below its usual one; a sample whose clock is not
 * known stays. Another series can have another usual clock: a kernel that needs much power lowers
 * it. `sorted` has room for all samples. */
static void mark_throttled(struct series *series, double *sorted)
{
    size_t known = 0;
    for (int s = 0; s < series->count; s++)
        if (isfinite(series->sample[s].clock_mhz)) sorted[known++] = series->sample[s].clock_mhz;
    stats_sort(sorted, known);
    const double limit = known ? THROTTLED_BELOW * stats_quantile(sorted, known, 0.5) : 0;
    for (int s = 0; s < series->count; s++)
        series->sample[s].throttled = series->sample[s].clock_mhz < limit;
}

static int is_converged(const struct series *series, double *sorted)
{
    double low, high;
    size_t count = 0;
    for (int s = 0; s < series->count; s++)
        if (!series->sample[s].throttled) sorted[count++] = series->sample[s].time_ns;
    if (count < LEAST_SAMPLES) return 0;
    stats_sort(sorted, count);
    stats_median_interval(sorted, count, &low, &high);
    return (high - low) / 2 <= CONVERGED_PCT / 100 * stats_quantile(sorted, count, 0.5);
}

int series_goes_on(int samples, double seconds, double share_seconds)
{
    return samples < LEAST_OF_SLOW || seconds < share_seconds;
}

/* Sets the reason why each series would stop now. *open counts the series that should go on:
 * neither converged nor dropped. */
static int check_convergence(const struct rounds *rounds, int *open)
{
    double *sorted = malloc((size_t)rounds->most_samples * sizeof *sorted);
    const int result = sorted ? 0 : error_memory();
    *open = 0;
    for (int i = 0; i < rounds->count && !result; i++) {
        struct series *series = &rounds->series[i];
        mark_throttled(series, sorted);
        const int converged = is_converged(series, sorted);
        series->stop_reason = converged ? "converged" : series->dropped ? "time cap" : "sample cap";
        *open += !converged && !series->dropped;
    }
    free(sorted);
    return result;
}

/* The samples that count for the least number of them. A series whose clock does not become steady
 * ends after three times as many. */
static int least_samples(struct series *series, double *sorted)
{
    int throttled = 0;
    if (series->count < LEAST_OF_SLOW || series->count >= 3 * LEAST_OF_SLOW) return series->count;
    mark_throttled(series, sorted);
    for (int s = 0; s < series->count; s++) throttled += series->sample[s].throttled;
    return series->count - throttled;
}

/* Where a slow series lost a sample of the least number of them to a low clock, all repeat the
 * round, because series are compared within rounds. */
static int run_round(const struct rounds *rounds, int *order, double *sorted, int round)
{
    const double share = rounds->most_seconds / rounds->count;
    int count = 0, repeats = 0;
    for (int i = 0; i < rounds->count; i++)
        if (!rounds->series[i].dropped) order[count++] = i;
    shuffle(order, count, rounds->random);
    for (int i = 0; i < count; i++) {
        struct series *series = &rounds->series[order[i]];
        const double before = now(rounds);
        struct sample *sample = &series->sample[series->count];
        const int result =
            interrupted() ? FAIL_INTERRUPTED : rounds->sample(rounds->context, series, sample);
        if (result) return result;
        sample->round = round;
        series->count++;
        series->seconds += now(rounds) - before;
        series->dropped = !series_goes_on(least_samples(series, sorted), series->seconds, share);
        repeats |= !series->dropped && series->seconds >= share && series->count == LEAST_OF_SLOW;
    }
    for (int i = 0; i < count && repeats; i++) rounds->series[order[i]].dropped = 0;
    return 0;
}

/* Takes samples of the series in turn, and does not keep them, until the clocks have risen. */
static int warm_up(const struct rounds *rounds)
{
    const double start = now(rounds);
    int result = 0;
    for (int i = 0; !result && now(rounds) - start < WARM_UP_SECONDS; i = (i + 1) % rounds->count) {
        struct sample ignored;
        struct series *series = &rounds->series[i];
        series->warming = 1;
        result =
            interrupted() ? FAIL_INTERRUPTED : rounds->sample(rounds->context, series, &ignored);
        series->warming = 0;
    }
    return result;
}

int sampling_rounds_run(const struct rounds *rounds)
{
    int *order = malloc((size_t)(rounds->count + 1) * sizeof *order);
    double *sorted = malloc((size_t)(rounds->most_samples + 1) * sizeof *sorted);
    int open = 1;
    int result = order && sorted ? warm_up(rounds) : error_memory();
    for (int round = 0; round < rounds->most_samples && !result && open; round++) {
        result = run_round(rounds, order, sorted, round);
        if (!result && round + 1 >= LEAST_SAMPLES) result = check_convergence(rounds, &open);
        progress_part((double)(round + 1) / rounds->most_samples);
    }
    if (!result) result = check_convergence(rounds, &open);
    free(sorted);
    free(order);
    return result;
}
