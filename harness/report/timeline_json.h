/*
 * Writes a run as a trace for viewers (`whyfast timeline`), in the Chrome trace event format of
 * Perfetto (ui.perfetto.dev) and chrome://tracing: an object whose traceEvents are the stages of
 * the program (process 1, "host"), and for each family a process with its kernels and its counters
 * over time. Nothing is owned.
 *
 * Times are microseconds since the begin of the run, in decimals exact to the nanosecond. Perfetto
 * multiplies them by 1000 as doubles and truncates; if that would lose a nanosecond, and with it
 * the nesting of events, a fourth decimal corrects it.
 *
 * A viewer holds the value of a counter until the next one. The track "counters sampled" shows when
 * there were samples, and inside of that when kernels ran, by the samples themselves. Outside of
 * its events nothing was measured, and the drawn values mean nothing. It is 0 if the last sample of
 * a trace found no warp on any SM.
 */
#ifndef WHYFAST_TIMELINE_JSON_H
#define WHYFAST_TIMELINE_JSON_H

#include <stdio.h>

#include "report/timeline_tables.h"

/* Writes the trace, and notes on stderr what it lacks, with the reasons. Fails before anything is
 * written: as timeline_open does, or with FAIL_INPUT at file:line for an invalid formula. */
int timeline_print(const struct run *run, const struct timeline_options *options, FILE *file);

#endif
