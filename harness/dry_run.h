/*
 * What would be done, as CSV on stdout, without a GPU and without doing it: one row for each point
 * that a stage would run, one for a stage about the run as a whole. A profiler from outside hears
 * the ranges that the stages themselves announce (run/nvtx.h), each point and launch once. Nothing
 * is owned.
 *
 * Whether a device refuses a point is not known here, nor the fastest setting of a swept variant,
 * nor on how many passes a device needs for its counters.
 */
#ifndef WHYFAST_DRY_RUN_H
#define WHYFAST_DRY_RUN_H

#include "pipeline.h"

/* The header of the rows:
 *   stage, family, variant, size, block, sweep   sweep is empty where the fastest setting is run,
 *       which is found on the way
 *   launches    pieces of work that are launched one by one: kernels, or the call of a library;
 *               empty where that depends on the setting, and on the CPU
 *   series      of samples
 *   repeats     how often its counters are collected, at most */
void dry_run_header(void);

/* The functions below write their rows; 0. */

/* `asked` is what follows after the ceilings, collected `repeats` times. */
int dry_run_measure(const struct selection *selection, const struct collect_asked *asked,
                    int repeats);
int dry_run_launch(const struct selection *selection);

/* What makes a report of a run's raw tables. */
int dry_run_analysis(void);

#endif
