/*
 * Shares code between the family gemm_split and its rungs: the layout of the scratch buffer, the
 * bounds of their errors, the order of tiles. Nothing is owned. Valid C11 and C++17.
 *
 * The scratch buffer belongs to one rung at a time. Rungs that split the matrices beforehand keep
 * there
 *   peaks   the largest absolute value of each row of A, then of each column of B, as the bits of
 *           floats
 *   A       its pieces one below the other, each M rows of K elements of 16 bits
 *   B       the same of K rows of N; rows of zeros complete the last slice along K
 * Rows begin at multiples of 16 bytes, as tensor copies need them.
 */
#ifndef KERNELS_GEMM_SPLIT_H
#define KERNELS_GEMM_SPLIT_H

#include <math.h>

#include "gemm/gemm.h"

enum {
    SPLIT_SLICE = 32, /* along K */
    SPLIT_PIECES = 3  /* of a float, at most */
};

struct split_layout {
    uint64_t pitch_a, pitch_b; /* elements from row to row */
    uint64_t rows_b;           /* of a piece */
    size_t a, b, end;          /* bytes from the start of the scratch buffer, where the peaks are */
};

static inline uint64_t split_round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static inline struct split_layout split_layout_of(const struct shape *shape, uint64_t pieces)
{
    const uint64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    struct split_layout at;
    at.pitch_a = split_round_up(k, 8);
    at.pitch_b = split_round_up(n, 8);
    at.rows_b = split_round_up(k, SPLIT_SLICE);
    at.a = (size_t)split_round_up((m + n) * sizeof(float), 256);
    at.b = at.a + (size_t)split_round_up(pieces * m * at.pitch_a * sizeof(uint16_t), 256);
    at.end = at.b + (size_t)split_round_up(pieces * at.rows_b * at.pitch_b * sizeof(uint16_t), 256);
    return at;
}

/* A library's workspace takes GEMM_SCRATCH_BYTES. */
static inline size_t split_scratch_bytes(const struct shape *shape)
{
    const size_t pieces = split_layout_of(shape, SPLIT_PIECES).end;
    return pieces > GEMM_SCRATCH_BYTES ? pieces : GEMM_SCRATCH_BYTES;
}

/* ---- bounds of the relative error, by the Frobenius norm --------------------------------------
 *
 * A float32 sum of K products of random signs, in order, has an error of 1.8e-8 sqrt(K). The
 * family's bound is twice that, and a few units of the last place for errors that do not grow. */
static inline double split_tolerance(const struct shape *shape)
{
    return 3.6e-8 * sqrt((double)shape->dim[2]) + 4e-7;
}

/* TF32 rounds each factor to 11 bits, by up to 2^-12 of its value. */
static inline double split_tolerance_tf32(const struct shape *shape)
{
    (void)shape;
    return 0x1p-11;
}

/* Tensor cores truncate: a sum loses on average 2^-24.5 of its value whenever a group of 16
 * products is added, always towards zero. So the error grows with the number of groups that are
 * added to it, 6 K / 16 for six products. For random walks it is 6.9e-9 K (measured on a model of
 * the hardware); this is twice that. */
static inline double split_tolerance_truncated(const struct shape *shape)
{
    return 1.4e-8 * (double)shape->dim[2] + split_tolerance(shape);
}

#endif
