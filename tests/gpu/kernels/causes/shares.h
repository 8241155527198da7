/*
 * Shares code between the pairs of unequal blocks and of the last wave: each block advances a share
 * of the tiles of 1024 words, tile after tile. Unused shared memory keeps other blocks off the SM,
 * so an SM works on one block at a time. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_SHARES_H
#define TESTS_GPU_CAUSES_SHARES_H

#include "causes.h"

enum { SHARES_BLOCK = 1024, SHARES_JUMPS = 128 };

#ifdef __CUDACC__

static __device__ inline void shares_advance(const uint32_t *in, uint32_t *out, uint64_t even,
                                             uint64_t odd, unsigned jumps, unsigned tile,
                                             unsigned end)
{
#pragma unroll 1
    for (; tile < end; tile++) {
        const unsigned i = tile * SHARES_BLOCK + threadIdx.x;
        const uint32_t word = in[i];
        out[i] = causes_advance(word, causes_jump_of(word, even, odd), jumps);
    }
}

/* A launch of a kernel (..., jumps per word, number of tiles). */
static void shares_plan(const struct work *work, struct launch *launch, const void *function,
                        unsigned blocks)
{
    causes_plan(work, launch, function, SHARES_BLOCK, 1, SHARES_JUMPS);
    launch_integer(launch, SHARES_JUMPS);
    launch_integer(launch, launch->grid[0]);
    launch->grid[0] = blocks;
    launch->dynamic_shared = CAUSES_ONE_BLOCK;
}

#endif
#endif
