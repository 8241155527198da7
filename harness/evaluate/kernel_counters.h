/*
 * The counters of whole launches beside the counts of their instructions: one row per kernel of
 * kernels.csv, so that whoever asks about a kernel need not read all counters of the run. Nothing
 * is owned.
 */
#ifndef WHYFAST_KERNEL_COUNTERS_H
#define WHYFAST_KERNEL_COUNTERS_H

#include "base/atomic_file.h"
#include "evaluate/counter_rows.h"

/* Writes kernel_counters.csv into the group: kernel, then each counter by its name, the median
 * over its repeats in that launch. Empty cells for a launch of several kernels, a library's
 * call, whose counters are of all of them. */
int kernel_counters_write(struct query *query, const struct counter_rows *counters,
                          struct point_index *points, struct atomic_files *group);

#endif
