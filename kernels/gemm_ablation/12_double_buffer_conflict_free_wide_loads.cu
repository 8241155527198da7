/*
 * Cell 12 of the grid: all but asynchronous.
 *
 * This is the source's sgemm_v3: everything but asynchronous copies. Words loaded ahead of their
 * use wait in registers.
 */
#include "grid.h"

#define CELL 1, 1, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but asynchronous",
    .after = "01_base",
    .suffers = "Each tile is waited for, with nothing else to do, before it is multiplied. "
               "Adjacent lanes read words of B that are 8 apart and share the same banks. Every "
               "load and every store moves 4 bytes.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile. A warp has 16 x 32 elements of each "
               "quarter of the tile, so its lanes read different banks. Loads, stores and reads of "
               "shared memory move 16 bytes at a time where they can.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, a detour through "
            "registers and bank conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
