/*
 * Copies neighbouring words to shared memory asynchronously: as many at a time as the rows of a
 * matrix allow, since the address of a copy is a multiple of its length. Nothing is owned.
 */
#ifndef KERNELS_GEMM_COPIES_H
#define KERNELS_GEMM_COPIES_H

#include "mbarrier.h"
#include "mma.h"

#ifdef __CUDACC__

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

#endif
#endif
