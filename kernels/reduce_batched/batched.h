/*
 * Shares the launch between the rungs of the batched sum: one block per batch. Nothing is owned.
 */
#ifndef KERNELS_BATCHED_H
#define KERNELS_BATCHED_H

#include "group_sum.h"

/* The one launch of a kernel (in, out, length). */
static inline void batched_plan(const struct work *work, struct launch *launch,
                                const void *function)
{
    launch->function = function;
    launch->grid[0] = (unsigned)work->point.shape.dim[0];
    launch->block[0] = GROUP_THREADS;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[1]);
}

/* The grid has one dimension. */
static inline const char *batched_refuses(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    return point->shape.dim[0] > 0x7FFFFFFF
               ? "more than 2147483647 batches are more blocks than a grid has"
               : NULL;
}

#endif
