/*
 * Shares code for thin products: those with few rows or few columns, whose time is that of reading
 * the one large matrix once. Three kernels:
 *   thin_rows     few rows of A: a lane owns neighbouring columns of C and reads rows of B
 *   thin_columns  few columns of B: a warp owns rows of C and reads rows of A along k
 *   thin_corner   both: the blocks share k, and bulk copies bring their parts of A and B
 * In all of them many loads are in flight at any time: a register is loaded again as soon as its
 * product has been computed. k is divided among warps, among the blocks of a cluster, which add
 * through shared memory, and among parts: matrices in scratch memory that a second launch adds. The
 * order of all additions is fixed. Shapes are arbitrary. Nothing is owned; the only state is the
 * mail of thin_corner, which its first block empties.
 */
#ifndef KERNELS_GEMM_THIN_H
#define KERNELS_GEMM_THIN_H

#include "gemm.h"
#include "plans.h"
#include "split_tiles.h"
#include "thin_shape.h"

/* A block of thin_rows: LANES lanes along n, each with LOADS loads of WIDTH words in a row of B,
 * for up to ROWS rows of A; 32 / LANES groups of lanes in each of WARPS warps divide k; a lane has
 * DEPTH rows of B in flight. WIDTH is 4 if the rows of B are multiples of 16 bytes long, else 1. */
template <int ROWS, int WIDTH, int LOADS, int LANES, int DEPTH, int WARPS, int RESIDENT>
struct thin_rows_shape {
    enum {
        rows = ROWS,
        width = WIDTH,
        loads = LOADS,
        lanes = LANES,
        depth = DEPTH,
        warps = WARPS,
        resident = RESIDENT, /* blocks that an SM holds */
        threads = 32 * WARPS,
        each = WIDTH * LOADS,     /* columns of a lane */
        columns = LANES * each,   /* of the block */
        lane_groups = 32 / LANES, /* of a warp */
        groups = lane_groups * WARPS,
        warp_k = DEPTH * lane_groups, /* rows of B that a warp has in flight */
        block_k = warp_k * WARPS,
        a_words = warp_k * ROWS,
        a_loads = (a_words + 31) / 32,
        result_words = ROWS * columns,
        stage_words = 2 * WARPS * a_words,
        work_words = stage_words > groups *result_words ? stage_words : groups *result_words
    };
    static_assert(WIDTH == 1 || WIDTH == 4, "loads of a word or of four");
};

/* A block of thin_columns: each of WARPS warps has ROWS rows of A and reads 128 words of each in a
 * step, DEPTH steps ahead. The block's columns of B, exactly COLUMNS of them, pass through shared
 * memory in slices of STEPS steps. WIDTH is 4 if the rows of A are multiples of 16 bytes long, else
 * 1. */
template <int COLUMNS, int WIDTH, int ROWS, int DEPTH, int STEPS, int WARPS, int RESIDENT>
struct thin_columns_shape {
    enum {
        columns = COLUMNS,
        width = WIDTH,
        loads = 4 / WIDTH, /* of a row in a step */
        rows = ROWS,
        depth = DEPTH,
        steps = STEPS,
        warps = WARPS,
        resident = RESIDENT,
        threads = 32 * WARPS,
        step = 128,
        slice = STEPS * step,
        stages = 3,
        padded = COLUMNS % 2 == 0, /* 16 bytes in 128, so that lanes read different banks */
        slice_quads = slice * COLUMNS / 4,
        stage_words = 4 * (slice_quads + (padded ? slice_quads / 8 : 0)),
        block_rows = WARPS * ROWS,
        values = ROWS * COLUMNS, /* of a warp */
        result_words = WARPS * values,
        work_words = stages * stage_words
    };
    static_assert(WIDTH == 1 || WIDTH == 4, "loads of a word or of four");
    static_assert(STEPS % DEPTH == 0, "whole rounds of loads in a slice");
    static_assert(ROWS * COLUMNS <= 32, "a lane for each sum of a warp");
};

/* thin_corner, for up to ROWS rows and COLUMNS columns, powers of two. */
template <int ROWS, int COLUMNS> struct thin_corner_shape {
    enum {
        rows = ROWS,
        columns = COLUMNS,
        values = ROWS * COLUMNS,
        threads = 256,
        warps = threads / 32,
        pieces = 4 /* of a block's share of k, which arrive one after another */
    };
    static_assert(values <= 64, "the sums are kept in registers");
};

/* Bytes of shared memory. */
template <typename S> static inline size_t thin_rows_shared(unsigned cluster)
{
    return (S::work_words + (cluster > 1 ? S::result_words : 0)) * sizeof(float);
}

template <typename S> static inline size_t thin_columns_shared(unsigned cluster)
{
    return (S::work_words + (cluster > 1 ? cluster * S::result_words : 0)) * sizeof(float);
}

/* The rows of A and of B of a block. */
static inline uint64_t corner_data_words(uint64_t m, uint64_t n, uint64_t share)
{
    return m * (share + 4) + n * share;
}

template <typename S>
static inline size_t thin_corner_shared(uint64_t m, uint64_t n, uint64_t share, unsigned cluster)
{
    return 64 + (S::warps * S::values + S::threads + cluster * S::values +
                 corner_data_words(m, n, share)) *
                    sizeof(float);
}

/* A block's share of k. */
template <typename S> static inline uint64_t thin_rows_depth(uint64_t k, uint64_t shares)
{
    return divide_up(k, shares);
}

template <typename S> static inline uint64_t thin_columns_depth(uint64_t k, uint64_t shares)
{
    return divide_up(divide_up(k, shares), S::step) * S::step;
}

#include "thin_access.h"

struct thin_product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int row, column; /* the first of the block */
    int from, to;    /* the block's range of k */
};

/* The block's range of k, and with parts the block's matrix, which is the y-th from c on. */
static __device__ inline struct thin_product thin_open(const float *a, const float *b, float *c,
                                                       int m, int n, int k, int depth,
                                                       unsigned blocks, unsigned rank)
{
    const int from = (int)((blockIdx.y * blocks + rank) * depth);
    const struct thin_product p = {
        a, b, c + (size_t)blockIdx.y * m * n, m, n, k, 0, 0, min(k, from), min(k, from + depth)};
    return p;
}

/* ---- few rows -------------------------------------------------------------------------------- */

/* Loads the lane's part of the words of A that the warp needs for warp_k rows of B. */
template <typename S>
static __device__ inline void rows_load_a(float (&to)[S::a_loads], const struct thin_product &p,
                                          int k, int lane)
{
#pragma unroll
    for (int j = 0; j < S::a_loads; j++) {
        const int at = lane + 32 * j, step = at % S::warp_k, row = at / S::warp_k;
        to[j] = load_one_if(p.a + (size_t)row * p.k + k + step,
                            at < S::a_words && k + step < p.to && row < p.m);
    }
}

template <typename S>
static __device__ inline void rows_store_a(float *to, const float (&from)[S::a_loads], int lane)
{
#pragma unroll
    for (int j = 0; j < S::a_loads; j++) {
        const int at = lane + 32 * j;
        if (S::a_words % 32 == 0 || at < S::a_words)
            to[at % S::warp_k * S::rows + at / S::warp_k] = from[j];
    }
}

template <typename S>
static __device__ inline void rows_load_b(float (&to)[S::each], const float *from, int row, int end,
                                          int column, int width)
{
#pragma unroll
    for (int l = 0; l < S::loads; l++) {
        const int at = l * S::lanes * S::width;
        const bool there = row < end && column + at < width;
        if constexpr (S::width == 4) {
            const float4 v = load_four_if(from + at, there);
            to[4 * l] = v.x;
            to[4 * l + 1] = v.y;
            to[4 * l + 2] = v.z;
            to[4 * l + 3] = v.w;
        } else {
            to[l] = load_one_if(from + at, there);
        }
    }
}

/* One element of each row of A. */
template <typename S>
static __device__ inline void rows_read_a(float (&a)[S::rows], const float *at)
{
    if constexpr (S::rows % 4 == 0) {
#pragma unroll
        for (int i = 0; i < S::rows; i += 4) {
            const float4 v = *reinterpret_cast<const float4 *>(at + i);
            a[i] = v.x;
            a[i + 1] = v.y;
            a[i + 2] = v.z;
            a[i + 3] = v.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < S::rows; i++) a[i] = at[i];
    }
}

/* Adds the lane's share of k to the sums. `mine` holds 2 x a_words words for the warp. */
template <typename S>
static __device__ inline void rows_multiply(float (&sum)[S::rows][S::each],
                                            const struct thin_product &p, float *mine, int warp,
                                            int lane, int column)
{
    const int group = lane / S::lanes;
    const size_t pitch = (size_t)p.n * S::lane_groups;
    int k = p.from + warp * S::warp_k;
    const float *next = p.b + (size_t)(k + group) * p.n + column;
    float x[S::depth][S::each], a_next[S::a_loads];
    rows_load_a<S>(a_next, p, k, lane);
#pragma unroll
    for (int i = 0; i < S::depth; i++)
        rows_load_b<S>(x[i], next + i * pitch, k + i * S::lane_groups + group, p.to, column, p.n);
    next += (size_t)S::block_k * p.n;
    float *a_here = mine, *a_other = mine + S::a_words;
#pragma unroll 1
    for (; k < p.to; k += S::block_k) {
        const int row = k + S::block_k + group;
        rows_store_a<S>(a_here, a_next, lane);
        __syncwarp();
        rows_load_a<S>(a_next, p, k + S::block_k, lane);
        const float *from = next;
#pragma unroll
        for (int i = 0; i < S::depth; i++) {
            float a[S::rows];
            rows_read_a<S>(a, a_here + (i * S::lane_groups + group) * S::rows);
#pragma unroll
            for (int r = 0; r < S::rows; r++)
#pragma unroll
                for (int j = 0; j < S::each; j++) sum[r][j] += a[r] * x[i][j];
            rows_load_b<S>(x[i], from, row + i * S::lane_groups, p.to, column, p.n);
            from += pitch;
        }
        next += (size_t)S::block_k * p.n;
        float *const swap = a_here;
        a_here = a_other;
        a_other = swap;
    }
}

static __device__ inline void rows_store(const struct thin_product &p, int row, int column,
                                         float sum)
{
    if (row < p.m && column < p.n) p.c[(size_t)row * p.n + column] = sum;
}

/* Adds the sums of the block's groups of lanes; the blocks of a cluster send one another theirs, so
 * that each adds and stores an equal share of the results. */
template <typename S>
static __device__ inline void rows_combine(const struct thin_product &p, const float *sums,
                                           float *result, unsigned rank, unsigned blocks)
{
    const int share = S::result_words / (int)blocks;
    const uint32_t to = shared_address(result) + rank * share * 4;
    for (int at = threadIdx.x; at < S::result_words; at += S::threads) {
        float sum = sums[at];
#pragma unroll
        for (int i = 1; i < S::groups; i++) sum += sums[i * S::result_words + at];
        if (blocks == 1)
            rows_store(p, at / S::columns, p.column + at % S::columns, sum);
        else
            store_word_remote(to + at % share * 4, at / share, sum);
    }
    if (blocks == 1) return;
    cluster_barrier();
    for (int i = threadIdx.x; i < share; i += S::threads) {
        const int at = rank * share + i;
        float sum = result[i];
        for (unsigned block = 1; block < blocks; block++) sum += result[block * share + i];
        rows_store(p, at / S::columns, p.column + at % S::columns, sum);
    }
}

/* Blocks [0, cluster) along x are the first strip's, and so on; `depth` is each block's share of k.
 * Block y of the grid stores its sums as the y-th matrix from c on. */
template <typename S>
static __global__ void __launch_bounds__(S::threads, S::resident)
    gemm_thin_rows(const float *a, const float *b, float *c, int m, int n, int k, int depth)
{
    extern __shared__ __align__(16) float shared[];
    const unsigned blocks = blocks_of_cluster(), rank = blocks > 1 ? rank_in_cluster() : 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct thin_product p = thin_open(a, b, c, m, n, k, depth, blocks, rank);
    p.column = blockIdx.x / blocks * S::columns;
    const int offset = lane % S::lanes * S::width;
    float sum[S::rows][S::each] = {{0}};
    if (blocks > 1) cluster_arrive();
    rows_multiply<S>(sum, p, shared + warp * 2 * S::a_words, warp, lane, p.column + offset);
    __syncthreads(); /* the sums replace the words of A */
    float *mine = shared + (warp * S::lane_groups + lane / S::lanes) * S::result_words + offset;
#pragma unroll
    for (int r = 0; r < S::rows; r++)
#pragma unroll
        for (int l = 0; l < S::loads; l++) {
            float *to = mine + r * S::columns + l * S::lanes * S::width;
            if constexpr (S::width == 4)
                *reinterpret_cast<float4 *>(to) =
                    make_float4(sum[r][4 * l], sum[r][(4 * l + 1) % S::each],
                                sum[r][(4 * l + 2) % S::each], sum[r][(4 * l + 3) % S::each]);
            else
                *to = sum[r][l];
        }
    __syncthreads();
    if (blocks > 1) cluster_wait(); /* no block sends sums to one that has not begun */
    rows_combine<S>(p, shared, shared + S::work_words, rank, blocks);
}

/* ---- sums over lanes ------------------------------------------------------------------------- */

/* Sums COUNT values over the lanes of a warp: in each round a lane keeps half of the values and
 * sends the other half to a lane at a distance. Returns the first value whose sum the lane has in
 * v[0], and if COUNT is 64 the next one's in v[1]; or -1 if it has none. */
template <int COUNT, int DISTANCE = 16, int ALL>
static __device__ inline int sum_over_lanes(float (&v)[ALL], int lane)
{
    if constexpr (DISTANCE == 0) {
        return 0;
    } else {
        constexpr int half = (COUNT + 1) / 2;
        const bool upper = lane & DISTANCE;
#pragma unroll
        for (int i = 0; i < half; i++) {
            const int other = half + i < COUNT ? half + i : i;
            const float sent = upper ? v[i] : v[other], kept = upper ? v[other] : v[i];
            v[i] = kept + __shfl_xor_sync(~0u, sent, DISTANCE);
        }
        const int at = sum_over_lanes<half, DISTANCE / 2>(v, lane);
        if (at < 0 || !upper) return at;
        return COUNT > 1 && half + at < COUNT ? half + at : -1;
    }
}

/* ---- few columns ----------------------------------------------------------------------------- */

/* Copies the rows of B of a slice of k; what lies beyond the block's range becomes 0. */
template <typename S>
static __device__ inline void columns_copy_slice(uint32_t stage, const struct thin_product &p,
                                                 int slice)
{
    const int first = p.from + slice * S::slice;
    const float *from = p.b + (size_t)first * S::columns;
    const int words = (p.to - first) * S::columns;
#pragma unroll
    for (int i = 0; i < (S::slice_quads + S::threads - 1) / S::threads; i++) {
        const int quad = threadIdx.x + i * S::threads, there = min(4, max(0, words - 4 * quad));
        if (S::slice_quads % S::threads == 0 || quad < S::slice_quads)
            copy_piece(stage + (quad + (S::padded ? quad / 8 : 0)) * 16,
                       there ? from + 4 * quad : p.b, 4 * there);
    }
}

/* The lane's words of the rows in a step: four neighbouring ones, or every 32nd. */
template <typename S>
static __device__ inline void columns_load_a(float (&x)[S::rows][4],
                                             const float *const (&row)[S::rows], int k, int end)
{
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
        if constexpr (S::width == 4) {
            const float4 v = load_four_if(row[r] + k, k < end);
            x[r][0] = v.x;
            x[r][1] = v.y;
            x[r][2] = v.z;
            x[r][3] = v.w;
        } else {
#pragma unroll
            for (int l = 0; l < 4; l++)
                x[r][l] = load_one_if(row[r] + k + 32 * l, k + 32 * l < end);
        }
    }
}

/* Multiplies the words of a step by rows of B, which lie one after another; each 32 words are
 * padded by 4. If the lane's words are neighbours, their rows of B are whole quads. */
template <typename S>
static __device__ inline void columns_multiply(float (&sum)[S::values],
                                               const float (&x)[S::rows][4], const float *stage,
                                               int step, int lane)
{
    constexpr int N = S::columns;
    if constexpr (S::width == 4) {
        const int first = (step * 32 + lane) * N;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const int quad = first + j;
            const float4 b =
                reinterpret_cast<const float4 *>(stage)[quad + (S::padded ? quad / 8 : 0)];
#pragma unroll
            for (int e = 0; e < 4; e++)
#pragma unroll
                for (int r = 0; r < S::rows; r++)
                    sum[r * N + (4 * j + e) % N] += x[r][(4 * j + e) / N] * element(b, e);
        }
        return;
    }
    constexpr int together = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
#pragma unroll
    for (int l = 0; l < 4; l++)
#pragma unroll
        for (int j = 0; j < N; j += together) {
            const int word = (step * 128 + l * 32 + lane) * N + j;
            const float *at = stage + word + (S::padded ? word / 32 * 4 : 0);
            float b[together];
            if constexpr (together == 4) {
                const float4 v = *reinterpret_cast<const float4 *>(at);
                b[0] = v.x;
                b[1] = v.y;
                b[2] = v.z;
                b[3] = v.w;
            } else if constexpr (together == 2) {
                const float2 v = *reinterpret_cast<const float2 *>(at);
                b[0] = v.x;
                b[1] = v.y;
            } else {
                b[0] = *at;
            }
#pragma unroll
            for (int e = 0; e < together; e++)
#pragma unroll
                for (int r = 0; r < S::rows; r++) sum[r * N + j + e] += x[r][l] * b[e];
        }
}

/* Adds the block's range of k to the sums of a warp's rows. A row below the matrix is replaced by
 * the last one; its sums are not stored. */
template <typename S>
static __device__ inline void columns_sum(float (&sum)[S::values], const struct thin_product &p,
                                          float *shared, int row, int lane)
{
    const uint32_t memory = shared_address(shared);
    const int slices = (p.to - p.from + S::slice - 1) / S::slice;
    const float *rows[S::rows];
    float x[S::depth][S::rows][4];
    int k = p.from + lane * S::width;
#pragma unroll
    for (int r = 0; r < S::rows; r++) rows[r] = p.a + (size_t)min(row + r, p.m - 1) * p.k;
#pragma unroll
    for (int i = 0; i < S::stages - 1; i++) {
        if (i < slices) columns_copy_slice<S>(memory + i * S::stage_words * 4, p, i);
        close_copies();
    }
#pragma unroll
    for (int u = 0; u < S::depth; u++) columns_load_a<S>(x[u], rows, k + u * S::step, p.to);
    int stage = 0, refill = S::stages - 1;
#pragma unroll 1
    for (int slice = 0; slice < slices; slice++) {
        wait_for_copies<S::stages - 2>();
        __syncthreads();
        if (slice + S::stages - 1 < slices)
            columns_copy_slice<S>(memory + refill * S::stage_words * 4, p, slice + S::stages - 1);
        close_copies();
#pragma unroll 1
        for (int step = 0; step < S::steps; step += S::depth)
#pragma unroll
            for (int u = 0; u < S::depth; u++) {
                columns_multiply<S>(sum, x[u], shared + stage * S::stage_words, step + u, lane);
                columns_load_a<S>(x[u], rows, k + S::depth * S::step, p.to);
                k += S::step;
            }
        refill = stage;
        stage = stage + 1 == S::stages ? 0 : stage + 1;
    }
}

/* Blocks [0, cluster) along x are those of the first rows, and so on; `depth`, a multiple of the
 * step, is each block's share of k. The blocks of a cluster send their sums to its first one. Block
 * y of the grid stores its sums as the y-th matrix from c on. */
template <typename S>
static __global__ void __launch_bounds__(S::threads, S::resident)
    gemm_thin_columns(const float *a, const float *b, float *c, int m, int n, int k, int depth)
{
    extern __shared__ __align__(16) float shared[];
    const unsigned blocks = blocks_of_cluster(), rank = blocks > 1 ? rank_in_cluster() : 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct thin_product p = thin_open(a, b, c, m, n, k, depth, blocks, rank);
    p.row = blockIdx.x / blocks * S::block_rows;
    float sum[S::values] = {0};
    if (blocks > 1) cluster_arrive();
    columns_sum<S>(sum, p, shared, p.row + warp * S::rows, lane);
    /* The sums of the block are neighbours in C. */
    const int value = sum_over_lanes<S::values>(sum, lane), at = warp * S::values + value;
    float *to = p.c + (size_t)p.row * S::columns;
    const int count = min((int)S::result_words, (p.m - p.row) * S::columns);
    if (blocks == 1) {
        if (value >= 0 && at < count) to[at] = sum[0];
        return;
    }
    float *result = shared + S::work_words;
    cluster_wait(); /* no block sends sums to one that has not begun */
    if (value >= 0)
        store_word_remote(shared_address(result) + (rank * S::result_words + at) * 4, 0, sum[0]);
    __syncwarp();
    cluster_barrier();
    if (rank > 0) return;
    for (int i = threadIdx.x; i < count; i += S::threads) {
        float total = result[i];
        for (unsigned block = 1; block < blocks; block++)
            total += result[block * S::result_words + i];
        to[i] = total;
    }
}

/* ---- few rows and columns -------------------------------------------------------------------- */

/* A block's part of A and B in shared memory: the rows of A, `pitch` words apart, each behind the
 * 0 to 3 words that lie before it in its first 16 bytes; then the rows of B. */
struct corner_stage {
    float *a, *b;
    int pitch, piece; /* k of a piece */
    uint32_t arrived; /* a barrier of 8 bytes for each piece */
};

/* A stretch of memory that pieces of `each` words bring; the first piece begins with the quad that
 * `from` lies in, and each ends with the quad that its last word lies in, unless the matrix ends
 * within that one. */
struct corner_stretch {
    const float *matrix;
    float *stage; /* where the first quad goes */
    size_t from, to, matrix_end;
    size_t each;
};

static __device__ inline size_t corner_piece_end(const struct corner_stretch &s, int piece)
{
    const size_t end = min(s.to, s.from + (piece + 1) * s.each);
    return min((end + 3) / 4 * 4, s.matrix_end / 4 * 4);
}

/* Starts the copies of all pieces of a stretch, and arrives at their barriers. */
template <typename S>
static __device__ inline void corner_copy(const struct corner_stretch &s, uint32_t arrived)
{
    const size_t first = s.from / 4 * 4;
    size_t next = first;
    for (int i = 0; i < S::pieces; i++) {
        const size_t end = corner_piece_end(s, i);
        const uint32_t bytes = end > next ? (uint32_t)(end - next) * 4 : 0;
        mbarrier_expect(arrived + i * 8, bytes);
        if (bytes) {
            engine_copy(shared_address(s.stage + (next - first)), s.matrix + next, bytes,
                        arrived + i * 8);
            next = end;
        }
    }
}

/* Copies the words of a last, incomplete quad of the matrix. */
template <typename S>
static __device__ inline void corner_copy_words(const struct corner_stretch &s)
{
    for (size_t i = corner_piece_end(s, S::pieces - 1); i < s.to; i++)
        s.stage[i - s.from / 4 * 4] = s.matrix[i];
}

/* Row `index` of A, or if index is m, the rows of B. */
static __device__ inline struct corner_stretch
corner_stretch_of(const struct thin_product &p, const struct corner_stage &stage, int index)
{
    if (index == p.m)
        return {p.b,
                stage.b,
                (size_t)p.from * p.n,
                (size_t)p.to * p.n,
                (size_t)p.k * p.n,
                (size_t)stage.piece * p.n};
    return {p.a,
            stage.a + index * stage.pitch,
            (size_t)index * p.k + p.from,
            (size_t)index * p.k + p.to,
            (size_t)p.m * p.k,
            (size_t)stage.piece};
}

/* A row of B: whole vectors if it has exactly COLUMNS words, else a word at a time; beyond its end
 * the last one again. */
template <typename S>
static __device__ inline void corner_read_b(float (&b)[S::columns], const float *row, int n)
{
    if (S::columns == 2 && n == S::columns) {
        const float2 v = *reinterpret_cast<const float2 *>(row);
        b[0] = v.x;
        b[1 % S::columns] = v.y;
    } else if (S::columns % 4 == 0 && n == S::columns) {
#pragma unroll
        for (int j = 0; j < S::columns; j += 4) {
            const float4 v = *reinterpret_cast<const float4 *>(row + j);
            b[j] = v.x;
            b[(j + 1) % S::columns] = v.y;
            b[(j + 2) % S::columns] = v.z;
            b[(j + 3) % S::columns] = v.w;
        }
    } else {
#pragma unroll
        for (int j = 0; j < S::columns; j++) b[j] = row[min(j, n - 1)];
    }
}

/* Waits for the pieces in turn; a thread takes every 256th k of each. */
template <typename S>
static __device__ inline void corner_multiply(float (&sum)[S::values], const struct thin_product &p,
                                              const struct corner_stage &stage)
{
    const float *a[S::rows];
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
        const int row = min(r, p.m - 1);
        a[r] = stage.a + row * stage.pitch + ((size_t)row * p.k + p.from) % 4;
    }
#pragma unroll 1
    for (int i = 0; i < S::pieces; i++) {
        const int end = min(p.to - p.from, (i + 1) * stage.piece);
        mbarrier_wait(stage.arrived + i * 8, 0);
#pragma unroll(S::values > 16 ? 1 : 2)
        for (int k = i * stage.piece + threadIdx.x; k < end; k += S::threads) {
            float b[S::columns];
            corner_read_b<S>(b, stage.b + k * p.n, p.n);
#pragma unroll
            for (int r = 0; r < S::rows; r++) {
                const float x = a[r][k];
#pragma unroll
                for (int j = 0; j < S::columns; j++) sum[r * S::columns + j] += x * b[j];
            }
        }
    }
}

/* The sum of a value over the block; thread i gets the i-th value's. */
template <typename S>
static __device__ inline float corner_sum_of_block(float (&sum)[S::values], float *of_warp)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32,
              value = sum_over_lanes<S::values>(sum, lane);
    if (value >= 0) {
        of_warp[warp * S::values + value] = sum[0];
        if (S::values > 32) of_warp[warp * S::values + value + 1] = sum[1 % S::values];
    }
    __syncthreads();
    if (threadIdx.x >= S::values) return 0;
    float total = of_warp[threadIdx.x];
#pragma unroll
    for (int i = 1; i < S::warps; i++) total += of_warp[i * S::values + threadIdx.x];
    return total;
}

/* The partial sums of each cluster on their way to the first one. */
static __device__ unsigned long long corner_mail[CORNER_MAIL_WORDS];

/* The sum of thread i's value over the grid's clusters, in the first cluster's first block: thread
 * i gets the i-th value's. The block keeps its place on an SM while it waits for blocks that may
 * not have started, so the device must hold more than one cluster. */
template <typename S>
static __device__ inline float corner_collect(float own, float *of_thread, unsigned parts)
{
    enum { TOGETHER = 4, DISTANCE = S::values > 32 ? S::values : 32 };
    const int total = (int)parts * S::values;
    float sum = threadIdx.x < S::values ? own : 0;
    for (int first = S::values + threadIdx.x; first < total; first += TOGETHER * S::threads) {
        unsigned long long word[TOGETHER];
        bool all;
        do {
            all = true;
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) {
                const int at = first + i * S::threads;
                word[i] = at < total ? mail_look(corner_mail + at) : 1ull << 32;
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) all = all && word[i] != 0;
        } while (!all);
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const int at = first + i * S::threads;
            if (at < total) corner_mail[at] = 0;
            sum += __uint_as_float((unsigned)word[i]);
        }
    }
#pragma unroll
    for (int distance = 16; distance >= S::values; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    of_thread[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x >= S::values) return 0;
    sum = of_thread[threadIdx.x];
#pragma unroll
    for (int i = DISTANCE; i < S::threads; i += DISTANCE) sum += of_thread[threadIdx.x + i];
    return sum;
}

/* `share`, a multiple of CORNER_SHARE_UNIT, is each block's share of k. */
template <typename S>
static __global__ void __launch_bounds__(S::threads, 2)
    gemm_thin_corner(const float *a, const float *b, float *c, int m, int n, int k, int share)
{
    extern __shared__ __align__(16) float shared[];
    const unsigned blocks = blocks_of_cluster(), rank = blocks > 1 ? rank_in_cluster() : 0,
                   part = blockIdx.x / blocks, parts = gridDim.x / blocks;
    const int from = min(k, (int)blockIdx.x * share);
    const struct thin_product p = {a, b, c, m, n, k, 0, 0, from, min(k, from + share)};
    float *data = shared + 16, *of_warp = data + m * (share + 4) + n * share,
          *of_thread = of_warp + S::warps * S::values, *of_block = of_thread + S::threads;
    const struct corner_stage stage = {data, data + m * (share + 4), share + 4, share / S::pieces,
                                       shared_address(shared)};
    if (threadIdx.x == 0) {
        for (int i = 0; i < S::pieces; i++) mbarrier_open(stage.arrived + i * 8, m + 1);
        mbarrier_publish();
    }
    __syncthreads();
    if (blocks > 1) cluster_arrive();
    if ((int)threadIdx.x <= m) {
        const struct corner_stretch stretch = corner_stretch_of(p, stage, threadIdx.x);
        corner_copy<S>(stretch, stage.arrived);
        corner_copy_words<S>(stretch);
    }
    __syncthreads(); /* single words are there */
    float sum[S::values] = {0};
    corner_multiply<S>(sum, p, stage);
    float total = corner_sum_of_block<S>(sum, of_warp);
    if (blocks > 1) {
        cluster_wait(); /* no block sends sums to one that has not begun */
        if (threadIdx.x < S::values)
            store_word_remote(shared_address(of_block) + (rank * S::values + threadIdx.x) * 4, 0,
                              total);
        __syncwarp();
        cluster_barrier();
        if (rank > 0) return;
        if (threadIdx.x < S::values)
            for (unsigned i = 1; i < blocks; i++) total += of_block[i * S::values + threadIdx.x];
    }
    const int row = threadIdx.x / S::columns, column = threadIdx.x % S::columns;
    const bool mine = threadIdx.x < S::values && row < m && column < n;
    if (part > 0) {
        if (threadIdx.x < S::values) mail_send(corner_mail + part * S::values + threadIdx.x, total);
        return;
    }
    if (parts > 1) total = corner_collect<S>(total, of_thread, parts);
    if (mine) c[row * n + column] = total;
}

/* ---- launches -------------------------------------------------------------------------------- */

template <typename S>
static void plan_thin_rows(const struct work *work, const struct by_shape_choice &choice,
                           struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    const unsigned cluster = (unsigned)choice.cluster;
    plan_blocks(choice, divide_up(n, S::columns), S::threads, thin_rows_shared<S>(cluster), launch);
    launch_kernel(launch, gemm_thin_rows<S>, work->input[0], work->input[1],
                  product_target(work, choice), m, n, k,
                  thin_rows_depth<S>(k, (uint64_t)cluster * choice.parts));
}

template <typename S>
static void plan_thin_columns(const struct work *work, const struct by_shape_choice &choice,
                              struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    const unsigned cluster = (unsigned)choice.cluster;
    plan_blocks(choice, divide_up(m, S::block_rows), S::threads, thin_columns_shared<S>(cluster),
                launch);
    launch_kernel(launch, gemm_thin_columns<S>, work->input[0], work->input[1],
                  product_target(work, choice), m, n, k,
                  thin_columns_depth<S>(k, (uint64_t)cluster * choice.parts));
}

/* About `blocks` blocks; the first one adds the sums of all clusters. */
template <typename S>
static void plan_thin_corner(const struct work *work, const struct by_shape_choice &choice,
                             struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point),
                   share = thin_corner_share(m, n, k, (unsigned)choice.blocks);
    const unsigned cluster = (unsigned)choice.cluster;
    launch->grid[0] = (unsigned)thin_corner_blocks(k, share, cluster);
    launch->block[0] = S::threads;
    launch->cluster = cluster > 1 ? cluster : 0;
    launch->dynamic_shared = thin_corner_shared<S>(m, n, share, cluster);
    launch_kernel(launch, gemm_thin_corner<S>, work->input[0], work->input[1], work->output, m, n,
                  k, share);
}

#endif
