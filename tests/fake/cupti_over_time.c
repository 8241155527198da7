/*
 * Emulates CUPTI's counters over time (PM sampling) and its records of kernels (activities).
 *
 * Words of FAKE_STATE used here: no_time_trigger, overflow, image_full, dropped_records, subscribed
 * (with a name by cuptiSubscribe_v2); those of refusal().
 */
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_pmsampling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cupti.h"

/* ---- counters over time ---------------------------------------------------------------------- */

enum { MOST_RUNS = 8192 };

/* Kernels that have run while PM sampling was on. */
static struct {
    uint64_t begin_ns, end_ns;
    struct fake_cost cost;
} runs[MOST_RUNS];

static size_t run_count;

struct CUpti_PmSampling_Object {
    uint64_t interval_ns, begin_ns, end_ns;
    int started;
};

static struct CUpti_PmSampling_Object *session;

void fake_cupti_record_run(const struct fake_ran *ran)
{
    if (!session || !session->started || run_count == MOST_RUNS) return;
    runs[run_count].begin_ns = ran->begin_ns;
    runs[run_count].end_ns = ran->end_ns;
    runs[run_count++].cost = ran->cost;
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *params)
{
    const CUptiResult status = entered(__func__), refused = refusal();
    if (status || refused) return status ? status : refused;
    if (session) return CUPTI_ERROR_INVALID_OPERATION;
    session = calloc(1, sizeof *session);
    if (!session) return CUPTI_ERROR_OUT_OF_MEMORY;
    params->pPmSamplingObject = session;
    fake_held("PM sampling sessions", 1);
    fake_cupti_begin_listening();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params *params)
{
    if (params->pPmSamplingObject != session)
        fake_misuse("another PM sampling session was disabled");
    free(session);
    session = NULL;
    fake_held("PM sampling sessions", -1);
    return entered(__func__);
}

CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *params)
{
    const int by_time = params->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (by_time && fake_state("no_time_trigger")) return CUPTI_ERROR_NOT_SUPPORTED;
    session->interval_ns =
        by_time ? params->samplingInterval : params->samplingInterval * 1000 / FAKE_MHZ;
    return session->interval_ns ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    fake_synchronize();
    session->started = 1;
    session->begin_ns = fake_now();
    run_count = 0;
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiPmSamplingStop, (CUpti_PmSampling_Stop_Params * params), fake_synchronize();
       session->started = 0; session->end_ns = fake_now())

/* Adds up the kernels of an interval, each by the share of its time that lies in it. */
static void sum_sample(struct record *record, uint64_t begin_ns, uint64_t end_ns)
{
    struct totals *totals = &record->totals;
    memset(record, 0, sizeof *record);
    totals->ns = (double)(end_ns - begin_ns);
    totals->cycles = totals->ns * FAKE_MHZ / 1e3;
    for (size_t i = 0; i < run_count; i++) {
        const uint64_t from = runs[i].begin_ns > begin_ns ? runs[i].begin_ns : begin_ns,
                       to = runs[i].end_ns < end_ns ? runs[i].end_ns : end_ns;
        if (from >= to) continue;
        fake_cupti_add_cost(&totals->cost, &runs[i].cost,
                            (double)(to - from) / (double)(runs[i].end_ns - runs[i].begin_ns));
        totals->cycles_active += (double)(to - from) * FAKE_MHZ / 1e3;
    }
}

/* Converts from the fake's clock to that of the program's stages. */
static uint64_t offset_ns(void)
{
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    return (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec - fake_now();
}

CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *params)
{
    const size_t most = (params->counterDataImageSize - HEADER_BYTES) / sizeof(struct record);
    const CUptiResult status = entered(__func__);
    params->overflow = fake_state("overflow") != 0;
    params->decodeStopReason = fake_state("image_full")
                                   ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                   : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    if (status) return status;
    const uint64_t offset = offset_ns();
    struct header *header = header_of(params->pCounterDataImage);
    for (uint64_t ns = session->begin_ns;
         ns + session->interval_ns <= session->end_ns && header->count < most;
         ns += session->interval_ns) {
        struct record *record = &records_of(params->pCounterDataImage)[header->count++];
        sum_sample(record, ns, ns + session->interval_ns);
        record->begin_ns = ns + offset;
        record->end_ns = ns + session->interval_ns + offset;
    }
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiPmSamplingGetCounterDataSize, (CUpti_PmSampling_GetCounterDataSize_Params * params),
       params->counterDataSize = HEADER_BYTES + params->maxSamples * sizeof(struct record))
UNLESS(cuptiPmSamplingCounterDataImageInitialize,
       (CUpti_PmSampling_CounterDataImage_Initialize_Params * params),
       return fake_cupti_begin_image(params->pCounterData, params->counterDataSize))
ALWAYS(cuptiPmSamplingGetCounterDataInfo, (CUpti_PmSampling_GetCounterDataInfo_Params * params),
       params->numTotalSamples = params->numPopulatedSamples = params->numCompletedSamples =
           header_of(params->pCounterDataImage)->count)

CUptiResult
cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params *params)
{
    const CUptiResult status = entered(__func__),
                      found =
                          fake_cupti_check_image(params->pCounterDataImage,
                                                 params->counterDataImageSize, params->sampleIndex);
    if (status || found) return status ? status : found;
    params->startTimestamp = records_of(params->pCounterDataImage)[params->sampleIndex].begin_ns;
    params->endTimestamp = records_of(params->pCounterDataImage)[params->sampleIndex].end_ns;
    return CUPTI_SUCCESS;
}

/* ---- activity records ------------------------------------------------------------------------ */

enum { MOST_ACTIVITIES = 512 };

static struct {
    int subscribed, enabled;
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    CUpti_TimestampCallbackFunc clock;
    size_t count;
    CUpti_ActivityKernel10 record[MOST_ACTIVITIES];
} activity;

void fake_cupti_record_activity(const struct fake_ran *ran)
{
    if (!activity.enabled || activity.count == MOST_ACTIVITIES) return;
    const uint64_t offset = activity.clock ? activity.clock() - fake_now() : 0;
    CUpti_ActivityKernel10 *record = &activity.record[activity.count++];
    memset(record, 0, sizeof *record);
    record->kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record->name = ran->launch->kernel->symbol;
    record->start = ran->begin_ns + offset;
    record->end = ran->end_ns + offset;
    record->gridX = (int32_t)ran->launch->grid[0];
    record->gridY = (int32_t)ran->launch->grid[1];
    record->gridZ = (int32_t)ran->launch->grid[2];
    record->blockX = (int32_t)ran->launch->block[0];
    record->blockY = (int32_t)ran->launch->block[1];
    record->blockZ = (int32_t)ran->launch->block[2];
    record->registersPerThread = (uint16_t)ran->launch->kernel->registers;
    record->staticSharedMemory = ran->launch->kernel->static_shared;
    record->dynamicSharedMemory = (int32_t)ran->launch->shared;
    record->streamId = 7;
}

static CUptiResult subscribe(CUpti_SubscriberHandle *subscriber)
{
    if (activity.subscribed || fake_state("subscribed"))
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    activity.subscribed = 1;
    *subscriber = (CUpti_SubscriberHandle)(void *)&activity;
    fake_held("subscribers", 1);
    return CUPTI_SUCCESS;
}

UNLESS(cuptiSubscribe,
       (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *context),
       return subscribe(subscriber))

/* Tells who has subscribed, if anybody has. */
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                              void *context, CUpti_SubscriberParams *params)
{
    const CUptiResult planted = entered(__func__),
                      status = planted ? planted : subscribe(subscriber);
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        snprintf(params->oldSubscriberName, params->oldSubscriberSize,
                 "CUPTI for a tool of this test");
    return status;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    activity.subscribed = 0;
    activity.request = NULL;
    activity.complete = NULL;
    fake_held("subscribers", -1);
    return entered(__func__);
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    fake_cupti_begin_listening();
    activity.enabled = 1;
    activity.count = 0;
    fake_held("activities", 1);
    return CUPTI_SUCCESS;
}

/* Disabling an activity that was never enabled is no error. */
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    if (activity.enabled) fake_held("activities", -1);
    activity.enabled = 0;
    return entered(__func__);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    const CUptiResult status = entered(__func__);
    uint8_t *buffer = NULL;
    size_t size = 0, most = 0;
    fake_synchronize();
    if (status || !activity.count || !activity.request) return status;
    activity.request(&buffer, &size, &most);
    if (!buffer) return CUPTI_ERROR_OUT_OF_MEMORY;
    const size_t fit = size / sizeof *activity.record,
                 count = activity.count < fit ? activity.count : fit;
    memcpy(buffer, activity.record, count * sizeof *activity.record);
    activity.count = 0;
    activity.complete(NULL, 0, buffer, size, count * sizeof *activity.record);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + sizeof *activity.record : buffer;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (next + sizeof *activity.record > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiActivityGetNumDroppedRecords, (CUcontext context, uint32_t stream, size_t *dropped),
       *dropped = fake_state("dropped_records") ? 3 : 0)
UNLESS(cuptiActivityRegisterCallbacks,
       (CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete),
       activity.request = request;
       activity.complete = complete)
UNLESS(cuptiActivityRegisterTimestampCallback, (CUpti_TimestampCallbackFunc clock),
       activity.clock = clock)
