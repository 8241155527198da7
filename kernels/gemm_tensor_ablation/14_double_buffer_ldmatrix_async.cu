/*
 * Cell 14 of the grid: all but swizzle.
 *
 * The next slice is copied past the registers while this one is multiplied, and ldmatrix reads four
 * matrices at a time; but their rows are in the same banks.
 */
#include "grid.h"

#define CELL 1, 0, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but swizzle",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Each "
               "lane reads its own elements: words of A, and halves of words of B from two rows. "
               "Data from global to shared memory pass through registers.",
    .changes = "There are two stages: the next slice is in flight while one is multiplied, and "
               "there is one barrier per slice. ldmatrix reads four matrices of 8 x 8 elements in "
               "one instruction. cp.async copies directly into shared memory.",
    .pays = "Two stages in shared memory and bank conflicts in reads.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
