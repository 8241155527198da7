/*
 * Cell 12 of the grid: all but asynchronous.
 *
 * The source's sgemm_v3: everything but asynchronous copies. What is ahead of its use waits in
 * registers.
 */
#include "grid.h"

#define CELL 1, 1, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but asynchronous",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied. Lanes that "
               "lie side by side read B 8 words apart and meet "
               "in the same banks. Every load and every store moves 4 bytes.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. A warp has 16 "
               "x 32 elements of each quarter of the tile, so that its lanes read different banks. "
               "Loads, stores and reads of shared memory take 16 "
               "bytes at a time where they can.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, a detour through "
            "registers and stores of A that collide.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("577"),
    GRID_CELL(CELL),
};
