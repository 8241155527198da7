/*
 * Shares code for products with a small K: a block computes a tile of C, and several blocks share
 * an SM: while one waits for its words of A and B, another multiplies, and the stores of a third
 * are on their way. Up to 64 k are taken at once; the time is then mostly that of storing C. Beyond
 * that, slices of eight k pass through a ring in shared memory. Their copies are requested between
 * the products, and a slice costs one barrier; so small tiles, which fill the SMs evenly, take not
 * much longer for their products than large ones. Shapes and rows are arbitrary, and one launch is
 * enough. Nothing is owned.
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
#include "plans.h"
#include "quad.h"
#include "split_tiles.h"

/* Sizes of a block's tile: WARPS warps, one below the other, whose lanes have ROWS rows and PAIRS
 * pairs of columns, multiplied in the order of STRIPE and BACKWARDS (order.h). RESIDENT blocks
 * share an SM. If not all steps are taken AT_ONCE, there is a ring of slices. */
template <int WARPS, int ROWS, int PAIRS, int RESIDENT, int STRIPE, int BACKWARDS, int AT_ONCE>
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
        at_once = AT_ONCE,
        b_at = block_m + 4,         /* the row of B behind the column of A */
        step_words = b_at + block_n /* of shared memory for one k */
    };
    static_assert(ROWS % 4 == 0, "a lane reads its rows of A by fours");
    static_assert(step_words % 32 == 4, "eight k of four rows lie in different banks");
};

/* Words of a sector of 32 bytes: if N is a multiple, a store of pairs leaves no sector in part. */
enum { WHOLE_SECTORS = 8 };

/* The most steps that are taken at once, and those of a slice; and the slices of the ring. */
enum { MOST_AT_ONCE = 64, PER_SLICE = 8, RING = 7 };

/* Bytes of shared memory. The last step may be followed by a read of the next one. */
template <typename S> static inline size_t few_steps_shared(uint64_t k)
{
    const uint64_t steps = S::at_once ? k + 1 : RING * PER_SLICE;
    return steps * S::step_words * sizeof(float);
}

struct few_steps_product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int steps;       /* of k: all, or those of a part */
    int row, column; /* of the block's tile */
};

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies the block's rows of A as columns. Rows beyond M stay what they were: their sums are not
 * stored. */
template <typename S>
static __device__ inline void copy_columns_of_a(uint32_t to, const struct few_steps_product &p)
{
    constexpr int PASS = 4 * S::warps;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = 4 * warp + lane % 4,
              rows = p.m - p.row - row;
    const float *from = p.a + (size_t)(p.row + row) * p.k + lane / 4;
    to += (lane / 4 * S::step_words + row) * 4;
#pragma unroll 1
    for (int k = lane / 4; k < p.steps; k += 8, from += 8, to += 8 * S::step_words * 4)
#pragma unroll
        for (int i = 0; i < S::block_m; i += PASS)
            if (i < rows) copy_word(to + i * 4, from + (size_t)i * p.k, 4);
}

/* Copies the block's columns of all rows of B, WORDS words at a time. Columns beyond N stay what
 * they were. */
template <typename S, int WORDS>
static __device__ inline void copy_rows_of_b(uint32_t to, const struct few_steps_product &p)
{
    constexpr int ACROSS = S::block_n / WORDS, PASS = S::threads / ACROSS;
    static_assert(S::threads % ACROSS == 0, "a thread copies one column of B");
    const int row = threadIdx.x / ACROSS, column = threadIdx.x % ACROSS * WORDS;
    if (p.column + column >= p.n) return;
    const float *from = p.b + (size_t)row * p.n + p.column + column;
    to += (row * S::step_words + S::b_at + column) * 4;
#pragma unroll 4
    for (int k = row; k < p.steps;
         k += PASS, from += (size_t)PASS * p.n, to += PASS * S::step_words * 4)
        copy_words<WORDS>(to, from, true);
}

/* The copies of a thread for each slice: a word of each of several rows of A, and pieces of rows of
 * B, WORDS words long. */
template <typename S, int WORDS> struct slice_copies {
    enum {
        pass_a = 4 * S::warps, /* rows of A that the block copies at a time */
        count_a = S::block_m / pass_a,
        pieces = S::block_n / WORDS, /* of a row of B */
        wide = pieces < S::threads ? pieces : (int)S::threads,
        across = pieces / wide, /* pieces of a row that a thread copies */
        pass_b = S::threads / wide,
        down = PER_SLICE / pass_b,
        count = count_a + across * down
    };
    static_assert(pieces % wide == 0 && S::threads % wide == 0 && PER_SLICE % pass_b == 0,
                  "whole slices");
    const float *a[count_a], *b;
    size_t next_b;        /* from a row to the next one that the thread copies */
    uint32_t to_a, to_b;  /* in a slice */
    int rows, columns;    /* from the thread's first one on */
    int steps_a, steps_b; /* the same, from the first of the next slice */
};

template <typename S, int WORDS>
static __device__ inline struct slice_copies<S, WORDS>
slice_copies_of(const struct few_steps_product &p, int warp, int lane) {
    using copies = slice_copies<S, WORDS>;
    const int row = 4 * warp + lane % 4, step_a = lane / 4, step_b = threadIdx.x / copies::wide,
              column = threadIdx.x % copies::wide * WORDS;
    copies c;
#pragma unroll
    for (int i = 0; i < copies::count_a; i++)
        c.a[i] = p.a + (size_t)(p.row + row + i * copies::pass_a) * p.k + step_a;
    c.b = p.b + (size_t)step_b * p.n + p.column + column;
    c.next_b = (size_t)copies::pass_b * p.n;
    c.to_a = (step_a * S::step_words + row) * 4;
    c.to_b = (step_b * S::step_words + S::b_at + column) * 4;
    c.rows = p.m - p.row - row;
    c.columns = p.n - p.column - column;
    c.steps_a = p.steps - step_a;
    c.steps_b = p.steps - step_b;
    return c;
}

/* Requests copy `index` of the next slice, and goes on to the slice behind it after the last. What
 * lies beyond the matrices stays what it was. */
template <typename S, int WORDS>
static __device__ inline void copy_of_slice(struct slice_copies<S, WORDS> *c, int index,
                                            uint32_t slice)
{
    using copies = slice_copies<S, WORDS>;
    if (index < copies::count_a) {
        if (index * copies::pass_a < c->rows && c->steps_a > 0)
            copy_word(slice + c->to_a + index * copies::pass_a * 4, c->a[index], 4);
        c->a[index] += PER_SLICE;
    } else {
        const int row = (index - copies::count_a) / copies::across * copies::pass_b,
                  piece = (index - copies::count_a) % copies::across,
                  column = piece * copies::wide * WORDS;
        if (row < c->steps_b && column < c->columns)
            copy_words<WORDS>(slice + c->to_b + (row * S::step_words + column) * 4, c->b + column,
                              true);
        if (piece == copies::across - 1) c->b += c->next_b;
    }
    if (index < copies::count - 1) return;
    c->steps_a -= PER_SLICE;
    c->steps_b -= PER_SLICE;
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

/* Copies and multiplies all steps at once. A warp whose rows are all beyond M only copies. */
template <typename S, int WORDS>
static __device__ inline void multiply_at_once(float (&sum)[S::rows][S::columns], uint32_t memory,
                                               const struct few_steps_product &p, int warp,
                                               int lane)
{
    copy_columns_of_a<S>(memory, p);
    copy_rows_of_b<S, WORDS>(memory, p);
    copy_words_finish();
    __syncthreads();
    if (p.row + warp * S::warp_m < p.m) multiply_steps<S>(sum, memory, p.steps, warp, lane);
}

/* The same by a ring of slices: while one is multiplied, the next ones are on their way, and the
 * copies of a further one are requested between the products. They replace the slice before the
 * last: the factors of its last step have been multiplied before the barrier that all warps have
 * passed since, whereas loads from the last slice may still be under way. */
template <typename S, int WORDS>
static __device__ inline void multiply_by_slices(float (&sum)[S::rows][S::columns], uint32_t memory,
                                                 const struct few_steps_product &p, int warp,
                                                 int lane)
{
    constexpr int STEP = S::step_words * 4, BYTES = PER_SLICE * STEP,
                  COPIES = slice_copies<S, WORDS>::count, SPREAD = PER_SLICE - 1;
    static_assert(PER_SLICE % 2 == 0, "whole pairs of factors");
    struct slice_copies<S, WORDS> copies = slice_copies_of<S, WORDS>(p, warp, lane);
    const uint32_t last = memory + (RING - 1) * BYTES;
    uint32_t here = memory, next = memory + BYTES, free = last - BYTES;
#pragma unroll 1
    for (uint32_t slice = memory; slice != free; slice += BYTES) {
#pragma unroll
        for (int i = 0; i < COPIES; i++) copy_of_slice<S, WORDS>(&copies, i, slice);
        close_copies();
    }
    wait_for_copies<RING - 3>();
    __syncthreads();
    const uint32_t in_a = few_steps_row<S>(warp, lane) * 4,
                   in_b = (S::b_at + few_steps_column(lane)) * 4;
    struct few_steps_factors<S> f[2];
    load_factors<S>(&f[0], here + in_a, here + in_b);
    int left = p.steps;
#pragma unroll 1
    do {
#pragma unroll
        for (int step = 0; step < PER_SLICE; step++) {
            if (step == SPREAD) {
                close_copies();
                wait_for_copies<RING - 3>();
                __syncthreads();
            }
            const uint32_t from = step < SPREAD ? here + (step + 1) * STEP : next;
            load_factors<S>(&f[(step + 1) % 2], from + in_a, from + in_b);
#pragma unroll
            for (int i = 0; i < COPIES; i++)
                if (i * SPREAD / COPIES == step) copy_of_slice<S, WORDS>(&copies, i, free);
            multiply_factors<S>(sum, f[step % 2]);
        }
        here = next;
        next = next == last ? memory : next + BYTES;
        free = free == last ? memory : free + BYTES;
        left -= PER_SLICE;
    } while (left >= PER_SLICE);
    multiply_steps<S>(sum, here, left, warp, lane);
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

/* Block 0 along x has the first tile, block 1 the one beside it, and so on. Block y takes the y-th
 * part of k, `depth` steps or what is left of them, and stores its sums as the y-th matrix from c
 * on. */
template <typename S, int WORDS>
static __global__ void __launch_bounds__(S::threads, S::resident)
    gemm_few_steps(const float *a, const float *b, float *c, int m, int n, int k, int depth,
                   uint32_t alpha_bits)
{
    extern __shared__ __align__(16) float shared[];
    const unsigned across = (n + S::block_n - 1) / S::block_n;
    const int first = blockIdx.y * depth;
    const struct few_steps_product p = {a + first,
                                        b + (size_t)first * n,
                                        c + (size_t)blockIdx.y * m * n,
                                        m,
                                        n,
                                        k,
                                        min(depth, k - first),
                                        (int)(blockIdx.x / across * S::block_m),
                                        (int)(blockIdx.x % across * S::block_n)};
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[S::rows][S::columns] = {{0}};
    if constexpr (S::at_once)
        multiply_at_once<S, WORDS>(sum, shared_address(shared), p, warp, lane);
    else
        multiply_by_slices<S, WORDS>(sum, shared_address(shared), p, warp, lane);
    scale_sums<S>(sum, __uint_as_float(alpha_bits));
    store_steps<S>(p, sum, warp, lane);
}

/* ---- the launch ------------------------------------------------------------------------------ */

template <typename S>
static void plan_few(const struct work *work, const struct by_shape_choice &choice,
                     struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    plan_blocks(choice, divide_up(m, S::block_m) * divide_up(n, S::block_n), S::threads,
                few_steps_shared<S>(k), launch);
    launch_kernel(launch,
                  n % 4 == 0   ? gemm_few_steps<S, 4>
                  : n % 2 == 0 ? gemm_few_steps<S, 2>
                               : gemm_few_steps<S, 1>,
                  work->input[0], work->input[1], product_target(work, choice), m, n, k,
                  few_steps_depth(k, choice.parts), FLOAT_ONE);
}

#endif
