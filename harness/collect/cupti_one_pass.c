#include "collect/one_pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti.h"

/* Returns the passes that the metrics need together; 0, with the reason, on failure. Each question
 * has a host object of its own, because one keeps the metrics that were added to it. */
static int passes_of(struct cupti *cupti, const struct resolved *metrics, char reason[REASON_BYTES])
{
    size_t size;
    int passes = 0;
    CUpti_Profiler_Host_Object *host = cupti_host_open(cupti, cupti->chip, CUPTI_RANGES, reason);
    if (host) free(cupti_config_make(cupti, host, metrics, &size, &passes, reason));
    cupti_host_close(cupti, host);
    return passes;
}

/* Returns the set of an earlier counter that has the same source, or NOT_PACKED. */
static int set_of_source(const struct one_pass_sets *sets, int counter)
{
    const struct counter_plan *plan = sets->counters.plan;
    for (int i = 0; i < counter; i++)
        if (plan[i].source && !strcmp(plan[i].source, plan[counter].source)) return sets->set_of[i];
    return NOT_PACKED;
}

/* Returns the passes of a set with one counter more. */
static int passes_with(struct one_pass_sets *sets, struct cupti *cupti, int set, int counter,
                       const char **metric)
{
    struct resolved together = {.metric = metric};
    for (int i = 0; i < counter; i++)
        if (sets->set_of[i] == set) metric[together.count++] = sets->counters.plan[i].source;
    metric[together.count++] = sets->counters.plan[counter].source;
    return passes_of(cupti, &together, sets->counters.reason);
}

/* Puts a counter into the first set that stays in one pass, else into a new one. */
static int pack(struct one_pass_sets *sets, struct cupti *cupti, int counter, const char **metric)
{
    int *const set = &sets->set_of[counter];
    *set = NOT_PACKED;
    if (!sets->counters.plan[counter].source) return 0;
    *set = set_of_source(sets, counter);
    for (int s = 0; s <= sets->count && *set == NOT_PACKED; s++) {
        const int passes = passes_with(sets, cupti, s, counter, metric);
        if (!passes) return FAIL_GPU;
        if (passes == 1) *set = s;
        if (s == sets->count) sets->passes_of[counter] = passes;
    }
    sets->count += *set == sets->count;
    return 0;
}

int one_pass_make(struct one_pass_sets *sets, const struct records *records, const char *chip)
{
    struct counter_set *counters = &sets->counters;
    *sets = (struct one_pass_sets){0};
    int result = counter_set_add_ranges(counters, records, NULL);
    if (result) return result;
    const size_t most = (size_t)counters->count + 1;
    const char **metric = calloc(most, sizeof *metric);
    struct resolved all = {.metric = calloc(most, sizeof *all.metric),
                           .plan_of = calloc(most, sizeof *all.plan_of)};
    sets->set_of = calloc(most, sizeof *sets->set_of);
    sets->passes_of = calloc(most, sizeof *sets->passes_of);
    if (!metric || !all.metric || !all.plan_of || !sets->set_of || !sets->passes_of)
        result = error_memory();
    struct cupti *cupti = result ? NULL : cupti_load(counters->reason);
    if (!result && !cupti) result = FAIL_GPU;
    if (!result) {
        snprintf(cupti->chip, sizeof cupti->chip, "%s", chip);
        sets->cupti_version = cupti_version(cupti);
        result = cupti_resolve(cupti, CUPTI_RANGES, counters, &all);
    }
    for (int i = 0; i < counters->count && !result; i++) result = pack(sets, cupti, i, metric);
    cupti_close(cupti);
    free(metric);
    free(all.metric);
    free(all.plan_of);
    return result;
}

void one_pass_free(struct one_pass_sets *sets)
{
    counter_set_free(&sets->counters);
    free(sets->set_of);
    free(sets->passes_of);
    memset(sets, 0, sizeof *sets);
}
