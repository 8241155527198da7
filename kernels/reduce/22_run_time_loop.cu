/*
 * Rung 22: kernel 7 as the slides print it.
 *
 * Blocks of 128 threads stride over the input. Each thread adds pairs of elements to its word of
 * shared memory, in a loop whose length is known only at run time; the unrolled tree of rung 6
 * follows. The number of blocks is the setting, so that the elements per thread follow from it: the
 * slides recommend 64 to 256 blocks with 1024 to 4096 elements per thread. Two things differ from
 * the print: both elements of a pair are tested, so that any number is summed, and the last warp
 * has the barriers of rung 5. The compiler keeps the word of a thread in a register until the
 * barrier, so that the loop itself does not access shared memory.
 *
 * Remaining cost: each step of the loop tests its bounds, and a thread has few loads in flight.
 */
#include "reduce.h"

enum { BLOCK = 128, FEWEST_BLOCKS = 64 };

static __global__ void reduce_run_time_loop(const unsigned *in, unsigned *out, uint64_t n)
{
    __shared__ unsigned sum[BLOCK];
    const unsigned t = threadIdx.x;
    sum[t] = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK * 2 + t; i < n;
         i += (uint64_t)gridDim.x * BLOCK * 2)
        sum[t] += in[i] + (i + BLOCK < n ? in[i + BLOCK] : 0);
    reduce_tree<BLOCK>(sum, t);
    if (t == 0) out[blockIdx.x] = sum[0];
}

/* Blocks of a launch over n elements: the setting, but no block without a pair. */
static uint64_t blocks_of(const struct point *point, uint64_t n)
{
    const uint64_t most = reduce_blocks(n, 2 * BLOCK), asked = (uint64_t)point->sweep;
    return asked < most ? asked : most;
}

static const char *refuses(const struct point *point, int)
{
    return point->sweep > FEWEST_BLOCKS &&
                   (uint64_t)point->sweep > reduce_blocks(point->shape.dim[0], 2 * BLOCK)
               ? "there would be more blocks than pairs of elements for their threads"
               : NULL;
}

static unsigned launch_count(const struct point *point)
{
    unsigned count = 1;
    for (uint64_t n = blocks_of(point, point->shape.dim[0]); n > 1; n = blocks_of(point, n))
        count++;
    return count;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct point *point = &work->point;
    unsigned *half[2] = {(unsigned *)work->scratch,
                         (unsigned *)work->scratch + reduce_partials(point->shape.dim[0])};
    struct reduce_level level = {.n = point->shape.dim[0]};
    for (unsigned i = 0; i < index; i++) level.n = blocks_of(point, level.n);
    level.blocks = (unsigned)blocks_of(point, level.n);
    level.in = index == 0 ? (const unsigned *)work->input[0] : half[(index - 1) % 2];
    level.out = level.blocks == 1 ? (unsigned *)work->output : half[index % 2];
    reduce_plan(launch, (const void *)reduce_run_time_loop, &level, BLOCK, 0);
}

/* The fastest of the settings has as many blocks, and as many elements per thread, as the slides
 * recommend. */
#define AS_ON_THE_G80(size)                                                                        \
    {                                                                                              \
        "The best performance is with 64 to 256 blocks of 128 threads and 1024 to 4096 elements "  \
        "per thread (of the G80 in the slides; here: the fastest setting at this size is one of "  \
        "these).",                                                                                 \
            "Liu, Reduction slides (after Harris)", "Algorithm Cascading", size,                   \
            "grid_blocks BETWEEN 64 AND 256 AND (useful_operations + 1) / 128 / grid_blocks "      \
            "BETWEEN 1024 AND 4096"                                                                \
    }

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Loop at run time",
    .after = "06_fully_unrolled",
    .suffers = "A thread loads two elements and then works through a tree: too few loads are in "
               "flight to hide the latency of memory.",
    .changes = "Each thread adds as many pairs as necessary to its word of shared memory, in a "
               "loop at run time, as the slides print it.",
    .pays = "Each step of the loop tests its bounds, and a thread has few loads in flight.",
    .full_only = 1,
    .sweep_name = "blocks",
    .sweep_text = "blocks of 128 threads in the first launch",
    .sweep_values = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384},
    .claims = {AS_ON_THE_G80("16777216"), AS_ON_THE_G80("67108864"), AS_ON_THE_G80("134217728")},
    .refuses = refuses,
    .launch_count = launch_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
