/*
 * Cell 5 of the grid: asynchronous copies.
 *
 * In the base every piece from global memory is loaded into registers and stored from there. Here
 * cp.async copies it directly into shared memory; a thread issues its copies and waits for all of
 * them.
 *
 * Remaining cost: the wait is as long as before, because nothing else happens meanwhile.
 */
#include "grid.h"

#define CELL 0, 0, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous copies",
    .after = "01_base",
    .suffers = "Data from global to shared memory pass through registers.",
    .changes = "cp.async copies directly into shared memory.",
    .pays = "A wait for each slice, with two barriers around it, bank conflicts in reads and six "
            "reads instead of one.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
