/*
 * Lists the counters of the sets that the records define, and the collectors that they need.
 * Nothing is owned.
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

int counter_set_add_ranges(struct counter_set *set, const struct records *records,
                           const char *names)
{
    int result = 0;
    set->name = COLLECTOR_RANGE;
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_SET || !collect_listed(names, record->name)) continue;
        const char *collector = record_field(record, "collector");
        if (!strcmp(collector, COLLECTOR_RANGE))
            result = counter_set_add(set, records, RECORD_COUNTER, record->name);
        else if (strcmp(collector, COLLECTOR_PROBE) && strcmp(collector, COLLECTOR_SAMPLER) &&
                 strcmp(collector, COLLECTOR_TWINS))
            result = error(FAIL_INPUT,
                           "%s:%d: no collector is called '%s'; expected range, probe, sampler or "
                           "twins",
                           record->file, record_line(record, "collector"), collector);
    }
    return result;
}

/* Returns FAIL_USAGE if no set has one of the names. */
static int check_names(const struct records *records, const char *sets)
{
    const char *names[SET_COUNT], *p = sets;
    size_t count = 0;
    int result = 0;
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_SET && count < SET_COUNT)
            names[count++] = records->record[i].name;
    for (size_t length; p && *p && !result; p += length, p += *p == ',') {
        length = strcspn(p, ",");
        char *name = strndup(p, length);
        if (!name) return error_memory();
        const char *nearest = text_nearest(name, names, count);
        if (!records_find(records, RECORD_SET, name))
            result = error(FAIL_USAGE, "no counter set is called '%s'; %s%s%s", name,
                           nearest ? "did you mean '" : "'whyfast list metrics' names them",
                           nearest ? nearest : "", nearest ? "'?" : "");
        free(name);
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
        else if (!strcmp(collector, COLLECTOR_TWINS))
            asked->knockouts = 1;
        else
            asked->counters = 1;
    }
    records_free(&records);
    return result;
}
