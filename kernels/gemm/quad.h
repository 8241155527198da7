/*
 * Reads one or four words from shared memory, and adds up words and quads; the compiler keeps the
 * loads in their order.
 * Nothing is owned; addresses are in the shared window.
 */
#ifndef KERNELS_GEMM_QUAD_H
#define KERNELS_GEMM_QUAD_H

#include <stdint.h>

static __device__ inline float4 load_quad(uint32_t address)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address));
    return v;
}

static __device__ inline float load_word(uint32_t address)
{
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(address));
    return v;
}

/* The first words of the quads, ORed, for once_loaded. */
template <int COUNT> static __device__ inline uint32_t bits_of(const float4 (&quad)[COUNT])
{
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) bits |= __float_as_uint(quad[i].x);
    return bits;
}

static __device__ inline float element(const float4 &v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

static __device__ inline void add_to(float4 *to, const float4 &v)
{
    to->x += v.x;
    to->y += v.y;
    to->z += v.z;
    to->w += v.w;
}

static __device__ inline void add_to(float *to, float v)
{
    *to += v;
}

#endif
