/*
 * Self-test: global, local and device memory, and the L2 cache. Sectors have 32 bytes and follow
 * from the addresses of a warp. Bytes of device memory follow from the addresses that a stream
 * touches for the first time.
 */
#include "selftest_kernels/selftest_kernels.h"

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
    selftest_launch(work, function, SELFTEST_BLOCK, launch);
    launch_integer(launch, (unsigned)work->point.sweep);
    launch_integer(launch, (unsigned)work->point.shape.dim[0]);
}

SELFTEST_PLAN(global_stride, plan_words, selftest_strided)
SELFTEST_PLAN(global_offset, plan_words, selftest_shifted)
SELFTEST_PLAN(l2_reuse, plan_words, selftest_reread)

static void plan_local(const struct work *work, unsigned, struct launch *launch)
{
    selftest_launch(work, (const void *)selftest_indexed, SELFTEST_BLOCK, launch);
    launch_integer(launch, 1);
}

static void plan_stream(const struct work *work, const void *function, struct launch *launch)
{
    selftest_begin(work, function, (unsigned)(work->sm_count * STREAM_BLOCKS_PER_SM),
                   STREAM_THREADS, launch);
    launch_integer(launch, work->point.shape.dim[0] / 4);
}

SELFTEST_PLAN(read, plan_stream, selftest_read)

static void plan_write(const struct work *work, unsigned index, struct launch *launch)
{
    plan_stream(work, index == 0 ? (const void *)selftest_write : (const void *)selftest_check,
                launch);
    launch_pointer(launch, work->scratch);
}

static void plan_copy(const struct work *work, unsigned index, struct launch *launch)
{
    plan_stream(work, index == 0 ? (const void *)selftest_stream_copy : (const void *)selftest_read,
                launch);
    if (index == 0)
        launch_pointer(launch, work->scratch);
    else
        launch->argument[0] = (uint64_t)(uintptr_t)work->scratch; /* the copy is read back */
}

static unsigned launch_and_check(const struct point *)
{
    return 2;
}

SELFTEST_VARIANT(selftest, 10, global_stride, "loads of every stride-th word",
                 SELFTEST_SWEEP("stride", "words from lane to lane", 1, 2, 4, 8, 16, 32));
SELFTEST_VARIANT(selftest, 11, global_offset, "misaligned loads",
                 SELFTEST_SWEEP("offset", "words from where a warp would be aligned", 1, 4, 8, 12,
                                16, 31));
SELFTEST_VARIANT(selftest, 12, local, "an array in local memory");
SELFTEST_VARIANT(selftest, 13, l2_reuse, "4 MiB read again and again from the L2 cache",
                 SELFTEST_SWEEP("times", "how often all is read", 1, 5, 17));
SELFTEST_VARIANT(selftest_memory, 01, read, "a stream of reads");
SELFTEST_VARIANT(selftest_memory, 02, write, "a stream of writes, then read back and checked",
                 .launch_count = launch_and_check);
SELFTEST_VARIANT(selftest_memory, 03, copy, "a copy, then read back and checked",
                 .launch_count = launch_and_check);
