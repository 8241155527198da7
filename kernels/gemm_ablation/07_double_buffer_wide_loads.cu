/*
 * Cell 7 of the grid: double buffer, wide loads.
 *
 * The next tile is on its way while this one is multiplied, 16 bytes at a time: the source's
 * sgemm_v1. The lanes still collide when they read B.
 */
#include "grid.h"

#define CELL 1, 0, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, wide loads",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied. Every load "
               "and every store moves 4 bytes.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. Loads, stores "
               "and reads of shared memory take 16 bytes at a time where they can.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, reads of B that "
            "collide, a detour through registers and stores of A "
            "that collide.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("577"),
    GRID_CELL(CELL),
};
