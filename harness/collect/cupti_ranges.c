/*
 * Collects counters with the CUPTI range profiler: one user range per launch, user replay over a
 * batch of points. Before each point of every pass the outputs are restored, the L2 cache is
 * flushed and the device synchronised, so that every pass sees the same machine.
 */
#include "collect/cupti.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"

void range_close(struct profiler *profiler)
{
    if (!profiler) return;
    CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable,
                 .pRangeProfilerObject = profiler->object);
    if (profiler->object) profiler->cupti->cuptiRangeProfilerDisable(&disable);
    profiler_close(profiler);
    free(profiler);
}

int range_open(struct profiler **opened, struct cupti *cupti, struct counter_set *set)
{
    struct profiler *profiler = calloc(1, sizeof *profiler);
    if (!profiler) return error_memory();
    CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable, .ctx = cupti->context);
    int result = profiler_open(profiler, cupti, CUPTI_RANGES, set);
    if (!result && !CUPTI_OK(cupti, cuptiRangeProfilerEnable(&enable), set->reason))
        result = FAIL_GPU;
    profiler->object = result ? NULL : enable.pRangeProfilerObject;
    if (result)
        range_close(profiler);
    else
        *opened = profiler;
    return result;
}

/* Makes a fresh counter-data image for `launches` ranges, and sets the configuration. */
static int configure(struct profiler *profiler, size_t launches)
{
    struct cupti *cupti = profiler->cupti;
    char *reason = profiler->set->reason;
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size,
                 .pRangeProfilerObject = profiler->object,
                 .pMetricNames = profiler->resolved.metric, .numMetrics = profiler->resolved.count,
                 .maxNumOfRanges = launches, .maxNumRangeTreeNodes = (uint32_t)launches);
    if (!CUPTI_OK(cupti, cuptiRangeProfilerGetCounterDataSize(&size), reason)) return FAIL_GPU;
    const int result = profiler_make_image(profiler, size.counterDataSize);
    if (result) return result;
    CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize,
                 .pRangeProfilerObject = profiler->object, .pCounterData = profiler->image,
                 .counterDataSize = profiler->image_size);
    CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config,
                 .pRangeProfilerObject = profiler->object, .configSize = profiler->config_size,
                 .pConfig = profiler->config, .pCounterDataImage = profiler->image,
                 .counterDataImageSize = profiler->image_size, .range = CUPTI_UserRange,
                 .replayMode = CUPTI_UserReplay, .maxRangesPerPass = launches,
                 .numNestingLevels = 1, .minNestingLevel = 1, .targetNestingLevel = 1);
    if (!CUPTI_OK(cupti, cuptiRangeProfilerCounterDataImageInitialize(&initialize), reason))
        return FAIL_GPU;
    return CUPTI_CALL(cupti, cuptiRangeProfilerSetConfig(&config), reason);
}

int counter_trial(struct cupti *cupti, char reason[REASON_BYTES])
{
    static char metric[] = "sm__cycles_active.avg";
    struct counter_plan plan = {.source = metric};
    struct counter_set set = {.name = "trial", .count = 1, .plan = &plan};
    struct profiler *profiler = NULL;
    int result = range_open(&profiler, cupti, &set);
    if (!result) result = configure(profiler, 1);
    if (!result) {
        CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start,
                     .pRangeProfilerObject = profiler->object);
        CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop,
                     .pRangeProfilerObject = profiler->object);
        /* There is no range to count, so the answer to stop does not matter. */
        if (CUPTI_OK(cupti, cuptiRangeProfilerStart(&start), set.reason))
            cupti->cuptiRangeProfilerStop(&stop);
        else
            result = FAIL_GPU;
    }
    range_close(profiler);
    snprintf(reason, REASON_BYTES, "%s", set.reason);
    return result;
}

/* Launches one point, each launch in a range named by its index in the batch. */
static int launch_ranges(struct profiler *profiler, const struct batch *batch,
                         const struct selected *selected, unsigned first)
{
    char *reason = profiler->set->reason;
    const unsigned launches = variant_launches(selected->variant, &selected->point);
    for (unsigned i = 0; i < launches; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", first + i);
        CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push,
                     .pRangeProfilerObject = profiler->object, .pRangeName = name);
        CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop,
                     .pRangeProfilerObject = profiler->object);
        /* Clearing is no work of the kernel's and stays outside of the range. */
        if (launch_clear(batch->bench, selected, i) ||
            !CUPTI_OK(profiler->cupti, cuptiRangeProfilerPushRange(&push), reason))
            return FAIL_GPU;
        const int result = launch_queue(batch->bench, selected, i);
        const int popped = CUPTI_OK(profiler->cupti, cuptiRangeProfilerPopRange(&pop), reason);
        if (result) reason[0] = 0; /* the launch failed: CUPTI is not to blame */
        if (result || !popped) return result ? result : FAIL_GPU;
    }
    return workbench_synchronize(batch->bench);
}

static int launch_batch(struct profiler *profiler, const struct batch *batch)
{
    unsigned first = 0;
    int result = 0;
    for (int i = 0; i < batch->count && !result; i++) {
        const struct selected *selected = batch->point[i];
        if (interrupted()) return FAIL_INTERRUPTED;
        result = workbench_prepare(batch->bench);
        if (result) break;
        nvtx_variant(selected, -1, 0);
        result = launch_ranges(profiler, batch, selected, first);
        nvtx_end();
        first += variant_launches(selected->variant, &selected->point);
    }
    return result;
}

/* One pass over all points; *done if CUPTI needs no more. Starting a pass takes tens of
 * milliseconds, because instrumented code is made anew, so points are collected in batches. */
static int one_pass(struct profiler *profiler, const struct batch *batch, int *done)
{
    char reason[REASON_BYTES];
    CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start, .pRangeProfilerObject = profiler->object);
    CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop, .pRangeProfilerObject = profiler->object);
    if (!CUPTI_OK(profiler->cupti, cuptiRangeProfilerStart(&start), profiler->set->reason))
        return FAIL_GPU;
    const int result = launch_batch(profiler, batch);
    const int stopped = CUPTI_OK(profiler->cupti, cuptiRangeProfilerStop(&stop), reason);
    if (result) return result; /* set->reason stays as launch_batch left it */
    if (!stopped) memcpy(profiler->set->reason, reason, sizeof reason);
    *done = stop.isAllPassSubmitted;
    return stopped ? 0 : FAIL_GPU;
}

/* Evaluates one range, which is named by its launch. */
static int read_range(struct profiler *profiler, size_t range, unsigned launches, double *value)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, name,
                 .pCounterDataImage = profiler->image, .counterDataImageSize = profiler->image_size,
                 .rangeIndex = range, .rangeDelimiter = "/");
    if (!CUPTI_OK(profiler->cupti, cuptiRangeProfilerCounterDataGetRangeInfo(&name),
                  profiler->set->reason))
        return FAIL_GPU;
    const unsigned long launch = strtoul(name.rangeName, NULL, 10);
    if (launch >= launches) return 0;
    return profiler_read(profiler, range, value + launch * (size_t)profiler->set->count);
}

static int read_ranges(struct profiler *profiler, unsigned launches, double *value)
{
    char *reason = profiler->set->reason;
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info,
                 .pCounterDataImage = profiler->image,
                 .counterDataImageSize = profiler->image_size);
    if (!CUPTI_OK(profiler->cupti, cuptiRangeProfilerGetCounterDataInfo(&info), reason))
        return FAIL_GPU;
    if (info.numTotalRanges != launches) {
        snprintf(reason, REASON_BYTES, "CUPTI returned %zu ranges of %u", info.numTotalRanges,
                 launches);
        return FAIL_GPU;
    }
    int result = 0;
    for (size_t range = 0; range < info.numTotalRanges && !result; range++)
        result = read_range(profiler, range, launches, value);
    return result;
}

int range_collect(struct profiler *profiler, const struct batch *batch, double *value)
{
    struct counter_set *set = profiler->set;
    CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode,
                 .pRangeProfilerObject = profiler->object);
    for (size_t i = 0; i < (size_t)batch->launches * (size_t)set->count; i++) value[i] = NAN;
    int result = configure(profiler, batch->launches);
    for (int done = 0, pass = 0; !result && !done; pass++) {
        if (pass > 4 * set->passes) {
            snprintf(set->reason, REASON_BYTES,
                     "CUPTI still wants more after %d passes; it planned %d", pass, set->passes);
            return FAIL_GPU;
        }
        const double before = seconds_now();
        result = one_pass(profiler, batch, &done);
        detail("range profiler: pass %d over %u launches took %.3f s", pass + 1, batch->launches,
               seconds_now() - before);
    }
    if (result) return result;
    if (!CUPTI_OK(profiler->cupti, cuptiRangeProfilerDecodeData(&decode), set->reason))
        return FAIL_GPU;
    if (decode.numOfRangeDropped == 0) return read_ranges(profiler, batch->launches, value);
    snprintf(set->reason, REASON_BYTES, "CUPTI dropped %zu ranges", decode.numOfRangeDropped);
    return FAIL_GPU;
}
