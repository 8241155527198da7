/*
 * Rung 2: interleaved addressing, chosen by a strided index.
 *
 * Rung 1 keeps one lane in two, then in four, then in eight of every warp at work. Here the working threads are packed: thread t takes
 * pair number t, so that whole warps fall idle and the modulo is gone.
 *
 * What it pays: lanes that sat next to each other now read words 2s apart. A bank holds every 32nd word, so in round s up to 2s lanes
 * meet in one bank and are served one after the other.
 */
#include "reduce.h"

static __global__ void reduce_interleaved_strided(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + t;
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned first = 2 * s * t;
        if (first < blockDim.x) sum[first] += sum[first + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const int block = work->point.block;
    const struct reduce_level level = reduce_level(work, (uint64_t)block, index);
    reduce_plan(launch, (const void *)reduce_interleaved_strided, &level, block, (size_t)block * sizeof(unsigned));
}

/* In round s, b / 2s lanes read words 2s apart: a full warp of them falls on 32 / min(32, 2s) banks. A wavefront serves one word of each
 * bank, the ideal is one wavefront per warp, and each round makes three such accesses: two loads and a store. */
static double excess_wavefronts(const struct point *point, unsigned index)
{
    const unsigned block = (unsigned)point->block;
    unsigned excess = 0;
    for (unsigned s = 1; s < block; s *= 2) {
        const unsigned lanes = block / (2 * s);
        const unsigned warps = (lanes + 31) / 32;
        const unsigned lanes_per_warp = lanes < 32 ? lanes : 32;
        const unsigned banks = 32 / (2 * s < 32 ? 2 * s : 32);
        const unsigned wavefronts = (lanes_per_warp + banks - 1) / banks;
        excess += 3 * warps * (wavefronts - 1);
    }
    const uint64_t length = reduce_level_length(point->shape.dim[0], block, index);
    return (double)excess * (double)reduce_blocks(length, block);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Interleaved, strided index",
    .after = "01_interleaved_modulo",
    .suffers = "In every warp fewer and fewer lanes work, and a modulo decides which.",
    .changes = "Thread t takes pair t: the working threads are packed into whole warps and the modulo is gone.",
    .pays = "Neighbouring lanes now read words 2s apart, so up to 2s of them meet in one bank of shared memory.",
    .claims = {
        {"The divergent branch is gone: more branches go one way for all lanes.", "Liu, Reduction slides (after Harris)",
         "Reduction #2: Interleaved Addr./non-divergent branching", NULL, "branch_efficiency_pct > prev_branch_efficiency_pct"},
        {"Packing the threads makes it faster.", "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
         NULL, "faster = 1"},
        {"It brings bank conflicts.", "Liu, Reduction slides (after Harris)", "Reduction #2: Problem",
         NULL, "shared_excess_wavefronts > 0 AND prev_shared_excess_wavefronts = 0"},
    },
    .published = {
        {"Liu, Reduction slides (after Harris)", "G80", 86.4, "4194304", 128, 0, 3.456e6, 4.854},
        {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 8.949e6, 239.969},
    },
    .launch_count = reduce_count_1,
    .plan = plan,
    .excess_wavefronts = excess_wavefronts,
};
