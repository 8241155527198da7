/*
 * Cell 5 of the grid: asynchronous.
 *
 * In the base every word from global memory is loaded into a register and stored from there. Here
 * cp.async copies it directly into shared memory; the thread issues its copies and waits for all of
 * them.
 *
 * Remaining cost: the wait is as long as before, because nothing else happens meanwhile.
 */
#include "grid.h"

#define CELL 0, 0, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous",
    .after = "01_base",
    .suffers = "Data from global to shared memory pass through registers.",
    .changes = "cp.async copies directly into shared memory.",
    .pays = "A wait for each tile and two barriers around it, bank conflicts in reads of B, 4 "
            "bytes per lane and instruction and bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
