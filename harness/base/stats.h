/*
 * Computes statistics of samples: order statistics, intervals, bootstrap. Nothing is owned; arrays
 * are the caller's.
 */
#ifndef WHYFAST_STATS_H
#define WHYFAST_STATS_H

#include <stddef.h>
#include <stdint.h>

void stats_sort(double *values, size_t count); /* ascending */

/* Returns the quantile q in [0, 1] of a sorted array, linear between neighbours (type 7 in R), or
 * NAN if the array is empty. */
double stats_quantile(const double *sorted, size_t count, double q);

/* Sorts times and spreads equal ones evenly over the resolution of their clock, if that is more
 * than 2 % of their median and they are not all equal: quantiles are then those of grouped data.
 * The resolution is their greatest common divisor. */
void stats_sort_times(double *times, size_t count);

double stats_median(double *values, size_t count); /* sorts them */

/* An interval of fewer samples is unknown. */
enum { STATS_LEAST_SAMPLES = 6 };

/* Computes the 95 % interval of the median by order statistics (binomial, no assumption on the
 * distribution). low and high are NAN below STATS_LEAST_SAMPLES. */
void stats_median_interval(const double *sorted, size_t count, double *low, double *high);

/* The places of the medians of resamples of two sorted arrays. They depend on the sizes of the
 * arrays alone, so that many pairs of the same sizes need them drawn once. Freed with free. */
struct stats_resamples {
    size_t count; /* 0 if an interval cannot be had */
    struct {
        unsigned short a[2], b[2]; /* the two values in the middle */
    } middle[];
};

/* Draws `count` pairs of resamples from `seed`. Returns NULL, with a message, when out of memory.
 */
struct stats_resamples *stats_resamples_draw(size_t a_count, size_t b_count, int count,
                                             uint64_t seed);

/* Computes the 95 % percentile bootstrap interval of median(a) / median(b), two sorted arrays, from
 * drawn resamples. low and high are NAN if these are NULL, or of fewer than STATS_LEAST_SAMPLES
 * values, or fewer than 40. Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap
 * (1993), chapter 13. */
void stats_resamples_interval(const struct stats_resamples *resamples, const double *a,
                              const double *b, double *low, double *high);

/* Returns the next random word of a state (splitmix64). */
uint64_t stats_random(uint64_t *state);

/* Returns the next random index below `count`, which is from 1 to 2^32. */
size_t stats_draw(uint64_t *state, size_t count);

/* Returns the median of a resample that holds sorted[i] drawn[i] times, or NAN if it is empty. */
double stats_counted_median(const double *sorted, const unsigned short *drawn, size_t count);

#endif
