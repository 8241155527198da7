/*
 * Cell 15 of the grid: all but double buffer.
 *
 * Wide reads that do not collide, and copies past the registers; but each tile is waited for before
 * it is multiplied.
 */
#include "grid.h"

#define CELL 0, 1, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but double buffer",
    .after = "01_base",
    .suffers = "Lanes that lie side by side read B 8 words apart and meet in the same banks. Every "
               "load and every store moves 4 bytes. What goes "
               "from global to shared memory passes through registers.",
    .changes = "A warp has 16 x 32 elements of each quarter of the tile, so that its lanes read "
               "different banks. Loads, stores and reads of shared "
               "memory take 16 bytes at a time where they can. cp.async copies straight into "
               "shared memory.",
    .pays = "A wait for each tile and two barriers around it, A copied word by word and copies of "
            "A that collide as they are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("573"),
    GRID_CELL(CELL),
};
