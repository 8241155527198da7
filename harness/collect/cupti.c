#include "collect/cupti.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "collect/collect_counters.h"
#include "gpu/cuda_library.h"
#include "gpu/device.h"
#include "driver/other_profilers.h"

/* No callback is enabled, so none comes. */
static void CUPTIAPI ignore(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *data)
{
    (void)context;
    (void)domain;
    (void)id;
    (void)data;
}

/* Remembers that another tool holds CUPTI, by the name that CUPTI has for it. */
static void learn_holder(const struct cupti *cupti)
{
    char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 1] = "";
    CUpti_SubscriberHandle subscriber;
    CUPTI_PARAMS(CUpti_SubscriberParams, params, .subscriberName = "whyfast",
                 .oldSubscriberName = holder,
                 .oldSubscriberSize = CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN);
    if (!other_profilers_holds_cupti() && cupti->subscribe_by_name &&
        cupti->subscribe_by_name(&subscriber, ignore, NULL, &params) == CUPTI_SUCCESS)
        cupti->cuptiUnsubscribe(subscriber);
    other_profilers_take_cupti(holder);
}

CUptiResult cupti_subscribe(const struct cupti *cupti, CUpti_SubscriberHandle *subscriber)
{
    const CUptiResult status = cupti->cuptiSubscribe(subscriber, ignore, NULL);
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) learn_holder(cupti);
    return status;
}

static const char *holder_of(const struct cupti *cupti)
{
    learn_holder(cupti);
    return other_profilers_holds_cupti();
}

static void *open_library(char reason[REASON_BYTES])
{
    static const char name[] = "libcupti.so.13";
    void *library = cuda_library_open(name, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        snprintf(reason, REASON_BYTES,
                 "%s cannot be loaded: it comes with the CUDA toolkit 13; set LD_LIBRARY_PATH to "
                 "its directory, or if pip installed whyfast: pip install 'nvidia-cuda-cupti<13.1'",
                 name);
    return library;
}

struct cupti *cupti_load(char reason[REASON_BYTES])
{
    struct cupti *cupti = calloc(1, sizeof *cupti);
    if (!cupti) {
        snprintf(reason, REASON_BYTES, "out of memory");
        return NULL;
    }
    cupti->library = open_library(reason);
    if (!cupti->library) goto failed;
#define CUPTI_LOAD(function)                                                                       \
    {                                                                                              \
        void *address = dlsym(cupti->library, #function);                                          \
        memcpy(&cupti->function, &address, sizeof address);                                        \
        if (!address) {                                                                            \
            snprintf(reason, REASON_BYTES, "libcupti.so.13 has no function " #function);           \
            goto failed;                                                                           \
        }                                                                                          \
    }
    CUPTI_SHARED_FUNCTIONS(CUPTI_LOAD)
    CUPTI_OWN_FUNCTIONS(CUPTI_LOAD)
#undef CUPTI_LOAD
    void *by_name = dlsym(cupti->library, "cuptiSubscribe_v2");
    memcpy(&cupti->subscribe_by_name, &by_name, sizeof by_name);
    cupti->holder = holder_of;
    if (!CUPTI_OK(cupti, cuptiGetVersion(&cupti->version), reason)) goto failed;
    return cupti;
failed:
    free(cupti);
    return NULL;
}

const char *counters_held(void)
{
    static int asked;
    char reason[REASON_BYTES];
    CUpti_SubscriberHandle subscriber;
    const struct other_profilers_tool *tool = other_profilers_cupti_tool();
    /* If the environment names no tool, the first call of CUPTI will tell. */
    if (asked || !tool) return other_profilers_holds_cupti();
    asked = 1;
    struct cupti *cupti = NULL;
    if (tool->serialises)
        other_profilers_take_cupti(NULL);
    else
        cupti = cupti_load(reason);
    if (cupti && cupti_subscribe(cupti, &subscriber) == CUPTI_SUCCESS)
        cupti->cuptiUnsubscribe(subscriber);
    free(cupti);
    return other_profilers_holds_cupti();
}

static int current_context(struct cupti *cupti, char reason[REASON_BYTES])
{
    PFN_cuCtxGetCurrent_v4000 get = NULL;
    if (!driver_find("cuCtxGetCurrent", 12000, &get) && get(&cupti->context) == CUDA_SUCCESS &&
        cupti->context)
        return 1;
    cudaGetLastError(); /* so that the next launch is not blamed for it */
    snprintf(reason, REASON_BYTES, "there is no CUDA context to profile");
    return 0;
}

static const struct {
    CUpti_Profiler_API api;
    const char *name, *unsupported;
} uses[] = {
    [CUPTI_RANGES] = {CUPTI_PROFILER_RANGE_PROFILING, "counters", "range profiling"},
    [CUPTI_INSTRUCTIONS] = {CUPTI_PROFILER_SASS_METRICS, "counts per instruction",
                            "counts per instruction"},
    [CUPTI_SAMPLES] = {CUPTI_PROFILER_PC_SAMPLING, "samples of instructions",
                       "sampling of the program counter"},
    [CUPTI_OVER_TIME] = {CUPTI_PROFILER_PM_SAMPLING, "counters over time",
                         "sampling of counters over time"},
};

/* Returns 1 if the device supports this use of CUPTI (any but CUPTI_ACTIVITIES), else 0 with the
 * reason. Other functions of CUPTI refuse later and less clearly. */
static int is_supported(struct cupti *cupti, enum cupti_use use, char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params, .api = uses[use].api);
    if (!CUPTI_OK(cupti, cuptiProfilerDeviceSupported(&params), reason)) return 0;
    if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return 1;
    const struct {
        CUpti_Profiler_Support_Level level;
        const char *why;
    } cause[] = {
        {params.architecture,
         "this architecture is not supported by CUPTI 13 (Turing or later is needed)"},
        {params.sli, "SLI is on"},
        {params.vGpu, "this is a virtual GPU without profiling enabled"},
        {params.confidentialCompute, "confidential computing is on"},
        {params.cmp, "this is a mining GPU"},
        {params.wsl, "this is WSL, and its settings do not allow profiling"},
    };
    const char *why = NULL;
    for (size_t i = 0; i < sizeof cause / sizeof *cause; i++)
        if (cause[i].level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) why = cause[i].why;
    snprintf(reason, REASON_BYTES, "counters cannot be read: %s%s",
             why ? why : "the device does not support ", why ? "" : uses[use].unsupported);
    return 0;
}

struct cupti *cupti_open(enum cupti_use use, char reason[REASON_BYTES])
{
    const char *held = counters_held();
    if (held) snprintf(reason, REASON_BYTES, "%s", held);
    struct cupti *cupti = held ? NULL : cupti_load(reason);
    if (!cupti) return NULL;
    CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize, .pPriv = NULL);
    CUPTI_PARAMS(CUpti_Device_GetChipName_Params, name, .pPriv = NULL);
    if (!current_context(cupti, reason)) goto failed;
    if (use == CUPTI_ACTIVITIES) return cupti; /* works where counters are refused */
    if (!CUPTI_OK(cupti, cuptiProfilerInitialize(&initialize), reason)) goto failed;
    cupti->profiler_initialised = 1;
    if (!is_supported(cupti, use, reason) ||
        !CUPTI_OK(cupti, cuptiDeviceGetChipName(&name), reason))
        goto failed;
    snprintf(cupti->chip, sizeof cupti->chip, "%s", name.pChipName);
    return cupti;
failed:
    cupti_close(cupti);
    return NULL;
}

void cupti_close(struct cupti *cupti)
{
    if (!cupti) return;
    CUPTI_PARAMS(CUpti_Profiler_DeInitialize_Params, params, .pPriv = NULL);
    if (cupti->profiler_initialised) cupti->cuptiProfilerDeInitialize(&params);
    free(cupti);
}

const char *cupti_chip(const struct cupti *cupti)
{
    return cupti->chip;
}

int cupti_version(const struct cupti *cupti)
{
    return (int)cupti->version;
}

/* ---- preflight ------------------------------------------------------------------------------- */

/* CUPTI looks beside itself, then where the loader looks. A library that is loaded here stays
 * loaded: closing it would leak what it has allocated. */
static int is_there(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *beside = text_new("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
    const int found = slash && beside && access(beside, R_OK) == 0;
    free(beside);
    return found || dlopen(name, RTLD_LAZY | RTLD_LOCAL) != NULL;
}

int cupti_find(struct cupti_location *location, char reason[REASON_BYTES])
{
    static const char *const own[] = {"libnvperf_host.so", "libnvperf_target.so"};
    Dl_info info = {0};
    void *address = NULL;
    memset(location, 0, sizeof *location);
    struct cupti *cupti = cupti_load(reason);
    if (!cupti) return FAIL_GPU;
    memcpy(&address, &cupti->cuptiGetVersion, sizeof address);
    if (dladdr(address, &info) && info.dli_fname)
        snprintf(location->path, sizeof location->path, "%s", info.dli_fname);
    location->version = cupti_version(cupti);
    location->built_for = CUPTI_API_VERSION;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!*location->missing && !is_there(location->path, own[i]))
            snprintf(location->missing, sizeof location->missing, "%s", own[i]);
    cupti_close(cupti);
    return 0;
}

void cupti_unsupported(struct cupti *cupti, char reason[REASON_BYTES])
{
    size_t length = 0;
    *reason = 0;
    for (enum cupti_use use = CUPTI_RANGES; use <= CUPTI_OVER_TIME; use++) {
        char why[REASON_BYTES];
        if (is_supported(cupti, use, why) || length >= REASON_BYTES) continue;
        length += (size_t)snprintf(reason + length, REASON_BYTES - length, "%s%s: %s",
                                   length ? "; " : "", uses[use].name, why);
    }
}

/* ---- plans and values ------------------------------------------------------------------------ */

int cupti_metric_known(struct cupti *cupti, CUpti_Profiler_Host_Object *host, const char *metric,
                       char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params, .pHostObject = host,
                 .pMetricName = metric);
    const CUptiResult status = cupti->cuptiProfilerHostGetMetricProperties(&params);
    if (status == CUPTI_ERROR_INVALID_METRIC_NAME) return 0;
    return cupti_ok(cupti, status, "cuptiProfilerHostGetMetricProperties", reason) ? 1 : -1;
}

static int resolve_plan(struct cupti *cupti, CUpti_Profiler_Host_Object *host,
                        struct counter_set *set, struct counter_plan *plan)
{
    char *alternative[ALTERNATIVE_COUNT];
    const int count = record_alternatives(plan->counter, alternative);
    int known = 0;
    for (int a = 0; a < count; a++) {
        if (known == 0) known = cupti_metric_known(cupti, host, alternative[a], set->reason);
        if (known > 0 && !plan->source)
            plan->source = alternative[a];
        else
            free(alternative[a]);
    }
    return count < 0 ? count : known < 0 ? FAIL_GPU : 0;
}

static CUpti_ProfilerType type_of(enum cupti_use use)
{
    return use == CUPTI_OVER_TIME ? CUPTI_PROFILER_TYPE_PM_SAMPLING
                                  : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
}

/* Uses a host object of its own: one that has been asked stays unspoilt for planning. */
int cupti_resolve(struct cupti *cupti, enum cupti_use use, struct counter_set *set,
                  struct resolved *resolved)
{
    CUpti_Profiler_Host_Object *host =
        cupti_host_open(cupti, cupti->chip, type_of(use), set->reason);
    int result = host ? 0 : FAIL_GPU;
    for (int i = 0; i < set->count && !result; i++) {
        if (!set->plan[i].source) result = resolve_plan(cupti, host, set, &set->plan[i]);
        if (!set->plan[i].source) continue;
        resolved->plan_of[resolved->count] = i;
        resolved->metric[resolved->count++] = set->plan[i].source;
    }
    cupti_host_close(cupti, host);
    return result;
}

int profiler_open(struct profiler *profiler, struct cupti *cupti, enum cupti_use use,
                  struct counter_set *set)
{
    const size_t most = (size_t)set->count + 1;
    struct resolved *resolved = &profiler->resolved;
    *profiler = (struct profiler){.cupti = cupti, .set = set};
    resolved->metric = calloc(most, sizeof *resolved->metric);
    resolved->plan_of = calloc(most, sizeof *resolved->plan_of);
    profiler->row = calloc(most, sizeof *profiler->row);
    if (!resolved->metric || !resolved->plan_of || !profiler->row) return error_memory();
    const int result = cupti_resolve(cupti, use, set, resolved);
    if (result) return result;
    if (use == CUPTI_OVER_TIME && resolved->count == 0) {
        snprintf(set->reason, REASON_BYTES, "chip %s has none of these counters", cupti->chip);
        return FAIL_GPU;
    }
    profiler->host = cupti_host_open(cupti, cupti->chip, type_of(use), set->reason);
    if (profiler->host)
        profiler->config =
            cupti_config_make(cupti, profiler->host, resolved->metric, resolved->count,
                              &profiler->config_size, &set->passes, set->reason);
    return profiler->config ? 0 : FAIL_GPU;
}

void profiler_close(struct profiler *profiler)
{
    cupti_host_close(profiler->cupti, profiler->host);
    void *const owned[] = {profiler->resolved.metric, profiler->resolved.plan_of, profiler->config,
                           profiler->image, profiler->row};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
}

int profiler_make_image(struct profiler *profiler, size_t size)
{
    free(profiler->image);
    profiler->image = calloc(1, size);
    profiler->image_size = profiler->image ? size : 0;
    return profiler->image ? 0 : error_memory();
}

int profiler_read(struct profiler *profiler, size_t range, double *value)
{
    const struct resolved *resolved = &profiler->resolved;
    CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params,
                 .pHostObject = profiler->host, .pCounterDataImage = profiler->image,
                 .counterDataImageSize = profiler->image_size, .rangeIndex = range,
                 .ppMetricNames = resolved->metric, .numMetrics = resolved->count,
                 .pMetricValues = profiler->row);
    if (!CUPTI_OK(profiler->cupti, cuptiProfilerHostEvaluateToGpuValues(&params),
                  profiler->set->reason))
        return FAIL_GPU;
    for (size_t m = 0; m < resolved->count; m++) value[resolved->plan_of[m]] = profiler->row[m];
    return 0;
}
