#include "collect/chip_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti.h"

/* Counters may have the same source. */
static void remove_duplicates(struct resolved *metrics)
{
    size_t count = 0;
    for (size_t i = 0; i < metrics->count; i++) {
        size_t at = 0;
        while (at < count && strcmp(metrics->metric[at], metrics->metric[i])) at++;
        metrics->metric[at] = metrics->metric[i];
        count += at == count;
    }
    metrics->metric[count] = NULL;
    metrics->count = count;
}

static int count_passes(struct cupti *cupti, const char **metric, size_t count, int *passes,
                        char reason[REASON_BYTES])
{
    size_t size;
    uint8_t *config = NULL;
    CUpti_Profiler_Host_Object *host =
        cupti_host_open(cupti, cupti->chip, CUPTI_PROFILER_TYPE_RANGE_PROFILER, reason);
    if (host) config = cupti_config_make(cupti, host, metric, count, &size, passes, reason);
    cupti_host_close(cupti, host);
    free(config);
    return config ? 0 : FAIL_GPU;
}

/* A replay falsifies these, the first ones most. Peaks are facts about the device, and are right.
 * The reasons of stalls are not here, because they must be of the same launch as their sum. */
static const char *const falsified[] = {
    "dram__",           "lts__",        "gpu__time_duration", "sm__cycles",
    "sm__warps_active", "smsp__cycles", "smsp__issue",        "sm__pipe_tensor_cycles_active.avg"};
enum { ALWAYS_ABSENT = 4 }; /* of the first ones a replay gives nothing at all */

static int is_falsified(const char *metric, size_t kind)
{
    return !strncmp(metric, falsified[kind], strlen(falsified[kind])) &&
           !strstr(metric, "peak_sustained_elapsed.per_second") &&
           !strstr(metric, ".sum.peak_sustained");
}

/* Takes what is falsified out of `left` into the pass without replay as long as it fits. */
static int fill_pass(struct cupti *cupti, struct chip_counters *counters, const char **left)
{
    struct replay_counters *replay = &counters->replay;
    size_t count = 0, absent = 0;
    for (size_t kind = 0; kind < sizeof falsified / sizeof *falsified; kind++)
        for (size_t m = 0; counters->metric[m]; m++) {
            int passes = 0;
            if (!left[m] || !is_falsified(left[m], kind)) continue;
            replay->one_pass[count] = left[m];
            if (count_passes(cupti, replay->one_pass, count + 1, &passes, counters->set.reason))
                return FAIL_GPU;
            if (passes == 1)
                count++;
            else
                replay->one_pass[count] = NULL;
            if (passes > 1 && kind < ALWAYS_ABSENT) replay->falsified[absent++] = left[m];
            if (passes == 1 || kind < ALWAYS_ABSENT) left[m] = NULL;
        }
    return 0;
}

static int plan_replay(struct cupti *cupti, struct chip_counters *counters, size_t count)
{
    struct replay_counters *replay = &counters->replay;
    const char **left = calloc(count + 1, sizeof *left);
    replay->one_pass = calloc(count + 1, sizeof *replay->one_pass);
    replay->replayed = calloc(count + 1, sizeof *replay->replayed);
    replay->falsified = calloc(count + 1, sizeof *replay->falsified);
    int result =
        left && replay->one_pass && replay->replayed && replay->falsified ? 0 : error_memory();
    for (size_t m = 0; m < count && !result; m++) left[m] = counters->metric[m];
    if (!result) result = fill_pass(cupti, counters, left);
    size_t rest = 0;
    for (size_t m = 0; m < count && !result; m++)
        if (left[m]) replay->replayed[rest++] = left[m];
    if (!result)
        result = count_passes(cupti, replay->replayed, rest, &replay->passes, counters->set.reason);
    free(left);
    if (!result && !replay->one_pass[0]) result = FAIL_GPU;
    return result;
}

int chip_counters_plan(struct chip_counters *counters, const struct records *records,
                       const char *chip)
{
    struct counter_set *set = &counters->set;
    *counters = (struct chip_counters){0};
    int result = counter_set_add_ranges(set, records, NULL);
    if (result) return result;
    const size_t most = (size_t)set->count + 1;
    struct resolved metrics = {.metric = calloc(most, sizeof *metrics.metric),
                               .plan_of = calloc(most, sizeof *metrics.plan_of)};
    counters->metric = metrics.metric;
    if (!metrics.metric || !metrics.plan_of) result = error_memory();
    struct cupti *cupti = result ? NULL : cupti_load(set->reason);
    if (!result && !cupti) result = FAIL_GPU;
    if (!result) {
        snprintf(cupti->chip, sizeof cupti->chip, "%s", chip);
        counters->cupti_version = cupti_version(cupti);
        result = cupti_resolve(cupti, CUPTI_RANGES, set, &metrics);
    }
    if (!result) remove_duplicates(&metrics);
    if (!result)
        result = count_passes(cupti, metrics.metric, metrics.count, &set->passes, set->reason);
    if (!result && plan_replay(cupti, counters, metrics.count)) {
        counters->replay.passes = 0;
        *set->reason = 0;
    }
    cupti_close(cupti);
    free(metrics.plan_of);
    return result;
}

void chip_counters_free(struct chip_counters *counters)
{
    counter_set_free(&counters->set);
    free(counters->metric);
    free(counters->replay.one_pass);
    free(counters->replay.replayed);
    free(counters->replay.falsified);
    memset(counters, 0, sizeof *counters);
}
