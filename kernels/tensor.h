/*
 * Shares code between the families that multiply matrices of bfloat16 on tensor cores: the element
 * type, the layout of their scratch buffer, and which problems their rungs refuse. Nothing is
 * owned. Valid C11 and C++17.
 */
#ifndef KERNELS_TENSOR_H
#define KERNELS_TENSOR_H

#include "gemm/gemm.h"

/* The bits of a bfloat16: the upper half of a float. */
typedef uint16_t bfloat16;

/* ---- scratch: workspaces, then copies of A and B for rungs that need aligned rows ------------ */

/* A library's workspace, or partial tiles of products that are split along K. */
#define TENSOR_WORKSPACE_BYTES ((size_t)64 << 20)

/* Elements from row to row of a copy: rows begin with a cache line, so that a box of 64 columns
 * lies in one line of each row. */
static inline uint64_t tensor_pitch(uint64_t columns)
{
    return (columns + 63) / 64 * 64;
}

static inline size_t tensor_copy_bytes(uint64_t rows, uint64_t columns)
{
    return (size_t)(rows * tensor_pitch(columns) * sizeof(bfloat16) + 255) / 256 * 256;
}

static inline size_t tensor_copy_a_bytes(const struct shape *shape)
{
    return tensor_copy_bytes(shape->dim[0], shape->dim[2]);
}

static inline size_t tensor_copy_b_bytes(const struct shape *shape)
{
    return tensor_copy_bytes(shape->dim[2], shape->dim[1]);
}

/* Where the copies begin in the scratch buffer; that of B ends it. */
#define TENSOR_COPY_A_AT(shape) TENSOR_WORKSPACE_BYTES
#define TENSOR_COPY_B_AT(shape) (TENSOR_WORKSPACE_BYTES + tensor_copy_a_bytes(shape))
#define TENSOR_SCRATCH_BYTES(shape) (TENSOR_COPY_B_AT(shape) + tensor_copy_b_bytes(shape))

/* ---- refusals -------------------------------------------------------------------------------- */

static inline const char *refuse_before_bfloat16(int compute_capability)
{
    return compute_capability < 80 ? "tensor cores take bfloat16 from compute capability 8.0 on"
                                   : NULL;
}

/* For rungs that copy 16 bytes at a time. */
static inline const char *refuse_unaligned(const struct point *point)
{
    if (gemm_n(point) % 8 || gemm_k(point) % 8)
        return "N and K must be multiples of 8: copies of 16 bytes ask for rows that are multiples "
               "of 16 bytes long";
    return refuse_large(point);
}

#endif
