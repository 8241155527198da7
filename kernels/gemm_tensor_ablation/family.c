/*
 * Defines the matrix product on tensor cores once more, as a grid: four techniques of the ladder,
 * each on or off, in every combination. The problem comes from tensor_problem.h; the sizes and
 * texts of the grid are here.
 */
#include "tensor_problem.h"

const struct family FAMILY = {
    .name = FAMILY_NAME,
    TENSOR_PROBLEM,
    .title = "Tensor cores: four techniques, on and off",
    .problem =
        "Multiply an M x K matrix of bfloat16 by a K x N one, as the family gemm_tensor does. Here "
        "one kernel, with the same tiles and the same share for each warp, is built sixteen times: "
        "with and without double buffering, swizzled rows in shared memory, matrix loads "
        "(ldmatrix) and asynchronous copies (cp.async), in every combination. The grid shows the "
        "effect of each technique by itself, and the effects that appear only in combination.",
    .sizes = {"2048x2048x2048", "4096x4096x4096"},
    .primary_size = "4096x4096x4096",
    .operations_per_lane = TENSOR_MMA_OPERATIONS,
};
