/*
 * Statistics of samples: order statistics, intervals, bootstrap. Nothing but a struct resampling is
 * owned; arrays are the caller's.
 */
#ifndef WHYFAST_STATS_H
#define WHYFAST_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending. */
void stats_sort(double *values, size_t count);

/* Quantile q in [0, 1] of a sorted array, linear between neighbours (the definition that R calls
 * type 7); NAN when empty. */
double stats_quantile(const double *sorted, size_t count, double q);

/* 95 % interval of the median by order statistics (binomial, no assumption on the distribution);
 * low and high are NAN below 6 samples. */
void stats_median_interval(const double *sorted, size_t count, double *low, double *high);

/* 95 % percentile bootstrap interval of median(a) / median(b), both resampled independently,
 * `resamples` times from `seed`. The arrays are sorted. Source: B. Efron and R. Tibshirani, An
 * Introduction to the Bootstrap (1993), chapter 13. */
void stats_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                          int resamples, uint64_t seed, double *low, double *high);

/* What that draws hangs on the numbers of samples and the seed alone, not on the samples: the
 * places of the medians of all resamples, drawn once, serve every pair of series of these
 * lengths. Many resamples have the same places. */
struct resampling {
    size_t a_count, b_count;
    int resamples, count; /* how many of them have places of their own */
    struct median_places {
        unsigned short a[2], b[2]; /* the two samples in the middle; of an odd number one, twice */
        int times;
    } * places; /* NULL where there are too few samples, or too many, for an interval */
    struct many_ratios {
        double value;
        int times;
    } * ends; /* where resampling_interval works */
};

/* Owns its places until resampling_free. FAIL_OUTPUT when memory is short. */
int resampling_make(struct resampling *resampling, size_t a_count, size_t b_count, int resamples,
                    uint64_t seed);
void resampling_free(struct resampling *resampling);

/* stats_ratio_interval of two sorted series of these lengths. */
void resampling_interval(const struct resampling *resampling, const double *a, const double *b,
                         double *low, double *high);

/* splitmix64: the next random word of a state. */
uint64_t stats_random(uint64_t *state);

/* The next random index below `count` (from 1 to 2^32). */
size_t stats_draw(uint64_t *state, size_t count);

/* Median of a resample: sorted[i] is in it drawn[i] times. NAN where nothing is drawn. */
double stats_counted_median(const double *sorted, const unsigned short *drawn, size_t count);

#endif
