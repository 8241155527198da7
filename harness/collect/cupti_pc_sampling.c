/*
 * Samples the program counter with CUPTI (collect/cupti_instructions.h): the reasons why warps
 * wait, by instruction.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti.h"
#include "collect/cupti_instructions.h"
#include "gpu/device.h"

enum {
    PCS = 16384, /* most instructions that one call of CUPTI returns */
    INSTRUCTION_BYTES = 16
};

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
    struct sampled_kernel {
        char *symbol;
        size_t rows;       /* instructions, sampled or not */
        uint64_t *samples; /* by instruction and reason */
    } * kernel;
    int kernel_count;
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
    return CUPTI_OK(cupti, cuptiPCSamplingGetStallReasons(&get), reason) ? 0 : FAIL_GPU;
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
    return CUPTI_OK(sampler->cupti, cuptiPCSamplingSetConfigurationAttribute(&params), reason)
               ? 0
               : FAIL_GPU;
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
    int result = CUPTI_OK(cupti, cuptiPCSamplingEnable(&enable), reason) ? 0 : FAIL_GPU;
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
    pc_sampler_clear(sampler);
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

void pc_sampler_clear(struct pc_sampler *sampler)
{
    for (int i = 0; i < sampler->kernel_count; i++) {
        free(sampler->kernel[i].symbol);
        free(sampler->kernel[i].samples);
    }
    free(sampler->kernel);
    sampler->kernel = NULL;
    sampler->kernel_count = 0;
    memset(&sampler->totals, 0, sizeof sampler->totals);
}

/* The kernel of this name, with room for its instruction `row`; NULL, with a message, if memory is
 * short. */
static struct sampled_kernel *kernel_of(struct pc_sampler *sampler, const char *symbol, size_t row)
{
    int at = 0;
    while (at < sampler->kernel_count && strcmp(sampler->kernel[at].symbol, symbol)) at++;
    if (at == sampler->kernel_count) {
        struct sampled_kernel *kernels =
            realloc(sampler->kernel, (size_t)(at + 1) * sizeof *kernels);
        if (kernels) sampler->kernel = kernels;
        char *copy = kernels ? strdup(symbol) : NULL;
        if (!copy) return error_memory(), NULL;
        kernels[at] = (struct sampled_kernel){copy, 0, NULL};
        sampler->kernel_count++;
    }
    struct sampled_kernel *kernel = &sampler->kernel[at];
    if (row < kernel->rows) return kernel;
    const size_t rows = 2 * row + 256;
    uint64_t *samples = realloc(kernel->samples, rows * sampler->reason_count * sizeof *samples);
    if (!samples) return error_memory(), NULL;
    memset(samples + kernel->rows * sampler->reason_count, 0,
           (rows - kernel->rows) * sampler->reason_count * sizeof *samples);
    kernel->samples = samples;
    kernel->rows = rows;
    return kernel;
}

static int add_instruction(struct pc_sampler *sampler, const CUpti_PCSamplingPCData *at)
{
    const size_t row = at->pcOffset / INSTRUCTION_BYTES;
    struct sampled_kernel *kernel = kernel_of(sampler, at->functionName, row);
    if (!kernel) return FAIL_OUTPUT;
    for (size_t i = 0; i < at->stallReasonCount; i++)
        for (size_t reason = 0; reason < sampler->reason_count; reason++)
            if (sampler->reason_index[reason] == at->stallReason[i].pcSamplingStallReasonIndex)
                kernel->samples[row * sampler->reason_count + reason] += at->stallReason[i].samples;
    return 0;
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

int pc_sampler_add(struct pc_sampler *sampler, const struct launcher *launcher,
                   char reason[REASON_BYTES])
{
    struct cupti *cupti = sampler->cupti;
    CUpti_PCSamplingStartParams start = {.size = CUpti_PCSamplingStartParamsSize,
                                         .ctx = cupti->context};
    CUpti_PCSamplingStopParams stop = {.size = CUpti_PCSamplingStopParamsSize,
                                       .ctx = cupti->context};
    if (!CUPTI_OK(cupti, cuptiPCSamplingStart(&start), reason)) return FAIL_GPU;
    int result = launcher->launch(launcher->context);
    if (!result && !CUDA_OK(cudaDeviceSynchronize())) result = FAIL_GPU;
    if (!CUPTI_OK(cupti, cuptiPCSamplingStop(&stop), reason) && !result) result = FAIL_GPU;
    return result ? result : drain(sampler, reason);
}

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

int pc_sampler_each(const struct pc_sampler *sampler, pc_samples_visitor *visit, void *context)
{
    int result = 0;
    for (int k = 0; k < sampler->kernel_count && !result; k++) {
        const struct sampled_kernel *kernel = &sampler->kernel[k];
        for (size_t row = 0; row < kernel->rows && !result; row++) {
            const uint64_t *of_row = kernel->samples + row * sampler->reason_count;
            for (size_t reason = 0; reason < sampler->reason_count && !result; reason++) {
                size_t beside;
                if (!of_row[reason] || !is_reason(sampler, reason, &beside)) continue;
                result = visit(context,
                               &(struct pc_samples){
                                   .symbol = kernel->symbol,
                                   .pc = (unsigned)(row * INSTRUCTION_BYTES),
                                   .reason = sampler->reason_name[reason] + strlen(reason_prefix),
                                   .samples = of_row[reason],
                                   .not_issued = beside == reason ? 0 : of_row[beside]});
            }
        }
    }
    return result;
}

struct sample_totals pc_sampler_totals(const struct pc_sampler *sampler)
{
    return sampler->totals;
}
