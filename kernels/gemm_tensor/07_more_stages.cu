/*
 * Rung 7: more stages.
 *
 * This is rung 6 with three or four stages: two or three slices are in flight while one is
 * multiplied, so that a copy may take longer than the products of a slice.
 *
 * Remaining cost: 144 or 192 KiB of shared memory. At each step the products wait for their
 * fragments.
 */
#include "mma_tile.h"

template <int STAGES> struct ring {
    typedef mma_scheme<ROWS_SWIZZLED, READ_MATRICES, COPY_ASYNC, STAGES> scheme;
};

template <int STAGES>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_more_stages(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m, unsigned n,
                            unsigned k)
{
    compute_tile<multiply_in_ring<typename ring<STAGES>::scheme>>({a, b, m, n, k}, c);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    if (work->point.sweep == 3)
        plan_mma<ring<3>::scheme>(work, launch, (const void *)gemm_tensor_more_stages<3>);
    else
        plan_mma<ring<4>::scheme>(work, launch, (const void *)gemm_tensor_more_stages<4>);
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_mma<ring<3>::scheme>(work, list); /* as many stages as you like */
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "More stages",
    .after = "06_double_buffer",
    .suffers = "The next slice must arrive while one slice is multiplied.",
    .changes = "Three or four stages: two or three slices are in flight at a time.",
    .pays = "Up to 192 KiB of shared memory. At each step the products wait for their fragments.",
    .sweep_name = "stages",
    .sweep_text = "slices that fit into shared memory",
    .sweep_values = {3, 4},
    .claims =
        {
            {"With mma.sync more than two buffers gain little (here: less than 5 %).", "whyfast",
             "Aim of this rung", NULL,
             "CASE WHEN speedup_prev_high < 1.05 THEN 1 WHEN speedup_prev_low >= 1.05 THEN 0 END"},
        },
    .refuses = refuse_mma,
    .plan = plan,
    .shared_accesses = accesses,
};
