/*
 * Chooses the kernel of thin.h for a product with few rows or few columns, and estimates its time.
 * Valid C11 and C++17 and free of CUDA. Nothing is owned.
 *
 * The figures are microseconds and bytes per microsecond on an H100, fitted to measured times of 38
 * shapes: products with up to eight rows or columns, and two with 12 and 16 rows. The launch and
 * the first loads take a time that grows until the memory is busy; then either the memory limits,
 * or one block that has too much to read.
 */
#ifndef KERNELS_GEMM_THIN_SHAPE_H
#define KERNELS_GEMM_THIN_SHAPE_H

#include "gemm.h"

/* The tiles of thin_rows: the parameters of thin_rows_shape, and the bytes per microsecond of a
 * block and of the memory. For equal times the first is taken. To add a tile, add a row. */
#define THIN_ROWS(TILE)                                                                            \
    TILE((1, 4, 1, 8, 8, 8, 2), 38e3, 2.8e6)                                                       \
    TILE((4, 4, 1, 8, 8, 8, 2), 38e3, 2.8e6)                                                       \
    TILE((8, 4, 1, 8, 8, 8, 2), 36e3, 2.8e6)                                                       \
    TILE((1, 4, 1, 16, 8, 8, 2), 38e3, 2.9e6)                                                      \
    TILE((4, 4, 1, 16, 8, 8, 2), 36e3, 2.9e6)                                                      \
    TILE((8, 4, 1, 16, 8, 8, 2), 34e3, 2.9e6)                                                      \
    TILE((16, 4, 1, 32, 4, 8, 2), 22e3, 2.6e6)                                                     \
    TILE((1, 1, 1, 32, 32, 8, 2), 27e3, 2.15e6)                                                    \
    TILE((4, 1, 1, 32, 32, 8, 2), 27e3, 2.15e6)                                                    \
    TILE((8, 1, 1, 32, 32, 8, 2), 27e3, 2.15e6)                                                    \
    TILE((16, 1, 2, 32, 8, 8, 2), 15.5e3, 1.75e6)

/* The tiles of thin_columns, for exactly so many columns: the first two parameters of
 * thin_columns_shape. */
#define THIN_COLUMNS(TILE)                                                                         \
    TILE(1, 4)                                                                                     \
    TILE(2, 4)                                                                                     \
    TILE(3, 4)                                                                                     \
    TILE(4, 4)                                                                                     \
    TILE(5, 4)                                                                                     \
    TILE(6, 4)                                                                                     \
    TILE(7, 4)                                                                                     \
    TILE(8, 4)                                                                                     \
    TILE(1, 1)                                                                                     \
    TILE(2, 1)                                                                                     \
    TILE(3, 1)                                                                                     \
    TILE(4, 1)                                                                                     \
    TILE(5, 1)                                                                                     \
    TILE(6, 1)                                                                                     \
    TILE(7, 1)                                                                                     \
    TILE(8, 1)

/* The tiles of thin_corner: most rows and columns. */
#define THIN_CORNERS(TILE)                                                                         \
    TILE(1, 1)                                                                                     \
    TILE(1, 4)                                                                                     \
    TILE(1, 8)                                                                                     \
    TILE(4, 1)                                                                                     \
    TILE(4, 4)                                                                                     \
    TILE(4, 8)                                                                                     \
    TILE(8, 1)                                                                                     \
    TILE(8, 4)                                                                                     \
    TILE(8, 8)

enum thin_kind { THIN_BY_ROWS, THIN_BY_COLUMNS, THIN_BY_CORNER };

struct thin_choice {
    enum thin_kind kind;
    int tile;                  /* its row in the list of the kind */
    int cluster;               /* blocks that share k and add through shared memory: 1, 2, 4 or 8 */
    int parts;                 /* shares of k whose sums a second launch adds */
    int blocks;                /* corner: about so many blocks share k */
    double time_us, memory_us; /* the latter of reading alone */
};

struct thin_rows_tile {
    int rows, width, columns;
    double block, memory;
};

struct thin_size {
    int rows, columns;
};

#define THIN_ROWS_SIZES(rows, width, loads, lanes, depth, warps, resident)                         \
    rows, width, (width) * (loads) * (lanes)
#define THIN_ROWS_ROW(shape, block, memory) {THIN_ROWS_SIZES shape, block, memory},
#define THIN_COLUMNS_ROW(columns, width) {columns, width},
#define THIN_CORNER_ROW(rows, columns) {rows, columns},

static const struct thin_rows_tile thin_rows_tiles[] = {THIN_ROWS(THIN_ROWS_ROW)};
static const struct {
    int columns, width;
} thin_columns_tiles[] = {THIN_COLUMNS(THIN_COLUMNS_ROW)};
static const struct thin_size thin_corner_tiles[] = {THIN_CORNERS(THIN_CORNER_ROW)};

enum {
    THIN_ROWS_COUNT = sizeof thin_rows_tiles / sizeof *thin_rows_tiles,
    THIN_COLUMNS_COUNT = sizeof thin_columns_tiles / sizeof *thin_columns_tiles,
    THIN_CORNER_COUNT = sizeof thin_corner_tiles / sizeof *thin_corner_tiles,
    THIN_MOST_ROWS = 16,   /* of thin_rows */
    THIN_MOST_COLUMNS = 8, /* of thin_columns */
    THIN_CORNER = 8,       /* rows and columns at most */
    THIN_BLOCKS = 264,     /* two for each SM of an H100 */
    THIN_MOST_CLUSTER = 8,
    THIN_PARTS_BYTES = 60000000, /* at most, in scratch memory */
    COLUMNS_BLOCK_ROWS = 16,
    COLUMNS_SLICE = 512, /* of k */
    ROWS_LEAST_K = 32    /* of a share */
};

static const double THIN_LAUNCH_US = 4.4, THIN_FILL_US = 1.6, THIN_FILL_BYTES = 4e6,
                    THIN_CLUSTER_US = 1, THIN_PARTS_US = 3, THIN_PARTS_BYTES_PER_US = 1.2e6,
                    COLUMNS_BYTES_PER_US = 50e3;

/* ---- the blocks of a corner ------------------------------------------------------------------ */

enum {
    CORNER_SHARE_UNIT = 16,       /* a block's k: whole quads for each of the pieces */
    CORNER_MOST_WORDS = 24 << 10, /* of A and B for a block: two blocks fit on an SM */
    CORNER_LEAST_WORDS = 2 << 10,
    CORNER_MAIL_WORDS = 1 << 15
};

/* A block's share of k: about `blocks` blocks, unless their shares became too short or too long. */
static inline uint64_t thin_corner_share(uint64_t m, uint64_t n, uint64_t k, uint64_t blocks)
{
    const uint64_t unit = CORNER_SHARE_UNIT, most = (CORNER_MOST_WORDS - 4 * m) / (m + n),
                   least = CORNER_LEAST_WORDS / (m + n);
    uint64_t share = divide_up(k, blocks);
    if (share < least) share = least;
    share = divide_up(share, unit) * unit;
    if (share > most) share = most / unit * unit;
    return share;
}

/* Blocks of the grid: whole clusters. */
static inline uint64_t thin_corner_blocks(uint64_t k, uint64_t share, unsigned cluster)
{
    return divide_up(divide_up(k, share), cluster) * cluster;
}

/* ---- estimates ------------------------------------------------------------------------------- */

static inline double thin_bytes(uint64_t m, uint64_t n, uint64_t k)
{
    return 4.0 * (m * k + k * n + m * n);
}

/* Sets the times of a choice from the time in which one block reads its part, and that of the
 * memory for all of them. */
static inline void thin_estimate(struct thin_choice *choice, uint64_t m, uint64_t n, uint64_t k,
                                 double block_us, double memory_us)
{
    const double fill = thin_bytes(m, n, k) / THIN_FILL_BYTES;
    choice->memory_us = memory_us;
    choice->time_us = THIN_LAUNCH_US + THIN_FILL_US * (fill < 1 ? fill : 1) +
                      (block_us > memory_us ? block_us : memory_us);
    if (choice->cluster > 1) choice->time_us += THIN_CLUSTER_US;
    if (choice->parts > 1)
        choice->time_us += THIN_PARTS_US + 4.0 * choice->parts * m * n / THIN_PARTS_BYTES_PER_US;
}

static inline void thin_rows_estimate(struct thin_choice *choice, uint64_t m, uint64_t n,
                                      uint64_t k)
{
    const struct thin_rows_tile *tile = &thin_rows_tiles[choice->tile];
    const uint64_t shares = (uint64_t)choice->cluster * choice->parts,
                   rounds = divide_up(divide_up(n, tile->columns) * shares, THIN_BLOCKS);
    const double block = 4.0 * tile->columns * divide_up(k, shares);
    thin_estimate(choice, m, n, k, rounds * block / tile->block,
                  thin_bytes(m, n, k) / tile->memory);
}

/* A block reads its rows of A, and all columns of B. */
static inline void thin_columns_estimate(struct thin_choice *choice, uint64_t m, uint64_t n,
                                         uint64_t k)
{
    const uint64_t shares = (uint64_t)choice->cluster * choice->parts,
                   rounds = divide_up(divide_up(m, COLUMNS_BLOCK_ROWS) * shares, THIN_BLOCKS);
    const double block = 4.0 * (COLUMNS_BLOCK_ROWS + n) * divide_up(k, shares),
                 memory = thin_columns_tiles[choice->tile].width == 4 ? 2.9e6 - 0.03e6 * n
                                                                      : 2.3e6 - 0.04e6 * n;
    thin_estimate(choice, m, n, k, rounds * block / COLUMNS_BYTES_PER_US,
                  thin_bytes(m, n, k) / memory);
}

/* The first block collects the sums of all others. */
static inline void thin_corner_estimate(struct thin_choice *choice, uint64_t m, uint64_t n,
                                        uint64_t k)
{
    const struct thin_size *tile = &thin_corner_tiles[choice->tile];
    const uint64_t share = thin_corner_share(m, n, k, choice->blocks),
                   clusters = divide_up(divide_up(k, share), choice->cluster),
                   values = (uint64_t)tile->rows * tile->columns;
    choice->memory_us = thin_bytes(m, n, k) / 2.4e6;
    choice->time_us = THIN_LAUNCH_US + 0.4 + choice->memory_us + values * k * 0.04e-6;
    if (share < k) choice->time_us += 1.2 + clusters * values * 0.28e-3;
    if (choice->cluster > 1) choice->time_us += THIN_CLUSTER_US;
}

/* ---- choices --------------------------------------------------------------------------------- */

/* Whether shares of k find idle SMs, are not too short, and their sums find room. Clusters and
 * parts together were slower than parts alone. */
static inline int thin_shares_suit(uint64_t strips, uint64_t m, uint64_t n, uint64_t k,
                                   uint64_t least_k, int cluster, int parts)
{
    const uint64_t shares = (uint64_t)cluster * parts;
    if (shares == 1) return 1;
    if (cluster > 1 && parts > 1) return 0;
    return strips * shares <= THIN_BLOCKS && shares * least_k <= k &&
           4.0 * parts * m * n <= THIN_PARTS_BYTES;
}

/* Rows of B must be aligned if loads are wide. Wide strips are better if they fill the device, and
 * tiles of 16 rows have been tried on wide products only. The many sums of a large tile are slow to
 * exchange in a cluster. */
static inline int thin_rows_suit(const struct thin_rows_tile *tile, uint64_t m, uint64_t n,
                                 uint64_t k, int cluster, int parts)
{
    const uint64_t strips = divide_up(n, tile->columns);
    if (m > (uint64_t)tile->rows || (tile->width == 4) != (n % 4 == 0)) return 0;
    if (tile->width == 4 && tile->columns == 64 && strips < 128) return 0;
    if (tile->rows == THIN_MOST_ROWS && strips < 16) return 0;
    if (cluster > 1 && tile->rows * tile->columns > 1024) return 0;
    return thin_shares_suit(strips, m, n, k, ROWS_LEAST_K, cluster, parts);
}

enum { THIN_TRIES = 5 };

/* Whether there is a try `index` to divide k: clusters of 1 to 8 blocks, or so many parts that two
 * blocks occupy each SM, but `most` at most. */
static inline int thin_shares(struct thin_choice *choice, uint64_t strips, uint64_t most, int index)
{
    const uint64_t fill = THIN_BLOCKS / strips, parts = fill < most ? fill : most;
    const int shares = index == THIN_TRIES - 1;
    choice->cluster = shares ? 1 : 1 << index;
    choice->parts = shares ? (int)parts : 1;
    return !shares || parts > 1;
}

/* What is called with each choice that is allowed, and its estimate. */
typedef void thin_visitor(const struct thin_choice *choice, void *context);

static inline void thin_visit_rows(uint64_t m, uint64_t n, uint64_t k, thin_visitor *visitor,
                                   void *context)
{
    for (int tile = 0; tile < THIN_ROWS_COUNT; tile++)
        for (int i = 0; i < THIN_TRIES; i++) {
            const struct thin_rows_tile *t = &thin_rows_tiles[tile];
            struct thin_choice choice = {THIN_BY_ROWS, tile, 1, 1, 0, 0, 0};
            if (!thin_shares(&choice, divide_up(n, t->columns), k / ROWS_LEAST_K, i)) continue;
            if (!thin_rows_suit(t, m, n, k, choice.cluster, choice.parts)) continue;
            thin_rows_estimate(&choice, m, n, k);
            visitor(&choice, context);
        }
}

static inline void thin_visit_columns(uint64_t m, uint64_t n, uint64_t k, thin_visitor *visitor,
                                      void *context)
{
    const int tile = (int)n - 1 + (k % 4 ? THIN_MOST_COLUMNS : 0);
    const uint64_t strips = divide_up(m, COLUMNS_BLOCK_ROWS);
    for (int i = 0; i < THIN_TRIES; i++) {
        struct thin_choice choice = {THIN_BY_COLUMNS, tile, 1, 1, 0, 0, 0};
        if (!thin_shares(&choice, strips, k / COLUMNS_SLICE, i)) continue;
        if (!thin_shares_suit(strips, m, n, k, COLUMNS_SLICE, choice.cluster, choice.parts))
            continue;
        thin_columns_estimate(&choice, m, n, k);
        visitor(&choice, context);
    }
}

/* Two blocks for each SM, or one if there are many sums for the first block to collect; in clusters
 * only if the mail of single blocks found no room. */
static inline void thin_visit_corner(uint64_t m, uint64_t n, uint64_t k, thin_visitor *visitor,
                                     void *context)
{
    struct thin_choice choice = {THIN_BY_CORNER, 0, 1, 1, 0, 0, 0};
    while (m > (uint64_t)thin_corner_tiles[choice.tile].rows ||
           n > (uint64_t)thin_corner_tiles[choice.tile].columns)
        choice.tile++;
    const struct thin_size *tile = &thin_corner_tiles[choice.tile];
    const uint64_t values = (uint64_t)tile->rows * tile->columns;
    choice.blocks = values > 8 ? THIN_BLOCKS / 2 : THIN_BLOCKS;
    const uint64_t blocks = divide_up(k, thin_corner_share(m, n, k, choice.blocks));
    while (choice.cluster < THIN_MOST_CLUSTER &&
           divide_up(blocks, choice.cluster) * values > CORNER_MAIL_WORDS)
        choice.cluster *= 2;
    thin_corner_estimate(&choice, m, n, k);
    visitor(&choice, context);
}

static inline void thin_visit(uint64_t m, uint64_t n, uint64_t k, thin_visitor *visitor,
                              void *context)
{
    if (m <= THIN_CORNER && n <= THIN_CORNER)
        thin_visit_corner(m, n, k, visitor, context);
    else if (n <= THIN_MOST_COLUMNS)
        thin_visit_columns(m, n, k, visitor, context);
    else
        thin_visit_rows(m, n, k, visitor, context);
}

#endif
