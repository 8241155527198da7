/*
 * Cell 7 of the grid: double buffer, ldmatrix.
 *
 * The next slice is in flight while this one is multiplied, and ldmatrix reads four matrices at a
 * time, with bank conflicts.
 */
#include "grid.h"

#define CELL 1, 0, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, ldmatrix",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Each "
               "lane reads its own elements: words of A, and halves of words of B from two rows.",
    .changes =
        "There are two stages: the next slice is in flight while one is multiplied, and there is "
        "one barrier per slice. ldmatrix reads four matrices of 8 x 8 elements in one instruction.",
    .pays = "Two stages in shared memory and registers for the pieces in flight and bank conflicts "
            "in reads.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
