/*
 * Cell 8 of the grid: double buffer, asynchronous.
 *
 * cp.async copies the next tile into the second buffer while this one is multiplied. Unlike loads
 * issued ahead of their use, copies in flight hold no registers. They move single words, and the
 * lanes conflict when they read B.
 */
#include "grid.h"

#define CELL 1, 0, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, asynchronous",
    .after = "01_base",
    .suffers = "Each tile is waited for, with nothing else to do, before it is multiplied. Data "
               "from global to shared memory pass through registers.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile. cp.async copies directly into "
               "shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, bank conflicts in "
            "reads of B, 4 bytes per lane and instruction and bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
