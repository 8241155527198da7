#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

/* The series that time_ns is of: end to end with a cold L2 cache; on the CPU, whose caches nobody flushes, a warm one. */
#define MAIN(t) t ".main = 1"
#define SAME_POINT(a, b)                                                                                                                   \
    a ".family = " b ".family AND " a ".variant = " b ".variant AND " a ".size = " b ".size AND " a ".block = " b ".block AND " a          \
      ".sweep = " b ".sweep"
#define TIME(column) "(SELECT " column " FROM timing t WHERE " SAME_POINT("t", "p") " AND " MAIN("t") ")"
#define CLEAN(l2, kind, column)                                                                                                            \
    "(SELECT " column " FROM timing t WHERE " SAME_POINT("t", "p") " AND t.l2 = '" l2 "' AND t.kind = '" kind "' AND t.copy = 'a')"
#define LIBRARY(column)                                                                                                                    \
    "(SELECT t." column " FROM timing t JOIN variants v USING (family, variant) WHERE v.kind = 'library' AND t.family = p.family AND "      \
    "t.size = p.size AND " MAIN("t") " ORDER BY t.median LIMIT 1)"
#define BEST_SERIES                                                                                                                        \
    "(SELECT b.series FROM timing b WHERE b.family = p.family AND b.variant = p.variant AND b.size = p.size AND b.block = p.block AND "      \
    MAIN("b") " ORDER BY b.median LIMIT 1)"
/* How far a series a and its twin b are apart. */
#define FLOOR(which)                                                                                                                       \
    "(SELECT 100.0 * max(abs(ratio_low(a.series, b.series) - 1), abs(ratio_high(a.series, b.series) - 1)) FROM timing a JOIN timing b ON "  \
    SAME_POINT("a", "b") " AND a.l2 = b.l2 AND a.kind = b.kind WHERE " which " AND b.copy = 'b')"
#define FIRST_LAUNCH(column) "(SELECT " column " FROM launches l WHERE " SAME_POINT("l", "p") " AND l.launch = 0)"
/* 1 where the column occupancy_limiter names the resource, absent where it is empty: metrics.csv holds numbers only. */
#define LIMITED_BY(resource) FIRST_LAUNCH("', ' || nullif(l.occupancy_limiter, '') || ',' LIKE '%, " resource ",%'")
/* A sum is absent where one of its terms is. */
#define SUM(term) "SELECT CASE WHEN count(*) = count(" term ") THEN sum(" term ") END"
#define ALL_LAUNCHES(column) "(" SUM(column) " FROM launches l WHERE " SAME_POINT("l", "p") ")"
#define EXCESS_OF(access)                                                                                                                  \
    "(" SUM("a.executions * (a.wavefronts - a.ideal)") " FROM accesses a WHERE " SAME_POINT("a", "p") " AND a.name = '" access "')"

#define CEILING(name) "(SELECT c.value FROM ceilings c WHERE c.ceiling = '" name "')"

/* The facts of facts.metric and ceilings.metric, in SQL over points p and repeats r. To add one: a row here and its record there. */
static const struct {
    const char *name;
    const char *sql;
} facts[] = {
    {"time_ns", TIME("median")},
    {"time_low_ns", TIME("low")},
    {"time_high_ns", TIME("high")},
    {"time_q1_ns", TIME("q1")},
    {"time_q3_ns", TIME("q3")},
    {"time_samples", TIME("samples")},
    {"time_throttled", TIME("throttled")},
    {"time_warm_ns", CLEAN("warm", "end_to_end", "median")},
    {"time_warm_low_ns", CLEAN("warm", "end_to_end", "low")},
    {"time_warm_high_ns", CLEAN("warm", "end_to_end", "high")},
    {"time_kernels_ns",
     "CASE WHEN p.launches = 1 THEN " TIME("median") " ELSE " CLEAN("cold", "kernels", "median") " END"},
    {"behind_best_pct",
     "(SELECT 100.0 * (" TIME("median") " / min(b.median) - 1) FROM timing b WHERE b.family = p.family AND b.variant = p.variant AND b.size = "
                                        "p.size AND b.block = p.block AND " MAIN("b") ")"},
    {"sm_clock_mhz", TIME("clock")},
    {"floor_pct", FLOOR(SAME_POINT("a", "p") " AND " MAIN("a"))},
    {"best_floor_pct", FLOOR("a.series = " BEST_SERIES)},
    {"launches", "p.launches"},
    {"input_bytes", "p.input_bytes"},
    {"useful_bytes", "p.useful_bytes"},
    {"useful_operations", "p.useful_operations"},
    {"grid_blocks", FIRST_LAUNCH("grid_blocks")},
    {"block_threads", FIRST_LAUNCH("block_threads")},
    {"registers", FIRST_LAUNCH("registers")},
    {"static_shared_bytes", FIRST_LAUNCH("static_shared_bytes")},
    {"dynamic_shared_bytes", FIRST_LAUNCH("dynamic_shared_bytes")},
    {"local_bytes", FIRST_LAUNCH("local_bytes")},
    {"blocks_per_sm", FIRST_LAUNCH("blocks_per_sm")},
    {"theoretical_occupancy_pct", FIRST_LAUNCH("theoretical_occupancy_pct")},
    {"limited_by_warps", LIMITED_BY("warps")},
    {"limited_by_registers", LIMITED_BY("registers")},
    {"limited_by_shared_memory", LIMITED_BY("shared memory")},
    {"limited_by_blocks", LIMITED_BY("blocks")},
    {"event_overhead_ns", "(SELECT value FROM run WHERE key = 'event_overhead_ns')"},
    {"max_block_threads", FIRST_LAUNCH("max_block_threads")},
    {"sass_shuffles", FIRST_LAUNCH("sass_shuffles")},
    {"sass_warp_reductions", FIRST_LAUNCH("sass_warp_reductions")},
    {"sass_barriers", FIRST_LAUNCH("sass_barriers")},
    {"sass_float_adds", FIRST_LAUNCH("sass_float_adds")},
    {"sass_loop_barriers", FIRST_LAUNCH("sass_loop_barriers")},
    {"library_time_ns", LIBRARY("median")},
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

int facts_check(const struct records *records)
{
    for (int f = 0; f < FACT_COUNT; f++)
        if (!records_find(records, RECORD_FACT, facts[f].name))
            return error(FAIL_INPUT, "metrics/: the fact '%s' has no record", facts[f].name);
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        int known = record->kind != RECORD_FACT;
        for (int f = 0; f < FACT_COUNT; f++) known |= !strcmp(record->name, facts[f].name);
        if (!known) return error(FAIL_INPUT, "%s:%d: no fact is called '%s'", record->file, record->line, record->name);
    }
    return 0;
}

/* Slow points have fewer repeats of their counters; those without counters have all, and nothing in them that could differ. */
#define COLLECTED "SELECT 1 FROM repeats c WHERE " SAME_POINT("c", "p")

int facts_make_points(struct query *query, const struct records *records)
{
    struct text sql = {0};
    text_append(&sql, "CREATE TABLE m AS SELECT p.family, p.variant, p.size, p.block, p.sweep, r.repeat, ");
    /* The CPU takes no turns in the rounds: there is no library sample to hold its own against. */
    text_append(&sql, TIME("series") " AS series, CASE WHEN (SELECT v.kind FROM variants v WHERE v.family = p.family AND v.variant = "
                      "p.variant) <> 'cpu' THEN " LIBRARY("series") " END AS library_series, 0 AS best, " BEST_SERIES " AS best_series");
    for (int f = 0; f < FACT_COUNT; f++) text_format(&sql, ", CAST(%s AS REAL) AS %s", facts[f].sql, facts[f].name);
    for (int i = 0; i < query->run->fact_count; i++) {
        const struct fact *fact = &query->run->facts[i];
        char *end;
        strtod(fact->value, &end);
        const int numeric = end != fact->value && !*end;
        const int absent = !strncmp(fact->value, "absent: ", 8); /* NULL in table run: what is computed from it is NULL, too */
        if (!strncmp(fact->key, "device_", 7) && (numeric || absent))
            text_format(&sql, ", (SELECT CAST(value AS REAL) FROM run WHERE key = '%s') AS %s", fact->key, fact->key);
    }
    const char *capability = run_fact(query->run, "device_compute_capability");
    const struct record *device = NULL, *any = NULL;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_DEVICE) continue;
        any = record;
        if (capability && !strcmp(record_field(record, "compute_capability"), capability)) device = record;
    }
    if (!device)
        warning("no record under metrics/devices/ is about compute capability %s: metrics that need it stay empty",
                capability ? capability : "(unknown)");
    for (int i = 0; any && i < any->field_count; i++) {
        const char *key = any->field[i].key;
        if (strcmp(key, "title") && strcmp(key, "compute_capability"))
            text_format(&sql, ", CAST(%s AS REAL) AS %s", device ? record_field(device, key) : "NULL", key);
    }
    text_append(&sql, " FROM points p JOIN (SELECT 0 AS repeat UNION SELECT repeat FROM repeats) r WHERE p.status = 'ok' AND ("
                      "EXISTS (" COLLECTED " AND c.repeat = r.repeat) OR NOT EXISTS (" COLLECTED "))");
    int result = query_write(query, "CREATE TABLE repeats AS SELECT DISTINCT family, variant, size, block, sweep, repeat FROM counters;"
                                    "CREATE INDEX repeats_key ON repeats(family, variant, size, block, sweep, repeat);"
                                    "CREATE INDEX launches_key ON launches(family, variant, size, block, sweep, launch);"
                                    "CREATE INDEX accesses_key ON accesses(family, variant, size, block, sweep, name)");
    if (!result) result = sql.failed ? error_memory() : query_write(query, "%s", text_string(&sql));
    text_free(&sql);
    if (!result)
        result = query_write(query, "CREATE INDEX m_key ON m(family, variant, size, block, sweep, repeat);"
                                    "UPDATE m SET best = 1 WHERE sweep = (SELECT o.sweep FROM m o WHERE o.family = m.family AND o.variant "
                                    "= m.variant AND o.size = m.size AND o.block = m.block"
                                    " AND o.time_ns IS NOT NULL ORDER BY o.time_ns, o.sweep LIMIT 1)");
    return result;
}
