/*
 * Runs the rounds in which all series of one problem size take turns (the method is described in
 * measure/gpu_timer.h): which series take part, in which order, when the rounds end and why. The
 * series are the caller's, with room for their samples; nothing else is kept.
 */
#ifndef WHYFAST_SAMPLING_ROUNDS_H
#define WHYFAST_SAMPLING_ROUNDS_H

#include "measure/gpu_timer.h"

struct rounds {
    struct series *series;
    int count, most_samples;
    double most_seconds; /* in equal shares for the series */
    uint64_t *random;    /* gives the order of each round */
    /* takes one sample of a series; a failure ends the rounds */
    int (*sample)(void *context, const struct series *series, struct sample *sample);
    double (*seconds)(void *context); /* a clock; NULL: the system's monotonic clock */
    void *context;
};

/* The fewest samples whose order statistics hold the median with 95 %. */
enum { LEAST_OF_SLOW = 6 };

/* Returns 1 if a series takes part in the next round, else 0: it has that many samples, which took
 * `seconds`, and share_seconds is its share of the time. */
int series_goes_on(int samples, double seconds, double share_seconds);

/* Takes samples of the series until all that still take part have converged or have most_samples.
 * Marks throttled samples, and sets each series' stop_reason. */
int sampling_rounds_run(const struct rounds *rounds);

#endif
