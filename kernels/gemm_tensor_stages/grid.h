/*
 * Defines the kernel of all cells of the grid and the common part of their descriptors. Nothing is
 * owned.
 *
 * The kernel is rung 6 of the ladder gemm_tensor (mma_tile.h). Two things are on or off at compile
 * time:
 *
 *   four_stages  three slices are in flight while one is multiplied. Off: one, with two stages
 *   swizzle      the 16-byte pieces of a row are permuted by its number, so that the rows of a
 *                matrix are in different banks. Off: rows as they are
 */
#ifndef KERNELS_STAGES_GRID_H
#define KERNELS_STAGES_GRID_H

#include "mma_tile.h"

template <int FOUR_STAGES, int SWIZZLE> struct cell {
    typedef mma_scheme<SWIZZLE ? ROWS_SWIZZLED : ROWS_PLAIN, READ_MATRICES, COPY_ASYNC,
                       FOUR_STAGES ? 4 : 2>
        scheme;
};

template <int FOUR_STAGES, int SWIZZLE>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_stages(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m, unsigned n,
                       unsigned k)
{
    compute_tile<multiply_in_ring<typename cell<FOUR_STAGES, SWIZZLE>::scheme>>({a, b, m, n, k}, c);
}

template <int FOUR_STAGES, int SWIZZLE>
static inline void cell_plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    plan_mma<typename cell<FOUR_STAGES, SWIZZLE>::scheme>(
        work, launch, (const void *)gemm_tensor_stages<FOUR_STAGES, SWIZZLE>);
}

template <int FOUR_STAGES, int SWIZZLE>
static inline int cell_accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    (void)index;
    return describe_mma<typename cell<FOUR_STAGES, SWIZZLE>::scheme>(work, list);
}

/* To describe a cell: define CELL as its two factors, and give struct variant `.factors =
 * GRID_FACTORS(CELL)` and, at the end, GRID_CELL(CELL). */
#define GRID_FACTORS(cell) GRID_FACTORS_OF(cell)
#define GRID_FACTORS_OF(four_stages, swizzle) "four_stages=" #four_stages " swizzle=" #swizzle
#define GRID_CELL(cell)                                                                            \
    .refuses = refuse_mma, .launch_count = launch_once, .plan = cell_plan<cell>,                   \
    .shared_accesses = cell_accesses<cell>

#endif
