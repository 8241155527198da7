/*
 * Names the functions of CUPTI that whyfast calls, and says why a call failed. The program loads
 * CUPTI when it runs (collect/cupti.h); the library that is loaded into other programs is linked
 * with it. Both reach the functions through a struct cupti. CUPTI's headers are included by those
 * that include this one.
 */
#ifndef WHYFAST_CUPTI_FUNCTIONS_H
#define WHYFAST_CUPTI_FUNCTIONS_H

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include "base/message.h"

/* To use another function of CUPTI, add its name: to the first list if both use it. */
/* clang-format off */
#define CUPTI_SHARED_FUNCTIONS(USE)                                                                \
    USE(cuptiGetVersion) USE(cuptiGetResultString) USE(cuptiProfilerInitialize)                    \
    USE(cuptiDeviceGetChipName) USE(cuptiProfilerHostInitialize)                                   \
    USE(cuptiProfilerHostDeinitialize) USE(cuptiProfilerHostConfigAddMetrics)                      \
    USE(cuptiProfilerHostGetConfigImageSize) USE(cuptiProfilerHostGetConfigImage)                  \
    USE(cuptiProfilerHostGetNumOfPasses) USE(cuptiProfilerHostEvaluateToGpuValues)                 \
    USE(cuptiRangeProfilerEnable) USE(cuptiRangeProfilerDisable) USE(cuptiRangeProfilerSetConfig)  \
    USE(cuptiRangeProfilerStart) USE(cuptiRangeProfilerStop) USE(cuptiRangeProfilerDecodeData)     \
    USE(cuptiRangeProfilerGetCounterDataSize) USE(cuptiRangeProfilerCounterDataImageInitialize)    \
    USE(cuptiRangeProfilerGetCounterDataInfo) USE(cuptiSassMetricsGetProperties)                   \
    USE(cuptiSassMetricsSetConfig) USE(cuptiSassMetricsUnsetConfig) USE(cuptiSassMetricsEnable)    \
    USE(cuptiSassMetricsDisable) USE(cuptiSassMetricsGetDataProperties)                            \
    USE(cuptiSassMetricsFlushData) USE(cuptiPCSamplingEnable) USE(cuptiPCSamplingDisable)          \
    USE(cuptiPCSamplingGetData) USE(cuptiPCSamplingGetNumStallReasons)                             \
    USE(cuptiPCSamplingGetStallReasons) USE(cuptiPCSamplingSetConfigurationAttribute)
#define CUPTI_OWN_FUNCTIONS(USE)                                                                   \
    USE(cuptiProfilerDeInitialize) USE(cuptiProfilerDeviceSupported)                               \
    USE(cuptiProfilerHostGetMetricProperties) USE(cuptiRangeProfilerPushRange)                     \
    USE(cuptiRangeProfilerPopRange) USE(cuptiRangeProfilerCounterDataGetRangeInfo)                 \
    USE(cuptiPCSamplingStart) USE(cuptiPCSamplingStop) USE(cuptiPmSamplingEnable)                  \
    USE(cuptiPmSamplingDisable) USE(cuptiPmSamplingSetConfig) USE(cuptiPmSamplingStart)            \
    USE(cuptiPmSamplingStop) USE(cuptiPmSamplingDecodeData) USE(cuptiPmSamplingGetCounterDataSize) \
    USE(cuptiPmSamplingCounterDataImageInitialize) USE(cuptiPmSamplingGetCounterDataInfo)          \
    USE(cuptiPmSamplingCounterDataGetSampleInfo) USE(cuptiSubscribe) USE(cuptiUnsubscribe)         \
    USE(cuptiActivityEnable) USE(cuptiActivityDisable) USE(cuptiActivityFlushAll)                  \
    USE(cuptiActivityGetNextRecord) USE(cuptiActivityGetNumDroppedRecords)                         \
    USE(cuptiActivityRegisterCallbacks) USE(cuptiActivityRegisterTimestampCallback)
/* clang-format on */

#define CUPTI_MEMBER(function) __typeof__(function) *function;
struct cupti {
    void *library;
    int profiler_initialised;
    uint32_t version;
    char chip[32];
    CUcontext context;
    CUPTI_SHARED_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_OWN_FUNCTIONS(CUPTI_MEMBER) /* NULL in the library that is linked with CUPTI */
    /* names the tool that has the subscription; NULL in older libraries */
    __typeof__(cuptiSubscribe_v2) *subscribe_by_name;
    /* says who holds CUPTI if another tool does; may be NULL */
    const char *(*holder)(const struct cupti *cupti);
};
#undef CUPTI_MEMBER

/* A parameter struct of CUPTI with its size and these members set; the others are zero. */
#define CUPTI_PARAMS(type, name, ...) type name = {.structSize = type##_STRUCT_SIZE, __VA_ARGS__}

/* Returns 1 (CUPTI_CALL: 0) if the call succeeded, else 0 (FAIL_GPU) with the reason: what failed,
 * and advice. */
#define CUPTI_OK(cupti, call, reason) cupti_ok((cupti), (cupti)->call, #call, (reason))
#define CUPTI_CALL(cupti, call, reason) (CUPTI_OK(cupti, call, reason) ? 0 : FAIL_GPU)
int cupti_ok(const struct cupti *cupti, CUptiResult status, const char *call,
             char reason[REASON_BYTES]);

#endif
