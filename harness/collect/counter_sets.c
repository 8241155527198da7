/*
 * Which counter sets were asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "collect/collect_counters.h"
#include "collect/collector.h"

enum { SET_COUNT = 16 };

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

/* Each of the names is that of a set. */
static int check_names(const struct records *records, const char *sets)
{
    const char *names[SET_COUNT];
    size_t count = 0;
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_SET && count < SET_COUNT)
            names[count++] = records->record[i].name;
    for (const char *p = sets; p && *p; p += *p == ',') {
        const size_t length = strcspn(p, ",");
        char *name = strndup(p, length);
        if (!name) return error_memory();
        const int known = records_find(records, RECORD_SET, name) != NULL;
        const char *nearest = known ? NULL : text_nearest(name, names, count);
        const int result =
            known ? 0
            : nearest
                ? error(FAIL_USAGE, "no counter set is called '%s'; did you mean '%s'?", name,
                        nearest)
                : error(FAIL_USAGE,
                        "no counter set is called '%s'; 'whyfast list metrics' names them", name);
        free(name);
        if (result) return result;
        p += length;
    }
    return 0;
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
        *(!strcmp(collector, COLLECTOR_PROBE)     ? &asked->lines
          : !strcmp(collector, COLLECTOR_SAMPLER) ? &asked->traces
                                                  : &asked->counters) = 1;
    }
    records_free(&records);
    return result;
}
