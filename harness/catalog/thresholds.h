/*
 * Has the thresholds that help, messages and pages tell in words. The documentation has some of
 * them, too: tests/cli/documentation.sh compares it with this file.
 */
#ifndef WHYFAST_THRESHOLDS_H
#define WHYFAST_THRESHOLDS_H

#include "catalog/busy_limit.h"

/* A series ends when half of the 95 % interval of its median is at most this part of it, in %. */
#define CONVERGED_PCT 0.5

/* Longer kernels are recorded once in a timeline, and a quick report knocks none of their costs
 * out: sixteen launches of the original and of each copy would take seconds. */
#define TIMELINE_LONG_MS 20
#define KNOCKOUT_LONG_MS 20

/* A point whose counters take longer gets no further repeat. */
#define REPEATED_S 10

/* The kernels of a program that are kept make up this part of the GPU's time, in %. A kernel with
 * less than the second part of it has no start of its own. Starts that only count instructions are
 * made if a start takes less than these seconds. */
#define PROGRAM_KEPT_PCT 90
#define PROGRAM_MINOR_PCT 2
#define PROGRAM_LONG_S 20

/* The least share of a kernel's samples, of its excess wavefronts and sectors, of its sectors of
 * local memory, or of a metric that was requested, for which a line is shown. */
#define SHOWN_LINE_PCT 1

/* An answer of 'mcp' without 'detail'. */
#define MCP_ANSWER_KB 2

/* The same as text. */
#define CONVERGED_TEXT VALUE_TEXT(CONVERGED_PCT)
#define KNOCKOUT_LONG_TEXT VALUE_TEXT(KNOCKOUT_LONG_MS)
#define REPEATED_TEXT VALUE_TEXT(REPEATED_S)
#define PROGRAM_KEPT_TEXT VALUE_TEXT(PROGRAM_KEPT_PCT)
#define PROGRAM_MINOR_TEXT VALUE_TEXT(PROGRAM_MINOR_PCT)
#define PROGRAM_LONG_TEXT VALUE_TEXT(PROGRAM_LONG_S)
#define MCP_ANSWER_TEXT VALUE_TEXT(MCP_ANSWER_KB)
#define SHOWN_LINE_TEXT VALUE_TEXT(SHOWN_LINE_PCT)

#endif
