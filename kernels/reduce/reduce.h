/*
 * What every rung of the reduction ladder shares: the finish by relaunching. A sum over many blocks leaves one partial sum per block; the
 * same kernel is launched again on the partial sums until one is left, because the end of a launch is the only barrier over the whole grid
 * that the sources have. Ownership: nothing is owned; the pointers lead into the buffers of struct work.
 */
#ifndef KERNELS_REDUCE_H
#define KERNELS_REDUCE_H

#include "variant.h"

/* One launch of the chain: `blocks` blocks read n elements at `in` and write one sum each to `out`. */
struct reduce_level {
    const unsigned *in;
    unsigned *out;
    uint64_t n;
    unsigned blocks;
};

/* The family's scratch holds two arrays of partial sums, used in turn; this is the length of each: one sum per smallest block. */
static inline uint64_t reduce_partials(uint64_t n)
{
    return (n + 127) / 128;
}

static inline uint64_t reduce_blocks(uint64_t n, uint64_t per_block)
{
    return (n + per_block - 1) / per_block;
}

/* How many launches it takes until one sum is left, when each block sums `per_block` elements. At least 1, also for n = 1. */
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

static inline struct reduce_level reduce_level(const struct work *work, uint64_t per_block, unsigned index)
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
static inline void reduce_plan(struct launch *launch, const void *function, const struct reduce_level *level, int block,
                               size_t dynamic_shared)
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

/* Closed form of the rungs whose warps always read neighbouring words: no two lanes ever meet in a bank. */
static inline double reduce_no_conflicts(const struct point *point, unsigned index)
{
    (void)point;
    (void)index;
    return 0;
}

#ifdef __CUDACC__
/* One step of a warp's own tree: sum[t] += sum[t + distance], t < 32. All lanes read, then all write: lanes beyond the useful half add what
 * nobody will read, as in the sources. The barriers of the warp are what the sources do without and hardware since Volta needs. */
static __device__ inline void reduce_fold(unsigned *sum, unsigned t, unsigned distance)
{
    const unsigned other = sum[t + distance];
    __syncwarp();
    sum[t] += other;
    __syncwarp();
}
#endif

#endif
