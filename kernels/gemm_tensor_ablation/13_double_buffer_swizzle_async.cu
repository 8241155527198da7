/*
 * Cell 13 of the grid: all but ldmatrix.
 *
 * The next slice is copied past the registers while this one is multiplied, and reads are free of
 * bank conflicts; but each lane reads its own elements.
 */
#include "grid.h"

#define CELL 1, 1, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but ldmatrix",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Reads "
               "take a piece from each of several rows, which begin in the same bank. Data from "
               "global to shared memory pass through registers.",
    .changes =
        "There are two stages: the next slice is in flight while one is multiplied, and there is "
        "one barrier per slice. The pieces of a row are permuted by its number, so reads of "
        "several rows find different banks. cp.async copies directly into shared memory.",
    .pays = "Two stages in shared memory and six reads instead of one.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
