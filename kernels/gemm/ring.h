/*
 * Shares code between the Hopper rungs: a ring of stages in shared memory that producer warps fill
 * and consumer warps empty, and the product that consumers form from a stage. A stage is a slice of
 * 32 k: A as rows of m, each pitch_a floats long, then B as rows of n. Nothing is owned.
 *
 * The order of the multiply-adds suits the register file. It has two banks; a fused multiply-add
 * reads three operands and stalls for a cycle unless one of them is reused from the previous
 * instruction. So the product alternates its direction over the columns: the last column of a row
 * is the first of the next, and one factor is always reused. If the accumulators themselves were
 * stored as vectors, the compiler would place them in the factors' banks; so their products with
 * alpha are stored. (Found by counting dispatch stalls on an H200.)
 *
 * The order also decides where the assembler places the loads of the next k among the products, and
 * that matters more: a load that directly follows another one waits, and so do the products that
 * need its words soon. Twelve orders of the tile of 128 x 256 were tried. In eight k, three of them
 * have 4 to 7 loads right behind another one; the other nine have 10 to 31, and their times are
 * longer by 4 to 7 %. Two orders are left. Which of them a shape takes was chosen by that count,
 * and confirmed by times on an H200.
 */
#ifndef KERNELS_GEMM_RING_H
#define KERNELS_GEMM_RING_H

#include "gemm.h"
#include "mbarrier.h"
#include "quad.h"
#include "tile_ring.h"

enum { SLICE = 32, UNROLL = 8, LANES_M = 4, LANES_N = 8, GROUP = 8 };

/* Sizes of a block's tile: WARPS_M x WARPS_N consumer warps of 4 x 8 lanes; a lane computes QUADS_M
 * x QUADS_N squares of 4 x 4 elements, LANES_M and LANES_N squares apart. It multiplies the rows of
 * a square from the first to the last, or the other way if it goes UPWARDS. */
template <int WARPS_M, int WARPS_N, int QUADS_M, int QUADS_N, int PAD_A, int STAGE_COUNT,
          bool UPWARDS = false>
struct ring_shape {
    enum {
        warps_m = WARPS_M,
        warps_n = WARPS_N,
        warps = WARPS_M * WARPS_N,
        quads_m = QUADS_M,
        quads_n = QUADS_N,
        warp_m = LANES_M * QUADS_M * 4,
        warp_n = LANES_N * QUADS_N * 4,
        block_m = WARPS_M * warp_m,
        block_n = WARPS_N * warp_n,
        pitch_a = block_m + PAD_A,
        a_bytes = SLICE * pitch_a * 4,
        b_bytes = SLICE * block_n * 4,
        stage_bytes = a_bytes + b_bytes,
        stages = STAGE_COUNT,
        ring_bytes = STAGE_COUNT * stage_bytes,
        depth = SLICE, /* k of a stage that a warp multiplies */
        upwards = UPWARDS
    };
};

/* A lane's fragments of A and B at one k. */
template <typename S> struct fragments {
    float4 a[S::quads_m], b[S::quads_n];
};

template <typename S>
static __device__ inline void load_fragments(struct fragments<S> *to, uint32_t a, uint32_t b)
{
#pragma unroll
    for (int i = 0; i < S::quads_m; i++) to->a[i] = load_quad(a + i * LANES_M * 16);
#pragma unroll
    for (int j = 0; j < S::quads_n; j++) to->b[j] = load_quad(b + j * LANES_N * 16);
}

/* A word of each load, ORed, for once_loaded. */
template <typename S>
static __device__ inline uint32_t bits_of_fragments(const struct fragments<S> &f)
{
    return bits_of(f.a) | bits_of(f.b);
}

template <typename S> static __device__ inline void clear_fragments(struct fragments<S> *f)
{
#pragma unroll
    for (int i = 0; i < S::quads_m; i++) f->a[i] = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int j = 0; j < S::quads_n; j++) f->b[j] = make_float4(0, 0, 0, 0);
}

template <typename S>
static __device__ inline void multiply_fragments(float (&sum)[S::quads_m * 4][S::quads_n * 4],
                                                 const struct fragments<S> &f)
{
    constexpr int ROWS = S::quads_m * 4, COLUMNS = S::quads_n * 4;
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        const int i = S::upwards ? row / 4 * 4 + 3 - row % 4 : row;
#pragma unroll
        for (int column = 0; column < COLUMNS; column++) {
            const int j = row % 2 ? COLUMNS - 1 - column : column;
            sum[i][j] += element(f.a[i / 4], i % 4) * element(f.b[j / 4], j % 4);
        }
    }
}

/* The position of a lane's first element in the block's tile. */
template <typename S> static __device__ inline int lane_row(int warp, int lane)
{
    return warp / S::warps_n * S::warp_m + lane % LANES_M * 4;
}

template <typename S> static __device__ inline int lane_column(int warp, int lane)
{
    return warp % S::warps_n * S::warp_n + lane / LANES_M * 4;
}

/* Adds the product of the next `k` k of the ring, a multiple of UNROLL, to `sum`; a stage holds
 * S::depth of them. Starts at the stage *place and frees each stage after reading it. The lane's
 * first elements lie in_a and in_b bytes after the start of a stage. Multiplying lags one k behind
 * loading: the first product is of zeros, and the last one is formed after the loop. So all k are
 * loaded by the same code; but loads of a stage's last k may still be under way after the loop, so
 * the warp waits for them before it frees the stage. `full` and `empty` are the addresses of the
 * first stage's barriers.
 */
template <typename S>
static __device__ inline void multiply_stages(float (&sum)[S::quads_m * 4][S::quads_n * 4],
                                              struct ring_place *place, int k, uint32_t ring,
                                              uint32_t in_a, uint32_t in_b, uint32_t full,
                                              uint32_t empty, int lane)
{
    static_assert(UNROLL % 2 == 0 && S::depth % UNROLL == 0, "whole pairs of fragments");
    constexpr bool looped = S::depth > UNROLL; /* else products of f[1] may follow the arrival */
    struct fragments<S> f[2];
    clear_fragments<S>(&f[0]);
    for (; k > 0; k -= S::depth) {
        uint32_t a = ring + place->stage * S::stage_bytes + in_a,
                 b = ring + place->stage * S::stage_bytes + in_b;
        const uint32_t end = a + (looped ? min(k, (int)S::depth) : (int)S::depth) * S::pitch_a * 4;
        mbarrier_wait(full + 8 * place->stage, place->parity);
#pragma unroll 1
        do {
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                load_fragments<S>(&f[(i + 1) % 2], a + i * S::pitch_a * 4, b + i * S::block_n * 4);
                multiply_fragments<S>(sum, f[i % 2]);
            }
            a += UNROLL * S::pitch_a * 4;
            b += UNROLL * S::block_n * 4;
        } while (a != end);
        __syncwarp();
        mbarrier_arrive_if(empty + 8 * place->stage,
                           once_loaded(lane == 0, bits_of_fragments<S>(f[0]) |
                                                      (looped ? 0 : bits_of_fragments<S>(f[1]))));
        *place = ring_next<S>(*place);
    }
    multiply_fragments<S>(sum, f[0]);
}

/* The same, if each warp multiplies all k of a stage. */
template <typename S>
static __device__ inline void multiply_slices(float (&sum)[S::quads_m * 4][S::quads_n * 4],
                                              struct ring_place *place, int k, uint32_t ring,
                                              uint32_t full, uint32_t empty, int warp, int lane)
{
    multiply_stages<S>(sum, place, k, ring, lane_row<S>(warp, lane) * 4,
                       S::a_bytes + lane_column<S>(warp, lane) * 4, full, empty, lane);
}

template <typename S>
static __device__ inline void clear_sums(float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++)
#pragma unroll
        for (int j = 0; j < S::quads_n * 4; j++) sum[i][j] = 0;
}

template <typename S>
static __device__ inline void scale_sums(float (&sum)[S::quads_m * 4][S::quads_n * 4], float alpha)
{
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++)
#pragma unroll
        for (int j = 0; j < S::quads_n * 4; j++) sum[i][j] *= alpha;
}

/* Returns the lane's quad j of row i. */
template <typename S>
static __device__ inline float4 quad_of(const float (&sum)[S::quads_m * 4][S::quads_n * 4], int i,
                                        int j)
{
    return make_float4(sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
}

/* Row of the lane's row i within the block's tile, and column of its quad j. */
template <typename S> static __device__ inline int row_of(int warp, int lane, int i)
{
    return lane_row<S>(warp, lane) + i / 4 * LANES_M * 4 + i % 4;
}

template <typename S> static __device__ inline int column_of(int warp, int lane, int j)
{
    return lane_column<S>(warp, lane) + j * LANES_N * 4;
}

/* ---- producers: a warpgroup ------------------------------------------------------------------ */

enum { PRODUCERS = 128, PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232 };

/* Copies a slice of A (m x k) that begins at k = `first`, transposed word by word: 8 lanes are
 * arranged along k, a sector of a row, and 4 along m. Because rows of the ring are offset by 4
 * words, there are no bank conflicts. Rows beyond M are left out of a whole slice: what they form
 * is not stored in C. Words beyond K become zeros in the last slice. `producer` is the warp, 0
 * to 3. */
template <typename S>
static __device__ inline void copy_a(uint32_t stage, const float *a, int m, int k, int tile_m,
                                     int first, int producer, int lane)
{
    const int column = first + lane % 8, row = tile_m * S::block_m + producer * 4 + lane / 8;
    const float *from = a + (size_t)row * k + column;
    const uint32_t to = stage + (lane % 8 * S::pitch_a + producer * 4 + lane / 8) * 4;
    if (first + SLICE <= k) {
#pragma unroll
        for (int i = 0; i < S::block_m / 16; i++, from += (size_t)16 * k)
            if (i * 16 < m - row)
#pragma unroll
                for (int j = 0; j < SLICE / 8; j++)
                    copy_word(to + (j * 8 * S::pitch_a + i * 16) * 4, from + j * 8, 4);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < S::block_m / 16; i++, from += (size_t)16 * k)
#pragma unroll
        for (int j = 0; j < SLICE / 8; j++) {
            const bool there = row + i * 16 < m && column + j * 8 < k;
            copy_word(to + (j * 8 * S::pitch_a + i * 16) * 4, there ? from + j * 8 : a,
                      there ? 4 : 0);
        }
}

/* ---- results --------------------------------------------------------------------------------- */

/* For rows of C that begin at multiples of 16 bytes: quads are stored as they are. `row` and
 * `column` are the tile's first. */
template <typename S>
static __device__ inline void store_quads(float *c, int m, int n, int row, int column, int warp,
                                          int lane,
                                          const float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++) {
        const int r = row + row_of<S>(warp, lane, i);
        if (r >= m) continue;
#pragma unroll
        for (int j = 0; j < S::quads_n; j++) {
            const int s = column + column_of<S>(warp, lane, j);
            if (s < n) *reinterpret_cast<float4 *>(c + (size_t)r * n + s) = quad_of<S>(sum, i, j);
        }
    }
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

static inline int address_quad_m(int lane)
{
    return lane % LANES_M * 16;
}
static inline int address_quad_n(int lane)
{
    return lane / LANES_M * 16;
}

/* multiply_slices: fragments for each of `k` k, by all consumer warps. */
template <typename S>
static inline int describe_fragments(struct shared_access *list, int count, double k)
{
    const double loads = k * S::warps;
    count =
        describe(list, count, "reads of A", ACCESS_LOAD, 16, S::quads_m * loads, address_quad_m);
    return describe(list, count, "reads of B", ACCESS_LOAD, 16, S::quads_n * loads, address_quad_n);
}

#endif
