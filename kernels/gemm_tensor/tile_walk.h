/*
 * Divides the tiles of a product among clusters of blocks: whole tiles in turn, then, if the shape
 * of the ring allows it, equal shares of the slices of the last tiles. Nothing is owned.
 */
#ifndef KERNELS_GEMM_TENSOR_TILE_WALK_H
#define KERNELS_GEMM_TENSOR_TILE_WALK_H

#include "tile_ring.h"
#include "wgmma_tile.h"

struct problem {
    float *c;
    float *partial;
    int m, n, k;
    int waves;   /* whole tiles that each cluster takes first, if shares are allowed */
    int sharers; /* clusters that divide the slices of the other tiles among them */
    int group;   /* rows of (clusters of) tiles in a group: GROUP, or 1 for tiles row by row */
};

/* A piece of work: slices [from, to) of a tile of the cluster. */
struct piece {
    int tile, from, to;
};

/* The pieces of a cluster, in order. Consumers and producer walk through the same list. */
struct walk {
    int tiles_m, tiles_n, slices;
    int unit, units;            /* this cluster, and all */
    int tile, whole;            /* the next whole tile, and the first that is none */
    int sharers, share, longer; /* slices of a share; the first `longer` shares have one more */
    int next, end;              /* of this cluster's share, in slices of the shared tiles */
};

static __device__ inline int share_begin(const struct walk &w, int unit)
{
    const int before = min(unit, w.sharers);
    return before * w.share + min(before, w.longer);
}

template <typename S> static __device__ inline struct walk walk_open(const struct problem &p)
{
    struct walk w;
    w.tiles_m = (p.m + S::cluster_m * S::block_m - 1) / (S::cluster_m * S::block_m);
    w.tiles_n = (p.n + S::cluster_n * S::block_n - 1) / (S::cluster_n * S::block_n);
    w.slices = (p.k + SLICE - 1) / SLICE;
    w.unit = blockIdx.x / S::cluster;
    w.units = gridDim.x / S::cluster;
    w.tile = w.unit;
    w.whole = w.tiles_m * w.tiles_n;
    w.next = w.end = 0;
    if (S::shares) {
        const int first = min(p.waves * w.units, w.whole), shared = (w.whole - first) * w.slices;
        w.whole = first;
        w.sharers = p.sharers;
        w.share = shared / p.sharers;
        w.longer = shared % p.sharers;
        w.next = share_begin(w, w.unit);
        w.end = share_begin(w, w.unit + 1);
    }
    return w;
}

template <typename S> static __device__ inline bool walk_next(struct walk *w, struct piece *piece)
{
    if (w->tile < w->whole) {
        *piece = {w->tile, 0, w->slices};
        w->tile += w->units;
        return true;
    }
    if (!S::shares || w->next >= w->end) return false;
    const int from = w->next % w->slices, left = w->end - w->next;
    *piece = {w->whole + w->next / w->slices, from, min(w->slices, from + left)};
    w->next += piece->to - from;
    return true;
}

template <typename S> static __device__ inline bool walk_has_more(const struct walk &w)
{
    return w.tile < w.whole || (S::shares && w.next < w.end);
}

/* The first row and column of this block's part of the cluster's tile. */
template <typename S>
static __device__ inline int2 tile_origin(const struct problem &p, const struct walk &w, int tile,
                                          int rank)
{
    const struct tile_place at = tile_in_groups(tile, w.tiles_m, w.tiles_n, p.group);
    return make_int2((at.m * S::cluster_m + rank / S::cluster_n) * S::block_m,
                     (at.n * S::cluster_n + rank % S::cluster_n) * S::block_n);
}

#endif
