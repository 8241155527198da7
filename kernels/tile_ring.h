/*
 * Shares code between kernels that compute a matrix product tile by tile, from a ring of stages in
 * shared memory: the order of the tiles and the way round the ring. Nothing is owned.
 */
#ifndef KERNELS_TILE_RING_H
#define KERNELS_TILE_RING_H

#include <stdint.h>

/* Row and column, in tiles, of tile `index`: tiles are numbered down groups of `group` rows of
 * tiles, so that blocks that run together share their reads. */
struct tile_place {
    int m, n;
};

static __host__ __device__ inline struct tile_place tile_in_groups(int index, int tiles_m,
                                                                   int tiles_n, int group)
{
    const int per_group = group * tiles_n, first = index / per_group * group;
    const int rows = tiles_m - first < group ? tiles_m - first : group;
    return {first + index % per_group % rows, index % per_group / rows};
}

/* A place in the ring: its stage, and the parity of the phase that the reader waits for. */
struct ring_place {
    int stage;
    uint32_t parity;
};

template <typename S> static __device__ inline struct ring_place ring_next(struct ring_place place)
{
    const bool last = place.stage + 1 == S::stages;
    return {last ? 0 : place.stage + 1, last ? place.parity ^ 1 : place.parity};
}

#endif
