/*
 * Writes a run as a trace for viewers (`whyfast timeline`), in the Chrome trace event format of
 * Perfetto (ui.perfetto.dev) and chrome://tracing: an object whose traceEvents are the stages of
 * the program (process 1, "host"), and for each family a process with its kernels and its counters
 * over time. Nothing is owned.
 *
 * Times are microseconds since the start of the run, as decimals exact to the nanosecond. Perfetto
 * multiplies them by 1000 as doubles and truncates. If that would lose a nanosecond, which could
 * break the nesting of events, a fourth decimal corrects it.
 *
 * A viewer draws the value of a counter until the next value. The track "counters sampled" shows
 * when samples were taken, and inside its events when kernels ran, according to the samples.
 * Outside its events nothing was measured, and the drawn values mean nothing: they are 0 if the
 * last sample of a trace found no warp on any SM.
 *
 * timeline_open loads the tables of the trace: the stages of a run, the kernels of its traces,
 * their counters over time, and the figures of their points:
 *
 *   stages                  as in the run
 *   process                 pid, family: one for each family with a trace; from 2 on, because 1 is
 *                           the program itself
 *   chosen                  the traces to show: pid, name (the rung), launches (kernels of one
 *                           repeat), and the columns of traces
 *   activities, trace_samples   as in the run, also of traces that are not shown
 *   figures                 family, variant, size, block, sweep, json: the figures of a point as an
 *                           object; no rows if the run is not evaluated
 *   absent                  what, reason, traces: data that the trace lacks; traces is NULL if the
 *                           whole run lacks them
 */
#ifndef WHYFAST_TIMELINE_H
#define WHYFAST_TIMELINE_H

#include <stdio.h>

#include "query/query.h"

struct timeline_options {
    const char *const *patterns; /* as for variant_names_want; none: everything */
    int pattern_count;
    int first_may_be_run;     /* no run was given: the first pattern may be a mistyped one */
    const char *const *sizes; /* as on the command line; none: all */
    int size_count;
};

/* Opens the query; the caller owns it until query_close. Returns FAIL_INPUT, with nothing open, for
 * a run without stages and traces or with impossible times, such as an end before the begin;
 * FAIL_USAGE for a pattern or a size that it lacks. */
int timeline_open(struct query *query, const struct run *run,
                  const struct timeline_options *options);

/* Writes the trace, and notes on stderr what it lacks, with the reasons. Fails before anything is
 * written: as timeline_open does, or with FAIL_INPUT at file:line for an invalid formula. */
int timeline_print(const struct run *run, const struct timeline_options *options, FILE *file);

#endif
