/*
 * Self-test: global, local and device memory, and the L2 cache. Sectors have 32 bytes and follow
 * from the addresses of a warp. Bytes of device memory follow from the addresses that a stream
 * touches for the first time.
 */
#include "check/selftest_kernels.h"

enum { LOCAL_WORDS = 8, STREAM_THREADS = 512, STREAM_BLOCKS_PER_SM = 4 };

/* Thread t reads word t * stride, wrapped around so that all threads together read each word once.
 */
static __global__ void selftest_strided(const unsigned *in, unsigned *out, unsigned stride,
                                        unsigned n)
{
    const unsigned at = selftest_thread() * stride;
    selftest_finish(out, in[at % n + at / n]);
}

static __global__ void selftest_shifted(const unsigned *in, unsigned *out, unsigned offset,
                                        unsigned n)
{
    selftest_finish(out, in[(selftest_thread() + offset) % n]);
}

/* An array lies in local memory if its index is known only at run time. */
static __global__ void selftest_indexed(const unsigned *in, unsigned *out, unsigned shift)
{
    volatile unsigned array[LOCAL_WORDS];
    const unsigned word = in[selftest_thread()];
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < LOCAL_WORDS; i++) array[(i + shift) % LOCAL_WORDS] = word;
#pragma unroll
    for (unsigned i = 0; i < LOCAL_WORDS; i++) sum += array[(i * shift) % LOCAL_WORDS];
    selftest_finish(out, sum - (LOCAL_WORDS - 1) * word);
}

/* Reads everything an odd number of times: sums and differences alternate, and one is left. Each
 * time other threads read, because L1 merges requests while it waits for the same line, even of
 * loads that bypass it. */
static __global__ void selftest_reread(const unsigned *in, unsigned *out, unsigned times,
                                       unsigned n)
{
    const unsigned shift = (n / 3 / SELFTEST_BLOCK + 5) * SELFTEST_BLOCK;
    unsigned sum = 0;
    for (unsigned i = 0; i < times; i++) {
        unsigned word;
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                     : "=r"(word)
                     : "l"(in + (selftest_thread() + i * shift) % n));
        sum = i % 2 ? sum - word : sum + word;
    }
    selftest_finish(out, sum);
}

/* ---- streams: 16 bytes per lane -------------------------------------------------------------- */

static __device__ __forceinline__ unsigned words_of(uint4 value)
{
    return value.x + value.y + value.z + value.w;
}

static __global__ void selftest_read(const uint4 *in, unsigned *out, unsigned elements)
{
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned i = selftest_thread(); i < elements; i += gridDim.x * blockDim.x)
        sum += words_of(in[i]);
    selftest_finish(out, sum);
}

static __device__ __forceinline__ uint4 pattern(unsigned i)
{
    return make_uint4(i * 0x9E3779B1u, i ^ 0x85EBCA77u, ~i, i + 0x165667B1u);
}

static __global__ void selftest_write(const uint4 *in, unsigned *out, unsigned elements, uint4 *to)
{
    (void)in;
    (void)out;
#pragma unroll 4
    for (unsigned i = selftest_thread(); i < elements; i += gridDim.x * blockDim.x)
        to[i] = pattern(i);
}

/* A difference of 0 means that the written value is right. */
static __global__ void selftest_check(const uint4 *in, unsigned *out, unsigned elements,
                                      const uint4 *written)
{
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned i = selftest_thread(); i < elements; i += gridDim.x * blockDim.x)
        sum += words_of(in[i]) + words_of(written[i]) - words_of(pattern(i));
    selftest_finish(out, sum);
}

static __global__ void selftest_stream_copy(const uint4 *in, unsigned *out, unsigned elements,
                                            uint4 *to)
{
    (void)out;
#pragma unroll 4
    for (unsigned i = selftest_thread(); i < elements; i += gridDim.x * blockDim.x) to[i] = in[i];
}

/* ---- launches -------------------------------------------------------------------------------- */

static void plan_words(const struct work *work, const void *function, struct launch *launch)
{
    selftest_launch(work, function, work->point.shape.dim[0], SELFTEST_BLOCK, launch);
    launch_integer(launch, (unsigned)work->point.sweep);
    launch_integer(launch, (unsigned)work->point.shape.dim[0]);
}

#define PLAN(name, kernel)                                                                         \
    static void name(const struct work *work, unsigned index, struct launch *launch)               \
    {                                                                                              \
        (void)index;                                                                               \
        plan_words(work, (const void *)kernel, launch);                                            \
    }
PLAN(plan_strided, selftest_strided)
PLAN(plan_shifted, selftest_shifted)
PLAN(plan_reread, selftest_reread)

static void plan_indexed(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    selftest_launch(work, (const void *)selftest_indexed, work->point.shape.dim[0], SELFTEST_BLOCK,
                    launch);
    launch_integer(launch, 1);
}

static void plan_stream(const struct work *work, const void *function, const void *from,
                        struct launch *launch)
{
    launch->function = function;
    launch->grid[0] = (unsigned)(work->sm_count * STREAM_BLOCKS_PER_SM);
    launch->block[0] = STREAM_THREADS;
    launch->clear_output = 1;
    launch_pointer(launch, from);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[0] / 4);
    launch_pointer(launch, work->scratch);
}

static void plan_read(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    plan_stream(work, (const void *)selftest_read, work->input[0], launch);
    launch->argument_count--;
}

static void plan_write(const struct work *work, unsigned index, struct launch *launch)
{
    plan_stream(work, index == 0 ? (const void *)selftest_write : (const void *)selftest_check,
                work->input[0], launch);
}

static void plan_copy(const struct work *work, unsigned index, struct launch *launch)
{
    plan_stream(work, index == 0 ? (const void *)selftest_stream_copy : (const void *)selftest_read,
                index == 0 ? work->input[0] : work->scratch, launch);
    launch->argument_count -= index > 0;
}

static unsigned launch_and_check(const struct point *point)
{
    (void)point;
    return 2;
}

SELFTEST_VARIANT(selftest_global_stride) = {SELFTEST_IDENTITY("selftest", "10_global_stride"),
                                            .title = "loads of every stride-th word",
                                            .sweep_name = "stride",
                                            .sweep_text = "words from lane to lane",
                                            .sweep_values = {1, 2, 4, 8, 16, 32},
                                            .launch_count = launch_once,
                                            .plan = plan_strided};
SELFTEST_VARIANT(selftest_global_offset) = {
    SELFTEST_IDENTITY("selftest", "11_global_offset"),
    .title = "misaligned loads",
    .sweep_name = "offset",
    .sweep_text = "words from where a warp would be aligned",
    .sweep_values = {1, 4, 8, 12, 16, 31},
    .launch_count = launch_once,
    .plan = plan_shifted};
SELFTEST_VARIANT(selftest_global_local) = {SELFTEST_IDENTITY("selftest", "12_local"),
                                           .title = "an array in local memory",
                                           .launch_count = launch_once, .plan = plan_indexed};
SELFTEST_VARIANT(selftest_l2_reuse) = {SELFTEST_IDENTITY("selftest", "13_l2_reuse"),
                                       .title = "4 MiB read again and again from the L2 cache",
                                       .sweep_name = "times",
                                       .sweep_text = "how often all is read",
                                       .sweep_values = {1, 5, 17},
                                       .launch_count = launch_once,
                                       .plan = plan_reread};
SELFTEST_VARIANT(selftest_memory_read) = {SELFTEST_IDENTITY("selftest_memory", "01_read"),
                                          .title = "a stream of reads", .launch_count = launch_once,
                                          .plan = plan_read};
SELFTEST_VARIANT(selftest_memory_write) = {
    SELFTEST_IDENTITY("selftest_memory", "02_write"),
    .title = "a stream of writes, then read back and checked", .launch_count = launch_and_check,
    .plan = plan_write};
SELFTEST_VARIANT(selftest_memory_copy) = {SELFTEST_IDENTITY("selftest_memory", "03_copy"),
                                          .title = "a copy, then read back and checked",
                                          .launch_count = launch_and_check, .plan = plan_copy};
