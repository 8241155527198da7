/*
 * Cell 13 of the grid: all but wide loads.
 *
 * The next tile is copied past the registers while this one is multiplied, and reads do not
 * collide; but everything moves word by word.
 */
#include "grid.h"

#define CELL 1, 1, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but wide loads",
    .after = "01_base",
    .suffers =
        "A tile is waited for, with nothing else to do, before it is multiplied. Lanes that lie "
        "side by side read B 8 words apart and meet "
        "in the same banks. What goes from global to shared memory passes through registers.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. A warp has 16 "
               "x 32 elements of each quarter of the tile, so that its lanes read different banks. "
               "cp.async copies straight into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, 4 bytes per lane "
            "and instruction and copies of A that collide as "
            "they are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("695"),
    GRID_CELL(CELL),
};
