/*
 * Loads arbitrary tables of a run, or refuses them: keys that were loaded are plain names, and
 * numbers are numbers.
 */
#include "tables.h"

#include "base/message.h"
#include "query/query.h"

static void fuzz_begin(void)
{
    tables_open();
}

static int must_be_none(void *context, const struct scope *row)
{
    abort();
}

static void check_table(struct query *query, enum table_id id)
{
    for (const struct column *column = tables[id].columns; column->name; column++) {
        struct text sql = {0};
        const int is_name = column->kind == COLUMN_NAME || column->kind == COLUMN_MAYBE,
                  is_number = column->kind == COLUMN_NUMBER || column->kind == COLUMN_COUNT;
        text_format(&sql, "SELECT 1 FROM %s WHERE ", tables[id].name);
        if (is_name)
            text_format(
                &sql,
                "\"%s\" GLOB '*[^A-Za-z0-9_.-]*' OR \"%s\" GLOB '[_.-]*' OR length(\"%s\") > 64",
                column->name, column->name, column->name);
        else if (is_number)
            text_format(&sql, "typeof(\"%s\") NOT IN ('integer', 'real', 'null')", column->name);
        else
            text_append(&sql, "0");
        if (column->kind == COLUMN_NAME || (column->kind == COLUMN_COUNT && !column->later))
            text_format(&sql, " OR \"%s\" IS NULL", column->name);
        if (query_each(query, NULL, text_string(&sql), NULL, must_be_none, NULL)) abort();
        text_free(&sql);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct query query;
    tables_write(data, size);
    if (run_open(&run, run_path)) return 0;
    if (query_open(&query, &run)) abort();
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++) {
        const int result = query_load(&query, id);
        if (result && result != FAIL_INPUT) abort();
        if (result) break;
        check_table(&query, id);
    }
    query_close(&query);
    run_close(&run);
    return 0;
}
