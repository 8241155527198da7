/*
 * Rung 20: a sum as PyTorch does it.
 *
 * PyTorch's reduction of a contiguous array (aten/src/ATen/native/cuda/Reduce.cuh) has blocks of
 * 512 threads. A thread loads 16 bytes at a time and adds them to four sums. The grid has as many
 * blocks as fit on the GPU, more if a thread would otherwise take over 256 elements, and fewer if
 * it would take under 16. A block halves its sums in shared memory down to one warp, which goes on
 * with shuffles; the block that arrives last adds up the blocks. PyTorch sums 32-bit integers in 64
 * bits and converts the input first; this rung leaves that out and sums in 32 bits, so that it has
 * the traffic of PyTorch's sum of floats.
 *
 * Remaining cost: a thread has only one load in flight at a time, unless the compiler unrolls the
 * loop.
 */
#include "sum.h"

#include "reduce.h"

enum { BLOCK = 512, MOST_PER_THREAD = 256, LEAST_PER_THREAD = 16 };

/* The block's sum, in thread 0. */
static __device__ unsigned sum_of_block(unsigned x)
{
    __shared__ unsigned sum[BLOCK];
    const unsigned t = threadIdx.x;
    sum[t] = x;
    for (unsigned half = BLOCK / 2; half >= 32; half /= 2) {
        __syncthreads();
        if (t < half) sum[t] = x += sum[t + half];
    }
    __syncthreads();
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2)
        x += __shfl_down_sync(0xFFFFFFFFu, x, distance);
    return x;
}

static __global__ void __launch_bounds__(BLOCK)
    reduce_as_pytorch(const unsigned *in, unsigned *out, uint64_t n, unsigned *partial)
{
    const uint4 *const quads = reinterpret_cast<const uint4 *>(in);
    const uint64_t stride = (uint64_t)gridDim.x * BLOCK;
    unsigned sum[4] = {0, 0, 0, 0};
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += stride) {
        const uint4 quad = quads[i];
        sum[0] += quad.x;
        sum[1] += quad.y;
        sum[2] += quad.z;
        sum[3] += quad.w;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) sum[0] += in[n - n % 4 + threadIdx.x];
    const unsigned x = sum_of_block(sum[0] + sum[1] + sum[2] + sum[3]);
    if (!sum_is_last_block(x, partial)) return;
    unsigned total = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) total += __ldcg(&partial[i]);
    total = sum_of_block(total);
    if (threadIdx.x == 0) *out = total;
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0], filling = (uint64_t)work->sm_count * 4,
                   most = reduce_blocks(n, (uint64_t)BLOCK * LEAST_PER_THREAD),
                   least = reduce_blocks(n, (uint64_t)BLOCK * MOST_PER_THREAD),
                   wanted = filling < most ? filling : most;
    reduce_plan_once(work, launch, (const void *)reduce_as_pytorch,
                     (unsigned)(wanted > least ? wanted : least), BLOCK);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "As PyTorch",
    .after = "09_last_block",
    .suffers = "The loads move four bytes each.",
    .changes = "Loads of 16 bytes go to four sums; blocks of 512 threads, 256 elements per thread "
               "at most.",
    .pays = "A thread has only one load in flight at a time.",
    .full_only = 1,
    .published =
        {
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 4.0e6, 0,
             "a tenth of 10 sums of PyTorch, size assumed"},
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 2.45e6, 0,
             "a hundredth of 100 sums of PyTorch, size assumed"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
