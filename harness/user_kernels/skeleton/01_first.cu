/*
 * The first version: each thread computes 8 neighbouring elements.
 */
#include "catalog/variant.h"

enum { THREADS = 256, EACH = 8 };

static __global__ void scaled_sum(const float *x, const float *y, float *z, uint64_t n)
{
    const uint64_t first = (blockIdx.x * (uint64_t)THREADS + threadIdx.x) * EACH;
    for (uint64_t i = first; i < first + EACH && i < n; i++) z[i] = 2 * x[i] + y[i];
}

/* Says how the kernel is launched: grid and block are 1 in each dimension unless set, and the
 * values after the kernel are for its parameters, in their order. */
static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    (void)index; /* there is one launch */
    launch->block[0] = THREADS;
    launch->grid[0] = (unsigned)((n + THREADS * EACH - 1) / (THREADS * EACH));
    launch_kernel(launch, scaled_sum, work->input[0], work->input[1], work->output, n);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Neighbours in a thread",
    .plan = plan,
};
