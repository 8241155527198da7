/*
 * Cell 8 of the grid: double buffer, asynchronous.
 *
 * The next tile is copied into the second buffer by cp.async while this one is multiplied. Unlike
 * loads that are ahead of their use, copies that are under way hold no registers. They take single
 * words, and the lanes collide when they read B.
 */
#include "grid.h"

#define CELL 1, 0, 0, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffer, asynchronous",
    .after = "01_base",
    .suffers = "A tile is waited for, with nothing else to do, before it is multiplied. What goes "
               "from global to shared memory passes through "
               "registers.",
    .changes = "Two tiles and two sets of factors: the next is on its way while one is multiplied, "
               "and there is one barrier per tile. cp.async "
               "copies straight into shared memory.",
    .pays = "Two tiles in shared memory and registers for two sets of factors, reads of B that "
            "collide, 4 bytes per lane and instruction and copies "
            "of A that collide as they are stored.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("695"),
    GRID_CELL(CELL),
};
