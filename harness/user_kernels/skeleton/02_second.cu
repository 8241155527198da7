/*
 * The second version: the threads of a warp compute neighbouring elements, so that their accesses
 * are coalesced.
 */
#include "catalog/variant.h"

enum { THREADS = 256, EACH = 8 };

static __global__ void scaled_sum(const float *x, const float *y, float *z, uint64_t n)
{
    const uint64_t first = blockIdx.x * (uint64_t)(THREADS * EACH) + threadIdx.x;
    for (unsigned k = 0; k < EACH; k++) {
        const uint64_t i = first + k * THREADS;
        if (i < n) z[i] = 2 * x[i] + y[i];
    }
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    (void)index;
    launch->block[0] = THREADS;
    launch->grid[0] = (unsigned)((n + THREADS * EACH - 1) / (THREADS * EACH));
    launch_kernel(launch, scaled_sum, work->input[0], work->input[1], work->output, n);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Neighbours in a warp",
    .after = "01_first", /* the variant that this one improves on */
    .plan = plan,
};
