/*
 * Cell 16 of the grid: all four.
 *
 * The next slice is copied past the registers while this one is multiplied; reads are free of bank
 * conflicts and take one instruction for four matrices. This is rung 6 of the ladder gemm_tensor.
 *
 * Remaining cost: two stages in shared memory, and products that wait for their fragments at each
 * step.
 */
#include "grid.h"

#define CELL 1, 1, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All four",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Reads "
               "take a piece from each of several rows, which begin in the same bank. Each lane "
               "reads its own elements: words of A, and halves of words of B from two rows. Data "
               "from global to shared memory pass through registers.",
    .changes = "There are two stages: the next slice is in flight while one is multiplied, and "
               "there is one barrier per slice. The pieces of a row are permuted by its number, so "
               "reads of several rows find different banks. ldmatrix reads four matrices of 8 x 8 "
               "elements in one instruction. cp.async copies directly into shared memory.",
    .pays = "Two stages in shared memory.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
