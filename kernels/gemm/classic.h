/*
 * Shares code between rungs 5 to 11, 13, 18 to 21 and 23, and the first rung of gemm_tensor:
 * block tiles of 128 x 128 of C, 8 deep, with 256 threads that compute 8 x 8 elements each. The
 * rungs differ in the mapping from threads to elements, in the width of their accesses and in when
 * they copy. Nothing is owned.
 *
 * From rung 6 on A is stored transposed in shared memory, so that the rows that a thread needs at
 * one k are adjacent. A thread's rows are two quads, `step_m` rows apart, and its columns are
 * two quads, `step_n` columns apart.
 */
#ifndef KERNELS_GEMM_CLASSIC_H
#define KERNELS_GEMM_CLASSIC_H

#include "gemm.h"

enum {
    TILE_M = 128,
    TILE_N = 128,
    TILE_K = 8,
    THREADS = 256,
    WARPS = THREADS / 32,
    PER_THREAD = 8
};

static inline const char *refuse_untiled(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    return refuse_ragged(
        point, TILE_M, TILE_N, TILE_K,
        "M and N must be multiples of 128, K of 8: this rung has no code for the borders");
}

/* Tiles of all blocks, counted once for every warp of its block: the factor for instructions per
 * tile. */
static inline double warp_tiles(const struct work *work)
{
    const struct point *point = &work->point;
    return (double)(gemm_m(point) / TILE_M * (gemm_n(point) / TILE_N) * (gemm_k(point) / TILE_K) *
                    WARPS);
}

/* ---- mapping from threads to elements -------------------------------------------------------- */

struct position {
    int m, n;           /* of the first element */
    int step_m, step_n; /* to the second quads */
};

/* Threads as a square of 16 x 16, each with adjacent elements: the source's kernel 6. A warp is two
 * rows of threads. */
static inline __host__ __device__ struct position position_in_square(int thread)
{
    return {thread / 16 * 8, thread % 16 * 8, 4, 4};
}

/* Warps as 4 x 2, lanes as 4 x 8: the source's sgemm_v3. */
static inline __host__ __device__ struct position position_in_warp_tile(int thread)
{
    const int warp = thread / 32, lane = thread % 32;
    return {warp / 2 * 16 + lane / 8 * 4, warp % 2 * 32 + lane % 8 * 4, 64, 64};
}

/* As before, but the four squares of a warp are adjacent: each warp has 32 x 64 elements of its
 * own. */
static inline __host__ __device__ struct position position_in_own_tile(int thread)
{
    const int warp = thread / 32, lane = thread % 32;
    return {warp / 2 * 32 + lane / 8 * 4, warp % 2 * 64 + lane % 8 * 4, 16, 32};
}

/* Warps as 2 x 4, lanes as 8 x 4 in a zigzag: maxas. */
static inline __host__ __device__ struct position position_in_zigzag(int thread)
{
    const int warp = thread / 32, lane = thread % 32;
    return {warp / 4 * 32 + lane % 16 / 2 * 4, warp % 4 * 16 + lane / 16 * 8 + lane % 2 * 4, 64,
            64};
}

/* The same squares, with the lanes in a straight scan. */
enum scan { SCAN_ACROSS = 1, SCAN_DOWN };

static inline __host__ __device__ struct position position_in_scan(int thread, enum scan scan)
{
    const int warp = thread / 32, lane = thread % 32,
              row = scan == SCAN_ACROSS ? lane / 4 : lane % 8,
              column = scan == SCAN_ACROSS ? lane % 4 : lane / 8;
    return {warp / 4 * 32 + row * 4, warp % 4 * 16 + column * 4, 64, 64};
}

/* ---- copies: a thread copies four words of a row of A and four of B -------------------------- */

struct staged {
    float4 a, b;
};

/* Four neighbouring elements of a row. */
static __device__ inline float4 load_four(const float *from)
{
    return *reinterpret_cast<const float4 *>(from);
}

/* The same of bfloat16, the upper halves of floats. */
static __device__ inline float4 load_four(const uint16_t *from)
{
    const uint2 pairs = *reinterpret_cast<const uint2 *>(from);
    return make_float4(__uint_as_float(pairs.x << 16), __uint_as_float(pairs.x & 0xFFFF0000),
                       __uint_as_float(pairs.y << 16), __uint_as_float(pairs.y & 0xFFFF0000));
}

template <typename Element>
static __device__ inline struct staged load_tile(const Element *__restrict__ a,
                                                 const Element *__restrict__ b, unsigned n,
                                                 unsigned k, unsigned at)
{
    const unsigned t = threadIdx.x;
    return {load_four(a + t / 2 * k + at + t % 2 * 4),
            load_four(b + (at + t / 32) * n + t % 32 * 4)};
}

static __device__ inline void store_tile(float (*tile_a)[TILE_M], float (*tile_b)[TILE_N],
                                         const struct staged &staged)
{
    const unsigned t = threadIdx.x, row = t / 2, column = t % 2 * 4;
    tile_a[column][row] = staged.a.x;
    tile_a[column + 1][row] = staged.a.y;
    tile_a[column + 2][row] = staged.a.z;
    tile_a[column + 3][row] = staged.a.w;
    *reinterpret_cast<float4 *>(&tile_b[t / 32][t % 32 * 4]) = staged.b;
}

/* ---- products -------------------------------------------------------------------------------- */

struct fragment {
    float a[PER_THREAD], b[PER_THREAD];
};

static __device__ inline void read_quad(float *to, const float *from)
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

static __device__ inline void read_fragment(struct fragment *to, const float *row_a,
                                            const float *row_b, const struct position &at)
{
    read_quad(to->a, row_a + at.m);
    read_quad(to->a + 4, row_a + at.m + at.step_m);
    read_quad(to->b, row_b + at.n);
    read_quad(to->b + 4, row_b + at.n + at.step_n);
}

static __device__ inline void multiply_fragment(float (&sum)[PER_THREAD][PER_THREAD],
                                                const struct fragment &f)
{
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++)
#pragma unroll
        for (int j = 0; j < PER_THREAD; j++) sum[i][j] += f.a[i] * f.b[j];
}

static __device__ inline void multiply_tile(float (&sum)[PER_THREAD][PER_THREAD],
                                            const float (*tile_a)[TILE_M],
                                            const float (*tile_b)[TILE_N],
                                            const struct position &at)
{
#pragma unroll
    for (int i = 0; i < TILE_K; i++) {
        struct fragment f;
        read_fragment(&f, tile_a[i], tile_b[i], at);
        multiply_fragment(sum, f);
    }
}

/* The whole product with two buffers, two sets of fragments and one barrier per tile. `a` and `b`
 * are the block's tiles. */
template <typename Element>
static __device__ inline void
multiply_double_buffered(float (&sum)[PER_THREAD][PER_THREAD], float (*tile_a)[TILE_K][TILE_M],
                         float (*tile_b)[TILE_K][TILE_N], const Element *__restrict__ a,
                         const Element *__restrict__ b, unsigned n, unsigned k,
                         const struct position &at)
{
    struct fragment f[2];
    unsigned now = 0;
    store_tile(tile_a[0], tile_b[0], load_tile(a, b, n, k, 0));
    __syncthreads();
    read_fragment(&f[0], tile_a[0][0], tile_b[0][0], at);
    for (unsigned i = TILE_K; i <= k; i += TILE_K) {
        const bool more = i < k;
        struct staged staged;
        if (more) staged = load_tile(a, b, n, k, i);
#pragma unroll
        for (int j = 0; j < TILE_K - 1; j++) {
            read_fragment(&f[(j + 1) % 2], tile_a[now][j + 1], tile_b[now][j + 1], at);
            multiply_fragment(sum, f[j % 2]);
        }
        now ^= 1;
        if (more) {
            store_tile(tile_a[now], tile_b[now], staged);
            __syncthreads();
            read_fragment(&f[0], tile_a[now][0], tile_b[now][0], at);
        }
        multiply_fragment(sum, f[(TILE_K - 1) % 2]);
    }
}

/* `c` is the block's tile. */
static __device__ inline void write_result(float *__restrict__ c, unsigned n,
                                           const float (&sum)[PER_THREAD][PER_THREAD],
                                           const struct position &at)
{
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++)
#pragma unroll
        for (int j = 0; j < PER_THREAD; j += 4)
            *reinterpret_cast<float4 *>(c + (at.m + i % 4 + i / 4 * at.step_m) * n + at.n +
                                        j / 4 * at.step_n) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

/* The block's row of tiles of A, column of tiles of B, and tile of C. */
template <typename Element>
static __device__ inline const Element *tiles_of_a(const Element *a, unsigned k)
{
    return a + blockIdx.y * TILE_M * k;
}
template <typename Element> static __device__ inline const Element *tiles_of_b(const Element *b)
{
    return b + blockIdx.x * TILE_N;
}
static __device__ inline float *tile_of_c(float *c, unsigned n)
{
    return c + blockIdx.y * TILE_M * n + blockIdx.x * TILE_N;
}

/* ---- accesses to shared memory by the lanes of the first warp: all warps conflict alike ------ */

static inline int address_stored_a(int lane)
{
    return (lane % 2 * 4 * TILE_M + lane / 2) * 4;
}
static inline int address_stored_b(int lane)
{
    return lane * 16;
}
static inline int address_square_a(int lane)
{
    return position_in_square(lane).m * 4;
}
static inline int address_square_b(int lane)
{
    return position_in_square(lane).n * 4;
}
static inline int address_warp_tile_a(int lane)
{
    return position_in_warp_tile(lane).m * 4;
}
static inline int address_warp_tile_b(int lane)
{
    return position_in_warp_tile(lane).n * 4;
}
static inline int address_own_tile_a(int lane)
{
    return position_in_own_tile(lane).m * 4;
}
static inline int address_own_tile_b(int lane)
{
    return position_in_own_tile(lane).n * 4;
}
static inline int address_across_a(int lane)
{
    return position_in_scan(lane, SCAN_ACROSS).m * 4;
}
static inline int address_across_b(int lane)
{
    return position_in_scan(lane, SCAN_ACROSS).n * 4;
}
static inline int address_down_a(int lane)
{
    return position_in_scan(lane, SCAN_DOWN).m * 4;
}
static inline int address_down_b(int lane)
{
    return position_in_scan(lane, SCAN_DOWN).n * 4;
}
static inline int address_zigzag_a(int lane)
{
    return position_in_zigzag(lane).m * 4;
}
static inline int address_zigzag_b(int lane)
{
    return position_in_zigzag(lane).n * 4;
}

/* store_tile, once per tile. */
static inline int describe_stores(struct shared_access *list, int count, double warps)
{
    count = describe(list, count, "writes of A", ACCESS_STORE, 4, 4 * warps, address_stored_a);
    return describe(list, count, "writes of B", ACCESS_STORE, 16, warps, address_stored_b);
}

/* read_fragment, once for each k. */
static inline int describe_reads(struct shared_access *list, int count, double warps,
                                 int (*address_a)(int lane), int (*address_b)(int lane))
{
    count = describe(list, count, "reads of A", ACCESS_LOAD, 16, 2 * TILE_K * warps, address_a);
    return describe(list, count, "reads of B", ACCESS_LOAD, 16, 2 * TILE_K * warps, address_b);
}

/* For variant.shared_accesses of rungs that store each tile once and read it by fragments. */
template <int (*ADDRESS_A)(int lane), int (*ADDRESS_B)(int lane)>
static inline int list_tiles(const struct work *work, unsigned, struct shared_access *list)
{
    const double warps = warp_tiles(work);
    return describe_stores(list, describe_reads(list, 0, warps, ADDRESS_A, ADDRESS_B), warps);
}

#endif
