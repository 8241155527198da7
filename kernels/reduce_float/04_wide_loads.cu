/*
 * Rung 4: one wave of large blocks, float4 loads; the last block finishes the sum.
 *
 * Blocks of 512 threads fill each SM once and stride over the input; every thread has four loads of
 * 16 bytes in flight. Warps sum by shuffles, because no instruction adds up floats. The block that
 * arrives last sums the few hundred partial sums: the order of additions, and so the result, is the
 * same in every run. Inputs too small to give every SM a tile are cut into smaller ones.
 *
 * Remaining cost: every byte must be read once, and a last block works alone for a microsecond.
 */
#include "sum.h"

#include "reduce_float.h"

template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    reduce_float_wide_loads(const float *in, float *out, uint64_t n, float *partial)
{
    const float sum = sum_block<SUM_XOR, BLOCK>(sum_of_thread_wide<BLOCK, VECTORS>(in, n));
    sum_by_last_block<SUM_XOR, BLOCK>(sum, partial, out);
}

enum { LARGE = 512, SMALL = 256, LARGE_VECTORS = 4, BLOCKS_PER_SM = 4 };

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0], tile = 4 * LARGE * LARGE_VECTORS;
    const int large = n >= tile * (uint64_t)work->sm_count;
    launch->function = large ? (const void *)reduce_float_wide_loads<LARGE, LARGE_VECTORS>
                             : (const void *)reduce_float_wide_loads<SMALL, 1>;
    launch->grid[0] = sum_grid(n, large ? tile : 4 * SMALL, work->sm_count,
                               large ? BLOCKS_PER_SM : 2 * BLOCKS_PER_SM);
    launch->block[0] = large ? LARGE : SMALL;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, n);
    launch_pointer(launch, work->scratch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads, last block finishes",
    .after = "02_tiles",
    .suffers = "Loads move only four bytes, and there is a second launch.",
    .changes = "One wave of blocks has 512 threads each and four 16-byte loads in flight per "
               "thread; the last block to arrive sums the partial sums.",
    .pays = "Every byte must be read once, and the last block works alone.",
    .claims =
        {
            {"Wide loads need a quarter of the load instructions (here: 0.24 to 0.26 of them).",
             "NVIDIA technical blog, Increase Performance with Vectorized Memory Access",
             "Vectorized loads", NULL,
             "abs(global_load_instructions / prev_global_load_instructions - 0.25) < 0.01"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
