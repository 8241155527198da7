/*
 * Cell 9 of the grid: swizzle, ldmatrix.
 *
 * Swizzled rows without conflicts, four matrices for each read. This is rung 5 of the ladder
 * gemm_tensor.
 */
#include "grid.h"

#define CELL 0, 1, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Swizzle, ldmatrix",
    .after = "01_base",
    .suffers = "Reads take a piece from each of several rows, which begin in the same bank. Each "
               "lane reads its own elements: words of A, and halves of words of B from two rows.",
    .changes =
        "The pieces of a row are permuted by its number, so reads of several rows find different "
        "banks. ldmatrix reads four matrices of 8 x 8 elements in one instruction.",
    .pays = "A wait for each slice, with two barriers around it and a detour through registers.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
