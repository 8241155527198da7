/*
 * Cell 2 of the grid: four stages.
 *
 * There are four stages, and three slices in flight: a copy may take three times as long as the
 * products of a slice. With bank conflicts those take long anyway.
 *
 * Remaining cost: twice the shared memory, and bank conflicts.
 */
#include "grid.h"

#define CELL 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Four stages",
    .after = "01_base",
    .suffers = "A copy may take no longer than the products of a slice.",
    .changes = "Four stages: three slices are in flight while one is multiplied.",
    .pays = "Four stages in shared memory and bank conflicts in reads.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
