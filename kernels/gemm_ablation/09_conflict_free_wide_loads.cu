/*
 * Cell 9 of the grid: conflict-free, wide loads.
 *
 * Reads of 16 bytes have no bank conflicts: a quarter of a warp reads 32 words of B from 32 banks.
 * But each tile is waited for before it is multiplied.
 */
#include "grid.h"

#define CELL 0, 1, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Conflict-free, wide loads",
    .after = "01_base",
    .suffers = "Adjacent lanes read words of B that are 8 apart and share the same banks. Every "
               "load and every store moves 4 bytes.",
    .changes =
        "A warp has 16 x 32 elements of each quarter of the tile, so its lanes read different "
        "banks. Loads, stores and reads of shared memory move 16 bytes at a time where they can.",
    .pays = "A wait for each tile and two barriers around it, a detour through registers and bank "
            "conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
