#include "measure/gpu_timer.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "gpu/launch_variant.h"
#include "driver/other_profilers.h"
#include "run/nvtx.h"

enum { EVENT_COUNT = sizeof((struct timer *)0)->event / sizeof((struct timer *)0)->event[0] };

int timer_open(struct timer *timer, struct stream_gate *gate, struct workbench *bench)
{
    *timer = (struct timer){.gate = gate, .bench = bench};
    int result = 0;
    for (int i = 0; i < EVENT_COUNT && !result; i++)
        if (!CUDA_OK(cudaEventCreate(&timer->event[i]))) result = FAIL_GPU;
    if (result) timer_close(timer);
    return result;
}

void timer_close(struct timer *timer)
{
    for (int i = 0; i < EVENT_COUNT; i++)
        if (timer->event[i]) CUDA_RELEASE(cudaEventDestroy(timer->event[i]));
    memset(timer, 0, sizeof *timer);
}

/* ---- one window ------------------------------------------------------------------------------ */

int timer_window(struct timer *timer, int (*queue)(void *context), void *context)
{
    struct stream_gate *gate = timer->gate;
    int result = stream_gate_hold(gate);
    if (result) return result;
    result = stream_gate_mark(gate, 0);
    if (!result) result = queue(context);
    if (!result) result = stream_gate_mark(gate, 1);
    stream_gate_release(gate); /* also after a failure: the stream must not stay held */
    if (!CUDA_OK(cudaStreamSynchronize(gate->stream))) return FAIL_GPU;
    return result ? result : stream_gate_judge(gate);
}

int timer_record(struct timer *timer, unsigned index)
{
    return CUDA_OK(cudaEventRecord(timer->event[index], timer->gate->stream)) ? 0 : FAIL_GPU;
}

int timer_elapsed(struct timer *timer, unsigned pairs, double *time_ns)
{
    *time_ns = 0;
    for (unsigned i = 0; i < pairs; i++) {
        const cudaEvent_t *pair = &timer->event[2 * i];
        float milliseconds = 0;
        if (!CUDA_OK(cudaEventElapsedTime(&milliseconds, pair[0], pair[1]))) return FAIL_GPU;
        *time_ns += round(1e6 * (double)milliseconds); /* the events' times are whole */
    }
    return 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct window {
    struct timer *timer;
    const struct series *series;
    unsigned pairs; /* of events, recorded around the launches */
};

static int queue_launches(void *context)
{
    struct window *window = context;
    const struct selected *selected = window->series->selected;
    const unsigned launches = variant_launches(selected->variant, &selected->point);
    const int each = window->series->kind == TIME_KERNELS;
    if (each && 2 * launches > EVENT_COUNT)
        return error(FAIL_CHECK, "%s/%s: %u launches are too many to time one by one",
                     selected->variant->family, selected->variant->name, launches);
    window->pairs = each ? launches : 1;
    int result = 0;
    for (unsigned i = 0; i < launches && !result; i++) {
        const unsigned pair = each ? i : 0;
        if (each || i == 0) result = timer_record(window->timer, 2 * pair);
        if (!result) result = launch_clear(window->timer->bench, selected, i);
        if (!result) result = launch_queue(window->timer->bench, selected, i);
        if (!result && (each || i + 1 == launches))
            result = timer_record(window->timer, 2 * pair + 1);
    }
    return result;
}

/* The launches that warm the cache are no part of the sample. */
static int prepare_l2(struct timer *timer, const struct series *series)
{
    if (series->l2 == L2_COLD) return stream_gate_flush_l2(timer->gate);
    nvtx_variant(series->selected, -1, 0);
    const int result = launch_all(timer->bench, series->selected);
    nvtx_end();
    return result;
}

int timer_sample(void *context, const struct series *series, struct sample *sample)
{
    struct timer *timer = context;
    struct window window = {timer, series, 0};
    int result;
    do {
        result = prepare_l2(timer, series);
        if (result) return result;
        nvtx_variant(series->selected, series->warming ? -1 : series->count, series->l2 == L2_COLD);
        result = timer_window(timer, queue_launches, &window);
        if (!result) result = timer_elapsed(timer, window.pairs, &sample->time_ns);
        if (!result) sample->clock_mhz = stream_gate_clock_mhz(timer->gate);
        if (!result && !series->warming) nvtx_sample(sample->time_ns, sample->clock_mhz);
        nvtx_end();
    } while (result == OUTSIDE_AGAIN);
    return result;
}

static int queue_events(void *context)
{
    const int result = timer_record(context, 0);
    return result ? result : timer_record(context, 1);
}

int timer_overhead(struct timer *timer, double *overhead_ns)
{
    enum { SAMPLES = 51 };
    double sample[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        int result;
        do {
            result = timer_window(timer, queue_events, timer);
        } while (result == OUTSIDE_AGAIN);
        if (!result) result = timer_elapsed(timer, 1, &sample[i]);
        if (result) return result;
    }
    *overhead_ns = stats_median(sample, SAMPLES);
    return 0;
}

/* ---- variants on the CPU --------------------------------------------------------------------- */

/* References need few samples. */
enum { LEAST_SAMPLES = 7, MOST_SAMPLES = 25 };

static int take_sample(const struct workbench *bench, struct series *series)
{
    nvtx_variant(series->selected, series->count, 0);
    const double before = seconds_now();
    const int result = launch_all(bench, series->selected);
    const double time_ns = round(1e9 * (seconds_now() - before));
    series->sample[series->count] =
        (struct sample){.round = series->count, .time_ns = time_ns, .clock_mhz = NAN};
    series->count++;
    nvtx_sample(time_ns, NAN);
    nvtx_end();
    return result;
}

int timer_cpu_samples(const struct workbench *bench, struct series *a, struct series *b,
                      double most_seconds)
{
    const int most = a->capacity < MOST_SAMPLES ? a->capacity : MOST_SAMPLES;
    const double start = seconds_now();
    nvtx_variant(a->selected, -1, 0);
    int result = launch_all(bench, a->selected); /* pages and clocks warm up */
    nvtx_end();
    a->stop_reason = b->stop_reason = "sample cap of the CPU";
    while (!result && a->count < most) {
        if (interrupted()) return FAIL_INTERRUPTED;
        result = take_sample(bench, a->count % 2 ? b : a);
        if (!result) result = take_sample(bench, a->count > b->count ? b : a);
        if (a->count >= LEAST_SAMPLES && seconds_now() - start > most_seconds) {
            a->stop_reason = b->stop_reason = "time cap of the CPU";
            break;
        }
    }
    return result;
}
