/*
 * Samples the program counter with CUPTI (collect/collector.h): the reasons why warps
 * wait, by instruction.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti.h"
#include "cupti/stall_reasons.h"
#include "gpu/device.h"

enum { PCS = 16384 /* most instructions that one call of CUPTI returns */ };

struct pc_sampler {
    struct cupti *cupti;
    int enabled;
    unsigned exponent; /* of the period; 0: not set yet */
    struct stall_reasons reasons;
    struct pc_buffer kept, asked; /* filled by CUPTI as it samples, and on request */
    struct sample_totals totals;
    const char *symbol; /* of the kernel that is sampled; the caller's */
    size_t rows;        /* its instructions, sampled or not */
    uint64_t *samples;  /* by instruction and reason */
};

/* ---- configuration --------------------------------------------------------------------------- */

/* Kernels run as usual, and sampling lasts from start to stop. */
static int configure(struct pc_sampler *sampler, char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfo attribute[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode =
             CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL,
         .attributeData.enableStartStopControlData.enableStartStopControl = 1},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &sampler->kept.data}};
    return pc_sampling_set(sampler->cupti, sampler->cupti->context, attribute, 3, reason);
}

int pc_sampler_period(struct pc_sampler *sampler, unsigned exponent, char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfo attribute = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
        .attributeData.samplingPeriodData.samplingPeriod = exponent};
    if (exponent == sampler->exponent) return 0; /* a change costs a third of a second */
    sampler->exponent = exponent;
    return pc_sampling_set(sampler->cupti, sampler->cupti->context, &attribute, 1, reason);
}

int pc_sampler_open(struct pc_sampler **opened, struct cupti *cupti, char reason[REASON_BYTES])
{
    struct pc_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return error_memory();
    sampler->cupti = cupti;
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize,
                                           .ctx = cupti->context};
    int result = CUPTI_CALL(cupti, cuptiPCSamplingEnable(&enable), reason);
    sampler->enabled = !result;
    if (!result) result = stall_reasons_read(&sampler->reasons, cupti, cupti->context, reason);
    if (!result) result = pc_buffer_open(&sampler->kept, PCS, &sampler->reasons, reason);
    if (!result) result = pc_buffer_open(&sampler->asked, PCS, &sampler->reasons, reason);
    if (!result) result = configure(sampler, reason);
    if (result)
        pc_sampler_close(sampler);
    else
        *opened = sampler;
    return result;
}

void pc_sampler_close(struct pc_sampler *sampler)
{
    if (!sampler) return;
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = sampler->cupti->context};
    if (sampler->enabled) sampler->cupti->cuptiPCSamplingDisable(&disable);
    free(sampler->samples);
    stall_reasons_free(&sampler->reasons);
    pc_buffer_free(&sampler->kept);
    pc_buffer_free(&sampler->asked);
    free(sampler);
}

/* ---- samples --------------------------------------------------------------------------------- */

void pc_sampler_clear(struct pc_sampler *sampler, const char *symbol)
{
    free(sampler->samples);
    sampler->samples = NULL;
    sampler->rows = 0;
    sampler->symbol = symbol;
    memset(&sampler->totals, 0, sizeof sampler->totals);
}

/* Makes room for an instruction. */
static int grow(struct pc_sampler *sampler, size_t row)
{
    const size_t rows = 2 * row + 256, width = sampler->reasons.count;
    if (row < sampler->rows) return 0;
    uint64_t *samples = realloc(sampler->samples, rows * width * sizeof *samples);
    if (!samples) return error_memory();
    memset(samples + sampler->rows * width, 0, (rows - sampler->rows) * width * sizeof *samples);
    sampler->samples = samples;
    sampler->rows = rows;
    return 0;
}

static int add_instruction(struct pc_sampler *sampler, const CUpti_PCSamplingPCData *at)
{
    const size_t row = at->pcOffset / SASS_BYTES;
    const int is_own = !strcmp(at->functionName, sampler->symbol),
              result = is_own ? grow(sampler, row) : 0;
    for (size_t i = 0; i < at->stallReasonCount && !result; i++) {
        const CUpti_PCSamplingStallReason *stall = &at->stallReason[i];
        const size_t place =
            stall_reason_place(&sampler->reasons, stall->pcSamplingStallReasonIndex);
        if (place == sampler->reasons.count) continue;
        if (is_own)
            sampler->samples[row * sampler->reasons.count + place] += stall->samples;
        else if (sampler->reasons.not_issued[place] >= 0)
            sampler->totals.elsewhere += stall->samples;
    }
    return result;
}

/* Takes samples from CUPTI until it has no more. */
static int drain(struct pc_sampler *sampler, char reason[REASON_BYTES])
{
    CUpti_PCSamplingData *data = &sampler->asked.data;
    CUpti_PCSamplingGetDataParams get = {.size = CUpti_PCSamplingGetDataParamsSize,
                                         .ctx = sampler->cupti->context,
                                         .pcSamplingData = data};
    do {
        if (!CUPTI_OK(sampler->cupti, cuptiPCSamplingGetData(&get), reason)) return FAIL_GPU;
        if (data->hardwareBufferFull) {
            snprintf(reason, REASON_BYTES,
                     "the hardware's buffer for samples was full: the period is too short for the "
                     "kernel");
            return FAIL_GPU;
        }
        sampler->totals.total += data->totalSamples;
        sampler->totals.dropped += data->droppedSamples;
        sampler->totals.elsewhere += data->nonUsrKernelsTotalSamples;
        for (size_t i = 0; i < data->totalNumPcs; i++) {
            const int result = add_instruction(sampler, &data->pPcData[i]);
            if (result) return result;
        }
    } while (data->remainingNumPcs > 0);
    return 0;
}

int pc_sampler_add(struct pc_sampler *sampler, int (*launch)(void *context), void *context,
                   char reason[REASON_BYTES])
{
    struct cupti *cupti = sampler->cupti;
    CUpti_PCSamplingStartParams start = {.size = CUpti_PCSamplingStartParamsSize,
                                         .ctx = cupti->context};
    CUpti_PCSamplingStopParams stop = {.size = CUpti_PCSamplingStopParamsSize,
                                       .ctx = cupti->context};
    if (!CUPTI_OK(cupti, cuptiPCSamplingStart(&start), reason)) return FAIL_GPU;
    int result = launch(context);
    if (!result && !CUDA_OK(cudaDeviceSynchronize())) result = FAIL_GPU;
    if (!CUPTI_OK(cupti, cuptiPCSamplingStop(&stop), reason) && !result) result = FAIL_GPU;
    return result ? result : drain(sampler, reason);
}

int pc_sampler_each(const struct pc_sampler *sampler, pc_samples_visitor *visit, void *context)
{
    const struct stall_reasons *reasons = &sampler->reasons;
    int result = 0;
    for (size_t row = 0; row < sampler->rows && !result; row++) {
        const uint64_t *of_row = sampler->samples + row * reasons->count;
        for (size_t place = 0; place < reasons->count && !result; place++) {
            const int beside = reasons->not_issued[place];
            if (!of_row[place] || beside < 0) continue;
            const struct pc_samples samples = {(unsigned)(row * SASS_BYTES),
                                               stall_reason_name(reasons, place), of_row[place],
                                               (size_t)beside == place ? 0 : of_row[beside]};
            result = visit(context, &samples);
        }
    }
    return result;
}

struct sample_totals pc_sampler_totals(const struct pc_sampler *sampler)
{
    return sampler->totals;
}
