/*
 * Stands in for the CUPTI and the driver that the injected library calls. A test makes one function
 * fail, or changes what the activity records say. Three launches of one kernel have run when the
 * records are asked for. Nothing is owned. Not thread-safe.
 */
#ifndef TESTS_UNIT_FAKE_CUPTI_H
#define TESTS_UNIT_FAKE_CUPTI_H

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "injected/watch.h"

enum { FAKE_LAUNCHES = 3, FAKE_CALLS = 64, FAKE_NAME = 64, FAKE_CRC = 7 };

static const char fake_symbol[] = "_Z3addPf";

/* What a test sets. */
static const struct fake_settings {
    const char *failing; /* a function that fails with `error`, or NULL */
    CUptiResult error;
    size_t dropped;         /* records that CUPTI dropped */
    int has_times;          /* 0: a record ends when it begins */
    int has_driver;         /* 0: the driver is too old */
    int is_capturing;       /* another stream records a graph during the second launch */
    int is_unknown;         /* the launches were not seen */
    uint64_t ranges;        /* of a counter image: 1, unless nothing was profiled */
    size_t passes;          /* in which the counters are collected */
    int lacks_a_pass;       /* a replay ends before the last pass */
    int is_cooperative;     /* launches are */
    int launches_fail;      /* every launch but the first */
    int has_other_kernel;   /* the second launch has a grid of one block */
    int launches, kernels;  /* launches; kernels that are launched in turn */
    int has_other_context;  /* the second launch is in another context, made just before */
    uint8_t is_buffer_full; /* of the samples */
    int never_ends;         /* the last launch runs on */
    int exit_hangs;         /* a handler of the program that runs after ours does not return */
} fake_usual = {.has_times = 1,
                .has_driver = 1,
                .ranges = 1,
                .passes = 2,
                .launches = FAKE_LAUNCHES,
                .kernels = 1};
static struct fake_settings fake;

/* The functions that were called, in memory that child processes share. */
static char (*fake_called)[FAKE_NAME];

static struct {
    CUpti_CallbackFunc callback;
    CUpti_BuffersCallbackRequestFunc give;
    CUpti_BuffersCallbackCompleteFunc take;
    CUpti_PCSamplingData *kept; /* the buffer of the sampling configuration */
    int launched, read;         /* launches, and records that were read */
    int is_enabled[8];          /* callback domains */
    CUpti_ActivityKind kind;    /* of the records */
    CUpti_ActivityKernel10 record;
    CUpti_RangeProfiler_Object *holder; /* of the counters: the profiler that has profiled */
    struct fake_image *image;           /* of the last configuration */
    int next_pass[2];                   /* of each context's profiler; -1: may be chosen */
    int round[2];                       /* of it: how often the passes have begun again */
    int is_sized[2];                    /* it was asked for the size of images */
    int pass, pass_round;               /* of the last session */
    int is_started, has_ran;            /* a session; a launch in it */
    int is_replay;                      /* it replays the launch */
} seen;

static int fake_open(void)
{
    const size_t bytes = FAKE_CALLS * sizeof *fake_called;
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fake_called = shared == MAP_FAILED ? NULL : shared;
    return fake_called ? 0 : -1;
}

static CUptiResult fake_call(const char *name)
{
    int at = 0;
    while (at < FAKE_CALLS && *fake_called[at] && strcmp(fake_called[at], name)) at++;
    if (at < FAKE_CALLS) strncpy(fake_called[at], name, FAKE_NAME - 1);
    return fake.failing && !strcmp(fake.failing, name) ? fake.error : CUPTI_SUCCESS;
}

/* Defines a function with one parameter, which does the rest only if it does not fail. */
#define FAKE(name, parameter, ...)                                                                 \
    CUptiResult name(parameter)                                                                    \
    {                                                                                              \
        const CUptiResult status = fake_call(#name);                                               \
        (void)p;                                                                                   \
        if (status == CUPTI_SUCCESS) {                                                             \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return status;                                                                             \
    }

/* Defines a function that does something in any case. */
#define FAKE_ALWAYS(name, parameters, ...)                                                         \
    CUptiResult name parameters                                                                    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return fake_call(#name);                                                                   \
    }

/* ---- callbacks and devices ------------------------------------------------------------------- */

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *data)
{
    const CUptiResult status = fake_call("cuptiSubscribe");
    if (status == CUPTI_SUCCESS) seen.callback = callback;
    return status;
}

FAKE_ALWAYS(cuptiEnableCallback,
            (uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
             CUpti_CallbackId id),
            seen.is_enabled[domain] = (int)enable)
FAKE_ALWAYS(cuptiEnableDomain,
            (uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain),
            seen.is_enabled[domain] = (int)enable)
FAKE_ALWAYS(cuptiGetDeviceId, (CUcontext context, uint32_t *device), *device = 0)

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = "the fake refuses";
    return CUPTI_SUCCESS;
}

FAKE(cuptiGetVersion, uint32_t *p, *p = 130000)
FAKE(cuptiGetCubinCrc, CUpti_GetCubinCrcParams *p, p->cubinCrc = FAKE_CRC)
FAKE(cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params *p, p->pChipName = "GH100")

/* ---- activity records ------------------------------------------------------------------------ */

FAKE_ALWAYS(cuptiActivityRegisterCallbacks,
            (CUpti_BuffersCallbackRequestFunc give, CUpti_BuffersCallbackCompleteFunc take),
            seen.give = give;
            seen.take = take)

FAKE(cuptiActivityEnable, CUpti_ActivityKind p, seen.kind = p)

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    uint8_t *buffer = NULL;
    size_t size = 0, most = 0;
    const CUptiResult status = fake_call("cuptiActivityFlushAll");
    if (status != CUPTI_SUCCESS || !seen.give || seen.read == seen.launched) return status;
    seen.give(&buffer, &size, &most);
    seen.take(NULL, 0, buffer, size, size);
    return status;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    const CUptiResult status = fake_call("cuptiActivityGetNextRecord");
    if (status != CUPTI_SUCCESS) return status;
    if (seen.read == seen.launched) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    seen.read++;
    seen.record = (CUpti_ActivityKernel10){.kind = seen.kind,
                                           .correlationId =
                                               (uint32_t)seen.read + (fake.is_unknown ? 1000 : 0),
                                           .name = fake_symbol,
                                           .start = 1000u * (unsigned)seen.read};
    const int runs_on = fake.never_ends && seen.read == FAKE_LAUNCHES;
    seen.record.end =
        seen.record.start + (fake.has_times && !runs_on ? 100u * (unsigned)seen.read : 0);
    *record = (CUpti_Activity *)&seen.record;
    return CUPTI_SUCCESS;
}

FAKE_ALWAYS(cuptiActivityGetNumDroppedRecords,
            (CUcontext context, uint32_t stream, size_t *dropped), *dropped = fake.dropped)

/* ---- samples --------------------------------------------------------------------------------- */

static void fake_sample(CUpti_PCSamplingData *data, uint64_t pc)
{
    if (!data || !data->pPcData) return;
    CUpti_PCSamplingPCData *at = data->pPcData;
    static char name[sizeof fake_symbol];
    strcpy(name, fake_symbol);
    data->totalNumPcs = 1;
    data->remainingNumPcs = 0;
    data->hardwareBufferFull = fake.is_buffer_full;
    at->cubinCrc = FAKE_CRC;
    at->pcOffset = pc;
    at->functionName = name;
    at->stallReasonCount = 2;
    at->stallReason[0] = (CUpti_PCSamplingStallReason){1, 10};
    at->stallReason[1] = (CUpti_PCSamplingStallReason){2, 4};
}

static void fake_reasons(CUpti_PCSamplingGetStallReasonsParams *p)
{
    static const char *const name[] = {"smsp__pcsamp_warps_issue_stalled_wait",
                                       "smsp__pcsamp_warps_issue_stalled_wait_not_issued"};
    for (uint32_t i = 0; i < p->numStallReasons; i++) {
        p->stallReasonIndex[i] = i + 1;
        strcpy(p->stallReasons[i], name[i]);
    }
}

FAKE(cuptiPCSamplingEnable, CUpti_PCSamplingEnableParams *p, )
FAKE(cuptiPCSamplingDisable, CUpti_PCSamplingDisableParams *p, fake_sample(seen.kept, 32))
FAKE(cuptiPCSamplingGetNumStallReasons, CUpti_PCSamplingGetNumStallReasonsParams *p,
     *p->numStallReasons = 2)
FAKE(cuptiPCSamplingGetStallReasons, CUpti_PCSamplingGetStallReasonsParams *p, fake_reasons(p))
FAKE(cuptiPCSamplingSetConfigurationAttribute, CUpti_PCSamplingConfigurationInfoParams *p,
     seen.kept =
         p->pPCSamplingConfigurationInfo[1].attributeData.samplingDataBufferData.samplingDataBuffer)
FAKE(cuptiPCSamplingGetData, CUpti_PCSamplingGetDataParams *p, fake_sample(p->pcSamplingData, 16))

/* ---- counters -------------------------------------------------------------------------------- */

/* A counter-data image. As in CUPTI, it is initialised, and then takes the data of passes. */
struct fake_image {
    char magic[8];
    uint64_t passes; /* bit p: pass p was decoded */
    uint64_t round;
    char data[104];
};

/* Metric i is collected in pass i % passes; its value is no number without that. */
static void fake_values(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    const struct fake_image *image = (const void *)p->pCounterDataImage;
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = image->passes >> i % fake.passes & 1 ? 10.5 + (double)i : NAN;
}

/* A profiler that has profiled holds the counters until it is disabled. */
static CUptiResult fake_start(CUpti_RangeProfiler_Object *profiler)
{
    if (seen.holder && seen.holder != profiler) return CUPTI_ERROR_HARDWARE_BUSY;
    seen.holder = profiler;
    seen.is_started = 1;
    seen.has_ran = 0;
    return CUPTI_SUCCESS;
}

static int index_of(const CUpti_RangeProfiler_Object *profiler)
{
    return (const void *)profiler == &fake;
}

static void fake_enable(CUpti_RangeProfiler_Enable_Params *p)
{
    p->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)p->ctx;
    seen.next_pass[index_of(p->pRangeProfilerObject)] = -1;
    seen.round[index_of(p->pRangeProfilerObject)] = 0;
    seen.is_sized[index_of(p->pRangeProfilerObject)] = 0;
}

static void fake_size(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    seen.is_sized[index_of(p->pRangeProfilerObject)] = 1;
    p->counterDataSize = sizeof(struct fake_image);
}

/* Crashes without the size, as CUPTI does. */
static void fake_initialise(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    if (!seen.is_sized[index_of(p->pRangeProfilerObject)]) abort();
    memset(p->pCounterData, 0, p->counterDataSize);
    memcpy(p->pCounterData, "IMAGE", 6);
}

static void fake_disable(const CUpti_RangeProfiler_Object *profiler)
{
    if (seen.holder == profiler) seen.holder = NULL;
}

/* The passes come in turn; only the first can be chosen. */
static void fake_configure(CUpti_RangeProfiler_SetConfig_Params *p)
{
    int *next = &seen.next_pass[index_of(p->pRangeProfilerObject)];
    seen.image = (void *)p->pCounterDataImage;
    seen.is_replay = p->replayMode == CUPTI_KernelReplay;
    if (seen.is_replay ? p->targetNestingLevel || p->passIndex : p->targetNestingLevel != 1)
        abort();
    if (*next < 0) *next = (int)p->passIndex;
}

static void fake_stop(CUpti_RangeProfiler_Stop_Params *p)
{
    const int i = index_of(p->pRangeProfilerObject);
    seen.is_started = 0;
    p->isAllPassSubmitted = (uint8_t)!fake.lacks_a_pass;
    if (seen.is_replay) return;
    seen.pass = seen.next_pass[i];
    seen.pass_round = seen.round[i];
    seen.next_pass[i] = (seen.pass + 1) % (int)fake.passes;
    seen.round[i] += seen.next_pass[i] == 0;
    p->passIndex = (size_t)seen.next_pass[i];
    p->isAllPassSubmitted = seen.next_pass[i] == 0;
}

/* Like CUPTI, refuses what is out of order. */
static CUptiResult fake_decode(void)
{
    struct fake_image *image = seen.image;
    if (!seen.holder || seen.is_started || !image || memcmp(image->magic, "IMAGE", 6))
        return CUPTI_ERROR_INVALID_OPERATION;
    if (seen.is_replay && seen.has_ran) image->passes = ((uint64_t)1 << fake.passes) - 1;
    if (seen.is_replay) return CUPTI_SUCCESS;
    if (!image->passes) image->round = (uint64_t)seen.pass_round;
    if (seen.has_ran && image->round == (uint64_t)seen.pass_round) /* other data are lost */
        image->passes |= (uint64_t)1 << seen.pass;
    memset(image->data, seen.pass + 1, sizeof image->data);
    return CUPTI_SUCCESS;
}

FAKE(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params *p, )
FAKE(cuptiProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params *p,
     p->pHostObject = (CUpti_Profiler_Host_Object *)&seen)
FAKE(cuptiProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params *p, )
FAKE(cuptiProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params *p, )
FAKE(cuptiProfilerHostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params *p,
     p->configImageSize = 16)
FAKE(cuptiProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params *p,
     memset(p->pConfigImage, 1, p->configImageSize))
FAKE(cuptiProfilerHostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params *p,
     p->numOfPasses = fake.passes)
FAKE(cuptiProfilerHostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params *p,
     fake_values(p))
FAKE(cuptiRangeProfilerEnable, CUpti_RangeProfiler_Enable_Params *p, fake_enable(p))
FAKE(cuptiRangeProfilerDisable, CUpti_RangeProfiler_Disable_Params *p,
     fake_disable(p->pRangeProfilerObject))
FAKE(cuptiRangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params *p,
     fake_size(p))
FAKE(cuptiRangeProfilerCounterDataImageInitialize,
     CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p, fake_initialise(p))
FAKE(cuptiRangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params *p, fake_configure(p))
FAKE(cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params *p,
     return fake_start(p->pRangeProfilerObject))
FAKE(cuptiRangeProfilerStop, CUpti_RangeProfiler_Stop_Params *p, fake_stop(p))
FAKE(cuptiRangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params *p, return fake_decode())
FAKE(cuptiRangeProfilerGetCounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params *p,
     p->numTotalRanges = fake.ranges)

/* ---- counts of instructions ------------------------------------------------------------------ */

static uint64_t fake_metrics; /* numbers given to metrics so far */

static void fake_counts(CUpti_SassMetricsFlushData_Params *p)
{
    for (size_t i = 0; i < p->numOfPatchedInstructionRecords; i++) {
        p->pMetricsData[i].cubinCrc = FAKE_CRC;
        p->pMetricsData[i].functionName = fake_symbol;
        p->pMetricsData[i].pcOffset = 16;
        p->pMetricsData[i].pInstanceValues->metricId = i + 1;
        p->pMetricsData[i].pInstanceValues->value = 32 * (i + 1);
    }
}

static void fake_counts_found(CUpti_SassMetricsGetDataProperties_Params *p)
{
    p->numOfPatchedInstructionRecords = fake_metrics;
    p->numOfInstances = 1;
}

FAKE(cuptiSassMetricsGetProperties, CUpti_SassMetrics_GetProperties_Params *p,
     p->metric.metricId = ++fake_metrics)
FAKE(cuptiSassMetricsSetConfig, CUpti_SassMetricsSetConfig_Params *p, )
FAKE(cuptiSassMetricsUnsetConfig, CUpti_SassMetricsUnsetConfig_Params *p, )
FAKE(cuptiSassMetricsEnable, CUpti_SassMetricsEnable_Params *p, )
FAKE(cuptiSassMetricsDisable, CUpti_SassMetricsDisable_Params *p, )
FAKE(cuptiSassMetricsGetDataProperties, CUpti_SassMetricsGetDataProperties_Params *p,
     fake_counts_found(p))
FAKE(cuptiSassMetricsFlushData, CUpti_SassMetricsFlushData_Params *p, fake_counts(p))

/* ---- the driver ------------------------------------------------------------------------------ */

struct driver driver;

#define DRIVER(name, parameters, ...)                                                              \
    static CUresult name parameters                                                                \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return CUDA_SUCCESS;                                                                       \
    }

static CUresult fake_synchronize(void)
{
    while (fake.never_ends) pause();
    return CUDA_SUCCESS;
}

DRIVER(fake_current, (CUcontext * context), *context = (CUcontext)&seen)

static CUresult fake_set_current(CUcontext context)
{
    return context == (CUcontext)&seen ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

DRIVER(fake_is_capturing, (CUstream stream, CUstreamCaptureStatus *status),
       *status = CU_STREAM_CAPTURE_STATUS_NONE)
DRIVER(fake_attribute, (int *value, CUfunction_attribute which, CUfunction function), *value = 24)
DRIVER(fake_occupancy, (int *blocks, CUfunction function, int threads, size_t shared), *blocks = 8)
DRIVER(fake_version, (int *version), *version = 13000)

int driver_load(void)
{
    driver = (struct driver){.current = fake_current,
                             .set_current = fake_set_current,
                             .synchronize = fake_synchronize,
                             .is_capturing = fake_is_capturing,
                             .function_attribute = fake_attribute,
                             .occupancy = fake_occupancy,
                             .version = fake_version};
    return fake.has_driver;
}

/* ---- a program ------------------------------------------------------------------------------- */

/* The layout of cuLaunchKernel_params in generated_cuda_meta.h. */
struct fake_arguments {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    CUstream stream;
    void **parameters, **extra;
};

static void fake_resource(CUpti_CallbackId id, void *context, void *descriptor)
{
    CUpti_ResourceData data = {.context = (CUcontext)context, .resourceDescriptor = descriptor};
    if (seen.callback && seen.is_enabled[CUPTI_CB_DOMAIN_RESOURCE])
        seen.callback(NULL, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

static void fake_launch(void *context)
{
    struct fake_arguments arguments = {.grid = {132, 1, 1}, .block = {256, 1, 1}};
    const int kernel = fake.has_other_kernel ? seen.launched == 1 : seen.launched % fake.kernels;
    if (kernel) arguments.grid[0] = (unsigned)kernel;
    uint64_t ours = 0;
    CUresult status = fake.launches_fail && seen.launched ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    CUpti_CallbackData data = {.functionReturnValue = &status,
                               .callbackSite = CUPTI_API_ENTER,
                               .functionParams = &arguments,
                               .symbolName = fake_symbol,
                               .context = (CUcontext)context,
                               .correlationData = &ours,
                               .correlationId = (uint32_t)++seen.launched};
    if (!seen.callback || !seen.is_enabled[CUPTI_CB_DOMAIN_DRIVER_API]) return;
    for (int site = 0; site < 2; site++) {
        data.callbackSite = site ? CUPTI_API_EXIT : CUPTI_API_ENTER;
        seen.has_ran |= site && seen.is_started && status == CUDA_SUCCESS;
        seen.callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API,
                      fake.is_cooperative ? CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel
                                          : CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                      &data);
    }
}

static void fake_capture(CUpti_CallbackId id)
{
    CUresult status = CUDA_SUCCESS;
    CUpti_CallbackData data = {.functionReturnValue = &status, .context = (CUcontext)&seen};
    if (!seen.callback || !seen.is_enabled[CUPTI_CB_DOMAIN_DRIVER_API]) return;
    for (int site = 0; site < 2; site++) {
        data.callbackSite = site ? CUPTI_API_EXIT : CUPTI_API_ENTER;
        seen.callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
    }
}

static void fake_wait(void)
{
    CUpti_SynchronizeData data = {.context = (CUcontext)&seen};
    if (seen.callback && seen.is_enabled[CUPTI_CB_DOMAIN_SYNCHRONIZE])
        seen.callback(NULL, CUPTI_CB_DOMAIN_SYNCHRONIZE,
                      CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, &data);
}

/* Makes a context, loads a module, launches a kernel, waits, and destroys the context; or ends
 * while the kernel runs. */
static void fake_program(void)
{
    CUpti_ModuleResourceData module = {.moduleId = 1, .cubinSize = 4, .pCubin = "code"};
    fake_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &seen, NULL);
    fake_resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, &seen, &module);
    for (int i = 0; i < fake.launches; i++) {
        const int captures = fake.is_capturing && i == 1,
                  is_other = fake.has_other_context && i == 1;
        if (is_other) fake_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &fake, NULL);
        if (captures) fake_capture(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
        fake_launch(is_other ? (void *)&fake : &seen);
        if (captures) fake_capture(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture);
    }
    if (fake.never_ends) return;
    fake_wait();
    fake_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &seen, NULL);
    if (fake.has_other_context)
        fake_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &fake, NULL);
}

#endif
