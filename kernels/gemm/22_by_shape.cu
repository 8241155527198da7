/*
 * Rung 22: tile, split and schedule by the shape.
 *
 * Rung 17 is built for large products. Its blocks are few and large: a product of 256 x 256 x 256
 * has eight tiles of 64 x 128, whose slices it divides among 64 blocks that then wait for one
 * another's partial tiles in memory. Here the host estimates the time of every kernel that could
 * compute the product, and takes the shortest (by_shape.h). The reasons, by classes of shapes:
 *   - Small products are limited by latency: of the launch, of the first loads, of the steps in k.
 *     Tiles of 16 x 16 to 64 x 32 give more SMs a block, and the warps of a block divide k among
 *     them, so that each has few steps (split_tiles.h). One launch computes all. Two blocks of a
 *     cluster may share k, too, and add in shared memory.
 *   - If M or N is below 64, the large tiles would be mostly empty, and one of the inputs hardly
 *     used again: tiles of 8 x 128 and 16 x 128, or the same upright, waste less.
 *   - With up to eight rows or columns, and for wide products up to sixteen rows, the time is that
 *     of reading the one large matrix once. Kernels of their own do little else (thin.h): a lane
 *     keeps many loads in flight, their words wait in registers, and k is divided until the
 *     memory is busy. If both M and N are at most eight, all blocks share k, and the first one
 *     collects their sums from words that each carry a sign of their arrival.
 *   - If K is small and C is large, the time is that of storing C, and a ring of slices hardly
 *     begins to turn before it ends. A block takes up to 64 k at once, and several blocks share
 *     an SM, so that one loads while others multiply and store (few_steps.h).
 *   - With some hundred k, such blocks pass slices of eight k through a ring. Tiles of 64 x 64 and
 *     32 x 64 fill the SMs more evenly than large ones, and the blocks of an SM hide one another's
 *     waits. Where K is large and there are few tiles, parts of k fill the SMs in the same way.
 *   - If K is large and M and N are small, few tiles have long sums. Up to 64 shares of k, with
 *     equal numbers of slices, become matrices in scratch memory, and a second launch adds them in
 *     their order. Thus the result is the same in every run. If one small tile is all, clusters of
 *     eight blocks divide each share again.
 *   - Between these and large products, up to 132 tiles or shares of k have an SM each. They
 *     multiply as fast as large tiles, from a ring of stages that producer warps fill. The warps
 *     of a block divide k among them, and so do the blocks of a cluster, or parts
 *     (share_tiles.h). Their number may be odd: clusters of three give 36 tiles of 32 x 128 a
 *     total of 108 SMs. Or all blocks have equal shares of the stages of all tiles, as in rung 17.
 *   - If rows are not multiples of 16 bytes long, the multiplying threads of small tiles copy one
 *     or two words at a time. Share tiles, all but the largest, let the copy engine begin a few
 *     columns early, and are four columns narrower. For large tiles a first launch copies B into
 *     rows of whole quads, or producer warps copy one or two words. Lanes of share tiles exchange
 *     words to store neighbours; split tiles of 128 columns store rows of C in pieces that end
 *     where lines of 128 bytes do, and so do the lanes of tiles with few steps, which exchange
 *     words between registers.
 *   - Large products take rung 17's kernel, with tiles of 192 x 128, 128 x 192 and 128 x 128 as
 *     well: a product of 163 rows takes one row of tiles of 192, and fills more of it than of two
 *     rows of 128. Whole rounds of tiles are preferred where sharing the last one costs more than
 *     it saves, as at 2048, where one round of 128 x 256 occupies 128 of 132 SMs.
 *
 * Remaining cost: once they fill the SMs, split tiles multiply at a third to two thirds of the
 * speed of large ones; deep products pay for a second launch, as do large ones with other rows.
 */
#include "22_by_shape/plans.h"

#include <stdio.h>

#include "padded_b.h"

static_assert(MOST_PARTS_BYTES <= GEMM_SCRATCH_BYTES, "the parts fit into the buffer");
static_assert(PADDED_AT + MOST_PADDED_BYTES <= GEMM_SCRATCH_BYTES, "the copy fits behind them");

/* ---- the sum of parts ------------------------------------------------------------------------ */

enum { ADD_THREADS = 256, ADD_WAYS = 8 };

/* Adds `parts` matrices of `count` floats or quads of them, in a fixed order: each of `ways` rows
 * of threads adds every ways-th matrix, and the first row adds their sums. So the matrices of a
 * small product, few elements of many, are read at once, too. */
template <typename V>
static __global__ void __launch_bounds__(ADD_THREADS)
    gemm_add_parts(const V *from, V *to, uint64_t count, int parts, int ways)
{
    __shared__ V sums[ADD_THREADS];
    const int width = ADD_THREADS / ways, way = threadIdx.x / width, column = threadIdx.x % width;
    const uint64_t at = blockIdx.x * (uint64_t)width + column;
    V sum = {};
    if (at < count) {
#pragma unroll 8
        for (int i = way; i < parts; i += ways) add_to(&sum, from[i * count + at]);
    }
    sums[threadIdx.x] = sum;
    if (ways > 1) __syncthreads();
    if (way > 0 || at >= count) return;
    for (int i = 1; i < ways; i++) add_to(&sum, sums[i * width + column]);
    to[at] = sum;
}

/* ---- the name of a choice -------------------------------------------------------------------- */

enum { KINDS = BY_CORNER + 1, MOST_TILES = 16 };
static_assert((int)SPLIT_TILE_COUNT <= (int)MOST_TILES &&
                  (int)SHARE_TILE_COUNT <= (int)MOST_TILES &&
                  (int)FEW_STEPS_COUNT <= (int)MOST_TILES &&
                  (int)THIN_ROWS_COUNT <= (int)MOST_TILES &&
                  (int)THIN_COLUMNS_COUNT <= (int)MOST_TILES,
              "room for the names");

/* The names of all choices: by kernel, tile, whether there are clusters or padded rows, and how
 * blocks share a tile: not at all, in parts, or by equal shares of all tiles. */
struct choice_names {
    enum { ALONE, PARTS, SHARED, WAYS };
    char name[KINDS][MOST_TILES][2][WAYS][41];

    choice_names()
    {
        for (int i = 0; i < SPLIT_TILE_COUNT; i++)
            add(BY_SPLIT_TILE, i, "split", split_tiles[i].m, split_tiles[i].n);
        for (int i = 0; i < SHARE_TILE_COUNT; i++)
            add(BY_SHARE, i, "share", share_tiles[i].m, share_tiles[i].n);
        for (int i = 0; i < STREAM_TILE_COUNT; i++)
            add(BY_STREAM, i, "stream", stream_tiles[i].m, stream_tiles[i].n);
        for (int i = 0; i < FEW_STEPS_COUNT; i++)
            add(BY_FEW_STEPS, i, "few steps", few_steps_tiles[i].m, few_steps_tiles[i].n);
        for (int i = 0; i < THIN_ROWS_COUNT; i++)
            add(BY_ROWS, i, "rows", thin_rows_tiles[i].rows, thin_rows_tiles[i].columns);
        for (int i = 0; i < THIN_COLUMNS_COUNT; i++)
            add(BY_COLUMNS, i, "columns", COLUMNS_BLOCK_ROWS, thin_columns_tiles[i].columns);
        for (int i = 0; i < THIN_CORNER_COUNT; i++)
            add(BY_CORNER, i, "corner", thin_corner_tiles[i].rows, thin_corner_tiles[i].columns);
    }

    void add(int kernel, int tile, const char *what, int m, int n)
    {
        static const char *const ways[WAYS] = {"", "; parts", "; shared"};
        const char *const where = kernel == BY_STREAM ? " of padded rows" : " in clusters";
        for (int i = 0; i < 2; i++)
            for (int way = 0; way < WAYS; way++)
                snprintf(name[kernel][tile][i][way], sizeof name[kernel][tile][i][way],
                         "%s %d x %d%s%s", what, m, n, i ? where : "", ways[way]);
    }

    const char *of(const struct by_shape_choice &choice) const
    {
        const int way = choice.split ? SHARED : choice.parts > 1 ? PARTS : ALONE;
        return name[choice.kernel][choice.tile][choice.cluster > 1 || choice.padded][way];
    }
};

/* ---- launches -------------------------------------------------------------------------------- */

static struct by_shape_choice choose(const struct point *point, int sm_count)
{
    return by_shape_choose({gemm_m(point), gemm_n(point), gemm_k(point)}, sm_count);
}

static unsigned launches(const struct point *point)
{
    const struct by_shape_choice choice = choose(point, NOMINAL_SMS);
    return by_shape_launches(&choice);
}

/* Several rows of threads add the parts as long as that does not take more blocks than SMs. */
static void plan_sum(const struct work *work, int parts, struct launch *launch)
{
    const uint64_t words = gemm_m(&work->point) * gemm_n(&work->point);
    const bool quads = words % 4 == 0;
    const uint64_t count = quads ? words / 4 : words;
    int ways = 1;
    while (ways < ADD_WAYS && 2 * ways <= parts && count * ways < NOMINAL_SMS * ADD_THREADS)
        ways *= 2;
    launch->grid[0] = (unsigned)divide_up(count, ADD_THREADS / ways);
    launch->block[0] = ADD_THREADS;
    if (quads)
        launch_kernel(launch, gemm_add_parts<float4>, work->scratch, work->output, count, parts,
                      ways);
    else
        launch_kernel(launch, gemm_add_parts<float>, work->scratch, work->output, count, parts,
                      ways);
}

static plan_of_choice *const plans[] = {plan_split_tile, plan_share_tile, plan_stream_tile,
                                        plan_few_steps,  plan_thin,       plan_thin,
                                        plan_thin};
static_assert(sizeof plans / sizeof *plans == KINDS, "a plan for each kernel of by_shape.h");

/* Launch `index` of the product by this choice. */
static void plan_choice(const struct work *work, const struct by_shape_choice &choice,
                        unsigned index, struct launch *launch)
{
    if (choice.padded && index == 0)
        plan_padding(work, launch);
    else if (choice.parts > 1 && index == 1)
        plan_sum(work, choice.parts, launch);
    else
        plans[choice.kernel](work, choice, launch);
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    plan_choice(work, choose(&work->point, work->sm_count), index, launch);
}

static const char *choice_name(const struct work *work)
{
    static const choice_names names;
    return names.of(choose(&work->point, work->sm_count));
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_hopper(compute_capability);
    return reason ? reason : refuse_large(point);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tile chosen per shape",
    .after = "17_stream_k",
    .suffers = "A small product has few of the large tiles: most SMs get a short share of one, and "
               "the blocks wait for one another's partial tiles.",
    .changes = "The host estimates the time of 29 tiles, with and without shares of k, and of "
               "kernels for thin products, and takes the best; warps and clusters divide k without "
               "passing through memory.",
    .pays = "Once they fill the SMs, split tiles multiply more slowly than the large ones; deep "
            "products need a second launch.",
    .claims =
        {
            {"The kernel is no slower than the library at 256.", "whyfast", "Aim of the top rung",
             "256x256x256", "NOT slower_than_library"},
            {"The kernel is no slower than the library at 1024.", "whyfast", "Aim of the top rung",
             "1024x1024x1024", "NOT slower_than_library"},
            {"The kernel is at least 1.1 times as fast as the library at 2048.", "whyfast",
             "Aim of the top rung", "2048x2048x2048", TIMES_LIBRARY(1.1)},
            {"The kernel is at least 1.1 times as fast as the library at 4096.", "whyfast",
             "Aim of the top rung", "4096x4096x4096", TIMES_LIBRARY(1.1)},
            {"The kernel is at least 1.1 times as fast as the library at 8192.", "whyfast",
             "Aim of the top rung", "8192x8192x8192", TIMES_LIBRARY(1.1)},
        },
    .refuses = refuses,
    .launch_count = launches,
    .plan = plan,
    .choice = choice_name,
};
