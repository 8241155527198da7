/*
 * Computes the value of a ceiling from the samples of its kernel, and the sum that the kernel must
 * give; on the host alone. Nothing is owned.
 */
#ifndef WHYFAST_CEILING_VALUES_H
#define WHYFAST_CEILING_VALUES_H

#include "catalog/series_plan.h"
#include "measure/ceiling_kernels.h"

enum { CEILING_SAMPLES = 50 /* at most */ };

struct ceiling_samples {
    int count;
    const struct sample *sample; /* by round */
};

struct ceiling_value {
    double value, low, high; /* median with its 95 % interval; NAN: unknown */
    double sm_clock_mhz;     /* median */
    int samples;             /* that were not set aside */
};

/* The median time of the samples. */
struct ceiling_value ceiling_value_time(const struct ceiling_samples *samples);

/* amount / (time - empty_ns): the rate without the cost of a launch. */
struct ceiling_value ceiling_value_rate(const struct ceiling_samples *samples, double amount,
                                        double empty_ns);

/* The cost of each of `further` launches: differences between samples of one round, if neither is
 * set aside, over `further`. */
struct ceiling_value ceiling_value_next(const struct ceiling_samples *one,
                                        const struct ceiling_samples *many, int further);

/* The amount of a launch, in the unit of its ceiling times nanoseconds: bytes, thousands of
 * floating-point operations, or operations; 0 for an empty kernel. */
double ceiling_amount(const struct ceiling_launch *launch);

/* The sum of a launch's results, modulo 2^32; 0 for kernels without a sum. */
uint32_t ceiling_sum(const struct ceiling_launch *launch);

#endif
