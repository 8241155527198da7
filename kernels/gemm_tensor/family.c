/*
 * Defines the matrix product on tensor cores. The problem comes from tensor_problem.h; the sizes
 * and texts of this ladder are here.
 */
#include "cublas.h"
#include "tensor_problem.h"

_Static_assert(TENSOR_WORKSPACE_BYTES >= CUBLAS_WORKSPACE_BYTES,
               "cuBLAS works in the family's scratch buffer");

const struct family FAMILY = {
    .name = FAMILY_NAME,
    TENSOR_PROBLEM,
    .title = "Matrix product on tensor cores",
    .problem = "Multiply an M x K matrix of bfloat16 by a K x N one and add in float32; both, and "
               "the result of floats, are stored row by row, and a size reads M x N x K. A tensor "
               "core multiplies small matrices in one instruction, many times faster than the "
               "lanes of a warp can, so performance depends on how fast their operands arrive. The "
               "entries are normally distributed with variance 1; a result is right within 2e-7 "
               "sqrt(K) + 6e-9 K of the float64 product, by the Frobenius norm: tensor cores "
               "truncate sums.",
    .sizes = {"128x128x128", "256x256x256", "1024x1024x1024", "2048x2048x2048", "4096x4096x4096",
              "8192x8192x8192"},
    .primary_size = "4096x4096x4096",
    .operations_per_lane = TENSOR_WGMMA_OPERATIONS,
    .scratch_bytes = tensor_scratch_bytes,
};
