/*
 * Defines the cells of the grid. Cell 3 is rung 6 of the ladder gemm_tensor, and cell 4 rung 7 with
 * four stages.
 *
 * The kernel is rung 6 of the ladder gemm_tensor (mma_tile.h). Two things are on or off at compile
 * time:
 *
 *   four_stages  three slices are in flight while one is multiplied. Off: one, with two stages
 *   swizzle      the 16-byte pieces of a row are permuted by its number, so that the rows of a
 *                matrix are in different banks. Off: rows as they are
 */
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
static inline void cell_plan(const struct work *work, unsigned, struct launch *launch)
{
    plan_mma<typename cell<FOUR_STAGES, SWIZZLE>::scheme>(
        work, launch, (const void *)gemm_tensor_stages<FOUR_STAGES, SWIZZLE>);
}

template <int FOUR_STAGES, int SWIZZLE>
static inline int cell_accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_mma<typename cell<FOUR_STAGES, SWIZZLE>::scheme>(work, list);
}

#define CELL(id, words, base, four_stages, swizzle, problem, change, cost, ...)                    \
    {                                                                                              \
        VARIANT_NAMED(id), .title = words, .after = base, .suffers = problem, .changes = change,   \
                           .pays = cost, .full_only = 1,                                           \
                           .factors = "four_stages=" #four_stages " swizzle=" #swizzle,            \
                           .claims = {__VA_ARGS__}, .refuses = refuse_mma,                         \
                           .plan = cell_plan<four_stages, swizzle>,                                \
                           .shared_accesses = cell_accesses<four_stages, swizzle>,                 \
    }

VARIANT_GRID = {
    CELL(01_base, "Two stages, plain rows", NULL, 0, 0,
         "Tiles must be multiplied through shared memory, with copies that bypass the registers.",
         "Two stages: one slice is in flight while one is multiplied. Rows are stored as they are.",
         "Bank conflicts in reads; a copy may take no longer than the products of a slice."),
    CELL(02_four_stages, "Four stages", "01_base", 1, 0,
         "A copy may take no longer than the products of a slice.",
         "Four stages: three slices are in flight while one is multiplied.",
         "Four stages in shared memory and bank conflicts in reads."),
    CELL(03_swizzle, "Swizzle", "01_base", 0, 1,
         "The eight rows of a matrix are in the same banks.",
         "The pieces of a row are permuted by its number.",
         "A copy may take no longer than the products of a slice, which are faster now.",
         {"With permuted pieces the reads of shared memory no longer have bank conflicts.",
          "whyfast", "Aim of this cell", NULL,
          "matrix_excess_wavefronts = 0 AND prev_matrix_excess_wavefronts > 0"}),
    CELL(04_all, "Four stages, swizzle", "01_base", 1, 1,
         "A copy may take no longer than the products of a slice. The eight rows of a matrix are "
         "in the same banks.",
         "Four stages: three slices are in flight while one is multiplied. The pieces of a row are "
         "permuted by its number.",
         "Four stages in shared memory."),
    {}};
