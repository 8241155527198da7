/*
 * Rung 3: six products of bfloat16 pieces.
 *
 * A first kernel writes each matrix as three matrices of bfloat16, whose sum is exact. A second one
 * multiplies the pieces with wgmma, which takes both operands from shared memory, at twice the rate
 * of TF32: the six products of pieces that are larger than the last bit of the result. A bfloat16
 * has the exponent of a float, so no number is too large or, down to 2^-110, too small.
 * Infinite elements make their row or column NaN.
 *
 * Remaining cost: tensor cores truncate when they add 16 products to a sum. With 6 K / 16 groups
 * for each sum, that error is many times the one of a sum in float32.
 */
#include "pieces.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "bfloat16 pieces",
    .after = "02_tf32_split",
    .suffers = "TF32 has half the rate of 16-bit numbers, and warps carry the operands through "
               "registers.",
    .changes = "A first kernel splits each matrix into three of bfloat16; a second one multiplies "
               "six pairs of them by wgmma, from shared memory.",
    .pays = "Tensor cores truncate when they add, and each sum is added to six times as often.",
    .claims =
        {
            {"Six products of bfloat16 by wgmma are faster than three of TF32 by mma.sync.",
             "whyfast", "Aim of this rung", NULL, "faster"},
            {"Split products that are added up in the tensor cores alone are less accurate than "
             "float32 (here: more than twice the library's error).",
             "Ootomo and Yokota, 2022", "Recovering single precision accuracy from Tensor Cores",
             "4096x4096x4096", "error_over_library > 2"},
        },
    .tolerance = split_tolerance_truncated,
    .refuses = refuse_pieces,
    .launch_count = pieces_launches<WGMMA_BFLOAT16>,
    .plan = plan_pieces<WGMMA_BFLOAT16, 3, 0>,
};
