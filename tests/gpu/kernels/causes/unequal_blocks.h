/*
 * Defines the pair of unequal blocks: two blocks share their tiles by quarters. The number of
 * quarters for the first is an argument: both rungs run the same instructions. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_UNEQUAL_BLOCKS_H
#define TESTS_GPU_CAUSES_UNEQUAL_BLOCKS_H

#include "shares.h"

#ifdef __CUDACC__

/* Two blocks share as many tiles as any other two; the first gets `quarters` quarters of them. */
static __global__ void __launch_bounds__(SHARES_BLOCK)
    causes_in_pairs(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd, unsigned jumps,
                    unsigned tiles, unsigned quarters)
{
    const unsigned pair = blockIdx.x / 2, pairs = gridDim.x / 2;
    const unsigned first = tiles * pair / pairs, end = tiles * (pair + 1) / pairs;
    const unsigned middle = first + (end - first) * quarters / 4; /* the planted share */
    const bool is_second = blockIdx.x % 2;
    shares_advance(in, out, even, odd, jumps, is_second ? middle : first, is_second ? end : middle);
}

/* One block for each SM, or one less: an even number. */
static void pairs_plan(const struct work *work, struct launch *launch, unsigned quarters)
{
    shares_plan(work, launch, (const void *)causes_in_pairs, (unsigned)work->sm_count / 2 * 2);
    launch_integer(launch, quarters);
}

#endif
#endif
