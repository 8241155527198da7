/*
 * Defines the pair of bank conflicts: each word passes through shared memory between two jumps, and
 * the lanes of a warp have slots there that are `apart` words apart. The distance is an argument:
 * both rungs run the same instructions. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_BANK_CONFLICTS_H
#define TESTS_GPU_CAUSES_BANK_CONFLICTS_H

#include "causes.h"

enum { CONFLICTS_BLOCK = 256, CONFLICTS_JUMPS = 16, CONFLICTS_MOST_APART = 4 };

#ifdef __CUDACC__

static __global__ void causes_through_shared(const uint32_t *in, uint32_t *out, uint64_t even,
                                             uint64_t odd, unsigned jumps, unsigned apart)
{
    __shared__ uint32_t slots[CONFLICTS_BLOCK * CONFLICTS_MOST_APART];
    const unsigned i = blockIdx.x * CONFLICTS_BLOCK + threadIdx.x;
    volatile uint32_t *const slot =
        &slots[threadIdx.x / 32 * 32 * CONFLICTS_MOST_APART + threadIdx.x % 32 * apart];
    uint32_t word = in[i];
    const uint64_t jump = causes_jump_of(word, even, odd);
#pragma unroll 4
    for (unsigned done = 0; done < jumps; done++) {
        *slot = causes_leap(word, jump); /* the planted access, and the next jump */
        word = *slot;
    }
    out[i] = word;
}

static void conflicts_plan(const struct work *work, struct launch *launch, unsigned apart)
{
    causes_plan(work, launch, (const void *)causes_through_shared, CONFLICTS_BLOCK, 1,
                CONFLICTS_JUMPS);
    launch_integer(launch, CONFLICTS_JUMPS);
    launch_integer(launch, apart);
}

#endif

/* A store and a load of every warp and jump, each `apart`-way for 1, 2 and 4 words. */
static inline double conflicts_excess(const struct point *point, unsigned apart)
{
    return (double)(point->shape.dim[0] / 32) * 2 * CONFLICTS_JUMPS * (apart - 1);
}

#endif
