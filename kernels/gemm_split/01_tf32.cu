/*
 * Rung 1: one product of TF32.
 *
 * Tensor cores take no floats of 24 bits. They take TF32: floats rounded to 11 bits, with the
 * exponent of a float. Warps read fragments of A and B from shared memory, round them, and multiply
 * by mma.sync; four stages of slices along K are filled ahead by asynchronous copies.
 *
 * Remaining cost: a factor loses 13 bits, so the result has an error of about 3e-4, hundreds of
 * times that of a sum in float32.
 */
#include "tf32.h"

using tile = tf32_shape<1, 64, 4>;

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_split_tf32(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
    multiply_tile<tile>({a, b, c, m, n, k, 0, 0});
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    plan_tf32<tile>(work, launch, gemm_split_tf32);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "TF32, once",
    .suffers = "CUDA cores multiply floats; tensor cores are many times faster, but take shorter "
               "numbers.",
    .changes = "Floats are rounded to TF32, 11 bits of 24, when a warp reads them from shared "
               "memory, and multiplied by mma.sync.",
    .pays = "The result is hundreds of times less accurate than a sum in float32.",
    .claims =
        {
            {"A product of TF32 is several times faster than one of floats on CUDA cores (here: "
             "at least twice as fast as the library's).",
             "NVIDIA, A100 white paper", "Tensor Float-32", "4096x4096x4096", TIMES_LIBRARY(2)},
            {"It is accurate to 11 bits: the error lies between 2^-13 and 2^-11.", "whyfast",
             "Aim of this rung", NULL,
             "relative_error > 1 / 8192.0 AND relative_error < 1 / 2048.0"},
        },
    .tolerance = split_tolerance_tf32,
    .refuses = refuse_tf32,
    .plan = plan,
    .shared_accesses = list_by<describe_tf32<tile>>,
};
