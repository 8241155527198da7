/*
 * Samples one reduction over time by both triggers, and with an interval so short that samples must
 * be lost: the bytes read must be the problem's, the samples as long as requested, and the loss
 * must be reported. Prints TAP; needs a GPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "collect/timeline_point.h"

static int tests, failures;

static void check(int passed, const char *name, double found, double expected)
{
    tests++;
    failures += !passed;
    printf("%sok %d - %s\n", passed ? "" : "not ", tests, name);
    printf("#   found %.9g, expected %.9g\n", found, expected);
}

static double total(const struct timeline *timeline, const char *track)
{
    double sum = 0;
    for (int p = 0; p < timeline->tracks->count; p++)
        for (int i = 0;
             i < timeline->sample_count && !strcmp(timeline->tracks->plan[p].counter->name, track);
             i++)
            sum += timeline->sample[i].value[p];
    return sum;
}

static double mean_length(const struct timeline *timeline)
{
    return timeline->sample_count ? (double)(timeline->sample[timeline->sample_count - 1].end_ns -
                                             timeline->sample[0].begin_ns) /
                                        timeline->sample_count
                                  : NAN;
}

static void sample(struct workbench *bench, const struct selected *selected,
                   struct profiler *sampler, struct counter_set *set, enum sampler_trigger wanted,
                   int khz)
{
    static const char *const names[] = {
        [TRIGGER_BEST] = "the best trigger", [TRIGGER_TIME] = "time", [TRIGGER_CYCLES] = "cycles"};
    struct kernel_point point = {0};
    set->reason[0] = 0;
    struct timeline timeline = {
        .point = &point, .selected = selected, .tracks = set, .repeats = 1, .interval_ns = 5000};
    const double bytes = (double)selected->family->input_bytes(&selected->point.shape, 0);
    char name[160];
    int result = over_time_configure(
        sampler, &(struct over_time_plan){timeline.interval_ns, 1e6, wanted, khz},
        &timeline.trigger);
    if (!result) result = timeline_sample(bench, sampler, &timeline);
    printf("# %s: %d samples %s%s\n", names[wanted], timeline.sample_count, timeline.samples_reason,
           set->reason);
    snprintf(name, sizeof name, "sampled by %s: the bytes of the problem are read within 3 %%",
             names[timeline.trigger]);
    check(!result && fabs(total(&timeline, "dram_read") / bytes - 1) < 0.03, name,
          total(&timeline, "dram_read"), bytes);
    snprintf(name, sizeof name, "  a sample is about as long as was asked");
    check(fabs(mean_length(&timeline) / (double)timeline.interval_ns - 1) <
              (timeline.trigger == TRIGGER_TIME ? 0.01 : 0.5),
          name, mean_length(&timeline), (double)timeline.interval_ns);
    timeline_free(&timeline);
}

/* An interval of 0.5 us for so long that not all samples fit. */
static void overflow(struct workbench *bench, const struct selected *selected,
                     struct profiler *sampler, struct counter_set *set, int khz)
{
    struct kernel_point point = {0};
    struct timeline timeline = {
        .point = &point, .selected = selected, .tracks = set, .repeats = 40, .interval_ns = 500};
    set->reason[0] = 0;
    int result = over_time_configure(
        sampler, &(struct over_time_plan){timeline.interval_ns, 1e6, TRIGGER_BEST, khz},
        &timeline.trigger);
    if (!result) result = timeline_sample(bench, sampler, &timeline);
    printf("# overflow: %s\n", set->reason);
    check(result == FAIL_GPU &&
              (strstr(set->reason, "overflowed") || strstr(set->reason, "is lost")),
          "too many samples: it is said that some are lost", result, FAIL_GPU);
    timeline_free(&timeline);
}

int main(void)
{
    static const char *const pattern[] = {"reduce/13*"}, *const size[] = {"2^28"};
    const struct selection_options options = {
        .patterns = pattern, .pattern_count = 1, .sizes = size, .size_count = 1};
    struct counter_set set = {.name = "timeline"};
    struct records records;
    struct selection selection;
    struct device device;
    char reason[REASON_BYTES] = "";
    int khz = 0;
    if (records_read_own(&records) || counter_set_add(&set, &records, RECORD_TRACK, "timeline") ||
        selection_make(&selection, &options) || device_open(&device))
        return 1;
    const struct selected *selected = &selection.points[0];
    struct workbench bench;
    struct profiler *sampler = NULL;
    struct cupti *sampling = cupti_open(CUPTI_OVER_TIME, reason);
    if (!sampling || over_time_open(&sampler, sampling, &set) ||
        !CUDA_OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0)) ||
        workbench_open(&bench, &device, selected, 20, BENCH_UNCHECKED)) {
        printf("not ok 1 - sampling can begin\n# %s %s\n1..1\n", reason, set.reason);
        return 1;
    }
    sample(&bench, selected, sampler, &set, TRIGGER_BEST, khz);
    sample(&bench, selected, sampler, &set, TRIGGER_CYCLES, khz);
    overflow(&bench, selected, sampler, &set, khz);
    sample(&bench, selected, sampler, &set, TRIGGER_BEST,
           khz); /* losing samples does not affect later ones */
    printf("1..%d\n", tests);
    over_time_close(sampler);
    workbench_close(&bench);
    device_close(&device);
    selection_free(&selection);
    counter_set_free(&set);
    records_free(&records);
    return failures > 0;
}
