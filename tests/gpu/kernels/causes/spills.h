/*
 * The pair of spills: each thread keeps 64 words and works through all of them in each round.
 * BLOCKS_PER_SM is what the compiler is told to make room for; shared memory that nobody uses keeps
 * it at one block per SM in both rungs. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_SPILLS_H
#define TESTS_GPU_CAUSES_SPILLS_H

#include "causes.h"

enum { SPILLS_BLOCK = 256, SPILLS_WORDS = 64, SPILLS_JUMPS = 32 };

#ifdef __CUDACC__

/* The words of a thread are of one kind: they lie SPILLS_BLOCK apart in the rows, which is a
 * multiple of two tiles, and those of a block in at most 32 rows, which are one row of tiles. */
template <unsigned BLOCKS_PER_SM>
static __global__ void __launch_bounds__(SPILLS_BLOCK, BLOCKS_PER_SM)
    causes_many_words(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd,
                      unsigned jumps)
{
    const size_t first = (size_t)blockIdx.x * (SPILLS_BLOCK * SPILLS_WORDS) + threadIdx.x;
    uint32_t word[SPILLS_WORDS];
#pragma unroll
    for (unsigned k = 0; k < SPILLS_WORDS; k++) word[k] = in[first + k * SPILLS_BLOCK];
    const uint64_t jump = causes_jump_of(word[0], even, odd);
#pragma unroll 1
    for (unsigned done = 0; done < jumps; done++) {
#pragma unroll
        for (unsigned k = 0; k < SPILLS_WORDS; k++)
            word[k] = causes_leap(word[k], jump); /* where registers do not suffice */
    }
#pragma unroll
    for (unsigned k = 0; k < SPILLS_WORDS; k++) out[first + k * SPILLS_BLOCK] = word[k];
}

static void spills_plan(const struct work *work, const void *function, struct launch *launch)
{
    causes_plan(work, launch, function, SPILLS_BLOCK, SPILLS_WORDS, SPILLS_JUMPS);
    launch_integer(launch, SPILLS_JUMPS);
    launch->dynamic_shared = CAUSES_ONE_BLOCK;
}

#endif
#endif
