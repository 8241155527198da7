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
 * the same way, into smaller tiles. If the tiles fill the rounds completely, or nearly, nothing is
 * shared: each tile has one block.
 *
 * If the rows of B are not a multiple of 16 bytes long, as the copy engine requires, the producer
 * warps also fetch B, one or two words at a time. The kernel therefore takes any shape that fits
 * 32-bit indices.
 *
 * Remaining cost: partial tiles pass through memory.
 */
#include "stream_k.h"

/* ---- the plan -------------------------------------------------------------------------------- */

struct choice {
    int small_tiles; /* 64 x 128 instead of 128 x 256 */
    struct stream_plan plan;
    double time_us; /* as estimated */
};

/* Estimates in microseconds, from times on an H200, for choosing among plans: of a slice, of adding
 * a partial tile, of starting to share tiles. */
static struct choice estimate(const struct point *point, int blocks, int small_tiles)
{
    const int by_words = gemm_n(point) % 4 != 0;
    const double slice_us = small_tiles ? (by_words ? 1.85 : 1.75) : (by_words ? 5.4 : 4.6),
                 partial_us = small_tiles ? 0.85 : 2.5, share_us = 2;
    const int64_t block_m = small_tiles ? (int)small::block_m : (int)large::block_m,
                  block_n = small_tiles ? (int)small::block_n : (int)large::block_n;
    const int64_t tiles =
        (int64_t)(divide_up(gemm_m(point), block_m) * divide_up(gemm_n(point), block_n));
    const int64_t slices = (int64_t)divide_up(gemm_k(point), SLICE), whole = tiles / blocks,
                  over = tiles % blocks;
    const int64_t waves = whole > 0 ? whole - 1 : 0, shared = (tiles - waves * blocks) * slices;
    const double share = shared < blocks ? 1 : (double)shared / blocks,
                 pieces = share < slices ? slices / share : 1;
    const struct choice plain = {
        small_tiles, {0, 1, (int)tiles, 0}, (double)((whole + (over > 0)) * slices) * slice_us};
    const struct choice split = {small_tiles,
                                 {1, (int)waves, shared < blocks ? (int)shared : blocks, 0},
                                 ((double)(waves * slices) + share) * slice_us +
                                     pieces * partial_us + share_us};
    return over > 0 && split.time_us < plain.time_us ? split : plain;
}

static struct choice choose(const struct work *work)
{
    const int blocks = work->sm_count < MOST_BLOCKS ? work->sm_count : MOST_BLOCKS;
    const struct choice with_large = estimate(&work->point, blocks, 0),
                        with_small = estimate(&work->point, blocks, 1);
    return with_small.time_us < with_large.time_us ? with_small : with_large;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct choice choice = choose(work);
    (void)index;
    if (choice.small_tiles)
        plan_stream<small>(work, choice.plan, launch);
    else
        plan_stream<large>(work, choice.plan, launch);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_hopper(compute_capability);
    return reason ? reason : refuse_large(point);
}

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    const struct choice choice = choose(work);
    (void)index;
    return choice.small_tiles ? describe_stream<small>(work, choice.plan, list)
                              : describe_stream<large>(work, choice.plan, list);
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
    .declares = "busiest_share = max(1, sm_count / grid_blocks); "
                "tail_waits = 3 * (grid_blocks = sm_count)",
    .claims =
        {
            {"The kernel is no slower than the library: the whole interval is at 1 or above.",
             "whyfast", "Aim of the top rung", NULL, "speedup_library_low >= 1"},
            {"The kernel is at least 1.1 times as fast as the library at 2048.", "whyfast",
             "Aim of the top rung", "2048x2048x2048", "speedup_library_low >= 1.1"},
            {"The kernel is at least 1.1 times as fast as the library at 4096.", "whyfast",
             "Aim of the top rung", "4096x4096x4096", "speedup_library_low >= 1.1"},
            {"The kernel is at least 1.1 times as fast as the library at 8192.", "whyfast",
             "Aim of the top rung", "8192x8192x8192", "speedup_library_low >= 1.1"},
        },
    .refuses = refuses,
    .launch_count = launch_once,
    .plan = plan,
    .shared_accesses = accesses,
};
