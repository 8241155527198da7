/*
 * Rung 1: one thread for each element of C.
 *
 * The thread walks along a row of A and down a column of B and adds up the products. Neighbouring
 * lanes take neighbouring rows: in each step they read A from 32 different rows, 32 sectors for 32
 * words, and they write C in the same way.
 *
 * Remaining cost: nearly all of the moved bytes were not requested.
 */
#include "gemm.h"

enum { SIDE = 32 };

static __global__ void __launch_bounds__(SIDE *SIDE)
    gemm_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
               unsigned m, unsigned n, unsigned k)
{
    const unsigned row = blockIdx.y * SIDE + threadIdx.x % SIDE,
                   column = blockIdx.x * SIDE + threadIdx.x / SIDE;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (unsigned i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Naive",
    .suffers =
        "A matrix product reads each element of A and B as often as the other matrix is wide.",
    .changes = "One thread for each element of C; neighbouring lanes take neighbouring rows.",
    .pays = "Lanes read A from 32 different rows: a sector of 32 bytes for every word.",
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 444787314, 0.453},
        },
    .refuses = refuse_only_large,
    .plan = plan_by<gemm_plan, gemm_naive, SIDE, SIDE, SIDE * SIDE>,
    .excess_wavefronts = no_excess_wavefronts,
};
