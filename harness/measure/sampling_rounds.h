/*
 * The rounds in which all series of one problem size take turns, by the method of
 * measure/measure_run.h: who takes part, in which order, when it ends and why. The series are the
 * caller's, with room for their samples; nothing else is kept.
 */
#ifndef WHYFAST_SAMPLING_ROUNDS_H
#define WHYFAST_SAMPLING_ROUNDS_H

#include "measure/gpu_timer.h"

/* Where samples come from: takes one of a series (0, or a failure that ends the rounds); and a
 * clock, in seconds. */
struct sampler {
    int (*sample)(void *context, const struct series *series, double *time_ns, double *clock_mhz);
    double (*seconds)(void *context);
    void *context;
};

/* The order statistics of six samples are the fewest that hold the median with 95 %. */
enum { LEAST_OF_SLOW = 6 };

/* Whether a series that has so many samples, which took it `seconds`, takes part in the next
 * round when its share of the time is share_seconds. */
int series_goes_on(int samples, double seconds, double share_seconds);

/* Takes samples of `count` series until all that still take part have converged or have
 * most_samples; marks the throttled ones, and says of each series why it ended. The order of
 * each round comes from *random. */
int sampling_rounds_run(struct series *series, int count, int most_samples, double most_seconds,
                        uint64_t *random, const struct sampler *sampler);

#endif
