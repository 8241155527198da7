/*
 * Rung 4: CUDA cores add up the sums of the tensor cores.
 *
 * The kernel of rung 3 with two sets of sums: the tensor cores add the products of one slice of 32
 * k, the small ones first, and the CUDA cores add the result to the sums of the tile, rounding to
 * nearest. A warpgroup has registers for 64 x 128 sums of the first kind beside its 64 x 256 of the
 * second, so it multiplies its columns in two halves. While it waits and adds, the other warpgroup
 * keeps the tensor cores busy.
 *
 * The tensor cores are as busy as before, and power limits the clock of both rungs, so accuracy
 * costs no time.
 *
 * Remaining cost: six products for one.
 */
#include "pieces.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Sums on CUDA cores",
    .after = "03_bfloat16_pieces",
    .suffers = "Tensor cores truncate whenever they add 16 products to a sum.",
    .changes = "Tensor cores add up 32 k, small products first; CUDA cores add these sums up, and "
               "round to nearest.",
    .pays = "Six products take the place of one.",
    .claims =
        {
            {"Sums outside of the tensor cores make split products as accurate as float32 (here: "
             "at most twice the library's error, and more without them).",
             "Ootomo and Yokota, 2022", "Recovering single precision accuracy from Tensor Cores",
             NULL, "error_over_library <= 2 AND prev_error_over_library > 2"},
            {"The sums on CUDA cores take hardly any time (here: less than 5 %).", "whyfast",
             "Aim of this rung", "4096x4096x4096",
             "CASE WHEN speedup_prev_low > 0.95 THEN 1 WHEN speedup_prev_high <= 0.95 THEN 0 END"},
            {"The kernel is at least 1.8 times as fast as the library's product of floats at 4096.",
             "whyfast", "Aim of this rung", "4096x4096x4096", TIMES_LIBRARY(1.8)},
            {"The kernel is at least 1.8 times as fast as the library's product of floats at 8192.",
             "whyfast", "Aim of this rung", "8192x8192x8192", TIMES_LIBRARY(1.8)},
        },
    .refuses = refuse_pieces,
    .launch_count = pieces_launches<WGMMA_BFLOAT16>,
    .plan = plan_pieces<WGMMA_BFLOAT16, 3, 1>,
};
