/*
 * Rung 16: warps that copy, and warps that multiply.
 *
 * Rung 14's threads both copy and multiply, and because its engine does not transpose, each holds
 * four k of A. Here four of twelve warps only fetch. They bring B with the copy engine and A word
 * by word, transposed on the way, so that a thread finds a k's rows adjacent and holds one k; and
 * they give registers to the eight multiplying warps, whose threads compute 16 x 8 elements each.
 * The compiler then has registers to spare and places the operands of multiply-adds in different
 * banks of the register file (ring.h).
 *
 * Remaining cost: tiles of 128 x 256, one block per SM; if the number of tiles is not a multiple of
 * the number of SMs, the last round leaves SMs idle.
 */
#include "ring.h"

using ring = ring_shape<2, 4, 4, 2, 4, 4, true>;

enum { THREADS = 32 * ring::warps + PRODUCERS };

static __device__ inline void produce(const CUtensorMap *map_b, const float *a, int m, int k,
                                      const struct tile_place &tile, uint32_t memory, uint32_t full,
                                      uint32_t empty, int producer, int lane)
{
    struct ring_place place = {0, 1};
    for (int first = 0; first < k; first += SLICE, place = ring_next<ring>(place)) {
        const uint32_t stage = memory + place.stage * ring::stage_bytes,
                       barrier = full + 8 * place.stage;
        mbarrier_wait(empty + 8 * place.stage, place.parity);
        if (producer == 0 && lane == 0) {
            mbarrier_expect(barrier, ring::b_bytes);
            tensor_copy(stage + ring::a_bytes, map_b, tile.n * ring::block_n, first, barrier);
        }
        copy_a<ring>(stage, a, m, k, tile.m, first, producer, lane);
        mbarrier_arrive_after_words(barrier);
    }
    copy_words_finish();
}

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_producer_warps(const __grid_constant__ CUtensorMap map_b, const float *a, float *c, int m,
                        int n, int k, uint32_t alpha_bits)
{
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ uint64_t full[ring::stages], empty[ring::stages];
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    const struct tile_place tile =
        tile_in_groups(blockIdx.x, (m + ring::block_m - 1) / ring::block_m,
                       (n + ring::block_n - 1) / ring::block_n, GROUP);
    if (threadIdx.x == 0) {
        for (int s = 0; s < ring::stages; s++) {
            mbarrier_open(shared_address(&full[s]), 1 + PRODUCERS);
            mbarrier_open(shared_address(&empty[s]), ring::warps);
        }
        mbarrier_publish();
    }
    __syncthreads();
    if (warp >= ring::warps) {
        registers_give<PRODUCER_REGISTERS>();
        produce(&map_b, a, m, k, tile, shared_address(memory), shared_address(full),
                shared_address(empty), warp - ring::warps, lane);
        return;
    }
    registers_take<CONSUMER_REGISTERS>();
    struct ring_place place = {0, 0};
    float sum[ring::quads_m * 4][ring::quads_n * 4];
    clear_sums<ring>(sum);
    multiply_slices<ring>(sum, &place, (k + UNROLL - 1) / UNROLL * UNROLL, shared_address(memory),
                          shared_address(full), shared_address(empty), warp, lane);
    scale_sums<ring>(sum, __uint_as_float(alpha_bits));
    store_quads<ring>(c, m, n, tile.m * ring::block_m, tile.n * ring::block_n, warp, lane, sum);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    if (refuse_before_hopper(compute_capability)) return refuse_before_hopper(compute_capability);
    if (gemm_n(point) % 4)
        return "N must be a multiple of 4: tensor copies ask for rows that are multiples of 16 "
               "bytes long";
    return refuse_large(point);
}

static unsigned tiles_of(const struct point *point)
{
    return (unsigned)(divide_up(gemm_m(point), ring::block_m) *
                      divide_up(gemm_n(point), ring::block_n));
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    launch->function = (const void *)gemm_producer_warps;
    launch->grid[0] = tiles_of(point);
    launch->block[0] = THREADS;
    launch->dynamic_shared = ring::ring_bytes;
    launch->tensor_map_count = 1;
    launch->tensor_map[0] = {work->input[1],
                             gemm_k(point),
                             gemm_n(point),
                             gemm_n(point) * sizeof(float),
                             SLICE,
                             ring::block_n,
                             0};
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    for (int i = 0; i < 3; i++) launch_integer(launch, point->shape.dim[i]);
    launch_integer(launch, FLOAT_ONE);
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const double tiles = tiles_of(&work->point);
    return describe_fragments<ring>(
        list, 0, tiles * (double)divide_up(gemm_k(&work->point), UNROLL) * UNROLL);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Producer warps",
    .after = "14_tma_stages",
    .suffers = "A thread holds four k of A, so no registers are left to choose from; one of the "
               "multiplying threads also waits for free stages.",
    .changes = "Four warps only fetch and transpose; eight only multiply, one k at a time, with "
               "the registers that the four do not need.",
    .pays = "One block with large tiles runs per SM: an incomplete last round costs as much as a "
            "full one.",
    .claims =
        {
            {"Multiply-adds are a larger share of the instructions.", "whyfast", "Aim of this rung",
             NULL, "fma_share_pct > prev_fma_share_pct"},
            {"Warps wait less for the dispatcher, which is held up by conflicts in the banks of "
             "the register file, among others (dispatch stall; here: by at least 30 %).",
             "whyfast", "Aim of this rung", NULL,
             "stall_dispatch_stall <= 0.7 * prev_stall_dispatch_stall"},
            {"Producer warps make the kernel faster.", "whyfast", "Aim of this rung", NULL,
             "faster"},
        },
    .refuses = refuses,
    .plan = plan,
    .shared_accesses = accesses,
};
