/*
 * Cell 16 of the grid: all four.
 *
 * All four: the next tile is copied past the registers while this one is multiplied, reads do not
 * collide, and they and the copies of B are 16 bytes wide.
 *
 * What it pays: A is copied word by word, for it is transposed on its way, and those copies collide
 * in shared memory.
 */
#include "grid.h"

#define CELL 1, 1, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All four",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied. Lanes that "
               "lie side by side read B 8 words apart and meet "
               "in the same banks. Every load and every store moves 4 bytes. What goes from global "
               "to shared memory passes through registers.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. A warp has 16 "
               "x 32 elements of each quarter of the tile, so that its lanes read different banks. "
               "Loads, stores and reads of shared memory take 16 "
               "bytes at a time where they can. cp.async copies straight into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, A copied word by "
            "word and copies of A that collide as they are "
            "stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("590"),
    GRID_CELL(CELL),
};
