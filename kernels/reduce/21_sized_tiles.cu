/*
 * Rung 21: tiles whose size suits n.
 *
 * Rung 15 has two kinds of blocks and switches between them at as many tiles of 8192 elements as
 * there are SMs: just below, a thread has one load of 16 bytes in flight, and the grid has six
 * blocks for each SM. Here there are four sizes of tiles, from 1024 elements, so that there is one
 * for each block and at most two blocks for each SM. Short sums then have fewer blocks to launch
 * and to add up, and all their loads are in flight at once. If that makes more than one tile of
 * 8192 elements for each block, up to four, all blocks have the same number. The loads of the
 * last tile, which may be incomplete, are also in flight together, where rung 15 makes them one
 * after another. A sum of one block needs no atomic.
 *
 * Remaining cost: up to 2^20 elements the launch of an empty grid is most of the time; a large
 * input must be read once.
 */
#include "sum_tiles.h"

#include "reduce.h"

template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    reduce_sized_tiles(const unsigned *in, unsigned *out, uint64_t n)
{
    const sum_of_array<unsigned> terms = {in};
    const unsigned sum = sum_block<SUM_REDUX, BLOCK>(
        sum_of_tiles<BLOCK, VECTORS>(terms, 0, n, threadIdx.x, blockIdx.x, gridDim.x));
    if (gridDim.x > 1)
        reduce_add_and_count(sum, out);
    else if (threadIdx.x == 0)
        *out = sum;
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    const struct sum_division division =
        sum_divide(n, SUM_LEAST_TILE, SUM_MOST_TILE, work->sm_count);
    launch->grid[0] = division.blocks;
    launch->block[0] = sum_tile_block(division.tile);
    launch_kernel(launch, SUM_KERNEL(reduce_sized_tiles, division.tile), work->input[0],
                  work->output, n);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tiles sized by n",
    .after = "15_few_tiles",
    .suffers = "Short sums have six blocks for each SM and one load in flight per thread.",
    .changes = "Tiles get smaller with n, from 8192 elements to 1024, so that each block has one "
               "and there are at most two blocks for each SM.",
    .pays = "Up to 2^20 elements the launch of an empty grid is most of the time.",
    .claims =
        {
            {"The kernel is no slower than the library.", "whyfast", "Aim of the top rung", NULL,
             "NOT slower_than_library"},
            {"The kernel reaches at least 4600 GB/s of useful bytes at 2 GiB.", "whyfast",
             "Aim of the top rung", "536870912", "effective_gbs >= 4600", 0, 0, "H200"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
