/*
 * Calls a library and finds the kernels that the call launches. For gpu/launch_variant.c; nothing
 * is owned.
 */
#ifndef WHYFAST_LAUNCH_LIBRARY_H
#define WHYFAST_LAUNCH_LIBRARY_H

#include "gpu/kernel_facts.h"
#include "gpu/workbench.h"

/* Queues the call. Returns FAIL_GPU, with the library's own error code in the message. */
int library_call(const struct workbench *bench, const struct selected *selected);

/* Captures the call in a CUDA graph, without running it, and lists its kernels. The call must have
 * run before: a library's first call may do what is not possible under capture. The caller frees
 * *list, also after a failure. */
int library_kernels(const struct workbench *bench, const struct selected *selected,
                    struct listed_kernel **list, unsigned *count);

#endif
