/*
 * Defines the kernel of all cells of the grid and the common part of their descriptors. Nothing is
 * owned.
 *
 * A block of 256 threads computes a tile of 128 x 128 of C in steps of 8 along K; a thread computes
 * 8 x 8 elements, as four squares of 4 x 4. A is stored transposed in shared memory, so that the
 * rows that a thread needs at one k are adjacent. Four techniques are on or off at compile time:
 *
 *   double_buffer  two tiles in shared memory, and two sets of factors in registers: the next tile
 *                  is in flight while this one is multiplied, and one barrier per tile is enough.
 *                  Off: bring a tile, barrier, multiply, barrier
 *   conflict_free  the squares of C that a thread computes. On: those of the source's sgemm_v3, so
 *                  that the lanes of a warp read different banks. Off: those of its kernel 6, so
 *                  that adjacent lanes read words of B that are 8 apart
 *   wide_loads     16 bytes for each load, store and copy that can take them. Off: 4 bytes
 *   async          cp.async copies from global to shared memory, bypassing the registers. Off: a
 *                  load and a store. Data transposed on the way can be copied only word by word,
 *                  so A is copied as if wide_loads were off
 *
 * Nothing else differs. The stores of A into shared memory conflict in every cell, because the
 * source does not remove these conflicts.
 */
#ifndef KERNELS_GRID_H
#define KERNELS_GRID_H

#include "catalog/variant.h"
#include "shared_address.h"

enum {
    TILE_M = 128,
    TILE_N = 128,
    TILE_K = 8,
    THREADS = 256,
    WARPS = THREADS / 32,
    SIDE = 8,
    SHARE = TILE_M * TILE_K / THREADS
};

template <int DOUBLE_BUFFER, int CONFLICT_FREE, int WIDE_LOADS, int ASYNC> struct cell {
    enum {
        buffers = DOUBLE_BUFFER ? 2 : 1,
        conflict_free = CONFLICT_FREE,
        wide = WIDE_LOADS,
        wide_a = WIDE_LOADS && !ASYNC, /* from global memory */
        async = ASYNC,
        step =
            CONFLICT_FREE ? 64 : 4, /* from a thread's first four rows, or columns, to the others */
    };
};

/* ---- mapping from threads to elements -------------------------------------------------------- */

/* A thread's first row and column within the tile of C. */
struct position {
    int m, n;
};

template <typename S> static inline __host__ __device__ struct position position_of(int thread)
{
    const int warp = thread / 32, lane = thread % 32;
    if (S::conflict_free) return {warp / 2 * 16 + lane / 8 * 4, warp % 2 * 32 + lane % 8 * 4};
    return {thread / 16 * SIDE, thread % 16 * SIDE};
}

/* The position of element i of the SHARE that a thread brings, in the tiles of A and B. */
struct element {
    int k, at;
};

template <typename S>
static inline __host__ __device__ struct element element_of_a(int thread, int i)
{
    if (S::wide_a) return {thread % 2 * 4 + i, thread / 2};
    return {thread % TILE_K, thread / TILE_K + THREADS / TILE_K * i};
}

template <typename S>
static inline __host__ __device__ struct element element_of_b(int thread, int i)
{
    if (S::wide) return {thread / 32, thread % 32 * 4 + i};
    return {thread / TILE_N + THREADS / TILE_N * i, thread % TILE_N};
}

struct tile {
    float a[TILE_K][TILE_M], b[TILE_K][TILE_N];
};

/* ---- from global memory ---------------------------------------------------------------------- */

/* The next words of A and B for a thread, and the distance between the elements of its share. */
struct source {
    const float *a, *b;
    unsigned at_a, at_b, step_a, step_b;
};

template <typename S>
static __device__ inline struct source first_source(const float *a, const float *b, unsigned n,
                                                    unsigned k)
{
    const struct element in_a = element_of_a<S>(threadIdx.x, 0),
                         in_b = element_of_b<S>(threadIdx.x, 0);
    const unsigned row = blockIdx.y * TILE_M + in_a.at, column = blockIdx.x * TILE_N + in_b.at;
    return {
        a, b, row * k + in_a.k, in_b.k * n + column, THREADS / TILE_K * k, THREADS / TILE_N * n};
}

static __device__ inline void advance(struct source *source, unsigned n)
{
    source->at_a += TILE_K;
    source->at_b += TILE_K * n;
}

struct staged {
    float a[SHARE], b[SHARE];
};

template <int WIDE>
static __device__ inline void load_share(float (&to)[SHARE], const float *__restrict__ from,
                                         unsigned at, unsigned step)
{
    if (WIDE) {
        const float4 v = *reinterpret_cast<const float4 *>(from + at);
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    } else {
#pragma unroll
        for (int i = 0; i < SHARE; i++) to[i] = from[at + i * step];
    }
}

template <typename S>
static __device__ inline void load_tile(struct staged *to, const struct source &from)
{
    load_share<S::wide_a>(to->a, from.a, from.at_a, from.step_a);
    load_share<S::wide>(to->b, from.b, from.at_b, from.step_b);
}

template <typename S>
static __device__ inline void store_tile(struct tile *to, const struct staged &from)
{
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
        const struct element in_a = element_of_a<S>(threadIdx.x, i),
                             in_b = element_of_b<S>(threadIdx.x, i);
        to->a[in_a.k][in_a.at] = from.a[i];
        if (!S::wide) to->b[in_b.k][in_b.at] = from.b[i];
    }
    const struct element in_b = element_of_b<S>(threadIdx.x, 0);
    if (S::wide)
        *reinterpret_cast<float4 *>(&to->b[in_b.k][in_b.at]) =
            make_float4(from.b[0], from.b[1], from.b[2], from.b[3]);
}

/* Copies of devices from 8.0 on; compiled for an older device they do nothing, and the cells refuse
 * to run there. They pass through the L1 cache, as the loads do. Before each group of copies the
 * compiler puts three reads of shared memory that are switched off for all lanes: they need no
 * wavefront. */
template <int BYTES> static __device__ inline void copy(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(BYTES)
                 : "memory");
#endif
}

/* Closes the group of copies in flight and waits for it. */
static __device__ inline void wait_for_copies(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
#endif
}

template <typename S>
static __device__ inline void copy_tile(struct tile *to, const struct source &from)
{
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
        const struct element in_a = element_of_a<S>(threadIdx.x, i),
                             in_b = element_of_b<S>(threadIdx.x, i);
        copy<4>(&to->a[in_a.k][in_a.at], from.a + (from.at_a + i * from.step_a));
        if (!S::wide) copy<4>(&to->b[in_b.k][in_b.at], from.b + (from.at_b + i * from.step_b));
    }
    const struct element in_b = element_of_b<S>(threadIdx.x, 0);
    if (S::wide) copy<16>(&to->b[in_b.k][in_b.at], from.b + from.at_b);
}

/* The first half of bringing a tile: its elements are then in flight. */
template <typename S>
static __device__ inline void start_tile(struct tile *to, struct staged *staged,
                                         const struct source &from)
{
    if (S::async)
        copy_tile<S>(to, from);
    else
        load_tile<S>(staged, from);
}

/* The second half: after the next barrier all threads see the elements. */
template <typename S>
static __device__ inline void finish_tile(struct tile *to, const struct staged &staged)
{
    if (S::async)
        wait_for_copies();
    else
        store_tile<S>(to, staged);
}

/* ---- products -------------------------------------------------------------------------------- */

/* A thread's factors of A and B at one k. */
struct fragment {
    float a[SIDE], b[SIDE];
};

/* In assembly, so that the compiler does not merge four narrow reads into a wide one. */
template <int WIDE> static __device__ inline void read_four(float *to, uint32_t from)
{
    if (WIDE) {
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                     : "r"(from)
                     : "memory");
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            asm volatile("ld.volatile.shared.f32 %0, [%1];"
                         : "=f"(to[i])
                         : "r"(from + 4 * i)
                         : "memory");
    }
}

template <typename S>
static __device__ inline void read_fragment(struct fragment *to, const struct tile *tile, int k)
{
    const struct position own = position_of<S>(threadIdx.x);
    const uint32_t a = shared_address(&tile->a[k][own.m]), b = shared_address(&tile->b[k][own.n]);
    read_four<S::wide>(to->b, b);
    read_four<S::wide>(to->b + 4, b + 4 * S::step);
    read_four<S::wide>(to->a, a);
    read_four<S::wide>(to->a + 4, a + 4 * S::step);
}

/* Alternates the direction over the columns, as in kernels/gemm/ring.h: the next multiply-add
 * always reuses one factor. Among the orders of reads and multiply-adds that were tried, this one
 * suits the compiler: every cell needs at most 128 registers, so two blocks fit on a
 * multiprocessor. */
static __device__ inline void multiply_fragment(float (&sum)[SIDE][SIDE], const struct fragment &f)
{
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int step = 0; step < SIDE; step++) {
            const int j = i % 2 ? SIDE - 1 - step : step;
            sum[i][j] += f.a[i] * f.b[j];
        }
}

template <typename S>
static __device__ inline void multiply_one_by_one(float (&sum)[SIDE][SIDE], struct tile *tile,
                                                  struct source from, unsigned n, unsigned tiles)
{
    for (unsigned t = 0; t < tiles; t++) {
        struct staged staged;
        start_tile<S>(tile, &staged, from);
        finish_tile<S>(tile, staged);
        advance(&from, n);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE_K; i++) {
            struct fragment f;
            read_fragment<S>(&f, tile, i);
            multiply_fragment(sum, f);
        }
        __syncthreads();
    }
}

/* All products of a tile but those of its last k, while the factors of the following k are read.
 * f[0] is read before the call, f[1] is left for after it. */
template <typename S>
static __device__ inline void
multiply_all_but_last(float (&sum)[SIDE][SIDE], struct fragment (&f)[2], const struct tile *tile)
{
#pragma unroll
    for (int i = 0; i + 1 < TILE_K; i++) {
        read_fragment<S>(&f[(i + 1) % 2], tile, i + 1);
        multiply_fragment(sum, f[i % 2]);
    }
}

/* One barrier per tile: before the barrier that publishes a tile, all threads have read the last of
 * the previous tile, whose place the next but one takes. */
template <typename S>
static __device__ inline void multiply_double_buffered(float (&sum)[SIDE][SIDE], struct tile *tile,
                                                       struct source from, unsigned n,
                                                       unsigned tiles)
{
    struct staged staged;
    struct fragment f[2];
    unsigned t = 0;
    start_tile<S>(&tile[0], &staged, from);
    finish_tile<S>(&tile[0], staged);
    __syncthreads();
    read_fragment<S>(&f[0], &tile[0], 0);
    for (;;) {
        const struct tile *now = &tile[t];
        struct tile *next = &tile[t ^= 1];
        const bool more = --tiles > 0;
        if (more) {
            advance(&from, n);
            start_tile<S>(next, &staged, from);
            __syncwarp(); /* otherwise the compiler moves narrow loads close to their use, after
                             most of the products */
        }
        multiply_all_but_last<S>(sum, f, now);
        if (more) {
            finish_tile<S>(next, staged);
            __syncthreads();
            read_fragment<S>(&f[0], next, 0);
        }
        multiply_fragment(sum, f[1]);
        if (!more) break;
    }
}

template <int WIDE> static __device__ inline void write_four(float *to, const float *from)
{
    if (WIDE) {
        *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) to[i] = from[i];
    }
}

template <typename S>
static __device__ inline void write_result(float *__restrict__ c, size_t n,
                                           const float (&sum)[SIDE][SIDE])
{
    const struct position own = position_of<S>(threadIdx.x);
    c += ((size_t)blockIdx.y * TILE_M + own.m) * n + (size_t)blockIdx.x * TILE_N + own.n;
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        float *row = c + (i / 4 * S::step + i % 4) * n;
#pragma unroll
        for (int j = 0; j < SIDE; j += 4) write_four<S::wide>(row + j / 4 * S::step, &sum[i][j]);
    }
}

template <int DOUBLE_BUFFER, int CONFLICT_FREE, int WIDE_LOADS, int ASYNC>
static __global__ void __launch_bounds__(THREADS)
    gemm_cell(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
              unsigned n, unsigned k)
{
    typedef struct cell<DOUBLE_BUFFER, CONFLICT_FREE, WIDE_LOADS, ASYNC> S;
    __shared__ __align__(128) struct tile tile[S::buffers];
    const struct source from = first_source<S>(a, b, n, k);
    float sum[SIDE][SIDE] = {{0}};
    if (DOUBLE_BUFFER)
        multiply_double_buffered<S>(sum, tile, from, n, k / TILE_K);
    else
        multiply_one_by_one<S>(sum, tile, from, n, k / TILE_K);
    write_result<S>(c, n, sum);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Grids have up to 65535 rows of blocks, and indices within a matrix are 32 bits wide. */
template <int DOUBLE_BUFFER, int CONFLICT_FREE, int WIDE_LOADS, int ASYNC>
static inline const char *cell_refuses(const struct point *point, int compute_capability)
{
    const uint64_t m = point->shape.dim[0], n = point->shape.dim[1], k = point->shape.dim[2],
                   most = (uint64_t)1 << 31;
    if (ASYNC && compute_capability < 80)
        return "asynchronous copies to shared memory need compute capability 8.0";
    if (m % TILE_M || n % TILE_N || k % TILE_K)
        return "M and N must be multiples of 128, K of 8: there is no code for the borders";
    if (m > (uint64_t)65535 * TILE_M)
        return "M is more than 65535 x 128, for which a grid has rows of blocks";
    if (n >= most || k >= most || m * k >= most || k * n >= most || m * n >= most)
        return "a matrix has 2^31 elements or more";
    return NULL;
}

template <int DOUBLE_BUFFER, int CONFLICT_FREE, int WIDE_LOADS, int ASYNC>
static inline void cell_plan(const struct work *work, unsigned index, struct launch *launch)
{
    const uint64_t *side = work->point.shape.dim;
    (void)index;
    launch->function = (const void *)gemm_cell<DOUBLE_BUFFER, CONFLICT_FREE, WIDE_LOADS, ASYNC>;
    launch->grid[0] = (unsigned)(side[1] / TILE_N);
    launch->grid[1] = (unsigned)(side[0] / TILE_M);
    launch->block[0] = THREADS;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->input[1]);
    launch_pointer(launch, work->output);
    launch_integer(launch, side[1]);
    launch_integer(launch, side[2]);
}

/* The accesses of the first warp, at the first k of a tile and to the first of a thread's rows or
 * columns. All others differ only by a constant number of words for all lanes, which preserves the
 * conflicts. Addresses count from the beginning of the tile of A, or of B, which starts in the
 * first bank. Copies that bypass the registers are neither loads nor stores: they are not
 * described. */
template <int DOUBLE_BUFFER, int CONFLICT_FREE, int WIDE_LOADS, int ASYNC>
static inline int cell_accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    typedef struct cell<DOUBLE_BUFFER, CONFLICT_FREE, WIDE_LOADS, ASYNC> S;
    const uint64_t *side = work->point.shape.dim;
    const double warp_tiles =
        (double)(side[0] / TILE_M * (side[1] / TILE_N)) * WARPS * (double)(side[2] / TILE_K);
    const int width = S::wide ? 16 : 4, reads = TILE_K * SIDE * 4 / width,
              writes_b = SHARE * 4 / width;
    (void)index;
    list[0] = {"reads of A", ACCESS_LOAD, width, {0}, warp_tiles * reads};
    list[1] = {"reads of B", ACCESS_LOAD, width, {0}, warp_tiles * reads};
    for (int lane = 0; lane < 32; lane++) {
        list[0].address[lane] = 4 * position_of<S>(lane).m;
        list[1].address[lane] = 4 * position_of<S>(lane).n;
    }
    if (S::async) return 2;
    list[2] = {"writes of A", ACCESS_STORE, 4, {0}, warp_tiles * SHARE};
    list[3] = {"writes of B", ACCESS_STORE, width, {0}, warp_tiles * writes_b};
    for (int lane = 0; lane < 32; lane++) {
        const struct element in_a = element_of_a<S>(lane, 0), in_b = element_of_b<S>(lane, 0);
        list[2].address[lane] = 4 * (in_a.k * TILE_M + in_a.at);
        list[3].address[lane] = 4 * (in_b.k * TILE_N + in_b.at);
    }
    return 4;
}

#endif
