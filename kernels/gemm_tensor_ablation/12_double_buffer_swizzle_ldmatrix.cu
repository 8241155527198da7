/*
 * Cell 12 of the grid: all but asynchronous copies.
 *
 * The next slice is loaded while this one is multiplied, and waits in registers; reads are free of
 * bank conflicts and take one instruction for four matrices. This is how kernels fed tensor cores
 * before compute capability 8.0.
 */
#include "grid.h"

#define CELL 1, 1, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but asynchronous copies",
    .after = "01_base",
    .suffers = "Each slice is waited for, with nothing else to do, before it is multiplied. Reads "
               "take a piece from each of several rows, which begin in the same bank. Each lane "
               "reads its own elements: words of A, and halves of words of B from two rows.",
    .changes = "There are two stages: the next slice is in flight while one is multiplied, and "
               "there is one barrier per slice. The pieces of a row are permuted by its number, so "
               "reads of several rows find different banks. ldmatrix reads four matrices of 8 x 8 "
               "elements in one instruction.",
    .pays = "Two stages in shared memory and registers for the pieces in flight.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
