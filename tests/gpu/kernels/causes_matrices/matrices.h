/*
 * Shares the problem and the kernel between the rungs with and without bank conflicts of ldmatrix:
 * each warp of a block reads the block's 64 x 32 words from shared memory as matrices of 8 rows of
 * 16 bytes, 16 times over, and each lane sums the words that it gets. A row in shared memory is
 * `pitch` words long. The pitch is an argument: both rungs run the same instructions. Nothing is
 * owned.
 */
#ifndef TESTS_GPU_CAUSES_MATRICES_H
#define TESTS_GPU_CAUSES_MATRICES_H

#include "../planted.h"

enum {
    MATRICES_BLOCK = 256,
    MATRICES_ROWS = 64,
    MATRICES_COLUMNS = 32,
    MATRICES_WORDS = MATRICES_ROWS * MATRICES_COLUMNS,
    MATRICES_PADDED = MATRICES_COLUMNS + 4, /* the next row begins in the next four banks */
    MATRICES_ROUNDS = 16
};

/* For variant.refuses. */
static inline const char *matrices_refuse(const struct point *point, int compute_capability)
{
    if (compute_capability < 75) return "ldmatrix needs compute capability 7.5";
    return point->shape.dim[0] <= 1 << 20 ? NULL : "there must be at most 1048576 blocks";
}

#ifdef __CUDACC__

/* Reads four matrices: lane l names row l % 8 of matrix l / 8, and gets word l % 4 of row l / 4 of
 * each. Returns the sum of its words. */
static __device__ inline unsigned matrices_read(unsigned address)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
#if __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
#endif
    return a + b + c + d;
}

static __global__ void matrices_sum(const unsigned *in, unsigned *out, unsigned pitch,
                                    unsigned rounds)
{
    __shared__ __align__(16) unsigned tile[MATRICES_ROWS * MATRICES_PADDED];
    const unsigned t = threadIdx.x, lane = t % 32;
    for (unsigned i = t; i < MATRICES_WORDS; i += MATRICES_BLOCK)
        tile[i / MATRICES_COLUMNS * pitch + i % MATRICES_COLUMNS] =
            in[blockIdx.x * MATRICES_WORDS + i];
    __syncthreads();
    const unsigned first =
        (unsigned)__cvta_generic_to_shared(&tile[lane % 8 * pitch + lane / 8 * 4]);
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (unsigned row = 0; row < MATRICES_ROWS; row += 8) {
#pragma unroll
            for (unsigned column = 0; column < MATRICES_COLUMNS; column += 16)
                sum += matrices_read(first + (row * pitch + column) * 4); /* the planted access */
        }
    }
    out[blockIdx.x * MATRICES_BLOCK + t] = sum;
}

static void matrices_plan(const struct work *work, struct launch *launch, unsigned pitch)
{
    launch->function = (const void *)matrices_sum;
    launch->grid[0] = (unsigned)work->point.shape.dim[0];
    launch->block[0] = MATRICES_BLOCK;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, pitch);
    launch_integer(launch, MATRICES_ROUNDS);
}

#endif
#endif
