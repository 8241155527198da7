/*
 * Cell 13 of the grid: all but wide loads.
 *
 * The next tile is copied without passing through registers while this one is multiplied, and reads
 * have no bank conflicts; but everything moves word by word.
 */
#include "grid.h"

#define CELL 1, 1, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but wide loads",
    .after = "01_base",
    .suffers = "Each tile is waited for, with nothing else to do, before it is multiplied. "
               "Adjacent lanes read words of B that are 8 apart and share the same banks. Data "
               "from global to shared memory pass through registers.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile. A warp has 16 x 32 elements of each "
               "quarter of the tile, so its lanes read different banks. cp.async copies directly "
               "into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, 4 bytes per lane "
            "and instruction and bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
