/*
 * Shares code between the rungs of the float sum: the length of their partial sums, and the
 * launches of the first two. Nothing is owned; the pointers point into the buffers of struct work.
 */
#ifndef KERNELS_REDUCE_FLOAT_H
#define KERNELS_REDUCE_FLOAT_H

#include "group_sum.h"
#include "catalog/variant.h"

/* The family's scratch holds two arrays of this many partial sums. */
static inline size_t reduce_float_partials(uint64_t n)
{
    return (size_t)((n + 1023) / 1024);
}

/* The launches of a kernel (in, out, n) whose blocks sum GROUP_ELEMENTS elements each, repeated
 * until one sum is left. */
static inline unsigned reduce_float_count(const struct point *point)
{
    unsigned count = 1;
    for (uint64_t n = group_blocks(point->shape.dim[0]); n > 1; n = group_blocks(n)) count++;
    return count;
}

static inline void reduce_float_relaunch(const struct work *work, unsigned index,
                                         struct launch *launch, const void *function)
{
    uint64_t n = work->point.shape.dim[0];
    float *half[2] = {(float *)work->scratch, (float *)work->scratch + reduce_float_partials(n)};
    for (unsigned i = 0; i < index; i++) n = group_blocks(n);
    launch->function = function;
    launch->grid[0] = (unsigned)group_blocks(n);
    launch->block[0] = GROUP_THREADS;
    launch_pointer(launch, index == 0 ? work->input[0] : half[(index - 1) % 2]);
    launch_pointer(launch, group_blocks(n) == 1 ? work->output : half[index % 2]);
    launch_integer(launch, n);
}

#endif
