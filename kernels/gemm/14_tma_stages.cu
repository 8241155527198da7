/*
 * Rung 14: the copy engine, and several stages.
 *
 * In rung 13 every thread computes addresses and issues copies. Hopper's copy engine (TMA) fetches
 * a tile with one instruction of one thread, checks the borders of the matrix, and reports to a
 * barrier in shared memory when the bytes have arrived. Four stages of 48 KiB are in flight or in
 * use; before a stage is filled again, all warps must have arrived at its second barrier. No thread
 * waits for a barrier of the whole block.
 *
 * Tiles are 128 x 256; each thread computes 8 x 16 elements.
 *
 * Remaining cost: the engine cannot transpose, so a thread holds four k of its rows of A: 256
 * threads need all registers of an SM. One of the multiplying threads also waits for free stages.
 */
#include "tma.h"

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tma_stages(const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b, float *c, int m, int n, int k,
                    uint32_t alpha_bits)
{
    struct part part = {&map_a, &map_b, 0, 0, 0, 0, 0, (k + TILE_K - 1) / TILE_K};
    multiply_part<1>(&part, c, m, n, __uint_as_float(alpha_bits));
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    plan_tma(work, launch, (const void *)gemm_tma_stages, TILE_N);
    launch->grid[0] = tma_blocks(&work->point, 1);
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_tma(list, &work->point, tma_blocks(&work->point, 1));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "TMA, four stages",
    .after = "13_async_copies",
    .suffers = "Threads spend instructions on addresses and copies, and wait for each other once "
               "per tile.",
    .changes = "The copy engine fetches whole tiles, four stages deep, and reports to barriers "
               "that count bytes. Tiles are 128 x 256, with 8 x 16 elements per thread.",
    .pays = "A is not transposed: a thread holds four k of its rows, and 256 threads need all "
            "registers of an SM.",
    .claims =
        {
            {"Multiply-adds are a larger share of the instructions.", "whyfast", "Aim of this rung",
             NULL, "fma_share_pct > prev_fma_share_pct"},
            {"Warps hardly wait at barriers of the block (here: less than a tenth as long per "
             "instruction; waits for the copies are not among them).",
             "whyfast", "Aim of this rung", NULL, "stall_barrier < 0.1 * prev_stall_barrier"},
            {"The copy engine, with larger tiles and no conflicts in its stores, makes the kernel "
             "faster.",
             "whyfast", "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuse_tma,
    .plan = plan,
    .shared_accesses = accesses,
};
