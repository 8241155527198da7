/*
 * Shares code for products with a small K and a large C: a block computes a tile of C, and takes up
 * to 64 k at once; beyond that it multiplies one half of its memory while the other is filled. The
 * time is mostly that of storing C. Several blocks share an SM: while one waits for its words of A
 * and B, another multiplies, and the stores of a third are on their way. Shapes and rows are
 * arbitrary, and one launch is enough. Nothing is owned.
 *
 * The rows of A are transposed on their way to shared memory, word by word: four rows and eight k
 * for a warp at a time, which lie in 32 different banks. B is copied in pieces of 16, 8 or 4 bytes,
 * the longest that its rows allow. Both lie together: a column of A and then a row of B for each k.
 *
 * The lanes of a warp form two halves, the even and the odd ones. Each half has rows of its own,
 * and its sixteen lanes have pairs of neighbouring columns. So a half has all words of a stretch of
 * a row, and a store of pairs writes 128 bytes of it. Where the rows of C are not aligned, the
 * lanes of a half exchange words, such that each store writes a whole line of 128 bytes: only the
 * first and the last line of a tile's row are written in part.
 */
#ifndef KERNELS_GEMM_FEW_STEPS_H
#define KERNELS_GEMM_FEW_STEPS_H

#include "copies.h"
#include "gemm.h"
#include "line_exchange.h"
#include "order.h"
#include "quad.h"
#include "split_tiles.h"

/* Sizes of a block's tile: WARPS warps, one below the other, whose lanes have ROWS rows and PAIRS
 * pairs of columns, multiplied in the order of STRIPE and BACKWARDS (order.h). RESIDENT blocks
 * share an SM. */
template <int WARPS, int ROWS, int PAIRS, int RESIDENT, int STRIPE, int BACKWARDS>
struct few_steps_shape {
    enum {
        warps = WARPS,
        rows = ROWS,
        pairs = PAIRS,
        columns = 2 * PAIRS, /* of a lane */
        threads = 32 * WARPS,
        warp_m = 2 * ROWS,
        block_m = WARPS * warp_m,
        block_n = 32 * PAIRS,
        resident = RESIDENT,
        stripe = STRIPE,
        backwards = BACKWARDS,
        b_at = block_m + 4,         /* the row of B behind the column of A */
        step_words = b_at + block_n /* of shared memory for one k */
    };
    static_assert(ROWS % 4 == 0, "a lane reads its rows of A by fours");
    static_assert(step_words % 32 == 4, "eight k of four rows lie in different banks");
    static_assert(block_n <= threads, "a thread copies one column of B");
};

/* Words of a sector of 32 bytes: if N is a multiple, a store of pairs leaves no sector in part. */
enum { WHOLE_SECTORS = 8 };

/* If there are more steps than AT_ONCE, shared memory has two halves of HALF steps. */
enum { AT_ONCE = 64, HALF = AT_ONCE / 2 };

/* Bytes of shared memory. The last step, or that of a half, may be followed by a read of the next
 * one. */
template <typename S> static inline size_t few_steps_shared(uint64_t k)
{
    const uint64_t steps = k <= AT_ONCE ? k + 1 : 2 * (HALF + 1);
    return steps * S::step_words * sizeof(float);
}

#ifdef __CUDACC__

struct few_steps_product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int row, column; /* of the block's tile */
};

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies `count` elements of the block's rows of A as columns, beginning with the `first`. Rows
 * beyond M stay what they were: their sums are not stored. */
template <typename S>
static __device__ inline void copy_columns_of_a(uint32_t to, const struct few_steps_product &p,
                                                int first, int count)
{
    constexpr int PASS = 4 * S::warps;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = 4 * warp + lane % 4,
              rows = p.m - p.row - row;
    const float *from = p.a + (size_t)(p.row + row) * p.k + first + lane / 4;
    to += (lane / 4 * S::step_words + row) * 4;
#pragma unroll 1
    for (int k = lane / 4; k < count; k += 8, from += 8, to += 8 * S::step_words * 4)
#pragma unroll
        for (int i = 0; i < S::block_m; i += PASS)
            if (i < rows) copy_word(to + i * 4, from + (size_t)i * p.k, 4);
}

/* Copies the block's columns of so many rows of B, WIDTH words at a time. Columns beyond N stay
 * what they were. */
template <typename S, int WIDTH>
static __device__ inline void copy_rows_of_b(uint32_t to, const struct few_steps_product &p,
                                             int first, int count)
{
    constexpr int ACROSS = S::block_n / WIDTH, PASS = S::threads / ACROSS;
    const int row = threadIdx.x / ACROSS, column = threadIdx.x % ACROSS * WIDTH;
    if (p.column + column >= p.n) return;
    const float *from = p.b + (size_t)(first + row) * p.n + p.column + column;
    to += (row * S::step_words + S::b_at + column) * 4;
#pragma unroll 4
    for (int k = row; k < count;
         k += PASS, from += (size_t)PASS * p.n, to += PASS * S::step_words * 4)
        copy_words<WIDTH>(to, from, true);
}

template <typename S>
static __device__ inline void copy_steps(uint32_t to, const struct few_steps_product &p, int first,
                                         int count)
{
    copy_columns_of_a<S>(to, p, first, count);
    if (p.n % 4 == 0)
        copy_rows_of_b<S, 4>(to, p, first, count);
    else if (p.n % 2 == 0)
        copy_rows_of_b<S, 2>(to, p, first, count);
    else
        copy_rows_of_b<S, 1>(to, p, first, count);
}

/* ---- the product ----------------------------------------------------------------------------- */

static __device__ inline float2 load_pair(uint32_t address)
{
    float2 v;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address));
    return v;
}

/* A lane's elements of A and B at one k. */
template <typename S> struct few_steps_factors {
    float4 a[S::rows / 4];
    float2 b[S::pairs];
};

template <typename S>
static __device__ inline void load_factors(struct few_steps_factors<S> *f, uint32_t a, uint32_t b)
{
#pragma unroll
    for (int i = 0; i < S::rows / 4; i++) f->a[i] = load_quad(a + i * 16);
#pragma unroll
    for (int j = 0; j < S::pairs; j++) f->b[j] = load_pair(b + j * 128);
}

template <typename S>
static __device__ inline void multiply_factors(float (&sum)[S::rows][S::columns],
                                               const struct few_steps_factors<S> &f)
{
    using order = product_order<S::rows, S::columns, S::stripe, S::backwards>;
#pragma unroll
    for (int at = 0; at < S::rows * S::columns; at++) {
        const int i = order::row(at), j = order::column(at);
        const float2 &pair = f.b[j / 2];
        sum[i][j] += element(f.a[i / 4], i % 4) * (j % 2 ? pair.y : pair.x);
    }
}

/* Rows and columns of a lane: `rows` neighbours from the first row on, and pairs from the first
 * column on, at distances of 32. */
template <typename S> static __host__ __device__ inline int few_steps_row(int warp, int lane)
{
    return warp * S::warp_m + lane % 2 * S::rows;
}

static __host__ __device__ inline int few_steps_column(int lane)
{
    return lane / 2 * 2;
}

/* While one step is multiplied, the factors of the next are in flight. */
template <typename S>
static __device__ inline void multiply_steps(float (&sum)[S::rows][S::columns], uint32_t memory,
                                             int count, int warp, int lane)
{
    constexpr int STEP = S::step_words * 4;
    uint32_t a = memory + few_steps_row<S>(warp, lane) * 4,
             b = memory + (S::b_at + few_steps_column(lane)) * 4;
    struct few_steps_factors<S> f[2];
    load_factors<S>(&f[0], a, b);
#pragma unroll 1
    for (; count >= 2; count -= 2, a += 2 * STEP, b += 2 * STEP) {
        load_factors<S>(&f[1], a + STEP, b + STEP);
        multiply_factors<S>(sum, f[0]);
        load_factors<S>(&f[0], a + 2 * STEP, b + 2 * STEP);
        multiply_factors<S>(sum, f[1]);
    }
    if (count > 0) multiply_factors<S>(sum, f[0]);
}

/* Copies and multiplies all steps: at once, or by halves of the memory, so that one half is filled
 * while the other is multiplied. A warp whose rows are all beyond M only copies. */
template <typename S>
static __device__ inline void multiply_product(float (&sum)[S::rows][S::columns], uint32_t memory,
                                               const struct few_steps_product &p, int warp,
                                               int lane)
{
    const int chunk = p.k <= AT_ONCE ? p.k : (int)HALF;
    uint32_t here = memory, there = memory + (HALF + 1) * S::step_words * 4;
    copy_steps<S>(here, p, 0, chunk);
#pragma unroll 1
    for (int first = 0; first < p.k; first += chunk) {
        copy_words_finish();
        __syncthreads();
        const int next = first + chunk;
        if (next < p.k) copy_steps<S>(there, p, next, min(chunk, p.k - next));
        if (p.row + warp * S::warp_m < p.m)
            multiply_steps<S>(sum, here, min(chunk, p.k - first), warp, lane);
        const uint32_t full = there;
        there = here, here = full;
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Stores what a predicate switches on, without a branch. */
static __device__ inline void store_pair_if(float *to, float x, float y, bool there)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %3, 0;\n"
                 "@p st.global.v2.f32 [%0], {%1, %2};\n}" ::"l"(to),
                 "f"(x), "f"(y), "r"((unsigned)there)
                 : "memory");
}

static __device__ inline void store_word_if(float *to, float v, bool there)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n@p st.global.f32 [%0], %1;\n}" ::"l"(to),
                 "f"(v), "r"((unsigned)there)
                 : "memory");
}

/* Stores words 0 to `last` of a lane's row line by line; none if `last` is -1. All lanes of a warp
 * call it. */
template <typename S>
static __device__ inline void store_row_by_lines(float *row, int last,
                                                 const float (&sum)[S::columns], int lane)
{
    const int shift = (int)((unsigned)(uintptr_t)row / sizeof(float) % 32);
    const struct line_exchange x = exchange_for_lines(shift, lane);
    float first[S::pairs], second[S::pairs];
#pragma unroll
    for (int j = 0; j < S::pairs; j++) {
        const float one = sum[2 * j], other = sum[2 * j + 1];
        first[j] = __shfl_sync(~0u, shift % 2 ? other : one, x.first_lane);
        second[j] = __shfl_sync(~0u, shift % 2 ? one : other, x.second_lane);
    }
    float *const to = row + x.at;
#pragma unroll
    for (int j = 0; j <= S::pairs; j++) {
        const int before = j > 0 ? j - 1 : 0, here = j < S::pairs ? j : before, at = x.at + 32 * j;
        const float v = x.place >= x.up ? first[here] : first[before],
                    w = x.place >= x.down ? second[here] : second[before];
        const bool begun = j > 0 || at >= 0;
        store_pair_if(to + 32 * j, v, w, begun && at < last);
        store_word_if(to + 32 * j, v, begun && at == last);
        if (j == 0) store_word_if(row, w, at == -1 && last >= 0);
    }
}

/* The same for rows that begin with a sector of 32 bytes. */
template <typename S>
static __device__ inline void store_row_directly(float *row, int last,
                                                 const float (&sum)[S::columns], int lane)
{
#pragma unroll
    for (int j = 0; j < S::pairs; j++) {
        const int at = few_steps_column(lane) + 32 * j;
        if (at < last)
            *reinterpret_cast<float2 *>(row + at) = make_float2(sum[2 * j], sum[2 * j + 1]);
    }
}

template <typename S>
static __device__ inline void store_steps(const struct few_steps_product &p,
                                          const float (&sum)[S::rows][S::columns], int warp,
                                          int lane)
{
    const int first = p.row + few_steps_row<S>(warp, lane),
              last = min((int)S::block_n, p.n - p.column) - 1;
    float *row = p.c + (size_t)first * p.n + p.column;
    if (p.n % WHOLE_SECTORS == 0) {
#pragma unroll
        for (int i = 0; i < S::rows; i++, row += p.n)
            store_row_directly<S>(row, first + i < p.m ? last : -1, sum[i], lane);
        return;
    }
#pragma unroll
    for (int i = 0; i < S::rows; i++, row += p.n)
        store_row_by_lines<S>(row, first + i < p.m ? last : -1, sum[i], lane);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Block 0 has the first tile, block 1 the one beside it, and so on. */
template <typename S>
static __global__ void __launch_bounds__(S::threads, S::resident)
    gemm_few_steps(const float *a, const float *b, float *c, int m, int n, int k,
                   uint32_t alpha_bits)
{
    extern __shared__ __align__(16) float shared[];
    const unsigned across = (n + S::block_n - 1) / S::block_n;
    const struct few_steps_product p = {a,
                                        b,
                                        c,
                                        m,
                                        n,
                                        k,
                                        (int)(blockIdx.x / across * S::block_m),
                                        (int)(blockIdx.x % across * S::block_n)};
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[S::rows][S::columns] = {{0}};
    multiply_product<S>(sum, shared_address(shared), p, warp, lane);
    scale_sums<S>(sum, __uint_as_float(alpha_bits));
    store_steps<S>(p, sum, warp, lane);
}

#endif

/* ---- the launch ------------------------------------------------------------------------------ */

template <typename S> static void plan_few_steps(const struct work *work, struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    launch->grid[0] = (unsigned)(divide_up(m, S::block_m) * divide_up(n, S::block_n));
    launch->block[0] = S::threads;
    launch->dynamic_shared = few_steps_shared<S>(k);
    launch_kernel(launch, gemm_few_steps<S>, work->input[0], work->input[1], work->output, m, n, k,
                  FLOAT_ONE);
}

#endif
