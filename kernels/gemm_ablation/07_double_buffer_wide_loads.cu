/*
 * Cell 7 of the grid: double buffer, wide loads.
 *
 * The next tile is in flight while this one is multiplied, 16 bytes at a time: the source's
 * sgemm_v1. The lanes still conflict when they read B.
 */
#include "grid.h"

#define CELL 1, 0, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, wide loads",
    .after = "01_base",
    .suffers = "Each tile is waited for, with nothing else to do, before it is multiplied. Every "
               "load and every store moves 4 bytes.",
    .changes = "There are two tiles and two sets of factors: the next is in flight while one is "
               "multiplied, and there is one barrier per tile. Loads, stores and reads of shared "
               "memory move 16 bytes at a time where they can.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, bank conflicts in "
            "reads of B, a detour through registers and bank conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
