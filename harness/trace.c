#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "annotate.h"
#include "invoke.h"
#include "message.h"
#include "stages.h"

enum {
    MOST_REPEATS = 64,
    LEAST_SAMPLES = 60,
    MOST_SAMPLES = 120,
    IDLE_INTERVALS = 8          /* before the launch and after it */
};

/* In steps of half as much again. */
static const uint64_t intervals_ns[] = {2000,   3000,   5000,   7000,   10000,  15000,  20000,  30000,   50000,   70000,
                                        100000, 150000, 200000, 300000, 500000, 700000, 1000000, 1500000, 2000000, 3000000};

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

void trace_free(struct trace *trace)
{
    for (int i = 0; i < trace->kernel_count; i++) free(trace->kernel[i].activity.symbol);
    for (int i = 0; i < trace->sample_count; i++) free(trace->sample[i].value);
    free(trace->kernel);
    free(trace->sample);
}

/* ---- what happened ------------------------------------------------------------------------------------------------------------------------- */

/* The records that came since the last time, without that of the gate, into the trace. */
static int keep_kernels(struct trace_source *source, struct trace *trace, int first_repeat, int repeats)
{
    enum { GATE = 1 };
    struct activities taken = {0};
    if (!source->recorder) return 0;
    int result = activity_recorder_take(source->recorder, &taken, trace->kernels_reason);
    const int own = taken.count - GATE;
    if (!result && (own <= 0 || own % repeats)) {
        snprintf(trace->kernels_reason, REASON_BYTES, "CUPTI recorded %d kernels of %d runs", own < 0 ? 0 : own, repeats);
        result = FAIL_GPU;
    }
    struct kept_kernel *grown = result ? NULL : realloc(trace->kernel, (size_t)(trace->kernel_count + own) * sizeof *grown);
    if (grown) trace->kernel = grown;
    if (!result && !grown) result = error_memory();
    for (int i = 0; i < own && !result; i++) {
        const int each = own / repeats;
        trace->kernel[trace->kernel_count++] = (struct kept_kernel){taken.kernel[GATE + i], first_repeat + i / each, i % each};
        taken.kernel[GATE + i].symbol = NULL; /* the trace's now */
    }
    activities_free(&taken);
    return result == FAIL_GPU ? 0 : result; /* the reason stands in the trace */
}

static int keep_sample(void *context, const struct over_time_sample *sample)
{
    struct trace *trace = context;
    const size_t bytes = (size_t)trace->tracks->count * sizeof *sample->value;
    struct kept_sample *grown = realloc(trace->sample, (size_t)(trace->sample_count + 1) * sizeof *grown);
    if (!grown) return error_memory();
    trace->sample = grown;
    struct kept_sample *kept = &grown[trace->sample_count];
    *kept = (struct kept_sample){sample->begin_ns, sample->end_ns, malloc(bytes)};
    if (!kept->value) return error_memory();
    memcpy(kept->value, sample->value, bytes);
    trace->sample_count++;
    return 0;
}

/* ---- running ------------------------------------------------------------------------------------------------------------------------------- */

static int synchronize(const struct trace_source *source)
{
    return CUDA_OK(cudaStreamSynchronize(source->device->stream)) ? 0 : FAIL_GPU;
}

static int launch(struct trace_source *source, const struct trace *trace)
{
    annotate_variant(trace->selected, -1, 0);
    const int result = invoke_all(&source->bench, trace->selected->variant, &trace->selected->point);
    annotate_end();
    return result;
}

/* Kernels are loaded, a library makes its handle: not while the stream is held, which could wait for them in vain. */
static int warm_up(struct trace_source *source, const struct trace *trace)
{
    struct listed_kernel *kernels = NULL;
    struct kernel_facts facts;
    unsigned count = 0;
    int result = variant_kind(trace->selected->variant) == KIND_LIBRARY ? launch(source, trace) : 0;
    if (!result) result = synchronize(source);
    if (!result) result = invoke_kernels(&source->bench, trace->selected->variant, &trace->selected->point, &kernels, &count);
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
    if (!result) result = gate_flush_l2(&source->gate);
    if (!result) result = synchronize(source);
    if (!result && source->recorder && activity_recorder_take(source->recorder, &none, ignored) == FAIL_OUTPUT) result = FAIL_OUTPUT;
    activities_free(&none);
    return result;
}

/* Runs the point so many times in a row, behind the gate. */
static int run_behind_gate(struct trace_source *source, const struct trace *trace, int times)
{
    int result = gate_hold(&source->gate);
    if (result) return result;
    for (int i = 0; i < times && !result; i++) result = launch(source, trace);
    gate_release(&source->gate); /* also after a failure: the stream must not stay held */
    const int waited = synchronize(source);
    if (!result && !waited && gate_failed(&source->gate)) return error(FAIL_GPU, "the host was stopped for more than 5 s while the stream was held");
    return result ? result : waited;
}

int trace_record(struct trace_source *source, struct trace *trace)
{
    int result = 0;
    result = warm_up(source, trace);
    trace->begin_ns = trace->end_ns = stage_clock_ns();
    if (!source->recorder) {
        snprintf(trace->kernels_reason, REASON_BYTES, "%s", source->refused);
        return result;
    }
    for (int i = 0; i < trace->repeats && !result; i++) {
        result = prepare(source);
        if (!result) result = run_behind_gate(source, trace, 1);
        if (!result) result = keep_kernels(source, trace, i, 1);
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

int trace_sample(struct trace_source *source, struct trace *trace, struct over_time_sampler *sampler)
{
    int result = prepare(source);
    trace->begin_ns = trace->end_ns = stage_clock_ns();
    if (!source->recorder) snprintf(trace->kernels_reason, REASON_BYTES, "%s", source->refused);
    if (!result) result = over_time_start(sampler);
    if (result) return result;
    pause_intervals(trace);
    result = run_behind_gate(source, trace, trace->repeats);
    pause_intervals(trace);
    const int stopped = over_time_stop(sampler, keep_sample, trace);
    trace->end_ns = stage_clock_ns();
    if (!result) result = stopped;
    if (!result) result = keep_kernels(source, trace, 0, trace->repeats);
    if (!result && trace->sample_count == 0) snprintf(trace->samples_reason, REASON_BYTES, "CUPTI returned no sample");
    return result;
}
