/*
 * Loads CUPTI at run time as a struct of functions, so that the program also runs without it. For
 * cupti*.c only. The library stays loaded until the process ends, because unloading CUPTI 13.0
 * crashes at exit.
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

/* To use another function of CUPTI, add its name. */
#define CUPTI_FUNCTIONS(USE)                                                                       \
    USE(cuptiGetVersion)                                                                           \
    USE(cuptiGetResultString)                                                                      \
    USE(cuptiProfilerInitialize)                                                                   \
    USE(cuptiProfilerDeInitialize)                                                                 \
    USE(cuptiProfilerDeviceSupported)                                                              \
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
    /* names the tool that has the subscription; NULL in older libraries */
    __typeof__(cuptiSubscribe_v2) *subscribe_by_name;
};
#undef CUPTI_MEMBER

/* A parameter struct of CUPTI with its size and these members set; the others are zero. */
#define CUPTI_PARAMS(type, name, ...) type name = {.structSize = type##_STRUCT_SIZE, __VA_ARGS__}

/* Loads the library and its functions, without a GPU. Returns NULL with the reason on failure. */
struct cupti *cupti_load(char reason[REASON_BYTES]);

/* Returns 1 (CUPTI_CALL: 0) if the call succeeded, else 0 (FAIL_GPU) with the reason: what failed,
 * and advice. */
#define CUPTI_OK(cupti, call, reason) cupti_ok((cupti), (cupti)->call, #call, (reason))
#define CUPTI_CALL(cupti, call, reason) (CUPTI_OK(cupti, call, reason) ? 0 : FAIL_GPU)
int cupti_ok(const struct cupti *cupti, CUptiResult status, const char *call,
             char reason[REASON_BYTES]);

/* Takes CUPTI's single subscription of this process. If another tool has it, records that for
 * gpu/other_profilers.h. cuptiUnsubscribe releases it. */
CUptiResult cupti_subscribe(const struct cupti *cupti, CUpti_SubscriberHandle *subscriber);

/* ---- plans and values, which need no GPU ----------------------------------------------------- */

/* Creates a host object for a chip, for the metrics of the range profiler or, with CUPTI_OVER_TIME,
 * of PM sampling. Returns NULL with the reason on failure. */
CUpti_Profiler_Host_Object *cupti_host_open(struct cupti *cupti, const char *chip,
                                            enum cupti_use use, char reason[REASON_BYTES]);
void cupti_host_close(struct cupti *cupti, CUpti_Profiler_Host_Object *host);

/* Returns 1 if the host object's chip knows the metric, rollup and submetric included, 0 if it does
 * not; negative, with the reason, if CUPTI fails. */
int cupti_metric_known(struct cupti *cupti, CUpti_Profiler_Host_Object *host, const char *metric,
                       char reason[REASON_BYTES]);

/* The metrics of a set that the chip knows. */
struct resolved {
    size_t count;
    const char **metric; /* names, which are the plans' */
    int *plan_of;        /* metric -> plan of the set */
};

/* Resolves each counter of the set to the first of its names that the chip knows, and adds these to
 * *resolved, whose arrays have room for all. Returns FAIL_GPU with set->reason on failure. */
int cupti_resolve(struct cupti *cupti, enum cupti_use use, struct counter_set *set,
                  struct resolved *resolved);

/* Adds all metrics in one call and returns the configuration image, which the caller frees, and its
 * passes; NULL with the reason on failure. */
uint8_t *cupti_config_make(struct cupti *cupti, CUpti_Profiler_Host_Object *host,
                           const struct resolved *resolved, size_t *size, int *passes,
                           char reason[REASON_BYTES]);

/* A range profiler, or a sampler over time: its set, configured, and the counter-data image that it
 * fills. */
struct profiler {
    struct cupti *cupti;
    struct counter_set *set;
    CUpti_Profiler_Host_Object *host;
    struct resolved resolved;
    uint8_t *config, *image;
    size_t config_size, image_size;
    double *row; /* a value for each metric */
    CUpti_RangeProfiler_Object *object;
    CUpti_PmSampling_Object *session;
    int has_interval; /* the session has one */
};

/* Resolves each counter of the set to the first of its names that the chip knows, and makes the
 * configuration. Returns FAIL_GPU with set->reason on failure. The caller calls profiler_close in
 * any case. */
int profiler_open(struct profiler *profiler, struct cupti *cupti, enum cupti_use use,
                  struct counter_set *set);
void profiler_close(struct profiler *profiler);

/* Replaces the image by an empty one. */
int profiler_make_image(struct profiler *profiler, size_t size);

/* Evaluates one range, or one sample, of the image: sets the values of the plans that the chip
 * knows. Returns 0, or FAIL_GPU with set->reason. */
int profiler_read(struct profiler *profiler, size_t range, double *value);

#endif
