/*
 * Records when each kernel ran, with CUPTI's activity records (collect/collector.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti.h"
#include "run/run_stages.h"

enum { BUFFER_BYTES = 1 << 20, ALIGNMENT = 8 };

struct activity_recorder {
    struct cupti *cupti;
    CUpti_SubscriberHandle subscriber;
    int subscribed;
    struct activities taken;
    int failed;         /* memory was short in a callback */
    CUptiResult status; /* of the first record that could not be read */
};

/* CUPTI's callbacks carry no pointer of ours. They come while activity_recorder_take or _close
 * waits, or from a thread of CUPTI's when a buffer is full, which one recorder never fills. */
static struct activity_recorder *current;

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    *buffer = aligned_alloc(ALIGNMENT, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0; /* as many as fit */
}

static int add(struct activity_recorder *recorder, const CUpti_ActivityKernel10 *record)
{
    struct activities *taken = &recorder->taken;
    struct kernel_activity *grown =
        realloc(taken->kernel, (size_t)(taken->count + 1) * sizeof *grown);
    if (!grown) return 0;
    taken->kernel = grown;
    grown[taken->count] = (struct kernel_activity){
        .symbol = strdup(record->name ? record->name : ""),
        .begin_ns = record->start,
        .end_ns = record->end,
        .grid = {(unsigned)record->gridX, (unsigned)record->gridY, (unsigned)record->gridZ},
        .block = {(unsigned)record->blockX, (unsigned)record->blockY, (unsigned)record->blockZ},
        .registers = record->registersPerThread,
        .static_shared = (unsigned)record->staticSharedMemory,
        .dynamic_shared = (unsigned)record->dynamicSharedMemory,
        .stream = record->streamId,
    };
    return grown[taken->count++].symbol != NULL;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid)
{
    CUpti_Activity *record = NULL;
    CUptiResult status = CUPTI_SUCCESS;
    (void)context;
    (void)stream;
    (void)size;
    while (current && buffer && valid > 0 &&
           (status = current->cupti->cuptiActivityGetNextRecord(buffer, valid, &record)) ==
               CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
            !add(current, (const CUpti_ActivityKernel10 *)record))
            current->failed = 1;
    if (current && !current->status && status != CUPTI_ERROR_MAX_LIMIT_REACHED)
        current->status = status; /* that one says that there are no more */
    free(buffer);
}

int activity_recorder_open(struct activity_recorder **recorder, struct cupti *cupti,
                           char reason[REASON_BYTES])
{
    struct activity_recorder *opened = *recorder = calloc(1, sizeof *opened);
    if (!opened) return error_memory();
    opened->cupti = cupti;
    current = opened;
    /* The callbacks below would replace those of another profiler. The only subscription of the
     * process shows whether there is one. */
    opened->subscribed =
        cupti_ok(cupti, cupti_subscribe(cupti, &opened->subscriber), "cuptiSubscribe", reason);
    if (opened->subscribed &&
        CUPTI_OK(cupti, cuptiActivityRegisterTimestampCallback(stage_clock_ns), reason) &&
        CUPTI_OK(cupti, cuptiActivityRegisterCallbacks(give_buffer, take_buffer), reason) &&
        CUPTI_OK(cupti, cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), reason))
        return 0;
    activity_recorder_close(opened);
    *recorder = NULL;
    return FAIL_GPU;
}

void activity_recorder_close(struct activity_recorder *recorder)
{
    if (!recorder) return;
    if (recorder->subscribed) {
        recorder->cupti->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        recorder->cupti->cuptiActivityFlushAll(1);
        recorder->cupti->cuptiUnsubscribe(recorder->subscriber);
    }
    current = NULL;
    activities_free(&recorder->taken);
    free(recorder);
}

static int by_begin(const void *a, const void *b)
{
    const struct kernel_activity *first = a, *second = b;
    return (first->begin_ns > second->begin_ns) - (first->begin_ns < second->begin_ns);
}

int activity_recorder_take(struct activity_recorder *recorder, struct activities *activities,
                           char reason[REASON_BYTES])
{
    size_t dropped = 0;
    struct cupti *cupti = recorder->cupti;
    const int flushed = CUPTI_OK(cupti, cuptiActivityFlushAll(1), reason);
    const CUptiResult status = recorder->status;
    *activities = recorder->taken;
    memset(&recorder->taken, 0, sizeof recorder->taken);
    recorder->status = CUPTI_SUCCESS;
    if (activities->count)
        qsort(activities->kernel, (size_t)activities->count, sizeof *activities->kernel, by_begin);
    if (recorder->failed) return error_memory();
    if (!flushed || !cupti_ok(cupti, status, "cuptiActivityGetNextRecord", reason) ||
        !CUPTI_OK(cupti, cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped), reason))
        return FAIL_GPU;
    if (dropped) snprintf(reason, REASON_BYTES, "CUPTI dropped %zu records of kernels", dropped);
    return dropped ? FAIL_GPU : 0;
}

void activities_free(struct activities *activities)
{
    for (int i = 0; i < activities->count; i++) free(activities->kernel[i].symbol);
    free(activities->kernel);
    memset(activities, 0, sizeof *activities);
}
