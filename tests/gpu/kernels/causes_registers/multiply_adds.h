/*
 * Shares the problem and the kernel between the rungs with and without conflicts in the banks of
 * the register file: each sum of a thread is increased by two products in turn, again and again.
 * The floats are small whole numbers, so every result is exact. Nothing is owned.
 *
 * Since compute capability 7.0 the register file has two banks, of the even and of the odd
 * registers. A vector that is loaded as a whole lies in four neighbouring registers, the first of
 * them even, so the banks of the factors are known. The compiler chooses the register of a sum and
 * avoids conflicts where it can: products of a sum that use one bank and the other in turn leave it
 * no good choice. Adjacent elements of the second vector are equal: whether a product takes the one
 * or the other changes no result.
 */
#ifndef TESTS_GPU_CAUSES_MULTIPLY_ADDS_H
#define TESTS_GPU_CAUSES_MULTIPLY_ADDS_H

#include "../planted.h"

enum { ADDS_BLOCK = 256, ADDS_ROUNDS = 4096, ADDS_UNROLL = 32 };

/* For variant.refuses. */
static inline const char *adds_refuse(const struct point *point, int compute_capability)
{
    const uint64_t n = point->shape.dim[0];
    if (compute_capability < 70) return "the register file has other banks";
    return n % (4 * ADDS_BLOCK) == 0 && n <= 1u << 30
               ? NULL
               : "the number of sums must be a multiple of 1024, 1073741824 or less";
}

#ifdef __CUDACC__

/* `on` is 1 at run time. An instruction that could be switched off must leave the old sum in place,
 * so a sum stays in one register. */
static __device__ inline void adds_product(float *sum, float a, float b, int on)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\n@p fma.rn.f32 %0, %1, %2, %0;\n}"
                 : "+f"(*sum)
                 : "f"(a), "f"(b), "r"(on));
}

/* With ONE_BANK both factors of a product are in one bank: in the first and second product of a sum
 * in different ones, so one of the two conflicts with the sum. Otherwise the factors are in
 * different banks. Neighbouring instructions share no factor, so none comes from the reuse
 * cache. */
template <bool ONE_BANK>
static __global__ void adds_products(const float4 *start, const float4 *first, const float4 *second,
                                     float4 *out, unsigned rounds, int on)
{
    const unsigned i = blockIdx.x * ADDS_BLOCK + threadIdx.x;
    float4 sum = start[i];
    const float4 a = first[i], b = second[i];
    const float x = ONE_BANK ? b.x : b.y, y = ONE_BANK ? b.y : b.x; /* the planted operands */
    const float z = ONE_BANK ? b.z : b.w, w = ONE_BANK ? b.w : b.z;
#pragma unroll 1
    for (unsigned done = 0; done < rounds; done += ADDS_UNROLL) {
#pragma unroll
        for (unsigned k = 0; k < ADDS_UNROLL; k += 2) {
            adds_product(&sum.x, a.x, x, on);
            adds_product(&sum.y, a.y, y, on);
            adds_product(&sum.z, a.z, z, on);
            adds_product(&sum.w, a.w, w, on);
            adds_product(&sum.x, a.y, y, on);
            adds_product(&sum.y, a.x, x, on);
            adds_product(&sum.z, a.w, w, on);
            adds_product(&sum.w, a.z, z, on);
        }
    }
    out[i] = sum;
}

static void adds_plan(const struct work *work, struct launch *launch, const void *function)
{
    launch->function = function;
    launch->grid[0] = (unsigned)(work->point.shape.dim[0] / (4 * ADDS_BLOCK));
    launch->block[0] = ADDS_BLOCK;
    for (int k = 0; k < 3; k++) launch_pointer(launch, work->input[k]);
    launch_pointer(launch, work->output);
    launch_integer(launch, ADDS_ROUNDS);
    launch_integer(launch, 1);
}

#endif
#endif
