/*
 * Cell 10 of the grid: conflict-free, asynchronous.
 *
 * The lanes read different banks, and data are copied directly into shared memory, word by word;
 * each tile is waited for before it is multiplied.
 */
#include "grid.h"

#define CELL 0, 1, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Conflict-free, asynchronous",
    .after = "01_base",
    .suffers = "Adjacent lanes read words of B that are 8 apart and share the same banks. Data "
               "from global to shared memory pass through registers.",
    .changes = "A warp has 16 x 32 elements of each quarter of the tile, so its lanes read "
               "different banks. cp.async copies directly into shared memory.",
    .pays = "A wait for each tile and two barriers around it, 4 bytes per lane and instruction and "
            "bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
