#include "cupti/pc_samples.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PCS = 4096 /* most instructions that one call of CUPTI returns */ };

static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_", suffix[] = "_not_issued";

static int out_of_memory(char reason[REASON_BYTES])
{
    snprintf(reason, REASON_BYTES, "memory is short");
    return FAIL_GPU;
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* Returns the place of "<name>_not_issued", or that of the reason itself; -1 if it is such a one,
 * or no reason why a warp waits. */
static int not_issued_of(const struct pc_samples *samples, size_t place)
{
    const char *name = samples->name[place];
    const size_t length = strlen(name), tail = strlen(suffix);
    if (strncmp(name, prefix, strlen(prefix))) return -1;
    if (length > tail && !strcmp(name + length - tail, suffix)) return -1;
    for (size_t i = 0; i < samples->reasons; i++)
        if (!strncmp(samples->name[i], name, length) && !strcmp(samples->name[i] + length, suffix))
            return (int)i;
    return (int)place;
}

static int read_reasons(const struct pc_sampling *sampling, char reason[REASON_BYTES])
{
    struct pc_samples *samples = sampling->samples;
    size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams ask = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
        .ctx = sampling->context,
        .numStallReasons = &count};
    if (samples->reasons) return 0;
    if (!CUPTI_OK(sampling->cupti, cuptiPCSamplingGetNumStallReasons(&ask), reason))
        return FAIL_GPU;
    char **name = calloc(count + 1, sizeof *name);
    free(samples->index);
    free(samples->name);
    free(samples->not_issued);
    samples->index = calloc(count + 1, sizeof *samples->index);
    samples->name = calloc(count + 1, sizeof *samples->name);
    samples->not_issued = calloc(count + 1, sizeof *samples->not_issued);
    if (!name || !samples->index || !samples->name || !samples->not_issued)
        return free(name), out_of_memory(reason);
    for (size_t i = 0; i < count; i++) name[i] = samples->name[i];
    CUpti_PCSamplingGetStallReasonsParams get = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                 .ctx = sampling->context,
                                                 .numStallReasons = count,
                                                 .stallReasonIndex = samples->index,
                                                 .stallReasons = name};
    const int result = CUPTI_CALL(sampling->cupti, cuptiPCSamplingGetStallReasons(&get), reason);
    if (!result) samples->reasons = count;
    for (size_t i = 0; i < samples->reasons; i++)
        samples->not_issued[i] = not_issued_of(samples, i);
    free(name);
    return result;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct instruction {
    char *function;
    uint64_t cubin;
    unsigned pc;
    uint64_t stalls[]; /* by reason */
};

static int by_place(const void *a, const void *b)
{
    const struct instruction *one = a, *other = b;
    const int order = strcmp(one->function, other->function);
    if (order) return order;
    if (one->cubin != other->cubin) return one->cubin > other->cubin ? 1 : -1;
    return (one->pc > other->pc) - (one->pc < other->pc);
}

/* Returns the instruction, which is added if it is new; NULL if memory is short. */
static struct instruction *find(struct pc_samples *samples, const CUpti_PCSamplingPCData *at)
{
    const struct instruction wanted = {at->functionName, at->cubinCrc, (unsigned)at->pcOffset};
    struct instruction **found = tfind(&wanted, &samples->instruction, by_place), *added = NULL;
    if (found) return *found;
    added = calloc(1, sizeof *added + samples->reasons * sizeof *added->stalls);
    if (added) {
        *added = wanted;
        added->function = strdup(at->functionName);
        if (added->function && tsearch(added, &samples->instruction, by_place)) return added;
        free(added->function);
    }
    free(added);
    return NULL;
}

static void add_instruction(struct pc_samples *samples, const CUpti_PCSamplingPCData *at)
{
    const int is_other = samples->only && strcmp(at->functionName, samples->only);
    struct instruction *to = is_other ? NULL : find(samples, at);
    samples->is_incomplete |= !to && !is_other;
    for (size_t i = 0; i < at->stallReasonCount; i++) {
        const CUpti_PCSamplingStallReason *stall = &at->stallReason[i];
        size_t place = 0;
        while (place < samples->reasons &&
               samples->index[place] != stall->pcSamplingStallReasonIndex)
            place++;
        if (place == samples->reasons) continue;
        if (to) to->stalls[place] += stall->samples;
        if (is_other && samples->not_issued[place] >= 0)
            samples->totals.elsewhere += stall->samples;
    }
}

static void add_buffer(struct pc_samples *samples, CUpti_PCSamplingData *data)
{
    for (size_t i = 0; i < data->totalNumPcs; i++)
        if (data->pPcData[i].functionName) add_instruction(samples, &data->pPcData[i]);
    samples->totals.total += data->totalSamples;
    samples->totals.dropped += data->droppedSamples;
    samples->totals.elsewhere += data->nonUsrKernelsTotalSamples;
    samples->was_full |= data->hardwareBufferFull != 0;
    data->totalNumPcs = data->totalSamples = data->droppedSamples = 0;
    data->nonUsrKernelsTotalSamples = 0;
    data->hardwareBufferFull = 0;
}

struct visit {
    const struct pc_samples *samples;
    stall_visitor *visit;
    void *context;
};

/* The context of the walk: twalk() has no room for it, and twalk_r() needs glibc 2.30. */
static _Thread_local const struct visit *visit;

static void visit_one(const void *node, VISIT order, int depth)
{
    const struct instruction *at = *(struct instruction *const *)node;
    (void)depth;
    const struct pc_samples *samples = visit->samples;
    for (size_t i = 0; (order == postorder || order == leaf) && i < samples->reasons; i++) {
        const int beside = samples->not_issued[i];
        if (!at->stalls[i] || beside < 0) continue;
        const struct stall stall = {at->function,  at->cubin,
                                    at->pc,        samples->name[i] + strlen(prefix),
                                    at->stalls[i], (size_t)beside == i ? 0 : at->stalls[beside]};
        visit->visit(visit->context, &stall);
    }
}

void pc_samples_each(const struct pc_samples *samples, stall_visitor *visitor, void *context)
{
    visit = &(struct visit){samples, visitor, context};
    twalk(samples->instruction, visit_one);
}

static void free_instruction(void *instruction)
{
    free(((struct instruction *)instruction)->function);
    free(instruction);
}

void pc_samples_clear(struct pc_samples *samples, const char *only)
{
    tdestroy(samples->instruction, free_instruction);
    samples->instruction = NULL;
    samples->only = only;
    samples->totals = (struct sample_totals){0};
    samples->was_full = samples->is_incomplete = 0;
}

void pc_samples_free(struct pc_samples *samples)
{
    pc_samples_clear(samples, NULL);
    free(samples->index);
    free(samples->name);
    free(samples->not_issued);
    *samples = (struct pc_samples){0};
}

/* ---- sampling -------------------------------------------------------------------------------- */

static int open_buffer(struct pc_buffer *buffer, size_t reasons, char reason[REASON_BYTES])
{
    buffer->pc = calloc(PCS, sizeof *buffer->pc);
    buffer->stall = calloc(PCS * reasons + 1, sizeof *buffer->stall);
    if (!buffer->pc || !buffer->stall) return out_of_memory(reason);
    for (size_t i = 0; i < PCS; i++) {
        buffer->pc[i].size = sizeof buffer->pc[i];
        buffer->pc[i].stallReason = buffer->stall + i * reasons;
    }
    buffer->data = (CUpti_PCSamplingData){
        .size = sizeof buffer->data, .collectNumPcs = PCS, .pPcData = buffer->pc};
    return 0;
}

int pc_sampling_set(const struct pc_sampling *sampling,
                    CUpti_PCSamplingConfigurationInfo *attribute, size_t count,
                    char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfoParams params = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = sampling->context,
        .numAttributes = count,
        .pPCSamplingConfigurationInfo = attribute};
    return CUPTI_CALL(sampling->cupti, cuptiPCSamplingSetConfigurationAttribute(&params), reason);
}

int pc_sampling_open(struct pc_sampling *sampling, const struct cupti *cupti, CUcontext context,
                     struct pc_samples *samples, const CUpti_PCSamplingConfigurationInfo *more,
                     size_t count, char reason[REASON_BYTES])
{
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize,
                                           .ctx = context};
    CUpti_PCSamplingConfigurationInfo attribute[4] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode =
             CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &sampling->kept.data}};
    memcpy(attribute + 2, more, count * sizeof *more);
    *sampling = (struct pc_sampling){.cupti = cupti, .context = context, .samples = samples};
    if (!CUPTI_OK(cupti, cuptiPCSamplingEnable(&enable), reason)) return FAIL_GPU;
    sampling->is_enabled = 1;
    int result = read_reasons(sampling, reason);
    if (!result) result = open_buffer(&sampling->kept, samples->reasons, reason);
    if (!result) result = open_buffer(&sampling->asked, samples->reasons, reason);
    return result ? result : pc_sampling_set(sampling, attribute, 2 + count, reason);
}

int pc_sampling_drain(struct pc_sampling *sampling, char reason[REASON_BYTES])
{
    CUpti_PCSamplingData *data = &sampling->asked.data;
    CUpti_PCSamplingGetDataParams get = {.size = CUpti_PCSamplingGetDataParamsSize,
                                         .ctx = sampling->context,
                                         .pcSamplingData = data};
    size_t found;
    add_buffer(sampling->samples, &sampling->kept.data);
    do {
        if (!CUPTI_OK(sampling->cupti, cuptiPCSamplingGetData(&get), reason)) return FAIL_GPU;
        found = data->totalNumPcs;
        add_buffer(sampling->samples, data);
    } while (found > 0 && data->remainingNumPcs > 0);
    return sampling->samples->is_incomplete ? out_of_memory(reason) : 0;
}

int pc_sampling_close(struct pc_sampling *sampling, char reason[REASON_BYTES])
{
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = sampling->context};
    const int result = sampling->is_enabled
                           ? CUPTI_CALL(sampling->cupti, cuptiPCSamplingDisable(&disable), reason)
                           : 0;
    add_buffer(sampling->samples, &sampling->kept.data);
    void *const owned[] = {sampling->kept.pc, sampling->kept.stall, sampling->asked.pc,
                           sampling->asked.stall};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    *sampling = (struct pc_sampling){0};
    return result;
}
