/*
 * Cell 14 of the grid: all but conflict-free.
 *
 * The next tile is copied without passing through registers while this one is multiplied, and B
 * moves 16 bytes at a time; but the lanes conflict when they read B.
 */
#include "grid.h"

#define CELL 1, 0, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but conflict-free",
    .after = "01_base",
    .suffers =
        "Each tile is waited for, with nothing else to do, before it is multiplied. Every load and "
        "every store moves 4 bytes. Data from global to shared memory pass through registers.",
    .changes =
        "There are two tiles and two sets of factors: the next is in flight while one is "
        "multiplied, and there is one barrier per tile. Loads, stores and reads of shared memory "
        "move 16 bytes at a time where they can. cp.async copies directly into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, bank conflicts in "
            "reads of B, copies of A word by word and bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
