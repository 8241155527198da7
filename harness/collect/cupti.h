/*
 * CUPTI as a struct of functions, loaded at run time so that the program also runs where there is
 * none. For collect_*.c only. The library stays loaded until the process ends, because unloading
 * CUPTI 13.0 crashes at exit.
 */
#ifndef WHYFAST_CUPTI_H
#define WHYFAST_CUPTI_H

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

#include "collect/collector.h"

/* To use another function of CUPTI: its name here. */
#define CUPTI_FUNCTIONS(USE)                                                                       \
    USE(cuptiGetVersion)                                                                           \
    USE(cuptiGetResultString)                                                                      \
    USE(cuptiProfilerInitialize)                                                                   \
    USE(cuptiProfilerDeInitialize)                                                                 \
    USE(cuptiProfilerDeviceSupported)                                                              \
    USE(cuptiProfilerGetCounterAvailability)                                                       \
    USE(cuptiDeviceGetChipName)                                                                    \
    USE(cuptiProfilerHostInitialize)                                                               \
    USE(cuptiProfilerHostDeinitialize)                                                             \
    USE(cuptiProfilerHostGetMetricProperties)                                                      \
    USE(cuptiProfilerHostConfigAddMetrics)                                                         \
    USE(cuptiProfilerHostGetConfigImageSize)                                                       \
    USE(cuptiProfilerHostGetConfigImage)                                                           \
    USE(cuptiProfilerHostGetNumOfPasses)                                                           \
    USE(cuptiProfilerHostEvaluateToGpuValues)                                                      \
    USE(cuptiRangeProfilerEnable)                                                                  \
    USE(cuptiRangeProfilerDisable)                                                                 \
    USE(cuptiRangeProfilerSetConfig)                                                               \
    USE(cuptiRangeProfilerStart)                                                                   \
    USE(cuptiRangeProfilerStop)                                                                    \
    USE(cuptiRangeProfilerPushRange)                                                               \
    USE(cuptiRangeProfilerPopRange)                                                                \
    USE(cuptiRangeProfilerDecodeData)                                                              \
    USE(cuptiRangeProfilerGetCounterDataSize)                                                      \
    USE(cuptiRangeProfilerCounterDataImageInitialize)                                              \
    USE(cuptiRangeProfilerGetCounterDataInfo)                                                      \
    USE(cuptiRangeProfilerCounterDataGetRangeInfo)                                                 \
    USE(cuptiSassMetricsGetProperties)                                                             \
    USE(cuptiSassMetricsSetConfig)                                                                 \
    USE(cuptiSassMetricsUnsetConfig)                                                               \
    USE(cuptiSassMetricsEnable)                                                                    \
    USE(cuptiSassMetricsDisable)                                                                   \
    USE(cuptiSassMetricsGetDataProperties)                                                         \
    USE(cuptiSassMetricsFlushData)                                                                 \
    USE(cuptiPCSamplingEnable)                                                                     \
    USE(cuptiPCSamplingDisable)                                                                    \
    USE(cuptiPCSamplingStart)                                                                      \
    USE(cuptiPCSamplingStop)                                                                       \
    USE(cuptiPCSamplingGetData)                                                                    \
    USE(cuptiPCSamplingGetNumStallReasons)                                                         \
    USE(cuptiPCSamplingGetStallReasons)                                                            \
    USE(cuptiPCSamplingSetConfigurationAttribute)                                                  \
    USE(cuptiPmSamplingEnable)                                                                     \
    USE(cuptiPmSamplingDisable)                                                                    \
    USE(cuptiPmSamplingSetConfig)                                                                  \
    USE(cuptiPmSamplingStart)                                                                      \
    USE(cuptiPmSamplingStop)                                                                       \
    USE(cuptiPmSamplingDecodeData)                                                                 \
    USE(cuptiPmSamplingGetCounterDataSize)                                                         \
    USE(cuptiPmSamplingCounterDataImageInitialize)                                                 \
    USE(cuptiPmSamplingGetCounterDataInfo)                                                         \
    USE(cuptiPmSamplingCounterDataGetSampleInfo)                                                   \
    USE(cuptiSubscribe)                                                                            \
    USE(cuptiUnsubscribe)                                                                          \
    USE(cuptiActivityEnable)                                                                       \
    USE(cuptiActivityDisable)                                                                      \
    USE(cuptiActivityFlushAll)                                                                     \
    USE(cuptiActivityGetNextRecord)                                                                \
    USE(cuptiActivityGetNumDroppedRecords)                                                         \
    USE(cuptiActivityRegisterCallbacks)                                                            \
    USE(cuptiActivityRegisterTimestampCallback)

#define CUPTI_MEMBER(function) __typeof__(function) *function;
struct cupti {
    void *library;
    int profiler_initialised;
    uint32_t version;
    char chip[32];
    CUcontext context;
    CUPTI_FUNCTIONS(CUPTI_MEMBER)
    __typeof__(cuptiSubscribe_v2)
        *subscribe_by_name; /* tells who has it already; NULL where the library cannot */
};
#undef CUPTI_MEMBER

/* A zeroed parameter struct of CUPTI with its size set: struct and size always go together. */
#define CUPTI_PARAMS(type, name) type name = {.structSize = type##_STRUCT_SIZE}

/* Loads the library and its functions, without touching a GPU. */
struct cupti *cupti_load(char reason[REASON_BYTES]);

/* 1 when the call succeeded; else writes what failed, and the sentence that fixes it where there
 * is one, to `reason`, and is 0. */
#define CUPTI_OK(cupti, call, reason) cupti_ok((cupti), (cupti)->call, #call, (reason))
int cupti_ok(const struct cupti *cupti, CUptiResult status, const char *call,
             char reason[REASON_BYTES]);

/* 1 when the device supports this use of CUPTI, which is not CUPTI_ACTIVITIES; else 0 with the
 * reason. */
int cupti_supported(struct cupti *cupti, enum cupti_use use, char reason[REASON_BYTES]);

/* Takes the one subscription that there is in a process; when another tool has it, that is
 * remembered (gpu/other_profilers.h). cuptiUnsubscribe gives it back. */
CUptiResult cupti_subscribe(const struct cupti *cupti, CUpti_SubscriberHandle *subscriber);

/* A host object for a chip, of the range profiler's or, for CUPTI_OVER_TIME, of PM sampling's
 * metrics; NULL with the reason. */
CUpti_Profiler_Host_Object *cupti_host_open(struct cupti *cupti, const char *chip,
                                            enum cupti_use use, char reason[REASON_BYTES]);
void cupti_host_close(struct cupti *cupti, CUpti_Profiler_Host_Object *host);

/* 1 when the host object's chip knows the metric, rollup and submetric included, 0 when it does
 * not; negative, with the reason, when CUPTI does not tell. */
int cupti_metric_known(struct cupti *cupti, CUpti_Profiler_Host_Object *host, const char *metric,
                       char reason[REASON_BYTES]);

/* The counters of a set that the chip knows, by its names; they are the plans'. */
struct resolved {
    size_t count;
    const char **metric;
    int *plan_of; /* metric -> plan of the set */
};

/* Resolves each counter to the first of its names that the chip knows, on a host object of its
 * own: asking is free there and spoils nothing. FAIL_GPU with set->reason; resolved_free is due
 * in any case. */
int cupti_resolve(struct cupti *cupti, enum cupti_use use, struct counter_set *set,
                  struct resolved *resolved);
void resolved_free(struct resolved *resolved);

/* Adds all metrics in one call and returns the configuration image (the caller frees) and its
 * passes; NULL with the reason. Needs no GPU. */
uint8_t *cupti_config_make(struct cupti *cupti, CUpti_Profiler_Host_Object *host,
                           const char **metric, size_t count, size_t *size, int *passes,
                           char reason[REASON_BYTES]);

/* Values of the metrics in one range, or one sample, of a counter-data image. 1, or 0 with the
 * reason. Needs no GPU. */
int cupti_evaluate(struct cupti *cupti, CUpti_Profiler_Host_Object *host, const uint8_t *image,
                   size_t image_size, size_t range, const char **metric, size_t count,
                   double *value, char reason[REASON_BYTES]);

#endif
