/*
 * Knows the NVTX ranges that are open in each thread. NVTX hands over its function tables when the
 * program first uses it (InitializeInjectionNvtx2, in nvtx_ranges.c). Any thread may call the
 * functions.
 */
#ifndef WHYFAST_INJECT_NVTX_RANGES_H
#define WHYFAST_INJECT_NVTX_RANGES_H

#include "injected/watch_plan.h"

enum { RANGE_BYTES = 512 };

/* Writes what tells launches of this thread apart: nothing; the open ranges, the outermost first,
 * joined by '/'; or the innermost range up to its first comma, which is the operator in a program
 * with PyTorch's emit_nvtx ("aten::add, seq = 12"). Digits become '#', one for each number, so that
 * "step 1" and "step 2" are one range. A range that begins with "whyfast|" (whyfast.h) stands alone
 * and unchanged in any case. */
void nvtx_ranges_here(enum watch_by by, char text[RANGE_BYTES]);

#endif
