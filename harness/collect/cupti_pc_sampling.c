/*
 * Samples the program counter with CUPTI (collect/collector.h): the reasons why warps
 * wait, by instruction.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "collect/cupti.h"
#include "cupti/pc_samples.h"
#include "gpu/device.h"

struct pc_sampler {
    struct pc_sampling sampling;
    struct pc_samples samples;
    unsigned exponent; /* of the period; 0: not set yet */
};

int pc_sampler_period(struct pc_sampler *sampler, unsigned exponent, char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfo attribute = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
        .attributeData.samplingPeriodData.samplingPeriod = exponent};
    if (exponent == sampler->exponent) return 0; /* a change costs a third of a second */
    sampler->exponent = exponent;
    return pc_sampling_set(&sampler->sampling, &attribute, 1, reason);
}

/* Sampling lasts from start to stop. */
int pc_sampler_open(struct pc_sampler **opened, struct cupti *cupti, char reason[REASON_BYTES])
{
    const CUpti_PCSamplingConfigurationInfo control = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL,
        .attributeData.enableStartStopControlData.enableStartStopControl = 1};
    struct pc_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return error_memory();
    const int result = pc_sampling_open(&sampler->sampling, cupti, cupti->context,
                                        &sampler->samples, &control, 1, reason);
    if (result)
        pc_sampler_close(sampler);
    else
        *opened = sampler;
    return result;
}

void pc_sampler_close(struct pc_sampler *sampler)
{
    char reason[REASON_BYTES];
    if (!sampler) return;
    pc_sampling_close(&sampler->sampling, reason);
    pc_samples_free(&sampler->samples);
    free(sampler);
}

struct pc_samples *pc_sampler_samples(struct pc_sampler *sampler)
{
    return &sampler->samples;
}

int pc_sampler_add(struct pc_sampler *sampler, int (*launch)(void *context), void *context,
                   char reason[REASON_BYTES])
{
    const struct cupti *cupti = sampler->sampling.cupti;
    CUpti_PCSamplingStartParams start = {.size = CUpti_PCSamplingStartParamsSize,
                                         .ctx = cupti->context};
    CUpti_PCSamplingStopParams stop = {.size = CUpti_PCSamplingStopParamsSize,
                                       .ctx = cupti->context};
    if (!CUPTI_OK(cupti, cuptiPCSamplingStart(&start), reason)) return FAIL_GPU;
    int result = launch(context);
    if (!result && !CUDA_OK(cudaDeviceSynchronize())) result = FAIL_GPU;
    if (!CUPTI_OK(cupti, cuptiPCSamplingStop(&stop), reason) && !result) result = FAIL_GPU;
    if (!result) result = pc_sampling_drain(&sampler->sampling, reason);
    if (result || !sampler->samples.was_full) return result;
    snprintf(reason, REASON_BYTES,
             "the hardware's buffer for samples was full: the period is too short for the kernel");
    return FAIL_GPU;
}
