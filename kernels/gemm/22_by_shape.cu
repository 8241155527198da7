/*
 * Rung 22: tile, split and schedule by the shape.
 *
 * Rung 17 is built for large products. Its blocks are few and large: a product of 256 x 256 x 256
 * has eight tiles of 64 x 128, whose slices it divides among 64 blocks that then wait for one
 * another's partial tiles in memory, after a launch that clears flags. Here the host estimates the
 * time of every kernel that could compute the product, and takes the shortest (by_shape.h). The
 * reasons, by classes of shapes:
 *   - Small products are limited by latency: of the launch, of the first loads, of the steps in k.
 *     Tiles of 16 x 16 to 64 x 64 give more SMs a block, and the warps of a block divide k among
 *     them, so that each has few steps (split_tiles.h). One launch computes all, and no flags are
 *     cleared. Two blocks of a cluster may share k, too, and add in shared memory.
 *   - If M or N is below 64, the large tiles would be mostly empty, and one of the inputs hardly
 *     used again: tiles of 8 x 128 to 32 x 128, or the same upright, waste less.
 *   - If K is large and M and N are small, few tiles have long sums. Up to 64 shares of k, with
 *     equal numbers of slices, become matrices in scratch memory, and a second launch adds them in
 *     their order. Thus the result is the same in every run. If one small tile is all, clusters of
 *     eight blocks divide each share again.
 *   - If rows are not multiples of 16 bytes long, their words are copied one by one, by the
 *     multiplying threads in the small tiles and by producer warps in the large ones. The estimates
 *     differ accordingly.
 *   - Large products take rung 17's kernel, with tiles of 128 x 128 as well. Whole rounds of tiles
 *     are preferred where sharing the last one costs more than it saves, as at 2048, where one
 *     round of 128 x 256 occupies 128 of 132 SMs.
 *
 * Remaining cost: once they fill the SMs, split tiles multiply at a third to two thirds of the
 * speed of large ones; deep products pay for a second launch.
 */
#include "by_shape.h"

#include "split_tiles.h"
#include "stream_k.h"

/* ---- the kernels of the lists ---------------------------------------------------------------- */

/* The product of a split tile; with parts, into scratch memory. */
template <typename S>
static void plan_split(const struct work *work, const struct by_shape_choice &choice,
                       struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    const unsigned cluster = (unsigned)choice.cluster;
    launch->grid[0] = (unsigned)(divide_up(m, S::block_m) * divide_up(n, S::block_n)) * cluster;
    launch->grid[1] = (unsigned)choice.parts;
    launch->block[0] = S::threads;
    launch->cluster = cluster > 1 ? cluster : 0;
    launch->dynamic_shared = split_shared<S>(cluster);
    launch_kernel(launch, gemm_split_tile<S>, work->input[0], work->input[1],
                  choice.parts > 1 ? work->scratch : work->output, m, n, k,
                  split_depth<S>(k, cluster * choice.parts));
}

template <typename S> static constexpr bool has_sizes(int m, int n, int slice, int resident)
{
    return S::block_m == m && S::block_n == n && S::slice == slice && S::resident == resident;
}

#define SHAPE_OF(...) split_shape<__VA_ARGS__>
#define SPLIT_SIZES(shape, tile_us, alone_us, each_us)                                             \
    static_assert(has_sizes<SHAPE_OF shape>(SPLIT_TILE_SIZES shape), "sizes of the list");
#define SPLIT_PLAN(shape, tile_us, alone_us, each_us) plan_split<SHAPE_OF shape>,
#define STREAM_SIZES(name, m, n, slice_us, store_us, share_us, partial_us)                         \
    static_assert((int)name::block_m == (m) && (int)name::block_n == (n), "sizes of the list");
#define STREAM_PLAN(name, m, n, slice_us, store_us, share_us, partial_us) plan_stream<name>,

SPLIT_TILES(SPLIT_SIZES)
STREAM_TILES(STREAM_SIZES)
static_assert((int)MOST_STREAM_BLOCKS == (int)MOST_BLOCKS && (int)STREAM_SLICE == (int)SLICE,
              "limits of the kernel");
static_assert(MOST_PARTS_BYTES <= GEMM_SCRATCH_BYTES, "the parts fit into the buffer");

static void (*const plan_by_split[])(const struct work *, const struct by_shape_choice &,
                                     struct launch *) = {SPLIT_TILES(SPLIT_PLAN)};
static void (*const plan_by_stream[])(const struct work *, const struct stream_plan &,
                                      struct launch *) = {STREAM_TILES(STREAM_PLAN)};

/* ---- launches -------------------------------------------------------------------------------- */

static struct by_shape_choice choose(const struct point *point, int sm_count)
{
    return by_shape_choose({gemm_m(point), gemm_n(point), gemm_k(point)}, sm_count);
}

static unsigned launches(const struct point *point)
{
    return choose(point, NOMINAL_SMS).parts > 1 ? 2 : 1;
}

static void plan_sum(const struct work *work, int parts, struct launch *launch)
{
    const uint64_t count = gemm_m(&work->point) * gemm_n(&work->point);
    launch->grid[0] = (unsigned)divide_up(count, ADD_THREADS);
    launch->block[0] = ADD_THREADS;
    launch_kernel(launch, gemm_add_parts, work->scratch, work->output, count, parts);
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct by_shape_choice choice = choose(&work->point, work->sm_count);
    if (index == 1)
        plan_sum(work, choice.parts, launch);
    else if (choice.kernel == BY_SPLIT_TILE)
        plan_by_split[choice.tile](work, choice, launch);
    else
        plan_by_stream[choice.tile](work, {choice.split, choice.waves, choice.blocks}, launch);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_hopper(compute_capability);
    return reason ? reason : refuse_large(point);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tiles by the shape",
    .after = "17_stream_k",
    .suffers = "A small product has few of the large tiles: most SMs get a short share of one, and "
               "the blocks wait for one another's partial tiles.",
    .changes = "The host estimates the time of fifteen tiles, with and without shares of k, and "
               "takes the best; warps and clusters divide k without passing through memory.",
    .pays = "Once they fill the SMs, split tiles multiply more slowly than the large ones; deep "
            "products need a second launch.",
    .claims =
        {
            {"The kernel is no slower than the library at 256: the whole interval is at 1 or "
             "above.",
             "whyfast", "Aim of the top rung", "256x256x256", "speedup_library_low >= 1"},
            {"The kernel is no slower than the library at 1024.", "whyfast", "Aim of the top rung",
             "1024x1024x1024", "speedup_library_low >= 1"},
            {"The kernel is at least 1.1 times as fast as the library at 2048.", "whyfast",
             "Aim of the top rung", "2048x2048x2048", "speedup_library_low >= 1.1"},
            {"The kernel is at least 1.1 times as fast as the library at 4096.", "whyfast",
             "Aim of the top rung", "4096x4096x4096", "speedup_library_low >= 1.1"},
            {"The kernel is at least 1.1 times as fast as the library at 8192.", "whyfast",
             "Aim of the top rung", "8192x8192x8192", "speedup_library_low >= 1.1"},
        },
    .refuses = refuses,
    .launch_count = launches,
    .plan = plan,
};
