/*
 * Counts and samples single instructions at one size of each family, in the fastest setting of each
 * variant, after everything was timed. Starts `program`, which is this one, as probes
 * (collect/probe.h): one per family samples, one per kernel counts. Joins both by pc with the
 * listing of the code. Writes sources, source_files, kernels and lines. Nothing is owned.
 */
#ifndef WHYFAST_COLLECT_LINES_H
#define WHYFAST_COLLECT_LINES_H

#include <stdint.h>
#include "run/run.h"

/* Data that are unavailable are absent, with the reason; with `demand` it is a failure if all
 * counts, all samples or all kernels of a family are. */
int lines_run(struct run *run, uint64_t seed, int demand, const char *program);

#endif
