/*
 * Samples with CUPTI's PC sampling why warps wait, by instruction. A struct pc_samples gathers what
 * the sampling of some contexts finds; the caller frees it after the last pc_sampling_close.
 *
 * Found by experiment with CUPTI 13.0: CUPTI puts samples into the buffer of the configuration when
 * a module is loaded and when sampling is disabled, and into the buffer of the caller on request;
 * both must be read.
 */
#ifndef WHYFAST_PC_SAMPLES_H
#define WHYFAST_PC_SAMPLES_H

#include "cupti/functions.h"
#include "catalog/instruction_counts.h"

struct pc_samples {
    const char *only; /* the function whose samples are kept, the caller's; NULL: all */
    struct sample_totals totals;
    int was_full;      /* 1: the hardware's buffer for samples was full */
    int is_incomplete; /* 1: memory was short for some samples */
    void *instruction; /* those that were sampled: a tree (tsearch) */
    size_t reasons;    /* why a warp waits, in CUPTI's order; the same in all contexts */
    uint32_t *index;   /* of CUPTI */
    char (*name)[CUPTI_STALL_REASON_STRING_SIZE];
    int *not_issued; /* of samples in cycles without an issue: the place of the reason that counts
                      * them alone, its own place if there is none; -1: the reason is such a one */
};

/* Forgets the samples, and keeps those of `only` from now on. */
void pc_samples_clear(struct pc_samples *samples, const char *only);
void pc_samples_free(struct pc_samples *samples);

/* Visits the samples by function and pc. */
void pc_samples_each(const struct pc_samples *samples, stall_visitor *visit, void *context);

/* A buffer as CUPTI fills it, with all reasons of each instruction. */
struct pc_buffer {
    CUpti_PCSamplingData data;
    CUpti_PCSamplingPCData *pc;
    CUpti_PCSamplingStallReason *stall;
};

struct pc_sampling {
    const struct cupti *cupti;
    CUcontext context;
    struct pc_samples *samples;
    int is_enabled;
    struct pc_buffer kept, asked; /* filled by CUPTI as it samples, and on request */
};

/* Enables the sampling of a context while kernels run as usual, with up to two more attributes.
 * Returns 0, or FAIL_GPU with the reason; pc_sampling_close follows in any case. */
int pc_sampling_open(struct pc_sampling *sampling, const struct cupti *cupti, CUcontext context,
                     struct pc_samples *samples, const CUpti_PCSamplingConfigurationInfo *more,
                     size_t count, char reason[REASON_BYTES]);

int pc_sampling_set(const struct pc_sampling *sampling,
                    CUpti_PCSamplingConfigurationInfo *attribute, size_t count,
                    char reason[REASON_BYTES]);

/* Adds the samples that CUPTI has put into its buffer, and all that it has beside. Returns 0, or
 * FAIL_GPU with the reason. */
int pc_sampling_drain(struct pc_sampling *sampling, char reason[REASON_BYTES]);

/* Disables sampling, and adds the samples that CUPTI has left. Returns 0, or FAIL_GPU with the
 * reason. */
int pc_sampling_close(struct pc_sampling *sampling, char reason[REASON_BYTES]);

#endif
