/*
 * Runs a program of the user under observation: starts it as often as the data need, and writes the
 * tables of a run. Nothing is owned.
 *
 *   start 0       times, stall samples and machine code; it has our terminal
 *   start 1       the same once more: the noise floor, and whether the program repeats itself
 *   the next ones counters, each launch in one of their passes, or replayed
 *                 (watched_program/program_plan.h)
 *   further ones  instructions of one kernel each, which CUPTI counts once per process
 *   the last one  if it is asked for, knock-outs (watched_program/program_knockouts.h): it ends
 *                 once they are measured; of two versions, one each
 *
 * Where replaying fails, or changes what the program prints or its status, each launch is profiled
 * in one pass, in as many starts as that takes. Starts are joined by the kernels' names and shapes,
 * and by the number of the launch.
 */
#ifndef WHYFAST_PROGRAM_RUN_H
#define WHYFAST_PROGRAM_RUN_H

#include "run/run.h"
#include "watched_program/program_options.h"

/* Starts the program and writes the raw tables of the run. *status is the exit status of the first
 * start, or -1 if there was none. Returns FAIL_GPU, with a message, if the program launched no
 * kernel, FAIL_INTERRUPTED after Ctrl-C, or another failure. */
int program_run(struct run *run, const struct program_options *options, int *status);

#endif
