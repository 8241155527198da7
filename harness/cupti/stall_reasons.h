/*
 * Reads why warps wait from CUPTI's PC sampling: the names of the stall reasons, and the buffers
 * into which CUPTI puts samples. What they own is the caller's until it is freed.
 *
 * Found by experiment with CUPTI 13.0: CUPTI puts samples into the buffer of the configuration when
 * a module is loaded and when sampling is disabled, and into the buffer of the caller on request;
 * both must be read.
 */
#ifndef WHYFAST_STALL_REASONS_H
#define WHYFAST_STALL_REASONS_H

#include "cupti/functions.h"

struct stall_reasons {
    size_t count;
    uint32_t *index; /* of CUPTI */
    char **name;     /* of CUPTI */
    int *not_issued; /* of samples in cycles without an issue: the place of the reason that counts
                      * them alone, its own place if there is none; -1: the reason is such a one */
};

/* Reads the reasons of a context, for which sampling is enabled. Returns 0, or FAIL_GPU with the
 * reason; the caller frees them in any case. */
int stall_reasons_read(struct stall_reasons *reasons, const struct cupti *cupti, CUcontext context,
                       char reason[REASON_BYTES]);
void stall_reasons_free(struct stall_reasons *reasons);

/* Returns the place of a reason by CUPTI's index; `count` if it is unknown. */
size_t stall_reason_place(const struct stall_reasons *reasons, uint32_t index);

/* Returns the name without CUPTI's prefix: "long_scoreboard", "selected" (the warp issued), ... */
const char *stall_reason_name(const struct stall_reasons *reasons, size_t place);

/* A buffer as CUPTI fills it: `pcs` instructions with all reasons each. */
struct pc_buffer {
    CUpti_PCSamplingData data;
    CUpti_PCSamplingPCData *pc;
    CUpti_PCSamplingStallReason *stall;
};

/* Returns 0, or FAIL_GPU with the reason if memory is short. */
int pc_buffer_open(struct pc_buffer *buffer, size_t pcs, const struct stall_reasons *reasons,
                   char reason[REASON_BYTES]);
void pc_buffer_free(struct pc_buffer *buffer);

/* Sets attributes of the sampling of a context. Returns 0, or FAIL_GPU with the reason. */
int pc_sampling_set(const struct cupti *cupti, CUcontext context,
                    CUpti_PCSamplingConfigurationInfo *attribute, size_t count,
                    char reason[REASON_BYTES]);

#endif
