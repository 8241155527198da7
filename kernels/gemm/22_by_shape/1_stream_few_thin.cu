/*
 * Unit of rung 22: the kernels of stream_k.h, few_steps.h and thin.h, for the tiles of their lists.
 *
 * They are one unit because the constant bank of a unit lists the addresses of its variables: the
 * recorded machine code of thin.h looks for its mail behind the flags of stream_k.h.
 */
#include "few_steps.h"
#include "plans.h"
#include "stream_k.h"
#include "thin.h"

/* ---- large tiles ----------------------------------------------------------------------------- */

#define STREAM_SIZES(name, m, n, slice_us, words, pairs, store_us, share_us, partial_us)           \
    static_assert((int)name::block_m == (m) && (int)name::block_n == (n), "sizes of the list");
#define STREAM_PLAN(name, m, n, slice_us, words, pairs, store_us, share_us, partial_us)            \
    plan_stream<name>,

STREAM_TILES(STREAM_SIZES)
static_assert((int)MOST_STREAM_BLOCKS == (int)MOST_BLOCKS && (int)STREAM_STEP == (int)UNROLL,
              "limits of the kernel");

static plan_of_choice *const stream_plans[] = {STREAM_TILES(STREAM_PLAN)};

void plan_stream_tile(const struct work *work, const struct by_shape_choice &choice,
                      struct launch *launch)
{
    stream_plans[choice.tile](work, choice, launch);
}

/* ---- few steps ------------------------------------------------------------------------------- */

template <typename S>
static constexpr bool has_few_steps_sizes(int m, int n, int warps, int resident, int at_once)
{
    return S::block_m == m && S::block_n == n && S::warps == warps && S::resident == resident &&
           S::at_once == at_once && S::b_at == m + 4;
}

#define FEW_STEPS_OF(...) few_steps_shape<__VA_ARGS__>
#define CHECK_FEW_STEPS(shape, warp_us, wait_us, tile_us, words)                                   \
    static_assert(has_few_steps_sizes<FEW_STEPS_OF shape>(FEW_STEPS_SIZES shape),                  \
                  "sizes of the list");
#define FEW_STEPS_PLAN(shape, warp_us, wait_us, tile_us, words) plan_few<FEW_STEPS_OF shape>,

FEW_STEPS_TILES(CHECK_FEW_STEPS)
static_assert((int)FEW_STEPS_AT_ONCE == (int)MOST_AT_ONCE &&
                  (int)FEW_STEPS_SLICE == (int)PER_SLICE &&
                  (int)FEW_STEPS_RING == (int)RING * PER_SLICE,
              "steps of the kernel");

static plan_of_choice *const few_steps_plans[] = {FEW_STEPS_TILES(FEW_STEPS_PLAN)};

void plan_few_steps(const struct work *work, const struct by_shape_choice &choice,
                    struct launch *launch)
{
    few_steps_plans[choice.tile](work, choice, launch);
}

/* ---- thin products --------------------------------------------------------------------------- */

template <int COLUMNS, int WIDTH>
using columns_shape = thin_columns_shape<COLUMNS, WIDTH, 2, 4, 4, 8, 2>;

template <typename S> static constexpr bool has_rows_sizes(int rows, int width, int columns)
{
    return S::rows == rows && S::width == width && S::columns == columns;
}

#define ROWS_OF(...) thin_rows_shape<__VA_ARGS__>
#define ROWS_SIZES(shape, block, memory)                                                           \
    static_assert(has_rows_sizes<ROWS_OF shape>(THIN_ROWS_SIZES shape), "sizes of the list");
#define ROWS_PLAN(shape, block, memory) plan_thin_rows<ROWS_OF shape>,
#define COLUMNS_PLAN(columns, width) plan_thin_columns<columns_shape<columns, width>>,
#define CORNER_PLAN(rows, columns) plan_thin_corner<thin_corner_shape<rows, columns>>,

THIN_ROWS(ROWS_SIZES)
static_assert((int)columns_shape<1, 4>::block_rows == (int)COLUMNS_BLOCK_ROWS &&
                  (int)columns_shape<1, 4>::slice == (int)COLUMNS_SLICE,
              "sizes of the kernel");
static_assert(THIN_PARTS_BYTES <= GEMM_SCRATCH_BYTES, "the parts fit into the buffer");

static plan_of_choice *const rows_plans[] = {THIN_ROWS(ROWS_PLAN)};
static plan_of_choice *const columns_plans[] = {THIN_COLUMNS(COLUMNS_PLAN)};
static plan_of_choice *const corner_plans[] = {THIN_CORNERS(CORNER_PLAN)};

void plan_thin(const struct work *work, const struct by_shape_choice &choice, struct launch *launch)
{
    plan_of_choice *const *const plans = choice.kernel == BY_ROWS      ? rows_plans
                                         : choice.kernel == BY_COLUMNS ? columns_plans
                                                                       : corner_plans;
    plans[choice.tile](work, choice, launch);
}
