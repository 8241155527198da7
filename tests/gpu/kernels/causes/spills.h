/*
 * Defines the pair of spills: each thread keeps 64 words and works through all of them in each
 * round. BLOCKS_PER_SM tells the compiler how many blocks to make room for; unused shared memory
 * limits both rungs to one block per SM. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_SPILLS_H
#define TESTS_GPU_CAUSES_SPILLS_H

#include "causes.h"

enum { SPILLS_BLOCK = 256, SPILLS_WORDS = 64, SPILLS_JUMPS = 32 };

#ifdef __CUDACC__

/* The words of a thread are of one kind: in the rows they are SPILLS_BLOCK apart, a multiple of two
 * tiles, and those of a block are in at most 32 rows, which are one row of tiles. */
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
            word[k] = causes_leap(word[k], jump); /* spilled if registers do not suffice */
    }
#pragma unroll
    for (unsigned k = 0; k < SPILLS_WORDS; k++) out[first + k * SPILLS_BLOCK] = word[k];
}

static void spills_plan(const struct work *work, struct launch *launch, const void *function)
{
    causes_plan(work, launch, function, SPILLS_BLOCK, SPILLS_WORDS, SPILLS_JUMPS);
    launch_integer(launch, SPILLS_JUMPS);
    launch->dynamic_shared = CAUSES_ONE_BLOCK;
}

#endif
#endif
