#include "phases.h"

#include <stdlib.h>

#include "message.h"
#include "text.h"

#define TEXT_OF(x) #x
#define PHASES_TEXT(x) TEXT_OF(x)

/* ---- what is shown ------------------------------------------------------------------------------------------------------------------------- */

/* A formula that reads and gives one value. In the statement that computes all of them, nothing would hold it to that. */
static int check_formula(struct query *query, const struct record *record, const char *shows)
{
    char *place = text_new("%s:%d", record->file, record_line(record, "shows"));
    char *sql = text_new("SELECT (%s) FROM (SELECT 1.0 AS value, 1.0 AS ns)", shows), *value = NULL;
    const int result = place && sql ? query_text(query, place, sql, NULL, &value) : error_memory();
    free(value);
    free(sql);
    free(place);
    return result;
}

static int add_track(struct query *query, const struct record *record, int at)
{
    const char *shows = record_field(record, "shows");
    int result = check_formula(query, record, shows);
    if (!result)
        result = query_write(query, "INSERT INTO track VALUES(%Q, %d, %Q, %Q, %Q, %Q)", record->name, at, record_field(record, "set"),
                             record_field(record, "unit"), record_field(record, "title"), record_field(record, "means"));
    if (result) return result;
    return query_write(query,
                       "INSERT INTO shown SELECT trace, sample, begin_ns, end_ns, track, (%s) FROM (SELECT *, CAST(end_ns - begin_ns AS REAL) AS ns FROM"
                       " trace_samples WHERE track = %Q AND end_ns > begin_ns)",
                       shows, record->name);
}

int phases_shown(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE track(track TEXT PRIMARY KEY, place INTEGER, counter_set, unit, title, means);"
                                    "CREATE TABLE shown(trace INTEGER, sample INTEGER, begin_ns INTEGER, end_ns INTEGER, track TEXT, value REAL)");
    for (int i = 0; i < records->count && !result; i++)
        if (records->record[i].kind == RECORD_TRACK) result = add_track(query, &records->record[i], i);
    return result ? result : query_write(query, "CREATE INDEX shown_key ON shown(trace, track, sample)");
}

/* ---- phases -------------------------------------------------------------------------------------------------------------------------------- */

/* The life of each trace, and its samples: whether one lies wholly in the life, and whether in the middle of it. */
static const char samples_sql[] =
    "CREATE TABLE phase_life AS SELECT t.trace, min(a.begin_ns) AS begin_ns, max(a.end_ns) AS end_ns, max(a.end_ns) - min(a.begin_ns) AS kernel_ns FROM"
    " traces t LEFT JOIN activities a USING (trace) WHERE t.samples_status = 'ok' GROUP BY t.trace;"
    "CREATE UNIQUE INDEX phase_life_key ON phase_life(trace);"
    "CREATE TABLE phase_cover AS SELECT s.trace, s.track, min(s.begin_ns) <= l.begin_ns AND max(s.end_ns) >= l.end_ns AS whole FROM shown s JOIN phase_life l"
    " USING (trace) WHERE s.value IS NOT NULL GROUP BY s.trace, s.track;"
    "CREATE UNIQUE INDEX phase_cover_key ON phase_cover(trace, track);"
    "CREATE TABLE phase_sample AS SELECT s.trace, s.track, s.begin_ns, s.end_ns, s.value, s.begin_ns >= l.begin_ns AND s.end_ns <= l.end_ns AS inside,"
    " 100 * (s.begin_ns - l.begin_ns) >= " PHASES_TEXT(PHASES_FROM_PCT) " * l.kernel_ns AND 100 * (s.end_ns - l.begin_ns) <= "
    PHASES_TEXT(PHASES_TO_PCT) " * l.kernel_ns AS middle FROM shown s JOIN phase_life l USING (trace) WHERE s.end_ns > l.begin_ns AND s.begin_ns <"
    " l.end_ns AND s.value IS NOT NULL";

/* Where too few samples lie in the life, or they do not reach from its begin to its end, the middle tells nothing. */
static const char steady_sql[] =
    "CREATE TABLE phase_steady AS WITH told AS (SELECT trace, track, sum(inside) >= " PHASES_TEXT(PHASES_SAMPLES) " AS enough, max(whole) AS whole, CASE WHEN"
    " max(whole) THEN sum(value * (end_ns - begin_ns)) END AS integral FROM phase_sample JOIN phase_cover USING (trace, track) GROUP BY trace, track),"
    " ranked AS (SELECT s.*, 100 * row_number() OVER (PARTITION BY trace, track ORDER BY value) AS rank, count(*) OVER (PARTITION BY trace, track) AS many"
    " FROM phase_sample s JOIN told USING (trace, track) WHERE middle AND enough AND whole),"
    " middle AS (SELECT trace, track, median(value) AS steady, min(CASE WHEN rank >= 5 * many THEN value END) AS low, min(CASE WHEN rank >= 95 * many"
    " THEN value END) AS high FROM ranked GROUP BY trace, track)"
    " SELECT trace, track, enough, integral, steady, low, high FROM told LEFT JOIN middle USING (trace, track);"
    "CREATE UNIQUE INDEX phase_steady_key ON phase_steady(trace, track)";

static const char phases_sql[] =
    "CREATE TABLE phases AS WITH edge AS (SELECT s.trace, s.track, min(s.begin_ns) AS up_ns, max(s.end_ns) AS down_ns FROM phase_sample s JOIN phase_steady"
    " p USING (trace, track) WHERE p.steady > 0 AND 100 * s.value >= " PHASES_TEXT(PHASES_LEVEL_PCT) " * p.steady GROUP BY s.trace, s.track),"
    " sampled AS (SELECT DISTINCT trace, track FROM trace_samples)"
    " SELECT t.family, t.variant, t.size, t.block, t.sweep, t.trace, d.track, l.kernel_ns, max(e.up_ns - l.begin_ns, 0) AS ramp_ns, p.steady,"
    " max(l.end_ns - e.down_ns, 0) AS tail_ns, p.low, p.high, p.integral, CASE WHEN l.kernel_ns IS NULL THEN 'absent: when its kernels ran is not known'"
    " WHEN k.track IS NULL THEN 'absent: no record says what it shows' WHEN coalesce(c.whole, 0) = 0 THEN 'absent: the samples do not cover its"
    " kernels' WHEN p.enough = 0 THEN 'absent: too short for the sampling interval'"
    " WHEN e.up_ns IS NULL THEN 'absent: its steady part is 0' ELSE 'ok' END AS status"
    " FROM traces t JOIN phase_life l USING (trace) JOIN sampled d USING (trace) LEFT JOIN track k USING (track) LEFT JOIN phase_cover c USING (trace,"
    " track) LEFT JOIN phase_steady p USING (trace, track) LEFT JOIN edge e USING (trace, track) ORDER BY t.family, CAST(t.size AS INTEGER), t.size, t.variant, t.trace, k.place, d.track";

int phases_make(struct query *query)
{
    int result = query_write(query, "%s", samples_sql);
    if (!result) result = query_write(query, "%s", steady_sql);
    return result ? result : query_write(query, "%s", phases_sql);
}
