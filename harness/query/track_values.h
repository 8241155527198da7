/*
 * Counters over time as they are shown: the one place where the formulas of metrics/timeline.metric
 * are computed. Nothing is owned; tables are in the query's database.
 *
 * A track is a counter over time. What it shows is the formula `shows` of its record over each
 * sample: `value` is what was counted, `ns` how long that took. Samples by time are as long as was
 * asked for (traces.interval_ns): the time stamps of one are rounded to 32 ns, their difference is
 * not its length. Where samples are by cycles, it is.
 */
#ifndef WHYFAST_TRACK_VALUES_H
#define WHYFAST_TRACK_VALUES_H

#include "catalog/records.h"
#include "query/query.h"

/* Of rows of trace_samples: the counter says whether an SM held a warp. Each set of tracks has
 * one. */
#define TRACKS_HOLD_WARPS "track IN ('resident_warps', 'sms_busy')"

/* 1 for the name of such a counter. */
int track_values_holds_warps(const char *track);

/* Makes the tables
 *   track  track, place (its order among the records), counter_set, unit, title, means
 *   shown  trace, sample, begin_ns, end_ns (since the trace's begin), track, value (in the unit of
 *          the track), ns (the length of the sample)
 *   life   trace, begin_ns, end_ns: from the begin of the first sample in which an SM held a warp
 *          to the end of the last one; ns since the trace's begin, known to one interval at each
 *          end. Kernels are not recorded while they are sampled
 * from the records and the tables traces and trace_samples, which must be loaded. FAIL_INPUT,
 * with file and line, for a formula that cannot be computed. */
int track_values_make(struct query *query, const struct records *records);

/* Samples beyond the bounds of their track show nothing and are in impossible_samples(trace,
 * track, samples, value): how many of each trace, and the largest. Says so, in one line for each
 * track, and counts those. */
int track_values_impossible(struct query *query, int *count);

/* What is shown of one value, without any table; NAN where that is nothing. FAIL_INPUT as above. */
int track_values_show(struct query *query, const struct record *track, double value, double ns,
                      double *shown);

/* Adds the track `dram` to both tables: reads plus writes, of each sample that has both. */
int track_values_add_dram(struct query *query);

#endif
