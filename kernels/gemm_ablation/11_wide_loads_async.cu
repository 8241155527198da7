/*
 * Cell 11 of the grid: wide loads, asynchronous.
 *
 * B is copied 16 bytes at a time, straight into shared memory, and both tiles are read so. A is
 * transposed on its way, and a copy can do that with single words only: A is copied as in the
 * narrow cells.
 */
#include "grid.h"

#define CELL 0, 0, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads, asynchronous",
    .after = "01_base",
    .suffers = "Every load and every store moves 4 bytes. What goes from global to shared memory "
               "passes through registers.",
    .changes = "Loads, stores and reads of shared memory take 16 bytes at a time where they can. "
               "cp.async copies straight into shared memory.",
    .pays = "A wait for each tile and two barriers around it, reads of B that collide, A copied "
            "word by word and copies of A that collide as they "
            "are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("571"),
    GRID_CELL(CELL),
};
