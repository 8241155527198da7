/*
 * Self-test: shared memory. One warp to a block; lane i touches element i * stride of the given
 * width, so that the wavefronts follow from the 32 banks of 4 bytes and from the groups in which a
 * warp is served (harness/catalog/bank_model.h).
 */
#include "selftest_kernels/selftest_kernels.h"

enum {
    TIMES = 8,        /* each access, in every warp */
    MATRIX_TIMES = 9, /* an odd number: sums and differences alternate, one is left */
    COPY_TIMES = 4,
    MOST_STRIDE = 32
};

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

/* Accesses that neither compiler nor assembler merges or omits. The first word of an
 * element carries the number. */
template <int WIDTH> static __device__ __forceinline__ unsigned load(unsigned address)
{
    unsigned a, b, c, d;
    if (WIDTH == 4)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
    if (WIDTH == 8)
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(a), "=r"(b)
                     : "r"(address)
                     : "memory");
    if (WIDTH == 16)
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(address)
                     : "memory");
    return WIDTH == 4 ? a : WIDTH == 8 ? a + b : a + b + c + d;
}

template <int WIDTH> static __device__ __forceinline__ void store(unsigned address, unsigned word)
{
    if (WIDTH == 4)
        asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(address), "r"(word) : "memory");
    if (WIDTH == 8)
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};"
                     :
                     : "r"(address), "r"(word), "r"(0)
                     : "memory");
    if (WIDTH == 16)
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %2, %2};"
                     :
                     : "r"(address), "r"(word), "r"(0)
                     : "memory");
}

/* Sixteen bytes bypass the L1 cache. */
template <int WIDTH>
static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from)
{
    if (WIDTH == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :
                     : "r"(to), "l"(from), "n"(WIDTH)
                     : "memory");
}

template <int WIDTH, int LOADS, int STORES>
static __global__ void selftest_shared(const unsigned *in, unsigned *out, unsigned stride)
{
    __shared__ __align__(16) unsigned char tile[SELFTEST_WARP * MOST_STRIDE * WIDTH];
    const unsigned word = in[selftest_thread()],
                   address = shared_address(tile) + threadIdx.x * stride * WIDTH;
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < STORES; i++) store<WIDTH>(address, word);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < LOADS; i++) sum += load<WIDTH>(address);
    selftest_finish(out, sum - (LOADS - 1) * word);
}

/* An even number of times: sums and differences alternate and cancel. */
static __global__ void selftest_broadcast(const unsigned *in, unsigned *out)
{
    __shared__ unsigned one;
    unsigned sum = in[selftest_thread()];
    if (threadIdx.x == 0) store<4>(shared_address(&one), sum);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < TIMES; i++) {
        const unsigned word = load<4>(shared_address(&one));
        sum = i % 2 ? sum - word : sum + word;
    }
    selftest_finish(out, sum);
}

/* Four matrices of 8 rows, a row for each lane; a row is 16 bytes, and the next one begins
 * `pitch` rows further. Each time a lane names another row, since equal loads would be merged. */
static __global__ void selftest_matrix(const unsigned *in, unsigned *out, unsigned pitch)
{
    __shared__ __align__(16) unsigned char tile[SELFTEST_WARP * 8 * 16];
    unsigned sum = 0;
    store<16>(shared_address(tile) + threadIdx.x * pitch * 16, in[selftest_thread()]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < MATRIX_TIMES; i++) {
        const unsigned address =
            shared_address(tile) + (threadIdx.x + i) % SELFTEST_WARP * pitch * 16;
        unsigned a, b, c, d;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(address)
                     : "memory");
        sum = i % 2 ? sum - (a + b + c + d) : sum + (a + b + c + d);
    }
    selftest_finish(out, sum);
}

/* The same, written by stmatrix; the rows are read back word by word. */
static __global__ void selftest_matrix_store(const unsigned *in, unsigned *out, unsigned pitch)
{
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(16) unsigned char tile[SELFTEST_WARP * 8 * 16];
    const unsigned word = in[selftest_thread()];
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < MATRIX_TIMES; i++) {
        const unsigned address =
            shared_address(tile) + (threadIdx.x + i) % SELFTEST_WARP * pitch * 16;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %2, %2};"
                     :
                     : "r"(address), "r"(word), "r"(0)
                     : "memory");
    }
    __syncwarp();
    /* The last eight rows written as the first matrix hold the words of all lanes, the others 0. */
    for (int i = 0; i < 4; i++)
        sum += load<4>(shared_address(tile) + threadIdx.x * pitch * 16 + 4 * i);
    selftest_finish(out, sum);
#endif
}

/* Sums and differences alternate in each word, so that it ends as the sum of the words of its
 * lanes: `sharers` lanes have one word, and the words are `stride` words apart. */
static __global__ void selftest_atomic(const unsigned *in, unsigned *out, unsigned stride,
                                       unsigned sharers)
{
    __shared__ unsigned tile[SELFTEST_WARP * MOST_STRIDE];
    const unsigned word = in[selftest_thread()], group = threadIdx.x / sharers,
                   address = shared_address(tile) + group * stride * 4;
    unsigned sum = 0;
    store<4>(address, 0);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < MATRIX_TIMES; i++)
        asm volatile("red.shared.add.u32 [%0], %1;"
                     :
                     : "r"(address), "r"(i % 2 ? 0 - word : word)
                     : "memory");
    __syncwarp();
    if (threadIdx.x % sharers == 0) sum = load<4>(address);
    selftest_finish(out, sum);
}

/* Every lane copies its own element, without a conflict. */
template <int WIDTH> static __global__ void selftest_copy(const unsigned *in, unsigned *out)
{
#if __CUDA_ARCH__ >= 800
    __shared__ __align__(16) unsigned char tile[COPY_TIMES][SELFTEST_WARP * WIDTH];
    const unsigned char *from = (const unsigned char *)in + (size_t)selftest_thread() * WIDTH;
    unsigned sum = 0, first = 0;
#pragma unroll
    for (int i = 0; i < COPY_TIMES; i++) {
        const unsigned to = shared_address(tile[i]) + threadIdx.x * WIDTH;
        copy<WIDTH>(to, from);
    }
    asm volatile("cp.async.wait_all;" : : : "memory");
    __syncwarp();
#pragma unroll
    for (int i = 0; i < COPY_TIMES; i++) {
        const unsigned copied = load<WIDTH>(shared_address(tile[i]) + threadIdx.x * WIDTH);
        if (i == 0) first = copied;
        sum += copied;
    }
    selftest_finish(out, sum - (COPY_TIMES - 1) * first);
#endif
}

/* Every lane copies its own element; in shared memory they are `stride` elements apart. */
template <int WIDTH>
static __global__ void selftest_copy_strided(const unsigned *in, unsigned *out, unsigned stride)
{
#if __CUDA_ARCH__ >= 800
    __shared__ __align__(16) unsigned char tile[SELFTEST_WARP * MOST_STRIDE * WIDTH];
    const unsigned char *from = (const unsigned char *)in + (size_t)selftest_thread() * WIDTH;
    const unsigned to = shared_address(tile) + threadIdx.x * stride * WIDTH;
#pragma unroll
    for (int i = 0; i < COPY_TIMES; i++) {
        copy<WIDTH>(to, from);
    }
    asm volatile("cp.async.wait_all;" : : : "memory");
    __syncwarp();
    selftest_finish(out, load<WIDTH>(to));
#endif
}

/* ---- launches -------------------------------------------------------------------------------- */

static void plan_words(const struct work *work, const void *function, struct launch *launch)
{
    selftest_launch(work, function, SELFTEST_WARP, launch);
}

static void plan_strided(const struct work *work, const void *function, struct launch *launch)
{
    plan_words(work, function, launch);
    launch_integer(launch, (unsigned)work->point.sweep);
}

SELFTEST_PLAN(shared_load_4, plan_strided, selftest_shared<4, TIMES, 1>)
SELFTEST_PLAN(shared_load_8, plan_strided, selftest_shared<8, TIMES, 1>)
SELFTEST_PLAN(shared_load_16, plan_strided, selftest_shared<16, TIMES, 1>)
SELFTEST_PLAN(shared_store_4, plan_strided, selftest_shared<4, 1, TIMES>)
SELFTEST_PLAN(shared_store_8, plan_strided, selftest_shared<8, 1, TIMES>)
SELFTEST_PLAN(shared_store_16, plan_strided, selftest_shared<16, 1, TIMES>)
SELFTEST_PLAN(shared_matrix, plan_strided, selftest_matrix)
SELFTEST_PLAN(shared_broadcast, plan_words, selftest_broadcast)

static void plan_shared_async(const struct work *work, unsigned, struct launch *launch)
{
    const unsigned width = (unsigned)work->point.sweep;
    const void *function = width == 4   ? (const void *)selftest_copy<4>
                           : width == 8 ? (const void *)selftest_copy<8>
                                        : (const void *)selftest_copy<16>;
    selftest_begin(work, function, (unsigned)(work->point.shape.dim[0] * 4 / width / SELFTEST_WARP),
                   SELFTEST_WARP, launch);
}

SELFTEST_PLAN(shared_matrix_store, plan_strided, selftest_matrix_store)

static void plan_shared_atomic(const struct work *work, unsigned, struct launch *launch)
{
    plan_strided(work, (const void *)selftest_atomic, launch);
    launch_integer(launch, 1);
}

static void plan_shared_atomic_word(const struct work *work, unsigned, struct launch *launch)
{
    plan_words(work, (const void *)selftest_atomic, launch);
    launch_integer(launch, 1);
    launch_integer(launch, (unsigned)work->point.sweep);
}

/* A word of the input for each four bytes copied. */
template <unsigned WIDTH>
static void plan_copies(const struct work *work, const void *function, struct launch *launch)
{
    selftest_begin(work, function, (unsigned)(work->point.shape.dim[0] * 4 / WIDTH / SELFTEST_WARP),
                   SELFTEST_WARP, launch);
    launch_integer(launch, (unsigned)work->point.sweep);
}

SELFTEST_PLAN(shared_async_4, plan_copies<4>, selftest_copy_strided<4>)
SELFTEST_PLAN(shared_async_8, plan_copies<8>, selftest_copy_strided<8>)
SELFTEST_PLAN(shared_async_16, plan_copies<16>, selftest_copy_strided<16>)

static const char *needs_matrix_stores(const struct point *, int compute_capability)
{
    return compute_capability < 90 ? "matrix stores need compute capability 9.0 or more" : NULL;
}

static const char *needs_copies(const struct point *, int compute_capability)
{
    return compute_capability < 80 ? "copies past the registers need compute capability 8.0 or more"
                                   : NULL;
}

#define STRIDES SELFTEST_SWEEP("stride", "elements from lane to lane", 1, 2, 4, 8, 16, 32)

SELFTEST_VARIANT(selftest, 01, shared_load_4, "32-bit loads from shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 02, shared_load_8, "64-bit loads from shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 03, shared_load_16, "128-bit loads from shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 04, shared_store_4, "32-bit stores to shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 05, shared_store_8, "64-bit stores to shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 06, shared_store_16, "128-bit stores to shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 07, shared_broadcast, "one word for all lanes");
SELFTEST_VARIANT(selftest, 08, shared_matrix, "ldmatrix of four matrices",
                 SELFTEST_SWEEP("pitch", "rows of 16 bytes from row to row", 1, 2, 4, 8));
SELFTEST_VARIANT(selftest, 09, shared_async, "copies past the registers",
                 SELFTEST_SWEEP("width", "bytes per lane", 4, 8, 16), .refuses = needs_copies);
SELFTEST_VARIANT(selftest, 40, shared_matrix_store, "stmatrix of four matrices",
                 SELFTEST_SWEEP("pitch", "rows of 16 bytes from row to row", 1, 2, 4, 8),
                 .refuses = needs_matrix_stores);
SELFTEST_VARIANT(selftest, 41, shared_atomic, "32-bit additions in shared memory", STRIDES);
SELFTEST_VARIANT(selftest, 42, shared_atomic_word, "additions to one word by several lanes",
                 SELFTEST_SWEEP("sharers", "lanes that add to one word", 1, 2, 4, 8, 16, 32));
SELFTEST_VARIANT(selftest, 43, shared_async_4, "32-bit copies past the registers", STRIDES,
                 .refuses = needs_copies);
SELFTEST_VARIANT(selftest, 44, shared_async_8, "64-bit copies past the registers", STRIDES,
                 .refuses = needs_copies);
SELFTEST_VARIANT(selftest, 45, shared_async_16, "128-bit copies past the registers", STRIDES,
                 .refuses = needs_copies);
