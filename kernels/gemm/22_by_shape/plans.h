/*
 * Declares the plans of rung 22's kernels, each defined in a unit of its own, which is compiled
 * beside the others: a plan fills the launch of the product by a choice of its kernel. Nothing is
 * owned.
 */
#ifndef KERNELS_GEMM_PLANS_H
#define KERNELS_GEMM_PLANS_H

#include "by_shape.h"

typedef void plan_of_choice(const struct work *work, const struct by_shape_choice &choice,
                            struct launch *launch);

plan_of_choice plan_thin, plan_few_steps, plan_stream_tile, plan_share_tile, plan_split_tile;

/* Where the product by a choice goes: with parts, into scratch memory. */
static inline void *product_target(const struct work *work, const struct by_shape_choice &choice)
{
    return choice.parts > 1 ? work->scratch : work->output;
}

/* All but the kernel and its arguments: blocks for so many tiles, in clusters and parts. */
static inline void plan_blocks(const struct by_shape_choice &choice, uint64_t tiles,
                               unsigned threads, size_t shared, struct launch *launch)
{
    const unsigned cluster = (unsigned)choice.cluster;
    launch->grid[0] = (unsigned)tiles * cluster;
    launch->grid[1] = (unsigned)choice.parts;
    launch->block[0] = threads;
    launch->cluster = cluster > 1 ? cluster : 0;
    launch->dynamic_shared = shared;
}

#endif
