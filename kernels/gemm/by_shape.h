/*
 * Chooses the kernel of the top rung for a product by its shape: estimates the time of each kernel
 * that could compute it, and takes the shortest. Valid C11 and C++17 and free of CUDA, so that the
 * choice can be tested anywhere. Nothing is owned.
 *
 * The figures are microseconds on an H200, fitted to measured times of 23 shapes: cubes, products
 * with vectors, small ones with a large K and large ones with a small K. The estimates of split
 * tiles deviate from those times by 5 % on average. Rows of most of these shapes were multiples of
 * 16 bytes long, so the figures for other rows are less certain.
 */
#ifndef KERNELS_GEMM_BY_SHAPE_H
#define KERNELS_GEMM_BY_SHAPE_H

#include <stdint.h>

/* The tiles of split_tiles.h: the parameters of split_shape; and the times of a tile beyond its
 * slices, of a slice while few blocks share an SM, and of a slice for each block while they fill
 * it. To add a tile, add a row. */
#define SPLIT_TILES(TILE)                                                                          \
    TILE((1, 1, 4, 8, 2, 4, 32, 4, 4), 0.89, 0.229, 0.122)  /* 16 x 16 */                          \
    TILE((1, 1, 8, 8, 2, 8, 64, 3, 3), 1.38, 0.510, 0.377)  /* 16 x 32 */                          \
    TILE((1, 1, 4, 8, 4, 8, 32, 4, 4), 1.23, 0.457, 0.329)  /* 32 x 32 */                          \
    TILE((2, 1, 4, 8, 4, 8, 32, 4, 3), 1.50, 0.702, 0.585)  /* 64 x 32 */                          \
    TILE((2, 2, 2, 8, 4, 8, 32, 4, 3), 1.41, 1.185, 1.053)  /* 64 x 64 */                          \
    TILE((1, 4, 1, 8, 8, 8, 16, 4, 3), 1.55, 1.069, 0.878)  /* 64 x 128 */                         \
    TILE((1, 2, 4, 4, 2, 8, 32, 4, 3), 1.13, 0.551, 0.407)  /* 8 x 128 */                          \
    TILE((1, 2, 4, 4, 4, 8, 32, 4, 3), 2.67, 0.778, 0.743)  /* 16 x 128 */                         \
    TILE((1, 4, 2, 8, 4, 8, 32, 3, 3), 1.62, 1.244, 1.296)  /* 32 x 128 */                         \
    TILE((2, 1, 4, 16, 4, 4, 32, 4, 2), 1.62, 0.467, 0.446) /* 128 x 8 */                          \
    TILE((2, 1, 4, 16, 4, 8, 32, 4, 2), 1.70, 0.671, 0.610) /* 128 x 16 */                         \
    TILE((4, 1, 2, 8, 4, 8, 32, 3, 3), 1.60, 1.264, 1.115)  /* 128 x 32 */

/* The tiles of stream_k.h, with their sizes; and the times of a slice of 32 k, of storing a tile,
 * of starting to share tiles, and of adding a partial one. */
#define STREAM_TILES(TILE)                                                                         \
    TILE(large, 128, 256, 4.83, 5.5, 16, 1.25)                                                     \
    TILE(middle, 128, 128, 2.70, 4.5, 9, 1.0)                                                      \
    TILE(small, 64, 128, 1.79, 2.0, 6.5, 0.5)

enum by_shape_kernel { BY_SPLIT_TILE, BY_STREAM };

struct by_shape_choice {
    enum by_shape_kernel kernel;
    int tile;    /* its row in the list of the kernel's tiles */
    int cluster; /* split tile: blocks that share the k of a tile, and add through shared memory */
    int parts;   /* split tile: shares of k whose sums a second launch adds */
    int split;   /* stream: the last tiles are shared */
    int waves;   /* stream: whole tiles that each block takes first */
    int blocks;  /* stream: blocks; MOST_STREAM_BLOCKS at most if they share tiles */
    double time_us;
};

enum {
    NOMINAL_SMS = 132,
    MOST_STREAM_BLOCKS = 508, /* whose partial tiles fit into the scratch buffer */
    PAIR = 2,                 /* blocks of a cluster that share k; four and more were slower */
    EIGHT = 8,                /* the same on top of parts, for a single small tile */
    MOST_PARTS = 64,
    MOST_PARTS_BYTES = 60000000, /* in scratch memory */
    STREAM_SLICE = 32
};

static const double LAUNCH_US = 3, CLUSTER_US = 1.24, PARTS_US = 3, BYTES_PER_US = 3.4e6,
                    SCRATCH_BYTES_PER_US = 3e6;

struct split_tile {
    int m, n, slice, resident;
    double tile_us, alone_us, each_us;
};

#define SPLIT_TILE_SIZES(warps_m, warps_n, groups, lanes, rows, columns, slice, stages, resident)  \
    (warps_m) * (lanes) * (rows), (warps_n) * (32 / (lanes)) * (columns), slice, resident
#define SPLIT_TILE_ROW(shape, tile_us, alone_us, each_us)                                          \
    {SPLIT_TILE_SIZES shape, tile_us, alone_us, each_us},

static const struct split_tile split_tiles[] = {SPLIT_TILES(SPLIT_TILE_ROW)};

struct stream_tile {
    const char *name;
    int m, n;
    double slice_us, store_us, share_us, partial_us;
};

#define STREAM_TILE_ROW(name, m, n, slice_us, store_us, share_us, partial_us)                      \
    {#name, m, n, slice_us, store_us, share_us, partial_us},

static const struct stream_tile stream_tiles[] = {STREAM_TILES(STREAM_TILE_ROW)};

enum {
    SPLIT_TILE_COUNT = sizeof split_tiles / sizeof *split_tiles,
    STREAM_TILE_COUNT = sizeof stream_tiles / sizeof *stream_tiles
};

struct by_shape_sides {
    uint64_t m, n, k;
};

static inline uint64_t by_shape_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The busiest SM computes `each` blocks. Words of rows that are not aligned are copied one by
 * one, which takes issue slots from the products. Memory is a limit of its own. */
static inline double split_tile_time(const struct split_tile *tile, struct by_shape_sides s,
                                     int cluster, int parts)
{
    const uint64_t tiles = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n),
                   shares = (uint64_t)cluster * parts,
                   slices = by_shape_up(by_shape_up(s.k, tile->slice), shares),
                   each = by_shape_up(tiles * shares, NOMINAL_SMS),
                   rounds = by_shape_up(each, tile->resident);
    const double words = 1 + (s.k % 4 ? 0.30 : 0) + (s.n % 4 ? 0.36 : 0),
                 alone = tile->alone_us * rounds, full = tile->each_us * each,
                 bytes = 4.0 * (s.m * s.k + s.k * s.n + s.m * s.n),
                 memory = bytes / BYTES_PER_US + LAUNCH_US + 0.5;
    double time =
        LAUNCH_US + tile->tile_us * rounds + slices * words * (alone > full ? alone : full);
    if (cluster > 1) time += CLUSTER_US;
    if (parts > 1) time += PARTS_US + 4.0 * parts * s.m * s.n / SCRATCH_BYTES_PER_US;
    return time > memory ? time : memory;
}

/* Shares of k are worth it only while they find idle SMs, and as long as each has a few slices.
 * They are blocks of a cluster or parts, and both only for a single small tile. */
static inline int split_tile_suits(const struct split_tile *tile, struct by_shape_sides s,
                                   int cluster, int parts)
{
    const uint64_t tiles = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n),
                   shares = (uint64_t)cluster * parts, slices = by_shape_up(s.k, tile->slice);
    if (tiles * shares > INT32_MAX) return 0;
    if (shares == 1) return 1;
    if (cluster == PAIR && parts > 1) return 0;
    if (cluster == EIGHT && (parts == 1 || tiles > 1 || tile->m * tile->n > 256)) return 0;
    if (shares > slices || tiles * shares > (uint64_t)NOMINAL_SMS * tile->resident * 3) return 0;
    return parts == 1 || (slices / shares >= 4 && tiles * cluster < (uint64_t)NOMINAL_SMS &&
                          4.0 * parts * s.m * s.n <= MOST_PARTS_BYTES);
}

/* Whole rounds of tiles, or all but the last of them and then equal shares. */
static inline struct by_shape_choice stream_choice(int index, struct by_shape_sides s, int blocks,
                                                   int split)
{
    const struct stream_tile *tile = &stream_tiles[index];
    const uint64_t tiles = by_shape_up(s.m, tile->m) * by_shape_up(s.n, tile->n),
                   slices = by_shape_up(s.k, STREAM_SLICE), whole = tiles / blocks,
                   waves = whole > 0 ? whole - 1 : 0, shared = (tiles - waves * blocks) * slices;
    const double slice_us = tile->slice_us * (s.n % 4 == 0    ? 1
                                              : tile->m < 128 ? 1.06
                                                              : 1.17),
                 share = shared < (uint64_t)blocks ? 1 : (double)shared / blocks;
    struct by_shape_choice choice = {BY_STREAM, index, 1, 1, split, 1, (int)tiles, LAUNCH_US};
    if (!split) {
        choice.time_us += by_shape_up(tiles, blocks) * (slices * slice_us + tile->store_us);
        return choice;
    }
    choice.waves = (int)waves;
    choice.blocks = shared < (uint64_t)blocks ? (int)shared : blocks;
    choice.time_us += tile->share_us + waves * (slices * slice_us + tile->store_us) +
                      share * slice_us + (share < slices ? slices / share : 1) * tile->partial_us;
    return choice;
}

/* The number of launches may depend on the shape alone, so the choice is made for a device of
 * NOMINAL_SMS; the blocks that share tiles are those of the device at hand. */
static inline struct by_shape_choice by_shape_choose(struct by_shape_sides s, int sm_count)
{
    const int blocks = sm_count < MOST_STREAM_BLOCKS ? sm_count : MOST_STREAM_BLOCKS;
    struct by_shape_choice best = stream_choice(0, s, NOMINAL_SMS, 0);
    for (int tile = 0; tile < STREAM_TILE_COUNT; tile++)
        for (int split = 0; split < 2; split++) {
            const struct by_shape_choice choice = stream_choice(tile, s, NOMINAL_SMS, split);
            if (choice.time_us < best.time_us) best = choice;
        }
    for (int tile = 0; tile < SPLIT_TILE_COUNT; tile++)
        for (int parts = 1; parts <= MOST_PARTS; parts *= 2)
            for (int i = 0; i < 3; i++) {
                static const int clusters[] = {1, PAIR, EIGHT};
                if (!split_tile_suits(&split_tiles[tile], s, clusters[i], parts)) continue;
                const double time = split_tile_time(&split_tiles[tile], s, clusters[i], parts);
                if (time >= best.time_us) continue;
                const struct by_shape_choice choice = {
                    BY_SPLIT_TILE, tile, clusters[i], parts, 0, 0, 0, time};
                best = choice;
            }
    return best.kernel == BY_STREAM ? stream_choice(best.tile, s, blocks, best.split) : best;
}

#endif
