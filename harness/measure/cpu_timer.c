#include "measure/cpu_timer.h"

#include <math.h>

#include "base/message.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"

enum { LEAST_SAMPLES = 7, MOST_SAMPLES = 25 };

static int take_sample(const struct workbench *bench, struct series *series)
{
    nvtx_variant(series->selected, series->count, 0);
    const double before = seconds_now();
    const int result = launch_all(bench, series->selected);
    const double time_ns = 1e9 * (seconds_now() - before);
    series->sample[series->count] =
        (struct sample){.round = series->count, .time_ns = time_ns, .clock_mhz = NAN};
    series->count++;
    nvtx_sample(time_ns, NAN);
    nvtx_end();
    return result;
}

int cpu_timer_samples(const struct workbench *bench, struct series *a, struct series *b,
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
