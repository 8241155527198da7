/*
 * Copies neighbouring words to shared memory asynchronously: as many at a time as the rows of a
 * matrix allow, since the address of a copy is a multiple of its length. Nothing is owned.
 */
#ifndef KERNELS_GEMM_COPIES_H
#define KERNELS_GEMM_COPIES_H

#include "mbarrier.h"
#include "mma.h"

/* Copies 1, 2 or 4 words, or stores as many zeros if they are not `there`. */
template <int WORDS>
static __device__ inline void copy_words(uint32_t to, const float *from, bool there)
{
    static_assert(WORDS == 1 || WORDS == 2 || WORDS == 4, "lengths of copies");
    if constexpr (WORDS == 4)
        copy_piece(to, from, there ? 16 : 0);
    else if constexpr (WORDS == 2)
        copy_pair(to, from, there ? 8 : 0);
    else
        copy_word(to, from, there ? 4 : 0);
}

/* Returns the value, and hides from the compiler how it was computed. The compiler then puts the
 * constants that are added to it into the copies, instead of computing each address anew. */
static __device__ inline uint32_t in_a_register(uint32_t value)
{
    asm volatile("" : "+r"(value));
    return value;
}

/* Copies the first `columns` words of every fourth row of a matrix with N columns, ROWS rows in all
 * and COLUMNS words at most, WORDS at a time; up to WORDS - 1 further words are copied with them.
 * The rows must begin at multiples of WORDS words. In shared memory they are PITCH words apart. A
 * warp copies several rows at a time if they are short. */
template <int ROWS, int COLUMNS, int PITCH, int WORDS>
static __device__ inline void copy_fourth_rows(uint32_t to, const float *from, int n, int columns,
                                               int lane)
{
    constexpr int WIDTH = COLUMNS / WORDS < 32 ? COLUMNS / WORDS : 32, DOWN = 32 / WIDTH,
                  ACROSS = WIDTH * WORDS, TIMES = ROWS / DOWN,
                  UNROLLED = TIMES * COLUMNS / ACROSS <= 16 ? TIMES : 4; /* else registers spill */
    static_assert(32 % WIDTH == 0 && ROWS % DOWN == 0 && COLUMNS % ACROSS == 0, "whole rows");
    const int column = lane % WIDTH * WORDS, row = lane / WIDTH, left = columns - column;
    from += (size_t)row * 4 * n + column;
    to = in_a_register(to + (row * PITCH + column) * 4);
#pragma unroll UNROLLED
    for (int i = 0; i < ROWS; i += DOWN, from += (size_t)4 * DOWN * n)
#pragma unroll
        for (int j = 0; j < COLUMNS; j += ACROSS)
            if (j < left) copy_words<WORDS>(to + (i * PITCH + j) * 4, from + j, true);
}

/* Copies columns [first, columns) of such rows, word by word. The matrix has only the first `rows`
 * of them; the others become zeros. */
template <int ROWS, int COLUMNS, int PITCH>
static __device__ inline void copy_last_rows(uint32_t to, const float *from, int n, int rows,
                                             int first, int columns, int lane, const float *matrix)
{
    from += lane;
    to = in_a_register(to + lane * 4);
#pragma unroll 2
    for (int i = 0; i < ROWS; i++, from += (size_t)4 * n)
#pragma unroll
        for (int j = 0; j * 32 < COLUMNS; j++)
            if (lane + j * 32 >= first && lane + j * 32 < columns)
                copy_words<1>(to + (i * PITCH + j * 32) * 4, i < rows ? from + j * 32 : matrix,
                              i < rows);
}

#endif
