#include "kernel_counters.h"

#include "message.h"
#include "text.h"

/* The launch of kernel k. */
#define SAME_LAUNCH(t) \
    t ".family = k.family AND " t ".variant = k.variant AND " t ".size = k.size AND " t ".block = k.block AND " t ".sweep = k.sweep AND " t ".launch = k.launch"

int kernel_counters_write(struct query *query, const struct records *records, struct output_group *group)
{
    struct text sql = {0};
    FILE *file;
    text_append(&sql, "WITH k AS (SELECT * FROM kernels k WHERE (SELECT count(*) FROM kernels o WHERE " SAME_LAUNCH("o") ") = 1), "
                      "c AS (SELECT k.kernel, c.counter, median(c.value) AS value FROM k JOIN counters c ON " SAME_LAUNCH("c") " GROUP BY k.kernel, c.counter) "
                      "SELECT a.kernel AS kernel");
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_COUNTER) text_format(&sql, ", max(CASE WHEN c.counter = '%s' THEN c.value END) AS %s", record->name, record->name);
    }
    text_append(&sql, " FROM kernels a LEFT JOIN c ON c.kernel = a.kernel GROUP BY a.kernel ORDER BY a.kernel");
    int result = sql.failed ? error_memory() : query_write(query, "CREATE INDEX counters_launch ON counters(family, variant, size, block, sweep, launch)");
    if (!result) result = output_group_begin(group, query->run->directory, "kernel_counters.csv", &file);
    if (!result) result = query_csv(query, NULL, text_string(&sql), NULL, file);
    text_free(&sql);
    return result;
}
