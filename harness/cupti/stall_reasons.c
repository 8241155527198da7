#include "cupti/stall_reasons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_", suffix[] = "_not_issued";

/* Returns the place of "<name>_not_issued", or that of the reason itself; -1 if it is such a one,
 * or no reason why a warp waits. */
static int not_issued_of(const struct stall_reasons *reasons, size_t place)
{
    const char *name = reasons->name[place];
    const size_t length = strlen(name), tail = strlen(suffix);
    if (strncmp(name, prefix, strlen(prefix))) return -1;
    if (length > tail && !strcmp(name + length - tail, suffix)) return -1;
    for (size_t i = 0; i < reasons->count; i++)
        if (!strncmp(reasons->name[i], name, length) && !strcmp(reasons->name[i] + length, suffix))
            return (int)i;
    return (int)place;
}

static int make_room(struct stall_reasons *reasons, size_t count)
{
    reasons->index = calloc(count + 1, sizeof *reasons->index);
    reasons->name = calloc(count + 1, sizeof *reasons->name);
    reasons->not_issued = calloc(count + 1, sizeof *reasons->not_issued);
    if (!reasons->index || !reasons->name || !reasons->not_issued) return 0;
    reasons->count = count;
    for (size_t i = 0; i < count; i++) {
        reasons->name[i] = calloc(1, CUPTI_STALL_REASON_STRING_SIZE);
        if (!reasons->name[i]) return 0;
    }
    return 1;
}

int stall_reasons_read(struct stall_reasons *reasons, const struct cupti *cupti, CUcontext context,
                       char reason[REASON_BYTES])
{
    size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams ask = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
        .ctx = context,
        .numStallReasons = &count};
    *reasons = (struct stall_reasons){0};
    if (!CUPTI_OK(cupti, cuptiPCSamplingGetNumStallReasons(&ask), reason)) return FAIL_GPU;
    if (!make_room(reasons, count)) {
        snprintf(reason, REASON_BYTES, "memory is short");
        return FAIL_GPU;
    }
    CUpti_PCSamplingGetStallReasonsParams get = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                 .ctx = context,
                                                 .numStallReasons = count,
                                                 .stallReasonIndex = reasons->index,
                                                 .stallReasons = reasons->name};
    if (!CUPTI_OK(cupti, cuptiPCSamplingGetStallReasons(&get), reason)) return FAIL_GPU;
    for (size_t i = 0; i < count; i++) reasons->not_issued[i] = not_issued_of(reasons, i);
    return 0;
}

void stall_reasons_free(struct stall_reasons *reasons)
{
    for (size_t i = 0; i < reasons->count; i++) free(reasons->name[i]);
    free(reasons->index);
    free(reasons->name);
    free(reasons->not_issued);
    *reasons = (struct stall_reasons){0};
}

size_t stall_reason_place(const struct stall_reasons *reasons, uint32_t index)
{
    size_t place = 0;
    while (place < reasons->count && reasons->index[place] != index) place++;
    return place;
}

const char *stall_reason_name(const struct stall_reasons *reasons, size_t place)
{
    return reasons->name[place] + strlen(prefix);
}

int pc_buffer_open(struct pc_buffer *buffer, size_t pcs, const struct stall_reasons *reasons,
                   char reason[REASON_BYTES])
{
    buffer->pc = calloc(pcs, sizeof *buffer->pc);
    buffer->stall = calloc(pcs * reasons->count + 1, sizeof *buffer->stall);
    if (!buffer->pc || !buffer->stall) {
        snprintf(reason, REASON_BYTES, "memory is short");
        return FAIL_GPU;
    }
    for (size_t i = 0; i < pcs; i++) {
        buffer->pc[i].size = sizeof buffer->pc[i];
        buffer->pc[i].stallReason = buffer->stall + i * reasons->count;
    }
    buffer->data = (CUpti_PCSamplingData){
        .size = sizeof buffer->data, .collectNumPcs = pcs, .pPcData = buffer->pc};
    return 0;
}

void pc_buffer_free(struct pc_buffer *buffer)
{
    free(buffer->pc);
    free(buffer->stall);
    memset(buffer, 0, sizeof *buffer);
}

int pc_sampling_set(const struct cupti *cupti, CUcontext context,
                    CUpti_PCSamplingConfigurationInfo *attribute, size_t count,
                    char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfoParams params = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = context,
        .numAttributes = count,
        .pPCSamplingConfigurationInfo = attribute};
    return CUPTI_CALL(cupti, cuptiPCSamplingSetConfigurationAttribute(&params), reason);
}
