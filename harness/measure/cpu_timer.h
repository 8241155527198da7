/*
 * Times variants that run on the CPU. They are references, so few samples are enough. Nothing is
 * owned; the samples are the series'.
 *
 * Method: the monotonic clock around the call, while the GPU idles. The CPU's caches are not
 * flushed (they can be larger than the input), so the series is a warm one. The two series of a
 * point, of which the second is the twin for the noise floor, take turns.
 */
#ifndef WHYFAST_CPU_TIMER_H
#define WHYFAST_CPU_TIMER_H

#include "measure/gpu_timer.h"

/* Fills two series of one point: at least 7 samples each, at most 25, until most_seconds have
 * passed. Returns 0 or FAIL_INTERRUPTED. */
int cpu_timer_samples(const struct workbench *bench, struct series *a, struct series *b,
                      double most_seconds);

#endif
