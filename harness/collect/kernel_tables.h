/*
 * Writes the tables sources, source_files, kernels and lines: the instructions of kernels with the
 * counts and samples of probes. Nothing is owned.
 */
#ifndef WHYFAST_KERNEL_TABLES_H
#define WHYFAST_KERNEL_TABLES_H

#include "code/kernel_listing.h"
#include "collect/probe_results.h"
#include "run/run.h"

/* `listing` has one listing for each kernel. */
int kernel_tables_write(struct run *run, const struct probe_results *kernels,
                        const struct listing *listing);

#endif
