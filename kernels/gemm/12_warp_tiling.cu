/*
 * Rung 12: warp tiling: the sources' "kernel 10".
 *
 * Four warps divide a block tile of 64 x 128 into tiles of 32 x 64, and each processes its own in
 * four steps of 16 x 32, with 4 x 4 elements for each lane. The difference from rung 10 is the
 * grouping of the squares: there all warps work side by side in one quarter of the block's tile at
 * a time, here each warp's squares are adjacent. The tile is 16 deep and has one buffer.
 *
 * Remaining cost: two barriers per tile and exposed latency, as before double buffering; smaller
 * tiles load more.
 */
#include "gemm.h"

enum {
    TILE_M = 64,
    TILE_N = 128,
    TILE_K = 16,
    THREADS = 128,
    WARPS = THREADS / 32,
    WARP_M = 32,
    WARP_N = 64,
    STEP_M = 16,
    STEP_N = 32,
    PER_THREAD = 8
};

/* The row and column of the lane's first element. */
static __host__ __device__ inline int row_of(int thread)
{
    return thread / 64 * WARP_M + thread % 32 / 8 * 4;
}

static __host__ __device__ inline int column_of(int thread)
{
    return thread / 32 % 2 * WARP_N + thread % 8 * 4;
}

static __device__ inline void store_column(float (*tile_a)[TILE_M], unsigned column, unsigned row,
                                           const float4 &v)
{
    tile_a[column][row] = v.x;
    tile_a[column + 1][row] = v.y;
    tile_a[column + 2][row] = v.z;
    tile_a[column + 3][row] = v.w;
}

static __global__ void __launch_bounds__(THREADS)
    gemm_warp_tiling(const float *__restrict__ a, const float *__restrict__ b,
                     float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[TILE_K][TILE_M], tile_b[TILE_K][TILE_N];
    const unsigned t = threadIdx.x, row = row_of(t), column = column_of(t);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    a += blockIdx.y * TILE_M * k;
    b += blockIdx.x * TILE_N;
    for (unsigned i = 0; i < k; i += TILE_K) {
#pragma unroll
        for (unsigned r = t / 4; r < TILE_M; r += THREADS / 4)
            store_column(tile_a, t % 4 * 4, r,
                         *reinterpret_cast<const float4 *>(a + r * k + i + t % 4 * 4));
#pragma unroll
        for (unsigned r = t / 32; r < TILE_K; r += WARPS)
            *reinterpret_cast<float4 *>(&tile_b[r][t % 32 * 4]) =
                *reinterpret_cast<const float4 *>(b + (i + r) * n + t % 32 * 4);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE_K; j++) {
            float4 x[2], y[2];
#pragma unroll
            for (int s = 0; s < 2; s++) {
                x[s] = *reinterpret_cast<const float4 *>(&tile_a[j][row + s * STEP_M]);
                y[s] = *reinterpret_cast<const float4 *>(&tile_b[j][column + s * STEP_N]);
            }
            const float left[PER_THREAD] = {x[0].x, x[0].y, x[0].z, x[0].w,
                                            x[1].x, x[1].y, x[1].z, x[1].w};
            const float right[PER_THREAD] = {y[0].x, y[0].y, y[0].z, y[0].w,
                                             y[1].x, y[1].y, y[1].z, y[1].w};
#pragma unroll
            for (int r = 0; r < PER_THREAD; r++)
#pragma unroll
                for (int s = 0; s < PER_THREAD; s++) sum[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE_M + row) * n + blockIdx.x * TILE_N + column;
#pragma unroll
    for (int r = 0; r < PER_THREAD; r++)
#pragma unroll
        for (int s = 0; s < PER_THREAD; s += 4)
            *reinterpret_cast<float4 *>(c + (r % 4 + r / 4 * STEP_M) * n + s / 4 * STEP_N) =
                make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
}

static const char *refuses(const struct point *point, int)
{
    return refuse_ragged(
        point, TILE_M, TILE_N, TILE_K,
        "M must be a multiple of 64, N of 128, K of 16: this rung has no code for the borders");
}

static int address_read_a(int lane)
{
    return row_of(lane) * 4;
}
static int address_read_b(int lane)
{
    return column_of(lane) * 4;
}
static int address_written_a(int lane)
{
    return (lane % 4 * 4 * TILE_M + lane / 4) * 4;
}
static int address_written_b(int lane)
{
    return lane * 16;
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const struct point *point = &work->point;
    const double warps = (double)(gemm_m(point) / TILE_M * (gemm_n(point) / TILE_N) *
                                  (gemm_k(point) / TILE_K) * WARPS);
    int count = 0;
    count =
        describe(list, count, "reads of A", ACCESS_LOAD, 16, 2 * TILE_K * warps, address_read_a);
    count =
        describe(list, count, "reads of B", ACCESS_LOAD, 16, 2 * TILE_K * warps, address_read_b);
    count = describe(list, count, "writes of A", ACCESS_STORE, 4,
                     4 * TILE_M / (THREADS / 4) * warps, address_written_a);
    return describe(list, count, "writes of B", ACCESS_STORE, 16, TILE_K / WARPS * warps,
                    address_written_b);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Warp tiling",
    .after = "06_wide_loads",
    .suffers = "Reads of B have bank conflicts.",
    .changes = "Four warps compute tiles of 32 x 64 each, in four steps of 16 x 32; a block's tile "
               "is 64 x 128, 16 deep.",
    .pays =
        "A single buffer means two barriers per tile and exposed latency. Smaller tiles load more.",
    .claims =
        {
            {"Tiling by warps is enough to resolve the bank conflicts of the reads.",
             "GEMM double buffering notes", "Bank conflicts, maxas", NULL,
             "load_excess_wavefronts < 0.001 * prev_load_excess_wavefronts"},
            {"Warp tiling is faster than wide loads (kernels 10 and 6 of the source).",
             "siboehm, SGEMM_CUDA", "Kernel 10", NULL, "faster"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 6310506, 31.9},
        },
    .refuses = refuses,
    .plan = plan_by<gemm_plan, gemm_warp_tiling, TILE_M, TILE_N, THREADS>,
    .shared_accesses = accesses,
};
