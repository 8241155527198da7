/*
 * Ramp, steady part and tail of each sampled trace, track by track. Nothing is owned; tables are in
 * the query's database.
 *
 * What a track shows is the table `shown` (query/track_values.h), reads plus writes of DRAM
 * included. The life of a trace is told by its own samples: from the begin of the first to the end
 * of the last one in which an SM held a warp (tracks resident_warps and sms_busy), each known to
 * one interval; samples before and after it must be idle. Of a point that was repeated it is the
 * whole row of launches, with what lies between them.
 *
 *   steady     median of the samples that lie wholly in the middle of the life, from
 *              PHASES_FROM_PCT to PHASES_TO_PCT of it
 *   low, high  5th and 95th percentile of the same samples, by nearest rank
 *   ramp_ns    from the begin of the life to the begin of the first sample that reaches
 *              PHASES_LEVEL_PCT of steady
 *   tail_ns    from the end of the last sample that still does to the end of the life
 *   integral   what is shown times the length of a sample, summed over the samples of the life:
 *              bytes where GB/s are shown
 *   main       1 for the track of which ramp and tail are told of this family and size: DRAM
 *              traffic where any trace of it reaches half of the peak, else the issue slots used
 *
 * Both ramp and tail are known to one sampling interval; of a point that was repeated they are
 * empty: all launches but the first one find the L2 cache warm. The status is 'not steady' where
 * low and high are more than PHASES_SPREAD_PCT of steady apart. Where something is not known it is
 * empty, and the status says why.
 */
#ifndef WHYFAST_PHASES_H
#define WHYFAST_PHASES_H

#include "query/query.h"

#define PHASES_FROM_PCT 25
#define PHASES_TO_PCT 75
#define PHASES_LEVEL_PCT 90
#define PHASES_SPREAD_PCT 30
#define PHASES_SAMPLES 12

/* Makes the table `phases`, with the columns of run/tables.c: a row for each track of each trace
 * whose samples are ok. Needs track_values_make, track_values_add_dram and the tables traces,
 * trace_samples and metrics. */
int phases_make(struct query *query);

#endif
