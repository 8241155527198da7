/*
 * Computes the cycle ledger, which accounts for every cycle of a scheduler. Nothing is owned; all
 * tables are in the query's database.
 *
 * A scheduler issues at most one instruction per cycle. In each cycle it issued one, had warps but
 * issued none (stalled), or had no warp (empty). Hardware counters give the first two,
 * scheduler_cycles_issued and scheduler_cycles_idle; the third consists of the remaining cycles of
 * the busiest SM (imbalance, tail) and the launch. All cycles are means over the schedulers of the
 * device and sums over the launches of a point.
 *
 *   elapsed   = clean time x SM clock, never under a profiler
 *   issued    by kind of instruction: from the executions of each instruction and its opcode if
 *             they were counted (status "by instruction"), or counted for the same kernel at
 *             another size ("scaled from another size"), otherwise from counters ("by counters"),
 *             scaled to the cycles issued. `work` is the least number of instructions that the
 *             problem's arithmetic needs: useful operations divided by 32 lanes and by the
 *             operations per lane of an instruction (families.csv). It is subtracted from the
 *             arithmetic and, for integers, from the other instructions. Of the instructions of
 *             tensor cores `work` is the useful share of their operations
 *   stalled   by what is waited for: from the samples of the PC sampler in which nothing was
 *             issued, charged to the instructions that are waited for (lines/wait_charges.h: "by
 *             producer"), or by stall reason if the machine code is not known ("sampled");
 *             otherwise from the states of warps in any cycle of the longest launch ("by warp
 *             state"). Copying warps that wait for a free slot hold nobody up and are left out
 *   imbalance = cycles of the busiest SM - issued - stalled
 *   launch    the cost of launching as many empty kernels, measured separately in the same run
 *             (ceilings.csv); no row if it was not measured
 *   residual  = elapsed - all of these: clean and counted launches are different launches. It is
 *             reported, never spread over the others
 *
 * Cycles that cannot be divided among the terms are one row, `issued` or `stalled`, with the status
 * "not told apart"; one formula without a value is enough for this. Opcodes and stall reasons that
 * no term names are also counted in the rows `issued` and `stalled`.
 *
 * The identity holds if |residual| <= 1 % of elapsed; the status of the rows elapsed and residual
 * is "closed" or gives the reason. Clean times below 20 us are mostly launch. Instructions counted
 * one by one stand for all if they are at least 95 % of those that the hardware counted. These
 * limits are written out in ledger_points.sql and cycle_ledger.sql.
 *
 * Intervals (low, high): the uncertainty of instructions is the spread of their counters over the
 * repeats (largest minus smallest, noise.csv), or the difference between the hardware's count and
 * the instrumented count of another launch, whichever is larger. The uncertainty of other counted
 * cycles is their spread, or the residual relative to elapsed. A share of samples has a binomial
 * 95 % interval, imbalance the spreads of its two counters, elapsed and launch the intervals of
 * their times. Unknown values are empty.
 *
 * Source of the method: top-down accounting of issue slots (A. Yasin, ISPASS 2014), here with the
 * stall reasons of CUPTI's PC sampler.
 */
#ifndef WHYFAST_CYCLE_LEDGER_H
#define WHYFAST_CYCLE_LEDGER_H

#include "catalog/records.h"
#include "query/query.h"

/* Makes the table `ledger`, with the columns of run/tables.c, for the best setting of every variant
 * that ran on the GPU and has counters. Needs the tables families, variants, metrics, noise,
 * ceilings and those of lines_tables_sum_opcodes and lines/wait_charges.h. Returns
 * FAIL_INPUT, with file and line, for a formula that SQLite refuses. */
int ledger_make(struct query *query, const struct records *records);

#endif
