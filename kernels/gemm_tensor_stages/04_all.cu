/*
 * Cell 4 of the grid: four stages and swizzle.
 *
 * The reads are free of bank conflicts, and three slices are in flight. This is rung 7 of the
 * ladder gemm_tensor with four stages.
 *
 * Remaining cost: four stages in shared memory.
 */
#include "grid.h"

#define CELL 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Four stages, swizzle",
    .after = "01_base",
    .suffers = "A copy may take no longer than the products of a slice. The eight rows of a matrix "
               "are in the same banks.",
    .changes = "Four stages: three slices are in flight while one is multiplied. The pieces of a "
               "row are permuted by its number.",
    .pays = "Four stages in shared memory.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
