/*
 * Cell 14 of the grid: all but conflict-free.
 *
 * The next tile is copied past the registers while this one is multiplied, and B moves 16 bytes at
 * a time; but the lanes collide when they read B.
 */
#include "grid.h"

#define CELL 1, 0, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but conflict-free",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied. Every load "
               "and every store moves 4 bytes. What goes from "
               "global to shared memory passes through registers.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. Loads, stores "
               "and reads of shared memory take 16 bytes at a time where they can. cp.async copies "
               "straight into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, reads of B that "
            "collide, A copied word by word and copies of A that "
            "collide as they are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("590"),
    GRID_CELL(CELL),
};
