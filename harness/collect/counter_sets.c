/*
 * Selects counter sets by their names, and lists the counters of a set.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "collect/collect_counters.h"
#include "collect/collector.h"

enum { SET_COUNT = 16 };

int counter_set_add(struct counter_set *set, const struct records *records, enum record_kind kind,
                    const char *name)
{
    if (!set->plan) set->plan = calloc((size_t)records->count + 1, sizeof *set->plan);
    if (!set->plan) return error_memory();
    for (int i = 0; i < records->count; i++) {
        const struct record *counter = &records->record[i];
        if (counter->kind == kind && !strcmp(record_field(counter, "set"), name))
            set->plan[set->count++].counter = counter;
    }
    return 0;
}

void counter_set_free(struct counter_set *set)
{
    for (int i = 0; i < set->count; i++) free(set->plan[i].source);
    free(set->plan);
}

int collect_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    if (!list) return 1;
    for (const char *p = list; *p; p += *p == ',') {
        const size_t part = strcspn(p, ",");
        if (part == length && !strncmp(p, name, length)) return 1;
        p += part;
    }
    return 0;
}

/* Returns FAIL_USAGE if no set has this name. */
static int check_name(const struct records *records, const char *name)
{
    const char *names[SET_COUNT];
    size_t count = 0;
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_SET && count < SET_COUNT)
            names[count++] = records->record[i].name;
    if (records_find(records, RECORD_SET, name)) return 0;
    const char *nearest = text_nearest(name, names, count);
    if (nearest)
        return error(FAIL_USAGE, "no counter set is called '%s'; did you mean '%s'?", name,
                     nearest);
    return error(FAIL_USAGE, "no counter set is called '%s'; 'whyfast list metrics' names them",
                 name);
}

static int check_names(const struct records *records, const char *sets)
{
    int result = 0;
    for (const char *p = sets; p && *p && !result; p += *p == ',') {
        const size_t length = strcspn(p, ",");
        char *name = strndup(p, length);
        result = name ? check_name(records, name) : error_memory();
        free(name);
        p += length;
    }
    return result;
}

int collect_asked(const char *sets, struct collect_asked *asked)
{
    struct records records;
    int result = records_read_own(&records);
    if (result) return result;
    *asked = (struct collect_asked){0};
    result = check_names(&records, sets);
    for (int i = 0; i < records.count; i++) {
        const struct record *set = &records.record[i];
        if (set->kind != RECORD_SET || !collect_listed(sets, set->name)) continue;
        const char *collector = record_field(set, "collector");
        if (!strcmp(collector, COLLECTOR_PROBE))
            asked->lines = 1;
        else if (!strcmp(collector, COLLECTOR_SAMPLER))
            asked->timeline = 1;
        else
            asked->counters = 1;
    }
    records_free(&records);
    return result;
}
