/*
 * Names launches for `whyfast run`: their variant, problem size and useful bytes. Optional; without
 * whyfast it costs a call of NVTX that does nothing. For C and C++, with NVTX 3 of the CUDA toolkit
 * (or Python: nvtx.push_range("whyfast|tiled|1024x1024|8388608"), nvtx.pop_range()).
 *
 *     whyfast_begin("tiled", "1024x1024", 2.0 * 1024 * 1024 * sizeof(float));
 *     transpose_tiled<<<grid, block>>>(to, from);
 *     whyfast_end();
 *
 * Each launch of this thread in between belongs to the variant; several launches are told apart by
 * their kernels. Names and sizes consist of letters, digits, '_', '.' and '-'. Useful bytes are the
 * least traffic of the problem, of one launch; 0: unknown.
 */
#ifndef WHYFAST_H
#define WHYFAST_H

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

static inline void whyfast_begin(const char *variant, const char *size, double useful_bytes)
{
    char mark[128]; /* as many bytes as whyfast keeps of a range */
    snprintf(mark, sizeof mark, "whyfast|%s|%s|%.0f", variant, size, useful_bytes);
    nvtxRangePushA(mark);
}

static inline void whyfast_end(void)
{
    nvtxRangePop();
}

#endif
