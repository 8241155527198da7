/*
 * Shares code between the two rungs that fetch tiles with the copy engine: blocks of 128 x 256 of
 * C, 32 deep, 256 threads with 8 x 16 elements each, four stages. Nothing is owned.
 *
 * The engine copies rows as they are, so A is not transposed: a thread reads four k of a row at a
 * time. Rows are 128 bytes, 32 banks, long; the engine permutes the 16-byte pieces of a row by the
 * row's index (the 128-byte swizzle), so that lanes in different rows read different banks.
 */
#ifndef KERNELS_GEMM_TMA_H
#define KERNELS_GEMM_TMA_H

#include "gemm.h"
#include "mbarrier.h"
#include "quad.h"

enum {
    TILE_M = 128,
    TILE_N = 256,
    TILE_K = 32,
    THREADS = 256,
    WARPS = THREADS / 32,
    STAGES = 4,
    LANES_M = 8, /* a warp's tile is 64 x 64: 8 x 4 lanes, rows of a lane 8 apart, quads of columns
                    16 apart */
    WARP_TILE = 64,
    ROWS = 8,
    QUADS = 4,
    A_BYTES = TILE_M * TILE_K * 4,
    B_BYTES = TILE_K * TILE_N * 4,
    STAGE_BYTES = A_BYTES + B_BYTES,
    ALIGNMENT = 1024 /* of tiles with a 128-byte swizzle */
};

static inline __host__ __device__ int first_row(int thread)
{
    return thread / 128 * WARP_TILE + thread % LANES_M;
}

static inline __host__ __device__ int first_column(int thread)
{
    return thread / 32 % 4 * WARP_TILE + thread % 32 / LANES_M * 4;
}

/* A lane's rows have the same index modulo 8, and so the same permutation of pieces. */
static inline __host__ __device__ uint32_t piece_of_row(int row, int quad)
{
    return (uint32_t)((quad ^ row % 8) * 16);
}

static inline const char *refuse_tma(const struct point *point, int compute_capability)
{
    if (refuse_before_hopper(compute_capability)) return refuse_before_hopper(compute_capability);
    if (gemm_n(point) % 4 || gemm_k(point) % 4)
        return "N and K must be multiples of 4: tensor copies ask for rows that are multiples of "
               "16 bytes long";
    return refuse_large(point);
}

/* Maps of both matrices; a copy takes `columns` columns of B. */
static inline void plan_tma(const struct work *work, struct launch *launch, const void *function,
                            unsigned columns)
{
    const struct point *point = &work->point;
    launch->function = function;
    launch->block[0] = THREADS;
    launch->dynamic_shared = STAGES * STAGE_BYTES + ALIGNMENT;
    launch->tensor_map_count = 2;
    launch->tensor_map[0] = {work->input[0],
                             gemm_m(point),
                             gemm_k(point),
                             gemm_k(point) * sizeof(float),
                             TILE_M,
                             TILE_K,
                             128};
    launch->tensor_map[1] = {work->input[1],
                             gemm_k(point),
                             gemm_n(point),
                             gemm_n(point) * sizeof(float),
                             TILE_K,
                             columns,
                             0};
    launch_pointer(launch, work->output);
    for (int i = 0; i < 3; i++) launch_integer(launch, point->shape.dim[i]);
    launch_integer(launch, FLOAT_ONE);
}

/* `row` and `column` are those of the block's tile. */
static __device__ inline void store_sums(float *c, int m, int n, int row, int column,
                                         const float (&sum)[ROWS][QUADS * 4])
{
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int r = row + first_row(threadIdx.x) + i * LANES_M;
        if (r >= m) continue;
#pragma unroll
        for (int j = 0; j < QUADS; j++) {
            const int s = column + first_column(threadIdx.x) + j * 16;
            if (s < n)
                *reinterpret_cast<float4 *>(c + (size_t)r * n + s) = make_float4(
                    sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
        }
    }
}

/* Describes the block's part of the product. */
struct part {
    const CUtensorMap *map_a, *map_b;
    uint32_t memory, full,
        empty; /* shared addresses: stages, barriers that count bytes, barriers that count warps */
    int row, column, slices;
};

/* Tiles are numbered down groups of eight rows, so that blocks that run together share their reads;
 * the blocks of a cluster are one below the other. */
template <int CLUSTER> static __device__ inline void place_block(struct part *p, int m, int n)
{
    const int tiles_m = (m + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M),
              tiles_n = (n + TILE_N - 1) / TILE_N;
    const int group = 8 / CLUSTER, per_group = group * tiles_n, index = blockIdx.x / CLUSTER,
              first = index / per_group * group;
    const int rows = min(tiles_m - first, group), within = index % per_group;
    p->row = ((first + within % rows) * CLUSTER + blockIdx.x % CLUSTER) * TILE_M;
    p->column = within / rows * TILE_N;
}

/* Requests a slice of A and this block's share of B, which all blocks of the cluster receive. */
template <int CLUSTER> static __device__ inline void fill_stage(const struct part &p, int slice)
{
    const int stage = slice % STAGES, width = TILE_N / CLUSTER;
    const uint32_t to = p.memory + stage * STAGE_BYTES, barrier = p.full + 8 * stage,
                   rank = CLUSTER > 1 ? rank_in_cluster() : 0;
    mbarrier_expect(barrier, STAGE_BYTES);
    tensor_copy(to, p.map_a, slice * TILE_K, p.row, barrier);
    if (CLUSTER == 1)
        tensor_copy(to + A_BYTES, p.map_b, p.column, slice * TILE_K, barrier);
    else
        tensor_copy_multicast(to + A_BYTES + rank * (B_BYTES / CLUSTER), p.map_b,
                              p.column + rank * width, slice * TILE_K, barrier, (1 << CLUSTER) - 1);
}

/* A stage can be filled again once all warps that read it have left it, including those of the
 * other blocks. To keep waits short, it is the stage of the previous slice; in a cluster, where
 * more warps must arrive, that of the slice before. */
template <int CLUSTER> static __device__ inline void refill_stage(const struct part &p, int slice)
{
    const int old = slice - (CLUSTER == 1 ? 1 : 2);
    if (threadIdx.x != 0 || old < 0 || old + STAGES >= p.slices) return;
    mbarrier_wait(p.empty + 8 * (old % STAGES), old / STAGES & 1);
    fill_stage<CLUSTER>(p, old + STAGES);
}

template <int CLUSTER> static __device__ inline void leave_stage(const struct part &p, int slice)
{
    const int lane = threadIdx.x % 32;
    const uint32_t barrier = p.empty + 8 * (slice % STAGES);
    __syncwarp();
    if (CLUSTER == 1)
        mbarrier_arrive_if(barrier, lane == 0);
    else
        mbarrier_arrive_remote_if(barrier, lane, lane < CLUSTER);
}

static __device__ inline void load_row_of_b(float4 (&to)[QUADS], uint32_t from)
{
#pragma unroll
    for (int j = 0; j < QUADS; j++) to[j] = load_quad(from + j * 64);
}

/* Multiplies all slices. While one k is multiplied, B at the next is in flight; a row of A is
 * replaced after its last k. After the last slice both are read but undefined, and are
 * discarded. */
template <int CLUSTER>
static __device__ inline void multiply_slices(float (&sum)[ROWS][QUADS * 4], const struct part &p)
{
    constexpr int WIDTH = TILE_N / CLUSTER; /* of the tiles of B, stored one after another */
    const int row = first_row(threadIdx.x), column = first_column(threadIdx.x);
    const uint32_t in_a = row * TILE_K * 4,
                   in_b = A_BYTES + column / WIDTH * TILE_K * WIDTH * 4 + column % WIDTH * 4;
    float4 x[ROWS], y[2][QUADS];
    uint32_t a = p.memory + in_a, b = p.memory + in_b;
    mbarrier_wait(p.full, 0);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        x[i] = load_quad(a + i * LANES_M * TILE_K * 4 + piece_of_row(row, 0));
    load_row_of_b(y[0], b);
    for (int slice = 0; slice < p.slices; slice++) {
        refill_stage<CLUSTER>(p, slice);
#pragma unroll 1
        for (int quad = 0; quad < TILE_K / 4; quad++) {
            const bool last = quad + 1 == TILE_K / 4;
            uint32_t next_a = a + piece_of_row(row, quad + 1), next_b = b + 4 * WIDTH * 4;
            if (last) {
                const int next = slice + 1;
                if (next < p.slices) mbarrier_wait(p.full + 8 * (next % STAGES), next / STAGES & 1);
                a = p.memory + next % STAGES * STAGE_BYTES + in_a;
                next_a = a + piece_of_row(row, 0);
                next_b = p.memory + next % STAGES * STAGE_BYTES + in_b;
            }
#pragma unroll
            for (int k = 0; k < 4; k++) {
                load_row_of_b(y[(k + 1) % 2], k == 3 ? next_b : b + (k + 1) * WIDTH * 4);
                if (k == 3 && last) leave_stage<CLUSTER>(p, slice);
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
#pragma unroll
                    for (int step = 0; step < QUADS * 4; step++) {
                        const int j = i % 2 ? QUADS * 4 - 1 - step : step;
                        sum[i][j] += element(x[i], k) * element(y[k % 2][j / 4], j % 4);
                    }
                    if (k == 3) x[i] = load_quad(next_a + i * LANES_M * TILE_K * 4);
                }
            }
            b = next_b;
        }
    }
}

/* Computes the block's whole part. A scaled result need not be held in registers in its stored
 * layout, which leaves the compiler freedom. */
template <int CLUSTER>
static __device__ inline void multiply_part(struct part *p, float *c, int m, int n, float alpha)
{
    extern __shared__ __align__(128) unsigned char dynamic[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    float sum[ROWS][QUADS * 4] = {{0}};
    p->memory = (shared_address(dynamic) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    p->full = shared_address(full);
    p->empty = shared_address(empty);
    place_block<CLUSTER>(p, m, n);
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_open(p->full + 8 * s, 1);
            mbarrier_open(p->empty + 8 * s, CLUSTER * WARPS);
        }
        mbarrier_publish();
    }
    if (CLUSTER > 1)
        cluster_barrier(); /* no block writes to a barrier before it is initialised */
    else
        __syncthreads();
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES && s < p->slices; s++) fill_stage<CLUSTER>(*p, s);
    multiply_slices<CLUSTER>(sum, *p);
    if (CLUSTER > 1)
        cluster_barrier(); /* shared memory stays allocated while another block may write to it */
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < QUADS * 4; j++) sum[i][j] *= alpha;
    store_sums(c, m, n, p->row, p->column, sum);
}

static inline unsigned tma_blocks(const struct point *point, unsigned cluster)
{
    return (unsigned)(divide_up(gemm_m(point), cluster * TILE_M) * cluster *
                      divide_up(gemm_n(point), TILE_N));
}

static inline int address_row_of_a(int lane)
{
    return first_row(lane) * TILE_K * 4 + (int)piece_of_row(first_row(lane), 0);
}
static inline int address_column_of_b(int lane)
{
    return first_column(lane) * 4;
}

/* multiply_slices: for every k and once more ahead; A four k at a time. */
static inline int describe_tma(struct shared_access *list, const struct point *point,
                               unsigned blocks)
{
    const double slices = (double)divide_up(gemm_k(point), TILE_K), warps = (double)blocks * WARPS;
    const int count = describe(list, 0, "reads of A", ACCESS_LOAD, 16,
                               ROWS * warps * (slices * TILE_K / 4 + 1), address_row_of_a);
    return describe(list, count, "reads of B", ACCESS_LOAD, 16,
                    QUADS * warps * (slices * TILE_K + 1), address_column_of_b);
}

#endif
