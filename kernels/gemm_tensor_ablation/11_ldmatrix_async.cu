/*
 * Cell 11 of the grid: ldmatrix, asynchronous copies.
 *
 * Copies bypass the registers, and ldmatrix reads four matrices at a time, with bank conflicts;
 * each slice is waited for.
 */
#include "grid.h"

#define CELL 0, 0, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "ldmatrix, asynchronous copies",
    .after = "01_base",
    .suffers = "Each lane reads its own elements: words of A, and halves of words of B from two "
               "rows. Data from global to shared memory pass through registers.",
    .changes = "ldmatrix reads four matrices of 8 x 8 elements in one instruction. cp.async copies "
               "directly into shared memory.",
    .pays = "A wait for each slice, with two barriers around it and bank conflicts in reads.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
