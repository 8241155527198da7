/*
 * Shares code between the rungs of the reduction ladder. The first part finishes a sum by
 * relaunching: each block leaves a partial sum, and the same kernel runs again on the partial sums
 * until one is left. The slides do this because the end of a launch is their only barrier over the
 * whole grid. The second part has the block's tree and the loads of a thread, which rungs 6 to 12
 * share, and the plan of rungs with a single launch. Nothing is owned; the pointers point into the
 * buffers of struct work.
 */
#ifndef KERNELS_REDUCE_H
#define KERNELS_REDUCE_H

#include "catalog/variant.h"

/* One launch of the chain: `blocks` blocks read n elements at `in` and each write a sum to
 * `out`. */
struct reduce_level {
    const unsigned *in;
    unsigned *out;
    uint64_t n;
    unsigned blocks;
};

/* The family's scratch holds two arrays of partial sums, used in turn; this is the length of each:
 * one sum for each block of the smallest size. */
static inline uint64_t reduce_partials(uint64_t n)
{
    return (n + 127) / 128;
}

/* Up to this size the scratch memory holds the partial sums of blocks of any size, even of one
 * thread: a half and a quarter of the elements. */
#define REDUCE_SMALL ((uint64_t)1 << 22)

static inline uint64_t reduce_scratch_words(uint64_t n)
{
    return n <= REDUCE_SMALL ? n + 2 : 2 * reduce_partials(n);
}

static inline uint64_t reduce_blocks(uint64_t n, uint64_t per_block)
{
    return (n + per_block - 1) / per_block;
}

/* Returns the number of launches until one sum is left, if each block sums `per_block` elements. At
 * least 1, also for n = 1. */
static inline unsigned reduce_level_count(uint64_t n, uint64_t per_block)
{
    unsigned count = 1;
    for (n = reduce_blocks(n, per_block); n > 1; n = reduce_blocks(n, per_block)) count++;
    return count;
}

/* Length of the input of launch `index`. */
static inline uint64_t reduce_level_length(uint64_t n, uint64_t per_block, unsigned index)
{
    while (index-- > 0) n = reduce_blocks(n, per_block);
    return n;
}

static inline struct reduce_level reduce_level(const struct work *work, uint64_t per_block,
                                               unsigned index)
{
    const uint64_t n = work->point.shape.dim[0];
    unsigned *half[2] = {(unsigned *)work->scratch, (unsigned *)work->scratch + reduce_partials(n)};
    struct reduce_level level;
    level.n = reduce_level_length(n, per_block, index);
    level.blocks = (unsigned)reduce_blocks(level.n, per_block);
    level.in = index == 0 ? (const unsigned *)work->input[0] : half[(index - 1) % 2];
    level.out = level.blocks == 1 ? (unsigned *)work->output : half[index % 2];
    return level;
}

/* Fills the launch of one level for a kernel with the parameters (in, out, n). */
static inline void reduce_plan(struct launch *launch, const void *function,
                               const struct reduce_level *level, int block, size_t dynamic_shared)
{
    launch->function = function;
    launch->grid[0] = level->blocks;
    launch->block[0] = (unsigned)block;
    launch->dynamic_shared = dynamic_shared;
    launch_pointer(launch, level->in);
    launch_pointer(launch, level->out);
    launch_integer(launch, level->n);
}

/* Rungs that sum one or two elements per thread. */
static inline unsigned reduce_count_1(const struct point *point)
{
    return reduce_level_count(point->shape.dim[0], (uint64_t)point->block);
}

static inline unsigned reduce_count_2(const struct point *point)
{
    return reduce_level_count(point->shape.dim[0], 2 * (uint64_t)point->block);
}

#ifdef __CUDACC__
/* For variant.plan of a kernel (in, out, n) that is launched again until one sum is left: each
 * thread sums EACH elements and has a word of shared memory. */
template <auto KERNEL, unsigned EACH>
static inline void reduce_relaunch(const struct work *work, unsigned index, struct launch *launch)
{
    const int block = work->point.block;
    const struct reduce_level level = reduce_level(work, EACH * (uint64_t)block, index);
    reduce_plan(launch, (const void *)KERNEL, &level, block, (size_t)block * sizeof(unsigned));
}

/* One step of a warp's own tree: sum[t] += sum[t + distance], t < 32. All lanes read, then all
 * write: lanes beyond the useful half compute values that are never read, as in the sources. The
 * sources omit these warp barriers; hardware since Volta needs them. */
static __device__ inline void reduce_fold(unsigned *sum, unsigned t, unsigned distance)
{
    const unsigned other = sum[t + distance];
    __syncwarp();
    sum[t] += other;
    __syncwarp();
}

/* The unrolled tree over a block's shared memory; sum[0] holds the result for thread 0. */
template <unsigned BLOCK> static __device__ inline void reduce_tree(unsigned *sum, unsigned t)
{
    __syncthreads();
    if (BLOCK >= 256) {
        if (t < 128) sum[t] += sum[t + 128];
        __syncthreads();
    }
    if (BLOCK >= 128) {
        if (t < 64) sum[t] += sum[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        reduce_fold(sum, t, 32);
        reduce_fold(sum, t, 16);
        reduce_fold(sum, t, 8);
        reduce_fold(sum, t, 4);
        reduce_fold(sum, t, 2);
        reduce_fold(sum, t, 1);
    }
}

/* Returns the sum of one thread's elements, two per step. The grid strides over the input, so a
 * warp always reads neighbouring words. */
template <unsigned BLOCK, unsigned LOADS>
static __device__ inline unsigned reduce_sum_of_thread(const unsigned *in, uint64_t n)
{
    const uint64_t start = (uint64_t)blockIdx.x * BLOCK * 2;
    const uint64_t step = (uint64_t)gridDim.x * BLOCK * 2;
    unsigned sum = 0;
    if (start + (LOADS - 1) * step + 2 * BLOCK <= n) {
        /* The whole block lies inside the input: without bounds checks the loads of several steps
         * can be in flight together. */
        const unsigned *next = in + start + threadIdx.x;
#pragma unroll 8
        for (unsigned k = 0; k < LOADS; k++, next += step) sum += next[0] + next[BLOCK];
        return sum;
    }
    for (uint64_t i = start + threadIdx.x; i < n; i += step) {
        sum += in[i];
        if (i + BLOCK < n) sum += in[i + BLOCK];
    }
    return sum;
}

/* The sum of the blocks that have arrived, and their number in the lower half; 0 between launches,
 * which never overlap. */
static __device__ unsigned long long reduce_sum_and_count;

/* Finishes the sum over the grid with one atomic per block; thread 0 has the block's sum. */
static __device__ inline void reduce_add_and_count(unsigned sum, unsigned *out)
{
    if (threadIdx.x > 0) return;
    const unsigned long long before =
        atomicAdd(&reduce_sum_and_count, (unsigned long long)sum << 32 | 1);
    if ((unsigned)before < gridDim.x - 1) return;
    *out = (unsigned)(before >> 32) + sum;
    reduce_sum_and_count = 0;
}

/* The instance of a kernel template <BLOCK, LOADS> for a point of a rung that sweeps REDUCE_LOADS.
 */
#define REDUCE_LOADS                                                                               \
    {                                                                                              \
        4, 16, 64                                                                                  \
    }
#define REDUCE_KERNEL(kernel, point)                                                               \
    ((point)->block == 128 ? REDUCE_KERNEL_LOADS(kernel, 128, (point)->sweep)                      \
                           : REDUCE_KERNEL_LOADS(kernel, 256, (point)->sweep))
#define REDUCE_KERNEL_LOADS(kernel, block, loads)                                                  \
    ((loads) == 4    ? (const void *)kernel<block, 4>                                              \
     : (loads) == 16 ? (const void *)kernel<block, 16>                                             \
                     : (const void *)kernel<block, 64>)
#endif

/* Returns the number of elements that a block sums when each thread makes `sweep` steps of two. */
static inline uint64_t reduce_per_block(const struct point *point)
{
    return 2 * (uint64_t)point->block * (uint64_t)point->sweep;
}

/* One launch over the whole input for a kernel with the parameters (in, out, n, partial):
 * partial sums go to the scratch buffer, the result to the output. */
static inline void reduce_plan_once(const struct work *work, struct launch *launch,
                                    const void *function, unsigned blocks, unsigned block)
{
    launch->function = function;
    launch->grid[0] = blocks;
    launch->block[0] = block;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[0]);
    launch_pointer(launch, work->scratch);
}

/* The same for a rung that sweeps REDUCE_LOADS. */
static inline void reduce_plan_loads(const struct work *work, struct launch *launch,
                                     const void *function)
{
    const struct point *point = &work->point;
    reduce_plan_once(work, launch, function,
                     (unsigned)reduce_blocks(point->shape.dim[0], reduce_per_block(point)),
                     (unsigned)point->block);
}

/* ---- for variant.published ------------------------------------------------------------------- */

/* A row of the slides' table. The peak of the G80 is not theirs. */
#define LIU_G80(time_ns, gbs)                                                                      \
    {                                                                                              \
        "Liu, Reduction slides (after Harris)", "G80", 86.4, "4194304", 128, 0, time_ns, gbs,      \
            NULL, "Harris, Optimizing Parallel Reduction in CUDA"                                  \
    }

#endif
