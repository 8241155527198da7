/*
 * Knows the NVTX ranges that are open in each thread. NVTX hands over its function tables when the
 * program first uses it (InitializeInjectionNvtx2, in nvtx_ranges.c). Any thread may call the
 * functions.
 */
#ifndef WHYFAST_INJECT_NVTX_RANGES_H
#define WHYFAST_INJECT_NVTX_RANGES_H

enum { RANGE_BYTES = 512 };

/* Writes the ranges that are open in this thread, the outermost first, joined by '/'. Digits become
 * '#', one for each number, so that "step 1" and "step 2" are one range. A range that begins with
 * "whyfast|" (whyfast.h) stands alone and unchanged. */
void nvtx_ranges_here(char text[RANGE_BYTES]);

#endif
