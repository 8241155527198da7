/*
 * Shares the problem between the rungs with contended atomic additions: the sum of all words and of
 * the seven numbers that a random number generator makes of each. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_ATOMICS_H
#define TESTS_GPU_CAUSES_ATOMICS_H

#include "../planted.h"

enum {
    ATOMICS_BLOCK = 256,
    ATOMICS_WORDS = 64, /* of a thread */
    ATOMICS_NUMBERS = 8,
    ATOMICS_SLOTS = 1024,
    ATOMICS_SECTOR = 8, /* words */
    ATOMICS_FOLD = 1024
};

/* The quick generator of Numerical Recipes. */
#define ATOMICS_NEXT(number) (1664525u * (number) + 1013904223u)

/* For variant.refuses. */
static inline const char *atomics_refuse(const struct point *point, int compute_capability)
{
    const uint64_t n = point->shape.dim[0];
    (void)compute_capability;
    return n % (ATOMICS_BLOCK * ATOMICS_WORDS) == 0 && n <= 1u << 30
               ? NULL
               : "the number of words must be a multiple of 16384, 1073741824 or less";
}

/* A sector of scratch memory for each warp. */
static inline uint64_t atomics_targets(uint64_t n)
{
    return n / (32 * ATOMICS_WORDS) * ATOMICS_SECTOR;
}

#ifdef __CUDACC__

static __device__ inline uint32_t atomics_sum_of_warp(uint32_t sum)
{
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
}

#endif
#endif
