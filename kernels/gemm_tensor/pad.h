/*
 * Copies matrices of bfloat16 whose rows are no whole cache lines to rows that are: tensor copies
 * ask for multiples of 16 bytes, and read a row of a box from one line instead of two if it is
 * aligned. One launch copies one or both operands. Nothing is owned.
 *
 * A thread writes 16 bytes. It reads the two aligned 16-byte words that hold them and shifts them
 * into place, so that all accesses to memory are 16 bytes wide. What follows the end of a row is
 * undefined.
 */
#ifndef KERNELS_GEMM_TENSOR_PAD_H
#define KERNELS_GEMM_TENSOR_PAD_H

#include "tensor.h"

enum { PAD_THREADS = 256, PAD_PIECES = 4, PAD_SHARE = PAD_THREADS * PAD_PIECES };

/* The blocks that copy a matrix. */
static inline unsigned pad_blocks(uint64_t rows, uint64_t columns)
{
    return (unsigned)divide_up(rows * divide_up(columns, 8), PAD_SHARE);
}

/* A matrix and the place of its copy, `pieces` of 16 bytes in each row, rows `pitch` pieces
 * apart. */
struct pad_matrix {
    const unsigned char *from;
    uint4 *to;
    unsigned rows, columns, pieces, pitch;
};

/* The aligned 16 bytes at this offset; bytes after the end of the matrix are 0. */
static __device__ inline uint4 pad_word(const unsigned char *from, uint64_t offset, uint64_t bytes)
{
    if (offset + 16 <= bytes) return __ldg(reinterpret_cast<const uint4 *>(from + offset));
    unsigned word[4] = {0, 0, 0, 0};
    for (int i = 0; i < 8; i++)
        if (offset + 2 * i < bytes)
            word[i / 2] |= (unsigned)*reinterpret_cast<const uint16_t *>(from + offset + 2 * i)
                           << i % 2 * 16;
    return make_uint4(word[0], word[1], word[2], word[3]);
}

/* Bytes [shift, shift + 16) of both words. */
static __device__ inline uint4 pad_shift(uint4 low, uint4 high, unsigned shift)
{
    unsigned w[7] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z};
    const unsigned last = high.w;
    if (shift & 8) w[0] = w[2], w[1] = w[3], w[2] = w[4], w[3] = w[5], w[4] = w[6], w[5] = last;
    if (shift & 4) w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = w[4], w[4] = w[5];
    const unsigned bits = (shift & 2) * 8;
    return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                      __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/* One block's share. The words of all its pieces are in flight before the first is shifted. */
static __device__ inline void pad_share(const struct pad_matrix &x, unsigned share)
{
    const uint64_t bytes = (uint64_t)x.rows * x.columns * 2;
    const unsigned count = x.rows * x.pieces;
    uint4 low[PAD_PIECES], high[PAD_PIECES];
    unsigned shift[PAD_PIECES], to[PAD_PIECES];
#pragma unroll
    for (int i = 0; i < PAD_PIECES; i++) {
        const unsigned at = share * PAD_SHARE + i * PAD_THREADS + threadIdx.x;
        if (at >= count) continue;
        const unsigned row = at / x.pieces, piece = at - row * x.pieces;
        const uint64_t offset = ((uint64_t)row * x.columns + piece * 8) * 2;
        to[i] = row * x.pitch + piece;
        shift[i] = (unsigned)offset & 15;
        low[i] = pad_word(x.from, offset - shift[i], bytes);
        high[i] = pad_word(x.from, offset - shift[i] + 16, bytes);
    }
#pragma unroll
    for (int i = 0; i < PAD_PIECES; i++)
        if (share * PAD_SHARE + i * PAD_THREADS + threadIdx.x < count)
            x.to[to[i]] = pad_shift(low[i], high[i], shift[i]);
}

#endif
