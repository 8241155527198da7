#include "query/track_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"
#include "base/text.h"
#include "query/query.h"

/* Empties samples beyond the bounds of their track; 0.05 covers the rounding of percentages. */
static int apply_bounds(struct query *query, const struct record *record)
{
    const char *least = record_field(record, "least"), *most = record_field(record, "most");
    if (!least && !most) return 0;
    char *beyond = text_new("track = '%s' AND typeof(value) IN ('real', 'integer') AND (value < %s "
                            "- 0.05 OR value > %s + 0.05)",
                            record->name, least ? least : "-9e999", most ? most : "9e999");
    const int result = !beyond
                           ? error_memory()
                           : query_write(query,
                                         "INSERT INTO impossible_samples SELECT trace, track, "
                                         "count(*), max(value) FROM shown WHERE %s GROUP BY trace;"
                                         "UPDATE shown SET value = NULL WHERE %s",
                                         beyond, beyond);
    free(beyond);
    return result;
}

static int add_track(struct query *query, const struct record *record, int at)
{
    const char *shows = record_field(record, "shows");
    int result =
        expression_check(query, record, "shows", shows, "(SELECT 1.0 AS value, 1.0 AS ns)");
    if (!result)
        result =
            query_write(query, "INSERT INTO track VALUES(%Q, %d, %Q, %Q, %Q, %Q)", record->name, at,
                        record_field(record, "set"), record_field(record, "unit"),
                        record_field(record, "title"), record_field(record, "means"));
    char *origin = text_new("%s:%d", record->file, record_line(record, "shows"));
    if (!result && !origin) result = error_memory();
    if (!result)
        result = query_compute(query, origin,
                               "INSERT INTO shown SELECT trace, sample, begin_ns, end_ns, track, "
                               "(%s), ns FROM (SELECT s.*, CAST(CASE t.trigger WHEN 'time' THEN"
                               " t.interval_ns ELSE s.end_ns - s.begin_ns END AS REAL) AS ns FROM "
                               "trace_samples s JOIN traces t USING (trace) WHERE s.track = %Q AND"
                               " s.end_ns > s.begin_ns)",
                               shows, record->name);
    free(origin);
    return result ? result : apply_bounds(query, record);
}

int track_values_holds_warps(const char *track)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "'%s'", track);
    return strstr(TRACKS_HOLD_WARPS, quoted) != NULL;
}

int track_values_make(struct query *query, const struct records *records)
{
    int result = query_write(
        query,
        "CREATE INDEX IF NOT EXISTS traces_key ON traces(trace);"
        "CREATE TABLE track(track TEXT PRIMARY KEY, place INTEGER, counter_set, unit, title, "
        "means);"
        "CREATE TABLE shown(trace INTEGER, sample INTEGER, begin_ns INTEGER, end_ns INTEGER, track "
        "TEXT, value REAL, ns REAL);"
        "CREATE TABLE impossible_samples(trace INTEGER, track TEXT, samples INTEGER, value REAL);"
        "CREATE TABLE life AS SELECT trace, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns FROM "
        "trace_samples WHERE " TRACKS_HOLD_WARPS " AND value > 0 GROUP BY trace;"
        "CREATE UNIQUE INDEX life_key ON life(trace)");
    for (int i = 0; i < records->count && !result; i++)
        if (records->record[i].kind == RECORD_TRACK)
            result = add_track(query, &records->record[i], i);
    return result ? result
                  : query_write(query, "CREATE INDEX shown_key ON shown(trace, track, sample)");
}

static int say_impossible(void *context, const struct scope *row)
{
    int *count = context;
    ++*count;
    error(
        FAIL_CHECK,
        "%s/%s, size %s: %s is %s %s in a sample%s, which is impossible. Left empty: those samples",
        row->value[0], row->value[1], row->value[2], row->value[3], row->value[4], row->value[5],
        row->value[6]);
    return 0;
}

int track_values_impossible(struct query *query, int *count)
{
    *count = 0;
    return query_each(query, NULL,
                      "SELECT t.family, t.variant, t.size, i.track, human(i.value), k.unit, CASE "
                      "WHEN sum(i.samples) > 1 THEN printf(' (and %d more)',"
                      " sum(i.samples) - 1) ELSE '' END FROM impossible_samples i JOIN traces t "
                      "USING (trace) JOIN track k USING (track) GROUP BY i.track ORDER BY k.place",
                      NULL, say_impossible, count);
}

int track_values_show(struct query *query, const struct record *track, double value, double ns,
                      double *shown)
{
    char number[32], length[32], *text = NULL;
    const char *const name[] = {"value", "ns"}, *const cell[] = {csv_format_number(number, value),
                                                                 csv_format_number(length, ns)};
    const struct scope scope = {.count = 2, .name = name, .value = cell};
    char *origin = text_new("%s:%d", track->file, record_line(track, "shows"));
    char *sql =
        text_new("SELECT (%s) FROM (SELECT CAST(:value AS REAL) AS value, CAST(:ns AS REAL) AS ns)",
                 record_field(track, "shows"));
    const int result =
        origin && sql ? query_text(query, origin, sql, &scope, &text) : error_memory();
    *shown = text ? strtod(text, NULL) : NAN;
    free(text);
    free(origin);
    free(sql);
    return result;
}

int track_values_add_dram(struct query *query)
{
    return query_write(query, "INSERT INTO track SELECT 'dram', place, counter_set, unit, 'DRAM "
                              "traffic', 'Bytes read from device memory and written to it.' FROM"
                              " track WHERE track = 'dram_read';"
                              "INSERT INTO shown SELECT r.trace, r.sample, r.begin_ns, r.end_ns, "
                              "'dram', r.value + w.value, r.ns FROM shown r JOIN shown w USING"
                              " (trace, sample) WHERE r.track = 'dram_read' AND w.track = "
                              "'dram_write' AND r.value + w.value IS NOT NULL");
}
