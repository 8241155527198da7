/*
 * Ramp, steady part and tail of each sampled kernel, track by track. Nothing is owned; tables are in the query's database.
 *
 * A track is a counter over time (metrics/timeline.metric); what it shows is the formula `shows` of its record over each sample. The life of a trace goes
 * from the begin of its first kernel to the end of its last one, by the activity records: of a point that was repeated it is the whole row of launches, with
 * what lies between them, and so are ramp, steady part and tail.
 *
 *   steady     median of the samples that lie wholly in the middle of the life, from PHASES_FROM_PCT to PHASES_TO_PCT of it
 *   low, high  5th and 95th percentile of the same samples, by nearest rank
 *   ramp_ns    from the begin of the life to the begin of the first sample that reaches PHASES_LEVEL_PCT of steady
 *   tail_ns    from the end of the last sample that still does to the end of the life
 *   integral   what is shown times the length of a sample, summed over the samples that touch the life: bytes where GB/s are shown
 *
 * Both ramp and tail are known to one sampling interval. Where fewer than PHASES_SAMPLES samples lie wholly in the life, where they do not reach from its begin
 * to its end, or where the steady part is 0, so that there is nothing to rise to, the status says so and what is not known is empty.
 */
#ifndef WHYFAST_PHASES_H
#define WHYFAST_PHASES_H

#include "query.h"
#include "record.h"

#define PHASES_FROM_PCT 25
#define PHASES_TO_PCT 75
#define PHASES_LEVEL_PCT 90
#define PHASES_SAMPLES 12

/* Makes the table track(track, place, counter_set, unit, title, means) from the records, in their order, and the table
 * shown(trace, sample, begin_ns, end_ns, track, value): what is drawn of each sample. Needs the table trace_samples. FAIL_INPUT, with file and line, for a
 * formula that cannot be computed. */
int phases_shown(struct query *query, const struct records *records);

/* Makes the table `phases`, with the columns of tables.c: a row for each track of each trace whose samples are ok. Needs phases_shown and the tables traces
 * and activities. */
int phases_make(struct query *query);

#endif
