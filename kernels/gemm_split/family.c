/*
 * Defines the matrix product of floats that tensor cores compute. The problem comes from
 * gemm_problem.h; the sizes and texts of this ladder are here.
 */
#include "cublas.h"
#include "gemm_problem.h"
#include "split.h"

_Static_assert(GEMM_SCRATCH_BYTES >= CUBLAS_WORKSPACE_BYTES,
               "cuBLAS works in the family's scratch buffer");

const struct family FAMILY = {
    .name = FAMILY_NAME,
    GEMM_PROBLEM,
    .title = "FP32 GEMM emulated on tensor cores",
    .problem = "Multiply an M x K matrix of floats by a K x N one; both, and the result, are "
               "stored row by row, and a size reads M x N x K. Tensor cores are many times faster "
               "than the lanes of a warp, but take shorter numbers: TF32 has 11 bits, bfloat16 8 "
               "and half precision 11, of a float's 24. A float is the sum of two or three "
               "shorter numbers, so several short products add up to an accurate one. The entries "
               "are normally distributed with variance 1; a result is right within 3.6e-8 sqrt(K) "
               "+ 4e-7 of the float64 product, by the Frobenius norm, about twice the error of a "
               "sum in float32. Variants with fewer bits have a larger bound.",
    .sizes = {"256x256x256", "1024x1024x1024", "4096x4096x4096", "8192x8192x8192"},
    .primary_size = "4096x4096x4096",
    .unit = UNIT_TENSOR_TF32,
    .operations_per_lane = 4096, /* a warpgroup multiplies 64 x 16 by 16 x 256 elements */
    .scratch_bytes = split_scratch_bytes,
    .tolerance = split_tolerance,
    .fill = gemm_fill_normal,
};
