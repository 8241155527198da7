/*
 * The cycle ledger: where every cycle of a scheduler went. Nothing is owned; everything is in the
 * query's database.
 *
 * A scheduler issues at most one instruction in a cycle. Each of its cycles is one of three: it
 * issued; it had warps and issued none (stalled); it had no warp (empty). Two counters of the
 * hardware count the first two, scheduler_cycles_issued and scheduler_cycles_idle; the third is the
 * rest of the busiest SM's time (imbalance, tail) and the launch. All cycles are means over the
 * schedulers of the device and sums over the launches of a point.
 *
 *   elapsed   = clean time x SM clock, never under a profiler
 *   issued    by kind of instruction: from the executions of each instruction and its opcode where
 *             they were counted (status "by instruction"), else from counters ("by counters"),
 *             scaled to the cycles issued. `work` is the least that the problem's own arithmetic
 *             needs: useful operations over 32 lanes and the operations that an instruction can do
 *             per lane (families.csv), taken out of the arithmetic and, for integers, of the rest
 *   stalled   by reason: from the samples of the PC sampler in which nothing was issued
 *             ("sampled"), else from the states of warps in any cycle of the first launch ("by warp
 *             state")
 *   imbalance = cycles of the busiest SM - issued - stalled
 *   launch    what launching as many empty kernels takes, measured by itself in the same run
 *             (ceilings.csv); no row where it was not
 *   residual  = elapsed - all of these: clean launches and counted ones are not the same launches.
 *             Reported, never spread over the others.
 *
 * What cannot be told apart stays one row, `issued` or `stalled` ("not told apart"): where one of
 * the formulas of all terms has no value, the others are not taken for the whole. Opcodes and stall
 * reasons that no term names are rows of the same names.
 *
 * The identity holds where |residual| <= LEDGER_CLOSED_PCT of elapsed; the status of the rows
 * elapsed and residual is "closed", or says why not.
 *
 * Intervals (low, high): instructions are as uncertain as they moved between the repeats of their
 * counters (largest less smallest, noise.csv), or as the hardware's count of them differs from the
 * instrumented one, in a launch of its own, whichever is more; other counted cycles as they moved
 * between repeats, or as the residual is large beside elapsed. A share by samples has a binomial 95
 * % interval beside, imbalance the movements of the two counters whose difference it is. elapsed
 * and launch have the intervals of their times. What is not known is empty.
 *
 * Source of the method: top-down accounting of issue slots (A. Yasin, ISPASS 2014), here with the
 * stall reasons of CUPTI's PC sampler.
 */
#ifndef WHYFAST_CYCLE_LEDGER_H
#define WHYFAST_CYCLE_LEDGER_H

#include "catalog/records.h"
#include "query/query.h"

#define LEDGER_CLOSED_PCT 1.0

/* Instructions counted one by one are taken for all where they are at least this much of those
 * that the hardware counted, in per cent. */
#define LEDGER_MIX_PCT 95.0

/* Below this a clean time is mostly launch, in nanoseconds. */
#define LEDGER_SHORT_NS 20000.0

/* Makes the table `ledger`, with the columns of run/tables.c, for the best setting of every
 * variant that ran on the GPU and has counters. Needs the tables families, variants, metrics,
 * noise, ceilings and those of lines/lines_tables.h. FAIL_INPUT, with file and line, for a
 * formula that SQLite refuses. */
int ledger_make(struct query *query, const struct records *records);

/* Adds the columns of counters, facts and metrics that the table lacks, with nothing in them: a
 * run may have been evaluated before they were. */
int ledger_columns(struct query *query, const char *table, const struct records *records);

#endif
