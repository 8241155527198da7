/*
 * Rung 4: rung 2 without cooperative groups.
 *
 * This is the algorithm of version 2 with __shfl_down_sync() and __syncthreads() in place of the
 * groups of the tile and of the block.
 *
 * Remaining cost: that of rung 2.
 */
#include "batched.h"

static __device__ float plain_sum_tiles(float x)
{
    __shared__ float of_warp[GROUP_THREADS / 32];
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
        x += __shfl_down_sync(0xFFFFFFFFu, x, distance);
    __syncthreads(); /* as in group_sum_tiles */
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (unsigned i = 0; i < GROUP_THREADS / 32; i++) sum += of_warp[i];
    return sum;
}

static __global__ void batched_plain_tiles(const float *in, float *out, uint64_t length)
{
    const float sum = plain_sum_tiles(group_sum_of_thread(in + blockIdx.x * length, length));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shuffles, traditional CUDA",
    .after = "02_tiles",
    .suffers =
        "The threads of a tile exchange values through a cooperative group, which may cost time.",
    .changes = "The same sum uses __shfl_down_sync() and __syncthreads(), and no cooperative "
               "groups.",
    .pays = "Loads move only four bytes.",
    .full_only = 1,
    .claims =
        {
            {"The sum by shuffles takes about as long with cooperative groups as with "
             "traditional CUDA (here: at most 1 % apart).",
             "Mao, CUDA Cooperative Groups", "After the output of the program", "2048x262144",
             "abs(time_ns / prev_time_ns - 1) < 0.01"},
        },
    .refuses = batched_refuses,
    .plan = plan_by<batched_plan, batched_plain_tiles>,
    .excess_wavefronts = no_excess_wavefronts,
};
