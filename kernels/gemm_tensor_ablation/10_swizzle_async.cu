/*
 * Cell 10 of the grid: swizzle, asynchronous copies.
 *
 * Copies bypass the registers, and reads have no bank conflicts; each slice is waited for, and each
 * lane reads its own elements.
 */
#include "grid.h"

#define CELL 0, 1, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Swizzle, asynchronous copies",
    .after = "01_base",
    .suffers = "Reads take a piece from each of several rows, which begin in the same bank. Data "
               "from global to shared memory pass through registers.",
    .changes = "The pieces of a row are permuted by its number, so reads of several rows find "
               "different banks. cp.async copies directly into shared memory.",
    .pays = "A wait for each slice, with two barriers around it, and six reads instead of one.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
