#include "evaluate/point_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "evaluate/point_facts.sql.h"

/* The columns of the view point_facts that name a row. */
static const char keys[] = "row_id, point, " POINT_KEY ", repeat, series, "
                           "library_series, best, best_series";
enum { KEY_COUNT = 7 + POINT_KEY_COLUMNS };

/* Returns FAIL_INPUT unless the columns of the statement are the facts that have records. */
static int check_names(const struct records *records, sqlite3_stmt *facts)
{
    const int count = sqlite3_column_count(facts);
    for (int i = KEY_COUNT; i < count; i++)
        if (!records_find(records, RECORD_FACT, sqlite3_column_name(facts, i)))
            return error(FAIL_INPUT, "metrics/: the fact '%s' has no record",
                         sqlite3_column_name(facts, i));
    for (int r = 0; r < records->count; r++) {
        const struct record *record = &records->record[r];
        int is_known = record->kind != RECORD_FACT;
        for (int i = KEY_COUNT; i < count && !is_known; i++)
            is_known = !strcmp(record->name, sqlite3_column_name(facts, i));
        if (!is_known)
            return error(FAIL_INPUT, "%s:%d: no fact is called '%s'", record->file, record->line,
                         record->name);
    }
    return 0;
}

static int check_facts(struct query *query, const struct records *records)
{
    sqlite3_stmt *facts = NULL;
    int result = query_prepare_write(query, "SELECT * FROM point_facts", &facts);
    if (!result) result = check_names(records, facts);
    sqlite3_finalize(facts);
    return result;
}

/* Appends the numeric facts of the run about its device. An absent one is NULL in the table run, so
 * that everything computed from it is NULL, too. */
static void append_run_facts(const struct run *run, struct text *sql)
{
    for (int i = 0; i < run->facts.count; i++) {
        const struct fact *fact = &run->facts.fact[i];
        char *end;
        strtod(fact->value, &end);
        const int is_number = end != fact->value && !*end;
        const int is_absent = !strncmp(fact->value, "absent: ", 8);
        if (!strncmp(fact->key, "device_", 7) && (is_number || is_absent))
            text_format(sql, ", (SELECT CAST(value AS REAL) FROM run WHERE key = '%s') AS %s",
                        fact->key, fact->key);
    }
}

/* Returns 1 if the field is a number and no record before `end` has it. */
static int is_new_number(const struct records *records, int end, const char *key)
{
    static const char *const words[] = {"title", "compute_capability", "sources"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (!strcmp(key, words[w])) return 0;
    for (int i = 0; i < end; i++)
        if (records->record[i].kind == RECORD_DEVICE && record_field(&records->record[i], key))
            return 0;
    return 1;
}

/* Appends the numbers that the records of devices have, each as it is in the record of this device,
 * the last one of its compute capability; NULL if that has none. */
static void append_device(const struct records *records, const struct run *run, struct text *sql)
{
    const char *capability = run_fact(run, "device_compute_capability");
    const struct record *device = NULL;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_DEVICE && capability &&
            !strcmp(record_field(record, "compute_capability"), capability))
            device = record;
    }
    if (!device)
        warning("no record under metrics/devices/ describes compute capability %s: metrics that "
                "need it stay empty",
                capability ? capability : "(unknown)");
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        for (int f = 0; f < record->field_count && record->kind == RECORD_DEVICE; f++) {
            const char *key = record->field[f].key,
                       *value = device ? record_field(device, key) : NULL;
            if (is_new_number(records, i, key))
                text_format(sql, ", CAST(%s AS REAL) AS %s", value ? value : "NULL", key);
        }
    }
}

int point_facts_make(struct query *query, const struct records *records)
{
    struct text sql = {0};
    int result = query_write(query, "%s", point_facts_sql);
    if (!result) result = check_facts(query, records);
    if (result) return result;
    text_format(&sql, "CREATE TABLE m_facts AS SELECT %s", keys);
    for (int i = 0; i < records->count; i++) {
        const char *name = records->record[i].name;
        if (records->record[i].kind == RECORD_FACT)
            text_format(&sql, ", CAST(%s AS REAL) AS %s", name, name);
    }
    append_run_facts(query->run, &sql);
    append_device(records, query->run, &sql);
    text_append(&sql, " FROM point_facts ORDER BY row_id");
    return query_script(query, &sql);
}
