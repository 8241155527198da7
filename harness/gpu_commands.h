/*
 * The commands that need a GPU, and the GPU half of report: options become stages, and stages a
 * run. A run that was begun is the caller's until measuring_finish.
 */
#ifndef WHYFAST_GPU_COMMANDS_H
#define WHYFAST_GPU_COMMANDS_H

#include "cli.h"
#include "pipeline.h"

/* The points that the command line asks for. */
int measuring_select(struct selection *selection, const struct arguments *arguments);

/* Opens the place of a new run after everything that can be checked beforehand was checked. */
int measuring_begin(struct run *run, const struct arguments *arguments);

/* Times, and with `counters` collects what is asked for: measure, and the GPU half of report. */
int measuring_do(struct run *run, const struct arguments *arguments, int counters);

/* The same, said instead of done: --dry-run. */
int measuring_plan(const struct arguments *arguments, int counters);

/* Adds counters to a run that was measured: a new run takes its place when they are complete. */
int measuring_collect(struct run *run, const struct run *from, const struct arguments *arguments);

/* Completes the run, prints where it lies with `what` behind it, and closes it; says how to go
 * on with one that was interrupted. */
int measuring_finish(struct run *run, int result, const char *what);

/* Wrong results, and values that cannot be, were reported where they were found; here they
 * become the exit code. */
int measuring_result(const struct run *run, int result);

int measure_command(const struct arguments *arguments);
int launch_command(const struct arguments *arguments);
int probe_command(const struct arguments *arguments);

#endif
