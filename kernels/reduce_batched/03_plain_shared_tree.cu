/*
 * Rung 3: rung 1 without cooperative groups.
 *
 * This is the algorithm of version 1 with threadIdx and __syncthreads() in place of the block's
 * group.
 *
 * Remaining cost: that of rung 1.
 */
#include "batched.h"

static __device__ float plain_sum_shared(float x)
{
    __shared__ float sum[GROUP_THREADS];
    const unsigned t = threadIdx.x;
    __syncthreads(); /* as in group_sum_shared */
    sum[t] = x;
    __syncthreads();
    for (unsigned distance = GROUP_THREADS / 2; distance > 0; distance /= 2) {
        if (t < distance) sum[t] += sum[t + distance];
        __syncthreads();
    }
    return sum[0];
}

static __global__ void batched_plain_shared_tree(const float *in, float *out, uint64_t length)
{
    const float sum = plain_sum_shared(group_sum_of_thread(in + blockIdx.x * length, length));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tree, traditional CUDA",
    .after = "01_shared_tree",
    .suffers = "The block synchronises through a cooperative group, which may cost time.",
    .changes = "The same tree uses __syncthreads() and no cooperative groups.",
    .pays = "Each round of the tree has a barrier, and loads move four bytes.",
    .full_only = 1,
    .claims =
        {
            {"The tree in shared memory takes about as long with cooperative groups as with "
             "traditional CUDA (here: at most 1 % apart).",
             "Mao, CUDA Cooperative Groups", "After the output of the program", "2048x262144",
             "abs(time_ns / prev_time_ns - 1) < 0.01"},
        },
    .refuses = batched_refuses,
    .plan = plan_by<batched_plan, batched_plain_shared_tree>,
    .excess_wavefronts = no_excess_wavefronts,
};
