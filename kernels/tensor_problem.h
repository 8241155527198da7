/*
 * Defines the problem of every family that multiplies matrices of bfloat16: C = A B, row-major, A
 * of M x K and B of K x N bfloat16, C of M x N floats, in shapes M x N x K. Provides the sizes,
 * useful traffic, inputs and CPU reference that struct family asks for. Nothing is owned. C11, for
 * the families' family.c.
 */
#ifndef KERNELS_TENSOR_PROBLEM_H
#define KERNELS_TENSOR_PROBLEM_H

#include "gemm_problem.h"
#include "tensor.h"

/* For family.operations_per_lane: a warp multiplies 16 x 16 by 16 x 8 elements (mma.sync), or each
 * warp of a warpgroup a quarter of 64 x 16 by 16 x 256 (wgmma). */
enum { TENSOR_MMA_OPERATIONS = 128, TENSOR_WGMMA_OPERATIONS = 4096 };

static inline size_t tensor_input_bytes(const struct shape *shape, int index)
{
    return gemm_input_bytes(shape, index) / sizeof(float) * sizeof(bfloat16);
}

static inline size_t tensor_output_bytes(const struct shape *shape)
{
    return gemm_output_bytes(shape);
}

static inline size_t tensor_scratch_bytes(const struct shape *shape)
{
    return TENSOR_SCRATCH_BYTES(shape);
}

static inline double tensor_useful_bytes(const struct shape *shape)
{
    return (double)tensor_input_bytes(shape, 0) + (double)tensor_input_bytes(shape, 1) +
           (double)tensor_output_bytes(shape);
}

static inline double tensor_useful_operations(const struct shape *shape)
{
    return gemm_useful_operations(shape);
}

/* Products of bfloat16 are exact in float32. Their sum rounds as that of floats does on CUDA cores.
 * Tensor cores truncate: a sum loses on average 2^-24.5 of its value whenever a group of 8 or 16
 * products is added, always towards zero, so this error grows with K and not with its root:
 * 3e-9 K for groups of 8 (sums are random walks, and the losses of a walk's K / 8 steps add up to
 * K / 8 / sqrt(3) of its last value). The second term is twice that. A single element missing from
 * a product of 8192 x 8192, on average 1.2e-4 of the norm, exceeds the bound there, 6.7e-5. */
static inline double tensor_tolerance(const struct shape *shape)
{
    return gemm_tolerance(shape) + 6e-9 * (double)gemm_depth(shape);
}

/* Rounds to the nearest bfloat16, and to an even one halfway between two. */
static inline bfloat16 tensor_round(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bfloat16)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* Normally distributed with variance 1. */
static inline void tensor_fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    struct gemm_normals normals;
    gemm_normals_make(&normals);
    for (int which = 0; which < 2; which++) {
        bfloat16 *to = input[which];
        const uint64_t count = tensor_input_bytes(shape, which) / sizeof *to;
        for (uint64_t i = 0; i < count; i++)
            to[i] = tensor_round(gemm_normal(&normals, random_word(which ? ~seed : seed, i)));
    }
}

static inline void tensor_reference(const struct shape *shape, void *const *input, void *output)
{
    gemm_multiply(shape, GEMM_BFLOAT16, input, output);
}

/* The fields of struct family that all these families have in common. */
#define TENSOR_PROBLEM                                                                             \
    .rank = 3, .blocks = {256}, .block_preset = 256, .input_count = 2,                             \
    .comparison = COMPARE_FLOAT_FROBENIUS, .rate = RATE_OPERATIONS, .unit = UNIT_TENSOR_BF16,      \
    .useful_bytes_text =                                                                           \
        "2 bytes for each element of A and B, read once, and 4 bytes for each of C, written once", \
    .input_bytes = tensor_input_bytes, .output_bytes = tensor_output_bytes,                        \
    .useful_bytes = tensor_useful_bytes, .useful_operations = tensor_useful_operations,            \
    .tolerance = tensor_tolerance, .fill = tensor_fill, .reference = tensor_reference

#endif
