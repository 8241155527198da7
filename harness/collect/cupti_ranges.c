/*
 * Counters by the CUPTI range profiler: one user range per launch, user replay over a batch of
 * points. Before each point of every pass the outputs are restored, the L2 cache is flushed and the
 * device synchronised, so that every pass sees the same machine.
 */
#include "collect/cupti.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"

struct range_state {
    struct cupti *cupti;
    struct counter_set *set;
    CUpti_Profiler_Host_Object *host;
    CUpti_RangeProfiler_Object *profiler;
    struct resolved resolved;
    uint8_t *config;
    size_t config_size;
    uint8_t *image; /* of the batch collected last */
    size_t image_size;
};

/* ---- planning, which needs no GPU ------------------------------------------------------------ */

int counter_known(const char *chip, const char *metric)
{
    char reason[REASON_BYTES];
    struct cupti *cupti = cupti_load(reason);
    CUpti_Profiler_Host_Object *host =
        cupti ? cupti_host_open(cupti, chip, CUPTI_RANGES, reason) : NULL;
    const int known = host && cupti_metric_known(cupti, host, metric, reason) > 0;
    cupti_host_close(cupti, host);
    cupti_close(cupti);
    return known;
}

int counter_plan_passes(enum cupti_use use, const char *chip, const char **metric, size_t count,
                        int *passes)
{
    char reason[REASON_BYTES];
    size_t size;
    struct cupti *cupti = cupti_load(reason);
    if (!cupti) return error(FAIL_GPU, "%s", reason);
    CUpti_Profiler_Host_Object *host = cupti_host_open(cupti, chip, use, reason);
    uint8_t *config =
        host ? cupti_config_make(cupti, host, metric, count, &size, passes, reason) : NULL;
    const int result = config ? 0 : error(FAIL_CHECK, "%s: %s", chip, reason);
    free(config);
    cupti_host_close(cupti, host);
    cupti_close(cupti);
    return result;
}

/* ---- evaluation, which needs no GPU ---------------------------------------------------------- */

/* CUPTI crashes on what is no image at all, as it does on a range that is not there. The header
 * of an image opens with this word. */
static int is_image(const char *image, size_t size)
{
    static const char magic[] = "LOPDATA";
    return size >= 4096 && !memcmp(image, magic, sizeof magic);
}

static int has_range(struct cupti *cupti, const uint8_t *image, size_t size, size_t range,
                     char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = image;
    info.counterDataImageSize = size;
    if (!CUPTI_OK(cupti, cuptiRangeProfilerGetCounterDataInfo(&info), reason)) return 0;
    if (range < info.numTotalRanges) return 1;
    snprintf(reason, REASON_BYTES, "has %zu ranges and none with the index %zu",
             info.numTotalRanges, range);
    return 0;
}

int counter_image_evaluate(const char *path, const char *chip, size_t range, const char **metric,
                           size_t count, double *value)
{
    char reason[REASON_BYTES];
    size_t size;
    char *image = text_read_file(path, &size);
    if (!image) return error(FAIL_INPUT, "%s: cannot read the counter-data image", path);
    if (!is_image(image, size)) {
        free(image);
        return error(FAIL_INPUT, "%s: is no counter-data image of CUPTI", path);
    }
    struct cupti *cupti = cupti_load(reason);
    CUpti_Profiler_Host_Object *host =
        cupti ? cupti_host_open(cupti, chip, CUPTI_RANGES, reason) : NULL;
    int result = host ? 0 : error(FAIL_GPU, "%s", reason);
    if (host && (!has_range(cupti, (const uint8_t *)image, size, range, reason) ||
                 !cupti_evaluate(cupti, host, (const uint8_t *)image, size, range, metric, count,
                                 value, reason)))
        result = error(FAIL_INPUT, "%s: %s", path, reason);
    cupti_host_close(cupti, host);
    cupti_close(cupti);
    free(image);
    return result;
}

/* ---- collection ------------------------------------------------------------------------------ */

static void range_close(void *opaque)
{
    struct range_state *state = opaque;
    if (!state) return;
    CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
    disable.pRangeProfilerObject = state->profiler;
    if (state->profiler) state->cupti->cuptiRangeProfilerDisable(&disable);
    cupti_host_close(state->cupti, state->host);
    resolved_free(&state->resolved);
    free(state->config);
    free(state->image);
    free(state);
}

static int range_open(void **opaque, struct cupti *cupti, struct counter_set *set)
{
    struct range_state *state = calloc(1, sizeof *state);
    if (!state) return error_memory();
    state->cupti = cupti;
    state->set = set;
    int result = cupti_resolve(cupti, CUPTI_RANGES, set, &state->resolved);
    CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = cupti->context;
    if (!result) {
        result = FAIL_GPU;
        state->host = cupti_host_open(cupti, cupti->chip, CUPTI_RANGES, set->reason);
        if (state->host)
            state->config =
                cupti_config_make(cupti, state->host, state->resolved.metric, state->resolved.count,
                                  &state->config_size, &set->passes, set->reason);
        if (state->config && CUPTI_OK(cupti, cuptiRangeProfilerEnable(&enable), set->reason)) {
            state->profiler = enable.pRangeProfilerObject;
            result = 0;
        }
    }
    if (result)
        range_close(state);
    else
        *opaque = state;
    return result;
}

/* A fresh counter-data image for `launches` ranges, and the configuration that fills it. */
static int configure(struct range_state *state, size_t launches)
{
    struct cupti *cupti = state->cupti;
    char *reason = state->set->reason;
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
    size.pRangeProfilerObject = initialize.pRangeProfilerObject = config.pRangeProfilerObject =
        state->profiler;
    size.pMetricNames = state->resolved.metric;
    size.numMetrics = state->resolved.count;
    size.maxNumOfRanges = launches;
    size.maxNumRangeTreeNodes = (uint32_t)launches;
    if (!CUPTI_OK(cupti, cuptiRangeProfilerGetCounterDataSize(&size), reason)) return FAIL_GPU;
    uint8_t *image = realloc(state->image, size.counterDataSize);
    if (!image) return error_memory();
    state->image = image;
    state->image_size = size.counterDataSize;
    memset(image, 0, state->image_size);
    initialize.counterDataSize = config.counterDataImageSize = state->image_size;
    initialize.pCounterData = config.pCounterDataImage = image;
    if (!CUPTI_OK(cupti, cuptiRangeProfilerCounterDataImageInitialize(&initialize), reason))
        return FAIL_GPU;
    config.configSize = state->config_size;
    config.pConfig = state->config;
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = launches;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.targetNestingLevel = 1;
    return CUPTI_OK(cupti, cuptiRangeProfilerSetConfig(&config), reason) ? 0 : FAIL_GPU;
}

int counter_trial(struct cupti *cupti, char reason[REASON_BYTES])
{
    static char metric[] = "sm__cycles_active.avg";
    struct counter_plan plan = {.source = metric};
    struct counter_set set = {.name = "trial", .count = 1, .plan = &plan};
    CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    void *opaque = NULL;
    int result = range_open(&opaque, cupti, &set);
    if (!result) result = configure(opaque, 1);
    if (!result) {
        start.pRangeProfilerObject = stop.pRangeProfilerObject =
            ((struct range_state *)opaque)->profiler;
        if (CUPTI_OK(cupti, cuptiRangeProfilerStart(&start), set.reason))
            cupti->cuptiRangeProfilerStop(
                &stop); /* no range was there to be counted: whatever it says */
        else
            result = FAIL_GPU;
    }
    range_close(opaque);
    snprintf(reason, REASON_BYTES, "%s", set.reason);
    return result;
}

/* The launches of one point, each in a range named by its place in the batch. */
static int launch_ranges(struct range_state *state, const struct batch *batch,
                         const struct selected *point, unsigned first)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    push.pRangeProfilerObject = pop.pRangeProfilerObject = state->profiler;
    const unsigned launches = variant_launches(point->variant, &point->point);
    for (unsigned i = 0; i < launches; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", first + i);
        push.pRangeName = name;
        if (invoke_clear(batch->bench, point->variant, &point->point, i))
            return FAIL_GPU; /* no work of the kernel's: outside of the range */
        if (!CUPTI_OK(state->cupti, cuptiRangeProfilerPushRange(&push), state->set->reason))
            return FAIL_GPU;
        const int result = invoke(batch->bench, point->variant, &point->point, i);
        const int popped =
            CUPTI_OK(state->cupti, cuptiRangeProfilerPopRange(&pop), state->set->reason);
        if (result) state->set->reason[0] = 0; /* not CUPTI's fault, whatever it says then */
        if (result || !popped) return result ? result : FAIL_GPU;
    }
    return CUDA_OK(cudaStreamSynchronize(batch->bench->device->stream)) ? 0 : FAIL_GPU;
}

/* Every point finds the same machine: outputs restored, the L2 cache flushed, nothing running. */
static int launch_batch(struct range_state *state, const struct batch *batch)
{
    unsigned first = 0;
    for (int i = 0; i < batch->count; i++) {
        const struct selected *point = batch->point[i];
        if (interrupted()) return FAIL_INTERRUPTED;
        int result = work_poison(batch->bench);
        if (!result) result = stream_gate_flush_l2(batch->gate);
        if (result) return result;
        if (!CUDA_OK(cudaStreamSynchronize(batch->bench->device->stream))) return FAIL_GPU;
        nvtx_variant(point, -1, 0);
        result = launch_ranges(state, batch, point, first);
        nvtx_end();
        if (result) return result;
        first += variant_launches(point->variant, &point->point);
    }
    return 0;
}

/* One pass over all points; *done once CUPTI has seen enough of them. Starting a pass costs tens
 * of milliseconds (instrumented code is made anew), which is why points go in batches. */
static int one_pass(struct range_state *state, const struct batch *batch, int *done)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    start.pRangeProfilerObject = stop.pRangeProfilerObject = state->profiler;
    if (!CUPTI_OK(state->cupti, cuptiRangeProfilerStart(&start), state->set->reason))
        return FAIL_GPU;
    const int result = launch_batch(state, batch);
    char reason[REASON_BYTES];
    const int stopped = CUPTI_OK(state->cupti, cuptiRangeProfilerStop(&stop), reason);
    if (result) return result; /* with its own reason, or none where CUPTI is not to blame */
    if (!stopped) memcpy(state->set->reason, reason, sizeof reason);
    *done = stop.isAllPassSubmitted;
    return stopped ? 0 : FAIL_GPU;
}

/* Values of every range into value[launch * count + plan]; ranges are named by their launch. */
static int read_ranges(struct range_state *state, unsigned launches, double *value)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = state->image;
    info.counterDataImageSize = state->image_size;
    if (!CUPTI_OK(state->cupti, cuptiRangeProfilerGetCounterDataInfo(&info), state->set->reason))
        return FAIL_GPU;
    if (info.numTotalRanges != launches) {
        snprintf(state->set->reason, REASON_BYTES, "CUPTI returned %zu ranges of %u",
                 info.numTotalRanges, launches);
        return FAIL_GPU;
    }
    double *row = malloc((state->resolved.count + 1) * sizeof *row);
    if (!row) return error_memory();
    int result = 0;
    for (size_t range = 0; range < info.numTotalRanges && !result; range++) {
        CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, name);
        name.pCounterDataImage = state->image;
        name.counterDataImageSize = state->image_size;
        name.rangeIndex = range;
        name.rangeDelimiter = "/";
        if (!CUPTI_OK(state->cupti, cuptiRangeProfilerCounterDataGetRangeInfo(&name),
                      state->set->reason) ||
            !cupti_evaluate(state->cupti, state->host, state->image, state->image_size, range,
                            state->resolved.metric, state->resolved.count, row,
                            state->set->reason)) {
            result = FAIL_GPU;
            break;
        }
        const unsigned long launch = strtoul(name.rangeName, NULL, 10);
        for (size_t m = 0; m < state->resolved.count && launch < launches; m++)
            value[launch * (unsigned long)state->set->count +
                  (unsigned long)state->resolved.plan_of[m]] = row[m];
    }
    free(row);
    return result;
}

static int range_collect(void *opaque, const struct batch *batch, double *value)
{
    struct range_state *state = opaque;
    CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = state->profiler;
    for (size_t i = 0; i < (size_t)batch->launches * (size_t)state->set->count; i++) value[i] = NAN;
    int result = configure(state, batch->launches);
    for (int done = 0, pass = 0; !result && !done; pass++) {
        if (pass > 4 * state->set->passes) {
            snprintf(state->set->reason, REASON_BYTES,
                     "CUPTI still wants more after %d passes; it planned %d", pass,
                     state->set->passes);
            return FAIL_GPU;
        }
        const double before = seconds_now();
        result = one_pass(state, batch, &done);
        detail("range profiler: pass %d over %u launches took %.3f s", pass + 1, batch->launches,
               seconds_now() - before);
    }
    if (result) return result;
    if (!CUPTI_OK(state->cupti, cuptiRangeProfilerDecodeData(&decode), state->set->reason))
        return FAIL_GPU;
    if (decode.numOfRangeDropped > 0) {
        snprintf(state->set->reason, REASON_BYTES, "CUPTI dropped %zu ranges",
                 decode.numOfRangeDropped);
        return FAIL_GPU;
    }
    return read_ranges(state, batch->launches, value);
}

static int range_keep(void *opaque, const char *path)
{
    const struct range_state *state = opaque;
    FILE *file = fopen(path, "wb");
    if (!file) return error(FAIL_OUTPUT, "%s: cannot write", path);
    const int short_write = fwrite(state->image, 1, state->image_size, file) != state->image_size;
    if (fclose(file) || short_write) return error(FAIL_OUTPUT, "%s: cannot write", path);
    return 0;
}

const struct collector collector_range = {"range", range_open, range_collect, range_keep,
                                          range_close};
