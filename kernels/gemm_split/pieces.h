/*
 * Shares code between the rungs that split the matrices into pieces of 16 bits beforehand: the
 * kernels that split, and the kernel that multiplies pieces with wgmma. Nothing is owned.
 *
 * A float x is the sum of its pieces: the first is x rounded to so many bits, the next what is left
 * of x, rounded again. Three bfloat16 hold all 24 bits of a float, two halves 22. The product
 * is the sum of the products of pieces, of which those are left out that are as small as the pieces
 * that do not exist.
 *
 * A block computes tiles of 128 rows of C. One thread fills a ring of stages with tensor copies;
 * two warpgroups of consumers multiply. A stage is a slice of 32 k: all pieces of A, then all of B,
 * so that a piece is fetched once for all its products. A  as rows of 64 bytes, 32 k (64-byte
 * swizzle) B  as strips of 64 columns, rows of 128 bytes (wgmma.h)
 *
 * Tensor cores truncate when they add a group of 16 products to a sum, so they add only the
 * products of `promote` slices, starting from 0, and the CUDA cores add these sums up. Products of
 * small pieces come first in a slice, when the sum is small too and little is cut off.
 */
#ifndef KERNELS_GEMM_SPLIT_PIECES_H
#define KERNELS_GEMM_SPLIT_PIECES_H

#include "split.h"
#include "wgmma.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum {
    SLICE = SPLIT_SLICE,
    TILE_M = 128,
    CONSUMERS = 2,
    THREADS = (CONSUMERS + 1) * WARPGROUP,
    ROW_BYTES_A = SLICE * 2,
    STRIP_BYTES = SLICE * SWIZZLE,
    GROUP = 16, /* rows of tiles: tile_origin */
    CONSUMER_REGISTERS = 240,
    PRODUCER_REGISTERS = 24,
    EIGHT = 8, /* elements of a piece that a thread stores at once */
    SPLIT_THREADS = 256
};

/* TYPE is an enum wgmma_type. An instruction has WIDTH columns, and a tile COLUMNS. PROMOTE is the
 * number of slices that tensor cores add up, 0 for all. The blocks of a cluster are one below the
 * other and share the columns of B. */
template <int TYPE, int PIECES, int COLUMNS, int WIDTH, int STAGES, int PROMOTE, int CLUSTER>
struct pieces_shape {
    enum {
        type = TYPE,
        pieces = PIECES,
        tile_n = COLUMNS,
        width = WIDTH,
        parts = COLUMNS / WIDTH,
        stages = STAGES,
        promote = PROMOTE,
        cluster = CLUSTER,
        strips = COLUMNS / STRIP,
        piece_a = TILE_M * ROW_BYTES_A, /* bytes */
        piece_b = strips * STRIP_BYTES,
        a_bytes = PIECES * piece_a,
        stage_bytes = a_bytes + PIECES * piece_b,
        shared_bytes = STAGES * stage_bytes + SWIZZLE_BLOCK
    };
    static_assert(parts == 1 || PROMOTE > 0, "without a second set of sums there are no parts");
    static_assert(PROMOTE < STAGES || parts == 1, "slices stay in the ring for all parts");
};

#ifdef __CUDACC__

/* ---- splitting ------------------------------------------------------------------------------- */

/* Four elements of a row; those beyond its end are 0. */
static __device__ inline float4 load_four(const float *row, unsigned column, unsigned columns)
{
    if (columns % 4 == 0)
        return column < columns ? __ldg(reinterpret_cast<const float4 *>(row + column))
                                : make_float4(0, 0, 0, 0);
    return make_float4(
        column < columns ? row[column] : 0, column + 1 < columns ? row[column + 1] : 0,
        column + 2 < columns ? row[column + 2] : 0, column + 3 < columns ? row[column + 3] : 0);
}

static __device__ inline unsigned peak_of(unsigned peak, float x)
{
    return max(peak, __float_as_uint(x) & 0x7fffffff);
}

/* Raises the peaks of the rows of A, one warp for each, and of the columns of B, a block for 128
 * columns and 256 rows. Bits of positive floats are ordered as the floats are; those of infinity
 * and NaN come last. */
enum { PEAK_COLUMNS = 128, PEAK_ROWS = 256, PEAK_WARPS = SPLIT_THREADS / 32 };

static __device__ inline void find_peaks_a(const float *a, unsigned *peaks, unsigned m, unsigned k,
                                           unsigned block)
{
    const unsigned row = block * PEAK_WARPS + threadIdx.x / 32;
    unsigned peak = 0;
    if (row >= m) return;
    for (unsigned column = threadIdx.x % 32 * 4; column < k; column += PEAK_COLUMNS) {
        const float4 x = load_four(a + (size_t)row * k, column, k);
        peak = peak_of(peak_of(peak_of(peak_of(peak, x.x), x.y), x.z), x.w);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        peak = max(peak, __shfl_xor_sync(~0u, peak, distance));
    if (threadIdx.x % 32 == 0) peaks[row] = peak;
}

static __device__ inline void find_peaks_b(const float *b, unsigned *peaks, unsigned n, unsigned k,
                                           unsigned block)
{
    __shared__ uint4 shared[PEAK_WARPS][PEAK_COLUMNS / 4];
    const unsigned strips = (n + PEAK_COLUMNS - 1) / PEAK_COLUMNS,
                   first = block % strips * PEAK_COLUMNS, top = block / strips * PEAK_ROWS,
                   lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 peak = make_uint4(0, 0, 0, 0);
    for (unsigned row = top + warp; row < min(top + PEAK_ROWS, k); row += PEAK_WARPS) {
        const float4 x = load_four(b + (size_t)row * n, first + lane * 4, n);
        peak = make_uint4(peak_of(peak.x, x.x), peak_of(peak.y, x.y), peak_of(peak.z, x.z),
                          peak_of(peak.w, x.w));
    }
    shared[warp][lane] = peak;
    __syncthreads();
    const unsigned column = threadIdx.x;
    if (column >= PEAK_COLUMNS || first + column >= n) return;
    unsigned whole = 0;
#pragma unroll
    for (int w = 0; w < PEAK_WARPS; w++)
        whole = max(whole, reinterpret_cast<const unsigned *>(shared[w])[column]);
    atomicMax(&peaks[first + column], whole);
}

static __global__ void __launch_bounds__(SPLIT_THREADS)
    gemm_split_find_peaks(const float *a, const float *b, unsigned *peaks, unsigned m, unsigned n,
                          unsigned k)
{
    const unsigned blocks_a = (m + PEAK_WARPS - 1) / PEAK_WARPS;
    if (blockIdx.x < blocks_a)
        find_peaks_a(a, peaks, m, k, blockIdx.x);
    else
        find_peaks_b(b, peaks + m, n, k, blockIdx.x - blocks_a);
}

/* 2^exponent, for -126 to 127. */
static __device__ inline float power_of_two(int exponent)
{
    return __int_as_float((exponent + 127) << 23);
}

/* The power of two that brings the peak of a row or column to between 2^14 and 2^15: the largest
 * half is 65504. */
static __device__ inline int scale_of(unsigned peak)
{
    return peak == 0 ? 0 : 14 + 127 - max((int)(peak >> 23), 1);
}

/* Multiplies by 2^exponent, up to 252 either way, in two steps: the power need not be a float. */
static __device__ inline float scaled(float x, int exponent)
{
    return x * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2);
}

/* Rounds to the piece's type, and takes what is left. Numbers too large for bfloat16 by less than
 * half a unit are cut to the largest. */
template <int TYPE> static __device__ inline uint16_t take_piece(float *x)
{
    if constexpr (TYPE == WGMMA_BFLOAT16) {
        const float largest = __uint_as_float(0x7f7f0000);
        const __nv_bfloat16 piece = __float2bfloat16_rn(fminf(fmaxf(*x, -largest), largest));
        *x -= __bfloat162float(piece);
        return __bfloat16_as_ushort(piece);
    } else {
        const __half piece = __float2half_rn(*x);
        *x -= __half2float(piece);
        return __half_as_ushort(piece);
    }
}

/* A matrix and its pieces, which have `filled` rows each. Peaks are those of its rows, or of its
 * columns. */
struct splitting {
    const float *from;
    uint16_t *to;
    const unsigned *peaks;
    unsigned rows, filled, columns, pitch;
    bool by_rows;
};

/* Splits eight elements of a row. */
template <int TYPE, int PIECES>
static __device__ inline void split_eight(const struct splitting &s, unsigned index)
{
    const unsigned row = index / (s.pitch / EIGHT), column = index % (s.pitch / EIGHT) * EIGHT;
    const float *from = s.from + (size_t)row * s.columns;
    float x[EIGHT] = {0};
    uint16_t piece[PIECES][EIGHT];
    if (row < s.rows) {
        *reinterpret_cast<float4 *>(&x[0]) = load_four(from, column, s.columns);
        *reinterpret_cast<float4 *>(&x[4]) = load_four(from, column + 4, s.columns);
    }
#pragma unroll
    for (int i = 0; i < EIGHT; i++) {
        if (TYPE == WGMMA_HALF && row < s.rows && column + i < s.columns)
            x[i] = scaled(x[i], scale_of(s.peaks[s.by_rows ? row : column + i]));
#pragma unroll
        for (int p = 0; p < PIECES; p++) piece[p][i] = take_piece<TYPE>(&x[i]);
    }
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        uint4 words;
        words.x = piece[p][0] | (unsigned)piece[p][1] << 16;
        words.y = piece[p][2] | (unsigned)piece[p][3] << 16;
        words.z = piece[p][4] | (unsigned)piece[p][5] << 16;
        words.w = piece[p][6] | (unsigned)piece[p][7] << 16;
        *reinterpret_cast<uint4 *>(s.to + ((size_t)p * s.filled + row) * s.pitch + column) = words;
    }
}

template <int TYPE, int PIECES>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    gemm_split_pieces(const float *a, const float *b, uint16_t *to_a, uint16_t *to_b,
                      const unsigned *peaks, unsigned m, unsigned n, unsigned k, unsigned pitch_a,
                      unsigned pitch_b, unsigned rows_b)
{
    const unsigned count_a = m * (pitch_a / EIGHT), count_b = rows_b * (pitch_b / EIGHT),
                   index = blockIdx.x * SPLIT_THREADS + threadIdx.x;
    if (index < count_a)
        split_eight<TYPE, PIECES>({a, to_a, peaks, m, m, k, pitch_a, true}, index);
    else if (index - count_a < count_b)
        split_eight<TYPE, PIECES>({b, to_b, peaks + m, k, rows_b, n, pitch_b, false},
                                  index - count_a);
}

/* ---- the ring -------------------------------------------------------------------------------- */

struct ring_place {
    int stage;
    uint32_t parity;
};

template <typename S> static __device__ inline void ring_advance(struct ring_place *place)
{
    if (++place->stage < S::stages) return;
    place->stage = 0;
    place->parity ^= 1;
}

struct problem {
    float *c;
    const unsigned *peaks;
    int m, n, k;
    int rows_b; /* of a piece of B */
};

struct ring {
    uint32_t memory, full, empty; /* `full` counts bytes; `empty` the warpgroups that have left,
                                     also those of the other block of a cluster */
    int rank;                     /* of the block in its cluster */
};

static __device__ inline int slices_of(const struct problem &p)
{
    return (p.k + SLICE - 1) / SLICE;
}

template <typename S> static __device__ inline int tiles_of(const struct problem &p)
{
    return (p.m + S::cluster * TILE_M - 1) / (S::cluster * TILE_M) *
           ((p.n + S::tile_n - 1) / S::tile_n);
}

/* The first row and column of this block's part of a cluster's tile. Tiles are numbered down groups
 * of GROUP rows of tiles, so that blocks that run together share their reads. */
template <typename S>
static __device__ inline int2 tile_origin(const struct problem &p, int tile, int rank)
{
    constexpr int group = GROUP / S::cluster;
    const int tiles_m = (p.m + S::cluster * TILE_M - 1) / (S::cluster * TILE_M),
              tiles_n = (p.n + S::tile_n - 1) / S::tile_n, per_group = group * tiles_n;
    const int first = tile / per_group * group, within = tile % per_group,
              rows = min(tiles_m - first, group);
    return make_int2(((first + within % rows) * S::cluster + rank) * TILE_M,
                     within / rows * S::tile_n);
}

/* ---- the producer ---------------------------------------------------------------------------- */

template <typename S>
static __device__ inline void fill_stage(const struct problem &p, const CUtensorMap *map_a,
                                         const CUtensorMap *map_b, uint32_t stage, uint32_t barrier,
                                         int2 origin, int k, int rank)
{
    constexpr int strips = S::strips / S::cluster; /* of B, that this block fetches */
    mbarrier_expect(barrier, S::stage_bytes);
#pragma unroll
    for (int piece = 0; piece < S::pieces; piece++) {
        tensor_copy(stage + piece * S::piece_a, map_a, k, piece * p.m + origin.x, barrier);
#pragma unroll
        for (int i = 0; i < strips; i++) {
            const int strip = rank * strips + i;
            const uint32_t to = stage + S::a_bytes + piece * S::piece_b + strip * STRIP_BYTES;
            if constexpr (S::cluster == 1)
                tensor_copy(to, map_b, origin.y + strip * STRIP, piece * p.rows_b + k, barrier);
            else
                tensor_copy_multicast(to, map_b, origin.y + strip * STRIP, piece * p.rows_b + k,
                                      barrier, (1 << S::cluster) - 1);
        }
    }
}

template <typename S>
static __device__ inline void produce(const struct problem &p, const CUtensorMap *map_a,
                                      const CUtensorMap *map_b, const struct ring &ring)
{
    struct ring_place place = {0, 1};
    for (int tile = blockIdx.x / S::cluster; tile < tiles_of<S>(p);
         tile += gridDim.x / S::cluster) {
        const int2 origin = tile_origin<S>(p, tile, ring.rank);
        for (int slice = 0; slice < slices_of(p); slice++, ring_advance<S>(&place)) {
            mbarrier_wait(ring.empty + 8 * place.stage, place.parity);
            fill_stage<S>(p, map_a, map_b, ring.memory + place.stage * S::stage_bytes,
                          ring.full + 8 * place.stage, origin, slice * SLICE, ring.rank);
        }
    }
    /* A block must not end while the other may still write to it or arrive at its barriers. */
    if (S::cluster > 1)
        for (int i = 0; i < S::stages; i++, ring_advance<S>(&place))
            mbarrier_wait(ring.empty + 8 * place.stage, place.parity);
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

template <typename S>
static __device__ inline void leave_stage(const struct ring &ring, int stage, int thread)
{
    if constexpr (S::cluster == 1)
        mbarrier_arrive_if(ring.empty + 8 * stage, thread == 0);
    else
        mbarrier_arrive_remote_if(ring.empty + 8 * stage, thread, thread < S::cluster);
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
    for (int slice = 0; slice < slices; slice++, ring_advance<S>(place)) {
        mbarrier_wait(ring.full + 8 * place->stage, place->parity);
        multiply_pieces<S>(sum[0], stage_a<S>(ring, place->stage, group),
                           stage_b<S>(ring, place->stage), slice > 0);
        if (slice > 0) {
            wgmma_wait<1>();
            leave_stage<S>(ring, last, thread);
        }
        last = place->stage;
    }
    wgmma_wait<0>();
    leave_stage<S>(ring, last, thread);
}

/* Adds the products of `count` slices to part h of the sums, and leaves their stages after the last
 * part. While the warpgroup waits and adds, the other one keeps the tensor cores busy. */
template <typename S>
static __device__ inline void promote_slices(float (&sum)[S::width / 2], int h,
                                             struct ring_place place, int count,
                                             const struct ring &ring, int group, int thread)
{
    const uint64_t columns = h * (S::width / STRIP) * STRIP_BYTES >> 4;
    const bool leaves = h + 1 == S::parts;
    float part[S::width / 2];
    int last = 0;
    for (int slice = 0; slice < count; slice++, ring_advance<S>(&place)) {
        if (h == 0) mbarrier_wait(ring.full + 8 * place.stage, place.parity);
        multiply_pieces<S>(part, stage_a<S>(ring, place.stage, group),
                           stage_b<S>(ring, place.stage) + columns, slice > 0);
        if (leaves && slice > 0) {
            wgmma_wait<1>();
            leave_stage<S>(ring, last, thread);
        }
        last = place.stage;
    }
    wgmma_wait<0>();
    if (leaves) leave_stage<S>(ring, last, thread);
#pragma unroll
    for (int i = 0; i < S::width / 2; i++) sum[i] += part[i];
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
        const int count = min(slices - slice, (int)S::promote);
#pragma unroll
        for (int h = 0; h < S::parts; h++)
            promote_slices<S>(sum[h], h, *place, count, ring, group, thread);
        for (int i = 0; i < count; i++) ring_advance<S>(place);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

/* Two neighbours of a row; `column` is even. */
template <typename S>
static __device__ inline void store_pair(const struct problem &p, int row, int column, float x,
                                         float y)
{
    float *to = p.c + (size_t)row * p.n + column;
    const bool both = column + 1 < p.n;
    if (row >= p.m || column >= p.n) return;
    if (S::type == WGMMA_HALF) {
        const int scale = scale_of(p.peaks[row]);
        x = scaled(x, max(-scale - scale_of(p.peaks[p.m + column]), -252));
        if (both) y = scaled(y, max(-scale - scale_of(p.peaks[p.m + column + 1]), -252));
    }
    if (p.n % 2 == 0) {
        *reinterpret_cast<float2 *>(to) = make_float2(x, y);
    } else {
        to[0] = x;
        if (both) to[1] = y;
    }
}

/* The layout of sums in registers is described in wgmma.h. */
template <typename S>
static __device__ inline void store_sums(const struct problem &p, int2 origin, int group,
                                         int thread, const float (&sum)[S::parts][S::width / 2])
{
    const int row = origin.x + group * WGMMA_M + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int h = 0; h < S::parts; h++)
#pragma unroll
        for (int j = 0; j < S::width / 8; j++) {
            const int column = origin.y + h * S::width + j * 8 + thread % 4 * 2;
            store_pair<S>(p, row, column, sum[h][4 * j], sum[h][4 * j + 1]);
            store_pair<S>(p, row + 8, column, sum[h][4 * j + 2], sum[h][4 * j + 3]);
        }
}

template <typename S>
static __device__ inline void consume(const struct problem &p, const struct ring &ring, int group,
                                      int thread)
{
    struct ring_place place = {0, 0};
    for (int tile = blockIdx.x / S::cluster; tile < tiles_of<S>(p);
         tile += gridDim.x / S::cluster) {
        float sum[S::parts][S::width / 2];
        if constexpr (S::promote == 0)
            multiply_plain<S>(sum, &place, slices_of(p), ring, group, thread);
        else
            multiply_promoted<S>(sum, &place, slices_of(p), ring, group, thread);
        store_sums<S>(p, tile_origin<S>(p, tile, ring.rank), group, thread, sum);
    }
}

/* ---- the kernel ------------------------------------------------------------------------------ */

template <typename S>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_split_multiply(const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b, float *c, const unsigned *peaks,
                        int m, int n, int k, int rows_b)
{
    extern __shared__ __align__(1024) unsigned char dynamic[];
    __shared__ uint64_t barriers[2 * S::stages];
    const int group = __shfl_sync(~0u, threadIdx.x / WARPGROUP, 0),
              thread = threadIdx.x % WARPGROUP;
    const struct problem p = {c, peaks, m, n, k, rows_b};
    const struct ring ring = {(shared_address(dynamic) + SWIZZLE_BLOCK - 1) / SWIZZLE_BLOCK *
                                  SWIZZLE_BLOCK,
                              shared_address(barriers), shared_address(barriers + S::stages),
                              S::cluster > 1 ? (int)rank_in_cluster() : 0};
    if (threadIdx.x == 0) {
        for (int s = 0; s < S::stages; s++) {
            mbarrier_open(ring.full + 8 * s, 1);
            mbarrier_open(ring.empty + 8 * s, CONSUMERS * S::cluster);
        }
        mbarrier_publish();
    }
    if (S::cluster > 1)
        cluster_barrier(); /* no block writes to a barrier before it is initialised */
    else
        __syncthreads();
    if (group == CONSUMERS) {
        registers_give<PRODUCER_REGISTERS>();
        if (thread == 0) produce<S>(p, &map_a, &map_b, ring);
    } else {
        registers_take<CONSUMER_REGISTERS>();
        consume<S>(p, ring, group, thread);
    }
}

#endif

/* ---- launches -------------------------------------------------------------------------------- */

static inline const char *refuse_pieces(const struct point *point, int compute_capability)
{
    if (compute_capability != 90) return "wgmma exists only on compute capability 9.0";
    return refuse_large(point);
}

/* The pieces of halves come after the peaks: three launches. */
static inline unsigned peaks_launches(const struct point *point)
{
    (void)point;
    return 3;
}

static inline unsigned pieces_launches(const struct point *point)
{
    (void)point;
    return 2;
}

static inline void *in_scratch(const struct work *work, size_t at)
{
    return static_cast<unsigned char *>(work->scratch) + at;
}

static inline void plan_peaks(const struct work *work, struct launch *launch)
{
    const struct point *point = &work->point;
    launch->grid[0] =
        (unsigned)(divide_up(gemm_m(point), PEAK_WARPS) +
                   divide_up(gemm_n(point), PEAK_COLUMNS) * divide_up(gemm_k(point), PEAK_ROWS));
    launch->block[0] = SPLIT_THREADS;
    launch->clear_scratch = (gemm_m(point) + gemm_n(point)) * sizeof(unsigned);
    launch_kernel(launch, gemm_split_find_peaks, work->input[0], work->input[1], work->scratch,
                  gemm_m(point), gemm_n(point), gemm_k(point));
}

template <typename S>
static inline void plan_splitting(const struct work *work, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct split_layout at = split_layout_of(&point->shape, S::pieces);
    const uint64_t count = (gemm_m(point) * at.pitch_a + at.rows_b * at.pitch_b) / EIGHT;
    launch->grid[0] = (unsigned)divide_up(count, SPLIT_THREADS);
    launch->block[0] = SPLIT_THREADS;
    launch_kernel(launch, gemm_split_pieces<S::type, S::pieces>, work->input[0], work->input[1],
                  in_scratch(work, at.a), in_scratch(work, at.b), work->scratch, gemm_m(point),
                  gemm_n(point), gemm_k(point), at.pitch_a, at.pitch_b, at.rows_b);
}

/* Blocks walk through the tiles. */
template <typename S>
static inline void plan_multiplying(const struct work *work, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct split_layout at = split_layout_of(&point->shape, S::pieces);
    const uint64_t tiles = divide_up(gemm_m(point), S::cluster * TILE_M) *
                           divide_up(gemm_n(point), S::tile_n),
                   most = (uint64_t)(work->sm_count / S::cluster);
    launch->grid[0] = (unsigned)((tiles < most ? tiles : most ? most : 1) * S::cluster);
    launch->block[0] = THREADS;
    launch->dynamic_shared = S::shared_bytes;
    launch->cluster = S::cluster > 1 ? S::cluster : 0;
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
    launch_kernel(launch, gemm_split_multiply<S>, work->output, work->scratch, gemm_m(point),
                  gemm_n(point), gemm_k(point), at.rows_b);
}

#endif
