/*
 * Reads the counters of single launches with CUPTI's range profiler, one set of one pass for each,
 * and writes counters.csv. Nothing is replayed: memory, caches and results are the program's own.
 * Found by experiment with CUPTI 13.0: a session that is started before a launch and stopped after
 * it holds exactly this launch. Launches of other threads wait in their callbacks meanwhile, unless
 * they left them just before.
 * Only one process can hold the counters, so sessions of several processes take turns by a lock on
 * the file `lock`.
 */
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "inject/part_files.h"
#include "inject/watch.h"

struct profiled_context {
    CUcontext context; /* NULL: unused */
    CUpti_RangeProfiler_Object *profiler;
    CUpti_Profiler_Host_Object *host[PLAN_SETS];
    uint8_t *config[PLAN_SETS];
    size_t config_size[PLAN_SETS];
    uint8_t *image;
    size_t image_size;
    int configured;        /* set that the profiler had last, or NO_SET */
    int kernel, set, lock; /* of the launch that is being profiled */
    unsigned ordinal;
};

static struct profiled_context contexts[MOST_CONTEXTS];
static int is_off; /* after a failure that would repeat itself */

static int initialise(void)
{
    static int done;
    PARAMS(CUpti_Profiler_Initialize_Params, initialize, .pPriv = NULL);
    if (!done) done = WATCH_OK(cuptiProfilerInitialize(&initialize), "counters", -1) ? 1 : -1;
    return done > 0;
}

static struct profiled_context *open_context(CUcontext context)
{
    int at = 0;
    while (at < MOST_CONTEXTS && contexts[at].context != context) at++;
    if (at < MOST_CONTEXTS) return &contexts[at];
    for (at = 0; at < MOST_CONTEXTS && contexts[at].context;) at++;
    PARAMS(CUpti_RangeProfiler_Enable_Params, enable, .ctx = context);
    if (at == MOST_CONTEXTS) part_problem("counters", -1, "the program has too many contexts");
    if (at == MOST_CONTEXTS || !initialise() ||
        !WATCH_OK(cuptiRangeProfilerEnable(&enable), "counters", -1))
        return NULL;
    contexts[at] = (struct profiled_context){
        .context = context, .profiler = enable.pRangeProfilerObject, .configured = NO_SET};
    return &contexts[at];
}

/* Plans a set for the chip of the context, once. */
static int plan_set(struct profiled_context *profiled, int s)
{
    const struct planned_set *set = &watch.plan.set[s];
    uint32_t device = 0;
    if (profiled->config[s]) return 1;
    if (!WATCH_OK(cuptiGetDeviceId(profiled->context, &device), "counters", -1)) return 0;
    PARAMS(CUpti_Device_GetChipName_Params, chip, .deviceIndex = device);
    if (!WATCH_OK(cuptiDeviceGetChipName(&chip), "counters", -1)) return 0;
    PARAMS(CUpti_Profiler_Host_Initialize_Params, host, .pChipName = chip.pChipName,
           .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER);
    if (!WATCH_OK(cuptiProfilerHostInitialize(&host), "counters", -1)) return 0;
    profiled->host[s] = host.pHostObject;
    PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add, .pHostObject = host.pHostObject,
           .ppMetricNames = set->metric, .numMetrics = set->count);
    PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size, .pHostObject = host.pHostObject);
    if (!WATCH_OK(cuptiProfilerHostConfigAddMetrics(&add), "counters", -1) ||
        !WATCH_OK(cuptiProfilerHostGetConfigImageSize(&size), "counters", -1))
        return 0;
    uint8_t *config = malloc(size.configImageSize);
    PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, get, .pHostObject = host.pHostObject,
           .configImageSize = size.configImageSize, .pConfigImage = config);
    if (!config) part_problem("counters", -1, "memory is short");
    if (!config || !WATCH_OK(cuptiProfilerHostGetConfigImage(&get), "counters", -1)) {
        free(config);
        return 0;
    }
    profiled->config[s] = config;
    profiled->config_size[s] = size.configImageSize;
    return 1;
}

/* Makes an empty image for one launch and configures the set. */
static int configure(struct profiled_context *profiled, int s)
{
    const struct planned_set *set = &watch.plan.set[s];
    PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size,
           .pRangeProfilerObject = profiled->profiler, .pMetricNames = set->metric,
           .numMetrics = set->count, .maxNumOfRanges = 1, .maxNumRangeTreeNodes = 1);
    if (!WATCH_OK(cuptiRangeProfilerGetCounterDataSize(&size), "counters", -1)) return 0;
    free(profiled->image);
    profiled->image = calloc(1, size.counterDataSize);
    profiled->image_size = size.counterDataSize;
    if (!profiled->image) part_problem("counters", -1, "memory is short");
    PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, empty,
           .pRangeProfilerObject = profiled->profiler, .pCounterData = profiled->image,
           .counterDataSize = profiled->image_size);
    PARAMS(CUpti_RangeProfiler_SetConfig_Params, config, .pRangeProfilerObject = profiled->profiler,
           .configSize = profiled->config_size[s], .pConfig = profiled->config[s],
           .pCounterDataImage = profiled->image, .counterDataImageSize = profiled->image_size,
           .range = CUPTI_AutoRange, .replayMode = CUPTI_ApplicationReplay, .maxRangesPerPass = 1,
           .numNestingLevels = 1, .minNestingLevel = 1, .targetNestingLevel = 1);
    return profiled->image &&
           WATCH_OK(cuptiRangeProfilerCounterDataImageInitialize(&empty), "counters", -1) &&
           WATCH_OK(cuptiRangeProfilerSetConfig(&config), "counters", -1);
}

/* Found by experiment with CUPTI 13.0: a profiler keeps its first configuration, so that another
 * set needs a new profiler; and a launch cannot be profiled if the profiler was renewed in the
 * callback at its beginning. So the profiler is renewed after a launch if the next one that the
 * plan takes has another set. */
static void renew(struct profiled_context *profiled)
{
    PARAMS(CUpti_RangeProfiler_Disable_Params, disable, .pRangeProfilerObject = profiled->profiler);
    PARAMS(CUpti_RangeProfiler_Enable_Params, enable, .ctx = profiled->context);
    profiled->configured = NO_SET;
    if (WATCH_OK(cuptiRangeProfilerDisable(&disable), "counters", -1) &&
        WATCH_OK(cuptiRangeProfilerEnable(&enable), "counters", -1))
        profiled->profiler = enable.pRangeProfilerObject;
    else
        is_off = 1;
}

/* The program's earlier work ends first, so that the launch runs alone. */
int counters_begin(CUcontext context, int kernel, unsigned ordinal, int set)
{
    struct profiled_context *profiled = is_off ? NULL : open_context(context);
    is_off |= !profiled;
    if (!profiled || !plan_set(profiled, set)) return 0;
    if (profiled->configured != NO_SET && profiled->configured != set) {
        part_problem("counters", kernel,
                     "a launch came in another order than in the first start of the program");
        renew(profiled);
        return 0;
    }
    profiled->configured = set;
    profiled->kernel = kernel;
    profiled->set = set;
    profiled->ordinal = ordinal;
    profiled->lock = part_lock("lock", LOCK_EX);
    PARAMS(CUpti_RangeProfiler_Start_Params, start, .pRangeProfilerObject = profiled->profiler);
    driver.synchronize();
    if (configure(profiled, set) && WATCH_OK(cuptiRangeProfilerStart(&start), "counters", kernel))
        return 1;
    part_unlock(profiled->lock);
    return 0;
}

static void write_values(struct profiled_context *profiled)
{
    const struct planned_set *set = &watch.plan.set[profiled->set];
    double *value = calloc(set->count, sizeof *value);
    if (!value) part_problem("counters", profiled->kernel, "memory is short");
    /* The program may have set a locale with another decimal point. */
    const locale_t locale = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate,
           .pHostObject = profiled->host[profiled->set], .pCounterDataImage = profiled->image,
           .counterDataImageSize = profiled->image_size, .ppMetricNames = set->metric,
           .numMetrics = set->count, .pMetricValues = value);
    if (value &&
        WATCH_OK(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "counters", profiled->kernel))
        for (size_t m = 0; m < set->count; m++) {
            struct csv_writer *row = part_row(PART_COUNTERS);
            if (!row) break;
            CSV_INTEGERS(row, profiled->kernel, profiled->ordinal, profiled->set);
            csv_text(row, set->metric[m]);
            csv_number(row, value[m]);
            part_row_end(row);
        }
    uselocale(locale);
    free(value);
}

void counters_end(CUcontext context)
{
    struct profiled_context *profiled = open_context(context);
    if (!profiled) return;
    PARAMS(CUpti_RangeProfiler_Stop_Params, stop, .pRangeProfilerObject = profiled->profiler);
    PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode,
           .pRangeProfilerObject = profiled->profiler);
    PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info,
           .pCounterDataImage = profiled->image, .counterDataImageSize = profiled->image_size);
    driver.synchronize();
    if (WATCH_OK(cuptiRangeProfilerStop(&stop), "counters", profiled->kernel) &&
        WATCH_OK(cuptiRangeProfilerDecodeData(&decode), "counters", profiled->kernel) &&
        WATCH_OK(cuptiRangeProfilerGetCounterDataInfo(&info), "counters", profiled->kernel)) {
        if (info.numTotalRanges == 1)
            write_values(profiled);
        else
            part_problem("counters", profiled->kernel, "CUPTI returned no counters for a launch");
    }
    /* A profiler that has profiled holds the counters until it is closed. */
    if (process_has_others() ||
        watch_plan_next_set(&watch.plan, profiled->kernel, profiled->ordinal) != profiled->set)
        renew(profiled);
    part_unlock(profiled->lock);
    part_flush();
}

void counters_forget(CUcontext context)
{
    for (int i = 0; i < MOST_CONTEXTS; i++) {
        if (contexts[i].context != context) continue;
        PARAMS(CUpti_RangeProfiler_Disable_Params, disable,
               .pRangeProfilerObject = contexts[i].profiler);
        cuptiRangeProfilerDisable(&disable);
        for (int s = 0; s < PLAN_SETS; s++) {
            PARAMS(CUpti_Profiler_Host_Deinitialize_Params, host,
                   .pHostObject = contexts[i].host[s]);
            if (contexts[i].host[s]) cuptiProfilerHostDeinitialize(&host);
            free(contexts[i].config[s]);
        }
        free(contexts[i].image);
        memset(&contexts[i], 0, sizeof contexts[i]);
    }
}
