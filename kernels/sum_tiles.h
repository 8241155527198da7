/*
 * Divides sums into tiles whose size suits their length, and finishes them in the first block, for
 * every family that adds up. Nothing is owned; the only state is the mail of sum_by_first_block,
 * which that block empties.
 *
 * A thread has up to four loads of 16 bytes in flight, its part of a tile. While that is enough,
 * each block has one tile and there are at most two blocks for each SM: a shorter sum gets smaller
 * tiles rather than fewer blocks, because it ends sooner if every SM has a part of it, and more
 * blocks take longer to launch and to add up. Longer sums get up to four tiles for each block, as
 * many as the other blocks, then one wave of blocks, and from four waves on blocks of four tiles
 * that others replace, so that each SM takes as many as it can.
 */
#ifndef KERNELS_SUM_TILES_H
#define KERNELS_SUM_TILES_H

#include "sum.h"

enum {
    SUM_LEAST_TILE = 1024, /* elements of an array */
    SUM_MOST_TILE = 8192,
    SUM_PAIR = 2,             /* blocks for each SM, if they share a short sum evenly */
    SUM_WAVE = 3,             /* blocks of the largest tiles that fit on an SM */
    SUM_FEW_TILES = 4,        /* of a block that is replaced */
    SUM_FEW_WAVES = 4,        /* of such blocks: fewer would end unevenly */
    SUM_MOST_BLOCKS = 1 << 15 /* of a grid whose first block finishes */
};

/* A grid of `blocks` blocks that take tiles of `tile` elements in turn. */
struct sum_division {
    unsigned tile, blocks;
};

/* Divides n elements into tiles of least_tile to most_tile, a power of two times as many. */
static inline struct sum_division sum_divide(uint64_t n, unsigned least_tile, unsigned most_tile,
                                             int sm_count)
{
    const uint64_t sms = (uint64_t)sm_count, pairs = SUM_PAIR * sms, wave = SUM_WAVE * sms;
    unsigned tile = least_tile;
    while (tile < most_tile && n > pairs * tile) tile *= 2;
    const uint64_t tiles = (n + tile - 1) / tile;
    uint64_t each = (tiles + pairs - 1) / pairs;
    if (each > SUM_FEW_TILES) {
        if (tiles < SUM_FEW_TILES * SUM_FEW_WAVES * wave)
            return (struct sum_division){tile, (unsigned)wave};
        each = (tiles + SUM_MOST_BLOCKS - 1) / SUM_MOST_BLOCKS;
        if (each < SUM_FEW_TILES) each = SUM_FEW_TILES;
    }
    return (struct sum_division){tile, (unsigned)((tiles + each - 1) / each)};
}

/* For tiles from SUM_LEAST_TILE to SUM_MOST_TILE: the threads of a block, and the instance of a
 * kernel template <BLOCK, VECTORS>. The smallest blocks have 128 threads; smaller tiles leave these
 * with fewer loads. */
static inline unsigned sum_tile_block(unsigned tile)
{
    return tile > 2048 ? tile / 16 : 128;
}

#define SUM_KERNEL(kernel, tile)                                                                   \
    ((tile) == 1024   ? kernel<128, 2>                                                             \
     : (tile) == 2048 ? kernel<128, 4>                                                             \
     : (tile) == 4096 ? kernel<256, 4>                                                             \
                      : kernel<512, 4>)

#ifdef __CUDACC__

/* The elements of an array as terms of a sum. A thread has a `four` or a `one` of them in flight.
 */
template <typename T> struct sum_of_array {
    typedef sum_vector<T> four;
    typedef T one;
    const T *in;

    __device__ four load(uint64_t i) const
    {
        return sum_load(reinterpret_cast<const sum_vector<T> *>(in) + i);
    }
    __device__ one load_one(uint64_t i) const
    {
        return in[i];
    }
    static __device__ T add(T sum, const four &x)
    {
        return sum + sum_of_vector(x);
    }
    static __device__ T add_one(T sum, one x)
    {
        return sum + x;
    }
};

/* Returns one thread's sum of the terms [start, end), when THREADS threads take a tile together,
 * and tiles part, part + parts, ... are theirs. VECTORS groups of four are in flight per thread.
 * Part 0 also takes the terms before the first and after the last whole group. */
template <unsigned THREADS, unsigned VECTORS, typename T, template <typename> class Terms>
static __device__ inline T sum_of_tiles(const Terms<T> &terms, uint64_t start, uint64_t end,
                                        unsigned thread, unsigned part, unsigned parts)
{
    typedef typename Terms<T>::four four;
    typedef typename Terms<T>::one one;
    const uint64_t from = (start + 3) / 4, to = end / 4, tile = THREADS * VECTORS;
    one before = one(), after = one();
    T sum = 0;
    if (part == 0) {
        if (thread < 4 * from - start && start + thread < end)
            before = terms.load_one(start + thread);
        if (from <= to && thread < end - 4 * to) after = terms.load_one(4 * to + thread);
    }
    for (uint64_t first = from + part * tile; first < to; first += parts * tile) {
        const uint64_t mine = first + thread;
        four x[VECTORS];
        if (first + tile <= to) {
#pragma unroll
            for (unsigned k = 0; k < VECTORS; k++) x[k] = terms.load(mine + k * THREADS);
        } else {
#pragma unroll
            for (unsigned k = 0; k < VECTORS; k++)
                x[k] = mine + k * THREADS < to ? terms.load(mine + k * THREADS) : four();
        }
#pragma unroll
        for (unsigned k = 0; k < VECTORS; k++) sum = Terms<T>::add(sum, x[k]);
    }
    return Terms<T>::add_one(Terms<T>::add_one(sum, before), after);
}

/* The partial sums on their way to the first block of their row of the grid: 2^32 plus the bits of
 * a float, or 0 where none has arrived. */
static __device__ unsigned long long sum_mail[SUM_MOST_BLOCKS];

/* Finishes the sum over each row of the grid, at most SUM_MOST_BLOCKS blocks in total, in its first
 * block: that one waits for each partial sum, which comes in one word with the sign that it is
 * there, so neither a fence nor a second access is needed. The order of the additions is always
 * the same. Thread 0 of each block has its sum in x. Each first block keeps its place on an SM
 * while it waits for blocks that may not have started, so the device must hold more blocks than
 * the grid has rows. */
template <unsigned BLOCK> static __device__ inline void sum_by_first_block(float x, float *out)
{
    unsigned long long *mail = sum_mail + blockIdx.y * gridDim.x;
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0)
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(mail + blockIdx.x),
                         "l"(1ull << 32 | __float_as_uint(x))
                         : "memory");
        return;
    }
    float sum = threadIdx.x == 0 ? x : 0;
    for (unsigned i = threadIdx.x > 0 ? threadIdx.x : BLOCK; i < gridDim.x; i += BLOCK) {
        unsigned long long arrived;
        do
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(arrived)
                         : "l"(mail + i)
                         : "memory");
        while (arrived == 0);
        mail[i] = 0;
        sum += __uint_as_float((unsigned)arrived);
    }
    if (gridDim.x > 1) {
        __syncthreads(); /* the words of sum_block have been read */
        sum = sum_block<SUM_XOR, BLOCK>(sum);
    }
    if (threadIdx.x == 0) out[blockIdx.y] = sum;
}

#endif
#endif
