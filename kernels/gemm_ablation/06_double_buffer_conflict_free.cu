/*
 * Cell 6 of the grid: double buffer, conflict-free.
 *
 * This cell removes both the waits for tiles and the bank conflicts; data still move word by word
 * through registers.
 */
#include "grid.h"

#define CELL 1, 1, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, conflict-free",
    .after = "01_base",
    .suffers = "Each tile is waited for, with nothing else to do, before it is multiplied. "
               "Adjacent lanes read words of B that are 8 apart and share the same banks.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile. A warp has 16 x 32 elements of each "
               "quarter of the tile, so its lanes read different banks.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, 4 bytes per lane "
            "and instruction, a detour through registers and bank conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
