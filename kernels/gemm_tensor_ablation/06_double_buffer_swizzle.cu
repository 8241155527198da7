/*
 * Cell 6 of the grid: double buffer, swizzle.
 *
 * The next slice is in flight while this one is multiplied, and reads have no bank conflicts; each
 * lane reads its own elements.
 */
#include "grid.h"

#define CELL 1, 1, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, swizzle",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Reads "
               "take a piece from each of several rows, which begin in the same bank.",
    .changes = "There are two stages: the next slice is in flight while one is multiplied, and "
               "there is one barrier per slice. The pieces of a row are permuted by its number, so "
               "reads of several rows find different banks.",
    .pays = "Two stages in shared memory and registers for the pieces in flight and six reads "
            "instead of one.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
