/*
 * Shares code for products with few tiles and a large K: tiles of C whose k is divided among the
 * blocks of a cluster, among groups of warps of a block, and into parts in scratch memory; or all
 * blocks have equal shares of the stages of all tiles. As in stream_k.h, producer warps fill a ring
 * of stages. Shapes are arbitrary, and the order of all additions is fixed. Nothing is owned.
 *
 * The groups multiply different k of the same stages, so a lane can have 16 x 8 elements even of a
 * small tile: it reads three quarters of the words of shared memory that it would read with 8 x 8.
 *
 * Neither matrix is copied as it lies. The copy engine asks for rows that begin at multiples of 16
 * bytes; so it takes B for a matrix whose rows are four rows of B, and brings every fourth row of a
 * slice at a time: row k of a slice of 32 becomes row k % 4 * 8 + k / 4 of the stage. Its copies
 * begin at multiples of 16 bytes, too. If N is no multiple of four, they begin up to three columns
 * early, the same number for all k of a group; so a tile is four columns narrower than its sums,
 * and the sums of the groups are shifted as they are added.
 *
 * Words of A are copied into the same rows, 32 neighbours of a row of A at a time, which is one
 * request to the L2 cache. Each group rotates the words of the quads of its rows by its number, so
 * that the 32 words go to different banks.
 */
#ifndef KERNELS_GEMM_SHARE_TILES_H
#define KERNELS_GEMM_SHARE_TILES_H

#include "plans.h"
#include "split_tiles.h"
#include "stream_k.h"

/* Sizes of a block: groups of WARPS_M x WARPS_N warps, whose lanes compute QUADS_M x QUADS_N
 * squares of 4 x 4 elements, for each of the shares of a stage's k, UPWARDS or not (ring.h). */
template <int WARPS_M, int WARPS_N, int QUADS_M, int QUADS_N, int STAGE_COUNT, bool UPWARDS>
struct share_shape {
    using ring = ring_shape<WARPS_M, WARPS_N, QUADS_M, QUADS_N, 4, STAGE_COUNT, UPWARDS>;
    enum {
        group_warps = WARPS_M * WARPS_N,
        groups = WARPS / group_warps,
        quads_m = QUADS_M,
        quads_n = QUADS_N,
        block_m = ring::block_m,
        block_n = ring::block_n,
        group_k = groups >= 4 ? UNROLL : SLICE / groups, /* rows of a stage */
        stage_k = groups * group_k,
        depth = group_k,
        upwards = ring::upwards,
        pitch_a = ring::pitch_a,
        a_bytes = stage_k * pitch_a * 4,
        b_bytes = stage_k * block_n * 4,
        stage_bytes = a_bytes + b_bytes,
        stages = STAGE_COUNT,
        memory_bytes = STAGE_COUNT * stage_bytes,
        quads = block_m * block_n / 4 /* of a tile */
    };
    static_assert(stage_k % SLICE == 0 && group_k % UNROLL == 0, "whole slices");
    static_assert((int)groups * (int)quads * 16 <= (int)memory_bytes, "sums replace the ring");
};

/* How B gets into the ring. If N is no multiple of four: by shifted copies, or by the producers. */
enum share_path { SHARE_ALIGNED, SHARE_SHIFTED, SHARE_WORDS };

/* Columns of C that a tile covers, and columns that copies of rows k % 4 = `row` of B begin early.
 */
template <typename S, enum share_path PATH> static constexpr __host__ __device__ int share_width()
{
    return PATH == SHARE_SHIFTED ? (int)S::block_n - 4 : (int)S::block_n;
}

template <enum share_path PATH> static __device__ inline int share_shift(int row, int n)
{
    return PATH == SHARE_SHIFTED ? row * n & 3 : 0;
}

/* A block's part of the product: stages [from, to) of the k of a tile. */
struct share_part {
    int row, column; /* of the tile */
    int from, to;
};

/* Shares of k differ by one stage at most; they may be empty. Not inlined: its results then count
 * as uniform over all lanes. */
template <typename S, enum share_path PATH>
static __device__ __noinline__ struct share_part share_open(int m, int n, int k, int blocks)
{
    const int shares = gridDim.y * blocks, index = blockIdx.y * blocks + blockIdx.x % blocks,
              stages = (k + S::stage_k - 1) / S::stage_k, each = stages / shares,
              longer = stages % shares, from = index * each + min(index, longer);
    const struct tile_place tile =
        tile_in_groups(blockIdx.x / blocks, (m + S::block_m - 1) / S::block_m,
                       (n + share_width<S, PATH>() - 1) / share_width<S, PATH>(), GROUP);
    return {tile.m * S::block_m, tile.n * share_width<S, PATH>(), from,
            from + each + (index < longer)};
}

/* ---- producers ------------------------------------------------------------------------------- */

/* The row of a stage, among those of a slice, to which the lane's k belongs; and the rotation of
 * the quads of that row. */
static __device__ inline int row_of_k(int lane)
{
    return lane % 4 * (SLICE / 4) + lane / 4;
}

template <typename S> static __device__ inline int rotation_of_group(int group)
{
    return group % 4;
}

/* Copies k from `first` on of the tile's rows of A; the lanes are arranged along k. Rows beyond the
 * matrix are left alone, as what they become is not stored. */
template <typename S>
static __device__ inline void copy_share_a(uint32_t stage, const struct problem &p, int row,
                                           int first, int producer, int lane)
{
    enum { SLICES = S::stage_k / SLICE };
    const int group = row_of_k(lane) / S::group_k, rows = p.m - row - producer;
    const uint32_t to =
        stage + (row_of_k(lane) * S::pitch_a + (producer + rotation_of_group<S>(group)) % 4) * 4;
    const float *from[SLICES];
    unsigned bytes[SLICES];
#pragma unroll
    for (int j = 0; j < SLICES; j++) {
        const int k = first + j * SLICE + lane;
        bytes[j] = k < p.k ? 4 : 0;
        from[j] = k < p.k && rows > 0 ? p.a + (size_t)(row + producer) * p.k + k : p.a;
    }
    if (rows > S::block_m - 4) {
#pragma unroll
        for (int i = 0; i < S::block_m / 4; i++)
#pragma unroll
            for (int j = 0; j < SLICES; j++)
                copy_word(to + (j * SLICE * S::pitch_a + i * 4) * 4, from[j] + (size_t)i * 4 * p.k,
                          bytes[j]);
        return;
    }
#pragma unroll 4
    for (int i = 0; i < (rows + 3) / 4; i++)
#pragma unroll
        for (int j = 0; j < SLICES; j++)
            copy_word(to + (j * SLICE * S::pitch_a + i * 4) * 4, from[j] + (size_t)i * 4 * p.k,
                      bytes[j]);
}

/* Copies the stage's rows of B with k % 4 = producer, from `column` on, which may lie before the
 * matrix in the last stage. All of these rows begin at the same place within 16 bytes, which
 * decides how many words a copy may have. The last stage is copied word by word: a longer copy
 * could end behind the matrix. */
template <typename S>
static __device__ inline void copy_share_b(uint32_t stage, const struct problem &p, int column,
                                           int first, int producer, int lane)
{
    enum { ROWS = SLICE / 4, COLUMNS = S::block_n };
    const int columns = min(p.n - column, COLUMNS), place = producer * p.n & 3;
#pragma unroll
    for (int j = 0; j < S::stage_k / SLICE; j++) {
        const int k = first + j * SLICE + producer;
        const float *const from = p.b + (ptrdiff_t)k * p.n + column;
        const uint32_t to = stage + S::a_bytes + (j * SLICE + producer * ROWS) * COLUMNS * 4;
        if (first + S::stage_k >= p.k)
            copy_last_rows<ROWS, COLUMNS, COLUMNS>(to, from, p.n, (p.k - k + 3) / 4, -column,
                                                   columns, lane, p.b);
        else if (place == 0)
            copy_fourth_rows<ROWS, COLUMNS, COLUMNS, 4>(to, from, p.n, columns, lane);
        else if (place == 2)
            copy_fourth_rows<ROWS, COLUMNS, COLUMNS, 2>(to, from, p.n, columns, lane);
        else
            copy_fourth_rows<ROWS, COLUMNS, COLUMNS, 1>(to, from, p.n, columns, lane);
    }
}

/* Each producer warp requests its fourth of the rows of B, from `column` on. */
template <typename S>
static __device__ inline void request_share_b(uint32_t stage, uint32_t barrier,
                                              const CUtensorMap *map_b, int n, int column,
                                              int first, int producer)
{
    if (producer == 0) mbarrier_expect(barrier, S::b_bytes);
#pragma unroll
    for (int j = 0; j < S::stage_k / SLICE; j++)
        tensor_copy(stage + S::a_bytes + (j * SLICE + producer * (SLICE / 4)) * S::block_n * 4,
                    map_b, producer * n + column, first / 4 + j * (SLICE / 4), barrier);
}

/* The copy engine sees whole fours of rows; so the last stage may have to be copied by words. */
template <typename S, enum share_path PATH>
static __device__ inline void produce_share(const struct problem &p, const struct share_part &part,
                                            struct ring_place *place, const CUtensorMap *map_b,
                                            uint32_t memory, uint32_t full, uint32_t empty,
                                            int producer, int lane)
{
    const int column = part.column - share_shift<PATH>(producer, p.n);
    for (int index = part.from; index < part.to; index++, *place = ring_next<S>(*place)) {
        const uint32_t stage = memory + place->stage * S::stage_bytes,
                       barrier = full + 8 * place->stage;
        const int first = index * S::stage_k;
        const bool by_words = PATH == SHARE_WORDS || (p.k % 4 != 0 && first + S::stage_k > p.k);
        mbarrier_wait(empty + 8 * place->stage, place->parity);
        if (by_words)
            mbarrier_arrive_if(barrier, producer == 0 && lane == 0);
        else if (lane == 0)
            request_share_b<S>(stage, barrier, map_b, p.n, column, first, producer);
        copy_share_a<S>(stage, p, part.row, first, producer, lane);
        if (by_words) copy_share_b<S>(stage, p, column, first, producer, lane);
        mbarrier_arrive_after_words(barrier);
    }
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* The sums of a tile lie quad after quad, each 16 bytes for all lanes of a group. */
template <typename S>
static __device__ inline void leave_share_sums(float4 *to, int rotation,
                                               const float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++) {
        const int row = i / 4 * 4 + ((i % 4 - rotation) & 3);
#pragma unroll
        for (int j = 0; j < S::quads_n; j++)
            to[(row * S::quads_n + j) * 32 * S::group_warps] = quad_of<typename S::ring>(sum, i, j);
    }
}

template <typename S>
static __device__ inline void consume_share(const struct problem &p, const struct share_part &part,
                                            struct ring_place *place, unsigned char *memory,
                                            uint32_t full, uint32_t empty, int warp, int lane)
{
    using ring = typename S::ring;
    const int group = warp / S::group_warps, warp_of_group = warp % S::group_warps;
    float sum[S::quads_m * 4][S::quads_n * 4];
    clear_sums<ring>(sum);
    multiply_stages<S>(
        sum, place, (part.to - part.from) * S::depth, shared_address(memory),
        (group * S::group_k * S::pitch_a + lane_row<ring>(warp_of_group, lane)) * 4,
        S::a_bytes + (group * S::group_k * S::block_n + lane_column<ring>(warp_of_group, lane)) * 4,
        full, empty, lane);
    scale_sums<ring>(sum, p.alpha);
    barrier_of(1, CONSUMERS); /* all have read their last stage: the sums replace the ring */
    leave_share_sums<S>(reinterpret_cast<float4 *>(memory) + group * S::quads + warp_of_group * 32 +
                            lane,
                        rotation_of_group<S>(group), sum);
    barrier_of(1, CONSUMERS);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The quad four columns on in the tile's sums, if there is one. */
template <typename S> static __device__ inline int next_quad(int at)
{
    enum { PER_QUAD = 32 * S::group_warps };
    if (at % 32 < 28) return at + 4;
    if (at / PER_QUAD % S::quads_n + 1 < S::quads_n) return at - 28 + PER_QUAD;
    if (at % PER_QUAD / 32 % S::ring::warps_n + 1 < S::ring::warps_n)
        return at - 28 - (S::quads_n - 1) * PER_QUAD + 32;
    return at;
}

/* Four of eight words, from `shift` on, 1 to 3. */
static __device__ inline float4 shifted_quad(const float4 &v, const float4 &w, int shift)
{
    return shift == 1   ? make_float4(v.y, v.z, v.w, w.x)
           : shift == 2 ? make_float4(v.z, v.w, w.x, w.y)
                        : make_float4(v.w, w.x, w.y, w.z);
}

/* Groups 0, 4, ... have rows k % 4 = 0, and so on. */
template <typename S, enum share_path PATH>
static __device__ inline float4 sum_of_groups(const float4 *sums, int at, int n)
{
    static_assert(PATH != SHARE_SHIFTED || (int)S::group_k == 8, "one shift for a group");
    const int next = PATH == SHARE_SHIFTED ? next_quad<S>(at) : at;
    float4 v[S::groups];
#pragma unroll
    for (int group = 0; group < S::groups; group++) {
        const float4 *const own = sums + group * S::quads;
        const int shift = share_shift<PATH>(group % 4, n);
        v[group] = own[at];
        if (shift > 0) v[group] = shifted_quad(v[group], own[next], shift);
    }
#pragma unroll
    for (int group = 1; group < S::groups; group++) add_to(&v[0], v[group]);
    return v[0];
}

/* Where block `rank` of the cluster has what lies here in the shared memory of this one. */
static __device__ inline const float4 *quad_of_block(const float4 *here, unsigned rank)
{
    const float4 *there = here;
#ifdef MBARRIER_HERE
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
#endif
    return there;
}

/* Adds the quads that all blocks have at this address, from `rank` on and round: the blocks of a
 * cluster begin at different ones, each always at the same. The reads of eight are in flight
 * together. */
static __device__ inline float4 sum_of_blocks(const float4 *sums, unsigned rank, unsigned blocks)
{
    float4 sum = {0, 0, 0, 0};
    for (unsigned first = 0; first < blocks; first += 8) {
        float4 v[8];
#pragma unroll
        for (unsigned i = 0; i < 8; i++) {
            const unsigned from = rank + first + i;
            v[i] = {0, 0, 0, 0};
            if (first + i < blocks)
                v[i] = *quad_of_block(sums, from < blocks ? from : from - blocks);
        }
#pragma unroll
        for (int i = 0; i < 8; i++) add_to(&sum, v[i]);
    }
    return sum;
}

/* Row and column of a quad of the tile's sums. */
template <typename S> static __device__ inline int share_row(int at)
{
    const int lane = at % (32 * S::group_warps), quad = at / (32 * S::group_warps);
    return row_of<typename S::ring>(lane / 32, lane % 32, quad / S::quads_n);
}

template <typename S> static __device__ inline int share_column(int at)
{
    const int lane = at % (32 * S::group_warps), quad = at / (32 * S::group_warps);
    return column_of<typename S::ring>(lane / 32, lane % 32, quad % S::quads_n);
}

/* The same elements, each `by` places later, the last ones first. */
static __device__ inline float4 rotated_quad(const float4 &v, int by)
{
    const float4 once = by & 1 ? make_float4(v.w, v.x, v.y, v.z) : v;
    return by & 2 ? make_float4(once.z, once.w, once.x, once.y) : once;
}

/* Stores up to `count` of 32 neighbouring words, of which lanes l, l + 4, ..., l + 28 have a quad
 * each. In round r, each of these lanes gives one word and gets one: the lane at place i gets the
 * word that will be the ((i + r) % 4)-th of its own, so that it ends up with every eighth word, and
 * each store writes eight neighbours. All lanes must call it. */
static __device__ inline void store_neighbours(float *to, int count, const float4 &quad)
{
    const int lane = threadIdx.x % 32, place = lane / 4;
    const float4 gives = rotated_quad(make_float4(quad.x, quad.w, quad.z, quad.y), place / 2);
    float got[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        got[r] =
            __shfl_sync(~0u, element(gives, r), lane % 4 + 4 * (2 * ((place + r) % 4) + place / 4));
    const float4 words = rotated_quad(make_float4(got[0], got[1], got[2], got[3]), place % 4);
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (8 * i + place < count) to[8 * i + place] = element(words, i);
}

/* Stores a quad of the tile's sums as far as it is part of the tile, and of C. All lanes of a warp
 * call it with neighbouring quads. */
template <typename S, enum share_path PATH>
static __device__ inline void
store_share_quad(const struct problem &p, const struct share_part &part, int at, const float4 &sum)
{
    const int row = part.row + share_row<S>(at), column = share_column<S>(at);
    if (PATH == SHARE_ALIGNED) {
        if (row < p.m && part.column + column < p.n)
            *reinterpret_cast<float4 *>(p.c + (size_t)row * p.n + part.column + column) = sum;
        return;
    }
    const int first = column - threadIdx.x % 32 / 4 * 4,
              width = min((int)share_width<S, PATH>(), p.n - part.column) - first;
    store_neighbours(p.c + (size_t)row * p.n + part.column + first, row < p.m ? width : 0, sum);
}

/* By the consumers of a block that has the tile for itself. */
template <typename S, enum share_path PATH>
static __device__ inline void store_share_tile(const struct problem &p,
                                               const struct share_part &part, const float4 *sums)
{
    static_assert((int)S::quads % (int)CONSUMERS == 0, "all lanes store");
    for (int at = threadIdx.x; at < S::quads; at += CONSUMERS)
        store_share_quad<S, PATH>(p, part, at, sum_of_groups<S, PATH>(sums, at, p.n));
}

/* By the consumers of all blocks of a cluster: each adds and stores its share of the tile, quads of
 * whole warps. */
template <typename S, enum share_path PATH>
static __device__ inline void store_share(const struct problem &p, const struct share_part &part,
                                          float4 *sums, unsigned rank, unsigned blocks)
{
    const int each = (S::quads / 32 + blocks - 1) / blocks * 32, from = rank * each,
              to = min((int)S::quads, from + each);
    for (int at = from + threadIdx.x; at < to; at += CONSUMERS)
        store_share_quad<S, PATH>(p, part, at, sum_of_blocks(sums + at, rank, blocks));
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Blocks [0, cluster) along x are the first tile's, and so on. Block y of the grid takes the y-th
 * part of k, and stores its sums as the y-th matrix from c on. */
template <typename S, enum share_path PATH>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_share_tile(const __grid_constant__ CUtensorMap map_b, const float *a, const float *b,
                    float *c, int m, int n, int k, uint32_t alpha_bits)
{
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ uint64_t full[S::stages], empty[S::stages];
    const unsigned blocks = blocks_of_cluster(), rank = blocks > 1 ? rank_in_cluster() : 0;
    const struct share_part part = share_open<S, PATH>(m, n, k, blocks);
    const struct problem p = {a, b, c + (size_t)blockIdx.y * m * n, nullptr, m, n,
                              k, 0, __uint_as_float(alpha_bits)};
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    if (threadIdx.x < S::stages) {
        mbarrier_open(shared_address(&full[threadIdx.x]), 1 + PRODUCERS);
        mbarrier_open(shared_address(&empty[threadIdx.x]), WARPS);
        mbarrier_publish();
    }
    __syncthreads();
    if (warp >= WARPS) {
        struct ring_place place = {0, 1};
        registers_give<PRODUCER_REGISTERS>();
        produce_share<S, PATH>(p, part, &place, &map_b, shared_address(memory),
                               shared_address(full), shared_address(empty), warp - WARPS, lane);
        copy_words_finish();
        __syncwarp();
        if (blocks > 1) {
            cluster_barrier();
            cluster_barrier_unordered();
        }
        return;
    }
    registers_take<CONSUMER_REGISTERS>();
    struct ring_place place = {0, 0};
    consume_share<S>(p, part, &place, memory, shared_address(full), shared_address(empty), warp,
                     lane);
    float4 *const sums = reinterpret_cast<float4 *>(memory);
    if (blocks == 1) {
        store_share_tile<S, PATH>(p, part, sums);
        return;
    }
    for (int at = threadIdx.x; at < S::quads; at += CONSUMERS)
        sums[at] = sum_of_groups<S, PATH>(sums, at, n);
    __syncwarp();
    cluster_barrier(); /* all blocks have left their sums */
    store_share<S, PATH>(p, part, sums, rank, blocks);
    __syncwarp();
    cluster_barrier_unordered(); /* sums stay until the others have read them */
}

/* ---- equal shares of all stages -------------------------------------------------------------- */

/* The barrier at which the producers wait until the sums of a piece are stored. */
enum { STORED = 2 };

/* The pieces of a block that has an equal share of the stages of all tiles, as in stream_k.h: its
 * steps are stages here, and no whole tiles come first. */
template <typename S, enum share_path PATH>
static __device__ inline struct walk share_walk_open(const struct problem &p)
{
    struct walk w;
    w.tiles_m = (p.m + S::block_m - 1) / S::block_m;
    w.tiles_n = (p.n + share_width<S, PATH>() - 1) / share_width<S, PATH>();
    w.steps = (p.k + S::stage_k - 1) / S::stage_k;
    w.wave = w.waves = w.shared_from = 0;
    const int stages = w.tiles_m * w.tiles_n * w.steps, blocks = gridDim.x;
    w.share = stages / blocks;
    w.longer = stages % blocks;
    w.next = share_begin(w, blockIdx.x);
    w.end = share_begin(w, blockIdx.x + 1);
    return w;
}

template <typename S, enum share_path PATH>
static __device__ inline struct share_part share_part_of(const struct walk &w,
                                                         const struct piece &piece)
{
    const struct tile_place tile = tile_in_groups(piece.tile, w.tiles_m, w.tiles_n, GROUP);
    return {tile.m * S::block_m, tile.n * share_width<S, PATH>(), piece.from, piece.to};
}

/* Leaves the sums of all groups, quad after quad, for the block that has the beginning of the tile.
 * The consumers call it, as they do the next one. */
template <typename S, enum share_path PATH>
static __device__ inline void leave_share_partial(const struct problem &p, const float4 *sums)
{
    float4 *const to = (float4 *)partial_of<S>(p, blockIdx.x);
    for (int at = threadIdx.x; at < S::quads; at += CONSUMERS)
        to[at] = sum_of_groups<S, PATH>(sums, at, p.n);
    __threadfence();
    barrier_of(1, CONSUMERS);
    if (threadIdx.x == 0) flag_set(partial_is_there + blockIdx.x);
}

/* Stores a tile of which this block has the beginning, after adding what the next `rest` blocks
 * have left, in their order. */
template <typename S, enum share_path PATH>
static __device__ inline void store_share_pieces(const struct problem &p,
                                                 const struct share_part &part, int rest,
                                                 const float4 *sums)
{
    static_assert((int)S::quads % (int)CONSUMERS == 0, "all lanes store");
    if (rest > 0) {
        for (int i = threadIdx.x; i < rest; i += CONSUMERS)
            flag_take(partial_is_there + blockIdx.x + 1 + i);
        barrier_of(1, CONSUMERS);
    }
    for (int at = threadIdx.x; at < S::quads; at += CONSUMERS) {
        float4 sum = sum_of_groups<S, PATH>(sums, at, p.n);
        for (int i = 1; i <= rest; i++)
            add_to(&sum, __ldcg((const float4 *)partial_of<S>(p, blockIdx.x + i) + at));
        store_share_quad<S, PATH>(p, part, at, sum);
    }
}

template <typename S, enum share_path PATH>
static __device__ inline void consume_shares(const struct problem &p, unsigned char *memory,
                                             uint32_t full, uint32_t empty, int warp, int lane)
{
    struct ring_place place = {0, 0};
    struct walk walk = share_walk_open<S, PATH>(p);
    struct piece piece;
    const float4 *const sums = reinterpret_cast<const float4 *>(memory);
    walk_next(&walk, &piece); /* not in the loop's condition: the factors would share banks */
#pragma unroll 1
    for (;;) {
        const struct share_part part = share_part_of<S, PATH>(walk, piece);
        consume_share<S>(p, part, &place, memory, full, empty, warp, lane);
        if (piece.from > 0)
            leave_share_partial<S, PATH>(p, sums);
        else
            store_share_pieces<S, PATH>(
                p, part, begins_tile(walk, piece) ? blocks_of_rest(walk, piece) : 0, sums);
        if (walk.next >= walk.end) return;
        fence_before_engine();
        barrier_pass(STORED, THREADS);
        walk_next(&walk, &piece);
    }
}

template <typename S, enum share_path PATH>
static __device__ inline void produce_shares(const struct problem &p, const CUtensorMap *map_b,
                                             uint32_t memory, uint32_t full, uint32_t empty,
                                             int producer, int lane)
{
    struct ring_place place = {0, 1};
    struct walk walk = share_walk_open<S, PATH>(p);
    struct piece piece;
    while (walk_next(&walk, &piece)) {
        produce_share<S, PATH>(p, share_part_of<S, PATH>(walk, piece), &place, map_b, memory, full,
                               empty, producer, lane);
        if (walk.next < walk.end) barrier_of(STORED, THREADS);
    }
    copy_words_finish();
}

/* Every block has a stage at least. */
template <typename S, enum share_path PATH>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_share_stages(const __grid_constant__ CUtensorMap map_b, const float *a, const float *b,
                      float *c, float *partial, int m, int n, int k, uint32_t alpha_bits)
{
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ uint64_t full[S::stages], empty[S::stages];
    const struct problem p = {a, b, c, partial, m, n, k, 0, __uint_as_float(alpha_bits)};
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    if (threadIdx.x < S::stages) {
        mbarrier_open(shared_address(&full[threadIdx.x]), 1 + PRODUCERS);
        mbarrier_open(shared_address(&empty[threadIdx.x]), WARPS);
        mbarrier_publish();
    }
    __syncthreads();
    if (warp >= WARPS) {
        registers_give<PRODUCER_REGISTERS>();
        produce_shares<S, PATH>(p, &map_b, shared_address(memory), shared_address(full),
                                shared_address(empty), warp - WARPS, lane);
    } else {
        registers_take<CONSUMER_REGISTERS>();
        consume_shares<S, PATH>(p, memory, shared_address(full), shared_address(empty), warp, lane);
    }
}

/* ---- the launch ----------------------------------------------------------------------------- */

/* The map of B: rows of it are four rows of B. It must be valid even if there are no four. */
static inline struct tensor_map map_of_fours(const struct work *work, unsigned box_columns)
{
    const uint64_t columns = 4 * gemm_n(&work->point), fours = gemm_k(&work->point) / 4;
    return {work->input[1], fours ? fours : 1, columns, columns * sizeof(float),
            SLICE / 4,      box_columns,       0};
}

/* By `blocks` with equal shares of all stages, if that is not 0. Blocks that wait for one another's
 * sums are launched together. */
template <typename S, enum share_path PATH, bool EQUAL_SHARES>
static void plan_share_path(const struct work *work, const struct by_shape_choice &choice,
                            struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    plan_blocks(choice, divide_up(m, S::block_m) * divide_up(n, share_width<S, PATH>()), THREADS,
                S::memory_bytes, launch);
    launch->tensor_map_count = 1;
    launch->tensor_map[0] = map_of_fours(work, S::block_n);
    if constexpr (EQUAL_SHARES)
        if (choice.blocks > 0) {
            launch->grid[0] = (unsigned)choice.blocks;
            launch->cooperative = 1;
            launch_kernel(launch, gemm_share_stages<S, PATH>, work->input[0], work->input[1],
                          work->output, work->scratch, m, n, k, FLOAT_ONE);
            return;
        }
    launch_kernel(launch, gemm_share_tile<S, PATH>, work->input[0], work->input[1],
                  product_target(work, choice), m, n, k, FLOAT_ONE);
}

/* RAGGED is the path if N is no multiple of four. */
template <typename S, enum share_path RAGGED, bool EQUAL_SHARES>
static void plan_share(const struct work *work, const struct by_shape_choice &choice,
                       struct launch *launch)
{
    if (gemm_n(&work->point) % 4 == 0)
        plan_share_path<S, SHARE_ALIGNED, EQUAL_SHARES>(work, choice, launch);
    else
        plan_share_path<S, RAGGED, EQUAL_SHARES>(work, choice, launch);
}

#endif
