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

#endif
