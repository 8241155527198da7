/*
 * Provides the building blocks of sums on the device, for every family that adds up: sums over a
 * warp, over a block and over the grid, and 16-byte loads. T is unsigned or float. Nothing is
 * owned; the only state is the ticket of sum_last_block, which resets itself.
 */
#ifndef KERNELS_SUM_H
#define KERNELS_SUM_H

#include <stdint.h>

#include "catalog/variant.h"

enum { SUM_WARP = 32 };

/* Returns the number of blocks of a grid in which each takes at least `per_block` elements and an
 * SM holds `per_sm` blocks: at least 1. */
static inline unsigned sum_grid(uint64_t n, uint64_t per_block, int sm_count, int per_sm)
{
    const uint64_t wanted = (n + per_block - 1) / per_block,
                   wave = (uint64_t)sm_count * (uint64_t)per_sm;
    return (unsigned)(wanted < wave ? wanted : wave);
}

#ifdef __CUDACC__

/* Ways for the lanes of a warp to add up: by xor shuffles, after which every lane has the sum; by
 * shuffles down, after which lane 0 has it; by the reduction instruction, which is for integers
 * only and falls back to xor shuffles before compute capability 8.0. */
enum sum_way { SUM_XOR, SUM_DOWN, SUM_REDUX };

/* Sums over each group of LANES lanes, a power of two; SUM_REDUX takes whole warps only. */
template <sum_way WAY, unsigned LANES = SUM_WARP, typename T>
static __device__ inline T sum_warp(T x)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (WAY == SUM_REDUX)
        return __reduce_add_sync(0xFFFFFFFFu, x);
    else
#endif
    {
#pragma unroll
        for (unsigned distance = LANES / 2; distance > 0; distance /= 2)
            x += WAY == SUM_DOWN ? __shfl_down_sync(0xFFFFFFFFu, x, distance)
                                 : __shfl_xor_sync(0xFFFFFFFFu, x, distance);
        return x;
    }
}

/* Sums over a block of whole warps; thread 0 gets the result. A second call needs a block barrier
 * in between. */
template <sum_way WAY, unsigned BLOCK, typename T> static __device__ inline T sum_block(T x)
{
    __shared__ T of_warp[SUM_WARP];
    const unsigned lane = threadIdx.x % SUM_WARP, warp = threadIdx.x / SUM_WARP;
    x = sum_warp<WAY>(x);
    if (lane == 0) of_warp[warp] = x;
    __syncthreads();
    if (warp > 0) return 0;
    return sum_warp<WAY>(lane < BLOCK / SUM_WARP ? of_warp[lane] : T(0));
}

/* Blocks that have arrived; the last one resets it to 0. */
static __device__ unsigned sum_arrived;

/* Stores the block's sum, which thread 0 has, at partial[blockIdx.x]. Returns true in all threads
 * of the block that arrives last: it then sees the partial sums of all blocks if it reads them with
 * __ldcg. */
template <typename T> static __device__ inline bool sum_is_last_block(T x, T *partial)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __stcg(&partial[blockIdx.x], x);
        __threadfence();
        last = atomicInc(&sum_arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    return last;
}

/* Finishes the sum over the grid in the block that arrives last. The order of the additions does
 * not depend on the order of arrival, so a float sum is the same in every run. */
template <sum_way WAY, unsigned BLOCK, typename T>
static __device__ inline void sum_by_last_block(T x, T *partial, T *out)
{
    if (!sum_is_last_block(x, partial)) return;
    T sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) sum += __ldcg(&partial[i]);
    sum = sum_block<WAY, BLOCK>(sum);
    if (threadIdx.x == 0) *out = sum;
}

/* Four neighbouring elements, aligned so that they move in one access of 16 bytes. */
template <typename T> struct alignas(16) sum_vector {
    T x, y, z, w;
};

/* A 16-byte load that bypasses the L1 cache: data that are read once need not stay there. */
static __device__ inline sum_vector<unsigned> sum_load(const sum_vector<unsigned> *from)
{
    sum_vector<unsigned> v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v;
}

static __device__ inline sum_vector<float> sum_load(const sum_vector<float> *from)
{
    sum_vector<float> v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from));
    return v;
}

template <typename T> static __device__ inline T sum_of_vector(const sum_vector<T> &v)
{
    return (v.x + v.y) + (v.z + v.w);
}

/* Returns the sum of one thread's elements when the grid strides over the input in tiles of BLOCK x
 * VECTORS vectors: VECTORS independent loads per thread are in flight together. `in` is aligned to
 * 16 bytes. */
template <unsigned BLOCK, unsigned VECTORS, typename T>
static __device__ inline T sum_of_thread_wide(const T *in, uint64_t n)
{
    const uint64_t vectors = n / 4, tile = (uint64_t)BLOCK * VECTORS;
    const sum_vector<T> *from = reinterpret_cast<const sum_vector<T> *>(in);
    T sum = 0;
    for (uint64_t start = blockIdx.x * tile; start < vectors; start += gridDim.x * tile) {
        if (start + tile <= vectors) {
            sum_vector<T> v[VECTORS];
#pragma unroll
            for (unsigned k = 0; k < VECTORS; k++)
                v[k] = sum_load(from + start + k * BLOCK + threadIdx.x);
#pragma unroll
            for (unsigned k = 0; k < VECTORS; k++) sum += sum_of_vector(v[k]);
        } else {
            for (uint64_t i = start + threadIdx.x; i < vectors; i += BLOCK)
                sum += sum_of_vector(sum_load(from + i));
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) sum += in[4 * vectors + threadIdx.x];
    return sum;
}

#endif
#endif
