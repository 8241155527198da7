/*
 * Cell 1 of the grid: all four techniques off.
 *
 * This is the plain form, to which every other cell is compared. A slice of A and one of B are
 * brought into shared memory by loads and stores of 16 bytes; after a barrier every warp reads its
 * fragments and multiplies them, and a second barrier keeps the next slice from arriving too early.
 *
 * Remaining cost: while a slice is in flight nothing is multiplied; reads conflict, because rows of
 * a slice begin in the same bank; and a lane reads its own elements, two or four bytes at a time.
 */
#include "grid.h"

#define CELL 0, 0, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Base",
    .suffers = "Tiles must be multiplied through shared memory, with none of the four techniques.",
    .changes = "One slice is processed at a time: loads and stores of 16 bytes, a barrier, reads "
               "of words and halves of words and their products, a barrier.",
    .pays =
        "A wait for each slice, with two barriers around it, bank conflicts in reads, six reads "
        "instead of one and a detour through registers.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
