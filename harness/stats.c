#include "stats.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    if (count > 1) qsort(values, count, sizeof *values, compare);
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

/* Of n fair coins, the largest k with P(at most k heads) <= 0.025: the interval runs from the (k+1)th smallest to the (k+1)th largest value. */
void stats_median_interval(const double *sorted, size_t count, double *low, double *high)
{
    *low = *high = NAN;
    if (count < 6) return;
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

size_t stats_draw(uint64_t *state, size_t count) { return (size_t)(((stats_random(state) >> 32) * count) >> 32); }

double stats_counted_median(const double *sorted, const unsigned short *drawn, size_t count)
{
    size_t total = 0, seen = 0, i = 0;
    for (size_t k = 0; k < count; k++) total += drawn[k];
    if (total == 0) return NAN;
    while (seen + drawn[i] < (total + 1) / 2) seen += drawn[i++];
    const double lower = sorted[i];
    if (total % 2 || seen + drawn[i] > total / 2) return lower;
    do i++;
    while (drawn[i] == 0);
    return (lower + sorted[i]) / 2;
}

/* Where the median of one resample of a sorted array lies: the indices are counted, not the values sorted, so that it costs O(count). */
static void resampled_median(size_t count, unsigned short *drawn, uint64_t *state, unsigned short place[2])
{
    size_t seen = 0, i = 0;
    for (size_t k = 0; k < count; k++) drawn[k] = 0;
    for (size_t k = 0; k < count; k++) drawn[stats_draw(state, count)]++;
    while (seen + drawn[i] < (count + 1) / 2) seen += drawn[i++];
    place[0] = place[1] = (unsigned short)i;
    if (count % 2 || seen + drawn[i] > count / 2) return;
    do i++;
    while (drawn[i] == 0);
    place[1] = (unsigned short)i;
}

int resampling_make(struct resampling *resampling, size_t a_count, size_t b_count, int resamples, uint64_t seed)
{
    *resampling = (struct resampling){a_count, b_count, resamples, NULL};
    if (a_count < 6 || b_count < 6 || a_count > 65535 || b_count > 65535 || resamples < 40) return 0;
    unsigned short *drawn = malloc((a_count > b_count ? a_count : b_count) * sizeof *drawn);
    struct median_places *places = malloc((size_t)resamples * sizeof *places);
    if (!drawn || !places) {
        free(drawn);
        free(places);
        return error_memory();
    }
    uint64_t state = seed;
    for (int i = 0; i < resamples; i++) {
        resampled_median(a_count, drawn, &state, places[i].a);
        resampled_median(b_count, drawn, &state, places[i].b);
    }
    free(drawn);
    resampling->places = places;
    return 0;
}

void resampling_free(struct resampling *resampling)
{
    free(resampling->places);
    resampling->places = NULL;
}

static double median_at(const double *sorted, const unsigned short place[2])
{
    return place[0] == place[1] ? sorted[place[0]] : (sorted[place[0]] + sorted[place[1]]) / 2;
}

/* The `most` smallest of the values that come, ascending. */
struct smallest {
    double *value;
    size_t count, most;
};

static void keep_smallest(struct smallest *smallest, double value)
{
    size_t at = smallest->count;
    if (at == smallest->most && !(value < smallest->value[at - 1])) return;
    if (at == smallest->most) at--;
    else smallest->count++;
    for (; at > 0 && value < smallest->value[at - 1]; at--) smallest->value[at] = smallest->value[at - 1];
    smallest->value[at] = value;
}

/* Both ends are near the ends of what is sorted: only what lies beyond them is kept. The larger ones are kept with their signs turned. */
void resampling_interval(const struct resampling *resampling, const double *a, const double *b, double *ratio, double *low, double *high)
{
    const size_t count = (size_t)resampling->resamples;
    const double low_at = 0.025 * (double)(count - 1), high_at = 0.975 * (double)(count - 1);
    const size_t below_low = (size_t)low_at, below_high = (size_t)high_at;
    struct smallest lower = {ratio, 0, below_low + 2}, upper = {ratio + below_low + 2, 0, count - below_high};
    int ordered = 1;
    *low = *high = NAN;
    if (!resampling->places) return;
    for (size_t i = 0; i < count; i++) {
        const double value = median_at(a, resampling->places[i].a) / median_at(b, resampling->places[i].b);
        ordered &= !isnan(value);
        keep_smallest(&lower, value);
        keep_smallest(&upper, -value);
    }
    if (!ordered) return; /* 0 over 0 has no place among the others */
    const double *end = upper.value + upper.most - 1; /* the value at below_high, its sign turned */
    *low = lower.value[below_low] + (low_at - (double)below_low) * (lower.value[below_low + 1] - lower.value[below_low]);
    *high = -end[0] + (high_at - (double)below_high) * (-end[-1] - -end[0]);
}

void stats_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count, int resamples, uint64_t seed, double *low,
                          double *high)
{
    struct resampling resampling;
    double *ratio = malloc((size_t)(resamples > 0 ? resamples : 1) * sizeof *ratio);
    *low = *high = NAN;
    if (ratio && !resampling_make(&resampling, a_count, b_count, resamples, seed)) {
        resampling_interval(&resampling, a, b, ratio, low, high);
        resampling_free(&resampling);
    }
    free(ratio);
}
