#include "report/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/records.h"
#include "query/track_values.h"
#include "report/timeline_json.sql.h"
#include "run/recorded_runs.h"

static void microseconds(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const long long ns = sqlite3_value_int64(arguments[0]);
    char text[40];
    (void)count;
    int length = snprintf(text, sizeof text, "%lld.%03lld", ns / 1000, ns % 1000);
    if (floor(strtod(text, NULL) * 1000.0) < (double)ns)
        text[length++] = '5'; /* as Perfetto would read it */
    sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
}

/* ---- events ---------------------------------------------------------------------------------- */

static int make_counter(struct query *query, const struct record *record)
{
    static const char sql[] =
        "INSERT INTO event SELECT json_object('name', %Q || ',', 'ph', 'C', 'pid', pid, 'tid', "
        "10 * pid + 1, 'ts', json(microseconds(at)), 'args', "
        "json_object(%Q, json(printf('%%.9g', value)))) FROM (SELECT c.pid AS pid, "
        "c.begin_ns + s.begin_ns AS at, s.value AS value FROM shown s JOIN chosen c USING (trace) "
        "WHERE s.track = %Q UNION ALL SELECT pid, sampled_end, 0.0 FROM sampled s WHERE is_idle "
        "AND EXISTS (SELECT 1 FROM shown x WHERE x.track = %Q AND x.trace = s.trace)) "
        "WHERE abs(value) < 1e300 AND typeof(value) IN ('real', 'integer') ORDER BY pid, at";
    return query_write(query, sql, record_field(record, "title"), record_field(record, "unit"),
                       record->name, record->name);
}

static int warn(void *context, const struct scope *row)
{
    const struct query *query = context;
    warning("%s: %s", query->run->path, row->value[0]);
    return 0;
}

static int make_events(struct query *query, const struct records *records)
{
    static const char doubts[] =
        "SELECT 'the last sample does not show an idle device (' || count(*) || ' traces, the "
        "first is ' || min(trace) || '): its values stand until the next trace' FROM sampled WHERE "
        "NOT is_idle HAVING count(*) > 0 UNION ALL SELECT * FROM (SELECT DISTINCT 'no record under "
        "metrics/ describes the counter ''' || track || ''': it is left out' FROM trace_samples "
        "WHERE track NOT IN (SELECT track FROM track) ORDER BY 1)";
    int result = query_write(query, "%s", timeline_json_sql);
    if (!result) result = query_each(query, NULL, doubts, NULL, warn, query);
    for (int i = 0; i < records->count && !result; i++)
        if (records->record[i].kind == RECORD_TRACK)
            result = make_counter(query, &records->record[i]);
    return result;
}

struct events {
    FILE *file;
    int count;
};

static int write_event(void *context, const struct scope *row)
{
    struct events *events = context;
    if (events->count++) fputs(",\n", events->file);
    text_write_json(events->file, row->value[0]);
    return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int write_other(struct query *query, FILE *file)
{
    static const char *const keys[] = {"device_name", "driver",       "cuda_driver",
                                       "date",        "git_revision", "whyfast_version",
                                       "epoch_ns",    "replay_of"};
    enum { KEYS = sizeof keys / sizeof *keys };
    const char *values[KEYS];
    struct text sql = {0};
    char *json = NULL;
    text_append(&sql, "SELECT json_patch('{}', json_object(");
    for (int i = 0; i < KEYS; i++) {
        values[i] = run_fact(query->run, keys[i]);
        text_format(&sql, "'%s', :%s, ", keys[i], keys[i]);
    }
    text_append(&sql, "'origin_ns', (SELECT ns FROM origin), 'counters', CASE WHEN EXISTS (SELECT "
                      "1 FROM sampled) THEN 'nothing was "
                      "measured where the track ''counters sampled'' has no event; ignore the "
                      "values that a viewer draws there (0 or the last value)' END, 'absent', "
                      "(SELECT json_group_array(what || ': ' || reason || CASE WHEN traces IS NULL "
                      "THEN '' ELSE printf(' (in %d of the traces)', traces) END) FROM absent "
                      "HAVING count(*) > 0)))");
    const struct scope scope = {NULL, KEYS, keys, values};
    const int result =
        sql.failed ? error_memory() : query_text(query, NULL, text_string(&sql), &scope, &json);
    if (!result) {
        fputs("\n],\n\"otherData\":", file);
        text_write_json(file, json);
        fputs("}\n", file);
    }
    free(json);
    text_free(&sql);
    return result;
}

static int say(void *context, const struct scope *row)
{
    (void)context;
    note("%s", row->value[0]);
    return 0;
}

/* Notes what the trace lacks, and the command that adds it. */
static int note_lacks(struct query *query)
{
    static const char sql[] =
        "SELECT :run || ' has no ' || what || coalesce(' in ' || traces || ' of its traces', '') "
        "|| ': ' || reason FROM absent UNION ALL SELECT '''whyfast collect ' || :run || ' --sets "
        "timeline'' adds them on a machine with a GPU' WHERE NOT EXISTS (SELECT 1 FROM chosen) "
        "UNION ALL SELECT :run || ' is not evaluated: its kernels have no figures; ''whyfast "
        "evaluate ' || :run || ''' computes them' WHERE "
        "EXISTS (SELECT 1 FROM chosen) AND NOT EXISTS (SELECT 1 FROM figures)";
    const struct scope scope = SCOPE_OF(STRINGS("run"), STRINGS(query->run->path));
    return query_each(query, NULL, sql, &scope, say, NULL);
}

static int print(struct query *query, const struct records *records, FILE *file)
{
    struct events events = {.file = file};
    int result = 0, impossible = 0;
    if (query_add_function(query, "microseconds", 1, microseconds) != SQLITE_OK)
        result = error_memory();
    if (!result) result = track_values_make(query, records);
    if (!result) result = track_values_impossible(query, &impossible);
    if (!result) result = note_lacks(query);
    if (!result) result = make_events(query, records);
    if (result) return result;
    fputs("{\"traceEvents\":[\n", file); /* first, because some viewers look for it there */
    result = query_each(query, NULL, "SELECT json FROM event ORDER BY rowid", NULL, write_event,
                        &events);
    if (!result) result = write_other(query, file);
    return result || !impossible ? result : FAIL_CHECK;
}

int timeline_print(const struct run *run, const struct timeline_options *options, FILE *file)
{
    struct records records;
    struct query query;
    int result = records_read_own(&records);
    if (result) return result;
    result = timeline_open(&query, run, options);
    if (!result) {
        result = print(&query, &records, file);
        query_close(&query);
    }
    records_free(&records);
    return result;
}
