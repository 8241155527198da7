/*
 * Cell 3 of the grid: swizzle.
 *
 * The pieces of a row are permuted by its number, so that the rows of a matrix are in different
 * banks. This is rung 6 of the ladder gemm_tensor.
 *
 * Remaining cost: the products of a slice take less time, in which the next slice must arrive.
 */
#include "grid.h"

#define CELL 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Swizzle",
    .after = "01_base",
    .suffers = "The eight rows of a matrix are in the same banks.",
    .changes = "The pieces of a row are permuted by its number.",
    .pays = "A copy may take no longer than the products of a slice, which are faster now.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    .claims =
        {
            {"With permuted pieces the reads of shared memory no longer have bank conflicts.",
             "whyfast", "Aim of this cell", NULL,
             "matrix_excess_wavefronts = 0 AND prev_matrix_excess_wavefronts > 0"},
        },
    GRID_CELL(CELL),
};
