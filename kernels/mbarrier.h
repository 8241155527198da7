/*
 * Wraps the barriers in shared memory that count bytes, and the copies that report to them:
 * Hopper's mbarrier, tensor copies (TMA) and 4-byte asynchronous copies. Compiled for an older
 * architecture, the functions do nothing, and the rungs that use them refuse to run there. Nothing
 * is owned; addresses are in the shared window. Source: PTX ISA, sections mbarrier,
 * cp.async.bulk.tensor, cp.async, setmaxnreg.
 */
#ifndef KERNELS_MBARRIER_H
#define KERNELS_MBARRIER_H

#include <cuda.h>
#include <stdint.h>

#include "shared_address.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MBARRIER_HERE
#endif
/* setmaxnreg exists only in code built for a specific architecture, such as sm_90a. */
#if defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define REGISTERS_CAN_MOVE
#endif

static __device__ inline void mbarrier_open(uint32_t barrier, unsigned arrivals)
{
#ifdef MBARRIER_HERE
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}

/* Makes initialised barriers visible to the copy engine and to the other blocks of a cluster. */
static __device__ inline void mbarrier_publish(void)
{
#ifdef MBARRIER_HERE
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Arrives once and adds `bytes` to the bytes that the barrier waits for. */
static __device__ inline void mbarrier_expect(uint32_t barrier, uint32_t bytes)
{
#ifdef MBARRIER_HERE
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
#endif
}

/* Adds `bytes` to the bytes that the current phase of the barrier waits for, without arriving. */
static __device__ inline void mbarrier_expect_more(uint32_t barrier, uint32_t bytes)
{
#ifdef MBARRIER_HERE
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
#endif
}

/* Arrives once for each thread whose `yes` is not 0; uses a predicate, not a branch. */
static __device__ inline void mbarrier_arrive_if(uint32_t barrier, int yes)
{
#ifdef MBARRIER_HERE
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %1, 0;\n@p mbarrier.arrive.shared.b64 _, [%0];\n}" ::"r"(
            barrier),
        "r"(yes)
        : "memory");
#endif
}

/* The same at the barrier with this address in block `rank` of the cluster. */
static __device__ inline void mbarrier_arrive_remote_if(uint32_t barrier, uint32_t rank, int yes)
{
#ifdef MBARRIER_HERE
    asm volatile("{\n.reg .pred p;\n.reg .b32 there;\nsetp.ne.s32 p, %2, "
                 "0;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "@p mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
                 "r"(rank), "r"(yes)
                 : "memory");
#endif
}

/* Returns `yes`, once the loads are over whose words were ORed into `loaded`. For arrivals that let
 * others overwrite what was loaded: the assembler of CUDA 13.0 does not make them wait for loads,
 * and on an H100 arrivals overtook loads of the same warp. (The compiler does not know that
 * threadIdx.z is 0; in a block with more than one z, arrivals would be lost.) */
static __device__ inline int once_loaded(int yes, uint32_t loaded)
{
    return yes && (loaded & threadIdx.z) == 0;
}

/* Waits until the barrier has completed the phase of this parity. An unused barrier counts as
 * having completed parity 1. */
static __device__ inline void mbarrier_wait(uint32_t barrier, uint32_t parity)
{
#ifdef MBARRIER_HERE
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p "
                 "bra AGAIN;\n}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
#endif
}

/* Fetches a map before the first copy that needs it. */
static __device__ inline void tensor_map_prefetch(const CUtensorMap *map)
{
#ifdef MBARRIER_HERE
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
#endif
}

/* Copies a box of the map, starting at column and row, with the copy engine; the barrier counts its
 * bytes. */
static __device__ inline void tensor_copy(uint32_t to, const CUtensorMap *map, int column, int row,
                                          uint32_t barrier)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier)
                 : "memory");
#endif
}

/* Copies the same box into each block of the cluster whose bit is set in `blocks`, at the same
 * addresses; the barrier of each block counts its bytes. */
static __device__ inline void tensor_copy_multicast(uint32_t to, const CUtensorMap *map, int column,
                                                    int row, uint32_t barrier, uint16_t blocks)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                 "multicast::cluster [%0], [%1, {%2, %3}], [%4], "
                 "%5;" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier), "h"(blocks)
                 : "memory");
#endif
}

/* Copies so many bytes with the copy engine; the barrier counts them. Addresses and size are
 * multiples of 16. */
static __device__ inline void engine_copy(uint32_t to, const void *from, uint32_t bytes,
                                          uint32_t barrier)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
#endif
}

/* Orders the accesses to memory that the thread has made or seen before its copies by the copy
 * engine. */
static __device__ inline void fence_all_before_engine(void)
{
#ifdef MBARRIER_HERE
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

/* Makes the thread's writes to shared memory visible to the copy engine and to wgmma. */
static __device__ inline void fence_before_engine(void)
{
#ifdef MBARRIER_HERE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Copies a box from shared memory to the map, starting at column and row; what lies outside of the
 * map is dropped. The copy belongs to the thread's next group of copies. */
static __device__ inline void tensor_store(const CUtensorMap *map, int column, int row,
                                           uint32_t from)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], "
                 "[%3];" ::"l"(map),
                 "r"(column), "r"(row), "r"(from)
                 : "memory");
#endif
}

/* Ends a group of the thread's stores. */
static __device__ inline void tensor_stores_commit(void)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/* Waits until all but the last PENDING groups have read shared memory. */
template <int PENDING> static __device__ inline void tensor_stores_wait_read(void)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
#endif
}

/* Waits until the thread's stores are complete; needed before the block ends. */
static __device__ inline void tensor_stores_finish(void)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

static __device__ inline uint32_t rank_in_cluster(void)
{
    uint32_t rank = 0;
#ifdef MBARRIER_HERE
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

/* All threads of the blocks of a cluster. */
static __device__ inline void cluster_barrier(void)
{
#ifdef MBARRIER_HERE
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* The same, but accesses to memory are not ordered: for blocks that have received all that they
 * read from one another's shared memory. */
static __device__ inline void cluster_barrier_unordered(void)
{
#ifdef MBARRIER_HERE
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                     : "memory");
#endif
}

/* Copies 4 bytes, or stores a zero if `bytes` is 0. */
static __device__ inline void copy_word(uint32_t to, const float *from, unsigned bytes)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* The same for two words, whose addresses are multiples of 8 bytes. */
static __device__ inline void copy_pair(uint32_t to, const float *from, unsigned bytes)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* Arrives once, after all copies of words by the thread have completed. */
static __device__ inline void mbarrier_arrive_after_words(uint32_t barrier)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
}

/* Waits until all copies of words by the thread have completed; needed before the thread ends. */
static __device__ inline void copy_words_finish(void)
{
#ifdef MBARRIER_HERE
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* A warpgroup releases registers, or claims them. */
template <unsigned REGISTERS> static __device__ inline void registers_give(void)
{
#if defined(MBARRIER_HERE) && defined(REGISTERS_CAN_MOVE)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

template <unsigned REGISTERS> static __device__ inline void registers_take(void)
{
#if defined(MBARRIER_HERE) && defined(REGISTERS_CAN_MOVE)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/* Sets a flag in global memory, after all writes of the thread and those that it has seen. */
static __device__ inline void flag_set(unsigned *flag)
{
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}

/* Waits for a flag and clears it, so that the next launch finds it as this one did. */
static __device__ inline void flag_take(unsigned *flag)
{
    unsigned there = 0;
    while (!there)
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(flag) : "memory");
    *flag = 0;
}

/* Waits for `threads` threads of the block at its barrier `name`, 1 to 15. */
static __device__ inline void barrier_of(unsigned name, unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

/* Arrives at the barrier `name` without waiting; `threads` counts those that arrive and wait. */
static __device__ inline void barrier_pass(unsigned name, unsigned threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

#endif
