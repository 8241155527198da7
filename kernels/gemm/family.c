/*
 * Defines the matrix product C = A B of floats. The problem comes from gemm_problem.h; the sizes
 * and texts of this ladder are here.
 */
#include "cublas.h"
#include "gemm.h"
#include "gemm_problem.h"

_Static_assert(GEMM_SCRATCH_BYTES >= CUBLAS_WORKSPACE_BYTES,
               "cuBLAS works in the family's scratch buffer");

static size_t scratch_bytes(const struct shape *shape)
{
    (void)shape;
    return GEMM_SCRATCH_BYTES;
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    GEMM_PROBLEM,
    .title = "Matrix product",
    .problem = "Multiply an M x K matrix of floats by a K x N one; both, and the result, are "
               "stored row by row, and a size reads M x N x K. Every element is used N or M times: "
               "performance depends on how often it must be fetched again, and from how far away. "
               "The entries are between -1 and 1; a result is right within 2e-7 sqrt(K) of the "
               "float64 product, by the Frobenius norm.",
    .sizes = {"256x256x256", "1024x1024x1024", "2048x2048x2048", "4096x4096x4096",
              "8192x8192x8192"},
    .primary_size = "2048x2048x2048",
    .blocks = {256},
    .block_preset = 256,
    .operations_per_lane = 2,
    .scratch_bytes = scratch_bytes,
    .tolerance = gemm_tolerance,
    .fill = gemm_fill,
};
