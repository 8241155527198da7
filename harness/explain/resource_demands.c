#include "explain/resource_demands.h"

#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "explain/resource_demands.sql.h"

/* Length of the resource in a metric called demand_<resource>_ns; 0 for any other record. */
static int resource_length(const struct record *record)
{
    static const char before[] = "demand_", after[] = "_ns";
    const size_t length = strlen(record->name), others = strlen(before) + strlen(after);
    if (record->kind != RECORD_METRIC || length <= others ||
        strncmp(record->name, before, strlen(before)))
        return 0;
    return strcmp(record->name + length - strlen(after), after) ? 0 : (int)(length - others);
}

int demands_make(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE demand(family, variant, size, block, sweep, "
                                    "time_ns, resource TEXT, ns)");
    for (int i = 0; i < records->count && !result; i++) {
        const char *name = records->record[i].name;
        const int length = resource_length(&records->record[i]);
        if (length > 0)
            result = query_write(query,
                                 "INSERT INTO demand SELECT family, variant, size, block, sweep, "
                                 "time_ns, '%.*s', %s FROM metrics WHERE best = 1",
                                 length, name + strlen("demand_"), name);
    }
    return result ? result : query_write(query, "%s", resource_demands_sql);
}
