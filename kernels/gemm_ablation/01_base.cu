/*
 * Cell 1 of the grid: all four techniques off.
 *
 * The plain form, to which every other cell is compared. A tile of A and one of B are brought into
 * shared memory by loads and stores of 4 bytes; behind a barrier every thread multiplies what it
 * needs of them, and a second barrier keeps the next tile from arriving too early.
 *
 * What it pays: while a tile is on its way nothing is multiplied, unless another block of the
 * multiprocessor has work; the lanes of a warp collide when they read B; every instruction that
 * moves data moves one word per lane, and between global and shared memory there is a register.
 */
#include "grid.h"

#define CELL 0, 0, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Base",
    .suffers = "Multiply tiles of 128 x 128 that pass through shared memory, with none of the four "
               "techniques.",
    .changes = "One tile at a time: loads and stores of 4 bytes, a barrier, 8 x 8 products per "
               "thread and k, a barrier.",
    .pays = "A wait for each tile and two barriers around it, reads of B that collide, 4 bytes per "
            "lane and instruction, a detour through registers "
            "and stores of A that collide.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_COUNTS,
    GRID_CELL(CELL),
};
