/*
 * Wraps the accesses to memory of the thin products (thin.h): loads that a predicate switches off,
 * words for other blocks of the cluster, and words that carry the sign that they have arrived.
 * Compiled for an older architecture, what needs Hopper does nothing, and the rungs that use it
 * refuse to run there. Nothing is owned; shared addresses are in the shared window. Source: PTX
 * ISA, sections ld, barrier.cluster.
 */
#ifndef KERNELS_GEMM_THIN_ACCESS_H
#define KERNELS_GEMM_THIN_ACCESS_H

#include "mbarrier.h"

/* Loads four words that are read once, so they need no place in the L1 cache, or returns zeros.
 * The loads stay in program order, which keeps as many of them in flight as the program says. */
static __device__ inline float4 load_four_if(const float *from, bool there)
{
    float4 v;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n"
                 "mov.f32 %0, 0f00000000;\nmov.f32 %1, 0f00000000;\n"
                 "mov.f32 %2, 0f00000000;\nmov.f32 %3, 0f00000000;\n"
                 "@p ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];\n}"
                 : "=&f"(v.x), "=&f"(v.y), "=&f"(v.z), "=&f"(v.w)
                 : "l"(from), "r"((unsigned)there));
    return v;
}

/* Loads a word, or returns 0. Rows that are not aligned share sectors with the loads beside them,
 * which the L1 cache serves. */
static __device__ inline float load_one_if(const float *from, bool there)
{
    float v;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\nmov.f32 %0, 0f00000000;\n"
                 "@p ld.global.nc.f32 %0, [%1];\n}"
                 : "=&f"(v)
                 : "l"(from), "r"((unsigned)there));
    return v;
}

/* Stores a word to shared memory of block `rank` of the cluster. */
static __device__ inline void store_word_remote(uint32_t address, uint32_t rank, float v)
{
#ifdef MBARRIER_HERE
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.f32 [there], %2;\n}" ::"r"(address),
                 "r"(rank), "f"(v)
                 : "memory");
#endif
}

/* The two halves of cluster_barrier, for all threads: work between them hides the wait. */
static __device__ inline void cluster_arrive(void)
{
#ifdef MBARRIER_HERE
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

static __device__ inline void cluster_wait(void)
{
#ifdef MBARRIER_HERE
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* A float on its way to another block: 2^32 plus its bits, or 0 where none has arrived. As one word
 * brings both, neither a fence nor a second access is needed. */
static __device__ inline void mail_send(unsigned long long *mail, float v)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(mail),
                 "l"(1ull << 32 | __float_as_uint(v))
                 : "memory");
}

static __device__ inline unsigned long long mail_look(const unsigned long long *mail)
{
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(mail) : "memory");
    return word;
}

#endif
