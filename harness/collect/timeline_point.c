#include "collect/timeline_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "gpu/launch_variant.h"
#include "gpu/other_profilers.h"
#include "query/track_values.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum {
    MOST_REPEATS = 64,
    LEAST_SAMPLES = 60,
    MOST_SAMPLES = 120,
    IDLE_INTERVALS = 8, /* before the launch and after it */
    KEPT_AROUND = 4     /* samples before the first kernel and after the last */
};

/* In steps of half as much again. */
static const uint64_t intervals_ns[] = {2000,   3000,   5000,    7000,    10000,   15000,  20000,
                                        30000,  50000,  70000,   100000,  150000,  200000, 300000,
                                        500000, 700000, 1000000, 1500000, 2000000, 3000000};

enum { INTERVAL_COUNT = sizeof intervals_ns / sizeof *intervals_ns };

void trace_interval(double time_ns, uint64_t *interval_ns, int *repeats)
{
    const double ns = time_ns > 1 ? time_ns : 1; /* an unknown time, too */
    const double wanted = ceil(LEAST_SAMPLES * (double)intervals_ns[0] / ns);
    *repeats = wanted > MOST_REPEATS ? MOST_REPEATS : (int)wanted;
    int i = 0;
    while (i + 1 < INTERVAL_COUNT && ns * *repeats > MOST_SAMPLES * (double)intervals_ns[i]) i++;
    *interval_ns = intervals_ns[i];
}

/* Drops what was kept of its kernels. */
static void drop_kernels(struct trace *trace)
{
    for (int i = 0; i < trace->kernel_count; i++) free(trace->kernel[i].activity.symbol);
    trace->kernel_count = 0;
}

void trace_free(struct trace *trace)
{
    drop_kernels(trace);
    for (int i = 0; i < trace->sample_count; i++) free(trace->sample[i].value);
    free(trace->kernel);
    free(trace->sample);
}

/* ---- what happened --------------------------------------------------------------------------- */

/* Kernels before those of the point. */
static int gates(void)
{
    return other_profilers_unheld() ? 0 : 1;
}

/* Why records cannot be taken for the gate's and one run's; "" when they can. `expected` is how
 * many a run launches, 0 where that is not known. */
static void judge_records(const struct activities *taken, unsigned expected, uint64_t since_ns,
                          char reason[REASON_BYTES])
{
    const int own = taken->count - gates();
    if (own <= 0 || (expected && (unsigned)own != expected))
        snprintf(reason, REASON_BYTES, "CUPTI recorded %d kernels of a run", own < 0 ? 0 : own);
    for (int i = 0; i < taken->count && !*reason; i++)
        if (taken->kernel[i].begin_ns < since_ns ||
            taken->kernel[i].end_ns < taken->kernel[i].begin_ns)
            snprintf(reason, REASON_BYTES, "CUPTI could not tell when its kernels ran");
}

/* The records that came since the last time, without that of the gate, into the trace: of all
 * its runs, or of none with the reason. */
static int keep_kernels(struct trace_source *source, struct trace *trace, int repeat)
{
    const struct variant *variant = trace->selected->variant;
    const unsigned launches = variant_kind(variant) == KIND_KERNEL
                                  ? variant_launches(variant, &trace->selected->point)
                                  : 0;
    struct activities taken = {0};
    if (*trace->kernels_reason) return 0;
    int result = activity_recorder_take(source->recorder, &taken, trace->kernels_reason);
    if (!result) judge_records(&taken, launches, trace->begin_ns, trace->kernels_reason);
    const int own = taken.count - gates();
    struct kept_kernel *grown =
        result || *trace->kernels_reason
            ? NULL
            : realloc(trace->kernel, (size_t)(trace->kernel_count + own) * sizeof *grown);
    if (grown) trace->kernel = grown;
    if (!result && !*trace->kernels_reason && !grown) result = error_memory();
    for (int i = 0; i < own && grown; i++) {
        trace->kernel[trace->kernel_count++] =
            (struct kept_kernel){taken.kernel[gates() + i], repeat, i};
        taken.kernel[gates() + i].symbol = NULL; /* the trace's now */
    }
    if (*trace->kernels_reason) drop_kernels(trace);
    activities_free(&taken);
    return result == FAIL_GPU ? 0 : result; /* the reason stands in the trace */
}

static int keep_sample(void *context, const struct over_time_sample *sample)
{
    struct trace *trace = context;
    const size_t bytes = (size_t)trace->tracks->count * sizeof *sample->value;
    struct kept_sample *grown =
        realloc(trace->sample, (size_t)(trace->sample_count + 1) * sizeof *grown);
    if (!grown) return error_memory();
    trace->sample = grown;
    struct kept_sample *kept = &grown[trace->sample_count];
    *kept = (struct kept_sample){sample->begin_ns, sample->end_ns, malloc(bytes)};
    if (!kept->value) return error_memory();
    memcpy(kept->value, sample->value, bytes);
    trace->sample_count++;
    return 0;
}

/* Does an SM hold a warp in this sample, by one of the tracks that tell? */
static int is_busy(const struct counter_set *tracks, const struct kept_sample *sample)
{
    for (int p = 0; p < tracks->count; p++)
        if (track_values_holds_warps(tracks->plan[p].counter->name) && sample->value[p] > 0)
            return 1;
    return 0;
}

/* Keeps the samples in which the kernels ran, and some around them. */
static void trim_samples(struct trace *trace)
{
    int first = trace->sample_count, last = -1, kept = 0;
    for (int i = 0; i < trace->sample_count; i++) {
        if (!is_busy(trace->tracks, &trace->sample[i])) continue;
        if (last < 0) first = i;
        last = i;
    }
    for (int i = 0; i < trace->sample_count; i++) {
        const struct kept_sample sample = trace->sample[i];
        if (i < first - KEPT_AROUND || i > last + KEPT_AROUND)
            free(sample.value);
        else
            trace->sample[kept++] = sample;
    }
    if (last < 0)
        snprintf(trace->samples_reason, REASON_BYTES, "of %d samples none found a warp on an SM",
                 trace->sample_count);
    trace->sample_count = kept;
    if (kept == 0 || trace->sample[0].begin_ns >= trace->begin_ns) return;
    snprintf(trace->samples_reason, REASON_BYTES,
             "CUPTI's times lie before the trace: the system's clock was set meanwhile");
    while (trace->sample_count > 0) free(trace->sample[--trace->sample_count].value);
}

/* ---- running --------------------------------------------------------------------------------- */

static int synchronize(const struct trace_source *source)
{
    return CUDA_OK(cudaStreamSynchronize(source->device->stream)) ? 0 : FAIL_GPU;
}

static int launch(struct trace_source *source, const struct trace *trace)
{
    nvtx_variant(trace->selected, -1, 0);
    const int result =
        invoke_all(&source->bench, trace->selected->variant, &trace->selected->point);
    nvtx_end();
    return result;
}

/* Kernels are loaded, a library makes its handle: not while the stream is held, which could wait
 * for them in vain. */
static int warm_up(struct trace_source *source, const struct trace *trace)
{
    struct listed_kernel *kernels = NULL;
    struct kernel_facts facts;
    unsigned count = 0;
    int result = variant_kind(trace->selected->variant) == KIND_LIBRARY ? launch(source, trace) : 0;
    if (!result) result = synchronize(source);
    if (!result)
        result = invoke_kernels(&source->bench, trace->selected->variant, &trace->selected->point,
                                &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) result = kernel_facts(&kernels[i], &facts);
    free(kernels);
    return result;
}

/* Outputs as before a run, the L2 cache flushed, nothing running, and no record of all that. */
static int prepare(struct trace_source *source)
{
    struct activities none = {0};
    char ignored[REASON_BYTES];
    int result = work_poison(&source->bench);
    if (!result) result = stream_gate_flush_l2(&source->gate);
    if (!result) result = synchronize(source);
    if (!result && source->recorder &&
        activity_recorder_take(source->recorder, &none, ignored) == FAIL_OUTPUT)
        result = FAIL_OUTPUT;
    activities_free(&none);
    return result;
}

/* Runs the point behind the gate, so that none of its launches waits for the host. */
static int run_behind_gate(struct trace_source *source, const struct trace *trace)
{
    int result = stream_gate_hold(&source->gate);
    if (result) return result;
    result = launch(source, trace);
    stream_gate_release(&source->gate); /* also after a failure: the stream must not stay held */
    const int waited = synchronize(source);
    if (!result) result = waited;
    return result ? result : stream_gate_judge(&source->gate);
}

int trace_record(struct trace_source *source, struct trace *trace)
{
    trace->begin_ns = trace->end_ns = stage_clock_ns();
    if (!source->recorder) {
        snprintf(trace->kernels_reason, REASON_BYTES, "%s", source->refused);
        return 0;
    }
    int result = warm_up(source, trace);
    trace->begin_ns = stage_clock_ns();
    for (int i = 0; i < trace->repeats && !result; i++) {
        do {
            result = prepare(source);
            if (!result) result = run_behind_gate(source, trace);
        } while (result == OUTSIDE_AGAIN);
        if (!result) result = keep_kernels(source, trace, i);
    }
    trace->end_ns = stage_clock_ns();
    return result;
}

/* So that samples of an idle device stand before and after the kernels. */
static void pause_intervals(const struct trace *trace)
{
    const uint64_t ns = IDLE_INTERVALS * trace->interval_ns;
    const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&time, NULL);
}

int trace_sample(struct trace_source *source, struct trace *trace,
                 struct over_time_sampler *sampler)
{
    int ran = 0, result = warm_up(source, trace);
    if (!result) result = prepare(source);
    trace->begin_ns = trace->end_ns = stage_clock_ns();
    if (!result) result = over_time_start(sampler);
    if (result) return result;
    pause_intervals(trace);
    for (int i = 0; i < trace->repeats && !ran; i++) ran = launch(source, trace);
    const int waited = synchronize(source);
    pause_intervals(trace);
    const int stopped = over_time_stop(sampler, keep_sample, trace);
    trace->end_ns = stage_clock_ns();
    if (!ran) ran = waited;
    if (ran) trace->tracks->reason[0] = 0; /* not CUPTI's fault, whatever came of the samples */
    if (!ran && !stopped) trim_samples(trace);
    return ran ? ran : stopped;
}
