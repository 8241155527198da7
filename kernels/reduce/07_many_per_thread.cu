/*
 * Rung 7: many elements per thread (algorithm cascading).
 *
 * In rung 6 a thread loads two elements and then works through a tree: the loads of a block are one
 * short burst. Here each thread first sums many elements in a register, two per step, and the tree
 * comes once at the end. The work stays n - 1 additions, but the cost, threads times steps, falls:
 * by Brent's theorem n / log n threads that sum log n elements each cost of the order of n, while n
 * threads cost n log n. Besides, several loads in flight per thread hide the latency of memory.
 *
 * The number of steps is a compile-time setting, swept from 1 to 1024: with too few the tree
 * dominates, with too many there are fewer blocks than the GPU can hold.
 *
 * Remaining cost: the relaunch that finishes the sum, and 4-byte loads.
 */
#include "reduce.h"

template <unsigned BLOCK, unsigned LOADS>
static __global__ void reduce_many_per_thread(const unsigned *in, unsigned *out, uint64_t n)
{
    __shared__ unsigned sum[BLOCK];
    const unsigned t = threadIdx.x;
    sum[t] = reduce_sum_of_thread<BLOCK, LOADS>(in, n);
    reduce_tree<BLOCK>(sum, t);
    if (t == 0) out[blockIdx.x] = sum[0];
}

template <unsigned BLOCK> static const void *kernel_of(int loads)
{
    switch (loads) {
    case 1: return (const void *)reduce_many_per_thread<BLOCK, 1>;
    case 2: return (const void *)reduce_many_per_thread<BLOCK, 2>;
    case 4: return (const void *)reduce_many_per_thread<BLOCK, 4>;
    case 8: return (const void *)reduce_many_per_thread<BLOCK, 8>;
    case 16: return (const void *)reduce_many_per_thread<BLOCK, 16>;
    case 32: return (const void *)reduce_many_per_thread<BLOCK, 32>;
    case 64: return (const void *)reduce_many_per_thread<BLOCK, 64>;
    case 128: return (const void *)reduce_many_per_thread<BLOCK, 128>;
    case 256: return (const void *)reduce_many_per_thread<BLOCK, 256>;
    case 512: return (const void *)reduce_many_per_thread<BLOCK, 512>;
    case 1024: return (const void *)reduce_many_per_thread<BLOCK, 1024>;
    }
    return NULL;
}

static unsigned launch_count(const struct point *point)
{
    return reduce_level_count(point->shape.dim[0], reduce_per_block(point));
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct reduce_level level = reduce_level(work, reduce_per_block(point), index);
    const void *function =
        point->block == 128 ? kernel_of<128>(point->sweep) : kernel_of<256>(point->sweep);
    reduce_plan(launch, function, &level, point->block, 0);
}

#define NOTES(loads, seconds, gbs)                                                                 \
    {                                                                                              \
        "Yikai, Reduction notes", "A100", 1555, "536870912", 0, loads, (seconds)*1e9, gbs          \
    }

#define MORE_THAN_LOG2_N                                                                           \
    "CASE WHEN floor_pct <= 2 THEN 2 * sweep > ln(useful_operations + 1) / ln(2) END"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Many elements per thread",
    .after = "06_fully_unrolled",
    .suffers = "A thread loads two elements and then works through a tree: too few loads are in "
               "flight to hide the latency of memory.",
    .changes = "Each thread sums many elements in a register before the tree starts; there are far "
               "fewer blocks and far fewer trees.",
    .pays = "The sum is finished by a relaunch, and loads move 4 bytes each.",
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
    .claims =
        {
            {"Algorithm cascading can lead to significant speed-ups in practice (here: it is "
             "faster).",
             "Liu, Reduction slides (after Harris)", "What about Cost?", NULL, "faster = 1", 0, 1},
            {"Latency is possibly hidden better with more work per thread (here: where the best "
             "setting has several steps, warps wait for global memory for fewer cycles in all).",
             "Liu, Reduction slides (after Harris)", "Algorithm Cascading", NULL,
             "CASE WHEN sweep > 1 THEN global_wait_cycles < prev_global_wait_cycles END", 0, 1},
            {"The best setting is 16 steps, the power of two next to log2(n) / 2 = 14.5 (here: no "
             "other is faster beyond the noise floor).",
             "Yikai, Reduction notes", "Experiments", "536870912", "NOT behind_best", 16},
            {"The bandwidth is very close to the theoretical limit (here: above 90 % of it).",
             "Yikai, Reduction notes", "Experiments", "536870912",
             "effective_gbs > 0.9 * dram_peak_gbs"},
            {"In Harris' experience a thread should sum even more elements than Brent's theorem "
             "says (here: the fastest setting at 2^29 has more than log2 n per thread).",
             "Liu, Reduction slides (after Harris)", "Algorithm Cascading", "536870912",
             MORE_THAN_LOG2_N},
            {"In Harris' experience a thread should sum even more elements than Brent's theorem "
             "says (here: the fastest setting at the size and in the blocks of the slides, 2^22 "
             "and 128 threads, has more than log2 n per thread).",
             "Liu, Reduction slides (after Harris)", "Algorithm Cascading", "4194304",
             MORE_THAN_LOG2_N, .block = 128},
            {"Many elements per thread make the kernel faster at the size and in the blocks of the "
             "slides (2^22, 128 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
             "4194304", "faster = 1", .block = 128},
        },
    .published =
        {
            LIU_G80(0.268e6, 62.671),
            NOTES(1, 0.002664, 806.112),
            NOTES(2, 0.001888, 1137.44),
            NOTES(4, 0.00158, 1359.17),
            NOTES(8, 0.001482, 1449.04),
            NOTES(16, 0.001477, 1453.95),
            NOTES(32, 0.001491, 1440.3),
            NOTES(64, 0.001507, 1425.01),
            NOTES(128, 0.001498, 1433.57),
            NOTES(256, 0.001515, 1417.48),
            NOTES(512, 0.001637, 1311.84),
            NOTES(1024, 0.001959, 1096.21),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 2.9e6, 0,
             "a tenth of 10 sums, size assumed"},
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 2.61e6, 0,
             "a hundredth of 100 sums, size assumed"},
        },
    .launch_count = launch_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
