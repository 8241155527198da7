/*
 * Cell 6 of the grid: double buffer, conflict-free.
 *
 * Waiting for tiles and collisions are treated together; data still move word by word through
 * registers.
 */
#include "grid.h"

#define CELL 1, 1, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, conflict-free",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied. Lanes that "
               "lie side by side read B 8 words apart and meet "
               "in the same banks.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. A warp has 16 "
               "x 32 elements of each quarter of the tile, so that its lanes read different banks.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, 4 bytes per lane "
            "and instruction, a detour through registers and "
            "stores of A that collide.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("695"),
    GRID_CELL(CELL),
};
