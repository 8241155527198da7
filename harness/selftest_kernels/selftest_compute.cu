/*
 * Self-test: arithmetic, branches, occupancy and time. Operands are arguments, so that the compiler
 * does not see that no value changes: times one, plus zero, shifted by zero.
 */
#include "selftest_kernels/selftest_kernels.h"

#include <cuda_fp16.h>

enum {
    OPERATIONS = 1024, /* of each thread of the loops of arithmetic */
    DOUBLES = 32,      /* of each kind */
    HALVES = 256,      /* of each kind */
    PRODUCTS = 64,     /* on tensor cores, of each warp */
    TURNS = 16,
    IN_A_TURN = 1024,
    PREDICATED = 4096,
    HOLD_NS = 400000
};

enum operation { FMA, ADD, MULTIPLY };

template <int OPERATION>
static __device__ __forceinline__ float step(float a, float one, float zero)
{
    return OPERATION == FMA   ? fmaf(a, one, zero)
           : OPERATION == ADD ? __fadd_rn(a, zero)
                              : __fmul_rn(a, one);
}

/* The halves of a word are exact in a float. */
template <int OPERATION, int COUNT>
static __global__ void selftest_float(const unsigned *in, unsigned *out, float one, float zero)
{
    const unsigned word = in[selftest_thread()];
    float low = (float)(word & 0xFFFF), high = (float)(word >> 16);
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) {
        low = step<OPERATION>(low, one, zero);
        high = step<OPERATION>(high, one, zero);
    }
    selftest_finish(out, (unsigned)low + ((unsigned)high << 16));
}

static __global__ void selftest_doubles(const unsigned *in, unsigned *out, float one, float zero)
{
    double a = (double)in[selftest_thread()];
#pragma unroll
    for (int i = 0; i < DOUBLES; i++)
        a = fma(__dadd_rn(__dmul_rn(a, (double)one), (double)zero), (double)one, (double)zero);
    selftest_finish(out, (unsigned)a);
}

/* Two bytes of a word are exact in two halves. */
static __global__ void selftest_halves(const unsigned *in, unsigned *out, float one, float zero)
{
    const unsigned word = in[selftest_thread()];
    const __half2 ones = __float2half2_rn(one), zeros = __float2half2_rn(zero);
    __half2 a = __floats2half2_rn((float)(word & 0xFF), (float)(word >> 8 & 0xFF));
#pragma unroll
    for (int i = 0; i < HALVES; i++)
        a = __hfma2(__hadd2_rn(__hmul2_rn(a, ones), zeros), ones, zeros);
    selftest_finish(out, (word & 0xFFFF0000u) + __half2uint_rz(__low2half(a)) +
                             (__half2uint_rz(__high2half(a)) << 8));
}

/* Products of zero matrices are added to the sum. */
static __global__ void selftest_products(const unsigned *in, unsigned *out, unsigned nothing)
{
    const unsigned word = in[selftest_thread()];
    float low = (float)(word & 0xFFFF), high = (float)(word >> 16), other = 0, another = 0;
#pragma unroll
    for (int i = 0; i < PRODUCTS; i++) {
#if __CUDA_ARCH__ >= 800
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, "
                     "%4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                     : "+f"(low), "+f"(high), "+f"(other), "+f"(another)
                     : "r"(nothing));
#else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, "
                     "{%4}, {%0, %1, %2, %3};"
                     : "+f"(low), "+f"(high), "+f"(other), "+f"(another)
                     : "r"(nothing));
#endif
    }
    selftest_finish(out, (unsigned)(low + other) + ((unsigned)(high + another) << 16));
}

/* The same by warpgroups, whose zero matrices lie in shared memory. */
static __global__ void selftest_group_products(const unsigned *in, unsigned *out, unsigned nothing)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    enum { ROWS = 64, ROW_WORDS = 32 };
    __shared__ __align__(1024) unsigned zeros[ROWS * ROW_WORDS];
    for (unsigned i = threadIdx.x; i < ROWS * ROW_WORDS; i += blockDim.x) zeros[i] = nothing;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned word = in[selftest_thread()];
    const uint64_t matrix = ((uint32_t)__cvta_generic_to_shared(zeros) >> 4 & 0x3FFF) |
                            (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
    float low = (float)(word & 0xFFFF), high = (float)(word >> 16), other = 0, another = 0;
#pragma unroll
    for (int i = 0; i < PRODUCTS; i++) {
        asm volatile(
            "wgmma.fence.sync.aligned;\n"
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, "
            "1, 1, 1, 0, 0;\n"
            "wgmma.commit_group.sync.aligned;\n"
            "wgmma.wait_group.sync.aligned 0;"
            : "+f"(low), "+f"(high), "+f"(other), "+f"(another)
            : "l"(matrix)
            : "memory");
    }
    selftest_finish(out, (unsigned)(low + other) + ((unsigned)(high + another) << 16));
#endif
}

/* Funnel shifts: the compiler cannot merge two of them, and they have a pipe of their own. */
template <int COUNT>
static __global__ void selftest_shifts(const unsigned *in, unsigned *out, unsigned nothing)
{
    unsigned word = in[selftest_thread()];
#pragma unroll
    for (int i = 0; i < COUNT; i++) word = __funnelshift_l(word, word, nothing);
    selftest_finish(out, word);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* In every turn `lanes` of the 32 lanes take the branch, different ones each time. */
static __global__ void selftest_branched(const unsigned *in, unsigned *out, float one, float zero,
                                         unsigned lanes)
{
    const unsigned word = in[selftest_thread()];
    float low = (float)(word & 0xFFFF), high = (float)(word >> 16);
#pragma unroll 1
    for (unsigned turn = 0; turn < TURNS; turn++) {
        if ((threadIdx.x + turn) % SELFTEST_WARP < lanes) {
#pragma unroll
            for (int i = 0; i < IN_A_TURN / 2; i++) {
                low = fmaf(low, one, zero);
                high = fmaf(high, one, zero);
            }
        }
        __syncwarp();
    }
    selftest_finish(out, (unsigned)low + ((unsigned)high << 16));
}

/* All lanes pass, `lanes` of them with their predicate on. */
static __global__ void selftest_predicated(const unsigned *in, unsigned *out, float one, float zero,
                                           unsigned lanes)
{
    const unsigned word = in[selftest_thread()], lane = threadIdx.x % SELFTEST_WARP;
    float low = (float)(word & 0xFFFF), high = (float)(word >> 16);
#pragma unroll
    for (int i = 0; i < PREDICATED / 2; i++)
        asm volatile("{ .reg .pred on; setp.lt.u32 on, %2, %3; @on fma.rn.f32 %0, %0, %4, %5; @on "
                     "fma.rn.f32 %1, %1, %4, %5; }"
                     : "+f"(low), "+f"(high)
                     : "r"(lane), "r"(lanes), "f"(one), "f"(zero));
    selftest_finish(out, (unsigned)low + ((unsigned)high << 16));
}

/* ---- resident blocks ------------------------------------------------------------------------- */

/* Each thread's share of the sum. */
static __device__ __forceinline__ unsigned share(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned i = selftest_thread(); i < n; i += gridDim.x * blockDim.x) sum += in[i];
    return sum;
}

/* Blocks that fit stay until all of them end at once; the others start afterwards. LIVE values stay
 * in registers meanwhile. */
template <int LIVE>
static __global__ void selftest_hold(const unsigned *in, unsigned *out, unsigned n,
                                     unsigned long long *end, float zero)
{
    unsigned sum = share(in, n);
    float kept[LIVE + 1];
#pragma unroll
    for (int i = 0; i < LIVE; i++) kept[i] = zero;
    unsigned long long until = 0;
    if (threadIdx.x % SELFTEST_WARP == 0) {
        const unsigned long long own = selftest_now() + HOLD_NS, first = atomicCAS(end, 0ull, own);
        until = first ? first : own;
    }
    until = __shfl_sync(0xFFFFFFFFu, until, 0);
#pragma unroll
    for (int i = 0; i < LIVE; i++) asm volatile("" : "+f"(kept[i]));
    while (selftest_now() < until) continue;
#pragma unroll
    for (int i = 0; i < LIVE; i++) asm volatile("" : "+f"(kept[i]));
#pragma unroll
    for (int i = 0; i < LIVE; i++) sum += (unsigned)kept[i];
    selftest_finish(out, sum);
}

static __global__ void selftest_wait(const unsigned *in, unsigned *out, unsigned n, uint64_t ns)
{
    const uint64_t until = selftest_now() + ns;
    const unsigned sum = share(in, n);
    while (selftest_now() < until) continue;
    selftest_finish(out, sum);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void plan_floats(const struct work *work, const void *function, struct launch *launch)
{
    selftest_launch(work, function, SELFTEST_BLOCK, launch);
    launch_value<float>(launch, 1);
    launch_value<float>(launch, 0);
    launch_integer(launch, (unsigned)work->point.sweep);
}

static void plan_words(const struct work *work, const void *function, struct launch *launch)
{
    selftest_launch(work, function, SELFTEST_BLOCK, launch);
    launch_integer(launch, 0);
}

SELFTEST_PLAN(fma, plan_floats, selftest_float<FMA, OPERATIONS>)
SELFTEST_PLAN(fma_twice, plan_floats, selftest_float<FMA, 2 * OPERATIONS>)
SELFTEST_PLAN(add, plan_floats, selftest_float<ADD, OPERATIONS>)
SELFTEST_PLAN(multiply, plan_floats, selftest_float<MULTIPLY, OPERATIONS>)
SELFTEST_PLAN(double, plan_floats, selftest_doubles)
SELFTEST_PLAN(half, plan_floats, selftest_halves)
SELFTEST_PLAN(tensor, plan_words, selftest_products)
SELFTEST_PLAN(tensor_group, plan_words, selftest_group_products)
SELFTEST_PLAN(alu, plan_words, selftest_shifts<OPERATIONS>)
SELFTEST_PLAN(alu_twice, plan_words, selftest_shifts<2 * OPERATIONS>)
SELFTEST_PLAN(branch, plan_floats, selftest_branched)
SELFTEST_PLAN(predicate, plan_floats, selftest_predicated)

/* The blocks of this size that an SM could hold if nothing else limited them. */
static void plan_hold(const struct work *work, const void *function, unsigned threads,
                      struct launch *launch)
{
    selftest_begin(work, function, (unsigned)work->sm_count * (2048 / threads), threads, launch);
    launch->clear_scratch = sizeof(uint64_t);
    launch_integer(launch, work->point.shape.dim[0]);
    launch_pointer(launch, work->scratch);
    launch_value<float>(launch, 0);
}

static void plan_occupancy_block(const struct work *work, unsigned, struct launch *launch)
{
    plan_hold(work, (const void *)selftest_hold<0>, (unsigned)work->point.sweep, launch);
}

static void plan_occupancy_shared(const struct work *work, unsigned, struct launch *launch)
{
    plan_hold(work, (const void *)selftest_hold<0>, 64, launch);
    launch->dynamic_shared = (size_t)work->point.sweep << 10;
}

static void plan_occupancy_registers(const struct work *work, unsigned, struct launch *launch)
{
    const void *function = work->point.sweep == 40    ? (const void *)selftest_hold<40>
                           : work->point.sweep == 72  ? (const void *)selftest_hold<72>
                           : work->point.sweep == 120 ? (const void *)selftest_hold<120>
                                                      : (const void *)selftest_hold<200>;
    plan_hold(work, function, 128, launch);
}

static void plan_spin(const struct work *work, unsigned, struct launch *launch)
{
    selftest_begin(work, (const void *)selftest_wait, 1, 1024, launch);
    launch_integer(launch, work->point.shape.dim[0]);
    launch_integer(launch, (uint64_t)work->point.sweep * 1000);
}

static const char *needs_group_products(const struct point *, int compute_capability)
{
    return compute_capability != 90 ? "products of warpgroups need compute capability 9.0" : NULL;
}

#define LANES SELFTEST_SWEEP("lanes", "lanes of 32 that take part", 1, 2, 4, 8, 16, 24, 31, 32)

SELFTEST_VARIANT(selftest, 14, fma, "1024 multiply-adds of each thread");
SELFTEST_VARIANT(selftest, 15, fma_twice, "twice as many", .after = "14_fma");
SELFTEST_VARIANT(selftest, 16, add, "1024 additions");
SELFTEST_VARIANT(selftest, 17, multiply, "1024 multiplications");
SELFTEST_VARIANT(selftest, 18, double, "32 operations of each kind in double precision");
SELFTEST_VARIANT(selftest, 19, half, "256 operations of each kind on pairs of halves");
SELFTEST_VARIANT(selftest, 20, tensor, "64 products of matrices by each warp");
SELFTEST_VARIANT(selftest, 46, tensor_group, "64 products of matrices by each warpgroup",
                 .refuses = needs_group_products);
SELFTEST_VARIANT(selftest, 21, alu, "1024 funnel shifts");
SELFTEST_VARIANT(selftest, 22, alu_twice, "twice as many", .after = "21_alu");
SELFTEST_VARIANT(selftest, 23, branch, "a branch that some lanes take", LANES);
SELFTEST_VARIANT(selftest, 24, predicate, "the same by predicates", LANES);
SELFTEST_VARIANT(selftest, 25, occupancy_block, "occupancy by the size of blocks",
                 SELFTEST_SWEEP("threads", "threads per block", 32, 64, 128, 256, 512, 1024));
SELFTEST_VARIANT(selftest, 26, occupancy_shared, "occupancy by shared memory",
                 SELFTEST_SWEEP("kib", "KiB of shared memory per block", 8, 12, 16, 24, 32, 48, 64,
                                96));
SELFTEST_VARIANT(selftest, 27, occupancy_registers, "occupancy by registers",
                 SELFTEST_SWEEP("values", "values kept in registers", 40, 72, 120, 200));
SELFTEST_VARIANT(selftest, 28, spin, "one block that waits",
                 SELFTEST_SWEEP("us", "microseconds", 1000, 2000));
