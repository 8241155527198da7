/*
 * Samples one reduction over time by both triggers, and an interval so short that something must
 * overflow: the bytes read must be those of the problem, the samples as long as was asked, and what
 * is lost must be said. Prints TAP; needs a GPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "collect/timeline_point.h"

enum { MOST_TRACKS = 16 };

static int tests, failures;

static void check(int passed, const char *name, double found, double expected)
{
    tests++;
    failures += !passed;
    printf("%sok %d - %s\n", passed ? "" : "not ", tests, name);
    printf("#   found %.9g, expected %.9g\n", found, expected);
}

/* The tracks of the set `timeline`. */
static void plan(const struct records *records, struct counter_set *set)
{
    set->name = "timeline";
    for (int i = 0; i < records->count && set->count < MOST_TRACKS; i++) {
        const struct record *track = &records->record[i];
        if (track->kind == RECORD_TRACK && !strcmp(record_field(track, "set"), set->name))
            set->plan[set->count++].counter = track;
    }
}

static double total(const struct trace *trace, const char *track)
{
    double sum = 0;
    for (int p = 0; p < trace->tracks->count; p++)
        for (int i = 0;
             i < trace->sample_count && !strcmp(trace->tracks->plan[p].counter->name, track); i++)
            sum += trace->sample[i].value[p];
    return sum;
}

static double mean_length(const struct trace *trace)
{
    return trace->sample_count ? (double)(trace->sample[trace->sample_count - 1].end_ns -
                                          trace->sample[0].begin_ns) /
                                     trace->sample_count
                               : NAN;
}

static void sample(struct trace_source *source, const struct selected *selected,
                   struct over_time_sampler *sampler, struct counter_set *set,
                   enum sampler_trigger wanted, int khz)
{
    static const char *const names[] = {
        [TRIGGER_BEST] = "the best trigger", [TRIGGER_TIME] = "time", [TRIGGER_CYCLES] = "cycles"};
    struct kernel_point point = {0};
    set->reason[0] = 0;
    struct trace trace = {
        .point = &point, .selected = selected, .tracks = set, .repeats = 1, .interval_ns = 5000};
    const double bytes = (double)selected->family->input_bytes(&selected->point.shape, 0);
    char name[160];
    int result = over_time_configure(
        sampler, &(struct over_time_plan){trace.interval_ns, 1e6, wanted, khz}, &trace.trigger);
    if (!result) result = trace_sample(source, &trace, sampler);
    printf("# %s: %d samples %s%s\n", names[wanted], trace.sample_count, trace.samples_reason,
           set->reason);
    snprintf(name, sizeof name, "sampled by %s: the bytes of the problem are read within 3 %%",
             names[trace.trigger]);
    check(!result && fabs(total(&trace, "dram_read") / bytes - 1) < 0.03, name,
          total(&trace, "dram_read"), bytes);
    snprintf(name, sizeof name, "  a sample is about as long as was asked");
    check(fabs(mean_length(&trace) / (double)trace.interval_ns - 1) <
              (trace.trigger == TRIGGER_TIME ? 0.01 : 0.5),
          name, mean_length(&trace), (double)trace.interval_ns);
    trace_free(&trace);
}

/* 0.5 us for so long that not all samples have room. */
static void overflow(struct trace_source *source, const struct selected *selected,
                     struct over_time_sampler *sampler, struct counter_set *set, int khz)
{
    struct kernel_point point = {0};
    struct trace trace = {
        .point = &point, .selected = selected, .tracks = set, .repeats = 40, .interval_ns = 500};
    set->reason[0] = 0;
    int result = over_time_configure(
        sampler, &(struct over_time_plan){trace.interval_ns, 1e6, TRIGGER_BEST, khz},
        &trace.trigger);
    if (!result) result = trace_sample(source, &trace, sampler);
    printf("# overflow: %s\n", set->reason);
    check(result == FAIL_GPU &&
              (strstr(set->reason, "overflowed") || strstr(set->reason, "is lost")),
          "too many samples: it is said that some are lost", result, FAIL_GPU);
    trace_free(&trace);
}

int main(void)
{
    static const char *const pattern[] = {"reduce/13*"}, *const size[] = {"2^28"};
    const struct selection_options options = {
        .patterns = pattern, .pattern_count = 1, .sizes = size, .size_count = 1};
    struct counter_set set = {.plan = calloc(MOST_TRACKS, sizeof *set.plan)};
    struct records records;
    struct selection selection;
    struct device device;
    char reason[REASON_BYTES] = "";
    int khz = 0;
    if (!set.plan || records_read_own(&records) || selection_make(&selection, &options) ||
        device_open(&device))
        return 1;
    plan(&records, &set);
    const struct selected *selected = &selection.points[0];
    struct trace_source source = {.device = &device, .refused = reason};
    struct over_time_sampler *sampler = NULL;
    struct cupti *sampling = cupti_open(CUPTI_OVER_TIME, reason);
    if (!sampling || over_time_open(&sampler, sampling, &set) ||
        !CUDA_OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0)) ||
        work_open(&source.bench, &device, selected->family, &selected->point.shape, 20,
                  WORK_UNCHECKED) ||
        stream_gate_open(&source.gate, device.stream, device.l2_bytes)) {
        printf("not ok 1 - sampling can begin\n# %s %s\n1..1\n", reason, set.reason);
        return 1;
    }
    sample(&source, selected, sampler, &set, TRIGGER_BEST, khz);
    sample(&source, selected, sampler, &set, TRIGGER_CYCLES, khz);
    overflow(&source, selected, sampler, &set, khz);
    sample(&source, selected, sampler, &set, TRIGGER_BEST,
           khz); /* what was lost harms nothing after it */
    printf("1..%d\n", tests);
    over_time_close(sampler);
    stream_gate_close(&source.gate);
    work_close(&source.bench);
    device_close(&device);
    selection_free(&selection);
    for (int p = 0; p < set.count; p++) free(set.plan[p].source);
    free(set.plan);
    records_free(&records);
    return failures > 0;
}
