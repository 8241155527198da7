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
#include "gpu/device.h"

enum { PCS = 16384 /* most instructions that one call of CUPTI returns */ };

static const char reason_prefix[] = "smsp__pcsamp_warps_issue_stalled_",
                  not_issued_suffix[] = "_not_issued";

/* A buffer as CUPTI fills it: PCS instructions with all reasons each. */
struct pc_buffer {
    CUpti_PCSamplingData data;
    CUpti_PCSamplingPCData *pc;
    CUpti_PCSamplingStallReason *stall;
};

struct pc_sampler {
    struct cupti *cupti;
    int enabled;
    unsigned exponent; /* of the period; 0: not set yet */
    size_t reason_count;
    uint32_t *reason_index;
    char **reason_name;
    struct pc_buffer kept, asked; /* filled by CUPTI as it samples, and on request */
    struct sample_totals totals;
    const char *symbol; /* of the kernel that is sampled; the caller's */
    size_t rows;        /* its instructions, sampled or not */
    uint64_t *samples;  /* by instruction and reason */
};

/* ---- buffers and reasons --------------------------------------------------------------------- */

static int buffer_open(struct pc_buffer *buffer, size_t reasons)
{
    buffer->pc = calloc(PCS, sizeof *buffer->pc);
    buffer->stall = calloc(PCS * reasons, sizeof *buffer->stall);
    if (!buffer->pc || !buffer->stall) return error_memory();
    for (size_t i = 0; i < PCS; i++) {
        buffer->pc[i].size = sizeof buffer->pc[i];
        buffer->pc[i].stallReason = buffer->stall + i * reasons;
    }
    buffer->data.size = sizeof buffer->data;
    buffer->data.collectNumPcs = PCS;
    buffer->data.pPcData = buffer->pc;
    return 0;
}

static int read_reasons(struct pc_sampler *sampler, char reason[REASON_BYTES])
{
    struct cupti *cupti = sampler->cupti;
    CUpti_PCSamplingGetNumStallReasonsParams ask = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize, .ctx = cupti->context};
    CUpti_PCSamplingGetStallReasonsParams get = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                 .ctx = cupti->context};
    size_t count = 0;
    ask.numStallReasons = &count;
    if (!CUPTI_OK(cupti, cuptiPCSamplingGetNumStallReasons(&ask), reason)) return FAIL_GPU;
    sampler->reason_index = calloc(count + 1, sizeof *sampler->reason_index);
    sampler->reason_name = calloc(count + 1, sizeof *sampler->reason_name);
    if (!sampler->reason_index || !sampler->reason_name) return error_memory();
    sampler->reason_count = count;
    for (size_t i = 0; i < count; i++) {
        sampler->reason_name[i] = calloc(1, CUPTI_STALL_REASON_STRING_SIZE);
        if (!sampler->reason_name[i]) return error_memory();
    }
    get.numStallReasons = count;
    get.stallReasonIndex = sampler->reason_index;
    get.stallReasons = sampler->reason_name;
    return CUPTI_CALL(cupti, cuptiPCSamplingGetStallReasons(&get), reason);
}

/* ---- configuration --------------------------------------------------------------------------- */

static int set_attributes(struct pc_sampler *sampler, CUpti_PCSamplingConfigurationInfo *attribute,
                          size_t count, char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfoParams params = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = sampler->cupti->context,
        .numAttributes = count,
        .pPCSamplingConfigurationInfo = attribute};
    return CUPTI_CALL(sampler->cupti, cuptiPCSamplingSetConfigurationAttribute(&params), reason);
}

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
    return set_attributes(sampler, attribute, 3, reason);
}

int pc_sampler_period(struct pc_sampler *sampler, unsigned exponent, char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfo attribute = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
        .attributeData.samplingPeriodData.samplingPeriod = exponent};
    if (exponent == sampler->exponent) return 0; /* a change costs a third of a second */
    sampler->exponent = exponent;
    return set_attributes(sampler, &attribute, 1, reason);
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
    if (!result) result = read_reasons(sampler, reason);
    if (!result) result = buffer_open(&sampler->kept, sampler->reason_count);
    if (!result) result = buffer_open(&sampler->asked, sampler->reason_count);
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
    for (size_t i = 0; i < sampler->reason_count; i++) free(sampler->reason_name[i]);
    free(sampler->reason_index);
    free(sampler->reason_name);
    free(sampler->kept.pc);
    free(sampler->kept.stall);
    free(sampler->asked.pc);
    free(sampler->asked.stall);
    free(sampler);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Returns 1 if `reason` is "<name>", with *not_issued the index of "<name>_not_issued"; else 0. */
static int is_reason(const struct pc_sampler *sampler, size_t reason, size_t *not_issued)
{
    const char *name = sampler->reason_name[reason];
    const size_t length = strlen(name), suffix = strlen(not_issued_suffix);
    if (strncmp(name, reason_prefix, strlen(reason_prefix))) return 0;
    if (length > suffix && !strcmp(name + length - suffix, not_issued_suffix)) return 0;
    *not_issued = reason;
    for (size_t i = 0; i < sampler->reason_count; i++) {
        const char *other = sampler->reason_name[i];
        if (!strncmp(other, name, length) && !strcmp(other + length, not_issued_suffix))
            *not_issued = i;
    }
    return 1;
}

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
    const size_t rows = 2 * row + 256, width = sampler->reason_count;
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
    for (size_t i = 0; i < at->stallReasonCount && !result; i++)
        for (size_t reason = 0, beside; reason < sampler->reason_count; reason++) {
            const CUpti_PCSamplingStallReason *stall = &at->stallReason[i];
            if (sampler->reason_index[reason] != stall->pcSamplingStallReasonIndex) continue;
            if (is_own)
                sampler->samples[row * sampler->reason_count + reason] += stall->samples;
            else if (is_reason(sampler, reason, &beside))
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
    int result = 0;
    for (size_t row = 0; row < sampler->rows && !result; row++) {
        const uint64_t *of_row = sampler->samples + row * sampler->reason_count;
        for (size_t reason = 0; reason < sampler->reason_count && !result; reason++) {
            size_t beside;
            if (!of_row[reason] || !is_reason(sampler, reason, &beside)) continue;
            const struct pc_samples samples = {
                (unsigned)(row * SASS_BYTES), sampler->reason_name[reason] + strlen(reason_prefix),
                of_row[reason], beside == reason ? 0 : of_row[beside]};
            result = visit(context, &samples);
        }
    }
    return result;
}

struct sample_totals pc_sampler_totals(const struct pc_sampler *sampler)
{
    return sampler->totals;
}
