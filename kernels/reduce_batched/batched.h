/*
 * Shares the launch between the rungs of the batched sum: one block per batch; and chooses the
 * threads for each batch where they depend on its length. Nothing is owned.
 */
#ifndef KERNELS_BATCHED_H
#define KERNELS_BATCHED_H

#include "group_sum.h"
#include "sum_tiles.h"

/* The one launch of a kernel (in, out, length). */
static inline void batched_plan(const struct work *work, struct launch *launch,
                                const void *function)
{
    launch->function = function;
    launch->grid[0] = (unsigned)work->point.shape.dim[0];
    launch->block[0] = GROUP_THREADS;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[1]);
}

/* The grid has one dimension. */
static inline const char *batched_refuses(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    return point->shape.dim[0] > 0x7FFFFFFF
               ? "more than 2147483647 batches are more blocks than a grid has"
               : NULL;
}

enum {
    BATCHED_BLOCK = 256,       /* threads of a block whose warps have batches of their own */
    BATCHED_SHORT = 1024,      /* elements of a batch that a warp has in flight at once, at most */
    BATCHED_LINE = 32,         /* elements of a line of 128 bytes */
    BATCHED_WIDE_LOADS = 8,    /* vectors in flight per lane if a warp has over 512 elements */
    BATCHED_LEAST_GROUP = 4,   /* lanes */
    BATCHED_PER_THREAD = 16,   /* elements in flight per thread otherwise */
    BATCHED_WHOLE_VECTORS = 2, /* in flight per thread if a batch is some whole tiles */
    BATCHED_WHOLE_TILE = 4096, /* elements of such a tile; of long batches, twice as many */
    BATCHED_LONG = 1 << 17,    /* elements: blocks that differ by a batch end far apart */
    BATCHED_HALVES = 8         /* blocks of half the largest tiles that fit on an SM */
};

/* The threads for each batch: `group` lanes of a warp if its elements fit, else `parts` blocks that
 * take tiles of `tile` elements in turn. */
struct batched_division {
    unsigned group; /* 0: blocks */
    unsigned tile, parts;
    int whole; /* a batch is one or more tiles, and has a block */
};

/* Divides `batches` batches of `length` elements. A batch gets as many threads as it takes to have
 * all of its elements in flight at once, and at most a block; if the batches are long and fill the
 * device, a block of half the size, so that twice as many are under way. Batches of whole tiles
 * need no bounds: with half the loads for each thread, an SM holds as many threads as it can, in
 * blocks of 512 threads or, for long batches that fill the device, of 1024. Only if there are fewer
 * batches than SUM_PAIR for each SM, and they are longer than a tile, do several blocks share a
 * batch: each gets as many tiles as if all batches were one sum. */
static inline struct batched_division batched_divide(uint64_t batches, uint64_t length,
                                                     int sm_count)
{
    struct batched_division division = {0, SUM_LEAST_TILE, 1, 0};
    if (length <= BATCHED_SHORT) {
        /* From a line on, lanes that share it belong to one batch. */
        division.group = length < BATCHED_LINE ? BATCHED_LEAST_GROUP : 2 * BATCHED_LEAST_GROUP;
        while (division.group < 32 && length > BATCHED_PER_THREAD * division.group)
            division.group *= 2;
    } else if (length > SUM_MOST_TILE && batches < SUM_PAIR * (uint64_t)sm_count) {
        const uint64_t n = batches * length;
        const struct sum_division all = sum_divide(n, SUM_LEAST_TILE, SUM_MOST_TILE, sm_count);
        const uint64_t tiles = (n + all.tile - 1) / all.tile,
                       share = all.tile * ((tiles + all.blocks - 1) / all.blocks);
        uint64_t parts = (length + share - 1) / share;
        if (parts > SUM_MOST_BLOCKS / batches) parts = SUM_MOST_BLOCKS / batches;
        division.tile = all.tile;
        division.parts = (unsigned)parts;
    } else {
        const int many = batches >= BATCHED_HALVES * (uint64_t)sm_count;
        const unsigned whole = length > BATCHED_LONG ? 2 * BATCHED_WHOLE_TILE : BATCHED_WHOLE_TILE,
                       most = length > BATCHED_LONG && many ? SUM_MOST_TILE / 2 : SUM_MOST_TILE;
        if (length % whole == 0 && (length <= BATCHED_LONG || many)) {
            division.tile = whole;
            division.whole = 1;
            return division;
        }
        while (division.tile < most && length > division.tile) division.tile *= 2;
    }
    return division;
}

#endif
