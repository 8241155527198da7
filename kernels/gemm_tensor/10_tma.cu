/*
 * Rung 10: the copy engine fills a ring of stages.
 *
 * One thread requests a whole slice by three instructions: a box of A, and two strips of B. The
 * engine (TMA) computes the addresses, permutes the 16-byte pieces as wgmma expects them, and fills
 * in zeros beyond the borders. A barrier in shared memory counts the bytes of each stage; the
 * warpgroups wait for it, and not for each other. A second barrier counts the warpgroups that have
 * left the stage; then the thread requests the next slice for it.
 *
 * Remaining cost: the requesting thread also multiplies. It waits for the other warpgroup to leave
 * a stage before its own warpgroup can go on.
 */
#include "wgmma_ring.h"

template <int STAGES> using ring_of = ring_shape<2, 1, 128, STAGES, 1, 1, STORE_PAIRS>;

template <typename S> constexpr int threads_of = S::consumers *WARPGROUP;

template <typename S>
static __global__ void __launch_bounds__(threads_of<S>)
    gemm_tensor_tma(const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b, float *c, int m, int n, int k)
{
    extern __shared__ unsigned char memory[];
    __shared__ uint64_t barriers[2 * S::stages];
    const int group = threadIdx.x / WARPGROUP, thread = threadIdx.x % WARPGROUP,
              slices = (k + SLICE - 1) / SLICE;
    const struct ring_memory r = open_ring<S>(memory, barriers);
    const int2 origin = make_int2(blockIdx.y * S::block_m, blockIdx.x * S::block_n);
    struct ring_place place = {0, 0}, last = place;
    float sum[S::blocks][S::width / 2];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int s = 0; s < S::stages && s < slices; s++)
            fill_stage<S>(r, s, &map_a, &map_b, origin, s * SLICE, 0);
#pragma unroll 1
    for (int slice = 0; slice < slices; slice++) {
        const uint32_t stage = stage_of<S>(r, place.stage);
        const int next = slice - 1 + S::stages; /* the slice for the stage of the previous one */
        mbarrier_wait(r.full + 8 * place.stage, place.parity);
        multiply_stage<S::blocks, S::width>(sum, stage + part_begin<S>(group) * SWIZZLE,
                                            stage + S::a_bytes, slice > 0);
        wgmma_wait<1>();
        if (slice > 0 && next < slices) {
            leave_stage<S>(r, last.stage, thread);
            if (threadIdx.x == 0) {
                mbarrier_wait(r.empty + 8 * last.stage, last.parity);
                fill_stage<S>(r, last.stage, &map_a, &map_b, origin, next * SLICE, 0);
            }
        }
        last = place;
        ring_advance<S>(&place);
    }
    wgmma_wait<0>();
    store_pairs<S::block_n>(c, m, n, origin.x + part_begin<S>(group), origin.y, thread, sum[0]);
}

template <int STAGES> static void plan_stages(const struct work *work, struct launch *launch)
{
    using ring = ring_of<STAGES>;
    const struct point *point = &work->point;
    plan_ring<ring>(work, launch);
    launch->grid[0] = (unsigned)divide_up(gemm_n(point), ring::block_n);
    launch->grid[1] = (unsigned)divide_up(gemm_m(point), ring::block_m);
    launch->block[0] = threads_of<ring>;
    launch_kernel(launch, gemm_tensor_tma<ring>, work->output, gemm_m(point), gemm_n(point),
                  gemm_k(point));
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    switch (work->point.sweep) {
    case 2: plan_stages<2>(work, launch); break;
    case 3: plan_stages<3>(work, launch); break;
    case 4: plan_stages<4>(work, launch); break;
    default: plan_stages<6>(work, launch);
    }
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "TMA, ring of stages",
    .after = "09_wgmma",
    .suffers = "All threads compute the addresses of copies and meet at a barrier for each slice.",
    .changes = "One thread requests whole slices from the copy engine; barriers in shared memory "
               "count the bytes that have arrived and the warpgroups that have left.",
    .pays = "The requesting thread also multiplies, and waits for the other warpgroup.",
    .sweep_name = "stages",
    .sweep_text = "slices that fit in the ring, in flight or being multiplied",
    .sweep_values = {2, 3, 4, 6},
    .claims =
        {
            {"The kernel takes fewer instructions.", "whyfast", "Aim of this rung", NULL,
             "warp_instructions < prev_warp_instructions"},
            {"The copy engine makes the kernel faster.", "whyfast", "Aim of this rung",
             "4096x4096x4096", "faster"},
            {"With wgmma, two stages are too few: they are slower than the best number.", "whyfast",
             "Aim of this rung", "4096x4096x4096", "behind_best", 2},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 324915, 413.1, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_wgmma,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
