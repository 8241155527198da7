/*
 * A library's call: run, and taken apart into its kernels. For gpu/launch_variant.c; nothing is
 * owned.
 */
#ifndef WHYFAST_LAUNCH_LIBRARY_H
#define WHYFAST_LAUNCH_LIBRARY_H

#include "gpu/kernel_facts.h"
#include "gpu/workbench.h"

/* Queues the call. 0, or FAIL_GPU with the library's own error code said. */
int library_call(const struct workbench *bench, const struct variant *variant,
                 const struct point *point);

/* The kernels that the call launches, found by capturing it in a CUDA graph, without running it.
 * The call must have run before: what a library does the first time may not be possible under
 * capture. The caller frees *list, also after a failure. */
int library_kernels(const struct workbench *bench, const struct variant *variant,
                    const struct point *point, struct listed_kernel **list, unsigned *count);

#endif
