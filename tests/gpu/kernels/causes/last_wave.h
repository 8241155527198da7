/*
 * Defines the pair of the last wave: all blocks have equal shares, and the grid is two blocks for
 * each SM, or one more. Only the grid differs. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_LAST_WAVE_H
#define TESTS_GPU_CAUSES_LAST_WAVE_H

#include "shares.h"

#ifdef __CUDACC__

/* All blocks get equally many tiles, except that some get one more. */
static __global__ void __launch_bounds__(SHARES_BLOCK)
    causes_in_waves(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd, unsigned jumps,
                    unsigned tiles)
{
    shares_advance(in, out, even, odd, jumps, tiles * blockIdx.x / gridDim.x,
                   tiles * (blockIdx.x + 1) / gridDim.x);
}

/* Two blocks for each SM, and some more. */
static void waves_plan(const struct work *work, struct launch *launch, unsigned more)
{
    shares_plan(work, launch, (const void *)causes_in_waves, 2 * (unsigned)work->sm_count + more);
}

#endif
#endif
