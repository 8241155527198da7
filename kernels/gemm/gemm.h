/*
 * Shares code between the rungs of the matrix product: how they are launched, which problems they
 * refuse, and how they describe their accesses to shared memory. Nothing is owned.
 */
#ifndef KERNELS_GEMM_H
#define KERNELS_GEMM_H

#include "catalog/variant.h"

/* The family's scratch buffer: partial tiles of products that are split along K, a copy of B with
 * other rows, and a library's workspace. */
#define GEMM_SCRATCH_BYTES ((size_t)128 << 20)

/* 1.0f, for kernels that scale their result: arguments are integers. */
enum { FLOAT_ONE = 0x3f800000 };

static inline uint64_t gemm_m(const struct point *point)
{
    return point->shape.dim[0];
}
static inline uint64_t gemm_n(const struct point *point)
{
    return point->shape.dim[1];
}
static inline uint64_t gemm_k(const struct point *point)
{
    return point->shape.dim[2];
}

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Launches a kernel (a, b, c, m, n, k) on a grid of tiles: columns along x, rows along y. */
static inline void gemm_plan(const struct work *work, struct launch *launch, const void *function,
                             unsigned tile_m, unsigned tile_n, unsigned threads)
{
    launch->function = function;
    launch->grid[0] = (unsigned)divide_up(gemm_n(&work->point), tile_n);
    launch->grid[1] = (unsigned)divide_up(gemm_m(&work->point), tile_m);
    launch->block[0] = threads;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->input[1]);
    launch_pointer(launch, work->output);
    for (int i = 0; i < 3; i++) launch_integer(launch, work->point.shape.dim[i]);
}

/* Grids go up to 65535 blocks along y, and indices within a matrix are 32 bits wide. */
static inline const char *refuse_large(const struct point *point)
{
    const uint64_t most = (uint64_t)1 << 31;
    for (int i = 0; i < 3; i++)
        if (point->shape.dim[i] > (uint64_t)65535 * 32)
            return "a side of a matrix has more than 2097120 elements";
    if (gemm_m(point) * gemm_k(point) >= most || gemm_k(point) * gemm_n(point) >= most ||
        gemm_m(point) * gemm_n(point) >= most)
        return "a matrix has 2^31 elements or more";
    return NULL;
}

/* For variant.refuses, without further conditions. */
static inline const char *refuse_only_large(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    return refuse_large(point);
}

/* For rungs that use the copy engine. */
static inline const char *refuse_before_hopper(int compute_capability)
{
    return compute_capability < 90
               ? "barriers that count bytes and tensor copies need compute capability 9.0"
               : NULL;
}

/* For rungs without code for the borders. */
static inline const char *refuse_ragged(const struct point *point, uint64_t tile_m, uint64_t tile_n,
                                        uint64_t tile_k, const char *reason)
{
    if (gemm_m(point) % tile_m || gemm_n(point) % tile_n || gemm_k(point) % tile_k) return reason;
    return refuse_large(point);
}

/* Address maps: one word that a warp shares, and neighbouring words. */
static inline int address_of_one_word(int lane)
{
    (void)lane;
    return 0;
}

static inline int address_of_neighbours(int lane)
{
    return lane * 4;
}

/* Adds an access with these lane addresses to the list; returns the new count. */
static inline int describe(struct shared_access *list, int count, const char *name,
                           enum access_kind kind, int width, double executions,
                           int (*address)(int lane))
{
    struct shared_access *access = &list[count];
    access->name = name;
    access->kind = kind;
    access->width = width;
    access->executions = executions;
    for (int lane = 0; lane < 32; lane++) access->address[lane] = address(lane);
    return count + 1;
}

#endif
