/*
 * Shares the problem and the kernel between the rungs with a modulo and a mask: a word is advanced
 * by 30 steps of a random number generator; after each, its remainder by a power of two is added
 * up, by 2, 4, 8 and so on. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_REMAINDERS_H
#define TESTS_GPU_CAUSES_REMAINDERS_H

#include "../planted.h"

enum { REMAINDERS_BLOCK = 256, REMAINDERS_STEPS = 30 };

/* The quick generator of Numerical Recipes. */
#define REMAINDERS_NEXT(word) (1664525u * (word) + 1013904223u)

/* For variant.refuses. */
static inline const char *remainders_refuse(const struct point *point, int compute_capability)
{
    const uint64_t n = point->shape.dim[0];
    (void)compute_capability;
    return n % REMAINDERS_BLOCK == 0 && n <= 1u << 30
               ? NULL
               : "the number of words must be a multiple of 256, 1073741824 or less";
}

#ifdef __CUDACC__

/* The first divisor is an argument, so the compiler does not know that all are powers of two. */
template <bool MODULO>
static __global__ void remainders_sum(const uint32_t *in, uint32_t *out, unsigned steps,
                                      unsigned divisor)
{
    const unsigned i = blockIdx.x * REMAINDERS_BLOCK + threadIdx.x;
    uint32_t word = in[i], sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < steps; step++) {
        word = REMAINDERS_NEXT(word);
        sum += MODULO ? word % divisor : word & (divisor - 1); /* the planted operation */
        divisor *= 2;
    }
    out[i] = sum;
}

static void remainders_plan(const struct work *work, struct launch *launch, const void *function)
{
    launch->function = function;
    launch->grid[0] = (unsigned)(work->point.shape.dim[0] / REMAINDERS_BLOCK);
    launch->block[0] = REMAINDERS_BLOCK;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, REMAINDERS_STEPS);
    launch_integer(launch, 2);
}

#endif
#endif
