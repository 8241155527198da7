/*
 * Defines the pair of barriers: there are as many rounds as warps in a block, and in each round one
 * warp has work, all of its own. With BARRIERS the block synchronises at the end of every round, so
 * the warps take turns; without, each continues. Nothing else differs. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_BARRIERS_H
#define TESTS_GPU_CAUSES_BARRIERS_H

#include "causes.h"

enum { BARRIERS_BLOCK = 512, BARRIERS_JUMPS = 64 };

#ifdef __CUDACC__

template <bool BARRIERS>
static __global__ void causes_turns(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd,
                                    unsigned jumps, unsigned rounds)
{
    const unsigned i = blockIdx.x * BARRIERS_BLOCK + threadIdx.x;
    const unsigned warp = __shfl_sync(
        ~0u, threadIdx.x / 32, 0); /* otherwise the compiler recomputes it after each barrier */
    uint32_t word = in[i];
    const uint64_t jump = causes_jump_of(word, even, odd);
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++) {
        if (round == warp) word = causes_advance(word, jump, jumps);
        if (BARRIERS) __syncthreads(); /* the planted barrier */
    }
    out[i] = word;
}

static void barriers_plan(const struct work *work, struct launch *launch, const void *function)
{
    causes_plan(work, launch, function, BARRIERS_BLOCK, 1, BARRIERS_JUMPS);
    launch_integer(launch, BARRIERS_JUMPS);
    launch_integer(launch, BARRIERS_BLOCK / 32);
}

#endif
#endif
