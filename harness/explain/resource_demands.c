#include "explain/resource_demands.h"

#include <string.h>

#include "base/message.h"
#include "base/text.h"

#define POINT "family, variant, size, block, sweep"

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

int demands_write(struct query *query, const struct records *records, struct atomic_files *group)
{
    struct text sql = {0};
    FILE *file;
    text_append(&sql, "WITH demand AS (SELECT " POINT
                      ", time_ns, NULL AS resource, NULL AS ns FROM metrics WHERE 0");
    for (int i = 0; i < records->count; i++) {
        const char *name = records->record[i].name;
        const int length = resource_length(&records->record[i]);
        if (length > 0)
            text_format(&sql,
                        " UNION ALL SELECT " POINT
                        ", time_ns, '%.*s', %s FROM metrics WHERE best = 1",
                        length, name + strlen("demand_"), name);
    }
    text_append(&sql,
                "), unit AS (SELECT demand.*, CASE WHEN resource IN ('conflicts', 'l1') THEN "
                "'shared' ELSE resource END AS of_unit FROM demand JOIN steps_of s USING "
                "(family, variant) WHERE s.kind <> 'cpu'),"
                " summed AS (SELECT *, sum(ns) OVER (PARTITION BY " POINT ", of_unit) AS unit_ns,"
                "  count(*) OVER (PARTITION BY " POINT ") = count(ns) OVER (PARTITION BY " POINT
                ") AS all_known FROM unit)"
                " SELECT " POINT ", resource, ns, 100.0 * ns / time_ns AS pct,"
                " CASE WHEN all_known THEN dense_rank() OVER (PARTITION BY " POINT
                " ORDER BY unit_ns DESC, of_unit) END AS rank"
                " FROM summed WHERE ns IS NULL OR ns > 0"
                " ORDER BY family, CAST(size AS INTEGER), size, variant, block, sweep, unit_ns "
                "DESC, ns DESC, resource");
    int result = sql.failed
                     ? error_memory()
                     : atomic_files_begin(group, query->run->directory, "demands.csv", &file);
    if (!result) result = query_csv(query, NULL, text_string(&sql), NULL, file);
    text_free(&sql);
    return result;
}
