/*
 * Sums over a thread block with cooperative groups in two ways, both from the source: a tree in
 * shared memory, and warp tiles that exchange registers. Source: L. Mao, CUDA Cooperative Groups
 * (2024). Nothing is owned.
 */
#ifndef KERNELS_GROUP_SUM_H
#define KERNELS_GROUP_SUM_H

#include <stdint.h>

#include "catalog/variant.h"

/* Sizes from the source: 256 threads per block and, in the sum over everything, 1024 elements for
 * each thread. */
enum { GROUP_THREADS = 256, GROUP_ELEMENTS = 262144 };

static inline uint64_t group_blocks(uint64_t n)
{
    return (n + GROUP_ELEMENTS - 1) / GROUP_ELEMENTS;
}

#ifdef __CUDACC__
/* Without this, cooperative groups include libcu++, which takes three times as long to compile as
 * all the rest. */
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>

static_assert(GROUP_THREADS % 32 == 0, "a block has whole warps");
static_assert(GROUP_ELEMENTS % GROUP_THREADS == 0, "each thread sums as many elements");

/* Sums the elements in[t], in[t + 256], ... of `count` by the loop of the source: one load in each
 * turn, unless the compiler unrolls it. */
static __device__ inline float group_sum_in_turn(const float *in, uint64_t count)
{
    float sum = 0;
    for (uint64_t i = threadIdx.x; i < count; i += GROUP_THREADS) sum += in[i];
    return sum;
}

/* The same with up to eight loads in flight together. */
static __device__ inline float group_sum_of_thread(const float *in, uint64_t count)
{
    enum { TOGETHER = 8 };
    uint64_t i = threadIdx.x;
    float sum = 0;
    for (; i + (TOGETHER - 1) * GROUP_THREADS < count; i += TOGETHER * GROUP_THREADS) {
        float x[TOGETHER];
#pragma unroll
        for (unsigned k = 0; k < TOGETHER; k++) x[k] = in[i + k * GROUP_THREADS];
#pragma unroll
        for (unsigned k = 0; k < TOGETHER; k++) sum += x[k];
    }
    for (; i < count; i += GROUP_THREADS) sum += in[i];
    return sum;
}

/* Version 1: the whole block halves the sums in shared memory, with a barrier after each round.
 * Every thread gets the sum. */
static __device__ inline float group_sum_shared(float x)
{
    __shared__ float sum[GROUP_THREADS];
    const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    const unsigned t = block.thread_rank();
    block.sync(); /* a previous sum may still be in use */
    sum[t] = x;
    block.sync();
    for (unsigned distance = GROUP_THREADS / 2; distance > 0; distance /= 2) {
        if (t < distance) sum[t] += sum[t + distance];
        block.sync();
    }
    return sum[0];
}

/* Version 2: tiles of 32 threads sum by shuffles, then every thread adds up the tiles' results.
 * Every thread gets the sum. */
static __device__ inline float group_sum_tiles(float x)
{
    __shared__ float of_tile[GROUP_THREADS / 32];
    const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    const cooperative_groups::thread_block_tile<32> tile =
        cooperative_groups::tiled_partition<32>(block);
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) x += tile.shfl_down(x, distance);
    block.sync();
    if (tile.thread_rank() == 0) of_tile[tile.meta_group_rank()] = x;
    block.sync();
    float sum = 0;
#pragma unroll
    for (unsigned i = 0; i < GROUP_THREADS / 32; i++) sum += of_tile[i];
    return sum;
}
#endif
#endif
