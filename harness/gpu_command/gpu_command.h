/*
 * Declares the commands of whyfast-gpu for the table in main.c, and what they share. A struct run
 * that was begun or opened is the caller's.
 *
 * A run is made by these stages, which write its raw tables. Each borrows the struct run during the
 * call and returns 0, or after a message a failure of base/message.h.
 *
 *   registry, selection      the points to run
 *     describe, measure      points, launches, accesses, series, samples,   GPU, never profiled
 *                            power
 *     ceilings               ceilings                                       GPU
 *     collect                counters                                       GPU and CUPTI
 *     lines                  sources, source_files, kernels, lines          GPU and CUPTI, probes
 *     traces                 traces, activities, trace_samples              GPU and CUPTI
 */
#ifndef WHYFAST_GPU_COMMAND_H
#define WHYFAST_GPU_COMMAND_H

#include "command_line/arguments.h"
#include "run/run.h"

/* Makes CUDA see only the device that --device names, if it is given. To be called before CUDA is
 * used. */
int use_device(const struct arguments *arguments);

/* Tells the path of a complete run to whyfast, which has started this program, or to the user. */
int announce_path(const char *path);

/* ---- commands: each returns 0 or a failure --------------------------------------------------- */

int collect_command(const struct arguments *arguments);
int launch_command(const struct arguments *arguments);
int measure_command(const struct arguments *arguments);
int probe_command(const struct arguments *arguments);
int selftest_command(const struct arguments *arguments);

/* Measures a run for a report, which whyfast writes. Returns STATUS_NO_GPU if there is no GPU and a
 * recorded run will do. */
int report_command(const struct arguments *arguments);

/* Runs a program of the user. Returns its exit status, or a status of a failure of our own
 * (base/message.h). */
int run_command(const struct arguments *arguments);

#endif
