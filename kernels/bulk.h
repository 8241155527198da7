/*
 * Sums tiles that the copy engine brings into shared memory with the bulk asynchronous copies of
 * Hopper and later; barriers in shared memory count the bytes. Compiled for an older architecture,
 * the code copies nothing, and the rungs that use it refuse to run there. Nothing is owned; the
 * caller's launch provides STAGES x TILE_BYTES bytes of dynamic shared memory. Source: PTX ISA,
 * cp.async.bulk and mbarrier.
 */
#ifndef KERNELS_BULK_H
#define KERNELS_BULK_H

#include "mbarrier.h"
#include "sum.h"

/* Requests a copy of `bytes` bytes from `from` (addresses and size are multiples of 16) and adds
 * them to the count that the barrier expects. */
static __device__ inline void bulk_start(void *to, const void *from, uint32_t bytes,
                                         uint64_t *barrier)
{
    mbarrier_expect(shared_address(barrier), bytes);
    engine_copy(shared_address(to), from, bytes, shared_address(barrier));
}

/* Waits as mbarrier_wait does, in a loop that the compiler sees. */
static __device__ inline void bulk_wait(uint64_t *barrier, uint32_t parity)
{
#ifdef MBARRIER_HERE
    uint32_t done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 "
                     "%0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
#endif
}

/* The blocks take tiles in turn; STAGES tiles are in flight at a time. */
template <unsigned BLOCK, unsigned STAGES, unsigned TILE_BYTES, typename T>
static __device__ inline T bulk_sum_of_tiles(const T *in, uint64_t tiles)
{
    extern __shared__ __align__(128) unsigned char stage[];
    __shared__ uint64_t arrived[STAGES];
    const unsigned char *from = reinterpret_cast<const unsigned char *>(in);
    const uint64_t mine = tiles > blockIdx.x ? (tiles - blockIdx.x - 1) / gridDim.x + 1 : 0;
    T sum = 0;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++) mbarrier_open(shared_address(&arrived[s]), 1);
        fence_before_engine();
        for (unsigned s = 0; s < STAGES && s < mine; s++)
            bulk_start(stage + s * TILE_BYTES,
                       from + (blockIdx.x + (uint64_t)s * gridDim.x) * TILE_BYTES, TILE_BYTES,
                       &arrived[s]);
    }
    __syncthreads();
    for (uint64_t k = 0; k < mine; k++) {
        const unsigned s = (unsigned)(k % STAGES);
        const sum_vector<T> *tile = reinterpret_cast<const sum_vector<T> *>(stage + s * TILE_BYTES);
        bulk_wait(&arrived[s], (uint32_t)(k / STAGES & 1));
#pragma unroll
        for (unsigned i = 0; i < TILE_BYTES / sizeof *tile / BLOCK; i++)
            sum += sum_of_vector(tile[i * BLOCK + threadIdx.x]);
        __syncthreads(); /* all threads have read the tile: its stage can be filled again */
        if (threadIdx.x == 0 && k + STAGES < mine)
            bulk_start(stage + s * TILE_BYTES,
                       from + (blockIdx.x + (k + STAGES) * gridDim.x) * TILE_BYTES, TILE_BYTES,
                       &arrived[s]);
    }
    return sum;
}

/* Returns the sum of this thread's elements: whole tiles by bulk copies, the rest by loads. `in` is
 * aligned to 16 bytes. */
template <unsigned BLOCK, unsigned STAGES, unsigned TILE_BYTES, typename T>
static __device__ inline T bulk_sum_of_thread(const T *in, uint64_t n)
{
    const uint64_t per_tile = TILE_BYTES / sizeof *in, tiles = n / per_tile;
    T sum = bulk_sum_of_tiles<BLOCK, STAGES, TILE_BYTES>(in, tiles);
    for (uint64_t i = tiles * per_tile + blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += gridDim.x * BLOCK)
        sum += in[i];
    return sum;
}

#endif
