#include "evaluate/counter_rows.h"

#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "evaluate/counter_rows.sql.h"

/* Numbers the counters that have a record by their place among the records. */
static int number_records(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE counter_records(id INTEGER PRIMARY KEY, "
                                    "counter TEXT UNIQUE, is_sum INTEGER)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_COUNTER) continue;
        const char *over = record_field(record, "over");
        const int is_sum = !strcmp(over, "sum");
        result = is_sum || !strcmp(over, "longest")
                     ? query_write(query, "INSERT INTO counter_records VALUES(%d, %Q, %d)", i,
                                   record->name, is_sum)
                     : error(FAIL_INPUT, "%s:%d: over '%s'; expected sum or longest", record->file,
                             record_line(record, "over"), over);
    }
    return result;
}

/* Columns: the words about a counter that is there twice. */
static int refuse(void *context, const struct scope *row)
{
    const struct query *query = context;
    return error(FAIL_INPUT, "%s/counters.csv: %s", run_source(query->run, TABLE_COUNTERS),
                 row->value[0]);
}

int counter_rows_load(struct query *query, const struct records *records)
{
    static const char twice[] =
        "SELECT printf('%s/%s, size %s: the counter ''%s'' of launch %s and repeat %s is there "
        "twice', family, variant, size, counter, launch, repeat) FROM counter_values v "
        "JOIN counter_records USING (id) JOIN points p ON p.rowid = v.point "
        "GROUP BY point, repeat, launch, id HAVING count(*) > 1 LIMIT 1";
    int result = number_records(query, records);
    if (!result) result = query_write(query, "%s", counter_rows_sql);
    return result ? result : query_each(query, NULL, twice, NULL, refuse, query);
}

/* Appends a column for each counter: its value in the rows of a table, found by `key`. */
static void append_columns(struct text *sql, const struct records *records, const char *table,
                           const char *key)
{
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_COUNTER)
            text_format(sql, ", (SELECT c.value FROM %s c WHERE %s AND c.id = %d) AS %s", table,
                        key, i, records->record[i].name);
}

int counter_rows_make_table(struct query *query, const struct records *records, const char *name)
{
    struct text sql = {0};
    text_format(&sql, "CREATE TABLE %s(row_id INTEGER PRIMARY KEY", name);
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_COUNTER)
            text_format(&sql, ", %s REAL", records->record[i].name);
    text_format(&sql, "); INSERT INTO %s SELECT m.row_id", name);
    append_columns(&sql, records, "counter_sums", "c.point = m.point AND c.repeat = m.repeat");
    text_append(&sql, " FROM m_facts m ORDER BY m.row_id");
    return query_script(query, &sql);
}

int counter_rows_write_kernels(struct query *query, const struct records *records,
                               struct atomic_files *group)
{
    static const char medians[] =
        "CREATE TABLE kernel_medians(kernel INTEGER, id INTEGER, value REAL, PRIMARY KEY(kernel, "
        "id)) WITHOUT ROWID; INSERT INTO kernel_medians SELECT k.kernel, c.id, median(c.value) "
        "FROM (SELECT kernel, launch, CASE WHEN count(*) OVER (PARTITION BY " POINT_KEY_OF(
            "k.") ", k.launch) = 1 THEN p.rowid END AS point "
                  "FROM kernels k JOIN points p USING (" POINT_KEY ")) k "
                  "JOIN counter_values c USING (point, launch) WHERE c.id IS NOT NULL "
                  "GROUP BY k.kernel, c.id";
    struct text sql = {0};
    FILE *file;
    text_append(&sql, "SELECT k.kernel");
    append_columns(&sql, records, "kernel_medians", "c.kernel = k.kernel");
    text_append(&sql, " FROM (SELECT DISTINCT kernel FROM kernels) k ORDER BY k.kernel");
    int result = sql.failed ? error_memory() : query_write(query, "%s", medians);
    if (!result)
        result = atomic_files_begin(group, query->run->directory, "kernel_counters.csv", &file);
    if (!result) result = query_csv(query, NULL, text_string(&sql), NULL, file);
    text_free(&sql);
    return result;
}
