/*
 * Cell 2 of the grid: double buffer.
 *
 * The base waits for every tile before it can multiply. Here the loads of the next tile are issued
 * first, the products of this one follow, and only then what was loaded is stored, into a second
 * tile of shared memory. The factors of the next k are read while those of this one are multiplied.
 * One barrier per tile is enough, for nobody writes where others still read.
 *
 * What it pays: twice the shared memory, and registers for what is on its way.
 */
#include "grid.h"

#define CELL 1, 0, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, reads of B that "
            "collide, 4 bytes per lane and instruction, a detour "
            "through registers and stores of A that collide.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("695"),
    GRID_CELL(CELL),
};
