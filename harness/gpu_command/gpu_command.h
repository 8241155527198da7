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
 *     knockouts              knockouts                                      GPU, probes
 */
#ifndef WHYFAST_GPU_COMMAND_H
#define WHYFAST_GPU_COMMAND_H

#include "catalog/registry.h"
#include "collect/collect_counters.h"
#include "command_line/arguments.h"
#include "run/run.h"

/* Makes CUDA see only the device of these words, or that which --device names, if it is given. To
 * be called before CUDA is used. */
int use_named(const char *word);
int use_device(const struct arguments *arguments);

/* Returns FAIL_USAGE, with a message, if --knockout is given with an option that takes away what it
 * needs. */
int check_knockout(const struct arguments *arguments);

/* Begins the run at --output, or one with the default name. */
int begin_run(struct run *run, const struct arguments *arguments);

/* Ends a run of programs, or removes it after a failure, which is returned. */
int end_run_of_program(struct run *run, int result);

/* Tells the path of a complete run to whyfast, which has started this program, or to the user. */
int announce_path(const char *path);

/* The seed and the points that the command line asks for. */
uint64_t measuring_seed(const struct arguments *arguments);
int measuring_select(struct selection *selection, const struct arguments *arguments);

/* Measures a run, with the counters that --sets names, if any; adds such to a run. */
int measuring_run(const struct arguments *arguments);
int collecting_run(const struct arguments *arguments, const struct selection *knocked_out);
struct collect_options collect_options(const struct arguments *arguments);

/* Refuses to go on with half a run of another program, or of another board. */
int same_making(struct run *run);

/* Collects the set 'lines' with this program as the probes. */
int run_lines(struct run *run, uint64_t seed, int demand);

/* Ends a run that was measured: completes it, or, for whyfast, leaves it in <path>.part with what
 * is still to be computed. Explains how to continue one that was interrupted. */
int measuring_finish(struct run *run, int result, int is_complete);

/* Adds the knock-outs of the selected variants to a run, as --cause and --line limit them; runs
 * 'probe twins'. */
int knockouts_stage(struct run *run, const struct arguments *arguments,
                    const struct selection *selection, uint64_t seed);
int probe_twins(const struct selection *selection, const struct arguments *arguments);

/* ---- commands: each returns 0 or a failure --------------------------------------------------- */

int collect_command(const struct arguments *arguments);
int knockout_command(const struct arguments *arguments);
int launch_command(const struct arguments *arguments);
int measure_command(const struct arguments *arguments);
int probe_command(const struct arguments *arguments);
int selftest_command(const struct arguments *arguments);

/* Measures a run for a report, which whyfast writes. Returns STATUS_NO_GPU if there is no GPU and a
 * recorded run will do. */
int report_command(const struct arguments *arguments);

/* Builds revisions, and lets whyfast compare those whose code does not decide. */
int bisect_command(const struct arguments *arguments);

/* Runs two versions in turn and measures a run of both, which whyfast explains. */
int diff_command(const struct arguments *arguments);

/* Runs a program of the user. Returns its exit status, or a status of a failure of our own
 * (base/message.h). */
int run_command(const struct arguments *arguments);

#endif
