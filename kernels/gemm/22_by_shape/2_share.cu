/*
 * Unit of rung 22: the kernels of share_tiles.h, for the tiles of SHARE_TILES.
 */
#include "share_tiles.h"

template <typename S> static constexpr bool has_sizes(int m, int n, int stage)
{
    return S::block_m == m && S::block_n == n && S::stage_k == stage;
}

#define SHAPE_OF(...) share_shape<__VA_ARGS__>
#define SIZES(shape, ragged, ragged_times, tile_us, stage_us, in_step, equal_shares)               \
    static_assert(has_sizes<SHAPE_OF shape>(SHARE_TILE_SIZES shape), "sizes of the list");
#define PLAN(shape, ragged, ragged_times, tile_us, stage_us, in_step, equal_shares)                \
    plan_share<SHAPE_OF shape, SHARE_##ragged, equal_shares>,

SHARE_TILES(SIZES)
static plan_of_choice *const plans[] = {SHARE_TILES(PLAN)};

void plan_share_tile(const struct work *work, const struct by_shape_choice &choice,
                     struct launch *launch)
{
    plans[choice.tile](work, choice, launch);
}
