/*
 * Shares code between the rungs that give every SM an equal share of the work (stream-K): a kernel
 * whose blocks first take whole tiles and then pieces of the remaining ones, and its launch. The
 * story is told in rung 17. Nothing is owned; the only state is the flags of partial tiles, which
 * are clear between launches: the block that waits for one clears it.
 */
#ifndef KERNELS_GEMM_STREAM_K_H
#define KERNELS_GEMM_STREAM_K_H

#include "by_shape.h"
#include "copies.h"
#include "ring.h"

enum {
    WARPS = 8, /* that multiply */
    CONSUMERS = 32 * WARPS,
    THREADS = CONSUMERS + PRODUCERS,
    MOST_BLOCKS = 508 /* whose partial tiles fit in the family's scratch buffer */
};

using large = ring_shape<2, 4, 4, 2, 4, 4, true>; /* 128 x 256 */
using high = ring_shape<4, 2, 3, 2, 4, 5>;        /* 192 x 128 */
using wide = ring_shape<4, 2, 2, 3, 4, 5>;        /* 128 x 192 */
using middle = ring_shape<4, 2, 2, 2, 4, 6>;      /* 128 x 128 */
using small = ring_shape<2, 4, 2, 1, 4, 8, true>; /* 64 x 128 */

/* A warp stages four rows of its results in shared memory; `pitch` floats apart, they begin in
 * different banks. */
template <typename S> struct staged_shape {
    enum { pitch = S::warp_n + 8, warp_floats = LANES_M * pitch, bytes = WARPS * warp_floats * 4 };
};

/* A copy of B lies behind the partial tiles. */
static const size_t PADDED_AT = (size_t)1 << 26;

static_assert((size_t)MOST_BLOCKS * large::block_m * large::block_n * 4 <= PADDED_AT,
              "a partial tile for each block");

/* Whether a block has left its partial tile. */
static __device__ unsigned partial_is_there[MOST_BLOCKS];

/* A partial tile is stored in the consumers' layout: quad after quad, each 16 bytes for all
 * consumers. A stage of the ring holds stage_quads of them. */
template <typename S> struct partial_shape {
    enum {
        quads = S::quads_m * 4 * S::quads_n,
        quad_bytes = CONSUMERS * 16,
        stage_quads = S::stage_bytes / quad_bytes,
        stages = (quads + stage_quads - 1) / stage_quads
    };
};

/* How B gets into the ring: one or two words at a time, or by the copy engine. */
enum path { BY_WORDS = 1, BY_PAIRS = 2, BY_TENSOR };

struct problem {
    const float *a, *b;
    float *c, *partial;
    int m, n, k;
    int waves; /* whole tiles that each block takes first */
    float alpha;
};

/* Shares of k are counted in steps of UNROLL k, which are multiplied whole. A stage of the ring
 * holds so many. */
enum { SLICE_STEPS = SLICE / UNROLL };

/* A piece of work: steps [from, to) of a tile. */
struct piece {
    int tile, from, to;
};

/* The pieces of a block, in order. Consumers and producers walk through the same list. */
struct walk {
    int tiles_m, tiles_n, steps;
    int wave, waves;   /* whole tiles: taken, and total */
    int shared_from;   /* the first shared tile */
    int share, longer; /* steps of a block's share; the first `longer` blocks have one more */
    int next, end;     /* the share of this block, in steps of the shared tiles */
};

static __device__ inline int share_begin(const struct walk &w, int block)
{
    return block * w.share + (block < w.longer ? block : w.longer);
}

template <typename S> static __device__ inline struct walk walk_open(const struct problem &p)
{
    struct walk w;
    const int blocks = gridDim.x;
    w.tiles_m = (p.m + S::block_m - 1) / S::block_m;
    w.tiles_n = (p.n + S::block_n - 1) / S::block_n;
    w.steps = (p.k + UNROLL - 1) / UNROLL;
    w.wave = 0;
    w.waves = p.waves;
    w.shared_from = p.waves * blocks;
    const int shared = (w.tiles_m * w.tiles_n - w.shared_from) * w.steps;
    w.share = shared / blocks;
    w.longer = shared % blocks;
    w.next = share_begin(w, blockIdx.x);
    w.end = share_begin(w, blockIdx.x + 1);
    return w;
}

/* Not inlined: its results then count as uniform over all lanes, and the loops that they bound need
 * no code for divergent lanes. */
static __device__ __noinline__ bool walk_next(struct walk *w, struct piece *piece)
{
    if (w->wave < w->waves) {
        *piece = {w->wave++ * (int)gridDim.x + (int)blockIdx.x, 0, w->steps};
        return true;
    }
    if (w->next >= w->end) return false;
    const int from = w->next % w->steps, left = w->end - w->next;
    *piece = {w->shared_from + w->next / w->steps, from,
              left < w->steps - from ? from + left : w->steps};
    w->next += piece->to - from;
    return true;
}

/* Whether the piece is the beginning of a tile, and no more: only the last piece of a block can
 * be. */
static __device__ inline bool begins_tile(const struct walk &w, const struct piece &piece)
{
    return piece.from == 0 && piece.to < w.steps;
}

/* The blocks after this one that compute the rest of that tile. */
static __device__ inline int blocks_of_rest(const struct walk &w, const struct piece &piece)
{
    const int end = (piece.tile - w.shared_from + 1) * w.steps;
    int count = 0;
    while (share_begin(w, blockIdx.x + count + 1) < end) count++;
    return count;
}

/* ---- producers ------------------------------------------------------------------------------- */

/* A slice of B that begins at k = `first`, WIDTH words at a time: the lanes are arranged along n.
 * Columns beyond the matrix are left out, as rows are by copy_a. */
template <typename S, int WIDTH>
static __device__ inline void copy_b(uint32_t stage, const struct problem &p, int tile_n, int first,
                                     int producer, int lane)
{
    constexpr int ACROSS = 32 * WIDTH;
    const int k = first + producer, n = tile_n * S::block_n + lane * WIDTH;
    const float *from = p.b + (size_t)k * p.n + n;
    uint32_t to = stage + S::a_bytes + (producer * S::block_n + lane * WIDTH) * 4;
    if (first + SLICE <= p.k) {
        const int columns = p.n - n;
#pragma unroll
        for (int i = 0; i < SLICE / 4; i++, from += (size_t)4 * p.n)
#pragma unroll
            for (int j = 0; j < S::block_n / ACROSS; j++)
                if (j * ACROSS < columns)
                    copy_words<WIDTH>(to + (i * 4 * S::block_n + j * ACROSS) * 4, from + j * ACROSS,
                                      true);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < SLICE / 4; i++, from += (size_t)4 * p.n, to += 16 * S::block_n)
#pragma unroll
        for (int j = 0; j < S::block_n / ACROSS; j++) {
            const bool there = n + j * ACROSS < p.n && k + i * 4 < p.k;
            copy_words<WIDTH>(to + j * ACROSS * 4, there ? from + j * ACROSS : p.b, there);
        }
}

template <typename S>
static __device__ inline char *partial_of(const struct problem &p, unsigned block)
{
    return (char *)p.partial + (size_t)block * S::block_m * S::block_n * 4;
}

/* Brings the partial tile of a block into stages of the ring. One thread waits for it and requests
 * the copies; the others only arrive at the barriers. */
template <typename S>
static __device__ inline struct ring_place
bring_partial(const struct problem &p, unsigned block, struct ring_place place, uint32_t ring,
              uint32_t full, uint32_t empty, bool requests)
{
    using partial = partial_shape<S>;
    if (requests) flag_take(partial_is_there + block);
#pragma unroll 1
    for (int quad = 0; quad < partial::quads; quad += partial::stage_quads) {
        const uint32_t barrier = full + 8 * place.stage,
                       bytes = min((int)partial::stage_quads, partial::quads - quad) *
                               partial::quad_bytes;
        mbarrier_wait(empty + 8 * place.stage, place.parity);
        if (requests) {
            fence_all_before_engine();
            mbarrier_expect_more(barrier, bytes);
            engine_copy(ring + place.stage * S::stage_bytes,
                        partial_of<S>(p, block) + quad * partial::quad_bytes, bytes, barrier);
        }
        mbarrier_arrive_after_words(barrier);
        place = ring_next<S>(place);
    }
    return place;
}

template <typename S, enum path PATH_B>
static __device__ inline void produce(const struct problem &p, const CUtensorMap *map_b,
                                      uint32_t ring, uint32_t full, uint32_t empty, int producer,
                                      int lane)
{
    struct ring_place place = {0, 1};
    struct walk walk = walk_open<S>(p);
    struct piece piece = {0, 1, 0};
    while (walk_next(&walk, &piece)) {
        const struct tile_place tile =
            tile_in_groups(piece.tile, walk.tiles_m, walk.tiles_n, GROUP);
        for (int step = piece.from; step < piece.to;
             step += SLICE_STEPS, place = ring_next<S>(place)) {
            const int first = step * UNROLL;
            const uint32_t stage = ring + place.stage * S::stage_bytes,
                           barrier = full + 8 * place.stage;
            mbarrier_wait(empty + 8 * place.stage, place.parity);
            if (PATH_B == BY_TENSOR && producer == 0 && lane == 0) {
                mbarrier_expect_more(barrier, S::b_bytes);
                tensor_copy(stage + S::a_bytes, map_b, tile.n * S::block_n, first, barrier);
            }
            copy_a<S>(stage, p.a, p.m, p.k, tile.m, first, producer, lane);
            if constexpr (PATH_B != BY_TENSOR)
                copy_b<S, PATH_B>(stage, p, tile.n, first, producer, lane);
            mbarrier_arrive_after_words(barrier);
        }
    }
    if (begins_tile(walk, piece)) {
        const int blocks = blocks_of_rest(walk, piece);
#pragma unroll 1
        for (int i = 1; i <= blocks; i++)
            place = bring_partial<S>(p, blockIdx.x + i, place, ring, full, empty,
                                     producer == 0 && lane == 0);
    }
    copy_words_finish();
}

/* ---- consumers ------------------------------------------------------------------------------- */

template <typename S>
static __device__ inline void leave_partial(const struct problem &p,
                                            const float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
    float4 *to = (float4 *)partial_of<S>(p, blockIdx.x) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++)
#pragma unroll
        for (int j = 0; j < S::quads_n; j++)
            to[(i * S::quads_n + j) * CONSUMERS] = quad_of<S>(sum, i, j);
    __threadfence();
    barrier_of(1, CONSUMERS);
    if (threadIdx.x == 0) flag_set(partial_is_there + blockIdx.x);
}

/* Adds the rest of a tile, which the producers bring into the ring, in the order of the blocks. */
template <typename S>
static __device__ inline void add_partials(float (&sum)[S::quads_m * 4][S::quads_n * 4],
                                           struct ring_place *place, int blocks, uint32_t ring,
                                           uint32_t full, uint32_t empty, int lane)
{
    using partial = partial_shape<S>;
#pragma unroll 1
    for (int block = 0; block < blocks; block++)
#pragma unroll
        for (int stage = 0; stage < partial::stages; stage++) {
            const uint32_t from = ring + place->stage * S::stage_bytes + threadIdx.x * 16;
            uint32_t loaded = 0;
            mbarrier_wait(full + 8 * place->stage, place->parity);
#pragma unroll
            for (int q = 0; q < partial::stage_quads; q++) {
                const int quad = stage * partial::stage_quads + q, i = quad / S::quads_n,
                          j = quad % S::quads_n;
                if (quad >= partial::quads) break;
                const float4 v = load_quad(from + q * partial::quad_bytes);
                loaded |= __float_as_uint(v.x);
#pragma unroll
                for (int e = 0; e < 4; e++) sum[i][4 * j + e] += element(v, e);
            }
            __syncwarp();
            mbarrier_arrive_if(empty + 8 * place->stage, once_loaded(lane == 0, loaded));
            *place = ring_next<S>(*place);
        }
}

/* If rows of C do not begin at multiples of 16 bytes, a warp rearranges four rows at a time in
 * shared memory, so that its lanes store neighbouring words. */
template <typename S>
static __device__ inline void store_words(const struct problem &p, int row, int column, int warp,
                                          int lane, float *staged,
                                          const float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
    using rows = staged_shape<S>;
    float *mine = staged + warp * rows::warp_floats;
    const int first_n = column + warp % S::warps_n * S::warp_n + lane;
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++) {
        const int first_m = row + row_of<S>(warp, 0, i);
#pragma unroll
        for (int j = 0; j < S::quads_n; j++)
            *reinterpret_cast<float4 *>(mine + lane % LANES_M * rows::pitch +
                                        (lane / LANES_M + j * LANES_N) * 4) = quad_of<S>(sum, i, j);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < LANES_M; r++)
#pragma unroll
            for (int j = 0; j < S::warp_n / 32; j++) {
                const float word =
                    load_word(shared_address(mine + r * rows::pitch + lane + 32 * j));
                if (first_m + 4 * r < p.m && first_n + 32 * j < p.n)
                    p.c[(size_t)(first_m + 4 * r) * p.n + first_n + 32 * j] = word;
            }
        __syncwarp();
    }
}

template <typename S>
static __device__ inline void consume(const struct problem &p, uint32_t ring, float *staged,
                                      uint32_t full, uint32_t empty, int warp, int lane)
{
    struct ring_place place = {0, 0};
    struct walk walk = walk_open<S>(p);
    struct piece piece;
    while (walk_next(&walk, &piece)) {
        const struct tile_place tile =
            tile_in_groups(piece.tile, walk.tiles_m, walk.tiles_n, GROUP);
        const int row = tile.m * S::block_m, column = tile.n * S::block_n;
        float sum[S::quads_m * 4][S::quads_n * 4];
        clear_sums<S>(sum);
        multiply_slices<S>(sum, &place, (piece.to - piece.from) * UNROLL, ring, full, empty, warp,
                           lane);
        scale_sums<S>(sum, p.alpha);
        if (piece.from > 0) {
            leave_partial<S>(p, sum);
            continue;
        }
        if (begins_tile(walk, piece))
            add_partials<S>(sum, &place, blocks_of_rest(walk, piece), ring, full, empty, lane);
        if (p.n % 4 == 0)
            store_quads<S>(p.c, p.m, p.n, row, column, warp, lane, sum);
        else
            store_words<S>(p, row, column, warp, lane, staged, sum);
    }
}

template <typename S, enum path PATH_B>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_stream_k(const __grid_constant__ CUtensorMap map_b, const float *a, const float *b,
                  float *c, float *partial, int m, int n, int k, int waves, uint32_t alpha_bits)
{
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ uint64_t full[S::stages], empty[S::stages];
    const struct problem p = {a, b, c, partial, m, n, k, waves, __uint_as_float(alpha_bits)};
    const uint32_t ring = shared_address(memory);
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < S::stages; s++) {
            mbarrier_open(shared_address(&full[s]), PRODUCERS);
            mbarrier_open(shared_address(&empty[s]), WARPS);
        }
        mbarrier_publish();
    }
    __syncthreads();
    if (warp >= WARPS) {
        registers_give<PRODUCER_REGISTERS>();
        produce<S, PATH_B>(p, &map_b, ring, shared_address(full), shared_address(empty),
                           warp - WARPS, lane);
    } else {
        registers_take<CONSUMER_REGISTERS>();
        consume<S>(p, ring, (float *)(memory + S::ring_bytes), shared_address(full),
                   shared_address(empty), warp, lane);
    }
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The columns of B in rows of whole quads (padded_b.h). */
static inline __host__ __device__ int padded_pitch(int n)
{
    return (n + 3) / 4 * 4;
}

/* Blocks that share tiles are launched together (a cooperative launch): otherwise a block could
 * wait for one that cannot be scheduled. */
template <typename S>
static void plan_stream(const struct work *work, const struct by_shape_choice &plan,
                        struct launch *launch)
{
    const struct point *point = &work->point;
    const int by_tensor = gemm_n(point) % 4 == 0 || plan.padded;
    launch->function = by_tensor                ? (const void *)gemm_stream_k<S, BY_TENSOR>
                       : gemm_n(point) % 2 == 0 ? (const void *)gemm_stream_k<S, BY_PAIRS>
                                                : (const void *)gemm_stream_k<S, BY_WORDS>;
    launch->grid[0] = (unsigned)plan.blocks;
    launch->block[0] = THREADS;
    launch->dynamic_shared = S::ring_bytes + staged_shape<S>::bytes;
    launch->tensor_map_count = 1;
    launch->tensor_map[0] = {plan.padded ? (char *)work->scratch + PADDED_AT : work->input[1],
                             gemm_k(point),
                             gemm_n(point),
                             padded_pitch((int)gemm_n(point)) * sizeof(float),
                             SLICE,
                             S::block_n,
                             0};
    /* The map is unused if the words are copied one by one; but it is an argument and must be a
     * valid map. */
    if (!by_tensor)
        launch->tensor_map[0] = {work->scratch, SLICE,      S::block_n, S::block_n * sizeof(float),
                                 SLICE,         S::block_n, 0};
    launch->cooperative = plan.split;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->input[1]);
    launch_pointer(launch, work->output);
    launch_pointer(launch, work->scratch);
    for (int i = 0; i < 3; i++) launch_integer(launch, point->shape.dim[i]);
    launch_integer(launch, (uint64_t)plan.waves);
    launch_integer(launch, FLOAT_ONE);
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

template <typename S> static inline int address_staged(int lane)
{
    return (lane % LANES_M * staged_shape<S>::pitch + lane / LANES_M * 4) * 4;
}

static inline int address_of_own_quad(int lane)
{
    return lane * 16;
}

template <typename S>
static int describe_stream(const struct work *work, const struct by_shape_choice &plan,
                           struct shared_access *list)
{
    const struct point *point = &work->point;
    const int64_t tiles =
        (int64_t)(divide_up(gemm_m(point), S::block_m) * divide_up(gemm_n(point), S::block_n));
    const int64_t steps = (int64_t)divide_up(gemm_k(point), UNROLL),
                  shared = (tiles - (int64_t)plan.waves * plan.blocks) * steps;
    int64_t pieces = tiles; /* plus one for each share that begins within a tile */
    for (int64_t block = 1; block < plan.blocks; block++) {
        const int64_t longer = shared % plan.blocks;
        pieces += (block * (shared / plan.blocks) + (block < longer ? block : longer)) % steps > 0;
    }
    int count = describe_fragments<S>(list, 0, (double)(tiles * steps * UNROLL));
    if (pieces > tiles)
        count = describe(list, count, "reads of partial tiles", ACCESS_LOAD, 16,
                         (double)(pieces - tiles) * WARPS * partial_shape<S>::quads,
                         address_of_own_quad);
    if (gemm_n(point) % 4 == 0) return count;
    const double rows = (double)tiles * WARPS * S::quads_m * 4;
    count = describe(list, count, "writes of staged results", ACCESS_STORE, 16, rows * S::quads_n,
                     address_staged<S>);
    return describe(list, count, "reads of staged results", ACCESS_LOAD, 4,
                    rows * LANES_M * S::warp_n / 32, address_of_neighbours);
}

#endif
