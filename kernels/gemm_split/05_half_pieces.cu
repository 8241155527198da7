/*
 * Rung 5: three products of half-precision pieces.
 *
 * A half has 11 bits, so two of them hold 22 bits of a float and three products suffice. But a half
 * lies between 2^-24 and 65504. So a first kernel finds the largest element of each row of A and of
 * each column of B, the second multiplies the row or column by the power of two that brings it to
 * 2^14, and the last multiplies the result by the inverse powers, all without an error. The tensor
 * cores add up two slices before the CUDA cores do, because a slice now has half the products.
 *
 * Remaining cost: elements that are more than 2^17 times smaller than the largest of their row, or
 * column, keep fewer than 22 bits, and below 2^-39 of it none. For a sum that is dominated by the
 * large elements this is no loss. The matrices are read twice before they are multiplied.
 */
#include "pieces.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "FP16 split (3 products)",
    .after = "04_promoted",
    .suffers = "Three bfloat16 of 8 bits make six products.",
    .changes = "Two halves of 11 bits make three; rows and columns are scaled by powers of two, "
               "because a half has a narrow range.",
    .pays = "The matrices are read twice beforehand, and elements far smaller than the largest of "
            "their row or column lose bits.",
    .claims =
        {
            {"The kernel is at least three times as fast as the library's product of floats at "
             "4096.",
             "whyfast", "Aim of this rung", "4096x4096x4096", TIMES_LIBRARY(3)},
            {"The kernel is at least three times as fast as the library's product of floats at "
             "8192.",
             "whyfast", "Aim of this rung", "8192x8192x8192", TIMES_LIBRARY(3)},
            {"It outperforms the peak of the CUDA cores (in the source: at 51 TFLOP/s on an A100).",
             "Ootomo and Yokota, 2022", "Recovering single precision accuracy from Tensor Cores",
             "4096x4096x4096",
             "CASE WHEN tflops_low > fp32_peak_tflops THEN 1 WHEN tflops_high <= fp32_peak_tflops "
             "THEN 0 END"},
            {"Half as many products take little more than half the time (here: at most five "
             "eighths).",
             "whyfast", "Aim of this rung", "8192x8192x8192",
             "CASE WHEN speedup_prev_low >= 1.6 THEN 1 WHEN speedup_prev_high < 1.6 THEN 0 END"},
            {"Halves, corrected, are as accurate as float32 (here: at most twice the library's "
             "error).",
             "Ootomo and Yokota, 2022", "Recovering single precision accuracy from Tensor Cores",
             NULL, "error_over_library <= 2"},
        },
    .refuses = refuse_pieces,
    .launch_count = pieces_launches<WGMMA_HALF>,
    .plan = plan_pieces<WGMMA_HALF, 2, 2>,
};
