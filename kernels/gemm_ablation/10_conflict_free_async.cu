/*
 * Cell 10 of the grid: conflict-free, asynchronous.
 *
 * The lanes read different banks, and data go straight into shared memory, word by word; each tile
 * is waited for before it is multiplied.
 */
#include "grid.h"

#define CELL 0, 1, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Conflict-free, asynchronous",
    .after = "01_base",
    .suffers = "Lanes that lie side by side read B 8 words apart and meet in the same banks. What "
               "goes from global to shared memory passes through "
               "registers.",
    .changes = "A warp has 16 x 32 elements of each quarter of the tile, so that its lanes read "
               "different banks. cp.async copies straight into "
               "shared memory.",
    .pays = "A wait for each tile and two barriers around it, 4 bytes per lane and instruction and "
            "copies of A that collide as they are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("676"),
    GRID_CELL(CELL),
};
