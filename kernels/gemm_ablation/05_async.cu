/*
 * Cell 5 of the grid: asynchronous.
 *
 * In the base every word from global memory is loaded into a register and stored from there. Here
 * cp.async copies it straight into shared memory; the thread issues its copies and waits for all of
 * them.
 *
 * What it pays: the wait is as long as before, for nothing else happens meanwhile.
 */
#include "grid.h"

#define CELL 0, 0, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous",
    .after = "01_base",
    .suffers = "What goes from global to shared memory passes through registers.",
    .changes = "cp.async copies straight into shared memory.",
    .pays = "A wait for each tile and two barriers around it, reads of B that collide, 4 bytes per "
            "lane and instruction and copies of A that "
            "collide as they are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("676"),
    GRID_CELL(CELL),
};
