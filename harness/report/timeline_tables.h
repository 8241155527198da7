/*
 * What a trace shows of a run: its stages, the kernels of its traces, their counters over time, and
 * the figures of their points. The caller owns the query until query_close; everything is in its
 * tables.
 *
 *   stages                  as in the run
 *   process                 pid, family: one for each family that has a trace to be shown; from 2
 *                           on, 1 is the program itself
 *   chosen                  the traces to be shown: pid, name (the rung), launches (kernels of one
 *                           repeat), and the columns of traces
 *   activities, trace_samples   as in the run, also of traces that are not shown
 *   figures                 family, variant, size, block, sweep, json: what is known of a point, an
 *                           object; no rows where the run is not evaluated
 *   absent                  what, reason, traces: what a trace should show and does not; traces is
 *                           NULL where that is so of the run as a whole
 */
#ifndef WHYFAST_TIMELINE_TABLES_H
#define WHYFAST_TIMELINE_TABLES_H

#include "query/query.h"

struct timeline_options {
    const char *const *patterns; /* as for variant_names_want; none: everything */
    int pattern_count;
    int first_may_be_run; /* no run was given: the first pattern may be the name of one, mistyped */
    const char *const *sizes; /* as on the command line; none: all */
    int size_count;
};

/* Opens the query. FAIL_INPUT, with nothing open, for a run that has neither stages nor traces
 * or whose times cannot be, as in what ends before it begins; FAIL_USAGE for a pattern or a size
 * that it lacks. */
int timeline_open(struct query *query, const struct run *run,
                  const struct timeline_options *options);

#endif
