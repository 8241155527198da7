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

static int count_passes(struct cupti *cupti, struct counter_set *set,
                        const struct resolved *metrics)
{
    size_t size;
    uint8_t *config = NULL;
    CUpti_Profiler_Host_Object *host =
        cupti_host_open(cupti, cupti->chip, CUPTI_PROFILER_TYPE_RANGE_PROFILER, set->reason);
    if (host)
        config = cupti_config_make(cupti, host, metrics->metric, metrics->count, &size,
                                   &set->passes, set->reason);
    cupti_host_close(cupti, host);
    free(config);
    return config ? 0 : FAIL_GPU;
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
    if (!result) result = count_passes(cupti, set, &metrics);
    cupti_close(cupti);
    free(metrics.plan_of);
    return result;
}

void chip_counters_free(struct chip_counters *counters)
{
    counter_set_free(&counters->set);
    free(counters->metric);
    memset(counters, 0, sizeof *counters);
}
