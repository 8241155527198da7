/*
 * Chooses the kernel of the top rung for a product by its shape: estimates the time of each kernel
 * that could compute it, and takes the shortest. Valid C11 and C++17 and free of CUDA, so that the
 * choice can be tested anywhere. Kernels for thin products are those of thin_shape.h. Nothing is
 * owned.
 *
 * The times are microseconds, fitted to those that an H100 and an H200 took at 3600 random shapes
 * with up to 22 of the best choices for each: by least squares of the logarithms, and then to the
 * speed that the choices lead to. Each time was the median of up to nine, taken in turn with those
 * of the other choices and of both modes of cuBLAS, each after a memset of 256 MB. Estimates
 * deviate from the times by 2 % (stream_k.h) to 5 % (the standard deviation of the logarithm). Rung
 * 17 takes its plan from the estimates for stream_k.h.
 */
#ifndef KERNELS_GEMM_BY_SHAPE_H
#define KERNELS_GEMM_BY_SHAPE_H

#include <stdint.h>

#include "thin_shape.h"

/* The tiles of split_tiles.h: the parameters of split_shape; and the times of a tile beyond its
 * slices, of a slice while few blocks share an SM, and of a slice for each block while they fill
 * it. To add a tile, add a row. */
#define SPLIT_TILES(TILE)                                                                          \
    TILE((1, 1, 4, 8, 2, 4, 32, 4, 4, 4, 1), 1.48, 0.185, 0.115)  /* 16 x 16 */                    \
    TILE((1, 1, 8, 8, 2, 8, 64, 3, 3, 4, 0), 1.65, 0.430, 0.366)  /* 16 x 32 */                    \
    TILE((1, 1, 4, 8, 4, 8, 32, 4, 4, 8, 1), 1.84, 0.380, 0.282)  /* 32 x 32 */                    \
    TILE((2, 1, 4, 8, 4, 8, 32, 4, 3, 8, 0), 1.85, 0.559, 0.494)  /* 64 x 32 */                    \
    TILE((1, 2, 4, 4, 2, 8, 32, 4, 3, 4, 1), 1.41, 0.501, 0.446)  /* 8 x 128 */                    \
    TILE((1, 2, 4, 4, 4, 8, 32, 4, 3, 8, 0), 1.70, 0.633, 0.623)  /* 16 x 128 */                   \
    TILE((2, 1, 4, 16, 4, 4, 32, 4, 2, 4, 1), 1.58, 0.485, 0.422) /* 128 x 8 */                    \
    TILE((2, 1, 4, 16, 4, 8, 32, 4, 2, 8, 1), 2.03, 0.618, 0.611) /* 128 x 16 */

/* The tiles of stream_k.h, with their sizes; the time of a slice of 32 k, and how many times as
 * long it takes if B is copied by one word or two at a time; and the times of storing a tile, of
 * starting to share tiles, and of adding a partial one. */
#define STREAM_TILES(TILE)                                                                         \
    TILE(large, 128, 256, 4.743, 1.03, 1.01, 5.8, 13.6, 2.28)                                      \
    TILE(high, 192, 128, 3.760, 1.06, 1.01, 4.8, 9.7, 2.68)                                        \
    TILE(wide, 128, 192, 3.741, 1.01, 1.01, 4.7, 9.3, 2.61)                                        \
    TILE(middle, 128, 128, 2.594, 1.25, 1.02, 3.3, 7.3, 1.65)                                      \
    TILE(small, 64, 128, 1.675, 1.14, 1.05, 2.7, 4.7, 2.28)

/* The tiles of share_tiles.h: the parameters of share_shape; how B is copied if N is no multiple of
 * four, and how many times as long a stage takes then; the times of a tile beyond its stages, and
 * of a stage; how many times as long a stage takes if the blocks do not share k; and whether
 * all blocks may have equal shares of all stages. Of two rows with the same tile, the second suits
 * an N that would need more tiles if each were four columns narrower. */
#define SHARE_TILES(TILE)                                                                          \
    TILE((1, 1, 2, 2, 8, 0), SHIFTED, 1.05, 3.44, 0.779, 1.06, 0) /* 32 x 64 */                    \
    TILE((1, 1, 4, 1, 8, 0), SHIFTED, 1.05, 3.39, 0.889, 1.00, 0) /* 64 x 32 */                    \
    TILE((1, 1, 3, 2, 7, 1), SHIFTED, 1.05, 3.82, 1.141, 0.99, 0) /* 48 x 64 */                    \
    TILE((1, 1, 3, 2, 7, 1), WORDS, 1.16, 3.82, 1.141, 0.99, 0)                                    \
    TILE((1, 1, 4, 2, 6, 0), SHIFTED, 1.05, 4.31, 1.518, 0.97, 1) /* 64 x 64 */                    \
    TILE((1, 1, 4, 2, 6, 0), WORDS, 1.13, 4.31, 1.518, 0.97, 1)                                    \
    TILE((1, 2, 2, 2, 9, 0), SHIFTED, 1.05, 3.98, 0.703, 1.08, 0) /* 32 x 128 */                   \
    TILE((2, 1, 4, 1, 9, 0), SHIFTED, 1.05, 3.41, 0.865, 0.99, 0) /* 128 x 32 */                   \
    TILE((2, 1, 4, 1, 9, 0), WORDS, 1.10, 3.41, 0.865, 0.99, 0)                                    \
    TILE((1, 2, 3, 2, 9, 0), SHIFTED, 1.05, 4.77, 0.999, 1.04, 0) /* 48 x 128 */                   \
    TILE((1, 2, 4, 2, 8, 0), SHIFTED, 1.05, 5.10, 1.373, 0.98, 0) /* 64 x 128 */                   \
    TILE((1, 2, 4, 2, 8, 0), WORDS, 1.16, 5.10, 1.373, 0.98, 0)                                    \
    TILE((2, 1, 4, 2, 8, 0), SHIFTED, 1.05, 4.98, 1.561, 0.91, 0) /* 128 x 64 */                   \
    TILE((2, 1, 4, 2, 8, 0), WORDS, 1.05, 4.98, 1.561, 1.03, 0)                                    \
    TILE((2, 2, 4, 2, 6, 0), WORDS, 1.10, 5.27, 2.723, 0.95, 0) /* 128 x 128 */

/* The tiles of few_steps.h: the parameters of few_steps_shape; the times of a step in k: for each
 * warp of a scheduler, and beyond that for a block that has the SM for itself; and of opening and
 * storing a tile; and the share by which steps take longer if B is copied by one word at a time. */
#define FEW_STEPS_TILES(TILE)                                                                      \
    TILE((4, 8, 4, 4, 1, 0, 1), 0.0505, 0.0473, 0.268, 0)     /* 64 x 128, at once */              \
    TILE((4, 8, 2, 7, 4, 1, 1), 0.0281, 0.0599, 0.094, 0)     /* 64 x 64, at once */               \
    TILE((4, 4, 4, 8, 1, 0, 1), 0.0289, 0.0519, 0.038, 0)     /* 32 x 128, at once */              \
    TILE((4, 8, 4, 4, 2, 1, 0), 0.0420, 0.0219, 0.337, 0.105) /* 64 x 128, by slices */            \
    TILE((4, 8, 2, 5, 4, 0, 0), 0.0237, 0.0201, 0.339, 0.096) /* 64 x 64, by slices */             \
    TILE((2, 8, 2, 8, 4, 1, 0), 0.0242, 0.0263, 0.273, 0.223) /* 32 x 64, by slices */

enum by_shape_kernel {
    BY_SPLIT_TILE,
    BY_SHARE,
    BY_STREAM,
    BY_FEW_STEPS,
    BY_ROWS,
    BY_COLUMNS,
    BY_CORNER
};

struct by_shape_choice {
    enum by_shape_kernel kernel;
    int tile;    /* its row in the list of the kernel's tiles */
    int cluster; /* 1 for stream and few steps: blocks that share the k of a tile, and add through
                  * shared memory */
    int parts;   /* 1 for these, too: shares of k whose sums a second launch adds */
    int split;   /* stream: the last tiles are shared; share: all tiles are */
    int waves;   /* stream: whole tiles that each block takes first */
    int blocks;  /* stream, and share if split: blocks; MOST_STREAM_BLOCKS at most if they share
                  * tiles;
                  * corner: about so many share k */
    int padded;  /* stream: a first launch copies B into rows of whole quads */
    double time_us;
};

enum {
    NOMINAL_SMS = 132,
    MOST_STREAM_BLOCKS = 508, /* whose partial tiles fit into the scratch buffer */
    PAIR = 2,  /* blocks of a cluster that share k of split tiles; four and more were slower */
    EIGHT = 8, /* the same on top of parts, for a single small tile */
    MOST_CLUSTER = 8, /* of share tiles */
    SHARE_ROUNDS = 4,
    SHARE_MOST_OF_TILE = 16, /* equal shares of all stages that a tile may have */
    MOST_PARTS = 64,
    MOST_PARTS_BYTES = 60000000, /* in scratch memory */
    MOST_PADDED_BYTES = 1 << 26, /* the same: a copy of B */
    STREAM_STEP = 8,             /* of k, which is multiplied whole; four are a slice */
    FEW_STEPS_LEAST_K = 24,      /* of tiles that take slices */
    FEW_STEPS_MOST_K = 4096,
    FEW_STEPS_AT_ONCE = 64,
    FEW_STEPS_SLICE = 8,
    FEW_STEPS_RING = 56,         /* of more steps, so many have room */
    SM_SHARED_BYTES = 228 << 10, /* for the blocks of an SM, each of which takes more: */
    BLOCK_SHARED_BYTES = 1 << 10
};

static const double LAUNCH_US = 3, CLUSTER_US = 1.22, PARTS_US = 3.53, SPLIT_WORDS_K = 0.0992,
                    SPLIT_WORDS_N = 0.168, SPLIT_PAIRS = 0.438, SPLIT_WORDS_US = 0.109e-6,
                    SPLIT_READ_WORDS = 0.392, SPLIT_EXPOSED = 0.262, STREAM_START_US = 2.63,
                    STREAM_STORE_WORDS = 1.05, SHARE_WORDS_US = 0.532e-6, BYTES_PER_US = 2.28e6,
                    SCRATCH_BYTES_PER_US = 3.96e6, SHARE_CLUSTER_US = 1.03, SHARE_PARTS_US = 3.92,
                    SHARE_BYTES_PER_US = 8.60e6, SHARE_PARTS_BYTES_PER_US = 2.99e6,
                    SHARE_SPLIT_US = 4.76, SHARE_PIECE_US = 4.57, SHARE_PARTIAL_US = 0.45,
                    PADDING_US = 3.08, PADDED_BYTES_PER_US = 3.18e6, FEW_STEPS_START_US = 1.69,
                    FEW_STEPS_BYTES_PER_US = 3.8e6, FEW_STEPS_EXPOSED = 0.517,
                    FEW_STEPS_PARTS_EXPOSED = 0.372, FEW_STEPS_PARTS_US = 3.86,
                    FEW_STEPS_PARTS_BYTES_PER_US = 3.17e6, FEW_STEPS_PAIRS = 0.374;

struct split_tile {
    int m, n, slice, resident;
    double tile_us, alone_us, each_us;
};

#define SPLIT_TILE_SIZES(warps_m, warps_n, groups, lanes, rows, columns, slice, stages, resident,  \
                         stripe, backwards)                                                        \
    (warps_m) * (lanes) * (rows), (warps_n) * (32 / (lanes)) * (columns), slice, resident
#define SPLIT_TILE_ROW(shape, tile_us, alone_us, each_us)                                          \
    {SPLIT_TILE_SIZES shape, tile_us, alone_us, each_us},

static const struct split_tile split_tiles[] = {SPLIT_TILES(SPLIT_TILE_ROW)};

struct stream_tile {
    const char *name;
    int m, n;
    double slice_us, words, pairs, store_us, share_us, partial_us;
};

#define STREAM_TILE_ROW(name, m, n, slice_us, words, pairs, store_us, share_us, partial_us)        \
    {#name, m, n, slice_us, words, pairs, store_us, share_us, partial_us},

static const struct stream_tile stream_tiles[] = {STREAM_TILES(STREAM_TILE_ROW)};

#define STREAM_TILE_INDEX(name, m, n, slice_us, words, pairs, store_us, share_us, partial_us)      \
    stream_##name,

enum { STREAM_TILES(STREAM_TILE_INDEX) STREAM_TILE_COUNT };

/* If N is no multiple of four, the tile is narrower by four columns (SHIFTED) or its copies cost
 * more (WORDS). */
enum ragged_path { RAGGED_SHIFTED, RAGGED_WORDS };

struct share_tile {
    int m, n, stage;
    enum ragged_path ragged;
    double ragged_times, tile_us, stage_us, in_step;
    int equal_shares;
};

/* A stage has 8 k for each group of warps, and 32 at least. */
#define SHARE_TILE_SIZES(warps_m, warps_n, quads_m, quads_n, stages, upwards)                      \
    16 * (warps_m) * (quads_m), 32 * (warps_n) * (quads_n), (warps_m) * (warps_n) == 1 ? 64 : 32
#define SHARE_TILE_ROW(shape, ragged, ragged_times, tile_us, stage_us, in_step, equal_shares)      \
    {SHARE_TILE_SIZES shape,                                                                       \
     RAGGED_##ragged,                                                                              \
     ragged_times,                                                                                 \
     tile_us,                                                                                      \
     stage_us,                                                                                     \
     in_step,                                                                                      \
     equal_shares},

static const struct share_tile share_tiles[] = {SHARE_TILES(SHARE_TILE_ROW)};

struct few_steps_tile {
    int m, n, warps, resident, at_once;
    double warp_us, wait_us, tile_us, words;
};

#define FEW_STEPS_SIZES(warps, rows, pairs, resident, stripe, backwards, at_once)                  \
    2 * (warps) * (rows), 32 * (pairs), warps, resident, at_once
#define FEW_STEPS_ROW(shape, warp_us, wait_us, tile_us, words)                                     \
    {FEW_STEPS_SIZES shape, warp_us, wait_us, tile_us, words},

static const struct few_steps_tile few_steps_tiles[] = {FEW_STEPS_TILES(FEW_STEPS_ROW)};

/* Clusters of so many blocks, each with an SM for itself, that a device of NOMINAL_SMS holds for
 * certain: their SMs must belong to the same part of the chip, and parts differ in size. */
static const int clusters_that_fit[MOST_CLUSTER + 1] = {0, 132, 66, 36, 28, 20, 16, 14, 14};

enum {
    SPLIT_TILE_COUNT = sizeof split_tiles / sizeof *split_tiles,
    SHARE_TILE_COUNT = sizeof share_tiles / sizeof *share_tiles,
    FEW_STEPS_COUNT = sizeof few_steps_tiles / sizeof *few_steps_tiles
};

struct by_shape_sides {
    uint64_t m, n, k;
};

static inline uint64_t by_shape_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The excess of copying rows of `width` words by single words, if they are copied by as many words
 * at a time as their length allows: all of it, the part of pairs, or nothing. */
static inline double excess_of_words(uint64_t width, double excess, double pairs)
{
    return width % 4 == 0 ? 0 : width % 2 == 0 ? excess * pairs : excess;
}

/* The busiest SM computes `each` blocks. Words of rows that are not aligned are copied singly
 * or in pairs, which takes issue slots from the products, and reads at a lower rate. Memory is a
 * limit of its own; the longer of the two times hides most of the shorter one. */
static inline double split_tile_time(const struct split_tile *tile, struct by_shape_sides s,
                                     int cluster, int parts)
{
    const uint64_t tiles = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n),
                   shares = (uint64_t)cluster * parts,
                   slices = by_shape_up(by_shape_up(s.k, tile->slice), shares),
                   each = by_shape_up(tiles * shares, NOMINAL_SMS),
                   rounds = by_shape_up(each, tile->resident);
    const double words = 1 + excess_of_words(s.k, SPLIT_WORDS_K, SPLIT_PAIRS) +
                         excess_of_words(s.n, SPLIT_WORDS_N, SPLIT_PAIRS),
                 alone = tile->alone_us * rounds, full = tile->each_us * each,
                 bytes =
                     4.0 * (s.m * s.k * (1 + excess_of_words(s.k, SPLIT_READ_WORDS, SPLIT_PAIRS)) +
                            s.k * s.n * (1 + excess_of_words(s.n, SPLIT_READ_WORDS, SPLIT_PAIRS)) +
                            s.m * s.n),
                 memory = bytes / BYTES_PER_US + LAUNCH_US + 0.5;
    double time =
        LAUNCH_US + tile->tile_us * rounds + slices * words * (alone > full ? alone : full);
    if (cluster > 1) time += CLUSTER_US;
    if (parts > 1) time += PARTS_US + 4.0 * parts * s.m * s.n / SCRATCH_BYTES_PER_US;
    if (s.n % 4) time += 4.0 * s.m * s.n * SPLIT_WORDS_US;
    const double longer = time > memory ? time : memory;
    return longer + SPLIT_EXPOSED * (time + memory - longer - LAUNCH_US);
}

/* Shares of k are worth it only while they find idle SMs, and as long as each has a few slices.
 * They are blocks of a cluster or parts, and both only for a single small tile. Pairs of large
 * tiles are spread unevenly once there are more than two for an SM. */
static inline int split_tile_suits(const struct split_tile *tile, struct by_shape_sides s,
                                   int cluster, int parts)
{
    const uint64_t tiles = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n),
                   shares = (uint64_t)cluster * parts, slices = by_shape_up(s.k, tile->slice);
    if (tiles * shares > INT32_MAX) return 0;
    if (shares == 1) return 1;
    if (cluster == PAIR && parts > 1) return 0;
    if (cluster == PAIR && tile->m * tile->n >= 4096 && tiles * PAIR > 2 * NOMINAL_SMS) return 0;
    if (cluster == EIGHT && (parts == 1 || tiles > 1 || tile->m * tile->n > 256)) return 0;
    if (shares > slices || tiles * shares > (uint64_t)NOMINAL_SMS * tile->resident * 3) return 0;
    return parts == 1 || (slices / shares >= 4 && tiles * cluster < (uint64_t)NOMINAL_SMS &&
                          4.0 * parts * s.m * s.n <= MOST_PARTS_BYTES);
}

static inline uint64_t share_tile_count(const struct share_tile *tile, struct by_shape_sides s)
{
    const int narrower = s.n % 4 && tile->ragged == RAGGED_SHIFTED ? 4 : 0;
    return by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n - narrower);
}

/* Each block has an SM for itself. Rows of A that are not aligned cost nothing more. Blocks that
 * all begin at the same k read the same rows at the same time, which takes longer. */
static inline double share_tile_time(const struct share_tile *tile, struct by_shape_sides s,
                                     int cluster, int parts)
{
    const uint64_t shares = (uint64_t)cluster * parts,
                   stages = by_shape_up(by_shape_up(s.k, tile->stage), shares),
                   rounds =
                       by_shape_up(share_tile_count(tile, s) * parts, clusters_that_fit[cluster]);
    const double stage = tile->stage_us * (s.n % 4 ? tile->ragged_times : 1) *
                         (shares == 1 ? tile->in_step : 1),
                 bytes = 4.0 * (s.m * s.k + s.k * s.n + s.m * s.n);
    double time =
        LAUNCH_US + rounds * (tile->tile_us + stages * stage) + bytes / SHARE_BYTES_PER_US;
    if (cluster > 1) time += SHARE_CLUSTER_US;
    if (parts > 1) time += SHARE_PARTS_US + 4.0 * parts * s.m * s.n / SHARE_PARTS_BYTES_PER_US;
    if (s.n % 4) time += 4.0 * s.m * s.n * SHARE_WORDS_US;
    return time;
}

/* Shares of k must find idle SMs, and are few enough for each to have a stage. Without shares, the
 * stream-K kernel is better beyond SHARE_ROUNDS rounds. */
static inline int share_tile_suits(const struct share_tile *tile, struct by_shape_sides s,
                                   int cluster, int parts)
{
    const uint64_t tiles = share_tile_count(tile, s), shares = (uint64_t)cluster * parts;
    return shares <= by_shape_up(s.k, tile->stage) &&
           tiles * parts <=
               (shares == 1 ? SHARE_ROUNDS : 1) * (uint64_t)clusters_that_fit[cluster] &&
           (parts == 1 || 4.0 * parts * s.m * s.n <= MOST_PARTS_BYTES);
}

/* Equal shares of the stages of all tiles. Between the pieces of a share, the ring is empty for a
 * while; and a block that has the beginning of a tile adds what others computed of it. */
static inline struct by_shape_choice share_split_choice(int index, struct by_shape_sides s,
                                                        int blocks)
{
    const struct share_tile *tile = &share_tiles[index];
    const uint64_t stages = by_shape_up(s.k, tile->stage), all = share_tile_count(tile, s) * stages;
    const int shares = all < (uint64_t)blocks ? (int)all : blocks;
    const double share = (double)all / shares, tiles = share / stages,
                 bytes = 4.0 * (s.m * s.k + s.k * s.n + s.m * s.n);
    double time = LAUNCH_US + tile->tile_us + SHARE_SPLIT_US +
                  share * tile->stage_us * (s.n % 4 ? tile->ragged_times : 1) +
                  tiles * SHARE_PIECE_US + (tiles < 1 ? 1 / tiles : 1) * SHARE_PARTIAL_US +
                  bytes / SHARE_BYTES_PER_US;
    if (s.n % 4) time += 4.0 * s.m * s.n * SHARE_WORDS_US;
    return (struct by_shape_choice){BY_SHARE, index, 1, 1, 1, 0, shares, 0, time};
}

/* Few shares of a tile: the first block adds all others. */
static inline int share_split_suits(const struct share_tile *tile, struct by_shape_sides s)
{
    const uint64_t tiles = share_tile_count(tile, s);
    return tile->equal_shares && tiles * SHARE_MOST_OF_TILE >= NOMINAL_SMS &&
           tiles <= SHARE_ROUNDS * (uint64_t)NOMINAL_SMS;
}

/* Bytes of shared memory of a block: a column of A, padded, and a row of B for each k; and for one
 * more, which is read ahead. */
static inline uint64_t few_steps_bytes(const struct few_steps_tile *tile, uint64_t k)
{
    const uint64_t steps = tile->at_once ? k + 1 : FEW_STEPS_RING;
    return 4 * steps * (uint64_t)(tile->m + 4 + tile->n);
}

/* Steps of each part of k: whole slices, if there are several parts. */
static inline uint64_t few_steps_depth(uint64_t k, int parts)
{
    return parts == 1 ? k : by_shape_up(by_shape_up(k, FEW_STEPS_SLICE), parts) * FEW_STEPS_SLICE;
}

/* The four schedulers of an SM share the warps of its blocks; the busiest has so many of them. What
 * they wait for at a step hides behind the other blocks of the SM. Blocks also take turns in
 * multiplying and storing; what takes less time hides behind the other for the most part. */
static inline double few_steps_time(const struct few_steps_tile *tile, struct by_shape_sides s,
                                    int parts)
{
    const uint64_t blocks = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n) * parts,
                   room = SM_SHARED_BYTES / (few_steps_bytes(tile, s.k) + BLOCK_SHARED_BYTES),
                   resident = room < (uint64_t)tile->resident ? room : (uint64_t)tile->resident,
                   each = by_shape_up(blocks, NOMINAL_SMS), rounds = by_shape_up(each, resident),
                   depth = few_steps_depth(s.k, parts);
    const double words = 1 + excess_of_words(s.n, tile->words, FEW_STEPS_PAIRS),
                 step = tile->warp_us * by_shape_up(each * tile->warps, 4) +
                        tile->wait_us * rounds / resident,
                 multiply = depth * step * words + each * tile->tile_us,
                 memory = 4.0 * (s.m * s.k + s.k * s.n + s.m * s.n) / FEW_STEPS_BYTES_PER_US,
                 longer = multiply > memory ? multiply : memory;
    return LAUNCH_US + FEW_STEPS_START_US + longer +
           (parts > 1 ? FEW_STEPS_PARTS_EXPOSED : FEW_STEPS_EXPOSED) *
               (multiply + memory - longer) +
           (parts > 1 ? FEW_STEPS_PARTS_US + 4.0 * parts * s.m * s.n / FEW_STEPS_PARTS_BYTES_PER_US
                      : 0);
}

/* Narrower results have kernels of their own. Parts of k find room beside one another and are not
 * short. */
static inline int few_steps_suits(const struct few_steps_tile *tile, struct by_shape_sides s,
                                  int parts)
{
    const uint64_t blocks = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n) * parts,
                   depth = few_steps_depth(s.k, parts);
    if (s.m <= THIN_MOST_ROWS || s.n <= THIN_MOST_ROWS) return 0;
    if (tile->at_once) return parts == 1 && s.k <= FEW_STEPS_AT_ONCE;
    if (parts == 1) return s.k >= FEW_STEPS_LEAST_K && s.k <= FEW_STEPS_MOST_K;
    return depth > FEW_STEPS_AT_ONCE && depth * (parts - 1) + FEW_STEPS_SLICE <= s.k &&
           blocks <= (uint64_t)NOMINAL_SMS * tile->resident &&
           4.0 * parts * s.m * s.n <= MOST_PARTS_BYTES;
}

static inline uint64_t padded_bytes(struct by_shape_sides s)
{
    return 16 * s.k * by_shape_up(s.n, 4);
}

/* Rounds of whole tiles; or all full rounds but the last, and then equal shares of the rest. */
static inline struct by_shape_choice stream_choice(int index, struct by_shape_sides s, int blocks,
                                                   int split, int padded)
{
    const struct stream_tile *tile = &stream_tiles[index];
    const uint64_t tiles = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n),
                   steps = by_shape_up(s.k, STREAM_STEP), whole = tiles / blocks,
                   waves = whole > 0 ? whole - 1 : 0,
                   shared = by_shape_up((tiles - waves * blocks) * steps, 4);
    const double copies = padded || s.n % 4 == 0 ? 1
                          : s.n % 2 == 0         ? tile->pairs
                                                 : tile->words,
                 slice_us = tile->slice_us * copies, slices = steps / 4.0,
                 store_us = tile->store_us * (s.n % 4 ? STREAM_STORE_WORDS : 1),
                 share = shared < (uint64_t)blocks ? 1 : (double)shared / blocks;
    struct by_shape_choice choice = {
        BY_STREAM, index, 1, 1, split, 1, (int)tiles, padded, LAUNCH_US + STREAM_START_US};
    if (padded)
        choice.time_us +=
            PADDING_US + (4.0 * s.k * s.n + (double)padded_bytes(s)) / PADDED_BYTES_PER_US;
    if (!split) {
        choice.time_us += by_shape_up(tiles, blocks) * (slices * slice_us + store_us);
        return choice;
    }
    choice.waves = (int)waves;
    choice.blocks = shared < (uint64_t)blocks ? (int)shared : blocks;
    choice.time_us += tile->share_us + waves * (slices * slice_us + store_us) + share * slice_us +
                      (share < slices ? slices / share : 1) * tile->partial_us +
                      (share > slices ? (share / slices - 1) * store_us : 0);
    return choice;
}

/* A second launch adds parts; a first one copies B. */
static inline unsigned by_shape_launches(const struct by_shape_choice *choice)
{
    return choice->parts > 1 || choice->padded ? 2 : 1;
}

/* ---- all choices ----------------------------------------------------------------------------- */

/* What is called with each choice that the rules allow for a shape, and its estimate; memory_us is
 * the time of reading alone, or 0 where it is not estimated apart. */
typedef void by_shape_visitor(const struct by_shape_choice *choice, double memory_us,
                              void *context);

static inline void by_shape_visit_stream(struct by_shape_sides s, by_shape_visitor *visitor,
                                         void *context)
{
    const int pads = s.n % 4 != 0 && padded_bytes(s) <= MOST_PADDED_BYTES;
    for (int tile = 0; tile < STREAM_TILE_COUNT; tile++)
        for (int split = 0; split < 2; split++)
            for (int padded = 0; padded <= pads; padded++) {
                const struct by_shape_choice choice =
                    stream_choice(tile, s, NOMINAL_SMS, split, padded);
                visitor(&choice, 0, context);
            }
}

static inline void by_shape_visit_split(struct by_shape_sides s, by_shape_visitor *visitor,
                                        void *context)
{
    static const int clusters[] = {1, PAIR, EIGHT};
    for (int index = 0; index < SPLIT_TILE_COUNT; index++)
        for (int parts = 1; parts <= MOST_PARTS; parts *= 2)
            for (int i = 0; i < 3; i++) {
                const struct split_tile *tile = &split_tiles[index];
                if (!split_tile_suits(tile, s, clusters[i], parts)) continue;
                const double time = split_tile_time(tile, s, clusters[i], parts);
                const struct by_shape_choice choice = {
                    BY_SPLIT_TILE, index, clusters[i], parts, 0, 0, 0, 0, time};
                visitor(&choice, 0, context);
            }
}

static inline void by_shape_visit_share(struct by_shape_sides s, by_shape_visitor *visitor,
                                        void *context)
{
    for (int index = 0; index < SHARE_TILE_COUNT; index++)
        for (int cluster = 1; cluster <= MOST_CLUSTER; cluster++)
            for (int parts = 1; parts <= MOST_PARTS; parts++) {
                const struct share_tile *tile = &share_tiles[index];
                if (!share_tile_suits(tile, s, cluster, parts)) break;
                const double time = share_tile_time(tile, s, cluster, parts);
                const struct by_shape_choice choice = {BY_SHARE, index, cluster, parts, 0,
                                                       0,        0,     0,       time};
                visitor(&choice, 0, context);
            }
    for (int index = 0; index < SHARE_TILE_COUNT; index++)
        if (share_split_suits(&share_tiles[index], s)) {
            const struct by_shape_choice choice = share_split_choice(index, s, NOMINAL_SMS);
            visitor(&choice, 0, context);
        }
}

static inline void by_shape_visit_few_steps(struct by_shape_sides s, by_shape_visitor *visitor,
                                            void *context)
{
    for (int index = 0; index < FEW_STEPS_COUNT; index++)
        for (int parts = 1; parts <= MOST_PARTS; parts++) {
            if (!few_steps_suits(&few_steps_tiles[index], s, parts)) continue;
            const double time = few_steps_time(&few_steps_tiles[index], s, parts);
            const struct by_shape_choice choice = {BY_FEW_STEPS, index, 1, parts, 0, 0, 0, 0, time};
            visitor(&choice, 0, context);
        }
}

struct by_shape_thin_context {
    by_shape_visitor *visitor;
    void *context;
};

static inline void by_shape_pass_thin(const struct thin_choice *thin, void *context)
{
    static const enum by_shape_kernel kernels[] = {BY_ROWS, BY_COLUMNS, BY_CORNER};
    const struct by_shape_thin_context *to = (const struct by_shape_thin_context *)context;
    const struct by_shape_choice choice = {kernels[thin->kind], thin->tile, thin->cluster,
                                           thin->parts,         0,          0,
                                           thin->blocks,        0,          thin->time_us};
    to->visitor(&choice, thin->memory_us, to->context);
}

/* Estimates are those for a device of NOMINAL_SMS. */
static inline void by_shape_visit(struct by_shape_sides s, by_shape_visitor *visitor, void *context)
{
    struct by_shape_thin_context thin = {visitor, context};
    by_shape_visit_stream(s, visitor, context);
    by_shape_visit_split(s, visitor, context);
    thin_visit(s.m, s.n, s.k, by_shape_pass_thin, &thin);
    by_shape_visit_share(s, visitor, context);
    by_shape_visit_few_steps(s, visitor, context);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* The best of each group of kernels whose estimates compare with one another. */
struct by_shape_best {
    struct by_shape_choice tiles, thin, share, few_steps; /* tiles: split or stream */
    double thin_memory_us;
};

static inline void by_shape_improve(const struct by_shape_choice *choice, double memory_us,
                                    void *context)
{
    struct by_shape_best *best = (struct by_shape_best *)context;
    struct by_shape_choice *of_group = choice->kernel == BY_SHARE       ? &best->share
                                       : choice->kernel == BY_FEW_STEPS ? &best->few_steps
                                       : choice->kernel >= BY_ROWS      ? &best->thin
                                                                        : &best->tiles;
    if (choice->time_us >= of_group->time_us) return;
    *of_group = *choice;
    if (of_group == &best->thin) best->thin_memory_us = memory_us;
}

/* Whether a kernel for thin products is faster than the best tile. Its figures are those of an
 * H100, where other kernels took 16 to 31 % longer than by earlier estimates at products that are
 * limited by reading; they are taken to read at 0.8 of the rate. */
static inline int by_shape_takes_thin(const struct by_shape_best *best)
{
    const double other = best->tiles.time_us * 1.25,
                 reading = THIN_LAUNCH_US + best->thin_memory_us * 1.25;
    return best->thin.time_us < (other > reading ? other : reading);
}

/* The blocks that share tiles are those of the device at hand. */
static inline struct by_shape_choice by_shape_on_device(struct by_shape_choice choice,
                                                        struct by_shape_sides s, int sm_count)
{
    const int blocks = sm_count < MOST_STREAM_BLOCKS ? sm_count : MOST_STREAM_BLOCKS;
    return choice.kernel == BY_STREAM
               ? stream_choice(choice.tile, s, blocks, choice.split, choice.padded)
           : choice.kernel == BY_SHARE && choice.split ? share_split_choice(choice.tile, s, blocks)
                                                       : choice;
}

/* The number of launches may depend on the shape alone, so the choice is made for a device of
 * NOMINAL_SMS. */
static inline struct by_shape_choice by_shape_choose(struct by_shape_sides s, int sm_count)
{
    const struct by_shape_choice none = {BY_STREAM, 0, 1, 1, 0, 0, 0, 0, 1e30};
    struct by_shape_best all = {none, none, none, none, 0};
    by_shape_visit(s, by_shape_improve, &all);
    struct by_shape_choice best = by_shape_takes_thin(&all) ? all.thin : all.tiles;
    if (all.share.time_us < best.time_us) best = all.share;
    if (all.few_steps.time_us < best.time_us) best = all.few_steps;
    return by_shape_on_device(best, s, sm_count);
}

#endif
