/*
 * Defines the pair of residency: each thread reads word after word with one read in flight, so the
 * read rate of an SM follows its number of threads. Unused shared memory keeps other blocks off the
 * SM; its size is a launch parameter, and both rungs run the same instructions in the same grid.
 * Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_RESIDENCY_H
#define TESTS_GPU_CAUSES_RESIDENCY_H

#include "causes.h"

enum { RESIDENCY_BLOCK = 512, RESIDENCY_WORDS = 16 };

#ifdef __CUDACC__

/* Not unrolled: the next read waits for the previous write, and that for the previous read. */
static __global__ void causes_one_by_one(const uint32_t *in, uint32_t *out, uint64_t even,
                                         uint64_t odd)
{
    const unsigned first = blockIdx.x * (RESIDENCY_BLOCK * RESIDENCY_WORDS) + threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < RESIDENCY_WORDS; k++) {
        const unsigned i = first + k * RESIDENCY_BLOCK;
        const uint32_t word = in[i];
        out[i] = causes_leap(word, causes_jump_of(word, even, odd));
    }
}

static void residency_plan(const struct work *work, struct launch *launch, size_t unused_shared)
{
    causes_plan(work, launch, (const void *)causes_one_by_one, RESIDENCY_BLOCK, RESIDENCY_WORDS, 1);
    launch->dynamic_shared = unused_shared;
}

#endif
#endif
