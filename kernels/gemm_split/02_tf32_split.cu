/*
 * Rung 2: three products of split TF32.
 *
 * A float is the sum of a TF32 and a remainder, whose first 11 bits are another TF32. The product
 * of two floats then has four terms; that of both remainders is below the last bit and is left out.
 * Each warp splits its fragments in registers and multiplies three times. Tensor cores truncate
 * when they add, which would cost more accuracy than TF32 does now, so they add the products of one
 * slice, 32 k, and the CUDA cores add the slices up.
 *
 * Remaining cost: three instructions for one, and TF32 has half the rate of 16-bit numbers. A warp
 * carries its operands through registers and splits them there; meanwhile the tensor cores are idle
 * for two fifths of the time.
 */
#include "tf32.h"

using tile = tf32_shape<2, 32, 4>;

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_split_tf32_split(const float *a, const float *b, float *c, unsigned m, unsigned n,
                          unsigned k)
{
    multiply_tile<tile>({a, b, c, m, n, k, 0, 0});
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    plan_tf32<tile>(work, launch, gemm_split_tf32_split);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "TF32, split",
    .after = "01_tf32",
    .suffers = "A factor loses 13 of its 24 bits.",
    .changes = "A float is the sum of two TF32; three products of the parts are added, and the "
               "CUDA cores add up what the tensor cores make of each slice.",
    .pays = "Three products take the place of one, at half the rate of 16-bit numbers, and warps "
            "split their operands while the tensor cores are idle.",
    .claims =
        {
            {"Three products of TF32 are as accurate as float32 (here: at most twice the library's "
             "error).",
             "NVIDIA, CUTLASS 2.8", "Announcement of the release, 3xTF32", NULL,
             "error_over_library <= 2"},
            {"They are twice as fast as CUDA cores (here: this kernel and the library's product of "
             "floats; that one kernel is slower does not refute it).",
             "NVIDIA, CUTLASS 2.8", "Announcement of the release, 3xTF32", "4096x4096x4096",
             "CASE WHEN speedup_library_low >= 2 THEN 1 END"},
            {"They outperform the peak of the CUDA cores (in the source: at 33 TFLOP/s on an "
             "A100; that one kernel is slower does not refute it).",
             "Ootomo and Yokota, 2022", "Recovering single precision accuracy from Tensor Cores",
             "8192x8192x8192", "CASE WHEN tflops_low > fp32_peak_tflops THEN 1 END"},
        },
    .refuses = refuse_tf32,
    .plan = plan,
    .shared_accesses = list_by<describe_tf32<tile>>,
};
