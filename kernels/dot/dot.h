/*
 * Shares code between the rungs of the dot product: a launch with as many threads as the device
 * holds, for which their registers are limited, and the end of each block: a sum by xor shuffles
 * and one atomicAdd to the result, which was cleared before. Nothing is owned.
 */
#ifndef KERNELS_DOT_H
#define KERNELS_DOT_H

#include "sum.h"
#include "catalog/variant.h"

enum { DOT_BLOCK = 256, DOT_BLOCKS_PER_SM = 8 };

/* One launch of a kernel (a, b, n, out) with the same number of threads for every n: one wave, or
 * one thread per element if n is smaller. */
static inline void dot_plan(const struct work *work, struct launch *launch, const void *function)
{
    launch->function = function;
    launch->grid[0] =
        sum_grid(work->point.shape.dim[0], DOT_BLOCK, work->sm_count, DOT_BLOCKS_PER_SM);
    launch->block[0] = DOT_BLOCK;
    launch->clear_output = 1;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->input[1]);
    launch_integer(launch, work->point.shape.dim[0]);
    launch_pointer(launch, work->output);
}

static __device__ inline uint64_t dot_thread()
{
    return (uint64_t)blockIdx.x * DOT_BLOCK + threadIdx.x;
}

static __device__ inline uint64_t dot_threads()
{
    return (uint64_t)gridDim.x * DOT_BLOCK;
}

static __device__ inline void dot_add_block(float sum, float *out)
{
    sum = sum_block<SUM_XOR, DOT_BLOCK>(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

/* Returns this thread's sum of products when neighbouring threads take neighbouring groups of four
 * elements. */
static __device__ inline float dot_of_thread_wide(const float *a, const float *b, uint64_t n)
{
    const uint64_t vectors = n / 4;
    const float4 *a4 = reinterpret_cast<const float4 *>(a),
                 *b4 = reinterpret_cast<const float4 *>(b);
    float sum = 0;
    for (uint64_t i = dot_thread(); i < vectors; i += dot_threads()) {
        const float4 x = a4[i], y = b4[i];
        sum = fmaf(x.w, y.w, fmaf(x.z, y.z, fmaf(x.y, y.y, fmaf(x.x, y.x, sum))));
    }
    if (dot_thread() < n % 4) sum = fmaf(a[n - 1 - dot_thread()], b[n - 1 - dot_thread()], sum);
    return sum;
}
#endif
