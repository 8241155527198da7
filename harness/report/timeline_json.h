/*
 * `whyfast timeline`: a run as a trace for viewers, in the Chrome trace event format that Perfetto
 * (ui.perfetto.dev) and chrome://tracing open: an object whose traceEvents are what the program did
 * (process 1, "host"), and for each family a process with its kernels and its counters over time.
 * Nothing is owned.
 *
 * Times are microseconds since the run began, in decimals exact to the nanosecond. Perfetto
 * multiplies them by 1000 as doubles and cuts off; where that would lose a nanosecond, and with it
 * the nesting of events, a fourth decimal makes up for it.
 *
 * A viewer holds the value of a counter until the next one. The track "counters sampled" says when
 * there were samples, and inside of that when kernels ran, by the samples themselves. Beside its
 * events nothing was measured: what a viewer draws there means nothing. It is 0 where the last
 * sample of a trace found no warp on any SM.
 */
#ifndef WHYFAST_TIMELINE_JSON_H
#define WHYFAST_TIMELINE_JSON_H

#include <stdio.h>

#include "report/timeline_tables.h"

/* Writes the trace. Fails before anything is written: as timeline_open does, or with FAIL_INPUT
 * at file:line for a formula that is none. Says on stderr what the trace lacks, and why. */
int timeline_print(const struct run *run, const struct timeline_options *options, FILE *file);

#endif
