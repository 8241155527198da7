/*
 * A run's tables about single lines, in SQLite: what the raw tables sources, kernels and lines say,
 * summed by line of the project's source, and what bank conflicts cost. Nothing is owned;
 * everything is in the query's database.
 *
 * Tables beside the raw ones:
 *   stalls(kernel, pc, source, line, reason, samples, not_issued)   the cell `stalls` of each
 *       instruction, split; source and line are its place
 *   source_state(source, path, state, message)   of every source: the state by name
 *       (code/source_file.h), and
 *       why there is no text, or NULL
 *   source_text(source, line, text)              of the sources that are the same as when they were
 *       measured, and of no other
 *
 * Views, with the same columns of numbers:
 *   instructions   a row per instruction: kernel, pc, sass, its place (source, line), own_source,
 *                  own_line, inlined_at, and in depth how many places of its inlining chain lie
 *                  further in than its place
 *   line_sums      a row per line: kernel, source, path, line, cost; source, path and line are NULL
 *                  for instructions without a line
 *   kernel_sums    a row per kernel: all columns of kernels, and what is said of a cost and of the
 *                  views of conflicts below
 *
 * An instruction is charged to one place: the innermost of its inlining chain that is of the
 * project (code/source_file.h), so that what a toolkit header does is found in the line of the
 * project that asked for it; where there is none, the innermost.
 *
 * The columns of numbers. NULL is "not known" or "does not apply", never 0:
 *   instructions                    in the machine code
 *   executed, threads, threads_on   warp instructions; their active lanes; those not predicated off
 *   lanes                           threads_on / executed: of 32
 *   branches_uniform, branches_divergent, branches   branch targets, and both together
 *   shared_wavefronts, shared_ideal cycles of the data stage of shared memory; what accesses of
 *     that width need without conflicts
 *   excess                          wavefronts beyond the ideal, summed over the instructions that
 *                                   have any: where lanes of a wide read share words it may need
 *                                   less than the ideal, which makes up for no conflict elsewhere
 *   copy_excess                     that part of the excess which instructions that copy past the
 *                                   registers (LDGSTS) have; NULL without the machine code
 *   ways                            shared_wavefronts / (shared_wavefronts - excess): n of an n-way
 *                                   conflict, normalised for the access's width
 *   pipe_pct                        excess of pipe_cycles: see the cost
 *   global_sectors, global_ideal, global_excess, local_sectors   of global and local memory, in the
 *       same way
 *   samples, not_issued             stall samples; those in which the scheduler issued nothing
 *   sample_pct, not_issued_pct, executed_pct   of the kernel's
 *   reason, reason_pct              the reason with most samples other than `selected` (then the
 *                                   warp issued: it did not wait), and its share of the samples
 *
 * What a conflict costs. The data stage of an SM's shared memory takes one wavefront a cycle:
 * pipe_cycles = SMs * elapsed cycles is what it could have taken in the clean time of the point
 * (time_kernels_ns * sm_clock_mhz / 1000 cycles, never under a profiler), so pipe_pct is how much
 * of it the excess took. Beside it stands what warps waited for on the lines with excess:
 * waiting_pct, the share of the kernel's samples in `short_scoreboard`, `mio_throttle` and
 * `lg_throttle` (the result of shared memory, its queue, and the queue of the memory pipe that it
 * shares), and sample_pct for all reasons. A warp that waits for a result is sampled where it needs
 * it, which may be another line. `cost` is a sentence with these numbers; where pipe_pct and
 * waiting_pct are below COST_PIPE_PCT and COST_WAITING_PCT it says that the conflict has no cost
 * that shows. The clean time is that of all launches of a point together.
 *
 * kernel_sums has conflict_lines, conflict_sample_pct and waiting_pct, of the lines with excess;
 * pipe_used_pct, all wavefronts of pipe_cycles; and three views of conflicts that must agree:
 * hw_conflicts, the hardware counter of loads and stores, with lost arbitration in it;
 * access_excess, the excess by instruction without that of copies past the registers (LDGSTS,
 * copy_excess), of which the other two know nothing; and closed_form. All are of the kernel's
 * launch; hw_conflicts and arbitration come from kernel_counters. `views` is a sentence on whether
 * they agree, views_agree 1 or 0: the closed form is within VIEWS_FORM_PCT of the excess, the
 * hardware counter not below it by more than that, and not above it by more than the hardware
 * counted as lost to arbitration, or where a chip does not count that by more than
 * VIEWS_ARBITRATION_PCT, in per cent of the wavefronts.
 */
#ifndef WHYFAST_LINES_TABLES_H
#define WHYFAST_LINES_TABLES_H

#include "query/query.h"

/* Below these, in per cent, a conflict has no cost that shows: what clean times can tell apart
 * is about that. */
#define COST_PIPE_PCT 1.0
#define COST_WAITING_PCT 1.0

/* How far the views of conflicts may be apart: rounding, and what arbitration takes where
 * addresses do not collide (up to 10.0 % was measured on an H200, of kernels that hardly use
 * shared memory). */
#define VIEWS_FORM_PCT 0.1
#define VIEWS_ARBITRATION_PCT 15.0

/* Loads the tables, unless they are loaded, and makes the tables and views above. launches is
 * loaded, too, and metrics and kernel_counters where the run has them: without them there are no
 * clean times and no hardware counter. FAIL_INPUT, with the instruction, for a cell that is
 * malformed or names a source or a kernel that is not there. */
int lines_tables_load(struct query *query);

/* Counts of an instruction that contradict each other are emptied when they are loaded, and are
 * in impossible_lines(kernel, holds, because, instructions). Says so, in one line for each thing
 * that must hold, and counts those. */
int lines_tables_impossible(struct query *query, int *count);

/* For lines_tables_load: the views; and the functions of SQL that make their sentences (an SQLite
 * status). */
int lines_tables_make_views(struct query *query);
int lines_tables_add_functions(struct query *query);

#endif
