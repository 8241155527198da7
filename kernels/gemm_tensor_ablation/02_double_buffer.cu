/*
 * Cell 2 of the grid: double buffer.
 *
 * The base waits for every slice before it can multiply. Here the next slice is loaded first, then
 * this one is multiplied, and only then are the loaded pieces stored, into a second stage. One
 * barrier per slice is enough, because no thread writes to a stage that others still read.
 *
 * Remaining cost: twice the shared memory, and 48 registers for the pieces in flight.
 */
#include "grid.h"

#define CELL 1, 0, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied.",
    .changes = "There are two stages: the next slice is in flight while one is multiplied, and "
               "there is one barrier per slice.",
    .pays = "Two stages in shared memory and registers for the pieces in flight, bank conflicts in "
            "reads and six reads instead of one.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
