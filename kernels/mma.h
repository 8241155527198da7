/*
 * Wraps the instructions by which warps feed tensor cores and use them: matrix loads (ldmatrix),
 * products of bfloat16 (mma.sync), and copies of 16 bytes from global to shared memory that bypass
 * the registers and the L1 cache (cp.async); and plain accesses to shared memory in their place.
 * Compiled for an architecture before 8.0, the former do nothing, and the rungs that use them
 * refuse to run there. Nothing is owned; addresses are in the shared window. Source: PTX ISA,
 * sections ldmatrix, mma.m16n8k16, cp.async.
 */
#ifndef KERNELS_MMA_H
#define KERNELS_MMA_H

#include "shared_address.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MMA_HERE
#endif

/* Loads four matrices of 8 x 8 elements of 16 bits. Lane l names row l % 8 of matrix l / 8, 16
 * bytes. Of each matrix it gets a pair: elements l % 4 * 2 and the next of row l / 4. */
static __device__ inline void load_matrices(uint32_t (&to)[4], uint32_t address)
{
#ifdef MMA_HERE
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
#endif
}

/* The same, but lane l gets elements of column l / 4: rows l % 4 * 2 and the next. */
static __device__ inline void load_matrices_transposed(uint32_t (&to)[4], uint32_t address)
{
#ifdef MMA_HERE
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
#endif
}

/* Adds to 16 x 8 sums the product of 16 x 16 elements of A and 16 x 8 of B, bfloat16 in pairs. With
 * g = lane / 4 and t = lane % 4 a lane holds
 *   a[0], a[1]   columns 2t and 2t + 1 of A, rows g and g + 8
 *   a[2], a[3]   columns 2t + 8 and 2t + 9, the same rows
 *   b0, b1       column g of B, rows 2t and 2t + 1, and rows 2t + 8 and 2t + 9
 *   sum          columns 2t and 2t + 1 of row g, then of row g + 8 */
static __device__ inline void multiply_matrices(float (&sum)[4], const uint32_t (&a)[4],
                                                uint32_t b0, uint32_t b1)
{
#ifdef MMA_HERE
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/* Plain reads and writes of shared memory, in program order. */
static __device__ inline uint32_t read_word(uint32_t address)
{
    uint32_t word;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

static __device__ inline uint32_t read_half(uint32_t address)
{
    uint16_t half;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(half) : "r"(address) : "memory");
    return half;
}

static __device__ inline void store_piece(uint32_t to, const uint4 &piece)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(piece.x), "r"(piece.y),
                 "r"(piece.z), "r"(piece.w)
                 : "memory");
}

/* Copies 16 bytes, or stores 16 zeros if `bytes` is 0. */
static __device__ inline void copy_piece(uint32_t to, const void *from, unsigned bytes)
{
#ifdef MMA_HERE
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* Closes the group of the copies since the last call; it may be empty. */
static __device__ inline void close_copies(void)
{
#ifdef MMA_HERE
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for the thread's copies in all groups but the last PENDING. */
template <int PENDING> static __device__ inline void wait_for_copies(void)
{
#ifdef MMA_HERE
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

#endif
