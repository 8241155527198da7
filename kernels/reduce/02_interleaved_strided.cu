/*
 * Rung 2: interleaved addressing, chosen by a strided index.
 *
 * In rung 1, every second lane of each warp is active, then every fourth, then every eighth. Here
 * the active threads are packed: thread t takes pair t, so whole warps become idle and the modulo
 * is gone.
 *
 * Remaining cost: neighbouring lanes now read words 2s apart. A bank holds every 32nd word, so in
 * round s up to 2s lanes hit the same bank and are served one after the other.
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

#define ROUND(stride)                                                                              \
    {                                                                                              \
        "reads of sum[first], stride " stride, "reads of sum[first + s], stride " stride,          \
            "writes of sum[first], stride " stride                                                 \
    }

/* The three accesses of each round, named by their stride of 2s words; 2s is at most 1024. */
static const struct {
    const char *first, *second, *written;
} rounds[] = {ROUND("2"),  ROUND("4"),   ROUND("8"),   ROUND("16"),  ROUND("32"),
              ROUND("64"), ROUND("128"), ROUND("256"), ROUND("512"), ROUND("1024")};

/* Lane t of the first `lanes` accesses word `first` + t `stride`; the others are idle. */
static struct shared_access access_of(const char *name, enum access_kind kind, unsigned lanes,
                                      unsigned first, unsigned stride, double executions)
{
    struct shared_access access = {name, kind, sizeof(unsigned), {0}, executions};
    for (unsigned t = 0; t < 32; t++)
        access.address[t] = t < lanes ? (int)((first + t * stride) * sizeof(unsigned)) : LANE_IDLE;
    return access;
}

/* A round has b / 2s active threads, a power of two: full warps, or part of one. The first warp
 * stands for all; the next ones begin a multiple of 32 words further on and have the same
 * conflicts. */
static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    const unsigned block = (unsigned)work->point.block;
    const double blocks =
        (double)reduce_blocks(reduce_level_length(work->point.shape.dim[0], block, index), block);
    int count = 0;
    list[count++] =
        access_of("writes of the loaded elements", ACCESS_STORE, 32, 0, 1, block / 32 * blocks);
    for (unsigned s = 1, round = 0; s < block; s *= 2, round++) {
        const unsigned threads = block / (2 * s);
        const double warps = (threads + 31) / 32 * blocks;
        list[count++] = access_of(rounds[round].first, ACCESS_LOAD, threads, 0, 2 * s, warps);
        list[count++] = access_of(rounds[round].second, ACCESS_LOAD, threads, s, 2 * s, warps);
        list[count++] = access_of(rounds[round].written, ACCESS_STORE, threads, 0, 2 * s, warps);
    }
    list[count++] = access_of("read of the block's sum", ACCESS_LOAD, 1, 0, 1, blocks);
    return count;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Interleaved, strided index",
    .after = "01_interleaved_modulo",
    .suffers = "Fewer and fewer lanes of every warp are active, and a modulo selects them.",
    .changes = "Thread t takes pair t: the active threads are packed into whole warps and the "
               "modulo is gone.",
    .pays = "Neighbouring lanes now read words 2s apart, so up to 2s lanes hit the same bank of "
            "shared memory.",
    .claims =
        {
            {"The non-divergent branch packs the active threads into whole warps (here: fewer than "
             "half as many warps load from shared memory).",
             "Liu, Reduction slides (after Harris)",
             "Reduction #2: Interleaved Addr./non-divergent branching", NULL,
             "shared_load_instructions < 0.5 * prev_shared_load_instructions"},
            {"The kernel with a strided index is faster (here: in blocks of 256 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction", NULL,
             "faster = 1", .block = 256},
            {"The strided index causes bank conflicts.", "Liu, Reduction slides (after Harris)",
             "Reduction #2: Problem", NULL,
             "shared_excess_wavefronts > 0 AND prev_shared_excess_wavefronts = 0"},
            {"Every step has 2-way conflicts (here: 1.8 to 2.2 wavefronts for each load from "
             "shared memory on average; accesses.csv has the ways of each step).",
             "Liu, Reduction slides (after Harris)", "Reduction #2: Problem", NULL,
             "abs(shared_wavefronts_load / shared_load_instructions - 2) < 0.2"},
            {"The kernel with a strided index is faster at the size and in the blocks of the "
             "slides (2^22, 128 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
             "4194304", "faster = 1", .block = 128},
        },
    .published =
        {
            LIU_G80(3.456e6, 4.854),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 8.949e6, 239.969},
        },
    .launch_count = reduce_count_1,
    .plan = reduce_relaunch<reduce_interleaved_strided, 1>,
    .shared_accesses = accesses,
};
