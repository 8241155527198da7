/*
 * Rung 17: an equal share of the work for every SM, and any shape.
 *
 * The number of rung 16's tiles is rarely a multiple of the number of SMs: 2048 tiles on 132 SMs
 * take sixteen rounds, and the last is half empty. Here each SM gets one block. It first takes
 * whole tiles, the same number for each block; the slices of k of the remaining tiles are divided
 * into equal shares (stream-K: M. Osama, D. Merrill, C. Cecka, M. Garland, J. Owens, Stream-K:
 * Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU, 2023). The
 * block with the beginning of a tile finishes it: it adds the results of the next blocks for the
 * rest of the tile, in their order, so that the sum is the same in every run. Small problems are
 * divided in the same way, into smaller tiles. If the tiles fill the rounds completely, or nearly,
 * nothing is shared: each tile has one block.
 *
 * If the rows of B are not a multiple of 16 bytes long, as the copy engine requires, the producer
 * warps also fetch B word by word. The kernel therefore takes any shape that fits 32-bit indices.
 *
 * Remaining cost: partial tiles pass through memory, and a memory operation clears the flags first.
 */
#include "ring.h"

enum {
    WARPS = 8, /* that multiply */
    CONSUMERS = 32 * WARPS,
    THREADS = CONSUMERS + PRODUCERS,
    STAGED_PITCH = 72, /* floats: rows of the staged squares lie in different banks */
    STAGED_BYTES = WARPS * LANES_M * STAGED_PITCH * 4,
    MOST_BLOCKS = 508, /* whose partial tiles fit in the family's scratch buffer */
    FLAG_BYTES = 4096  /* one word for each block */
};

using large = ring_shape<2, 4, 4, 2, 4, 4>; /* 128 x 256 */
using small = ring_shape<2, 4, 2, 1, 4, 8>; /* 64 x 128 */

static_assert(MOST_BLOCKS * 4 <= FLAG_BYTES, "a flag for each block");
static_assert(FLAG_BYTES + (size_t)MOST_BLOCKS * large::block_m * large::block_n * 4 <=
                  GEMM_SCRATCH_BYTES,
              "a partial tile for each block");

/* How B gets into the ring. */
enum path { BY_WORDS, BY_TENSOR };

struct problem {
    const float *a, *b;
    float *c, *partial;
    unsigned *flag;
    int m, n, k;
    int waves; /* whole tiles that each block takes first */
    float alpha;
};

/* A piece of work: slices [from, to) of a tile. */
struct piece {
    int tile, from, to;
};

/* The pieces of a block, in order. Consumers and producers walk through the same list. */
struct walk {
    int tiles_m, tiles_n, slices;
    int wave, waves;   /* whole tiles: taken, and total */
    int shared_from;   /* the first shared tile */
    int share, longer; /* slices of a block's share; the first `longer` blocks have one more */
    int next, end;     /* the share of this block, in slices of the shared tiles */
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
    w.slices = (p.k + SLICE - 1) / SLICE;
    w.wave = 0;
    w.waves = p.waves;
    w.shared_from = p.waves * blocks;
    const int shared = (w.tiles_m * w.tiles_n - w.shared_from) * w.slices;
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
        *piece = {w->wave++ * (int)gridDim.x + (int)blockIdx.x, 0, w->slices};
        return true;
    }
    if (w->next >= w->end) return false;
    const int from = w->next % w->slices, left = w->end - w->next;
    *piece = {w->shared_from + w->next / w->slices, from,
              left < w->slices - from ? from + left : w->slices};
    w->next += piece->to - from;
    return true;
}

/* ---- producers ------------------------------------------------------------------------------- */

/* A slice of B: the lanes are arranged along n. */
template <typename S>
static __device__ inline void copy_b(uint32_t stage, const struct problem &p, int tile_n, int slice,
                                     int producer, int lane)
{
    const int k = slice * SLICE + producer, n = tile_n * S::block_n + lane;
    const float *from = p.b + (size_t)k * p.n + n;
    uint32_t to = stage + S::a_bytes + (producer * S::block_n + lane) * 4;
    const bool inside = tile_n * S::block_n + S::block_n <= p.n && slice * SLICE + SLICE <= p.k;
    if (inside) {
#pragma unroll
        for (int i = 0; i < SLICE / 4; i++, from += (size_t)4 * p.n)
#pragma unroll
            for (int j = 0; j < S::block_n / 32; j++)
                copy_word(to + (i * 4 * S::block_n + j * 32) * 4, from + j * 32, 4);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < SLICE / 4; i++, from += (size_t)4 * p.n, to += 16 * S::block_n)
#pragma unroll
        for (int j = 0; j < S::block_n / 32; j++) {
            const bool there = n + j * 32 < p.n && k + i * 4 < p.k;
            copy_word(to + j * 128, there ? from + j * 32 : p.b, there ? 4 : 0);
        }
}

template <typename S, enum path PATH_B>
static __device__ inline void produce(const struct problem &p, const CUtensorMap *map_b,
                                      uint32_t ring, uint32_t full, uint32_t empty, int producer,
                                      int lane)
{
    struct ring_place place = {0, 1};
    struct walk walk = walk_open<S>(p);
    struct piece piece;
    while (walk_next(&walk, &piece)) {
        const struct tile_place tile =
            tile_in_groups(piece.tile, walk.tiles_m, walk.tiles_n, GROUP);
        for (int slice = piece.from; slice < piece.to; slice++, place = ring_next<S>(place)) {
            const uint32_t stage = ring + place.stage * S::stage_bytes,
                           barrier = full + 8 * place.stage;
            mbarrier_wait(empty + 8 * place.stage, place.parity);
            if (PATH_B == BY_TENSOR && producer == 0 && lane == 0) {
                mbarrier_expect(barrier, S::b_bytes);
                tensor_copy(stage + S::a_bytes, map_b, tile.n * S::block_n, slice * SLICE, barrier);
            }
            copy_a<S>(stage, p.a, p.m, p.k, tile.m, slice, producer, lane);
            if (PATH_B == BY_WORDS) copy_b<S>(stage, p, tile.n, slice, producer, lane);
            mbarrier_arrive_after_words(barrier);
        }
    }
    copy_words_finish();
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* Partial tiles are stored in the threads' layout: quad after quad, each 16 bytes for all
 * threads. */
template <typename S>
static __device__ inline float4 *partial_of(const struct problem &p, unsigned block)
{
    return (float4 *)p.partial + (size_t)block * (S::block_m * S::block_n / 4) + threadIdx.x;
}

template <typename S>
static __device__ inline void leave_partial(const struct problem &p,
                                            const float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
    float4 *to = partial_of<S>(p, blockIdx.x);
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++)
#pragma unroll
        for (int j = 0; j < S::quads_n; j++)
            to[(i * S::quads_n + j) * CONSUMERS] = quad_of<S>(sum, i, j);
    __threadfence();
    barrier_of(1, CONSUMERS);
    if (threadIdx.x == 0) flag_set(p.flag + blockIdx.x);
}

/* Blocks that share tiles are launched together (a cooperative launch); otherwise a block could
 * wait for one that cannot be scheduled. */
static __device__ inline void wait_for_partial(const struct problem &p, unsigned block)
{
    if (threadIdx.x == 0) flag_wait(p.flag + block);
    barrier_of(1, CONSUMERS);
}

/* Adds the rest of a tile, computed by the blocks after this one, in their order. */
template <typename S>
static __device__ inline void add_partials(const struct problem &p, const struct walk &walk,
                                           const struct piece &piece,
                                           float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
    const int end = (piece.tile - walk.shared_from + 1) * walk.slices;
    int block = blockIdx.x;
    for (int done = walk.next; done < end;) {
        block++;
        done = share_begin(walk, block + 1);
        wait_for_partial(p, block);
        const float4 *from = partial_of<S>(p, block);
#pragma unroll
        for (int i = 0; i < S::quads_m * 4; i++)
#pragma unroll
            for (int j = 0; j < S::quads_n; j++) {
                const float4 v = __ldcg(from + (i * S::quads_n + j) * CONSUMERS);
#pragma unroll
                for (int e = 0; e < 4; e++) sum[i][4 * j + e] += element(v, e);
            }
    }
}

/* If rows of C do not begin at multiples of 16 bytes, a warp rearranges four rows at a time in
 * shared memory, so that its lanes store neighbouring words. */
template <typename S>
static __device__ inline void store_words(const struct problem &p, int row, int column, int warp,
                                          int lane, float *staged,
                                          const float (&sum)[S::quads_m * 4][S::quads_n * 4])
{
    float *mine = staged + warp * LANES_M * STAGED_PITCH;
    const int first_n = column + warp % S::warps_n * S::warp_n + lane;
#pragma unroll
    for (int i = 0; i < S::quads_m * 4; i++) {
        const int first_m = row + row_of<S>(warp, 0, i);
#pragma unroll
        for (int j = 0; j < S::quads_n; j++)
            *reinterpret_cast<float4 *>(mine + lane % LANES_M * STAGED_PITCH +
                                        (lane / LANES_M + j * LANES_N) * 4) = quad_of<S>(sum, i, j);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < LANES_M; r++)
#pragma unroll
            for (int j = 0; j < S::warp_n / 32; j++) {
                const float word =
                    load_word(shared_address(mine + r * STAGED_PITCH + lane + 32 * j));
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
        multiply_slices<S>(sum, &place, piece.to - piece.from, ring, full, empty, warp, lane);
        scale_sums<S>(sum, p.alpha);
        if (piece.from > 0) {
            leave_partial<S>(p, sum);
            continue;
        }
        if (piece.to < walk.slices) add_partials<S>(p, walk, piece, sum);
        if (p.n % 4 == 0)
            store_quads<S>(p.c, p.m, p.n, row, column, warp, lane, sum);
        else
            store_words<S>(p, row, column, warp, lane, staged, sum);
    }
}

template <typename S, enum path PATH_B>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_stream_k(const __grid_constant__ CUtensorMap map_b, const float *a, const float *b,
                  float *c, float *partial, unsigned *flag, int m, int n, int k, int waves,
                  uint32_t alpha_bits)
{
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ uint64_t full[S::stages], empty[S::stages];
    const struct problem p = {a, b, c, partial, flag, m, n, k, waves, __uint_as_float(alpha_bits)};
    const uint32_t ring = shared_address(memory);
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < S::stages; s++) {
            mbarrier_open(shared_address(&full[s]), (PATH_B == BY_TENSOR) + PRODUCERS);
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

/* ---- the plan -------------------------------------------------------------------------------- */

/* The work of a block, and the number of blocks. */
struct choice {
    int small_tiles; /* 64 x 128 instead of 128 x 256 */
    int split;       /* the last tiles are shared */
    int waves, blocks;
    double time_us; /* as estimated */
};

/* Estimates in microseconds, from times on an H200, for choosing among plans: of a slice, of adding
 * a partial tile, of clearing the flags. */
static struct choice estimate(const struct point *point, int blocks, int small_tiles)
{
    const int by_words = gemm_n(point) % 4 != 0;
    const double slice_us = small_tiles ? (by_words ? 1.85 : 1.75) : (by_words ? 5.4 : 4.6),
                 partial_us = small_tiles ? 0.85 : 2.5, clear_us = 2;
    const int64_t block_m = small_tiles ? (int)small::block_m : (int)large::block_m,
                  block_n = small_tiles ? (int)small::block_n : (int)large::block_n;
    const int64_t tiles =
        (int64_t)(divide_up(gemm_m(point), block_m) * divide_up(gemm_n(point), block_n));
    const int64_t slices = (int64_t)divide_up(gemm_k(point), SLICE), whole = tiles / blocks,
                  over = tiles % blocks;
    const int64_t waves = whole > 0 ? whole - 1 : 0, shared = (tiles - waves * blocks) * slices;
    const double share = shared < blocks ? 1 : (double)shared / blocks,
                 pieces = share < slices ? slices / share : 1;
    const struct choice plain = {small_tiles, 0, 1, (int)tiles,
                                 (double)((whole + (over > 0)) * slices) * slice_us};
    const struct choice split = {small_tiles, 1, (int)waves, shared < blocks ? (int)shared : blocks,
                                 ((double)(waves * slices) + share) * slice_us +
                                     pieces * partial_us + clear_us};
    return over > 0 && split.time_us < plain.time_us ? split : plain;
}

static struct choice choose(const struct work *work)
{
    const int blocks = work->sm_count < MOST_BLOCKS ? work->sm_count : MOST_BLOCKS;
    const struct choice with_large = estimate(&work->point, blocks, 0),
                        with_small = estimate(&work->point, blocks, 1);
    return with_small.time_us < with_large.time_us ? with_small : with_large;
}

template <typename S>
static void fill_launch(const struct work *work, const struct choice &choice, struct launch *launch)
{
    const struct point *point = &work->point;
    const int by_tensor = gemm_n(point) % 4 == 0;
    launch->function = by_tensor ? (const void *)gemm_stream_k<S, BY_TENSOR>
                                 : (const void *)gemm_stream_k<S, BY_WORDS>;
    launch->grid[0] = (unsigned)choice.blocks;
    launch->block[0] = THREADS;
    launch->dynamic_shared = S::ring_bytes + STAGED_BYTES;
    launch->tensor_map_count = 1;
    launch->tensor_map[0] = {work->input[1],
                             gemm_k(point),
                             gemm_n(point),
                             gemm_n(point) * sizeof(float),
                             SLICE,
                             S::block_n,
                             0};
    /* The map is unused if the words are copied one by one; but it is an argument and must be a
     * valid map. */
    if (!by_tensor)
        launch->tensor_map[0] = {work->scratch, SLICE,      S::block_n, S::block_n * sizeof(float),
                                 SLICE,         S::block_n, 0};
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct choice choice = choose(work);
    (void)index;
    if (choice.small_tiles)
        fill_launch<small>(work, choice, launch);
    else
        fill_launch<large>(work, choice, launch);
    launch->clear_scratch = choice.split ? FLAG_BYTES : 0;
    launch->cooperative = choice.split;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->input[1]);
    launch_pointer(launch, work->output);
    launch_pointer(launch, (char *)work->scratch + FLAG_BYTES);
    launch_pointer(launch, work->scratch);
    for (int i = 0; i < 3; i++) launch_integer(launch, work->point.shape.dim[i]);
    launch_integer(launch, (uint64_t)choice.waves);
    launch_integer(launch, FLOAT_ONE);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_hopper(compute_capability);
    return reason ? reason : refuse_large(point);
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

static int address_staged(int lane)
{
    return (lane % LANES_M * STAGED_PITCH + lane / LANES_M * 4) * 4;
}

template <typename S>
static int describe_all(const struct work *work, const struct choice &choice,
                        struct shared_access *list)
{
    const struct point *point = &work->point;
    const int64_t tiles =
        (int64_t)(divide_up(gemm_m(point), S::block_m) * divide_up(gemm_n(point), S::block_n));
    const int64_t slices = (int64_t)divide_up(gemm_k(point), SLICE),
                  shared = (tiles - (int64_t)choice.waves * choice.blocks) * slices;
    int64_t pieces = tiles; /* plus one for each share that begins within a tile */
    for (int64_t block = 1; block < choice.blocks; block++) {
        const int64_t longer = shared % choice.blocks;
        pieces +=
            (block * (shared / choice.blocks) + (block < longer ? block : longer)) % slices > 0;
    }
    int count = describe_fragments<S>(list, 0, (double)(tiles * slices), (double)pieces);
    if (gemm_n(point) % 4 == 0) return count;
    const double rows = (double)tiles * WARPS * S::quads_m * 4;
    count = describe(list, count, "writes of staged results", ACCESS_STORE, 16, rows * S::quads_n,
                     address_staged);
    return describe(list, count, "reads of staged results", ACCESS_LOAD, 4,
                    rows * LANES_M * S::warp_n / 32, address_of_neighbours);
}

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    const struct choice choice = choose(work);
    (void)index;
    return choice.small_tiles ? describe_all<small>(work, choice, list)
                              : describe_all<large>(work, choice, list);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Equal shares (stream-K)",
    .after = "16_producer_warps",
    .suffers = "The number of tiles is not a multiple of the number of SMs, and small matrices "
               "have few tiles.",
    .changes = "Each SM takes the same number of whole tiles and an equal share of the remaining "
               "slices; M, N and K need not be multiples of anything.",
    .pays = "Partial tiles pass through memory, and flags are cleared beforehand.",
    .declares = "busiest_share = max(1, sm_count / grid_blocks); "
                "clears = grid_blocks = sm_count; "
                "tail_waits = 3 * (grid_blocks = sm_count)",
    .claims =
        {
            {"The kernel is no slower than the library: the whole interval is at 1 or above.",
             "whyfast", "Aim of the top rung", NULL, "speedup_library_low >= 1"},
            {"The kernel is at least 1.1 times as fast as the library at 2048.", "whyfast",
             "Aim of the top rung", "2048x2048x2048", "speedup_library_low >= 1.1"},
            {"The kernel is at least 1.1 times as fast as the library at 4096.", "whyfast",
             "Aim of the top rung", "4096x4096x4096", "speedup_library_low >= 1.1"},
            {"The kernel is at least 1.1 times as fast as the library at 8192.", "whyfast",
             "Aim of the top rung", "8192x8192x8192", "speedup_library_low >= 1.1"},
        },
    .refuses = refuses,
    .launch_count = launch_once,
    .plan = plan,
    .shared_accesses = accesses,
};
