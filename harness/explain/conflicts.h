/*
 * Makes the tables conflicts and conflict_lines: what bank conflicts cost each point, and the
 * source lines that have them. Nothing is owned.
 *
 * Columns of conflicts, a row for each point in its best setting that ran on the GPU:
 *   is_primary         1 at the size at which the family is shown first
 *   cost_ns, share_pct the time that the kernel would save without them, as measured or
 *                      estimated (estimates.sql); cost_low_ns and cost_high_ns: its range
 *                      (metrics/method.md); bound: which of both; has_copies: 1 if copies from
 *                      several cache lines are in it, too; cost_text says all that in words
 *   excess             wavefronts beyond the ideal, and its parts: loads, stores, matrix (ldmatrix,
 *                      stmatrix), copies (asynchronous), atomics
 *   same_word          wavefronts of lanes that update one word, which are no conflicts
 *   copied_lines       wavefronts of copies from several cache lines, which are none either
 *   is_exact           0 if the excess is estimated from sums over the launches (the metric
 *                      shared_excess_exact): an upper bound if accesses of several widths mix
 *   ways               wavefronts per ideal wavefront, over all accesses
 *   path, line, ...    the source line with most of them; called_path and called_line: where
 *                      another file calls it, if it is inlined there; text: of the call, else of
 *                      the line; line_ways over its conflicts alone; line_words: in words
 *   status             'ok', or why they cannot be counted
 *   line_status        'ok', or why no line is known; empty without conflicts
 * Columns of conflict_lines, a row for each line, call, kind and width, most excess first:
 *   accesses           the numbers of the described accesses (accesses.csv) that conflict there
 */
#ifndef WHYFAST_CONFLICTS_H
#define WHYFAST_CONFLICTS_H

#include "query/query.h"

/* Needs metrics, points, variants, families, impossible, sources, source_files, accesses, and what
 * cycle_ledger.h, causes.h and estimates.sql make. */
int conflicts_make(struct query *query);

#endif
