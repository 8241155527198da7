/*
 * Defines the pair of divergence: words of either kind take their own path, with the same work on
 * both. Bits 5 and `bit` of a thread's index are exchanged to give the index of its word: with bit
 * 6 warps exchange their words, with bit 4 half warps do. The bit is an argument: both rungs run
 * the same instructions, and a warp reads four sectors either way. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_DIVERGENCE_H
#define TESTS_GPU_CAUSES_DIVERGENCE_H

#include "causes.h"

enum { DIVERGENCE_BLOCK = 256, DIVERGENCE_JUMPS = 128 };

#ifdef __CUDACC__

/* Separate loops keep the compiler from turning the branch into a selection of numbers. */
static __global__ void causes_two_paths(const uint32_t *in, uint32_t *out, uint64_t even,
                                        uint64_t odd, unsigned jumps, unsigned bit)
{
    const unsigned thread = blockIdx.x * DIVERGENCE_BLOCK + threadIdx.x;
    const unsigned differ = (thread >> 5 ^ thread >> bit) & 1;
    const unsigned i = thread ^ (differ << 5 | differ << bit);
    uint32_t word = in[i];
    if (word >> 31) /* the planted branch */
        word = causes_advance(word, odd, jumps);
    else
        word = causes_advance(word, even, jumps);
    out[i] = word;
}

static void divergence_plan(const struct work *work, struct launch *launch, unsigned bit)
{
    causes_plan(work, launch, (const void *)causes_two_paths, DIVERGENCE_BLOCK, 1,
                DIVERGENCE_JUMPS);
    launch_integer(launch, DIVERGENCE_JUMPS);
    launch_integer(launch, bit);
}

#endif
#endif
