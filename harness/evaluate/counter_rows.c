#include "evaluate/counter_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
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

/* Takes the values of a key by the numbers of their records, NAN for none. */
typedef int key_visitor(void *context, long long key, const double *value);

/* Visits the keys of a statement with the columns key, id and value, in the order of keys. */
static int each_key(struct query *query, const struct records *records, const char *sql,
                    key_visitor *visit, void *context)
{
    enum { KEY, ID, VALUE };
    double *value = calloc((size_t)records->count + 1, sizeof *value);
    sqlite3_stmt *read = NULL;
    long long key = -1;
    int status = SQLITE_ROW;
    int result = value ? query_prepare_write(query, sql, &read) : error_memory();
    while (!result && status == SQLITE_ROW) {
        status = sqlite3_step(read);
        const int is_row = status == SQLITE_ROW;
        if (key >= 0 && (!is_row || sqlite3_column_int64(read, KEY) != key))
            result = visit(context, key, value);
        if (!is_row) break;
        for (int i = 0; i < records->count && sqlite3_column_int64(read, KEY) != key; i++)
            value[i] = NAN;
        key = sqlite3_column_int64(read, KEY);
        if (sqlite3_column_type(read, ID) != SQLITE_NULL &&
            sqlite3_column_type(read, VALUE) != SQLITE_NULL)
            value[sqlite3_column_int(read, ID)] = sqlite3_column_double(read, VALUE);
    }
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, sql);
    sqlite3_finalize(read);
    free(value);
    return result;
}

struct writing {
    struct query *query;
    const struct records *records;
    sqlite3_stmt *insert;
    struct csv_writer writer;
};

static int insert_key(void *context, long long key, const double *value)
{
    const struct writing *writing = context;
    int at = 1;
    sqlite3_bind_int64(writing->insert, at++, key);
    for (int i = 0; i < writing->records->count; i++)
        if (writing->records->record[i].kind == RECORD_COUNTER)
            sqlite3_bind_double(writing->insert, at++, value[i]); /* NAN becomes NULL */
    const int status = sqlite3_step(writing->insert);
    sqlite3_reset(writing->insert);
    return status == SQLITE_DONE ? 0 : query_error(writing->query, NULL, "counters");
}

int counter_rows_make_table(struct query *query, const struct records *records, const char *name)
{
    static const char values[] = "SELECT m.row_id, c.id, c.value FROM m_facts m LEFT JOIN "
                                 "counter_sums c USING (point, repeat) ORDER BY m.row_id";
    struct writing writing = {.query = query, .records = records};
    struct text columns = {0}, insert = {0};
    text_format(&columns, "CREATE TABLE %s(row_id INTEGER PRIMARY KEY", name);
    text_format(&insert, "INSERT INTO %s VALUES(?", name);
    for (int i = 0; i < records->count; i++) {
        if (records->record[i].kind != RECORD_COUNTER) continue;
        text_format(&columns, ", %s REAL", records->record[i].name);
        text_append(&insert, ", ?");
    }
    int result = columns.failed || insert.failed ? error_memory()
                                                 : query_write(query, "%s)", text_string(&columns));
    text_append(&insert, ")");
    if (!result) result = query_prepare_write(query, text_string(&insert), &writing.insert);
    if (!result) result = each_key(query, records, values, insert_key, &writing);
    sqlite3_finalize(writing.insert);
    text_free(&columns);
    text_free(&insert);
    return result;
}

static int write_key(void *context, long long key, const double *value)
{
    struct writing *writing = context;
    csv_integer(&writing->writer, key);
    for (int i = 0; i < writing->records->count; i++)
        if (writing->records->record[i].kind == RECORD_COUNTER)
            csv_number(&writing->writer, value[i]);
    csv_end(&writing->writer);
    return 0;
}

int counter_rows_write_kernels(struct query *query, const struct records *records,
                               struct atomic_files *group)
{
    static const char medians[] =
        "SELECT k.kernel, c.id, median(c.value) FROM (SELECT kernel, launch, CASE WHEN count(*) "
        "OVER (PARTITION BY " POINT_KEY_OF(
            "k.") ", k.launch) = 1 THEN p.rowid END AS point "
                  "FROM kernels k LEFT JOIN points p USING (" POINT_KEY ")) k "
                  "LEFT JOIN counter_values c USING (point, launch) GROUP BY k.kernel, c.id";
    struct writing writing = {.records = records};
    const int result = atomic_files_begin(group, query->run->directory, "kernel_counters.csv",
                                          &writing.writer.file);
    if (result) return result;
    csv_text(&writing.writer, "kernel");
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_COUNTER)
            csv_text(&writing.writer, records->record[i].name);
    csv_end(&writing.writer);
    return each_key(query, records, medians, write_key, &writing);
}
