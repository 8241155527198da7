/*
 * Defines the matrix product on tensor cores as a small grid: two or four stages in shared memory,
 * with and without swizzled rows. The problem comes from tensor_problem.h; the sizes and texts of
 * the grid are here.
 */
#include "tensor_problem.h"

const struct family FAMILY = {
    .name = FAMILY_NAME,
    TENSOR_PROBLEM,
    .title = "Tensor cores: two or four stages",
    .problem =
        "Multiply an M x K matrix of bfloat16 by a K x N one, as the family gemm_tensor does. Here "
        "one kernel with asynchronous copies is built four times: with two or four stages in "
        "shared memory, and with rows as they are or swizzled. The grid shows whether more slices "
        "in flight gain something, and whether that depends on how fast the slices are read.",
    .sizes = {"2048x2048x2048", "4096x4096x4096"},
    .primary_size = "4096x4096x4096",
    .operations_per_lane = TENSOR_MMA_OPERATIONS,
};
