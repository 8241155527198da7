/*
 * Defines the pair of bank conflicts by asynchronous copies: a block copies a tile of 32 x 32 words
 * into shared memory, transposed on the way, and writes the results to the mirrored tile of a
 * symmetric matrix. The lanes of a copy have slots there that are `pitch` words apart. The pitch is
 * an argument: both rungs run the same instructions. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_ASYNC_CONFLICTS_H
#define TESTS_GPU_CAUSES_ASYNC_CONFLICTS_H

#include "causes.h"

enum { ASYNC_BLOCK = 256, ASYNC_WORDS = CAUSES_TILE * CAUSES_TILE / ASYNC_BLOCK };

#ifdef __CUDACC__

/* Both the reads of the slots and the accesses to global memory are free of conflicts and
 * coalesced. Compiled for an older architecture, it copies nothing. */
static __global__ void causes_mirrored_tiles(const uint32_t *in, uint32_t *out, uint64_t even,
                                             uint64_t odd, unsigned log2_side, unsigned pitch)
{
    __shared__ uint32_t slots[CAUSES_TILE * (CAUSES_TILE + 1)];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned log2_tiles = log2_side - CAUSES_LOG2_TILE;
    const unsigned row = blockIdx.x >> log2_tiles << CAUSES_LOG2_TILE;
    const unsigned column = (blockIdx.x & ((1u << log2_tiles) - 1)) << CAUSES_LOG2_TILE;
#if __CUDA_ARCH__ >= 800
    const uint32_t *from = &in[((row + warp) << log2_side) + column + lane];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&slots[lane * pitch + warp]);
#pragma unroll
    for (unsigned k = 0; k < ASYNC_WORDS; k++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" /* the planted access */
                     ::"r"(to + k * (ASYNC_BLOCK / 32) * 4),
                     "l"(from + ((size_t)(k * (ASYNC_BLOCK / 32)) << log2_side))
                     : "memory");
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
#endif
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < ASYNC_WORDS; k++) {
        const unsigned c = warp + k * (ASYNC_BLOCK / 32);
        const uint32_t word = slots[c * pitch + lane];
        out[((column + c) << log2_side) + row + lane] =
            causes_leap(word, causes_jump_of(word, even, odd));
    }
}

static void async_plan(const struct work *work, struct launch *launch, unsigned pitch)
{
    causes_plan(work, launch, (const void *)causes_mirrored_tiles, ASYNC_BLOCK, ASYNC_WORDS, 1);
    launch_integer(launch, causes_log2(causes_side(work->point.shape.dim[0])));
    launch_integer(launch, pitch);
}

#endif
#endif
