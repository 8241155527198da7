/*
 * Shares code between the rungs with a ring of stages in shared memory that tensor copies fill: one
 * thread of a producer warp requests slices, consumer warpgroups multiply them with wgmma, and
 * blocks walk through a list of tiles. Nothing is owned.
 *
 * Each stage (wgmma_tile.h) has two barriers. `full` counts the bytes of its copies; `empty` counts
 * the warpgroups that have left it, in this block and in those blocks of the cluster that its
 * producer writes to.
 */
#ifndef KERNELS_GEMM_TENSOR_WGMMA_RING_H
#define KERNELS_GEMM_TENSOR_WGMMA_RING_H

#include "partial_tiles.h"
#include "tile_walk.h"

/* How a warpgroup stores its part of C. */
enum epilogue {
    STORE_PAIRS, /* each lane its two adjacent sums */
    STORE_ROWS,  /* through shared memory, word by word: for any N */
    STORE_TENSOR /* through shared memory, by the copy engine */
};

enum { GROUP = 8 }; /* rows of tiles: tile_in_groups */

enum { PIECE_ROWS = 16, PIECE_COLUMNS = 32, PIECE_BYTES = PIECE_ROWS * PIECE_COLUMNS * 4 };

/* Where a lane writes two sums of the first eight rows of a piece. Lanes of odd rows take the
 * columns in another order, so that half a warp writes to different banks. */
static inline __host__ __device__ int staged_pair(int lane, int step)
{
    const int row = lane / 4, quad = 2 * (step ^ row % 2 * 2) + lane % 4 / 2;
    return row * SWIZZLE + (quad ^ row) * 16 + lane % 2 * 8;
}

/* Exchanged, where a lane writes a sum of the first eight rows of a piece: lanes hold pairs of rows
 * of a column. Two warps of 16 columns fill a piece; `half` tells the second one. */
static inline __host__ __device__ int staged_sum(int lane, int half, int sum)
{
    const int row = lane % 4 * 2 + sum % 2, quad = half * 4 + sum / 2 * 2 + lane / 16;
    return row * SWIZZLE + (quad ^ row) * 16 + lane / 4 % 4 * 4;
}

/* Where a lane reads its column of a row of a piece. */
static inline __host__ __device__ int staged_column(int lane, int row)
{
    return row * SWIZZLE + (lane / 4 ^ row % 8) * 16 + lane % 4 * 4;
}

/* The consumers of a block compute parts of the same tile, or whole tiles by turns, or the same
 * tile, each from every other slice. */
enum { TOGETHER, BY_TURNS, BY_SLICES };

/* Sizes of a block and of the ring. Each consumer computes BLOCKS x 64 rows of WIDTH columns, or,
 * if the operands are exchanged, as many columns of WIDTH rows: only the second operand of an
 * instruction may have a width that is no multiple of 64, and B in strips has none. The blocks of a
 * cluster are CLUSTER_M x CLUSTER_N tiles. */
template <int CONSUMERS, int BLOCKS, int WIDTH, int STAGES, int CLUSTER_M, int CLUSTER_N,
          int EPILOGUE, int PIECES = 0, int SHARES = 0, int TURNS = TOGETHER,
          int OPERANDS = WGMMA_K_MAJOR_FIRST>
struct ring_shape {
    static_assert(CLUSTER_M == 1 || CLUSTER_N == 1, "clusters are a row or a column of tiles");
    enum {
        consumers = CONSUMERS,
        by_turns = TURNS == BY_TURNS,
        by_slices = TURNS == BY_SLICES,
        parts = TURNS == TOGETHER ? CONSUMERS : 1, /* of a tile */
        operands = OPERANDS,
        exchanged = OPERANDS == WGMMA_K_MAJOR_SECOND,
        blocks = BLOCKS,
        width = WIDTH,
        side = BLOCKS * WGMMA_M, /* rows of a part; exchanged, columns */
        block_m = exchanged ? WIDTH : parts * side,
        block_n = exchanged ? parts * side : WIDTH,
        strips = block_n / STRIP,
        stages = STAGES,
        cluster_m = CLUSTER_M,
        cluster_n = CLUSTER_N,
        cluster = CLUSTER_M * CLUSTER_N,
        epilogue = EPILOGUE,
        pieces = PIECES, /* of C that a warp has room for in shared memory */
        shares = SHARES, /* tiles may be divided along k */
        a_bytes = block_m * SWIZZLE,
        b_bytes = strips * STRIP_BYTES,
        stage_bytes = a_bytes + b_bytes,
        ring_bytes = STAGES * stage_bytes,
        staged_bytes = CONSUMERS * 4 * PIECES * PIECE_BYTES,
        shared_bytes = ring_bytes + staged_bytes + SWIZZLE_BLOCK,
        threads = (CONSUMERS + 1) * WARPGROUP,
        consumer_registers = CONSUMERS <= 2 ? 232 : 160,
        producer_registers = CONSUMERS <= 2 ? 40 : 32,
        column_mask = (1 << CLUSTER_M) - 1, /* blocks of a column of the cluster */
        arrivals = parts * (CLUSTER_M + CLUSTER_N - 1)
    };
    static_assert(!by_slices || (CONSUMERS == 2 && !SHARES && STAGES > 3 &&
                                 block_m * block_n <= 4 * PIECES * PIECE_ROWS * PIECE_COLUMNS),
                  "sums of the second consumer fit into its room for staged results");
    static_assert(block_n % STRIP == 0 && strips % CLUSTER_M == 0,
                  "blocks of a cluster fetch equal shares of B");
    static_assert(block_m % (8 * CLUSTER_N) == 0, "and of A, in blocks of the swizzle");
    static_assert(!exchanged || (int)EPILOGUE == STORE_TENSOR, "the only one with exchanged sums");
};

/* Shared addresses of the stages, and of the barriers of the first stage. */
struct ring_memory {
    uint32_t stages, full, empty;
};

template <typename S>
static __device__ inline uint32_t stage_of(const struct ring_memory &r, int stage)
{
    return r.stages + stage * S::stage_bytes;
}

template <typename S> static __device__ inline void ring_advance(struct ring_place *place)
{
    if (++place->stage < S::stages) return;
    place->stage = 0;
    place->parity ^= 1;
}

template <typename S> static __device__ inline void ring_skip(struct ring_place *place, int count)
{
    const int at = place->stage + count;
    place->stage = at % S::stages;
    place->parity ^= at / S::stages & 1;
}

/* A barrier of all threads must follow. */
template <typename S>
static __device__ inline struct ring_memory open_ring(const unsigned char *memory,
                                                      const uint64_t (&barriers)[2 * S::stages])
{
    const uint32_t full = shared_address(barriers);
    const struct ring_memory r = {align_to_blocks(shared_address(memory)), full,
                                  full + 8 * S::stages};
    if (threadIdx.x != 0) return r;
    for (int s = 0; s < S::stages; s++) {
        mbarrier_open(r.full + 8 * s, 1);
        mbarrier_open(r.empty + 8 * s, S::arrivals);
    }
    mbarrier_publish();
    return r;
}

/* ---- the producer ---------------------------------------------------------------------------- */

/* Requests a slice of the block's part of a tile. The blocks of a cluster in one row share their
 * rows of A, those in one column their columns of B: each requests an equal part for all. */
template <typename S>
static __device__ inline void fill_stage(const struct ring_memory &r, int stage,
                                         const CUtensorMap *map_a, const CUtensorMap *map_b,
                                         int2 origin, int k, int rank)
{
    const int rank_m = rank / S::cluster_n, rank_n = rank % S::cluster_n;
    constexpr int rows = S::block_m / S::cluster_n, strips = S::strips / S::cluster_m;
    const uint32_t to = stage_of<S>(r, stage), barrier = r.full + 8 * stage;
    mbarrier_expect(barrier, S::stage_bytes);
    if constexpr (S::cluster_n == 1)
        tensor_copy(to, map_a, k, origin.x, barrier);
    else
        tensor_copy_multicast(to + rank_n * rows * SWIZZLE, map_a, k, origin.x + rank_n * rows,
                              barrier, ((1 << S::cluster_n) - 1) << rank_m * S::cluster_n);
#pragma unroll
    for (int i = 0; i < strips; i++) {
        const int strip = rank_m * strips + i;
        const uint32_t strip_to = to + S::a_bytes + strip * STRIP_BYTES;
        if constexpr (S::cluster_m == 1)
            tensor_copy(strip_to, map_b, origin.y + strip * STRIP, k, barrier);
        else
            tensor_copy_multicast(strip_to, map_b, origin.y + strip * STRIP, k, barrier,
                                  S::column_mask << rank_n);
    }
}

template <typename S>
static __device__ inline void produce(const struct problem &p, const CUtensorMap *map_a,
                                      const CUtensorMap *map_b, const struct ring_memory &r)
{
    struct ring_place place = {0, 1};
    struct walk walk = walk_open<S>(p);
    struct piece piece;
    const int rank = S::cluster > 1 ? (int)rank_in_cluster() : 0;
    while (walk_next<S>(&walk, &piece)) {
        const int2 origin = tile_origin<S>(p, walk, piece.tile, rank);
        for (int slice = piece.from; slice < piece.to; slice++) {
            mbarrier_wait(r.empty + 8 * place.stage, place.parity);
            fill_stage<S>(r, place.stage, map_a, map_b, origin, slice * SLICE, rank);
            ring_advance<S>(&place);
        }
    }
    /* A block must not end while others may still write to it or arrive at its barriers. */
    if (S::cluster > 1)
        for (int i = 0; i < S::stages; i++, ring_advance<S>(&place))
            mbarrier_wait(r.empty + 8 * place.stage, place.parity);
}

/* ---- the product ----------------------------------------------------------------------------- */

/* The consumer's thread 0 tells its own producer, or threads 0 and 1 those of both blocks. */
template <typename S>
static __device__ inline void leave_stage(const struct ring_memory &r, int stage, int thread)
{
    if constexpr (S::cluster == 1)
        mbarrier_arrive_if(r.empty + 8 * stage, thread == 0);
    else
        mbarrier_arrive_remote_if(r.empty + 8 * stage, thread, thread < S::cluster);
}

/* The first row of a consumer's part of a tile; exchanged, the first column. */
template <typename S> static __device__ inline int part_begin(int group)
{
    return S::parts == 1 ? 0 : group * S::side;
}

/* sum = product of `count` slices of the ring, from *place on. The instructions of two slices are
 * in flight; a stage is left when those of its slice are complete. Returns the stage of the last
 * slice, whose instructions may still run. */
template <typename S>
static __device__ inline int multiply_slices(float (&sum)[S::blocks][S::width / 2],
                                             struct ring_place *place, int count,
                                             const struct ring_memory &r, int group, int thread)
{
    const int part = part_begin<S>(group) * SWIZZLE, step = S::by_slices ? S::consumers : 1;
    struct ring_place at = *place;
    int last = 0;
    if (S::by_slices && group > 0) ring_advance<S>(&at);
#pragma unroll 1
    for (int slice = S::by_slices ? group : 0; slice < count; slice += step) {
        const uint32_t stage = stage_of<S>(r, at.stage);
        mbarrier_wait(r.full + 8 * at.stage, at.parity);
        multiply_stage<S::blocks, S::width, S::operands>(
            sum, stage + (S::exchanged ? 0 : part), stage + S::a_bytes + (S::exchanged ? part : 0),
            slice >= step);
        if (slice >= step) {
            wgmma_wait<1>();
            leave_stage<S>(r, last, thread);
        }
        last = at.stage;
        for (int i = 0; i < step; i++) ring_advance<S>(&at);
    }
    if (S::by_slices)
        ring_skip<S>(place, count);
    else
        *place = at;
    return last;
}

/* ---- the epilogue ---------------------------------------------------------------------------- */

/* Writes 16 rows x 32 columns into shared memory, in rows of 128 bytes, swizzled. */
static __device__ inline void stage_piece(uint32_t to, int lane, const float *d)
{
    const int odd = lane / 4 % 2;
#pragma unroll
    for (int step = 0; step < 4; step++) {
        const int same = 4 * step, other = 4 * (step ^ 2);
#pragma unroll
        for (int h = 0; h < 2; h++)
            asm volatile(
                "st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to + staged_pair(lane, step) + h * 1024),
                "f"(odd ? d[other + 2 * h] : d[same + 2 * h]),
                "f"(odd ? d[other + 2 * h + 1] : d[same + 2 * h + 1])
                : "memory");
    }
}

static __device__ inline float staged_word(uint32_t address)
{
    float word;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(word) : "r"(address));
    return word;
}

template <typename S>
static __device__ inline void store_staged(const struct problem &p, const CUtensorMap *map_c,
                                           int row, int column, int lane, uint32_t staged,
                                           const float (&d)[S::block_n / 2])
{
#pragma unroll
    for (int j = 0; j < S::block_n / PIECE_COLUMNS; j++) {
        const uint32_t piece = staged + j % S::pieces * PIECE_BYTES;
        const int at = column + j * PIECE_COLUMNS;
        if (S::epilogue == STORE_TENSOR) {
            if (lane == 0) tensor_stores_wait_read<S::pieces - 1>();
            __syncwarp();
        }
        stage_piece(piece, lane, d + j * 16);
        if (S::epilogue == STORE_TENSOR) {
            fence_before_engine();
            __syncwarp();
            if (lane == 0) {
                tensor_store(map_c, at, row, piece);
                tensor_stores_commit();
            }
        } else {
            float *c = p.c + (size_t)row * p.n + at + lane;
            __syncwarp();
#pragma unroll 8
            for (int r = 0; r < PIECE_ROWS; r++, c += p.n) {
                const float v = staged_word(piece + staged_column(lane, r));
                if (row + r < p.m && at + lane < p.n) *c = v;
            }
            if (S::pieces == 1 || j % S::pieces == S::pieces - 1) __syncwarp();
        }
    }
}

/* The number of the barrier of the first two warps of consumer 0. */
enum { PAIR_BARRIER = CONSUMER_BARRIER + 4 };

/* Stores exchanged sums: each two warps 32 columns of each strip, 16 rows at a time. If the last
 * piece has less, it begins earlier and stores some rows again. */
template <typename S>
static __device__ inline void store_exchanged(const CUtensorMap *map_c, int row, int column,
                                              int group, int thread, uint32_t staged,
                                              const float (&sum)[S::blocks][S::width / 2])
{
    constexpr int count = (S::width + PIECE_ROWS - 1) / PIECE_ROWS;
    const int lane = thread % 32, half = thread / 32 % 2, pair = group * 2 + thread / 64;
    const bool stores = thread % 64 == 0;
    staged += pair * 2 * S::pieces * PIECE_BYTES;
    column += thread / 64 * PIECE_COLUMNS;
#pragma unroll
    for (int j = 0; j < S::blocks * count; j++) {
        const uint32_t piece = staged + j % (2 * S::pieces) * PIECE_BYTES;
        const int strip = j / count, late = S::width - PIECE_ROWS,
                  first = j % count * PIECE_ROWS < late ? j % count * PIECE_ROWS : late;
        if (stores && j == 0) tensor_stores_wait_read<0>();
        if (stores && j > 0) tensor_stores_wait_read<2 * S::pieces - 1>();
        barrier_of(PAIR_BARRIER + pair, 64);
#pragma unroll
        for (int i = 0; i < PIECE_ROWS / 2; i++)
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(piece + staged_sum(lane, half, i % 4) +
                                                         i / 4 * SWIZZLE_BLOCK),
                         "f"(sum[strip][first / 2 + i])
                         : "memory");
        fence_before_engine();
        barrier_of(PAIR_BARRIER + pair, 64);
        if (stores) {
            tensor_store(map_c, column + strip * STRIP, row + first, piece);
            tensor_stores_commit();
        }
    }
}

template <typename S>
static __device__ inline void store_sums(const struct problem &p, const CUtensorMap *map_c,
                                         int2 origin, int group, int thread, uint32_t staged,
                                         const float (&sum)[S::blocks][S::width / 2])
{
    const int lane = thread % 32, warp = thread / 32, part = part_begin<S>(group);
    if constexpr (S::exchanged)
        store_exchanged<S>(map_c, origin.x, origin.y + part, group, thread, staged, sum);
    else
#pragma unroll
        for (int i = 0; i < S::blocks; i++) {
            const int row = origin.x + part + i * WGMMA_M + warp * 16;
            if constexpr (S::epilogue == STORE_PAIRS)
                store_pairs<S::block_n>(p.c, p.m, p.n, row, origin.y, lane, sum[i]);
            else
                store_staged<S>(p, map_c, row, origin.y, lane,
                                staged + (group * 4 + warp) * S::pieces * PIECE_BYTES, sum[i]);
        }
}

/* The number of the barrier of the turn of consumer 0; that of consumer 1 follows. */
enum { TURN_BARRIER = CONSUMER_BARRIER + 2 };

/* With two consumers by slices: the second one leaves its sums in its own room for staged results,
 * four at a time, and the first one adds them to its own. */
static inline __host__ __device__ int handed_sums(int thread, int four)
{
    return (four * WARPGROUP + thread) * 16;
}

template <typename S>
static __device__ inline void hand_sums(uint32_t to, int thread,
                                        const float (&sum)[S::blocks][S::width / 2])
{
#pragma unroll
    for (int i = 0; i < S::blocks; i++)
#pragma unroll
        for (int j = 0; j < S::width / 8; j++)
            asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(
                             to + handed_sums(thread, i * S::width / 8 + j)),
                         "f"(sum[i][4 * j]), "f"(sum[i][4 * j + 1]), "f"(sum[i][4 * j + 2]),
                         "f"(sum[i][4 * j + 3])
                         : "memory");
}

template <typename S>
static __device__ inline void add_sums(uint32_t from, int thread,
                                       float (&sum)[S::blocks][S::width / 2])
{
#pragma unroll
    for (int i = 0; i < S::blocks; i++)
#pragma unroll
        for (int j = 0; j < S::width / 8; j++) {
            float v[4];
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                         : "r"(from + handed_sums(thread, i * S::width / 8 + j))
                         : "memory");
#pragma unroll
            for (int e = 0; e < 4; e++) sum[i][4 * j + e] += v[e];
        }
}

/* ---- the block ------------------------------------------------------------------------------- */

template <typename S>
static __device__ inline void consume(const struct problem &p, const CUtensorMap *map_c,
                                      const struct ring_memory &r, int group, int thread)
{
    struct ring_place place = {0, 0};
    struct walk walk = walk_open<S>(p);
    struct piece piece;
    const int rank = S::cluster > 1 ? (int)rank_in_cluster() : 0;
    for (int turn = 0; walk_next<S>(&walk, &piece); turn++) {
        const int count = piece.to - piece.from;
        if (S::by_turns && turn % S::consumers != group) {
            ring_skip<S>(&place, count);
            continue;
        }
        const int2 origin = tile_origin<S>(p, walk, piece.tile, rank);
        float sum[S::blocks][S::width / 2];
        /* The parity of a barrier tells only two phases apart, so a consumer must not look at a
         * stage before the other one has taken the slices that come first. */
        if (S::by_turns && turn > 0) barrier_of(TURN_BARRIER + group, 2 * WARPGROUP);
        const int last = multiply_slices<S>(sum, &place, count, r, group, thread);
        if (S::by_turns && walk_has_more<S>(walk))
            barrier_pass(TURN_BARRIER + 1 - group, 2 * WARPGROUP);
        wgmma_wait<0>();
        if (!S::by_slices || group < count) leave_stage<S>(r, last, thread);
        if constexpr (S::by_slices) {
            const uint32_t room = r.stages + S::ring_bytes + S::staged_bytes / 2;
            if (group > 0) {
                if (turn > 0) barrier_of(TURN_BARRIER + 1, 2 * WARPGROUP); /* the room is free */
                if (count > 1) hand_sums<S>(room, thread, sum);
                barrier_pass(TURN_BARRIER, 2 * WARPGROUP);
                continue;
            }
            barrier_of(TURN_BARRIER, 2 * WARPGROUP);
            if (count > 1) add_sums<S>(room, thread, sum);
            if (walk_has_more<S>(walk)) barrier_pass(TURN_BARRIER + 1, 2 * WARPGROUP);
        }
        if (S::shares && piece.from > 0) {
            leave_partial<S>(p, group, thread, sum);
            continue;
        }
        if (S::shares && piece.to < walk.slices)
            add_partials<S>(p, walk, piece.tile, group, thread, sum);
        store_sums<S>(p, map_c, origin, group, thread, r.stages + S::ring_bytes, sum);
    }
    if (S::epilogue == STORE_TENSOR && thread % 32 == 0) tensor_stores_finish();
}

template <typename S>
static __device__ inline void multiply_tiles(const struct problem &p, const CUtensorMap *map_a,
                                             const CUtensorMap *map_b, const CUtensorMap *map_c)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ uint64_t barriers[2 * S::stages];
    const int group = __shfl_sync(~0u, threadIdx.x / WARPGROUP, 0),
              thread = threadIdx.x % WARPGROUP;
    const struct ring_memory r = open_ring<S>(memory, barriers);
    if (S::cluster > 1)
        cluster_barrier(); /* no block writes to a barrier before it is initialised */
    else
        __syncthreads();
    if (group == S::consumers) {
        registers_give<S::producer_registers>();
        if (thread == 0) produce<S>(p, map_a, map_b, r);
    } else {
        registers_take<S::consumer_registers>();
        consume<S>(p, map_c, r, group, thread);
    }
}

/* ---- launching ------------------------------------------------------------------------------- */

/* How the tiles are distributed. Times are in cycles of the SM. */
struct share_plan {
    int waves, sharers, blocks; /* struct problem; blocks of the launch */
    double cycles;
};

static_assert((size_t)MOST_BLOCKS * 128 * 256 * 4 <= TENSOR_WORKSPACE_BYTES,
              "a partial tile for each block");

template <typename S> static inline uint64_t ring_tiles_of_clusters(const struct point *point)
{
    return divide_up(gemm_m(point), S::cluster_m * S::block_m) *
           divide_up(gemm_n(point), S::cluster_n * S::block_n);
}

/* The number of blocks that compute one tile each. */
template <typename S> static inline unsigned ring_tiles(const struct point *point)
{
    return (unsigned)ring_tiles_of_clusters<S>(point) * S::cluster;
}

/* The clusters that run at the same time: one block per SM. */
template <typename S> static inline int ring_units(const struct work *work)
{
    const int sms = work->sm_count < MOST_BLOCKS ? work->sm_count : MOST_BLOCKS;
    return sms < S::cluster ? 1 : sms / S::cluster;
}

template <typename S> static inline unsigned ring_blocks(const struct work *work)
{
    const unsigned tiles = ring_tiles<S>(&work->point),
                   most = (unsigned)ring_units<S>(work) * S::cluster;
    return tiles < most ? tiles : most;
}

/* Returns 1 if the rows of A and B begin with cache lines. */
static inline int has_whole_lines(const struct point *point)
{
    return gemm_k(point) == tensor_pitch(gemm_k(point)) &&
           gemm_n(point) == tensor_pitch(gemm_n(point));
}

/* Cycles of an SM on an H200 that pass without products: at each tile, at each one of consumers
 * that take turns, and once if blocks are launched in clusters or share tiles. They were fitted to
 * matrices of whole cache lines. For others they chose worse tiles than no such cycles do: at
 * 2500 x 1000 x 3000 they cost 18 %. */
enum { TILE_CYCLES = 400, TURN_CYCLES = 1100, CLUSTER_CYCLES = 1200, SHARE_CYCLES = 4500 };

/* Cycles that an SM takes to store a tile while all do: the L2 cache takes 26 bytes of each. */
template <typename S> static inline double store_cycles(void)
{
    return S::block_m * S::block_n * 4 / 26.0;
}

/* Chooses how to distribute the tiles, for slices that take so many cycles: whole, or so that the
 * tiles of the last, incomplete round are divided along K, either each into the same number of
 * pieces or, all together, into one share for each cluster. A divided tile is left once and added
 * as often as it has further pieces, one after another; an addition takes three quarters of a
 * store. */
template <typename S>
static inline struct share_plan plan_shares(const struct work *work, double slice_cycles)
{
    const int units = ring_units<S>(work), slices = (int)divide_up(gemm_k(&work->point), SLICE);
    const uint64_t tiles = ring_tiles_of_clusters<S>(&work->point);
    const int waves = (int)(tiles / (unsigned)units), left = (int)(tiles % (unsigned)units);
    const int is_fitted = has_whole_lines(&work->point);
    const double store = store_cycles<S>(), products = slices * slice_cycles,
                 hidden = products > store ? products : store, begin = is_fitted * TILE_CYCLES,
                 tile = S::by_turns ? hidden + is_fitted * TURN_CYCLES : products + store + begin,
                 add = store * 0.75 > 900 ? store * 0.75 : 900;
    const double last =
        (S::by_turns ? store : 0) + (S::cluster > 1 ? is_fitted * CLUSTER_CYCLES : 0);
    struct share_plan best = {waves + (left > 0), 1, (waves ? units : left) * S::cluster,
                              (waves + (left > 0)) * tile + last};
    const int most = S::shares && left > 0 ? slices : 1;
    for (int pieces = 2; pieces <= most; pieces++) {
        const int each = left * pieces <= units; /* all tiles into so many pieces */
        const int sharers = each ? left * pieces : units;
        const double share = (double)left * slices / sharers,
                     parts = each ? pieces : slices / share + 1;
        const double cycles = waves * tile + share * slice_cycles + 2 * store + begin + last +
                              (parts - 1) * add + is_fitted * SHARE_CYCLES;
        if (cycles < best.cycles)
            best = {waves, sharers, (waves ? units : sharers) * S::cluster, cycles};
        if (!each) break;
    }
    return best;
}

/* All but the number of blocks and the kernel with its arguments. */
template <typename S> static inline void plan_ring(const struct work *work, struct launch *launch)
{
    launch->block[0] = S::threads;
    launch->dynamic_shared = S::shared_bytes;
    launch->cluster = S::cluster > 1 ? S::cluster : 0;
    map_inputs(launch, work, S::block_m / S::cluster_n);
}

/* For variant.plan of a kernel (maps of A and B, c, m, n, k): a block for each tile, or PERSISTENT
 * ones. */
template <typename S, auto KERNEL, bool PERSISTENT>
static inline void plan_tiles(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    plan_ring<S>(work, launch);
    launch->grid[0] = PERSISTENT ? ring_blocks<S>(work) : ring_tiles<S>(point);
    launch_kernel(launch, KERNEL, work->output, gemm_m(point), gemm_n(point), gemm_k(point));
}

/* Clusters that wait for each other's pieces must be resident at the same time. */
static inline void plan_grid(const struct share_plan *plan, struct launch *launch)
{
    launch->grid[0] = (unsigned)plan->blocks;
    launch->cooperative = plan->sharers > 1;
}

/* The third map: boxes of C that a warp stages. Rows must be multiples of 16 bytes long. */
static inline void map_result(struct launch *launch, const struct work *work)
{
    const uint64_t columns = gemm_n(&work->point);
    launch->tensor_map_count = 3;
    launch->tensor_map[2] = {work->output, gemm_m(&work->point), columns, columns * sizeof(float),
                             PIECE_ROWS,   PIECE_COLUMNS,        SWIZZLE, ELEMENT_FLOAT};
}

static inline int address_staged_pair(int lane)
{
    return staged_pair(lane, 0);
}
static inline int address_staged_sum(int lane)
{
    return staged_sum(lane, 0, 0);
}
static inline int address_handed_sums(int lane)
{
    return handed_sums(lane, 0);
}
static inline int address_staged_column(int lane)
{
    return staged_column(lane, 0);
}

/* The accesses of an epilogue that stages so many tiles; by slices, of more than one slice. */
template <typename S> static inline int describe_staged(struct shared_access *list, double tiles)
{
    const double pieces =
        tiles * ((S::block_m + PIECE_ROWS - 1) / PIECE_ROWS) * (S::block_n / PIECE_COLUMNS);
    if (S::exchanged)
        return describe(list, 0, "writes of staged results", ACCESS_STORE, 4, 16 * pieces,
                        address_staged_sum);
    int count = describe(list, 0, "writes of staged results", ACCESS_STORE, 8, 8 * pieces,
                         address_staged_pair);
    if (S::by_slices) {
        const double quads = tiles * S::block_m * S::block_n / 128; /* of a warp */
        count = describe(list, count, "writes of sums handed over", ACCESS_STORE, 16, quads,
                         address_handed_sums);
        count = describe(list, count, "reads of sums handed over", ACCESS_LOAD, 16, quads,
                         address_handed_sums);
    }
    if ((int)S::epilogue == STORE_TENSOR) return count;
    return describe(list, count, "reads of staged results", ACCESS_LOAD, 4, PIECE_ROWS * pieces,
                    address_staged_column);
}

#endif
