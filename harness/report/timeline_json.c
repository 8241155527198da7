#include "report/timeline_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/records.h"
#include "query/track_values.h"
#include "query/variant_names.h"
#include "run/recorded_runs.h"

/* Tracks, by numbers that no two processes share. */
#define KERNELS_TRACK "(10 * pid + 1)"
#define SAMPLED_TRACK "(10 * pid + 2)"

/* Microseconds as an SQL expression, for a number of JSON. */
#define MICROSECONDS(ns) "json(microseconds(" ns "))"

/* What is known of the point, an object or NULL. */
#define FIGURES                                                                                    \
    "(SELECT json(f.json) FROM figures f WHERE f.family = s.family AND f.variant = s.variant AND " \
    "f.size = s.size AND f.block = s.block AND f.sweep = s.sweep)"

/* What an event says of its point. Absent values have no place in an event: json_patch leaves
 * NULL out. */
#define POINT                                                                                      \
    "'family', s.family, 'variant', s.variant, 'size', s.size, 'block', s.block, 'sweep', "        \
    "s.sweep, 'counter_set', s.counter_set"

/* ---- numbers --------------------------------------------------------------------------------- */

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

struct events {
    struct query *query;
    const struct records *records;
    FILE *file;
    int count;
};

/* A row_visitor: the first cell is an event. */
static int write_event(void *context, const struct scope *row)
{
    struct events *events = context;
    if (events->count++) fputs(",\n", events->file);
    text_write_json(events->file, row->value[0]);
    return 0;
}

static int write_events(struct events *events, const char *sql, const struct scope *scope)
{
    return query_each(events->query, NULL, sql, scope, write_event, events);
}

static int write_names(struct events *events)
{
    static const char sql[] =
        "WITH named(pid, tid, kind, value) AS ("
        "  SELECT 1, 1, 'process_name', 'host' UNION ALL SELECT 1, 1, 'thread_name', 'stages'"
        "  UNION ALL SELECT pid, " KERNELS_TRACK ", 'process_name', family FROM process"
        "  UNION ALL SELECT pid, " KERNELS_TRACK ", 'thread_name', 'kernels' FROM process"
        "  UNION ALL SELECT pid, " SAMPLED_TRACK
        ", 'thread_name', 'counters sampled' FROM process p"
        "    WHERE EXISTS (SELECT 1 FROM chosen s JOIN trace_samples USING (trace) WHERE s.pid = "
        "p.pid))"
        " SELECT json_object('name', kind, 'ph', 'M', 'pid', pid, 'tid', tid, 'args', "
        "json_object('name', value)) FROM named"
        " UNION ALL SELECT json_object('name', replace(kind, '_name', '_sort_index'), 'ph', 'M', "
        "'pid', pid, 'tid', tid, 'args',"
        "  json_object('sort_index', CASE kind WHEN 'process_name' THEN pid ELSE tid END)) FROM "
        "named";
    return write_events(events, sql, NULL);
}

/* Rows of a stage that follow one another are one event, and each of them that is about a family
 * one inside it. What nests stands behind what it is in. */
static int write_stages(struct events *events)
{
    static const char sql[] =
        "WITH numbered AS (SELECT *, row_number() OVER (ORDER BY begin_ns, end_ns) - row_number() "
        "OVER (PARTITION BY stage ORDER BY begin_ns, end_ns) AS island"
        "  FROM stages),"
        " event(name, cat, args, begin_ns, end_ns, depth) AS ("
        "  SELECT stage, stage, '{}', min(begin_ns), max(end_ns), 0 FROM numbered GROUP BY stage, "
        "island"
        "  UNION ALL SELECT family || coalesce(' ' || size, ''), family || '/' || stage, "
        "json_patch('{}', json_object('stage', stage, 'family', family, 'size', size)),"
        "  begin_ns, end_ns, 1 FROM stages WHERE family IS NOT NULL)"
        " SELECT json_object('name', name, 'cat', cat, 'ph', 'X', 'pid', 1, 'tid', 1, "
        "'ts', " MICROSECONDS("begin_ns") ", 'dur', " MICROSECONDS(
            "end_ns - begin_ns") ", 'args', json(args)) FROM event ORDER BY begin_ns, depth";
    return write_events(events, sql, NULL);
}

static int write_kernels(struct events *events)
{
    static const char sql[] =
        "SELECT json_object('name', s.name || CASE WHEN s.launches > 1 THEN printf(', %d of %d', "
        "a.launch + 1, s.launches) ELSE '' END,"
        "  'cat', s.family || '/timeline', 'ph', 'X', 'pid', pid, 'tid', " KERNELS_TRACK
        ", 'ts', " MICROSECONDS(
            "s.begin_ns + a.begin_ns") ","
                                       "  'dur', " MICROSECONDS(
                                           "a.end_ns - a.begin_ns") ", 'args', "
                                                                    "json(json_patch('{}', "
                                                                    "json_object(" POINT
                                                                    ", 'kernel', a.kernel, "
                                                                    "'launch', a.launch,"
                                                                    "  'repeat', a.repeat, 'grid', "
                                                                    "printf('%d x %d x %d', "
                                                                    "a.grid_x, a.grid_y, a.grid_z),"
                                                                    "  'block_threads', printf('%d "
                                                                    "x %d x %d', a.block_x, "
                                                                    "a.block_y, a.block_z), "
                                                                    "'registers', a.registers, "
                                                                    "'static_shared_bytes', "
                                                                    "a.static_shared_bytes,"
                                                                    "  'dynamic_shared_bytes', "
                                                                    "a.dynamic_shared_bytes, "
                                                                    "'point', " FIGURES "))))"
                                                                    " FROM activities a JOIN "
                                                                    "chosen s USING (trace) ORDER "
                                                                    "BY pid, s.begin_ns + "
                                                                    "a.begin_ns, a.end_ns";
    return write_events(events, sql, NULL);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* When there were samples; and where they end, and whether the last one says that the device was
 * idle by then. */
static int make_sampled(struct query *query)
{
    static const char sql[] =
        "CREATE TABLE sampled AS SELECT *, begin_ns + first_ns AS sampled_begin, begin_ns + "
        "last_end_ns AS sampled_end,"
        "  coalesce((SELECT max(value) FROM trace_samples x WHERE x.trace = s.trace AND x.begin_ns "
        "= last_begin_ns AND x." TRACKS_HOLD_WARPS ") = 0, 0) AS is_idle"
        " FROM chosen s JOIN (SELECT trace, min(begin_ns) AS first_ns, max(begin_ns) AS "
        "last_begin_ns, max(end_ns) AS last_end_ns, count(DISTINCT sample) AS samples"
        "  FROM trace_samples GROUP BY trace) USING (trace)";
    char *running = NULL;
    int result = query_write(query, "%s", sql);
    if (!result)
        result = query_text(query, NULL,
                            "SELECT count(*) || ' traces, the first is ' || trace FROM sampled "
                            "WHERE NOT is_idle HAVING count(*) > 0",
                            NULL, &running);
    if (!result && running)
        warning("%s: it is not known that the device was idle after the last sample (%s): its "
                "values stand until the next trace",
                query->run->path, running);
    free(running);
    return result;
}

/* When there were samples, and inside of that when kernels ran. */
static int write_sampled(struct events *events)
{
    static const char sql[] =
        "WITH event(pid, name, cat, begin_ns, end_ns, depth, args) AS ("
        "  SELECT pid, name || ': ' || counter_set, family, sampled_begin, sampled_end, 0,"
        "   json_object(" POINT ", 'repeats', repeats, 'interval_ns', interval_ns, 'trigger', "
        "\"trigger\", 'samples', samples) FROM sampled s"
        "  UNION ALL SELECT pid, name, family, s.begin_ns + l.begin_ns, s.begin_ns + l.end_ns, 1,"
        "   json_object(" POINT ", 'from', 'samples', 'repeats', repeats, 'point', " FIGURES
        ") FROM sampled s JOIN life l USING (trace))"
        " SELECT json_object('name', name, 'cat', cat || '/timeline', 'ph', 'X', 'pid', pid, "
        "'tid', " SAMPLED_TRACK ", 'ts', " MICROSECONDS(
            "begin_ns") ","
                        "  'dur', " MICROSECONDS(
                            "end_ns - begin_ns") ", 'args', json(json_patch('{}', args))) FROM "
                                                 "event ORDER BY pid, begin_ns, depth";
    return write_events(events, sql, NULL);
}

static int write_track(struct events *events, const struct record *record)
{
    static const char sql[] =
        "SELECT json_object('name', :title || ',', 'ph', 'C', 'pid', pid, 'tid', " KERNELS_TRACK
        ", 'ts', " MICROSECONDS(
            "at") ","
                  " 'args', json_object(:unit, json(printf('%.9g', value)))) FROM ("
                  "  SELECT c.pid AS pid, c.begin_ns + s.begin_ns AS at, s.value AS value FROM "
                  "shown s JOIN chosen c USING (trace) WHERE s.track = :track"
                  "  UNION ALL SELECT pid, sampled_end, 0.0 FROM sampled s WHERE is_idle AND "
                  "EXISTS (SELECT 1 FROM shown x WHERE x.track = :track AND x.trace = s.trace)"
                  ") WHERE abs(value) < 1e300 AND typeof(value) IN ('real', 'integer') ORDER BY "
                  "pid, at";
    const char *const names[] = {"track", "title", "unit"};
    const char *const values[] = {record->name, record_field(record, "title"),
                                  record_field(record, "unit")};
    const struct scope scope = {NULL, 3, names, values};
    return write_events(events, sql, &scope);
}

static int warn_of_track(void *context, const struct scope *row)
{
    const struct query *query = context;
    warning("%s: no record under metrics/ describes the counter '%s': it is left out",
            query->run->path, row->value[0]);
    return 0;
}

static int write_counters(struct events *events)
{
    static const char undescribed[] = "SELECT DISTINCT track FROM trace_samples WHERE track NOT IN "
                                      "(SELECT track FROM track) ORDER BY track";
    int result = make_sampled(events->query);
    if (!result) result = write_sampled(events);
    for (int i = 0; i < events->records->count && !result; i++)
        if (events->records->record[i].kind == RECORD_TRACK)
            result = write_track(events, &events->records->record[i]);
    return result
               ? result
               : query_each(events->query, NULL, undescribed, NULL, warn_of_track, events->query);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What the trace is of. */
static int write_other(struct events *events)
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
        values[i] = run_fact(events->query->run, keys[i]);
        text_format(&sql, "'%s', :%s, ", keys[i], keys[i]);
    }
    text_append(&sql, "'counters', CASE WHEN EXISTS (SELECT 1 FROM sampled) THEN 'where the track "
                      "''counters sampled'' has no event, nothing was measured, and what a viewer "
                      "draws there (0 or the last value) means nothing' END,"
                      " 'absent', (SELECT json_group_array(what || ': ' || reason || CASE WHEN "
                      "traces IS NULL THEN '' ELSE printf(' (in %d of the traces)', traces) END) "
                      "FROM absent HAVING count(*) > 0)))");
    const struct scope scope = {NULL, KEYS, keys, values};
    const int result = sql.failed
                           ? error_memory()
                           : query_text(events->query, NULL, text_string(&sql), &scope, &json);
    if (!result) {
        fputs("\n],\n\"otherData\":", events->file);
        text_write_json(events->file, json);
        fputs("}\n", events->file);
    }
    free(json);
    text_free(&sql);
    return result;
}

static int note_absent(void *context, const struct scope *row)
{
    const struct query *query = context;
    const char *traces = row->value[2];
    note("%s has no %s%s%s%s: %s", query->run->path, row->value[0], traces ? " in " : "",
         traces ? traces : "", traces ? " of its traces" : "", row->value[1]);
    return 0;
}

/* What the trace lacks, and what would add it. */
static int note_lacks(struct query *query)
{
    char *any = NULL;
    int result = query_each(query, NULL, "SELECT what, reason, traces FROM absent", NULL,
                            note_absent, query);
    if (!result) result = query_text(query, NULL, "SELECT 1 FROM chosen LIMIT 1", NULL, &any);
    if (!result && !any)
        note("'whyfast collect %s --sets timeline' adds them on a machine with a GPU",
             query->run->path);
    free(any);
    any = NULL;
    if (!result)
        result = query_text(query, NULL,
                            "SELECT 1 FROM chosen WHERE NOT EXISTS (SELECT 1 FROM figures) LIMIT 1",
                            NULL, &any);
    if (!result && any)
        note("%s is not evaluated: its kernels stand without figures; 'whyfast evaluate %s' and "
             "'whyfast explain %s' compute them",
             query->run->path, query->run->path, query->run->path);
    free(any);
    return result;
}

static int print(struct query *query, const struct records *records, FILE *file)
{
    struct events events = {.query = query, .records = records, .file = file};
    int result = 0, impossible = 0;
    if (query_add_function(query, "microseconds", 1, microseconds, NULL, NULL) != SQLITE_OK)
        result = error_memory();
    if (!result)
        result = track_values_make(
            query, records); /* with every formula tried, before anything is written */
    if (!result) result = track_values_impossible(query, &impossible);
    if (!result) result = note_lacks(query);
    if (result) return result;
    fputs("{\"traceEvents\":[\n", file); /* first, because some look for it there */
    result = write_names(&events);
    if (!result) result = write_stages(&events);
    if (!result) result = write_kernels(&events);
    if (!result) result = write_counters(&events);
    if (!result) result = write_other(&events);
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
