/*
 * Cell 16 of the grid: all four.
 *
 * The next tile is copied without passing through registers while this one is multiplied; reads
 * have no bank conflicts; reads, and copies of B, are 16 bytes wide.
 *
 * Remaining cost: A is copied word by word, because it is transposed on its way, and those copies
 * have bank conflicts in shared memory.
 */
#include "grid.h"

#define CELL 1, 1, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All four",
    .after = "01_base",
    .suffers =
        "Each tile is waited for, with nothing else to do, before it is multiplied. Adjacent lanes "
        "read words of B that are 8 apart and share the same banks. Every load and every store "
        "moves 4 bytes. Data from global to shared memory pass through registers.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile. A warp has 16 x 32 elements of each "
               "quarter of the tile, so its lanes read different banks. Loads, stores and reads of "
               "shared memory move 16 bytes at a time where they can. cp.async copies directly "
               "into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, copies of A word by "
            "word and bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
