/*
 * Wraps Hopper's matrix instructions that a warpgroup (four warps) issues together: wgmma with both
 * operands in shared memory, its ordering instructions and its descriptors. Operands are bfloat16
 * or halves, sums float32. Compiled for another architecture than sm_90a, the functions do nothing,
 * and the rungs that use them refuse to run there. Nothing is owned; addresses are in the shared
 * window. Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
 *
 * Both operands lie in rows of 128 bytes, 64 elements, whose 16-byte pieces are permuted by the
 * row's index modulo 8 (the 128-byte swizzle, as tensor copies write it). Eight rows form a block
 * of 1024 bytes, aligned to 1024.
 *   A  is K-major: a row of shared memory holds 64 k of one row of the matrix.
 *   B  is N-major: a row of shared memory holds 64 columns at one k. This is the layout of a
 *      row-major K x N matrix, and wgmma transposes it. Strips of 64 columns follow one another.
 * Either may be the first operand. If B is, the sums are those of the transposed product.
 */
#ifndef KERNELS_WGMMA_H
#define KERNELS_WGMMA_H

#include "mbarrier.h"

#if defined(MBARRIER_HERE) && defined(REGISTERS_CAN_MOVE) && __CUDA_ARCH__ < 1000
#define WGMMA_HERE
#endif

enum {
    WGMMA_M = 64, /* rows of an instruction */
    WGMMA_K = 16, /* its depth */
    WARPGROUP = 128,
    SWIZZLE = 128,               /* bytes of a row in shared memory */
    STRIP = SWIZZLE / 2,         /* elements of such a row */
    SWIZZLE_BLOCK = 8 * SWIZZLE, /* bytes after which the permutation repeats */
    WGMMA_STEP_A = WGMMA_K * 2,  /* bytes from one instruction's A to the next along k */
    WGMMA_STEP_B = WGMMA_K / 8 * SWIZZLE_BLOCK /* the same for B */
};

/* The descriptor of an operand at this address. `leading` is the distance in bytes between strips
 * of 64 columns, and is unused for A. */
static __device__ inline uint64_t wgmma_operand(uint32_t address, uint32_t leading)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(SWIZZLE_BLOCK >> 4) << 32 | (uint64_t)1 << 62;
}

/* Orders the registers of the sums, and shared memory, before the instructions that follow. */
static __device__ inline void wgmma_fence(void)
{
#ifdef WGMMA_HERE
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

/* Ends a group of instructions. */
static __device__ inline void wgmma_commit(void)
{
#ifdef WGMMA_HERE
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

/* Waits until at most PENDING groups of this warpgroup are unfinished. */
template <int PENDING> static __device__ inline void wgmma_wait(void)
{
#ifdef WGMMA_HERE
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#endif
}

/* Operand lists of the instruction: registers by number, and the sums that they stand for. */
#define WGMMA_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define WGMMA_NAMES_16 WGMMA_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define WGMMA_NAMES_24 WGMMA_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define WGMMA_NAMES_32 WGMMA_NAMES_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES_40 WGMMA_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define WGMMA_NAMES_48 WGMMA_NAMES_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define WGMMA_NAMES_56 WGMMA_NAMES_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define WGMMA_NAMES_64 WGMMA_NAMES_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES_72 WGMMA_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define WGMMA_NAMES_80 WGMMA_NAMES_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_NAMES_88 WGMMA_NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define WGMMA_NAMES_96 WGMMA_NAMES_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_NAMES_104 WGMMA_NAMES_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define WGMMA_NAMES_112 WGMMA_NAMES_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define WGMMA_NAMES_120 WGMMA_NAMES_112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define WGMMA_NAMES_128 WGMMA_NAMES_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define WGMMA_SUMS_AT(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_SUMS_8 WGMMA_SUMS_AT(0), WGMMA_SUMS_AT(4)
#define WGMMA_SUMS_16 WGMMA_SUMS_8, WGMMA_SUMS_AT(8), WGMMA_SUMS_AT(12)
#define WGMMA_SUMS_24 WGMMA_SUMS_16, WGMMA_SUMS_AT(16), WGMMA_SUMS_AT(20)
#define WGMMA_SUMS_32 WGMMA_SUMS_24, WGMMA_SUMS_AT(24), WGMMA_SUMS_AT(28)
#define WGMMA_SUMS_40 WGMMA_SUMS_32, WGMMA_SUMS_AT(32), WGMMA_SUMS_AT(36)
#define WGMMA_SUMS_48 WGMMA_SUMS_40, WGMMA_SUMS_AT(40), WGMMA_SUMS_AT(44)
#define WGMMA_SUMS_56 WGMMA_SUMS_48, WGMMA_SUMS_AT(48), WGMMA_SUMS_AT(52)
#define WGMMA_SUMS_64 WGMMA_SUMS_56, WGMMA_SUMS_AT(56), WGMMA_SUMS_AT(60)
#define WGMMA_SUMS_72 WGMMA_SUMS_64, WGMMA_SUMS_AT(64), WGMMA_SUMS_AT(68)
#define WGMMA_SUMS_80 WGMMA_SUMS_72, WGMMA_SUMS_AT(72), WGMMA_SUMS_AT(76)
#define WGMMA_SUMS_88 WGMMA_SUMS_80, WGMMA_SUMS_AT(80), WGMMA_SUMS_AT(84)
#define WGMMA_SUMS_96 WGMMA_SUMS_88, WGMMA_SUMS_AT(88), WGMMA_SUMS_AT(92)
#define WGMMA_SUMS_104 WGMMA_SUMS_96, WGMMA_SUMS_AT(96), WGMMA_SUMS_AT(100)
#define WGMMA_SUMS_112 WGMMA_SUMS_104, WGMMA_SUMS_AT(104), WGMMA_SUMS_AT(108)
#define WGMMA_SUMS_120 WGMMA_SUMS_112, WGMMA_SUMS_AT(112), WGMMA_SUMS_AT(116)
#define WGMMA_SUMS_128 WGMMA_SUMS_120, WGMMA_SUMS_AT(120), WGMMA_SUMS_AT(124)

#define WGMMA_TEXT(n, type, majors, names, a, b, add)                                              \
    "{\n.reg .pred p;\nsetp.ne.b32 p, %" #add ", 0;\n"                                             \
    "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" names "}, %" #a ", %" #b  \
    ", p, 1, 1, " majors ";\n}"

/* The instruction of one width, and of all those of an order of operands. */
#define WGMMA_ISSUE(n, type, majors, names, a, b, add, ...)                                        \
    if constexpr (N == n)                                                                          \
        asm volatile(WGMMA_TEXT(n, type, majors, names, a, b, add)                                 \
                     : __VA_ARGS__                                                                 \
                     : "l"(first), "l"(second), "r"(more));
#define WGMMA_ISSUE_ALL(type, majors)                                                              \
    WGMMA_ISSUE(64, type, majors, WGMMA_NAMES_32, 32, 33, 34, WGMMA_SUMS_32)                       \
    WGMMA_ISSUE(72, type, majors, WGMMA_NAMES_32 ", %32, %33, %34, %35", 36, 37, 38,               \
                WGMMA_SUMS_32, WGMMA_SUMS_AT(32))                                                  \
    WGMMA_ISSUE(80, type, majors, WGMMA_NAMES_40, 40, 41, 42, WGMMA_SUMS_40)                       \
    WGMMA_ISSUE(96, type, majors, WGMMA_NAMES_48, 48, 49, 50, WGMMA_SUMS_48)                       \
    WGMMA_ISSUE(104, type, majors, WGMMA_NAMES_48 ", %48, %49, %50, %51", 52, 53, 54,              \
                WGMMA_SUMS_48, WGMMA_SUMS_AT(48))                                                  \
    WGMMA_ISSUE(112, type, majors, WGMMA_NAMES_56, 56, 57, 58, WGMMA_SUMS_56)                      \
    WGMMA_ISSUE(120, type, majors, WGMMA_NAMES_56 ", %56, %57, %58, %59", 60, 61, 62,              \
                WGMMA_SUMS_56, WGMMA_SUMS_AT(56))                                                  \
    WGMMA_ISSUE(128, type, majors, WGMMA_NAMES_64, 64, 65, 66, WGMMA_SUMS_64)                      \
    WGMMA_ISSUE(136, type, majors, WGMMA_NAMES_64 ", %64, %65, %66, %67", 68, 69, 70,              \
                WGMMA_SUMS_64, WGMMA_SUMS_AT(64))                                                  \
    WGMMA_ISSUE(144, type, majors, WGMMA_NAMES_72, 72, 73, 74, WGMMA_SUMS_72)                      \
    WGMMA_ISSUE(152, type, majors, WGMMA_NAMES_72 ", %72, %73, %74, %75", 76, 77, 78,              \
                WGMMA_SUMS_72, WGMMA_SUMS_AT(72))                                                  \
    WGMMA_ISSUE(192, type, majors, WGMMA_NAMES_96, 96, 97, 98, WGMMA_SUMS_96)                      \
    WGMMA_ISSUE(256, type, majors, WGMMA_NAMES_128, 128, 129, 130, WGMMA_SUMS_128)

/* The type of both operands. */
enum wgmma_type { WGMMA_BFLOAT16, WGMMA_HALF };

/* Which operand is K-major; the other one is M-major or N-major. */
enum wgmma_operands { WGMMA_K_MAJOR_FIRST, WGMMA_K_MAJOR_SECOND };

/* d = first * second + d, or without + d if `more` is 0, for 64 x N sums. Lane l of warp w of the
 * warpgroup holds, in d[4 j .. 4 j + 3], columns 8 j + 2 (l % 4) and the next of rows 16 w + l / 4
 * and of 8 rows below. */
template <int N, int TYPE = WGMMA_BFLOAT16, int OPERANDS = WGMMA_K_MAJOR_FIRST>
static __device__ inline void wgmma(float (&d)[N / 2], uint64_t first, uint64_t second, int more)
{
    static_assert(N == 64 || N == 72 || N == 80 || N == 96 || N == 104 || N == 112 || N == 120 ||
                      N == 128 || N == 136 || N == 144 || N == 152 || N == 192 || N == 256,
                  "widths that are wrapped here");
    static_assert(TYPE == WGMMA_BFLOAT16 || OPERANDS == WGMMA_K_MAJOR_FIRST, "orders, too");
#ifdef WGMMA_HERE
    if constexpr (TYPE == WGMMA_HALF) {
        WGMMA_ISSUE_ALL("f16", "0, 1")
    } else if constexpr (OPERANDS == WGMMA_K_MAJOR_FIRST) {
        WGMMA_ISSUE_ALL("bf16", "0, 1")
    } else {
        WGMMA_ISSUE_ALL("bf16", "1, 0")
    }
#endif
}

#endif
