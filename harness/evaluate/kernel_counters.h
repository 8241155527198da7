/*
 * Writes the counters of single kernels: one row per kernel of kernels.csv, so that a question
 * about a kernel need not read all counters of the run. Nothing is owned.
 */
#ifndef WHYFAST_KERNEL_COUNTERS_H
#define WHYFAST_KERNEL_COUNTERS_H

#include "base/atomic_file.h"
#include "evaluate/counter_rows.h"

/* Writes kernel_counters.csv into the group: kernel, then each counter, the median over its repeats
 * in that launch. The cells are empty for a launch of several kernels (a library's call): its
 * counters are of all of them. Needs the table points. */
int kernel_counters_write(struct query *query, const struct counter_rows *counters,
                          struct atomic_files *group);

#endif
