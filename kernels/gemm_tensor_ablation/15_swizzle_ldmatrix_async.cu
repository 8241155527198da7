/*
 * Cell 15 of the grid: all but double buffer.
 *
 * Reads are free of bank conflicts and take one instruction for four matrices, and copies bypass
 * the registers; but each slice is waited for before it is multiplied.
 */
#include "grid.h"

#define CELL 0, 1, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but double buffer",
    .after = "01_base",
    .suffers = "Reads take a piece from each of several rows, which begin in the same bank. Each "
               "lane reads its own elements: words of A, and halves of words of B from two rows. "
               "Data from global to shared memory pass through registers.",
    .changes = "The pieces of a row are permuted by its number, so reads of several rows find "
               "different banks. ldmatrix reads four matrices of 8 x 8 elements in one "
               "instruction. cp.async copies directly into shared memory.",
    .pays = "A wait for each slice, with two barriers around it.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
