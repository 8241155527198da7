/*
 * Rung 8: one atomicAdd per block.
 *
 * The sources know two ways to finish a sum over many blocks: launch again on the partial sums, as
 * rungs 1 to 7 do, or let each block add its sum to the result with one atomicAdd. This rung takes
 * the second: one launch, no partial sums, no second read.
 *
 * Remaining cost: a memset in the stream must set the result to 0 first, and all blocks update one
 * word of the L2 cache, which serves one addition at a time.
 */
#include "reduce.h"

template <unsigned BLOCK, unsigned LOADS>
static __global__ void reduce_atomic_per_block(const unsigned *in, unsigned *out, uint64_t n,
                                               unsigned * /* partial */)
{
    __shared__ unsigned sum[BLOCK];
    const unsigned t = threadIdx.x;
    sum[t] = reduce_sum_of_thread<BLOCK, LOADS>(in, n);
    reduce_tree<BLOCK>(sum, t);
    if (t == 0) atomicAdd(out, sum[0]);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    reduce_plan_loads(work, launch, REDUCE_KERNEL(reduce_atomic_per_block, &work->point));
    launch->clear_output = 1;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One atomic per block",
    .after = "07_many_per_thread",
    .suffers = "Each block writes a partial sum, and further launches read them again; each launch "
               "costs a few microseconds.",
    .changes = "Each block adds its sum to the result with one atomicAdd, in a single launch. The "
               "rest is as before.",
    .pays = "A memset comes before the launch, and all blocks update one word.",
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = REDUCE_LOADS,
    .claims =
        {
            {"A small sum gains from one launch with an atomic instead of two (17.6 % in the "
             "source, at 2^16).",
             "NVIDIA/cccl pull request 4961, RTX 6000 Ada", "Benchmark table", "65536",
             "faster = 1"},
            {"At 2^24 two launches are better (by 9.6 % in the source).",
             "NVIDIA/cccl pull request 4961, RTX 6000 Ada", "Benchmark table", "16777216",
             "slower = 1"},
            {"A large sum that ends in one atomic per block beats CUB's two launches (by 1.2 to "
             "1.5 % in the source, at 2^30; here, at 2^29: the whole interval is above 1).",
             "pranjalssh/fast.cu, H100", "sum.cu", "536870912", "speedup_library_low > 1"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
