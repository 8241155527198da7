/*
 * Rung 2: neighbouring lanes take neighbouring columns.
 *
 * Rung 1's lanes read A from 32 rows at once. Here they share a row: all 32 read the same word of
 * A, and they read neighbouring words of B and write neighbouring words of C. Only the mapping from
 * threads to elements changed.
 *
 * Remaining cost: every multiply-add still needs two loads.
 */
#include "gemm.h"

enum { SIDE = 32 };

static __global__ void __launch_bounds__(SIDE *SIDE)
    gemm_coalesced(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                   unsigned m, unsigned n, unsigned k)
{
    const unsigned row = blockIdx.y * SIDE + threadIdx.x / SIDE,
                   column = blockIdx.x * SIDE + threadIdx.x % SIDE;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (unsigned i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Coalesced",
    .after = "01_naive",
    .suffers = "Neighbouring lanes read A from 32 different rows.",
    .changes = "Neighbouring lanes take neighbouring columns: one word of A for all, neighbouring "
               "words of B and C.",
    .pays = "Each multiply-add needs two loads.",
    .claims =
        {
            {"Coalesced loads touch fewer sectors.", "siboehm, SGEMM_CUDA", "Kernel 2", NULL,
             "sectors_per_request < prev_sectors_per_request"},
            {"Coalescing makes the kernel faster.", "siboehm, SGEMM_CUDA", "Kernel 2", NULL,
             "faster"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 69187497, 2.91},
        },
    .refuses = refuse_only_large,
    .plan = plan_by<gemm_plan, gemm_coalesced, SIDE, SIDE, SIDE * SIDE>,
    .excess_wavefronts = no_excess_wavefronts,
};
