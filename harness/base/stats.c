#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

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

double stats_quantile(const double *sorted, size_t count, double q)
{
    if (count == 0) return NAN;
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count) return sorted[count - 1];
    const double part = position - (double)below;
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

/* Of n fair coins, the largest k with P(at most k heads) <= 0.025: the interval runs from the
 * (k+1)th smallest to the (k+1)th largest value. */
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

size_t stats_draw(uint64_t *state, size_t count)
{
    return (size_t)(((stats_random(state) >> 32) * count) >> 32);
}

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

/* Where the median of one resample of a sorted array lies: the indices are counted, not the
 * values sorted, so that it costs O(count). */
static void resampled_median(size_t count, unsigned short *drawn, uint64_t *state,
                             unsigned short place[2])
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

/* From the smallest ratio to the largest, as far as places tell: the medians of `a` ascend, and
 * those of `b` descend. */
static int compare_places(const void *a, const void *b)
{
    const struct median_places *x = a, *y = b;
    const int differs[] = {x->a[0] - y->a[0], x->a[1] - y->a[1], y->b[0] - x->b[0],
                           y->b[1] - x->b[1]};
    for (int i = 0; i < 3; i++)
        if (differs[i]) return differs[i];
    return differs[3];
}

/* Places that are there several times are kept once. Returns how many there are. */
static int merge_places(struct median_places *places, int count)
{
    int merged = 0;
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int i = 1; i < count; i++) {
        if (compare_places(&places[i], &places[merged]))
            places[++merged] = places[i];
        else
            places[merged].times++;
    }
    return merged + 1;
}

/* What lies below the 2.5 % quantile of a resampling's ratios, or above the other: how many,
 * with those next to the quantile. */
static int least_kept(const struct resampling *resampling)
{
    return (int)(0.025 * (resampling->resamples - 1)) + 2;
}
static int most_kept(const struct resampling *resampling)
{
    return resampling->resamples - (int)(0.975 * (resampling->resamples - 1));
}

int resampling_make(struct resampling *resampling, size_t a_count, size_t b_count, int resamples,
                    uint64_t seed)
{
    *resampling =
        (struct resampling){.a_count = a_count, .b_count = b_count, .resamples = resamples};
    if (a_count < 6 || b_count < 6 || a_count > 65535 || b_count > 65535 || resamples < 40)
        return 0;
    unsigned short *drawn = malloc((a_count > b_count ? a_count : b_count) * sizeof *drawn);
    resampling->places = malloc((size_t)resamples * sizeof *resampling->places);
    resampling->ends = malloc((size_t)(least_kept(resampling) + most_kept(resampling) + 2) *
                              sizeof *resampling->ends);
    if (!drawn || !resampling->places || !resampling->ends) {
        free(drawn);
        resampling_free(resampling);
        return error_memory();
    }
    uint64_t state = seed;
    for (int i = 0; i < resamples; i++) {
        resampled_median(a_count, drawn, &state, resampling->places[i].a);
        resampled_median(b_count, drawn, &state, resampling->places[i].b);
        resampling->places[i].times = 1;
    }
    free(drawn);
    resampling->count = merge_places(resampling->places, resamples);
    return 0;
}

void resampling_free(struct resampling *resampling)
{
    free(resampling->places);
    free(resampling->ends);
    resampling->places = NULL;
    resampling->ends = NULL;
}

static double median_at(const double *sorted, const unsigned short place[2])
{
    return place[0] == place[1] ? sorted[place[0]] : (sorted[place[0]] + sorted[place[1]]) / 2;
}

/* The `most` smallest of the values that come, ascending, and what else comes as often as the
 * last of them. */
struct smallest {
    struct many_ratios *kept; /* room for most + 1 */
    int count, total, most;
};

static void keep_smallest(struct smallest *smallest, double value, int times)
{
    struct many_ratios *kept = smallest->kept;
    int at = smallest->count;
    if (smallest->total >= smallest->most && !(value < kept[at - 1].value)) return;
    for (; at > 0 && value < kept[at - 1].value; at--) kept[at] = kept[at - 1];
    kept[at] = (struct many_ratios){value, times};
    smallest->count++;
    smallest->total += times;
    while (smallest->total - kept[smallest->count - 1].times >= smallest->most)
        smallest->total -= kept[--smallest->count].times;
}

static double smallest_at(const struct smallest *smallest, int place)
{
    int i = 0;
    while (place >= smallest->kept[i].times) place -= smallest->kept[i++].times;
    return smallest->kept[i].value;
}

static double ratio_at(const struct median_places *places, const double *a, const double *b)
{
    return median_at(a, places->a) / median_at(b, places->b);
}

/* Both ends are near the ends of what is sorted: only what lies beyond them is kept. The larger
 * ones are kept with their signs turned. Each from its own end on: most of what comes later is
 * not kept. */
void resampling_interval(const struct resampling *resampling, const double *a, const double *b,
                         double *low, double *high)
{
    *low = *high = NAN;
    if (!resampling->places) return;
    const double low_at = 0.025 * (resampling->resamples - 1),
                 high_at = 0.975 * (resampling->resamples - 1);
    const int below_low = (int)low_at, below_high = (int)high_at;
    const struct median_places *places = resampling->places;
    struct smallest lower = {.kept = resampling->ends, .most = least_kept(resampling)};
    struct smallest upper = {.kept = resampling->ends + lower.most + 1,
                             .most = most_kept(resampling)};
    for (int i = 0; i < resampling->count; i++) {
        const double ratio = ratio_at(&places[i], a, b);
        if (isnan(ratio)) return; /* 0 over 0 has no place among the others */
        keep_smallest(&lower, ratio, places[i].times);
    }
    for (int i = resampling->count - 1; i >= 0; i--)
        keep_smallest(&upper, -ratio_at(&places[i], a, b), places[i].times);
    const double first = smallest_at(&lower, below_low),
                 last = -smallest_at(&upper, upper.most - 1);
    *low = first + (low_at - below_low) * (smallest_at(&lower, below_low + 1) - first);
    *high = last + (high_at - below_high) * (-smallest_at(&upper, upper.most - 2) - last);
}

void stats_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                          int resamples, uint64_t seed, double *low, double *high)
{
    struct resampling resampling;
    *low = *high = NAN;
    if (resampling_make(&resampling, a_count, b_count, resamples, seed)) return;
    resampling_interval(&resampling, a, b, low, high);
    resampling_free(&resampling);
}
