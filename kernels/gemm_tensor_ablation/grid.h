/*
 * Defines the kernel of all cells of the grid and the common part of their descriptors. Nothing is
 * owned.
 *
 * The kernel is made of the parts of mma_tile.h: a block of eight warps computes 128 x 256 elements
 * of C in slices of 64 along K, a warp 64 x 64. Four techniques are on or off at compile time:
 *
 *   double_buffer  two stages in shared memory: the next slice is in flight while this one is
 *                  multiplied, and one barrier per slice is enough. Off: bring a slice, barrier,
 *                  multiply, barrier
 *   swizzle        the 16-byte pieces of a row are permuted by its number, so that reads of several
 *                  rows find different banks. Off: rows as they are
 *   ldmatrix       four matrices of 8 x 8 elements for each instruction. Off: each lane reads its
 *                  own elements, a word of A at a time, and the halves of a word of B from two rows
 *   async          cp.async copies from global to shared memory, past the registers and the L1
 *                  cache. Off: a load and a store. Both move 16 bytes
 *
 * Nothing else differs. Every cell reads the fragments of a step, then multiplies them.
 */
#ifndef KERNELS_TENSOR_GRID_H
#define KERNELS_TENSOR_GRID_H

#include "mma_tile.h"

template <int DOUBLE_BUFFER, int SWIZZLE, int LDMATRIX, int ASYNC> struct cell {
    typedef mma_scheme<SWIZZLE ? ROWS_SWIZZLED : ROWS_PLAIN, LDMATRIX ? READ_MATRICES : READ_LANES,
                       ASYNC ? COPY_ASYNC : COPY_LOADS, DOUBLE_BUFFER ? 2 : 1>
        scheme;
};

template <int DOUBLE_BUFFER, int SWIZZLE, int LDMATRIX, int ASYNC>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_cell(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m, unsigned n,
                     unsigned k)
{
    typedef typename cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>::scheme S;
    if constexpr (DOUBLE_BUFFER)
        compute_tile<multiply_in_ring<S>>({a, b, m, n, k}, c);
    else
        compute_tile<multiply_in_turn<S>>({a, b, m, n, k}, c);
}

template <int DOUBLE_BUFFER, int SWIZZLE, int LDMATRIX, int ASYNC>
static inline void cell_plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    plan_mma<typename cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>::scheme>(
        work, launch, (const void *)gemm_tensor_cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>);
}

template <int DOUBLE_BUFFER, int SWIZZLE, int LDMATRIX, int ASYNC>
static inline int cell_accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    (void)index;
    return describe_mma<typename cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>::scheme>(work, list);
}

/* To describe a cell: define CELL as its four factors, and give struct variant `.factors =
 * GRID_FACTORS(CELL)` and, at the end, GRID_CELL(CELL). */
#define GRID_FACTORS(cell) GRID_FACTORS_OF(cell)
#define GRID_FACTORS_OF(double_buffer, swizzle, ldmatrix, async)                                   \
    "double_buffer=" #double_buffer " swizzle=" #swizzle " ldmatrix=" #ldmatrix " async=" #async
#define GRID_CELL(cell)                                                                            \
    .refuses = refuse_mma, .launch_count = launch_once, .plan = cell_plan<cell>,                   \
    .shared_accesses = cell_accesses<cell>

#endif
