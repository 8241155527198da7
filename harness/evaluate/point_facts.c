#include "evaluate/point_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* Rows of the tables that a fact of point p is taken from: t its main series, w the warm one, q
 * the sum of kernels, f the twin of t, b the main series of the best setting, g its twin, l the
 * first launch, y the library's main series of the same family and size. */
#define SAME_POINT(a, b)                                                                           \
    a ".family = " b ".family AND " a ".variant = " b ".variant AND " a ".size = " b               \
      ".size AND " a ".block = " b ".block AND " a ".sweep = " b ".sweep"
#define CLEAN(l2, kind, copy)                                                                      \
    "(SELECT t.rowid FROM timing t WHERE t.point = p.rowid AND t.l2 = '" l2                        \
    "' AND t.kind = '" kind "' AND t.copy = '" copy "')"
/* How far a series and its twin are apart. */
#define FLOOR(a, twin)                                                                             \
    "CASE WHEN " twin ".series IS NOT NULL THEN 100.0 * max(abs(ratio_low(" a ".series, " twin     \
    ".series) - 1), abs(ratio_high(" a ".series, " twin ".series) - 1)) END"
/* 1 where the column occupancy_limiter names the resource, absent where it is empty: metrics.csv
 * holds numbers only. */
#define LIMITED_BY(resource)                                                                       \
    "', ' || nullif(l.occupancy_limiter, '') || ',' LIKE '%, " resource ",%'"
/* A sum is absent where one of its terms is. */
#define SUM(term) "CASE WHEN count(*) = count(" term ") THEN sum(" term ") END"
#define ALL_LAUNCHES(column) "(SELECT z." column " FROM launch_sums z WHERE z.point = p.rowid)"
#define EXCESS_OF(access)                                                                          \
    "(SELECT a.excess FROM access_sums a WHERE a.point = p.rowid AND a.name = '" access "')"

#define CEILING(name) "(SELECT c.value FROM ceilings c WHERE c.ceiling = '" name "')"

/* The facts of facts.metric and ceilings.metric, in SQL over points p and repeats r. To add one:
 * a row here and its record there. */
static const struct {
    const char *name;
    const char *sql;
} facts[] = {
    {"time_ns", "t.median"},
    {"time_low_ns", "t.low"},
    {"time_high_ns", "t.high"},
    {"time_q1_ns", "t.q1"},
    {"time_q3_ns", "t.q3"},
    {"time_samples", "t.samples"},
    {"time_throttled", "t.throttled"},
    {"time_warm_ns", "w.median"},
    {"time_warm_low_ns", "w.low"},
    {"time_warm_high_ns", "w.high"},
    {"time_kernels_ns", "CASE WHEN p.launches = 1 THEN t.median ELSE q.median END"},
    {"behind_best_pct", "100.0 * (t.median / r.best_median - 1)"},
    {"sm_clock_mhz", "t.clock"},
    {"floor_pct", FLOOR("t", "f")},
    {"best_floor_pct", FLOOR("b", "g")},
    {"launches", "p.launches"},
    {"input_bytes", "p.input_bytes"},
    {"useful_bytes", "p.useful_bytes"},
    {"useful_operations", "p.useful_operations"},
    {"grid_blocks", "l.grid_blocks"},
    {"block_threads", "l.block_threads"},
    {"registers", "l.registers"},
    {"static_shared_bytes", "l.static_shared_bytes"},
    {"dynamic_shared_bytes", "l.dynamic_shared_bytes"},
    {"local_bytes", "l.local_bytes"},
    {"blocks_per_sm", "l.blocks_per_sm"},
    {"theoretical_occupancy_pct", "l.theoretical_occupancy_pct"},
    {"limited_by_warps", LIMITED_BY("warps")},
    {"limited_by_registers", LIMITED_BY("registers")},
    {"limited_by_shared_memory", LIMITED_BY("shared memory")},
    {"limited_by_blocks", LIMITED_BY("blocks")},
    {"event_overhead_ns", "(SELECT value FROM run WHERE key = 'event_overhead_ns')"},
    {"max_block_threads", "l.max_block_threads"},
    {"sass_shuffles", "l.sass_shuffles"},
    {"sass_warp_reductions", "l.sass_warp_reductions"},
    {"sass_barriers", "l.sass_barriers"},
    {"sass_float_adds", "l.sass_float_adds"},
    {"sass_loop_barriers", "l.sass_loop_barriers"},
    {"library_time_ns", "y.median"},
    {"closed_form_excess_wavefronts", ALL_LAUNCHES("closed_form_excess_wavefronts")},
    {"closed_form_load_wavefronts", ALL_LAUNCHES("closed_form_load_wavefronts")},
    {"closed_form_store_wavefronts", ALL_LAUNCHES("closed_form_store_wavefronts")},
    {"closed_form_load_ideal", ALL_LAUNCHES("closed_form_load_ideal")},
    {"closed_form_store_ideal", ALL_LAUNCHES("closed_form_store_ideal")},
    {"closed_form_excess_reads_a", EXCESS_OF("reads of A")},
    {"closed_form_excess_reads_b", EXCESS_OF("reads of B")},
    {"closed_form_excess_writes_a", EXCESS_OF("writes of A")},
    {"closed_form_excess_writes_b", EXCESS_OF("writes of B")},
    {"ceiling_read_gbs", CEILING("read_gbs")},
    {"ceiling_write_gbs", CEILING("write_gbs")},
    {"ceiling_copy_gbs", CEILING("copy_gbs")},
    {"ceiling_launch_ns", CEILING("launch_ns")},
    {"ceiling_next_launch_ns", CEILING("next_launch_ns")},
    {"ceiling_l2_read_gbs", CEILING("l2_read_gbs")},
    {"ceiling_shared_read_gbs", CEILING("shared_read_gbs")},
    {"ceiling_fma_tflops", CEILING("fma_tflops")},
    {"ceiling_integer_gops", CEILING("integer_gops")},
};

enum { FACT_COUNT = sizeof facts / sizeof *facts };

static const struct record *device_record(const struct records *records, const struct run *run)
{
    const char *capability = run_fact(run, "device_compute_capability");
    for (int i = records->count - 1; i >= 0 && capability; i--) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_DEVICE &&
            !strcmp(record_field(record, "compute_capability"), capability))
            return record;
    }
    return NULL;
}

int point_facts_check(const struct records *records, const struct run *run)
{
    const char *capability = run_fact(run, "device_compute_capability");
    for (int f = 0; f < FACT_COUNT; f++)
        if (!records_find(records, RECORD_FACT, facts[f].name))
            return error(FAIL_INPUT, "metrics/: the fact '%s' has no record", facts[f].name);
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        int known = record->kind != RECORD_FACT;
        for (int f = 0; f < FACT_COUNT; f++) known |= !strcmp(record->name, facts[f].name);
        if (!known)
            return error(FAIL_INPUT, "%s:%d: no fact is called '%s'", record->file, record->line,
                         record->name);
    }
    if (!device_record(records, run))
        warning("no record under metrics/devices/ is about compute capability %s: metrics that "
                "need it stay empty",
                capability ? capability : "(unknown)");
    return 0;
}

/* For the lookups below: the point of each launch and access, and of each point the rows that
 * its facts are taken from. The best setting is the first one with the least time. */
/* clang-format off */
static const char rows_sql[] =
    "CREATE INDEX points_key ON points(family, variant, size, block, sweep);"
    "ALTER TABLE launches ADD COLUMN point INTEGER;"
    "ALTER TABLE accesses ADD COLUMN point INTEGER;"
    "UPDATE launches SET point = (SELECT p.rowid FROM points p WHERE"
    " " SAME_POINT("p", "launches") ");"
    "UPDATE accesses SET point = (SELECT p.rowid FROM points p WHERE"
    " " SAME_POINT("p", "accesses") ");"
    "CREATE INDEX launches_point ON launches(point, launch);"
    "CREATE TABLE launch_sums(point INTEGER PRIMARY KEY, closed_form_excess_wavefronts,"
    " closed_form_load_wavefronts, closed_form_store_wavefronts,"
    " closed_form_load_ideal, closed_form_store_ideal);"
    "INSERT INTO launch_sums SELECT point, " SUM("closed_form_excess_wavefronts") ","
    " " SUM("closed_form_load_wavefronts") ", " SUM("closed_form_store_wavefronts") ", "
    SUM("closed_form_load_ideal") ", " SUM("closed_form_store_ideal") " FROM launches WHERE"
    " point IS NOT NULL GROUP BY point;"
    "CREATE TABLE access_sums AS SELECT point, name, " SUM("executions * (wavefronts -"
    " ideal)") " AS excess FROM accesses GROUP BY point, name;"
    "CREATE INDEX access_sums_key ON access_sums(point, name);"
    "CREATE TABLE main_of AS SELECT p.rowid AS point, p.family, p.variant, p.size, p.block,"
    " p.sweep, p.status = 'ok' AS ok, t.rowid AS timing, t.median FROM points"
    " p JOIN timing t ON t.point = p.rowid AND t.main = 1;"
    "CREATE INDEX main_of_point ON main_of(point);"
    "CREATE TABLE best_of AS SELECT point, first_value(timing) OVER settings AS timing,"
    " min(median) OVER settings AS median FROM main_of"
    " WINDOW settings AS (PARTITION BY family, variant, size, block ORDER BY median, sweep ROWS"
    " BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);"
    "CREATE INDEX best_of_point ON best_of(point);"
    "CREATE TABLE best_points AS SELECT point FROM (SELECT point, row_number() OVER (PARTITION"
    " BY family, variant, size, block ORDER BY median, sweep) AS"
    " place FROM main_of WHERE ok AND median IS NOT NULL) WHERE place = 1;"
    "CREATE INDEX best_points_point ON best_points(point);"
    "CREATE TABLE library_of AS SELECT family, size, timing FROM (SELECT o.*, row_number() OVER"
    " (PARTITION BY o.family, o.size ORDER BY o.median, o.variant,"
    " o.block, o.sweep) AS place FROM main_of o JOIN variants v USING (family, variant) WHERE"
    " v.kind = 'library') WHERE place = 1;"
    "CREATE INDEX library_of_key ON library_of(family, size);"
    "CREATE TABLE fact_rows AS SELECT p.rowid AS point, (SELECT o.timing FROM main_of o WHERE"
    " o.point = p.rowid) AS main, " CLEAN("warm", "end_to_end", "a")
    " AS warm, " CLEAN("cold", "kernels", "a") " AS kernels, (SELECT o.timing FROM best_of o"
    " WHERE o.point = p.rowid) AS best, (SELECT o.median FROM best_of o"
    " WHERE o.point = p.rowid) AS best_median, p.rowid IN (SELECT point FROM best_points) AS"
    " is_best, (SELECT z.rowid FROM launches z WHERE z.point = p.rowid AND"
    " z.launch = 0) AS launch, (SELECT y.timing FROM library_of y WHERE y.family = p.family AND"
    " y.size = p.size) AS library FROM points p WHERE p.status = 'ok';"
    "CREATE UNIQUE INDEX fact_rows_point ON fact_rows(point);"
    "CREATE TABLE twins AS SELECT a.rowid AS timing, c.rowid AS twin FROM timing a JOIN timing c"
    " ON c.point = a.point AND c.l2 = a.l2 AND c.kind = a.kind AND"
    " c.copy = 'b';"
    "CREATE INDEX twins_timing ON twins(timing)";
/* clang-format on */

/* Slow points have fewer repeats of their counters; those without counters have all, and nothing
 * in them that could differ. */
static const char repeats_sql[] =
    "CREATE TABLE point_repeats AS SELECT p.rowid AS point, r.repeat FROM points p JOIN repeats r "
    "ON r.point = p.rowid WHERE p.status = 'ok'"
    " UNION ALL SELECT p.rowid, r.repeat FROM points p JOIN (SELECT 0 AS repeat UNION SELECT "
    "repeat FROM repeats) r WHERE p.status = 'ok' AND p.rowid NOT IN"
    " (SELECT point FROM repeats) ORDER BY 1, 2";

/* What the facts are told of, row by row; a twin that is there twice counts once. */
static const char from_sql[] =
    " FROM point_repeats n CROSS JOIN points p ON p.rowid = n.point JOIN fact_rows r ON r.point = "
    "p.rowid LEFT JOIN timing t ON t.rowid = r.main LEFT JOIN timing w"
    " ON w.rowid = r.warm LEFT JOIN timing q ON q.rowid = r.kernels LEFT JOIN timing b ON b.rowid "
    "= r.best LEFT JOIN timing f ON f.rowid = (SELECT twin FROM twins"
    " WHERE timing = r.main) LEFT JOIN timing g ON g.rowid = (SELECT twin FROM twins WHERE timing "
    "= r.best) LEFT JOIN launches l ON l.rowid = r.launch LEFT JOIN"
    " timing y ON y.rowid = r.library LEFT JOIN variants k ON k.family = p.family AND k.variant = "
    "p.variant ORDER BY n.rowid";

int point_facts_make_points(struct query *query, const struct records *records)
{
    struct text sql = {0};
    text_append(&sql, "CREATE TABLE m_facts AS SELECT n.rowid AS row_id, p.rowid AS point, "
                      "p.family, p.variant, p.size, p.block, p.sweep, n.repeat, ");
    /* The CPU takes no turns in the rounds: there is no library sample to hold its own against. */
    text_append(&sql, "t.series AS series, CASE WHEN k.kind <> 'cpu' THEN y.series END AS "
                      "library_series, r.is_best AS best, b.series AS best_series");
    for (int f = 0; f < FACT_COUNT; f++)
        text_format(&sql, ", CAST(%s AS REAL) AS %s", facts[f].sql, facts[f].name);
    for (int i = 0; i < query->run->facts.count; i++) {
        const struct fact *fact = &query->run->facts.fact[i];
        char *end;
        strtod(fact->value, &end);
        const int numeric = end != fact->value && !*end;
        const int absent =
            !strncmp(fact->value,
                     "absent: ", 8); /* NULL in table run: what is computed from it is NULL, too */
        if (!strncmp(fact->key, "device_", 7) && (numeric || absent))
            text_format(&sql, ", (SELECT CAST(value AS REAL) FROM run WHERE key = '%s') AS %s",
                        fact->key, fact->key);
    }
    const struct record *device = device_record(records, query->run), *any = device;
    for (int i = 0; i < records->count && !any; i++)
        if (records->record[i].kind == RECORD_DEVICE) any = &records->record[i];
    for (int i = 0; any && i < any->field_count; i++) {
        const char *key = any->field[i].key;
        if (strcmp(key, "title") && strcmp(key, "compute_capability"))
            text_format(&sql, ", CAST(%s AS REAL) AS %s",
                        device ? record_field(device, key) : "NULL", key);
    }
    text_append(&sql, from_sql);
    int result = query_write(query, "%s", rows_sql);
    if (!result) result = query_write(query, "%s", repeats_sql);
    if (!result) result = sql.failed ? error_memory() : query_write(query, "%s", text_string(&sql));
    text_free(&sql);
    return result;
}
