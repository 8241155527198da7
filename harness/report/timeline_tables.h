/*
 * Loads the tables of a trace: the stages of a run, the kernels of its traces, their counters over
 * time, and the figures of their points. The caller owns the query until query_close.
 *
 *   stages                  as in the run
 *   process                 pid, family: one for each family with a trace; from 2 on, because 1 is
 *                           the program itself
 *   chosen                  the traces to be shown: pid, name (the rung), launches (kernels of one
 *                           repeat), and the columns of traces
 *   activities, trace_samples   as in the run, also of traces that are not shown
 *   figures                 family, variant, size, block, sweep, json: the figures of a point as an
 *                           object; no rows if the run is not evaluated
 *   absent                  what, reason, traces: data that the trace lacks; traces is NULL if the
 *                           whole run lacks them
 */
#ifndef WHYFAST_TIMELINE_TABLES_H
#define WHYFAST_TIMELINE_TABLES_H

#include "query/query.h"

struct timeline_options {
    const char *const *patterns; /* as for variant_names_want; none: everything */
    int pattern_count;
    int first_may_be_run;     /* no run was given: the first pattern may be a mistyped one */
    const char *const *sizes; /* as on the command line; none: all */
    int size_count;
};

/* Opens the query. Returns FAIL_INPUT, with nothing open, for a run without stages and traces or
 * with impossible times, such as an end before the begin; FAIL_USAGE for a pattern or a size that
 * it lacks. */
int timeline_open(struct query *query, const struct run *run,
                  const struct timeline_options *options);

#endif
