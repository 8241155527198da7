/*
 * Samples counters over time with CUPTI's PM sampling (collect/collector.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "collect/cupti.h"
#include "run/run_stages.h"

enum {
    IMAGE_SAMPLES = 2048, /* each takes 33 kB of the image */
    MOST_BUFFERS = 16
};

/* The hardware's buffer holds some thousand samples, for so long. */
static const size_t BUFFER_BYTES = 64 << 20;
static const double BUFFER_NS = 5e8;

static void end_session(struct profiler *sampler)
{
    CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, disable, .pPmSamplingObject = sampler->session);
    if (sampler->session) sampler->cupti->cuptiPmSamplingDisable(&disable);
    sampler->session = NULL;
}

/* Returns 1, or 0 with the reason. */
static int begin_session(struct profiler *sampler)
{
    CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable, .deviceIndex = 0);
    end_session(sampler);
    if (!CUPTI_OK(sampler->cupti, cuptiPmSamplingEnable(&enable), sampler->set->reason)) return 0;
    sampler->session = enable.pPmSamplingObject;
    sampler->has_interval = 0;
    return 1;
}

void over_time_close(struct profiler *sampler)
{
    if (!sampler) return;
    end_session(sampler);
    profiler_close(sampler);
    free(sampler);
}

int over_time_open(struct profiler **opened, struct cupti *cupti, struct counter_set *set)
{
    struct profiler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return error_memory();
    int result = profiler_open(sampler, cupti, CUPTI_OVER_TIME, set);
    if (!result && set->passes != 1) {
        snprintf(
            set->reason, REASON_BYTES,
            "the tracks of the set %s need %d passes on this chip; sampling over time has only one",
            set->name, set->passes);
        result = FAIL_GPU;
    }
    if (!result && !begin_session(sampler)) result = FAIL_GPU;
    if (result)
        over_time_close(sampler);
    else
        *opened = sampler;
    return result;
}

/* ---- configuration --------------------------------------------------------------------------- */

/* Opens a session for each configuration. Returns 1, or 0 with the reason. */
static int set_config(struct profiler *sampler, uint64_t interval, double duration_ns,
                      CUpti_PmSampling_TriggerMode mode)
{
    const double buffers = fmin(1 + floor(duration_ns / BUFFER_NS), MOST_BUFFERS);
    if ((sampler->has_interval || !sampler->session) && !begin_session(sampler)) return 0;
    sampler->has_interval = 1;
    CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, config, .pPmSamplingObject = sampler->session,
                 .configSize = sampler->config_size, .pConfig = sampler->config,
                 .hardwareBufferSize = BUFFER_BYTES * (size_t)buffers, .samplingInterval = interval,
                 .triggerMode = mode,
                 .hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST);
    return CUPTI_OK(sampler->cupti, cuptiPmSamplingSetConfig(&config), sampler->set->reason);
}

static int make_image(struct profiler *sampler)
{
    CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, size,
                 .pPmSamplingObject = sampler->session, .pMetricNames = sampler->resolved.metric,
                 .numMetrics = sampler->resolved.count, .maxSamples = IMAGE_SAMPLES);
    if (!CUPTI_OK(sampler->cupti, cuptiPmSamplingGetCounterDataSize(&size), sampler->set->reason))
        return FAIL_GPU;
    return profiler_make_image(sampler, size.counterDataSize);
}

int over_time_configure(struct profiler *sampler, const struct over_time_plan *plan,
                        enum sampler_trigger *got)
{
    const uint64_t cycles = plan->interval_ns * (uint64_t)plan->sm_clock_khz / 1000000;
    int done = 0;
    *got = TRIGGER_TIME;
    if (plan->trigger != TRIGGER_CYCLES)
        done = set_config(sampler, plan->interval_ns, plan->duration_ns,
                          CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL);
    if (!done && plan->trigger != TRIGGER_TIME) {
        if (plan->trigger == TRIGGER_BEST)
            detail("PM sampling by time: %s; sampled by cycles", sampler->set->reason);
        *got = TRIGGER_CYCLES;
        done = set_config(sampler, cycles, plan->duration_ns,
                          CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL);
    }
    return done ? make_image(sampler) : FAIL_GPU;
}

/* ---- samples --------------------------------------------------------------------------------- */

int over_time_start(struct profiler *sampler)
{
    char *reason = sampler->set->reason;
    CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, initialize,
                 .pPmSamplingObject = sampler->session, .counterDataSize = sampler->image_size,
                 .pCounterData = sampler->image);
    CUPTI_PARAMS(CUpti_PmSampling_Start_Params, start, .pPmSamplingObject = sampler->session);
    if (!CUPTI_OK(sampler->cupti, cuptiPmSamplingCounterDataImageInitialize(&initialize), reason))
        return FAIL_GPU;
    return CUPTI_CALL(sampler->cupti, cuptiPmSamplingStart(&start), reason);
}

/* Decodes the samples into the image. Returns FAIL_GPU with the reason if some were lost. */
static int decode(struct profiler *sampler, size_t *count)
{
    char *reason = sampler->set->reason;
    CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode, .pPmSamplingObject = sampler->session,
                 .pCounterDataImage = sampler->image, .counterDataImageSize = sampler->image_size);
    CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info,
                 .pCounterDataImage = sampler->image, .counterDataImageSize = sampler->image_size);
    const int decoded = CUPTI_OK(sampler->cupti, cuptiPmSamplingDecodeData(&decode), reason);
    const int full =
        decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    if (decode.overflow)
        snprintf(reason, REASON_BYTES, "the hardware's buffer for samples overflowed");
    else if (decoded && full)
        snprintf(reason, REASON_BYTES, "there were more than %d samples; the others are lost",
                 IMAGE_SAMPLES);
    if (!decoded || decode.overflow || full ||
        !CUPTI_OK(sampler->cupti, cuptiPmSamplingGetCounterDataInfo(&info), reason))
        return FAIL_GPU;
    *count = info.numCompletedSamples;
    return 0;
}

static int read_sample(struct profiler *sampler, size_t index, struct over_time_sample *sample)
{
    const int plans = sampler->set->count;
    CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, info,
                 .pPmSamplingObject = sampler->session, .pCounterDataImage = sampler->image,
                 .counterDataImageSize = sampler->image_size, .sampleIndex = index);
    sample->value = malloc((size_t)plans * sizeof *sample->value);
    if (!sample->value) return error_memory();
    if (!CUPTI_OK(sampler->cupti, cuptiPmSamplingCounterDataGetSampleInfo(&info),
                  sampler->set->reason))
        return FAIL_GPU;
    for (int i = 0; i < plans; i++) sample->value[i] = NAN;
    sample->begin_ns = stage_clock_of(info.startTimestamp);
    sample->end_ns = stage_clock_of(info.endTimestamp);
    return profiler_read(sampler, index, sample->value);
}

int over_time_stop(struct profiler *sampler, struct over_time_sample **samples, int *count)
{
    CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, stop, .pPmSamplingObject = sampler->session);
    size_t most = 0;
    *count = 0;
    *samples = NULL;
    int result = CUPTI_OK(sampler->cupti, cuptiPmSamplingStop(&stop), sampler->set->reason)
                     ? decode(sampler, &most)
                     : FAIL_GPU;
    if (!result) *samples = calloc(most + 1, sizeof **samples);
    if (!result && !*samples) return error_memory();
    for (size_t i = 1; i < most && !result; i++)
        result = read_sample(sampler, i, &(*samples)[(*count)++]);
    return result;
}
