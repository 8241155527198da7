/*
 * The rows of a trace (collect/timeline_point.h).
 */
#include "collect/timeline_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "gpu/kernel_facts.h"
#include "run/run_stages.h"

static void write_status(struct csv_writer *writer, const char *reason)
{
    char status[REASON_BYTES + 16];
    snprintf(status, sizeof status, "absent: %s", reason);
    csv_text(writer, *reason ? status : "ok");
}

static void write_head(struct csv_writer *writer, int id, const struct trace *trace, uint64_t epoch)
{
    static const char *const triggers[] = {[TRIGGER_TIME] = "time", [TRIGGER_CYCLES] = "cycles"};
    const int sampled = trace->tracks && !*trace->samples_reason;
    csv_integer(writer, id);
    for (int i = 0; i < 5; i++) csv_text(writer, trace->point->key[i]);
    csv_text(writer, trace->tracks ? trace->tracks->name : "kernels");
    csv_integer(writer, (int64_t)(trace->begin_ns - epoch));
    csv_integer(writer, (int64_t)(trace->end_ns - epoch));
    csv_integer(writer, trace->repeats);
    csv_number(writer, sampled ? (double)trace->interval_ns : NAN);
    csv_text(writer, sampled ? triggers[trace->trigger] : NULL);
    write_status(writer, trace->kernels_reason);
    write_status(writer, trace->tracks ? trace->samples_reason : "not asked for");
    csv_end(writer);
}

static int write_kernels(struct csv_writer *writer, int id, const struct trace *trace)
{
    for (int i = 0; i < trace->kernel_count; i++) {
        const struct kept_kernel *kernel = &trace->kernel[i];
        const struct kernel_activity *activity = &kernel->activity;
        char *name = kernel_name(activity->symbol);
        if (!name) return FAIL_OUTPUT;
        csv_integer(writer, id);
        csv_integer(writer, kernel->repeat);
        csv_integer(writer, kernel->launch);
        csv_text(writer, name);
        csv_integer(writer, (int64_t)(activity->begin_ns - trace->begin_ns));
        csv_integer(writer, (int64_t)(activity->end_ns - trace->begin_ns));
        for (int d = 0; d < 3; d++) csv_integer(writer, activity->grid[d]);
        for (int d = 0; d < 3; d++) csv_integer(writer, activity->block[d]);
        csv_integer(writer, activity->registers);
        csv_integer(writer, activity->static_shared);
        csv_integer(writer, activity->dynamic_shared);
        csv_integer(writer, activity->stream);
        csv_end(writer);
        free(name);
    }
    return 0;
}

static void write_samples(struct csv_writer *writer, int id, const struct trace *trace)
{
    for (int i = 0; i < trace->sample_count; i++) {
        const struct kept_sample *sample = &trace->sample[i];
        for (int p = 0; p < trace->tracks->count; p++) {
            if (!trace->tracks->plan[p].source) continue; /* the chip has no such counter */
            csv_integer(writer, id);
            csv_integer(writer, i);
            csv_integer(writer, (int64_t)(sample->begin_ns - trace->begin_ns));
            csv_integer(writer, (int64_t)(sample->end_ns - trace->begin_ns));
            csv_text(writer, trace->tracks->plan[p].counter->name);
            csv_number(writer, sample->value[p]);
            csv_end(writer);
        }
    }
}

int trace_write(struct run *run, int id, const struct trace *trace)
{
    struct csv_writer *heads = run_writer(run, TABLE_TRACES),
                      *kernels = run_writer(run, TABLE_ACTIVITIES);
    struct csv_writer *samples = run_writer(run, TABLE_TRACE_SAMPLES);
    if (!heads || !kernels || !samples) return FAIL_OUTPUT;
    write_head(heads, id, trace, stage_epoch_ns(run));
    if (trace->tracks && !*trace->samples_reason) write_samples(samples, id, trace);
    return write_kernels(kernels, id, trace);
}
