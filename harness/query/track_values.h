/*
 * Computes the displayed values of counters over time with the formulas in metrics/timeline.metric.
 * Nothing is owned; tables are in the query's database.
 *
 * A track is a counter over time. It shows the formula `shows` of its record over each sample:
 * `value` is the count, `ns` the length of the sample. The time stamps of a sample by time are
 * rounded to 32 ns, so its length is the requested interval (traces.interval_ns). The
 * length of a sample by cycles is the difference of its time stamps.
 */
#ifndef WHYFAST_TRACK_VALUES_H
#define WHYFAST_TRACK_VALUES_H

#include "catalog/records.h"
#include "query/query.h"

/* A condition on rows of trace_samples: the counter shows whether an SM held a warp. Each set of
 * tracks has one such counter. */
#define TRACKS_HOLD_WARPS "track IN ('resident_warps', 'sms_busy')"

/* Returns 1 for the name of such a counter, else 0. */
int track_values_holds_warps(const char *track);

/* Makes the tables
 *   track  track, place (its order among the records), counter_set, unit, title, means
 *   shown  trace, sample, begin_ns, end_ns (since the start of the trace), track, value (in the
 * unit of the track), ns (the length of the sample) life   trace, begin_ns, end_ns: from the start
 * of the first sample in which an SM held a warp to the end of the last one, in ns since the start
 * of the trace, to within one interval at each end. Kernels are not recorded while they are sampled
 * from the records and the tables traces and trace_samples, which must be loaded. Returns
 * FAIL_INPUT, with file and line, for a formula that cannot be computed. */
int track_values_make(struct query *query, const struct records *records);

/* Reports samples outside the bounds of their track, one line for each track, and counts those
 * tracks. The samples were emptied; impossible_samples(trace, track, samples, value) has their
 * number in each trace and the largest value. */
int track_values_impossible(struct query *query, int *count);

/* Computes one value without any table; NAN if it is not a number. Returns FAIL_INPUT as above. */
int track_values_show(struct query *query, const struct record *track, double value, double ns,
                      double *shown);

/* Adds the track `dram` to both tables: reads plus writes, for each sample that has both. */
int track_values_add_dram(struct query *query);

#endif
