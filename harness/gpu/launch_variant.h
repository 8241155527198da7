/*
 * How a variant is run: its kernels launched, its library called, its CPU code run. Nothing is
 * owned: the memory is the workbench's.
 */
#ifndef WHYFAST_LAUNCH_VARIANT_H
#define WHYFAST_LAUNCH_VARIANT_H

#include "gpu/kernel_facts.h"
#include "gpu/workbench.h"

/* Whether the point can run here: *refused with the reason when it cannot. 0, or FAIL_GPU, said. */
int invoke_refuses(const struct workbench *bench, const struct variant *variant,
                   const struct point *point, int *refused, char reason[160]);

/* Fills launch `index` of a variant that launches kernels. */
void invoke_plan(const struct workbench *bench, const struct variant *variant,
                 const struct point *point, unsigned index, struct launch *launch);

/* Queues launch `index` of variant_launches() in its two parts: what clears the output where the
 * launch asks for that, and the launch. */
int invoke_clear(const struct workbench *bench, const struct variant *variant,
                 const struct point *point, unsigned index);
int invoke(const struct workbench *bench, const struct variant *variant, const struct point *point,
           unsigned index);

/* Queues all launches; a variant that runs on the CPU is run. */
int invoke_all(const struct workbench *bench, const struct variant *variant,
               const struct point *point);

/* The kernels that the point launches, those inside a call of a library too (found by capturing
 * the call in a CUDA graph, without running it); see struct listed_kernel. The caller frees
 * *list, also after a failure. A variant that runs on the CPU has none. */
int invoke_kernels(const struct workbench *bench, const struct variant *variant,
                   const struct point *point, struct listed_kernel **list, unsigned *count);

#endif
