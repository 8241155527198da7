/*
 * Finds ramp, steady part and tail of each sampled trace, track by track. Nothing is owned; the
 * tables are in the query's database. The limits below are written out in explain/phases.sql.
 *
 * The table `shown` (query/track_values.h) holds the value of each track, the sum of DRAM reads and
 * writes included. The samples of a trace tell its life: from the begin of the first to the end of
 * the last sample in which an SM held a warp (tracks resident_warps and sms_busy), each known to
 * one interval; the samples before and after it must be idle. The life of a repeated point covers
 * all its launches and the gaps between them.
 *
 *   steady     median of the samples that lie wholly in the middle of the life, from 25 % to 75 %
 *   low, high  5th and 95th percentile of the same samples, by nearest rank
 *   ramp_ns    from the begin of the life to the begin of the first sample that reaches 90 % of
 *              steady
 *   tail_ns    from the end of the last such sample to the end of the life
 *   integral   value times the length of a sample, summed over the samples of the life: bytes
 *              for a track in GB/s
 *   main       1 for the track whose ramp and tail stand for this family and size: DRAM traffic if
 *              any trace of it reaches half of the peak, else the issue slots used
 *
 * Ramp and tail are known to one sampling interval. They are empty for a repeated point, because
 * all launches but the first find the L2 cache warm. The status is 'not steady' if low and high
 * are more than 30 % of steady apart. An unknown value is empty, and the status gives the reason.
 */
#ifndef WHYFAST_PHASES_H
#define WHYFAST_PHASES_H

#include "query/query.h"

/* Makes the table `phases`, with the columns of run/tables.c: a row for each track of each trace
 * whose samples are ok. Needs track_values_make, track_values_add_dram, the tables traces and
 * trace_samples, and metrics with the columns of ledger_columns. */
int phases_make(struct query *query);

#endif
