/*
 * From the samples of a ceiling's kernel to its value, and from the kernel to the sum of its
 * results: arithmetic of the host alone. Nothing is owned.
 */
#ifndef WHYFAST_CEILING_VALUES_H
#define WHYFAST_CEILING_VALUES_H

#include "measure/ceiling_kernels.h"

struct ceiling_samples {
    int count;
    const int *round; /* each `count` long; in ascending order */
    const double *time_ns, *clock_mhz;
    const unsigned char *throttled; /* 1: set aside */
};

struct ceiling_value {
    double value, low, high; /* median with its 95 % interval; NAN where it cannot be told */
    double sm_clock_mhz;     /* median */
    int samples;             /* that were not set aside */
};

/* The samples' own times. */
int ceiling_value_time(const struct ceiling_samples *samples, struct ceiling_value *value);

/* amount / (time - empty_ns): how fast, apart from what any launch costs. */
int ceiling_value_rate(const struct ceiling_samples *samples, double amount, double empty_ns,
                       struct ceiling_value *value);

/* What each of `further` launches adds: the differences between samples of one round, of which
 * neither was set aside, over `further`. All return 0, or FAIL_OUTPUT without memory. */
int ceiling_value_next(const struct ceiling_samples *one, const struct ceiling_samples *many,
                       int further, struct ceiling_value *value);

/* What a launch does, in the unit of its ceiling times nanoseconds: bytes, thousands of
 * floating-point operations, or operations; 0 for an empty kernel. */
double ceiling_amount(const struct ceiling_launch *launch);

/* What the sums of a launch add up to, modulo 2^32; 0 for kernels without a sum. */
uint32_t ceiling_sum(const struct ceiling_launch *launch);

#endif
