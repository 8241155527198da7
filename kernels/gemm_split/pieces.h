/*
 * Multiplies matrices that were split into pieces of 16 bits (split_kernels.h) with wgmma, for the
 * rungs that do so. Nothing is owned.
 *
 * The product is the sum of the products of pieces, of which those are left out that are as small
 * as the pieces that do not exist.
 *
 * A block computes tiles of 128 rows of C. One thread fills a ring of stages with tensor copies;
 * two warpgroups of consumers multiply. A stage is a slice of 32 k: all pieces of A, as rows of 64
 * bytes (64-byte swizzle), then all of B, as strips of 64 columns (wgmma.h). So a piece is fetched
 * once for all its products. The tensor cores need only 12 to 16 bytes per SM and cycle from the L2
 * cache, far less than it delivers, so blocks gain nothing by sharing fetches in a cluster.
 *
 * Tensor cores truncate when they add a group of 16 products to a sum, so they add only the
 * products of `promote` slices, starting from 0, and the CUDA cores add these sums up. Products of
 * small pieces come first in a slice, when the sum is small too and little is cut off.
 */
#ifndef KERNELS_GEMM_SPLIT_PIECES_H
#define KERNELS_GEMM_SPLIT_PIECES_H

#include "split_kernels.h"
#include "tile_ring.h"

enum {
    SLICE = SPLIT_SLICE,
    TILE_M = SPLIT_TILE_M,
    CONSUMERS = 2,
    THREADS = (CONSUMERS + 1) * WARPGROUP,
    ROW_BYTES_A = SLICE * 2,
    STRIP_BYTES = SLICE * SWIZZLE,
    MOST_SHARED = 227 << 10, /* bytes of shared memory that a block can have */
    MOST_PROMOTED = 128,     /* columns that a warpgroup has registers for, beside the sums */
    GROUP = 16,              /* rows of tiles: tile_in_groups */
    CONSUMER_REGISTERS = 240,
    PRODUCER_REGISTERS = 24
};

/* TYPE is an enum wgmma_type. A tile has COLUMNS, and an instruction `width` of them. PROMOTE is
 * the number of slices that tensor cores add up, 0 for all. */
template <int TYPE, int PIECES, int PROMOTE, int COLUMNS> struct pieces_shape {
    enum {
        type = TYPE,
        pieces = PIECES,
        promote = PROMOTE,
        tile_n = COLUMNS,
        width = PROMOTE > 0 && COLUMNS > MOST_PROMOTED ? MOST_PROMOTED : COLUMNS,
        parts = COLUMNS / width,
        strips = COLUMNS / STRIP,
        piece_a = TILE_M * ROW_BYTES_A, /* bytes */
        piece_b = strips * STRIP_BYTES,
        a_bytes = PIECES * piece_a,
        stage_bytes = a_bytes + PIECES * piece_b,
        stages = (MOST_SHARED - 2 * SWIZZLE_BLOCK) / stage_bytes, /* room to align, and barriers */
        shared_bytes = stages * stage_bytes + SWIZZLE_BLOCK
    };
    static_assert(COLUMNS % STRIP == 0 && COLUMNS % width == 0, "strips and parts are whole");
    static_assert(PROMOTE < stages || parts == 1, "slices stay in the ring for all parts");
};

/* ---- the ring -------------------------------------------------------------------------------- */

struct problem {
    float *c;
    const unsigned *peaks_a, *peaks_b;
    int m, n, k;
    int rows_b; /* of a piece of B */
};

struct ring {
    uint32_t memory, full, empty; /* `full` counts bytes, `empty` the warpgroups that have left */
};

static __device__ inline int slices_of(const struct problem &p)
{
    return (p.k + SLICE - 1) / SLICE;
}

static __device__ inline int tiles_m_of(const struct problem &p)
{
    return (p.m + TILE_M - 1) / TILE_M;
}

template <typename S> static __device__ inline int tiles_n_of(const struct problem &p)
{
    return (p.n + S::tile_n - 1) / S::tile_n;
}

/* The first row and column of a tile. */
template <typename S> static __device__ inline int2 tile_origin(const struct problem &p, int tile)
{
    const struct tile_place place = tile_in_groups(tile, tiles_m_of(p), tiles_n_of<S>(p), GROUP);
    return make_int2(place.m * TILE_M, place.n * S::tile_n);
}

/* ---- the producer ---------------------------------------------------------------------------- */

template <typename S>
static __device__ inline void fill_stage(const struct problem &p, const CUtensorMap *map_a,
                                         const CUtensorMap *map_b, uint32_t stage, uint32_t barrier,
                                         int2 origin, int k)
{
    mbarrier_expect(barrier, S::stage_bytes);
#pragma unroll
    for (int piece = 0; piece < S::pieces; piece++) {
        tensor_copy(stage + piece * S::piece_a, map_a, k, piece * p.m + origin.x, barrier);
#pragma unroll
        for (int strip = 0; strip < S::strips; strip++)
            tensor_copy(stage + S::a_bytes + piece * S::piece_b + strip * STRIP_BYTES, map_b,
                        origin.y + strip * STRIP, piece * p.rows_b + k, barrier);
    }
}

template <typename S>
static __device__ inline void produce(const struct problem &p, const CUtensorMap *map_a,
                                      const CUtensorMap *map_b, const struct ring &ring)
{
    const int tiles = tiles_m_of(p) * tiles_n_of<S>(p), slices = slices_of(p);
    struct ring_place place = {0, 1};
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int2 origin = tile_origin<S>(p, tile);
        for (int slice = 0; slice < slices; slice++, place = ring_next<S>(place)) {
            mbarrier_wait(ring.empty + 8 * place.stage, place.parity);
            fill_stage<S>(p, map_a, map_b, ring.memory + place.stage * S::stage_bytes,
                          ring.full + 8 * place.stage, origin, slice * SLICE);
        }
    }
}

/* ---- the product ----------------------------------------------------------------------------- */

/* The operand A: rows of 64 bytes, whose 16-byte pieces are swizzled in blocks of eight rows. */
static __device__ inline uint64_t operand_a(uint32_t address)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)(8 * ROW_BYTES_A >> 4) << 32 |
           (uint64_t)2 << 62;
}

/* Adds to d the products of the pieces of a slice, the small ones first. They replace what is in d
 * if `add` is 0. */
template <typename S>
static __device__ inline void multiply_pieces(float (&d)[S::width / 2], uint64_t a, uint64_t b,
                                              int add)
{
    wgmma_fence();
#pragma unroll
    for (int total = S::pieces - 1; total >= 0; total--)
#pragma unroll
        for (int piece = 0; piece <= total; piece++)
#pragma unroll
            for (int step = 0; step < SLICE / WGMMA_K; step++) {
                const bool first = total == S::pieces - 1 && piece == 0 && step == 0;
                wgmma<S::width, S::type>(
                    d, a + ((piece * S::piece_a + step * WGMMA_STEP_A) >> 4),
                    b + (((total - piece) * S::piece_b + step * WGMMA_STEP_B) >> 4),
                    first ? add : 1);
            }
    wgmma_commit();
}

static __device__ inline void leave_stage(const struct ring &ring, int stage, int thread)
{
    mbarrier_arrive_if(ring.empty + 8 * stage, thread == 0);
}

template <typename S>
static __device__ inline uint64_t stage_a(const struct ring &ring, int stage, int group)
{
    return operand_a(ring.memory + stage * S::stage_bytes + group * WGMMA_M * ROW_BYTES_A);
}

template <typename S> static __device__ inline uint64_t stage_b(const struct ring &ring, int stage)
{
    return wgmma_operand(ring.memory + stage * S::stage_bytes + S::a_bytes, STRIP_BYTES);
}

/* The tensor cores add up everything. The products of two slices are in flight. */
template <typename S>
static __device__ inline void multiply_plain(float (&sum)[S::parts][S::width / 2],
                                             struct ring_place *place, int slices,
                                             const struct ring &ring, int group, int thread)
{
    int last = 0;
    for (int slice = 0; slice < slices; slice++, *place = ring_next<S>(*place)) {
        mbarrier_wait(ring.full + 8 * place->stage, place->parity);
        multiply_pieces<S>(sum[0], stage_a<S>(ring, place->stage, group),
                           stage_b<S>(ring, place->stage), slice > 0);
        if (slice > 0) {
            wgmma_wait<1>();
            leave_stage(ring, last, thread);
        }
        last = place->stage;
    }
    wgmma_wait<0>();
    leave_stage(ring, last, thread);
}

/* Adds the products of `count` slices to part h of the sums, and leaves their stages after the last
 * part. Returns the place of the next slice. While the warpgroup waits and adds, the other one
 * keeps the tensor cores busy. */
template <typename S>
static __device__ inline struct ring_place
promote_slices(float (&sum)[S::width / 2], int h, struct ring_place place, int count,
               const struct ring &ring, int group, int thread)
{
    const uint64_t columns = h * (S::width / STRIP) * STRIP_BYTES >> 4;
    const bool leaves = h + 1 == S::parts;
    float part[S::width / 2];
    int last = 0;
#pragma unroll
    for (int slice = 0; slice < S::promote; slice++, place = ring_next<S>(place)) {
        if (slice == count) break;
        if (h == 0) mbarrier_wait(ring.full + 8 * place.stage, place.parity);
        multiply_pieces<S>(part, stage_a<S>(ring, place.stage, group),
                           stage_b<S>(ring, place.stage) + columns, slice > 0);
        if (leaves && slice > 0) {
            wgmma_wait<1>();
            leave_stage(ring, last, thread);
        }
        last = place.stage;
    }
    wgmma_wait<0>();
    if (leaves) leave_stage(ring, last, thread);
#pragma unroll
    for (int i = 0; i < S::width / 2; i++) sum[i] += part[i];
    return place;
}

template <typename S>
static __device__ inline void multiply_promoted(float (&sum)[S::parts][S::width / 2],
                                                struct ring_place *place, int slices,
                                                const struct ring &ring, int group, int thread)
{
#pragma unroll
    for (int h = 0; h < S::parts; h++)
#pragma unroll
        for (int i = 0; i < S::width / 2; i++) sum[h][i] = 0;
    for (int slice = 0; slice < slices; slice += S::promote) {
        struct ring_place next = *place;
#pragma unroll
        for (int h = 0; h < S::parts; h++)
            next = promote_slices<S>(sum[h], h, *place, slices - slice, ring, group, thread);
        *place = next;
    }
}

/* ---- results --------------------------------------------------------------------------------- */

/* The exponent by which halves of a row, or column, were scaled. */
template <typename S>
static __device__ inline int scale_at(const unsigned *peaks, int index, int count)
{
    return S::type == WGMMA_HALF && index < count ? scale_of(__ldg(peaks + index)) : 0;
}

/* In two steps, because the product of both powers need not be a float. */
template <typename S> static __device__ inline float unscaled(float x, int scale_a, int scale_b)
{
    if (S::type != WGMMA_HALF) return x;
    const int exponent = -scale_a - scale_b, half = exponent >> 1;
    return x * power_of_two(half) * power_of_two(exponent - half);
}

/* Two neighbours of a row; `column` is even. */
static __device__ inline void store_pair(const struct problem &p, int row, int column, float x,
                                         float y)
{
    float *to = p.c + (size_t)row * p.n + column;
    if (row >= p.m || column >= p.n) return;
    if (p.n % 2 == 0) {
        *reinterpret_cast<float2 *>(to) = make_float2(x, y);
    } else {
        to[0] = x;
        if (column + 1 < p.n) to[1] = y;
    }
}

/* The layout of sums in registers is described in wgmma.h. */
template <typename S>
static __device__ inline void store_sums(const struct problem &p, int2 origin, int group,
                                         int thread, const float (&sum)[S::parts][S::width / 2])
{
    const int row = origin.x + group * WGMMA_M + thread / 32 * 16 + thread % 32 / 4;
    const int scale_a[2] = {scale_at<S>(p.peaks_a, row, p.m), scale_at<S>(p.peaks_a, row + 8, p.m)};
#pragma unroll
    for (int h = 0; h < S::parts; h++)
#pragma unroll
        for (int j = 0; j < S::width / 8; j++) {
            const int column = origin.y + h * S::width + j * 8 + thread % 4 * 2;
            const int scale_x = scale_at<S>(p.peaks_b, column, p.n),
                      scale_y = scale_at<S>(p.peaks_b, column + 1, p.n);
#pragma unroll
            for (int i = 0; i < 2; i++)
                store_pair(p, row + 8 * i, column,
                           unscaled<S>(sum[h][4 * j + 2 * i], scale_a[i], scale_x),
                           unscaled<S>(sum[h][4 * j + 2 * i + 1], scale_a[i], scale_y));
        }
}

template <typename S>
static __device__ inline void consume(const struct problem &p, const struct ring &ring, int group,
                                      int thread)
{
    const int tiles = tiles_m_of(p) * tiles_n_of<S>(p);
    struct ring_place place = {0, 0};
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float sum[S::parts][S::width / 2];
        if constexpr (S::promote == 0)
            multiply_plain<S>(sum, &place, slices_of(p), ring, group, thread);
        else
            multiply_promoted<S>(sum, &place, slices_of(p), ring, group, thread);
        store_sums<S>(p, tile_origin<S>(p, tile), group, thread, sum);
    }
}

/* ---- the kernel ------------------------------------------------------------------------------ */

template <typename S>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_split_multiply(const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b, float *c,
                        const unsigned *peaks_a, const unsigned *peaks_b, int m, int n, int k,
                        int rows_b)
{
    extern __shared__ __align__(1024) unsigned char dynamic[];
    __shared__ uint64_t barriers[2 * S::stages];
    const int group = __shfl_sync(~0u, threadIdx.x / WARPGROUP, 0),
              thread = threadIdx.x % WARPGROUP;
    const struct problem p = {c, peaks_a, peaks_b, m, n, k, rows_b};
    const struct ring ring = {(shared_address(dynamic) + SWIZZLE_BLOCK - 1) / SWIZZLE_BLOCK *
                                  SWIZZLE_BLOCK,
                              shared_address(barriers), shared_address(barriers + S::stages)};
    if (threadIdx.x == 0) {
        for (int s = 0; s < S::stages; s++) {
            mbarrier_open(ring.full + 8 * s, 1);
            mbarrier_open(ring.empty + 8 * s, CONSUMERS);
        }
        mbarrier_publish();
    }
    __syncthreads();
    if (group == CONSUMERS) {
        registers_give<PRODUCER_REGISTERS>();
        if (thread == 0) produce<S>(p, &map_a, &map_b, ring);
    } else {
        registers_take<CONSUMER_REGISTERS>();
        consume<S>(p, ring, group, thread);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

static inline const char *refuse_pieces(const struct point *point, int compute_capability)
{
    if (compute_capability != 90) return "wgmma exists only on compute capability 9.0";
    return refuse_large(point);
}

/* Halves need the peaks before they are split. */
template <int TYPE> static inline unsigned pieces_launches(const struct point *point)
{
    (void)point;
    return TYPE == WGMMA_HALF ? 3 : 2;
}

/* Blocks walk through the tiles. */
template <typename S>
static inline void plan_multiplying(const struct work *work, const struct split_layout &at,
                                    struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t tiles = divide_up(gemm_m(point), TILE_M) * divide_up(gemm_n(point), S::tile_n),
                   most = work->sm_count > 0 ? (uint64_t)work->sm_count : 1;
    launch->grid[0] = (unsigned)(tiles < most ? tiles : most);
    launch->block[0] = THREADS;
    launch->dynamic_shared = S::shared_bytes;
    launch->tensor_map_count = 2;
    launch->tensor_map[0] = {in_scratch(work, at.a),
                             S::pieces * gemm_m(point),
                             gemm_k(point),
                             at.pitch_a * sizeof(uint16_t),
                             TILE_M,
                             SLICE,
                             ROW_BYTES_A,
                             ELEMENT_BFLOAT16};
    launch->tensor_map[1] = {in_scratch(work, at.b),
                             S::pieces * at.rows_b,
                             gemm_n(point),
                             at.pitch_b * sizeof(uint16_t),
                             SLICE,
                             STRIP,
                             SWIZZLE,
                             ELEMENT_BFLOAT16};
    launch_kernel(launch, gemm_split_multiply<S>, work->output, work->scratch,
                  in_scratch(work, at.peaks_b), gemm_m(point), gemm_n(point), gemm_k(point),
                  at.rows_b);
}

/* Plans a launch of a rung. */
template <int TYPE, int PIECES, int PROMOTE>
static inline void plan_pieces(const struct work *work, unsigned index, struct launch *launch)
{
    const struct split_layout at = split_layout_of(&work->point.shape, PIECES);
    const unsigned multiplying = pieces_launches<TYPE>(&work->point) - 1,
                   columns = split_columns(&work->point.shape, work->sm_count);
    if (index + 1 < multiplying)
        plan_peaks(work, at, launch);
    else if (index < multiplying)
        plan_splitting<TYPE, PIECES>(work, at, launch);
    else if (columns == 256)
        plan_multiplying<pieces_shape<TYPE, PIECES, PROMOTE, 256>>(work, at, launch);
    else if (columns == 128)
        plan_multiplying<pieces_shape<TYPE, PIECES, PROMOTE, 128>>(work, at, launch);
    else
        plan_multiplying<pieces_shape<TYPE, PIECES, PROMOTE, 64>>(work, at, launch);
}

#endif
