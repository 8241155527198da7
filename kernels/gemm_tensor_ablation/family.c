/*
 * Defines the matrix product on tensor cores once more, as a grid: four techniques of the ladder,
 * each on or off, in every combination. The problem comes from tensor_problem.h; the sizes and
 * texts of the grid are here.
 */
#include "tensor_problem.h"

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Tensor cores: four techniques, on and off",
    .problem =
        "Multiply an M x K matrix of bfloat16 by a K x N one, as the family gemm_tensor does. Here "
        "one kernel, with the same tiles and the same share for each warp, is built sixteen times: "
        "with and without double buffering, swizzled rows in shared memory, matrix loads "
        "(ldmatrix) and asynchronous copies (cp.async), in every combination. The grid shows the "
        "effect of each technique by itself, and the effects that appear only in combination.",
    .rank = 3,
    .sizes = {"2048x2048x2048", "4096x4096x4096"},
    .primary_size = "4096x4096x4096",
    .blocks = {256},
    .block_preset = 256,
    .input_count = 2,
    .comparison = COMPARE_FLOAT_FROBENIUS,
    .rate = RATE_OPERATIONS,
    .operations_per_lane = TENSOR_MMA_OPERATIONS,
    .useful_bytes_text = TENSOR_USEFUL_BYTES_TEXT,
    .input_bytes = tensor_input_bytes,
    .output_bytes = tensor_output_bytes,
    .scratch_bytes = gemm_no_scratch,
    .useful_bytes = tensor_useful_bytes,
    .useful_operations = tensor_useful_operations,
    .tolerance = tensor_tolerance,
    .fill = tensor_fill,
    .reference = tensor_reference,
};
