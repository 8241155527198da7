/*
 * Hands over the partial sums of tiles whose slices are shared: a block leaves its part in memory,
 * and the block that began the tile adds it. Nothing is owned; the only state is the flags of
 * parts, which are clear between launches: the block that waits for one clears it.
 */
#ifndef KERNELS_GEMM_TENSOR_PARTIAL_TILES_H
#define KERNELS_GEMM_TENSOR_PARTIAL_TILES_H

#include "tile_walk.h"

/* The number of the barrier of consumer 0 alone; that of consumer 1 follows. */
enum { CONSUMER_BARRIER = 1 };

enum {
    MOST_BLOCKS = 448, /* whose partial tiles fit into the workspace */
    MOST_PARTS = 2     /* of a block */
};

/* Whether a block has left a part. */
static __device__ unsigned part_is_there[MOST_BLOCKS * MOST_PARTS];

/* Partial tiles are stored in the threads' layout, four sums at a time. */
template <typename S>
static __device__ inline float4 *partial_of(const struct problem &p, int block, int part,
                                            int thread)
{
    return (float4 *)p.partial +
           (size_t)(block * S::parts + part) * (S::blocks * S::width * WGMMA_M / 4) + thread;
}

template <typename S>
static __device__ inline void leave_partial(const struct problem &p, int group, int thread,
                                            const float (&sum)[S::blocks][S::width / 2])
{
    static_assert((int)S::parts <= (int)MOST_PARTS, "a flag for each part");
    const int part = group % S::parts;
    float4 *to = partial_of<S>(p, blockIdx.x, part, thread);
#pragma unroll
    for (int i = 0; i < S::blocks; i++)
#pragma unroll
        for (int j = 0; j < S::width / 8; j++)
            __stcg(to + (i * S::width / 8 + j) * WARPGROUP,
                   make_float4(sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2],
                               sum[i][4 * j + 3]));
    __threadfence();
    barrier_of(CONSUMER_BARRIER + group, WARPGROUP);
    if (thread == 0) flag_set(part_is_there + blockIdx.x * S::parts + part);
}

template <typename S>
static __device__ inline void add_partials(const struct problem &p, const struct walk &walk,
                                           int tile, int group, int thread,
                                           float (&sum)[S::blocks][S::width / 2])
{
    const int end = (tile - walk.whole + 1) * walk.slices, part = group % S::parts;
    int unit = walk.unit;
    for (int done = walk.next; done < end;) {
        done = share_begin(walk, ++unit + 1);
        const int block = unit * S::cluster + blockIdx.x % S::cluster;
        if (thread == 0) flag_take(part_is_there + block * S::parts + part);
        barrier_of(CONSUMER_BARRIER + group, WARPGROUP);
        const float4 *from = partial_of<S>(p, block, part, thread);
#pragma unroll
        for (int i = 0; i < S::blocks; i++)
#pragma unroll
            for (int j = 0; j < S::width / 8; j++) {
                const float4 v = __ldcg(from + (i * S::width / 8 + j) * WARPGROUP);
                sum[i][4 * j] += v.x;
                sum[i][4 * j + 1] += v.y;
                sum[i][4 * j + 2] += v.z;
                sum[i][4 * j + 3] += v.w;
            }
    }
}

#endif
