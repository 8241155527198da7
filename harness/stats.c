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

/* Moves the values so that value[at] is the one that sorting would put there, none before it larger, none behind it smaller (Hoare's selection). */
static void select_place(double *value, size_t count, size_t at)
{
    size_t from = 0, to = count - 1;
    while (from < to) {
        const double pivot = value[at];
        size_t i = from, j = to;
        do {
            while (value[i] < pivot) i++;
            while (value[j] > pivot) j--;
            if (i <= j) {
                const double kept = value[i];
                value[i++] = value[j];
                value[j] = kept;
                if (j == 0) break;
                j--;
            }
        } while (i <= j);
        if (j < at) from = i;
        if (at < i) to = j;
    }
}

/* stats_quantile of what is not sorted. */
static double select_quantile(double *value, size_t count, double q)
{
    const size_t below = (size_t)(q * (double)(count - 1));
    select_place(value, count, below);
    if (below + 1 < count) select_place(value + below + 1, count - below - 1, 0);
    return stats_quantile(value, count, q);
}

void resampling_interval(const struct resampling *resampling, const double *a, const double *b, double *ratio, double *low, double *high)
{
    const size_t count = (size_t)resampling->resamples;
    int ordered = 1;
    *low = *high = NAN;
    if (!resampling->places) return;
    for (size_t i = 0; i < count; i++) {
        ratio[i] = median_at(a, resampling->places[i].a) / median_at(b, resampling->places[i].b);
        ordered &= !isnan(ratio[i]);
    }
    if (!ordered) return; /* 0 over 0 has no place among the others */
    *low = select_quantile(ratio, count, 0.025);
    *high = select_quantile(ratio, count, 0.975);
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
