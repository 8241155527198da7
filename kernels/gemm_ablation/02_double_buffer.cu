/*
 * Cell 2 of the grid: double buffer.
 *
 * The base waits for every tile before it can multiply. Here the loads of the next tile are issued
 * first, then this one is multiplied, and only then are the loaded words stored, into a second tile
 * of shared memory. The factors of the next k are read while those of this one are multiplied. One
 * barrier per tile is enough, because no thread writes to a tile that others still read.
 *
 * Remaining cost: twice the shared memory, and registers for the words in flight.
 */
#include "grid.h"

#define CELL 1, 0, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer",
    .after = "01_base",
    .suffers = "Each tile is waited for, with nothing else to do, before it is multiplied.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, bank conflicts in "
            "reads of B, 4 bytes per lane and instruction, a detour through registers and bank "
            "conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
