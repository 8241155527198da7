#include "explain/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/account_words.h"
#include "explain/sides.sql.h"
#include "machine_code/wait_producers.h"

/* Adds a metric of each point as a number; some facts of accounts are none. */
static int add_metric(struct query *query, const char *name)
{
    if (!query_has_column(query, "metrics", name)) return 0;
    return query_write(query,
                       "INSERT INTO side_value SELECT point, NULL, %Q, \"%w\" FROM ledger_metrics "
                       "WHERE \"%w\" IS NOT NULL",
                       name, name, name);
}

static int add_witnesses(struct query *query, const struct records *records)
{
    int result = 0;
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *witness = record->kind == RECORD_CAUSE ? record_field(record, "witness") : NULL;
        if (!witness) continue;
        if (!records_find(records, RECORD_METRIC, witness) &&
            !records_find(records, RECORD_COUNTER, witness) &&
            !records_find(records, RECORD_FACT, witness))
            return error(FAIL_INPUT, "%s:%d: no metric is called '%s'", record->file,
                         record_line(record, "witness"), witness);
        result = add_metric(query, witness);
    }
    return result;
}

int sides_name_waits(struct query *query)
{
    int result = query_write(query, "CREATE TABLE wait_cause(wait TEXT, cause TEXT)");
    for (int i = 0; i < ACCOUNT_WAITS && !result; i++)
        result = query_write(query, "INSERT INTO wait_cause VALUES(%Q, %Q)", account_wait_names[i],
                             account_wait_cause((enum account_wait)i));
    return result;
}

/* A constant whose address differs by lane or iteration, and a flag that is polled. */
static void unusual_class(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct sass sass = sass_read((const char *)sqlite3_value_text(arguments[0]));
    const char *name = sass_indexes_constant(&sass, SASS_P) ? "indexed_constant"
                       : wait_class_of(&sass) == WAIT_GLOBAL_LOAD && sass_is_strong(&sass)
                           ? "polling"
                           : NULL;
    sqlite3_result_text(context, name, -1, SQLITE_STATIC);
}

int sides_make(struct query *query, const struct records *records)
{
    static const char *const needs[] = {
        "registers",   "static_shared_bytes", "dynamic_shared_bytes",
        "grid_blocks", "block_threads",       "blocks_per_sm"};
    int result = QUERY_LOAD(query, TABLE_COUNTERS, TABLE_LAUNCHES, TABLE_POWER);
    if (!result && query_add_function(query, "unusual_class", 1, unusual_class) != SQLITE_OK)
        result = query_error(query, NULL, "unusual_class");
    if (!result) result = query_write(query, "%s", sides_sql);
    for (int i = 0; i < 6 && !result; i++) result = add_metric(query, needs[i]);
    for (int i = 0; i < ACCOUNT_FACT_COUNT && !result; i++)
        result = add_metric(query, account_fact_names[i]);
    if (!result) result = add_witnesses(query, records);
    if (!result) result = sides_name_waits(query);
    return result ? result
                  : query_write(query,
                                "CREATE TABLE sides AS SELECT DISTINCT " POINT_KEY
                                ", function, name, value "
                                "FROM side_value JOIN ledger_base USING (point) WHERE value IS NOT "
                                "NULL ORDER BY point, function, name; CREATE INDEX sides_key ON "
                                "sides(" POINT_KEY ")");
}

static int take_value(void *context, const struct scope *row)
{
    account_take(context, row->value[0], row->value[1], row_number(row, 2));
    return 0;
}

int sides_read(struct query *query, const struct scope *point, struct account_side *side)
{
    account_begin(side);
    return query_each(query, NULL, "SELECT function, name, value FROM sides WHERE " CAUSES_POINT,
                      point, take_value, side);
}
