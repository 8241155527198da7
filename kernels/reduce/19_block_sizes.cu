/*
 * Rung 19: the ten block sizes of the slides.
 *
 * Rung 6 has its block's size as a template argument. The slides choose among ten instances at run
 * time, for blocks of 1 to 512 threads; here the size is the setting. A block leaves one sum of
 * twice as many elements as it has threads, so that small blocks need more launches.
 *
 * Remaining cost: each thread loads only two elements.
 */
#include "reduce.h"

template <unsigned BLOCK>
static __global__ void reduce_block_sizes(const unsigned *in, unsigned *out, uint64_t n)
{
    __shared__ unsigned sum[BLOCK + 32]; /* idle lanes of the last warp read beyond the block */
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK * 2 + t;
    const uint64_t j = i + BLOCK;
    sum[t] = (i < n ? in[i] : 0) + (j < n ? in[j] : 0);
    __syncthreads();
    if (BLOCK >= 512) {
        if (t < 256) sum[t] += sum[t + 256];
        __syncthreads();
    }
    if (BLOCK >= 256) {
        if (t < 128) sum[t] += sum[t + 128];
        __syncthreads();
    }
    if (BLOCK >= 128) {
        if (t < 64) sum[t] += sum[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        if (BLOCK >= 64) reduce_fold(sum, t, 32);
        if (BLOCK >= 32) reduce_fold(sum, t, 16);
        if (BLOCK >= 16) reduce_fold(sum, t, 8);
        if (BLOCK >= 8) reduce_fold(sum, t, 4);
        if (BLOCK >= 4) reduce_fold(sum, t, 2);
        if (BLOCK >= 2) reduce_fold(sum, t, 1);
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

static const void *kernel_of(int threads)
{
    switch (threads) {
    case 1: return (const void *)reduce_block_sizes<1>;
    case 2: return (const void *)reduce_block_sizes<2>;
    case 4: return (const void *)reduce_block_sizes<4>;
    case 8: return (const void *)reduce_block_sizes<8>;
    case 16: return (const void *)reduce_block_sizes<16>;
    case 32: return (const void *)reduce_block_sizes<32>;
    case 64: return (const void *)reduce_block_sizes<64>;
    case 128: return (const void *)reduce_block_sizes<128>;
    case 256: return (const void *)reduce_block_sizes<256>;
    case 512: return (const void *)reduce_block_sizes<512>;
    }
    return NULL;
}

static const char *refuses(const struct point *point, int)
{
    return point->sweep < 64 && point->shape.dim[0] > REDUCE_SMALL
               ? "above 2^22 elements, blocks of fewer than 64 threads leave more partial sums "
                 "than the scratch memory holds"
               : NULL;
}

static unsigned launch_count(const struct point *point)
{
    return reduce_level_count(point->shape.dim[0], 2 * (uint64_t)point->sweep);
}

/* The partial sums of the first launch are half as many as the elements at most, rounded up; those
 * of the next follow behind them. */
static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0], per_block = 2 * (uint64_t)work->point.sweep;
    unsigned *const first = (unsigned *)work->scratch, *const half[2] = {
                                                           first,
                                                           first + reduce_blocks(n, per_block)};
    struct reduce_level level = {.n = reduce_level_length(n, per_block, index)};
    level.blocks = (unsigned)reduce_blocks(level.n, per_block);
    level.in = index == 0 ? (const unsigned *)work->input[0] : half[(index - 1) % 2];
    level.out = level.blocks == 1 ? (unsigned *)work->output : half[index % 2];
    reduce_plan(launch, kernel_of(work->point.sweep), &level, work->point.sweep, 0);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Blocks of 1 to 512",
    .after = "06_fully_unrolled",
    .suffers = "The size of the block is fixed at compile time.",
    .changes = "There are ten instances of the kernel, for blocks of 1 to 512 threads.",
    .pays = "Each thread loads only two elements; small blocks need many launches.",
    .full_only = 1,
    .sweep_name = "threads per block",
    .sweep_text = "threads per block, a template argument of the kernel",
    .sweep_values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
    .refuses = refuses,
    .launch_count = launch_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
