#include "base/stats.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    if (count > 1) qsort(values, count, sizeof *values, compare);
}

/* The least part of the median at which the resolution of a clock matters. */
static const double COARSE = 0.02;

static double common_divisor(const double *values, size_t count)
{
    double divisor = 0;
    for (size_t i = 0; i < count; i++)
        for (double value = values[i]; value > 0;) {
            const double rest = fmod(divisor, value);
            divisor = value;
            value = rest;
        }
    return divisor;
}

void stats_sort_times(double *times, size_t count)
{
    stats_sort(times, count);
    if (count == 0 || times[0] == times[count - 1]) return;
    const double tick = common_divisor(times, count);
    if (tick <= COARSE * stats_quantile(times, count, 0.5)) return;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && times[end] == times[i];) end++;
        const double value = times[i], equal = (double)(end - i);
        for (size_t k = i; k < end; k++)
            times[k] = value + tick * (((double)(k - i) + 0.5) / equal - 0.5);
    }
}

double stats_quantile(const double *sorted, size_t count, double q)
{
    if (count == 0) return NAN;
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count) return sorted[count - 1];
    const double part = position - (double)below;
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *values, size_t count)
{
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

/* With k the largest number for which n fair coins show at most k heads with probability <= 0.025,
 * the interval runs from the (k+1)th smallest to the (k+1)th largest value. */
void stats_median_interval(const double *sorted, size_t count, double *low, double *high)
{
    *low = *high = NAN;
    if (count < STATS_LEAST_SAMPLES) return;
    double term = -(double)count * log(2), cumulative = 0; /* log of P(0 heads) */
    size_t k = 0;
    for (size_t heads = 0; heads <= count; heads++) {
        cumulative += exp(term);
        if (cumulative > 0.025) break;
        k = heads;
        term += log((double)(count - heads)) - log((double)(heads + 1));
    }
    *low = sorted[k];
    *high = sorted[count - 1 - k];
}

uint64_t stats_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

size_t stats_draw(uint64_t *state, size_t count)
{
    return (size_t)(((stats_random(state) >> 32) * count) >> 32);
}

/* Finds the two indices in the middle of `total` that were drawn, the same one if that is odd.
 * Indices are counted instead of sorted, so that it costs O(count). */
static void find_middle(const unsigned short *drawn, size_t total, unsigned short middle[2])
{
    size_t seen = 0, i = 0;
    for (size_t half = 0; half < 2; half++) {
        while (seen + drawn[i] <= (total - 1 + half) / 2) seen += drawn[i++];
        middle[half] = (unsigned short)i;
    }
}

static double median_of(const double *sorted, const unsigned short middle[2])
{
    return (sorted[middle[0]] + sorted[middle[1]]) / 2;
}

double stats_counted_median(const double *sorted, const unsigned short *drawn, size_t count)
{
    size_t total = 0;
    unsigned short middle[2];
    for (size_t k = 0; k < count; k++) total += drawn[k];
    if (total == 0) return NAN;
    find_middle(drawn, total, middle);
    return median_of(sorted, middle);
}

/* ---- bootstrap ------------------------------------------------------------------------------- */

static void draw_middle(size_t count, unsigned short *drawn, uint64_t *state,
                        unsigned short middle[2])
{
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t k = 0; k < count; k++) drawn[stats_draw(state, count)]++;
    find_middle(drawn, count, middle);
}

struct stats_resamples *stats_resamples_draw(size_t a_count, size_t b_count, int count,
                                             uint64_t seed)
{
    enum { LEAST = STATS_LEAST_SAMPLES, MOST = USHRT_MAX, LEAST_RESAMPLES = 40 };
    const int is_enough = a_count >= LEAST && b_count >= LEAST && a_count <= MOST &&
                          b_count <= MOST && count >= LEAST_RESAMPLES;
    const size_t used = is_enough ? (size_t)count : 0,
                 larger = a_count > b_count ? a_count : b_count;
    struct stats_resamples *resamples =
        malloc(sizeof *resamples + used * sizeof *resamples->middle);
    unsigned short *drawn = malloc((is_enough ? larger : 1) * sizeof *drawn);
    if (resamples && drawn) {
        resamples->count = used;
        for (size_t i = 0; i < used; i++) {
            draw_middle(a_count, drawn, &seed, resamples->middle[i].a);
            draw_middle(b_count, drawn, &seed, resamples->middle[i].b);
        }
    } else {
        error_memory();
        free(resamples);
        resamples = NULL;
    }
    free(drawn);
    return resamples;
}

void stats_resamples_interval(const struct stats_resamples *resamples, const double *a,
                              const double *b, double *low, double *high)
{
    double *ratio = resamples ? malloc((resamples->count + 1) * sizeof *ratio) : NULL;
    *low = *high = NAN;
    if (resamples && !ratio) error_memory();
    if (!ratio) return;
    size_t count = 0;
    for (; count < resamples->count; count++) {
        ratio[count] =
            median_of(a, resamples->middle[count].a) / median_of(b, resamples->middle[count].b);
        if (isnan(ratio[count])) break; /* 0 over 0 cannot be sorted */
    }
    if (count > 0 && count == resamples->count) {
        stats_sort(ratio, count);
        *low = stats_quantile(ratio, count, 0.025);
        *high = stats_quantile(ratio, count, 0.975);
    }
    free(ratio);
}
