/*
 * Cell 8 of the grid: double buffer, asynchronous copies.
 *
 * The next slice is copied past the registers while this one is multiplied; each lane reads its own
 * elements, with bank conflicts.
 */
#include "grid.h"

#define CELL 1, 0, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, asynchronous copies",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Data "
               "from global to shared memory pass through registers.",
    .changes = "There are two stages: the next slice is in flight while one is multiplied, and "
               "there is one barrier per slice. cp.async copies directly into shared memory.",
    .pays = "Two stages in shared memory, bank conflicts in reads and six reads instead of one.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
