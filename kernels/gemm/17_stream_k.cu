/*
 * Rung 17: an equal share of the work for every SM, and any shape.
 *
 * The number of rung 16's tiles is rarely a multiple of the number of SMs: 2048 tiles on 132 SMs
 * take sixteen rounds, and the last is half empty. Here each SM gets one block. It first takes
 * whole tiles, the same number for each block; the slices of k of the remaining tiles are divided
 * into equal shares (stream-K: M. Osama, D. Merrill, C. Cecka, M. Garland, J. Owens, Stream-K:
 * Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU, 2023). The
 * block with the beginning of a tile finishes it: it adds the results of the next blocks for the
 * rest of the tile, in their order, so that the sum is the same in every run. The copy engine
 * brings these results into the ring, as if they were further slices. Small problems are divided in
 * the same way, into smaller tiles. Where sharing would take longer, by the estimates of
 * by_shape.h, each tile has one block.
 *
 * If the rows of B are not a multiple of 16 bytes long, as the copy engine requires, the producer
 * warps also fetch B, one or two words at a time. The kernel therefore takes any shape that fits
 * 32-bit indices.
 *
 * Remaining cost: partial tiles pass through memory.
 */
#include "by_shape.h"
#include "padded_b.h" /* not used here: its kernel is part of the recorded machine code */
#include "stream_k.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* Of large and small tiles, whole or shared, those that take the shortest time as by_shape.h
 * estimates it. */
static struct by_shape_choice choose(const struct work *work)
{
    static const int tiles[] = {stream_large, stream_small};
    const struct by_shape_sides sides = {gemm_m(&work->point), gemm_n(&work->point),
                                         gemm_k(&work->point)};
    const int blocks = work->sm_count < MOST_BLOCKS ? work->sm_count : MOST_BLOCKS;
    struct by_shape_choice best = stream_choice(stream_large, sides, blocks, 0, 0);
    for (int tile : tiles)
        for (int split = 0; split < 2; split++) {
            const struct by_shape_choice choice = stream_choice(tile, sides, blocks, split, 0);
            if (choice.time_us < best.time_us) best = choice;
        }
    return best;
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct by_shape_choice choice = choose(work);
    if (choice.tile == stream_small)
        plan_stream<small>(work, choice, launch);
    else
        plan_stream<large>(work, choice, launch);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_hopper(compute_capability);
    return reason ? reason : refuse_large(point);
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const struct by_shape_choice choice = choose(work);
    return choice.tile == stream_small ? describe_stream<small>(work, choice, list)
                                       : describe_stream<large>(work, choice, list);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Equal shares (stream-K)",
    .after = "16_producer_warps",
    .suffers = "The number of tiles is not a multiple of the number of SMs, and small matrices "
               "have few tiles.",
    .changes = "Each SM takes the same number of whole tiles and an equal share of the remaining "
               "slices; M, N and K need not be multiples of anything.",
    .pays = "Partial tiles pass through memory.",
    .claims =
        {
            {"The kernel is no slower than the library.", "whyfast", "Aim of the top rung", NULL,
             "NOT slower_than_library"},
            {"The kernel is at least 1.1 times as fast as the library at 2048.", "whyfast",
             "Aim of the top rung", "2048x2048x2048", TIMES_LIBRARY(1.1)},
            {"The kernel is at least 1.1 times as fast as the library at 4096.", "whyfast",
             "Aim of the top rung", "4096x4096x4096", TIMES_LIBRARY(1.1)},
            {"The kernel is at least 1.1 times as fast as the library at 8192.", "whyfast",
             "Aim of the top rung", "8192x8192x8192", TIMES_LIBRARY(1.1)},
        },
    .refuses = refuses,
    .plan = plan,
    .shared_accesses = accesses,
};
