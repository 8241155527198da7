/*
 * Shares code for products with few tiles: tiles of C whose k is divided among the warps of a
 * block and among the blocks of a cluster. The blocks of a cluster send their sums to one another's
 * shared memory, so that one launch is enough and the order of all additions is fixed. Shapes are
 * arbitrary. Nothing is owned.
 *
 * A block copies slices of A and B asynchronously into a few stages, 16 or 8 bytes at a time where
 * the rows of a matrix allow it. A is not transposed: a lane reads four k of a row at a time, from
 * rows that are padded by 16 bytes so that the lanes read different banks. Neighbouring lanes share
 * rows, and lanes at a distance of two share columns, which halves the wavefronts of both reads.
 *
 * While one k is multiplied, B at the next is in flight. A lane's four k of a row lie in four
 * adjacent registers, so at one k all its factors from A are in one bank of the register file; the
 * sums are scaled before they are stored as vectors, which lets the compiler place them freely
 * (ring.h).
 */
#ifndef KERNELS_GEMM_SPLIT_TILES_H
#define KERNELS_GEMM_SPLIT_TILES_H

#include "copies.h"
#include "gemm.h"
#include "order.h"
#include "plans.h"
#include "quad.h"
#include "tile_ring.h"

/* Sizes of a block's tile: WARPS_M x WARPS_N warps for each of GROUPS shares of a slice's k; a warp
 * has LANES x 32 / LANES lanes, each with ROWS x COLUMNS elements, whose products are formed in the
 * order of STRIPE and BACKWARDS (order.h). */
template <int WARPS_M, int WARPS_N, int GROUPS, int LANES, int ROWS, int COLUMNS, int SLICE_K,
          int STAGE_COUNT, int RESIDENT, int STRIPE, int BACKWARDS>
struct split_shape {
    enum {
        groups = GROUPS,
        lanes_m = LANES,
        lanes_n = 32 / LANES,
        rows = ROWS,
        columns = COLUMNS,
        quads = COLUMNS / 4,
        warps_n = WARPS_N,
        warps = WARPS_M * WARPS_N, /* of a group */
        warp_m = LANES * ROWS,
        warp_n = 32 / LANES * COLUMNS,
        block_m = WARPS_M * warp_m,
        block_n = WARPS_N * warp_n,
        threads = 32 * warps * GROUPS,
        slice = SLICE_K,
        group_k = SLICE_K / GROUPS, /* of a slice, for a group */
        stages = STAGE_COUNT,
        resident = RESIDENT, /* blocks that an SM holds */
        pitch_a = SLICE_K + 4,
        a_words = block_m * pitch_a,
        stage_words = a_words + SLICE_K * block_n,
        pitch_sums = block_n + 4,
        sums_words = GROUPS * block_m * pitch_sums,
        work_words = STAGE_COUNT * stage_words > sums_words ? STAGE_COUNT *stage_words : sums_words,
        result_words = block_m * block_n,
        stripe = STRIPE,
        backwards = BACKWARDS
    };
    static_assert(group_k % 4 == 0, "a lane reads four k of a row of A");
};

/* Bytes of shared memory: the stages, which the sums of the groups replace, and the sums that other
 * blocks send. */
template <typename S> static inline size_t split_shared(unsigned cluster)
{
    return (S::work_words + (cluster > 1 ? S::result_words : 0)) * sizeof(float);
}

/* A block's share of k: whole slices. */
template <typename S> static inline uint64_t split_depth(uint64_t k, uint64_t shares)
{
    return divide_up(divide_up(k, shares), S::slice) * S::slice;
}

/* How the rows of a tile get into C: as quads or words, whichever N allows; or, in a kernel of its
 * own for rows of words that are longer than a warp, line by line. */
enum split_rows { ANY_ROWS, LONG_WORDS };

struct split_product {
    const float *a, *b;
    float *c;
    int m, n, k;
    int row, column; /* of the tile */
    int from, to;    /* the block's range of k */
};

/* Copies rows x columns of a matrix whose rows are `width` long into rows of `pitch` words. What
 * lies outside of the matrix, above `height` or `width`, becomes 0. A thread copies one column of
 * quads, pairs or words, from every PASS-th row. */
template <int ROWS, int COLUMNS, int PITCH, int THREADS, int WIDTH>
static __device__ inline void copy_box_by(uint32_t to, const float *matrix, int row, int height,
                                          int column, int end, int width)
{
    constexpr unsigned ACROSS = COLUMNS / WIDTH, PASS = THREADS / ACROSS;
    static_assert(THREADS % ACROSS == 0, "a thread keeps its column");
    const unsigned r = threadIdx.x / ACROSS, s = threadIdx.x % ACROSS * WIDTH;
    const bool inside = column + (int)s < end;
    const float *from = matrix + (size_t)(row + r) * width + column + s;
#pragma unroll(WIDTH == 4 ? ROWS : 4)
    for (unsigned i = 0; i < ROWS; i += PASS, from += (size_t)PASS * width) {
        const bool there = inside && row + (int)(r + i) < height;
        if (i + PASS <= ROWS || r + i < ROWS)
            copy_words<WIDTH>(to + ((r + i) * PITCH + s) * 4, there ? from : matrix, there);
    }
}

template <int ROWS, int COLUMNS, int PITCH, int THREADS>
static __device__ inline void copy_box(uint32_t to, const float *matrix, int row, int height,
                                       int column, int end, int width)
{
    if (width % 4 == 0)
        copy_box_by<ROWS, COLUMNS, PITCH, THREADS, 4>(to, matrix, row, height, column, end, width);
    else if (width % 2 == 0)
        copy_box_by<ROWS, COLUMNS, PITCH, THREADS, 2>(to, matrix, row, height, column, end, width);
    else
        copy_box_by<ROWS, COLUMNS, PITCH, THREADS, 1>(to, matrix, row, height, column, end, width);
}

template <typename S>
static __device__ inline void copy_slice(uint32_t stage, const struct split_product &p, int slice)
{
    const int k = p.from + slice * S::slice;
    copy_box<S::block_m, S::slice, S::pitch_a, S::threads>(stage, p.a, p.row, p.m, k, p.to, p.k);
    copy_box<S::slice, S::block_n, S::block_n, S::threads>(stage + S::a_words * 4, p.b, k, p.to,
                                                           p.column, p.n, p.n);
}

/* ---- the product ----------------------------------------------------------------------------- */

template <typename S> static __host__ __device__ inline int split_row(int warp, int lane)
{
    return warp / S::warps_n * S::warp_m + lane / 2 % S::lanes_m;
}

template <typename S> static __host__ __device__ inline int split_column(int warp, int lane)
{
    return warp % S::warps_n * S::warp_n + (lane % 2 + lane / (2 * S::lanes_m) * 2) * 4;
}

template <typename S>
static __device__ inline void load_rows_of_a(float4 (&to)[S::rows], uint32_t from)
{
#pragma unroll
    for (int i = 0; i < S::rows; i++) to[i] = load_quad(from + i * S::lanes_m * S::pitch_a * 4);
}

template <typename S>
static __device__ inline void load_row_of_b(float4 (&to)[S::quads], uint32_t from)
{
#pragma unroll
    for (int j = 0; j < S::quads; j++) to[j] = load_quad(from + j * S::lanes_n * 16);
}

/* Adds the products at one k, the `part`-th of the four that the lane holds of its rows. */
template <typename S>
static __device__ inline void multiply_row(float (&sum)[S::rows][S::columns],
                                           const float4 (&x)[S::rows], const float4 (&y)[S::quads],
                                           int part)
{
    using order = product_order<S::rows, S::columns, S::stripe, S::backwards>;
#pragma unroll
    for (int at = 0; at < S::rows * S::columns; at++) {
        const int i = order::row(at), j = order::column(at);
        sum[i][j] += element(x[i], part) * element(y[j / 4], j % 4);
    }
}

/* Multiplies the group's k of a slice. `a` and `b` are the addresses of the lane's first row and
 * column. */
template <typename S>
static __device__ inline void multiply_slice(float (&sum)[S::rows][S::columns], uint32_t a,
                                             uint32_t b)
{
    float4 x[S::rows], y[2][S::quads];
    load_rows_of_a<S>(x, a);
    load_row_of_b<S>(y[0], b);
#pragma unroll
    for (int k = 0; k < S::group_k; k++) {
        const bool last = k + 1 == S::group_k;
        if (!last) load_row_of_b<S>(y[(k + 1) % 2], b + (k + 1) * S::block_n * 4);
        multiply_row<S>(sum, x, y[k % 2], k % 4);
        if (k % 4 == 3 && !last) load_rows_of_a<S>(x, a + (k + 1) * 4);
    }
}

template <typename S>
static __device__ inline void scale_sums(float (&sum)[S::rows][S::columns], float alpha)
{
#pragma unroll
    for (int i = 0; i < S::rows; i++)
#pragma unroll
        for (int j = 0; j < S::columns; j++) sum[i][j] *= alpha;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Stores four words to shared memory of block `rank` of the cluster. */
static __device__ inline void store_quad_remote(uint32_t address, uint32_t rank, const float4 &v)
{
#ifdef MBARRIER_HERE
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.v4.f32 [there], {%2, %3, %4, %5};\n}" ::"r"(address),
                 "r"(rank), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
#endif
}

static __device__ inline uint32_t blocks_of_cluster(void)
{
    uint32_t count = 1;
#ifdef MBARRIER_HERE
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
#endif
    return count;
}

/* Words begin, begin + 32, ... of a row of 32 * (PIECES - 1). The first may lie before the row and
 * the last behind it; any word of the row takes their places. */
template <int PIECES>
static __device__ inline void load_pieces(float (&to)[PIECES], const float *row, int begin)
{
    const int last = PIECES - 1;
    to[0] = row[max(begin, 0)];
#pragma unroll
    for (int i = 1; i < last; i++) to[i] = row[begin + 32 * i];
    to[last] = row[min(begin + 32 * last, 32 * last - 1)];
}

/* store_rows for LONG_WORDS. A warp stores a row at a time, in pieces that end where lines of 128
 * bytes do. Thus no instruction writes to two lines, only the first and the last sector of a row
 * are written in part, and the place in C is computed once for a row. */
template <typename S>
static __device__ inline void store_rows_by_lines(const struct split_product &p, const float *from,
                                                  int pitch, int distance, int parts, int first,
                                                  int rows)
{
    constexpr int PIECES = S::block_n / 32 + 1, STEP = S::threads / 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32,
              width = min((int)S::block_n, p.n - p.column), end = min(rows, p.m - p.row - first);
    const float *row = from + warp * pitch;
    float *to = p.c + (size_t)(p.row + first + warp) * p.n + p.column;
#pragma unroll 1
    for (int r = warp; r < end; r += STEP, row += STEP * pitch, to += (size_t)STEP * p.n) {
        const int begin = lane - (int)((uintptr_t)to / sizeof(float) % 32);
        float *line = to + begin, sum[PIECES];
        load_pieces(sum, row, begin);
#pragma unroll 1
        for (int i = 1; i < parts; i++) {
            float part[PIECES];
            load_pieces(part, row + i * distance, begin);
#pragma unroll
            for (int j = 0; j < PIECES; j++) sum[j] += part[j];
        }
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            if ((i > 0 || begin >= 0) && begin < width - 32 * i) line[32 * i] = sum[i];
    }
}

/* Stores `rows` rows of the tile, from `first` on, which lie `parts` times, `distance` words apart,
 * in shared memory; adds the parts in their order. */
template <typename S, enum split_rows ROWS>
static __device__ inline void store_rows(const struct split_product &p, const float *from,
                                         int pitch, int distance, int parts, int first, int rows)
{
    if constexpr (ROWS == LONG_WORDS) {
        store_rows_by_lines<S>(p, from, pitch, distance, parts, first, rows);
        return;
    }
    if (p.n % 4 == 0) {
        for (int at = threadIdx.x; at < rows * (S::block_n / 4); at += S::threads) {
            const int r = at / (S::block_n / 4), s = at % (S::block_n / 4) * 4;
            const float *quad = from + r * pitch + s;
            float4 sum = *reinterpret_cast<const float4 *>(quad);
            for (int i = 1; i < parts; i++)
                add_to(&sum, *reinterpret_cast<const float4 *>(quad + i * distance));
            if (p.row + first + r < p.m && p.column + s < p.n)
                *reinterpret_cast<float4 *>(p.c + (size_t)(p.row + first + r) * p.n + p.column +
                                            s) = sum;
        }
        return;
    }
    for (int at = threadIdx.x; at < rows * S::block_n; at += S::threads) {
        const int r = at / S::block_n, s = at % S::block_n;
        const float *word = from + r * pitch + s;
        float sum = *word;
        for (int i = 1; i < parts; i++) sum += word[i * distance];
        if (p.row + first + r < p.m && p.column + s < p.n)
            p.c[(size_t)(p.row + first + r) * p.n + p.column + s] = sum;
    }
}

/* Adds the sums of the block's groups and sends them to the blocks of the cluster, each of which
 * adds and stores its share of the rows. */
template <typename S, enum split_rows ROWS>
static __device__ inline void combine_blocks(const struct split_product &p, const float *sums,
                                             float *result, unsigned rank, unsigned blocks)
{
    const int rows = S::block_m / blocks, words = rows * S::block_n;
    const uint32_t to = shared_address(result) + rank * words * 4;
    for (int at = threadIdx.x; at < S::block_m * (S::block_n / 4); at += S::threads) {
        const int r = at / (S::block_n / 4), s = at % (S::block_n / 4) * 4;
        const float *quad = sums + r * S::pitch_sums + s;
        float4 sum = *reinterpret_cast<const float4 *>(quad);
#pragma unroll
        for (int i = 1; i < S::groups; i++)
            add_to(&sum, *reinterpret_cast<const float4 *>(quad + i * S::block_m * S::pitch_sums));
        store_quad_remote(to + (r % rows * S::block_n + s) * 4, r / rows, sum);
    }
    cluster_barrier();
    store_rows<S, ROWS>(p, result, S::block_n, words, blocks, rank * rows, rows);
}

/* Stores the sums from registers, for rows of C that are multiples of 16 bytes long. */
template <typename S>
static __device__ inline void store_sums(const struct split_product &p,
                                         const float (&sum)[S::rows][S::columns], int row,
                                         int column)
{
#pragma unroll
    for (int i = 0; i < S::rows; i++) {
        const int r = p.row + row + i * S::lanes_m;
#pragma unroll
        for (int j = 0; j < S::quads; j++) {
            const int s = p.column + column + j * S::lanes_n * 4;
            if (r < p.m && s < p.n)
                *reinterpret_cast<float4 *>(p.c + (size_t)r * p.n + s) = make_float4(
                    sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
        }
    }
}

/* Keeps the compiler from computing the value again for each slice. */
static __device__ inline void keep_in_register(uint32_t *value)
{
    asm volatile("" : "+r"(*value));
}

/* Blocks [0, cluster) along x are the first tile's, and so on; `depth`, a multiple of the slice,
 * is each block's share of k. Block y of the grid stores its sums as the y-th matrix from c on. */
template <typename S, enum split_rows ROWS>
static __device__ inline void multiply_split_tile(const float *a, const float *b, float *c, int m,
                                                  int n, int k, int depth, float alpha)
{
    extern __shared__ __align__(16) float shared[];
    const unsigned blocks = blocks_of_cluster(), rank = blocks > 1 ? rank_in_cluster() : 0;
    const struct tile_place tile =
        tile_in_groups(blockIdx.x / blocks, (m + S::block_m - 1) / S::block_m,
                       (n + S::block_n - 1) / S::block_n, 8);
    const int from = (blockIdx.y * blocks + rank) * depth;
    const struct split_product p = {a,
                                    b,
                                    c + (size_t)blockIdx.y * m * n,
                                    m,
                                    n,
                                    k,
                                    tile.m * S::block_m,
                                    tile.n * S::block_n,
                                    from,
                                    min(k, from + depth)};
    const int slices = from < k ? (p.to - from + S::slice - 1) / S::slice : 0;
    const uint32_t memory = shared_address(shared);
    const int warp = threadIdx.x / 32 % S::warps, group = threadIdx.x / 32 / S::warps,
              lane = threadIdx.x % 32, row = split_row<S>(warp, lane),
              column = split_column<S>(warp, lane);
    uint32_t in_a = (row * S::pitch_a + group * S::group_k) * 4,
             in_b = (S::a_words + group * S::group_k * S::block_n + column) * 4;
    keep_in_register(&in_a);
    keep_in_register(&in_b);
    float sum[S::rows][S::columns] = {{0}};
#pragma unroll 1
    for (int i = 0; i < S::stages - 1; i++) {
        if (i < slices) copy_slice<S>(memory + i * S::stage_words * 4, p, i);
        close_copies();
    }
    if (blocks > 1) cluster_barrier(); /* no block sends sums to one that has not begun */
    int stage = 0, refill = S::stages - 1;
#pragma unroll 1
    for (int slice = 0; slice < slices; slice++) {
        wait_for_copies<S::stages - 2>();
        __syncthreads();
        if (slice + S::stages - 1 < slices)
            copy_slice<S>(memory + refill * S::stage_words * 4, p, slice + S::stages - 1);
        close_copies();
        const uint32_t here = memory + stage * S::stage_words * 4;
        multiply_slice<S>(sum, here + in_a, here + in_b);
        refill = stage;
        stage = stage + 1 == S::stages ? 0 : stage + 1;
    }
    scale_sums<S>(sum, alpha);
    if (ROWS == ANY_ROWS && S::groups == 1 && blocks == 1 && n % 4 == 0) {
        store_sums<S>(p, sum, row, column);
        return;
    }
    wait_for_copies<0>();
    __syncthreads(); /* all have read their last slice: the sums replace the stages */
    float *mine = shared + (group * S::block_m + row) * S::pitch_sums + column;
#pragma unroll
    for (int i = 0; i < S::rows; i++)
#pragma unroll
        for (int j = 0; j < S::quads; j++)
            *reinterpret_cast<float4 *>(mine + i * S::lanes_m * S::pitch_sums +
                                        j * S::lanes_n * 4) =
                make_float4(sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
    __syncthreads();
    if (blocks == 1)
        store_rows<S, ROWS>(p, shared, S::pitch_sums, S::block_m * S::pitch_sums, S::groups, 0,
                            S::block_m);
    else
        combine_blocks<S, ROWS>(p, shared, shared + S::work_words, rank, blocks);
}

template <typename S, enum split_rows ROWS>
static __global__ void __launch_bounds__(S::threads, S::resident)
    gemm_split_tile(const float *a, const float *b, float *c, int m, int n, int k, int depth,
                    uint32_t alpha_bits)
{
    multiply_split_tile<S, ROWS>(a, b, c, m, n, k, depth, __uint_as_float(alpha_bits));
}

/* The kernel for products with N columns. */
template <typename S> static inline auto split_kernel(uint64_t n)
{
    if constexpr ((int)S::block_n > 32) {
        if (n % 4) return gemm_split_tile<S, LONG_WORDS>;
    }
    return gemm_split_tile<S, ANY_ROWS>;
}

/* ---- the launch ------------------------------------------------------------------------------ */

template <typename S>
static void plan_split(const struct work *work, const struct by_shape_choice &choice,
                       struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    const unsigned cluster = (unsigned)choice.cluster;
    plan_blocks(choice, divide_up(m, S::block_m) * divide_up(n, S::block_n), S::threads,
                split_shared<S>(cluster), launch);
    launch_kernel(launch, split_kernel<S>(n), work->input[0], work->input[1],
                  product_target(work, choice), m, n, k, split_depth<S>(k, cluster * choice.parts),
                  FLOAT_ONE);
}

#endif
