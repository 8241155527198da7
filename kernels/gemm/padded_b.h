/*
 * Copies B into rows of whole quads, for tiles of stream_k.h: a launch before that of the product.
 * Nothing is owned.
 */
#ifndef KERNELS_GEMM_PADDED_B_H
#define KERNELS_GEMM_PADDED_B_H

#include "stream_k.h"

enum { PAD_THREADS = 256, PAD_COLUMNS = 4 * PAD_THREADS, PAD_ROWS = 8 };

/* Copies the k rows of B, so that the copy engine can bring tiles of them. What lies behind the
 * last column is undefined: the copy engine does not read it. */
static __global__ void __launch_bounds__(PAD_THREADS)
    gemm_pad_rows(const float *from, float *to, int n, int k)
{
    const int first_n = blockIdx.x * PAD_COLUMNS + threadIdx.x, first_k = blockIdx.y * PAD_ROWS;
    float word[PAD_ROWS][PAD_COLUMNS / PAD_THREADS];
#pragma unroll
    for (int i = 0; i < PAD_ROWS; i++)
#pragma unroll
        for (int j = 0; j < PAD_COLUMNS / PAD_THREADS; j++)
            if (first_k + i < k && first_n + j * PAD_THREADS < n)
                word[i][j] = from[(size_t)(first_k + i) * n + first_n + j * PAD_THREADS];
#pragma unroll
    for (int i = 0; i < PAD_ROWS; i++)
#pragma unroll
        for (int j = 0; j < PAD_COLUMNS / PAD_THREADS; j++)
            if (first_k + i < k && first_n + j * PAD_THREADS < n)
                to[(size_t)(first_k + i) * padded_pitch(n) + first_n + j * PAD_THREADS] =
                    word[i][j];
}

static inline void plan_padding(const struct work *work, struct launch *launch)
{
    const uint64_t n = gemm_n(&work->point), k = gemm_k(&work->point);
    launch->function = (const void *)gemm_pad_rows;
    launch->grid[0] = (unsigned)divide_up(n, PAD_COLUMNS);
    launch->grid[1] = (unsigned)divide_up(k, PAD_ROWS);
    launch->block[0] = PAD_THREADS;
    launch_pointer(launch, work->input[1]);
    launch_pointer(launch, (char *)work->scratch + PADDED_AT);
    launch_integer(launch, n);
    launch_integer(launch, k);
}

#endif
