/*
 * Rung 6: tiles whose size suits n; the first block collects the partial sums.
 *
 * Rung 5 finishes with a store of the partial sum, a fence, an atomic ticket and a load of all
 * partial sums, one after another. Here the first block waits for the partial sums, each of which
 * arrives in one 64-bit word together with the sign that it is there: one way to the L2 cache and
 * one back. No atomic adds up floats and counts blocks at once, as in the ladder of integers. The
 * order of the additions is the same in every run. With so cheap a finish, large inputs do without
 * bulk copies: blocks of four tiles replace one another, so that each SM takes as many as it can,
 * and the first block collects while others still read.
 *
 * As in the ladder of integers there are four sizes of tiles, so that a short sum has one for each
 * block and at most two blocks for each SM, with all loads in flight at once.
 *
 * Remaining cost: up to 2^20 elements the launch of an empty grid is most of the time; a large
 * input must be read once.
 */
#include "sum_tiles.h"

template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    reduce_float_first_block(const float *in, float *out, uint64_t n)
{
    const sum_of_array<float> terms = {in};
    const float sum = sum_block<SUM_XOR, BLOCK>(
        sum_of_tiles<BLOCK, VECTORS>(terms, 0, n, threadIdx.x, blockIdx.x, gridDim.x));
    sum_by_first_block<BLOCK>(sum, out);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    const struct sum_division division =
        sum_divide(n, SUM_LEAST_TILE, SUM_MOST_TILE, work->sm_count);
    launch->grid[0] = division.blocks;
    launch->block[0] = sum_tile_block(division.tile);
    launch_kernel(launch, SUM_KERNEL(reduce_float_first_block, division.tile), work->input[0],
                  work->output, n);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "First block collects",
    .after = "05_bulk_copies",
    .suffers = "A partial sum is stored, fenced, counted by an atomic and read again, one after "
               "another; a short sum has one load in flight per thread.",
    .changes = "The first block waits for words that carry a partial sum and the sign that it is "
               "there. Tiles get smaller with n, so that each block of a short sum has one.",
    .pays = "Up to 2^20 elements the launch of an empty grid is most of the time.",
    .claims =
        {
            {"The kernel is no slower than the library.", "whyfast", "Aim of the top rung", NULL,
             "NOT slower_than_library"},
            {"A short sum gains from smaller tiles and a finish without a fence and a ticket.",
             "whyfast", "Aim of the top rung", "4194304", "faster = 1"},
            {"The kernel reaches at least 4600 GB/s of useful bytes at 2 GiB.", "whyfast",
             "Aim of the top rung", "536870912", "effective_gbs >= 4600", 0, 0, "H200"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
