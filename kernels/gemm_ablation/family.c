/*
 * Defines the matrix product once more, as a grid: four techniques of the ladder, each on or off,
 * in every combination. The problem comes from gemm_problem.h; the sizes and texts of the grid are
 * here.
 */
#include "gemm_problem.h"

const struct family FAMILY = {
    .name = FAMILY_NAME,
    GEMM_PROBLEM,
    .title = "Matrix product: four techniques, on and off",
    .problem =
        "Multiply an M x K matrix of floats by a K x N one, as the family gemm does. A ladder "
        "switches techniques on one after the other, so the apparent worth of each depends on its "
        "place. Here one kernel, with the same tiles and the same share for each thread, is built "
        "sixteen times: with and without double buffering, reads free of bank conflicts, wide "
        "accesses and asynchronous copies, in every combination. The grid shows the effect of each "
        "technique by itself, and the effects that appear only in combination.",
    .sizes = {"1024x1024x1024", "2048x2048x2048", "4096x4096x4096"},
    .primary_size = "2048x2048x2048",
    .blocks = {256},
    .block_preset = 256,
    .operations_per_lane = 2,
    .tolerance = gemm_tolerance,
    .fill = gemm_fill,
};
