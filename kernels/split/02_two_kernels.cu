/*
 * Rung 2: a kernel for each part.
 *
 * The first launch has one thread per word and writes the results of its rounds to scratch
 * memory. The second has 512 threads, which combine these words into the chains.
 *
 * Remaining cost: a second launch; the words are written to memory and read again.
 */
#include "split.h"

static __global__ void split_wide(const uint32_t *in, uint32_t *out, uint64_t n, unsigned rounds)
{
    const uint64_t i = (uint64_t)blockIdx.x * SPLIT_WIDE_BLOCK + threadIdx.x;
    if (i < n) out[i] = split_advance(in[i], rounds);
}

static __global__ void split_narrow(const uint32_t *in, uint32_t *out, uint64_t n, unsigned rounds)
{
    out[blockIdx.x * SPLIT_NARROW_BLOCK + threadIdx.x] = split_chain<false>(in, n, rounds);
}

static unsigned two_launches(const struct point *)
{
    return 2;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    if (index == 1) {
        split_narrow_plan(work, launch, (const void *)split_narrow, work->scratch);
        return;
    }
    launch->function = (const void *)split_wide;
    launch->grid[0] = (unsigned)((n + SPLIT_WIDE_BLOCK - 1) / SPLIT_WIDE_BLOCK);
    launch->block[0] = SPLIT_WIDE_BLOCK;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->scratch);
    launch_integer(launch, n);
    launch_integer(launch, work->point.shape.dim[1]);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Two kernels",
    .after = "01_one_kernel",
    .suffers = "The part that could use the whole GPU runs in only 512 threads.",
    .changes =
        "One kernel performs the wide part with a thread for each word; a second one computes "
        "the chains.",
    .pays = "There is a second launch, and the words are written to memory and read again.",
    .full_only = 1,
    .claims =
        {
            {"A part that can use tens of thousands of threads and a part that can use a few "
             "hundred are probably better run as separate kernels.",
             "Skarupke, CUDA performance surprises", "Parallelism first", "1048576x64",
             "faster = 1", .at_times = 1},
            {"The part that can be run in parallel gains from a split, even if it is very small "
             "(here: one round for each word).",
             "Skarupke, CUDA performance surprises", "Parallelism first", "1048576x1",
             "faster = 1"},
            {"The part that can be run in parallel gains from a split, even if it is very small "
             "(here: two rounds for each word).",
             "Skarupke, CUDA performance surprises", "Parallelism first", "1048576x2",
             "faster = 1"},
        },
    .launch_count = two_launches,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
