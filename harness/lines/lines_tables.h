/*
 * Makes the tables about single lines and instructions in SQLite: sums by line of the project's
 * source, what bank conflicts cost, and whether the three counts of conflicts agree. Nothing is
 * owned; everything is in the query's database.
 *
 *   table or view    a row per             key columns
 *   instructions     instruction           kernel, pc, sass, source, line, depth, own_source,
 *                                          own_line, inlined_at
 *   line_sums        line of a kernel      kernel, source, path, line, cost; source, path and line
 *                                          are NULL for instructions without a line
 *   kernel_sums      kernel                the columns of kernels.csv, and the columns below
 *   stalls           reason of an          kernel, pc, source, line, reason, samples, not_issued
 *                    instruction
 *   source_state     source file           source, path, state by name
 * (machine_code/source_file.h), message: why it has no text, or NULL source_text      line of a
 * source      source, line, text; only of sources that are the same as when they were measured
 *   impossible_lines check of a kernel     kernel, holds, because, instructions: the number of
 *                                          instructions whose contradictory counts were emptied,
 *                                          first, first_pc: the first one
 *
 * An instruction is charged to one location (source, line): the innermost of its inlining chain
 * that is in the project (machine_code/source_file.h), so that the work of a toolkit header appears
 * at the line of the project that called it; if there is none, the innermost one. `depth` is the
 * number of locations of the chain that are further in.
 *
 * Columns of instructions, line_sums and kernel_sums; NULL is "not known" or "does not apply":
 *   instructions                    in the machine code
 *   executed, threads, threads_on   warp instructions, their active lanes, lanes not predicated off
 *   lanes                           threads_on / executed: of 32
 *   branches_uniform, branches_divergent, branches   branch targets, and the sum of both
 *   shared_wavefronts, shared_ideal cycles of the data stage of shared memory, and those that
 *                                   accesses of this width need without conflicts
 *   excess                          wavefronts beyond the ideal, summed over instructions that need
 *                                   more than the ideal; an instruction can need less, if lanes of
 *                                   a wide read share words, but that does not reduce the sum
 *   other_excess                    the part of the excess of instructions other than loads,
 *                                   ldmatrix among them, and stores; NULL without machine code
 *   atomic_excess, async_excess     the parts of it of atomics and of asynchronous copies
 *   ways                            shared_wavefronts / (shared_wavefronts - excess): n of an n-way
 *                                   conflict, normalised for the width of the access
 *   pipe_pct                        excess in % of pipe_cycles
 *   global_sectors, global_ideal, global_excess, local_sectors   the same for global and local
 *                                   memory
 *   samples, not_issued             stall samples; those in which the scheduler issued nothing
 *   sample_pct, not_issued_pct, executed_pct   in % of the kernel
 *   reason, reason_pct              the reason with the most samples except `selected` (the warp
 *                                   issued), and its share of the samples
 * Columns of line_sums and kernel_sums:
 *   waiting_pct                     on lines with excess, the share of the kernel's samples that
 *                                   wait for shared memory, its queue or the queue of the memory
 *                                   pipe that it shares: short_scoreboard, mio_throttle,
 *                                   lg_throttle
 *   cost                            a sentence with these numbers
 * Columns of kernel_sums:
 *   pipe_cycles                     SMs * cycles of the clean time of all launches of the point:
 *                                   the data stage takes one wavefront a cycle in each SM
 *   pipe_used_pct                   shared_wavefronts in % of pipe_cycles
 *   conflict_lines, conflict_sample_pct   lines with excess, and their share of the samples
 *   hw_conflicts, arbitration       hardware counters (kernel_counters.csv); the former includes
 *                                   lost arbitration
 *   closed_form                     the excess of loads, ldmatrix among them, and stores, computed
 *                                   from the accesses that the variant describes
 *   views, views_agree              a sentence on whether hw_conflicts, excess and closed_form
 *                                   agree, and 1 or 0
 *
 * A warp that waits for a result is sampled where it needs the result, which can be a different
 * line from the access. The three counts agree if two conditions hold, in % of the wavefronts:
 * closed_form is within VIEWS_FORM_PCT of the excess; hw_conflicts is at most VIEWS_FORM_PCT below
 * the excess, and above it at most by arbitration and the scatter of both counters, or by
 * VIEWS_ARBITRATION_PCT on a chip that does not count arbitration. Asynchronous copies widen both
 * bounds by VIEWS_COPIES_PCT of their excess.
 */
#ifndef WHYFAST_LINES_TABLES_H
#define WHYFAST_LINES_TABLES_H

#include "query/query.h"

/* If pipe_pct and waiting_pct are below these limits, a conflict has no visible cost: clean times
 * cannot resolve smaller differences. */
#define COST_PIPE_PCT 1.0
#define COST_WAITING_PCT 1.0

/* How much the three counts may differ: by rounding, and by arbitration between addresses that do
 * not conflict (up to 10.0 % was measured on an H200, in kernels that hardly use shared memory). */
#define VIEWS_FORM_PCT 0.1
#define VIEWS_ARBITRATION_PCT 15.0
#define VIEWS_COPIES_PCT 60.0 /* of the excess of asynchronous copies */

/* Makes all tables and views above. `kernels` is a statement that selects the numbers of the
 * kernels whose instructions are loaded, or NULL for all. Tables of the run that are already loaded
 * are not loaded again; metrics and kernel_counters may be missing. Returns FAIL_INPUT, with a
 * message that names the instruction, if a cell is malformed or names an unknown source or kernel.
 */
int lines_tables_load(struct query *query, const char *kernels);

/* The first part of lines_tables_load: makes lines, impossible_lines and the split stall samples
 * line_stalls(id, place, reason, samples, not_issued); `id` is the rowid in lines. */
int lines_tables_load_rows(struct query *query, const char *kernels);

/* Calls lines_tables_load_rows, and sums what the cycle ledger needs: opcode_sums(kernel, opcode,
 * executed) and reason_sums(kernel, reason, samples, not_issued). The opcode is NULL if the machine
 * code is unknown. */
int lines_tables_sum_opcodes(struct query *query, const char *kernels);

/* A part of lines_tables_load: loads kernels, and makes clean_points(family, variant, size,
 * block, sweep, best, time_kernels_ns, sm_clock_mhz, launches), empty for a run without metrics. */
int lines_tables_load_kernels(struct query *query);

/* Prints one line for each check of impossible_lines, and counts them. */
int lines_tables_impossible(struct query *query, int *count);

/* Adds the SQL functions conflict_cost, conflict_views and conflict_views_agree; returns an SQLite
 * status. lines_tables_load calls it. */
int conflict_sentences_add(struct query *query);

#endif
