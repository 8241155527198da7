#include "measure/gpu_timer.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "gpu/launch_variant.h"
#include "gpu/other_profilers.h"
#include "run/nvtx.h"

enum { EVENT_COUNT = sizeof((struct timer *)0)->event / sizeof((struct timer *)0)->event[0] };

int timer_open(struct timer *timer, struct workbench *bench)
{
    memset(timer, 0, sizeof *timer);
    timer->bench = bench;
    int result = stream_gate_open(&timer->gate, bench->device->stream, bench->device->l2_bytes);
    for (int i = 0; i < EVENT_COUNT && !result; i++)
        if (!CUDA_OK(cudaEventCreate(&timer->event[i]))) result = FAIL_GPU;
    if (result) timer_close(timer);
    return result;
}

void timer_close(struct timer *timer)
{
    for (int i = 0; i < EVENT_COUNT; i++)
        if (timer->event[i]) CUDA_RELEASE(cudaEventDestroy(timer->event[i]));
    if (timer->gate.open) stream_gate_close(&timer->gate);
    memset(timer, 0, sizeof *timer);
}

static int record(struct timer *timer, unsigned index)
{
    return CUDA_OK(cudaEventRecord(timer->event[index], timer->bench->device->stream)) ? 0
                                                                                       : FAIL_GPU;
}

/* Queues the launches with their events; *pairs says how many pairs of events were recorded. */
static int queue_launches(struct timer *timer, const struct series *series, unsigned *pairs)
{
    const struct variant *variant = series->selected->variant;
    const struct point *point = &series->selected->point;
    const unsigned launches = variant_launches(variant, point);
    const int each = series->kind == TIME_KERNELS;
    if (each && 2 * launches > EVENT_COUNT)
        return error(FAIL_CHECK, "%s/%s: %u launches are more than can be timed one by one",
                     variant->family, variant->name, launches);
    *pairs = each ? launches : 1;
    int result = 0;
    for (unsigned i = 0; i < launches && !result; i++) {
        if (each || i == 0) result = record(timer, 2 * (each ? i : 0));
        if (!result) result = invoke_clear(timer->bench, variant, point, i);
        if (!result) result = invoke(timer->bench, variant, point, i);
        if (!result && (each || i + 1 == launches)) result = record(timer, 2 * (each ? i : 0) + 1);
    }
    return result;
}

/* The launches that warm the cache are no part of the sample. */
static int prepare_l2(struct timer *timer, const struct series *series)
{
    if (series->l2 == L2_COLD) return stream_gate_flush_l2(&timer->gate);
    nvtx_variant(series->selected, -1, 0);
    const int result =
        invoke_all(timer->bench, series->selected->variant, &series->selected->point);
    nvtx_end();
    return result;
}

static int take_sample(struct timer *timer, const struct series *series, double *time_ns,
                       double *clock_mhz)
{
    unsigned pairs = 0;
    int result = stream_gate_hold(&timer->gate);
    if (result) return result;
    result = stream_gate_mark(&timer->gate, 0);
    if (!result) result = queue_launches(timer, series, &pairs);
    if (!result) result = stream_gate_mark(&timer->gate, 1);
    stream_gate_release(&timer->gate); /* also after a failure: the stream must not stay held */
    if (!CUDA_OK(cudaStreamSynchronize(timer->bench->device->stream))) return FAIL_GPU;
    if (result) return result;
    result = stream_gate_judge(&timer->gate);
    if (result) return result;
    *time_ns = 0;
    for (unsigned i = 0; i < pairs; i++) {
        float milliseconds = 0;
        if (!CUDA_OK(
                cudaEventElapsedTime(&milliseconds, timer->event[2 * i], timer->event[2 * i + 1])))
            return FAIL_GPU;
        *time_ns += 1e6 * (double)milliseconds;
    }
    *clock_mhz = stream_gate_clock_mhz(&timer->gate);
    return 0;
}

int timer_sample(struct timer *timer, const struct series *series, double *time_ns,
                 double *clock_mhz)
{
    int result;
    do {
        result = prepare_l2(timer, series);
        if (result) return result;
        nvtx_variant(series->selected, series->warming ? -1 : series->count, series->l2 == L2_COLD);
        result = take_sample(timer, series, time_ns, clock_mhz);
        if (!result && !series->warming) nvtx_sample(*time_ns, *clock_mhz);
        nvtx_end();
    } while (result == OUTSIDE_AGAIN);
    return result;
}

/* Two events with nothing in between. */
static int take_empty_sample(struct timer *timer, double *time_ns)
{
    float milliseconds = 0;
    int result = stream_gate_hold(&timer->gate);
    if (!result) result = record(timer, 0);
    if (!result) result = record(timer, 1);
    stream_gate_release(&timer->gate);
    if (!CUDA_OK(cudaStreamSynchronize(timer->bench->device->stream)) || result) return FAIL_GPU;
    result = stream_gate_judge(&timer->gate);
    if (result) return result;
    if (!CUDA_OK(cudaEventElapsedTime(&milliseconds, timer->event[0], timer->event[1])))
        return FAIL_GPU;
    *time_ns = 1e6 * (double)milliseconds;
    return 0;
}

int timer_overhead(struct timer *timer, double *overhead_ns)
{
    enum { SAMPLES = 51 };
    double sample[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        int result;
        do {
            result = take_empty_sample(timer, &sample[i]);
        } while (result == OUTSIDE_AGAIN);
        if (result) return result;
    }
    stats_sort(sample, SAMPLES);
    *overhead_ns = stats_quantile(sample, SAMPLES, 0.5);
    return 0;
}
