/*
 * Cell 1 of the grid: all four techniques off.
 *
 * This is the plain form, to which every other cell is compared. A tile of A and one of B are
 * brought into shared memory by loads and stores of 4 bytes; after a barrier every thread
 * multiplies its part, and a second barrier keeps the next tile from arriving too early.
 *
 * Remaining cost: while a tile is in flight nothing is multiplied, unless another block of the
 * multiprocessor has work; the lanes of a warp conflict when they read B; every instruction that
 * moves data moves one word per lane; and data pass through a register between global and shared
 * memory.
 */
#include "grid.h"

#define CELL 0, 0, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Base",
    .suffers = "Tiles of 128 x 128 must be multiplied through shared memory, with none of the four "
               "techniques.",
    .changes = "One tile is processed at a time: loads and stores of 4 bytes, a barrier, 8 x 8 "
               "products per thread and k, a barrier.",
    .pays =
        "A wait for each tile and two barriers around it, bank conflicts in reads of B, 4 bytes "
        "per lane and instruction, a detour through registers and bank conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
