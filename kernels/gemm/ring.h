/*
 * Shares code between the Hopper rungs: a ring of stages in shared memory that producer warps fill
 * and consumer warps empty, and the product that consumers form from a stage. A stage is a slice of
 * 32 k: A as rows of m, each pitch_a floats long, then B as rows of n. Nothing is owned.
 *
 * The order of the multiply-adds suits the register file. It has two banks; a fused multiply-add
 * reads three operands and stalls for a cycle unless one of them is reused from the previous
 * instruction. So the product alternates its direction over the columns: the last column of a row
 * is the first of the next, and one factor is always reused. The accumulators must not be stored as
 * vectors, or the compiler places them in the factors' banks; they are scaled first to prevent
 * that. (Found by counting dispatch stalls on an H200.) A shape may propose another order, and
 * unroll more or fewer k (order.h).
 */
#ifndef KERNELS_GEMM_RING_H
#define KERNELS_GEMM_RING_H

#include "gemm.h"
#include "mbarrier.h"
#include "order.h"
#include "quad.h"
#include "tile_ring.h"

enum { SLICE = 32, UNROLL = 8, LANES_M = 4, LANES_N = 8, GROUP = 8 };

/* Sizes of a block's tile: WARPS_M x WARPS_N consumer warps of 4 x 8 lanes; a lane computes QUADS_M
 * x QUADS_N squares of 4 x 4 elements, LANES_M and LANES_N squares apart. */
template <int WARPS_M, int WARPS_N, int QUADS_M, int QUADS_N, int PAD_A, int STAGE_COUNT>
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
        stripe = QUADS_N * 4,
        backwards = 0,
        unroll = UNROLL
    };
};

/* The shape S with another order of its products, and K_UNROLL k in an iteration of the loop. */
template <typename S, int STRIPE, int BACKWARDS, int K_UNROLL> struct reordered : S {
    enum { stripe = STRIPE, backwards = BACKWARDS, unroll = K_UNROLL };
    static_assert(K_UNROLL % 2 == 0 && SLICE % K_UNROLL == 0, "whole pairs of fragments");
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

template <typename S>
static __device__ inline void multiply_fragments(float (&sum)[S::quads_m * 4][S::quads_n * 4],
                                                 const struct fragments<S> &f)
{
    constexpr int ROWS = S::quads_m * 4, COLUMNS = S::quads_n * 4;
    using order = product_order<ROWS, COLUMNS, S::stripe, S::backwards>;
#pragma unroll
    for (int at = 0; at < ROWS * COLUMNS; at++) {
        const int i = order::row(at), j = order::column(at);
        sum[i][j] += element(f.a[i / 4], i % 4) * element(f.b[j / 4], j % 4);
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

/* Adds the product of `count` slices of the ring, starting at *place, to `sum`, and frees each
 * stage after reading it. While one k is multiplied the fragments of the next k are in flight,
 * across stages too; after the last k the fragments read are undefined and are discarded. `full`
 * and `empty` are the addresses of the barriers. */
template <typename S>
static __device__ inline void multiply_slices(float (&sum)[S::quads_m * 4][S::quads_n * 4],
                                              struct ring_place *place, int count, uint32_t ring,
                                              uint32_t full, uint32_t empty, int warp, int lane)
{
    const uint32_t in_a = lane_row<S>(warp, lane) * 4,
                   in_b = S::a_bytes + lane_column<S>(warp, lane) * 4;
    uint32_t a = ring + place->stage * S::stage_bytes + in_a,
             b = ring + place->stage * S::stage_bytes + in_b;
    struct fragments<S> f[2];
    mbarrier_wait(full + 8 * place->stage, place->parity);
    load_fragments<S>(&f[0], a, b);
    for (int slice = 0; slice < count; slice++) {
        const struct ring_place next = ring_next<S>(*place);
#pragma unroll 1
        for (int k = 0; k < SLICE; k += S::unroll) {
            uint32_t next_a = a + S::unroll * S::pitch_a * 4,
                     next_b = b + S::unroll * S::block_n * 4;
            if (k == SLICE - S::unroll) {
                next_a = ring + next.stage * S::stage_bytes + in_a;
                next_b = ring + next.stage * S::stage_bytes + in_b;
                if (slice + 1 < count) mbarrier_wait(full + 8 * next.stage, next.parity);
            }
#pragma unroll
            for (int i = 0; i < S::unroll; i++) {
                const bool last = i + 1 == S::unroll;
                load_fragments<S>(&f[(i + 1) % 2], last ? next_a : a + (i + 1) * S::pitch_a * 4,
                                  last ? next_b : b + (i + 1) * S::block_n * 4);
                multiply_fragments<S>(sum, f[i % 2]);
            }
            a = next_a;
            b = next_b;
        }
        __syncwarp();
        mbarrier_arrive_if(empty + 8 * place->stage, lane == 0);
        *place = next;
    }
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

/* Copies a slice of A (m x k), transposed word by word: 8 lanes are arranged along k, a sector of a
 * row, and 4 along m. Because rows of the ring are offset by 4 words, there are no bank conflicts.
 * `producer` is the warp, 0 to 3. */
template <typename S>
static __device__ inline void copy_a(uint32_t stage, const float *a, int m, int k, int tile_m,
                                     int slice, int producer, int lane)
{
    const int column = slice * SLICE + lane % 8,
              row = tile_m * S::block_m + producer * 4 + lane / 8;
    const float *from = a + (size_t)row * k + column;
    const uint32_t to = stage + (lane % 8 * S::pitch_a + producer * 4 + lane / 8) * 4;
    if (tile_m * S::block_m + S::block_m <= m && slice * SLICE + SLICE <= k) {
#pragma unroll
        for (int i = 0; i < S::block_m / 16; i++, from += (size_t)16 * k)
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

/* multiply_slices: fragments for each k of `slices` slices in total, plus one k in each of `pieces`
 * calls, by all consumer warps. */
template <typename S>
static inline int describe_fragments(struct shared_access *list, int count, double slices,
                                     double pieces)
{
    const double loads = (slices * SLICE + pieces) * S::warps;
    count =
        describe(list, count, "reads of A", ACCESS_LOAD, 16, S::quads_m * loads, address_quad_m);
    return describe(list, count, "reads of B", ACCESS_LOAD, 16, S::quads_n * loads, address_quad_n);
}

#endif
