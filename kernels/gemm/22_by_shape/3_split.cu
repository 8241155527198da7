/*
 * Unit of rung 22: the kernels of split_tiles.h, for the tiles of SPLIT_TILES.
 */
#include "split_tiles.h"

template <typename S> static constexpr bool has_sizes(int m, int n, int slice, int resident)
{
    return S::block_m == m && S::block_n == n && S::slice == slice && S::resident == resident;
}

#define SHAPE_OF(...) split_shape<__VA_ARGS__>
#define SIZES(shape, tile_us, alone_us, each_us)                                                   \
    static_assert(has_sizes<SHAPE_OF shape>(SPLIT_TILE_SIZES shape), "sizes of the list");
#define PLAN(shape, tile_us, alone_us, each_us) plan_split<SHAPE_OF shape>,

SPLIT_TILES(SIZES)
static plan_of_choice *const plans[] = {SPLIT_TILES(PLAN)};

void plan_split_tile(const struct work *work, const struct by_shape_choice &choice,
                     struct launch *launch)
{
    plans[choice.tile](work, choice, launch);
}
