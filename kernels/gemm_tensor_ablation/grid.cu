/*
 * Defines the cells of the grid: one kernel with every combination of four techniques. Cell 9 is
 * rung 5 of the ladder gemm_tensor, and cell 16 rung 6. Cell 12 is how kernels fed tensor cores
 * before compute capability 8.0.
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
static inline void cell_plan(const struct work *work, unsigned, struct launch *launch)
{
    plan_mma<typename cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>::scheme>(
        work, launch, (const void *)gemm_tensor_cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>);
}

template <int DOUBLE_BUFFER, int SWIZZLE, int LDMATRIX, int ASYNC>
static inline int cell_accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_mma<typename cell<DOUBLE_BUFFER, SWIZZLE, LDMATRIX, ASYNC>::scheme>(work, list);
}

/* In the texts of a cell each technique has its part; sentences begin with a blank. */
#define SUFFERS(double_buffer, swizzle, ldmatrix, async)                                           \
    VARIANT_IF(double_buffer,                                                                      \
               " Each slice is waited for, with nothing else to do, before it is multiplied.", "") \
    VARIANT_IF(swizzle,                                                                            \
               " Reads take a piece from each of several rows, which begin in the same "           \
               "bank.",                                                                            \
               "")                                                                                 \
    VARIANT_IF(ldmatrix,                                                                           \
               " Each lane reads its own elements: words of A, and halves of words of "            \
               "B from two rows.",                                                                 \
               "")                                                                                 \
    VARIANT_IF(async, " Data from global to shared memory pass through registers.", "")
#define CHANGES(double_buffer, swizzle, ldmatrix, async)                                           \
    VARIANT_IF(double_buffer,                                                                      \
               " There are two stages: the next slice is in flight while one is "                  \
               "multiplied, and there is one barrier per slice.",                                  \
               "")                                                                                 \
    VARIANT_IF(swizzle,                                                                            \
               " The pieces of a row are permuted by its number, so reads of several "             \
               "rows find different banks.",                                                       \
               "")                                                                                 \
    VARIANT_IF(ldmatrix, " ldmatrix reads four matrices of 8 x 8 elements in one instruction.",    \
               "")                                                                                 \
    VARIANT_IF(async, " cp.async copies directly into shared memory.", "")
#define PAYS(double_buffer, swizzle, ldmatrix, async)                                              \
    VARIANT_IF(double_buffer,                                                                      \
               "Two stages in shared memory" VARIANT_IF(                                           \
                   async, "", " and registers for the pieces in flight"),                          \
               "A wait for each slice, with two barriers around it")                               \
    VARIANT_IF(swizzle,                                                                            \
               VARIANT_IF(ldmatrix, "",                                                            \
                          VARIANT_IF(double_buffer, " and six reads instead of one",               \
                                     VARIANT_IF(async, ", and six reads instead of one",           \
                                                ", six reads instead of one"))),                   \
               VARIANT_IF(ldmatrix,                                                                \
                          VARIANT_IF(double_buffer, " and bank conflicts in reads",                \
                                     VARIANT_IF(async, " and bank conflicts in reads",             \
                                                ", bank conflicts in reads")),                     \
                          ", bank conflicts in reads" VARIANT_IF(                                  \
                              double_buffer, " and six reads instead of one",                      \
                              VARIANT_IF(async, " and six reads instead of one",                   \
                                         ", six reads instead of one"))))                          \
    VARIANT_IF(double_buffer, ".", VARIANT_IF(async, ".", " and a detour through registers."))

/* A cell may have claims behind its factors. */
#define CELL(id, words, double_buffer, swizzle, ldmatrix, async, ...)                              \
    BASE_OR_CELL(id, words, "01_base", 1 + SUFFERS(double_buffer, swizzle, ldmatrix, async),       \
                 1 + CHANGES(double_buffer, swizzle, ldmatrix, async), double_buffer, swizzle,     \
                 ldmatrix, async, __VA_ARGS__)
#define BASE_OR_CELL(id, words, base, problem, change, double_buffer, swizzle, ldmatrix, async,    \
                     ...)                                                                          \
    {                                                                                              \
        VARIANT_NAMED(id),                                                                         \
            .title = words, .after = base, .suffers = problem, .changes = change,                  \
            .pays = PAYS(double_buffer, swizzle, ldmatrix, async), .full_only = 1,                 \
            .factors = "double_buffer=" #double_buffer " swizzle=" #swizzle " ldmatrix=" #ldmatrix \
                       " async=" #async,                                                           \
            .claims = {__VA_ARGS__}, .refuses = refuse_mma,                                        \
            .plan = cell_plan<double_buffer, swizzle, ldmatrix, async>,                            \
            .shared_accesses = cell_accesses<double_buffer, swizzle, ldmatrix, async>,             \
    }

VARIANT_GRID = {
    BASE_OR_CELL(
        01_base, "Base", NULL,
        "Tiles must be multiplied through shared memory, with none of the four techniques.",
        "One slice is processed at a time: loads and stores of 16 bytes, a barrier, reads of words "
        "and halves of words and their products, a barrier.",
        0, 0, 0, 0),
    CELL(02_double_buffer, "Double buffer", 1, 0, 0, 0),
    CELL(03_swizzle, "Swizzle", 0, 1, 0, 0,
         {"With permuted pieces the reads of shared memory no longer have bank conflicts, and "
          "the stores still have none.",
          "whyfast", "Aim of this cell", NULL,
          "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
          "load_excess_wavefronts = 0 AND store_excess_wavefronts = 0 AND "
          "prev_load_excess_wavefronts > 0 AND prev_store_excess_wavefronts = 0"}),
    CELL(04_ldmatrix, "ldmatrix", 0, 0, 1, 0,
         {"ldmatrix needs one instruction for six reads of lanes.", "whyfast", "Aim of this cell",
          NULL, "prev_shared_load_instructions = 6 * shared_matrix_load_instructions"},
         {"It does not remove bank conflicts: the reads take as many wavefronts.", "whyfast",
          "Aim of this cell", NULL,
          "shared_matrix_load_wavefronts = prev_shared_wavefronts_load AND "
          "matrix_excess_wavefronts > 0"}),
    CELL(05_async, "Asynchronous copies", 0, 0, 0, 1),
    CELL(06_double_buffer_swizzle, "Double buffer, swizzle", 1, 1, 0, 0),
    CELL(07_double_buffer_ldmatrix, "Double buffer, ldmatrix", 1, 0, 1, 0),
    CELL(08_double_buffer_async, "Double buffer, asynchronous copies", 1, 0, 0, 1),
    CELL(09_swizzle_ldmatrix, "Swizzle, ldmatrix", 0, 1, 1, 0),
    CELL(10_swizzle_async, "Swizzle, asynchronous copies", 0, 1, 0, 1),
    CELL(11_ldmatrix_async, "ldmatrix, asynchronous copies", 0, 0, 1, 1),
    CELL(12_double_buffer_swizzle_ldmatrix, "All but asynchronous copies", 1, 1, 1, 0),
    CELL(13_double_buffer_swizzle_async, "All but ldmatrix", 1, 1, 0, 1),
    CELL(14_double_buffer_ldmatrix_async, "All but swizzle", 1, 0, 1, 1),
    CELL(15_swizzle_ldmatrix_async, "All but double buffer", 0, 1, 1, 1),
    CELL(16_all, "All four", 1, 1, 1, 1),
    {}};
