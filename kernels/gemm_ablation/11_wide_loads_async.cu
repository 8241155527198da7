/*
 * Cell 11 of the grid: wide loads, asynchronous.
 *
 * B is copied 16 bytes at a time, directly into shared memory, and both tiles are read 16 bytes at
 * a time. A is transposed on its way, which a copy can do only with single words: A is copied as in
 * the narrow cells.
 */
#include "grid.h"

#define CELL 0, 0, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads, asynchronous",
    .after = "01_base",
    .suffers = "Every load and every store moves 4 bytes. Data from global to shared memory pass "
               "through registers.",
    .changes = "Loads, stores and reads of shared memory move 16 bytes at a time where they can. "
               "cp.async copies directly into shared memory.",
    .pays = "A wait for each tile and two barriers around it, bank conflicts in reads of B, copies "
            "of A word by word and bank conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
