/*
 * Counters over time of the newest recorded run, held against everything else that is known of the same kernels: what the range profiler counted, when the
 * kernels ran by their activity records, and what the program was doing.
 */
#include "fixture.h"

#include "asked.h"
#include "newest_recorded.h"
#include "phases.h"
#include "pipeline.h"

/* How far the bytes by samples may be from those by the range profiler, in per cent. */
#define BYTES_PCT "3"

/* Resident warps per SM from which on a kernel runs: the gate that holds the stream is one warp on the whole device. */
#define WARPS "0.1"

static int has_traces;

static int open_all(void **state)
{
    static const enum table_id needed[] = {TABLE_POINTS,        TABLE_VARIANTS, TABLE_METRICS, TABLE_STAGES, TABLE_TRACES, TABLE_ACTIVITIES,
                                           TABLE_TRACE_SAMPLES, TABLE_PHASES};
    struct records records;
    setenv("WHYFAST_DATA", root(), 1);
    if (newest_recorded_open(state) || query_open(&query, &newest_recorded)) return -1;
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) result = query_load(&query, needed[i]);
    char *data = result ? NULL : data_directory();
    if (!result) result = data ? records_read(&records, data) : -1;
    free(data);
    if (result) return result;
    result = phases_shown(&query, &records);
    records_free(&records);
    if (!result) /* by which the statements below join */
        result = query_write(&query, "CREATE INDEX activities_key ON activities(trace);"
                                     "CREATE TABLE life AS SELECT trace, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns FROM activities GROUP BY trace;"
                                     "CREATE INDEX life_key ON life(trace)");
    if (!result) has_traces = number("SELECT count(*) FROM traces") > 0;
    return result;
}

static int close_all(void **state)
{
    query_close(&query);
    return newest_recorded_close(state);
}

#define NEEDS_TRACES                                                                                                                       \
    if (!has_traces) fail_msg("the newest recorded run was made before there were counters over time: record it anew")

#define NAME "t.family || '/' || t.variant || ', size ' || t.size || ', trace ' || t.trace"

/* ---- tests ---------------------------------------------------------------------------------------------------------------------------------- */

static void every_family_was_sampled(void **state)
{
    (void)state;
    NEEDS_TRACES;
    finds_nothing("SELECT DISTINCT p.family || ' has no trace with samples' FROM points p JOIN variants v USING (family, variant) WHERE p.status = 'ok' AND v.kind <>"
                  " 'cpu' AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.family = p.family AND t.counter_set = 'timeline' AND t.samples_status = 'ok')");
    finds_nothing("SELECT " NAME " || ' has no samples' FROM traces t WHERE t.samples_status = 'ok' AND NOT EXISTS (SELECT 1 FROM shown s WHERE s.trace ="
                  " t.trace AND s.value IS NOT NULL)");
    finds_nothing("SELECT " NAME " || ' has no kernels' FROM traces t WHERE t.activities_status = 'ok' AND t.trace NOT IN (SELECT trace FROM life)");
}

static void bytes_by_samples_are_those_that_were_counted(void **state)
{
    (void)state;
    NEEDS_TRACES;
    static const char from[] = " FROM phases p JOIN traces t USING (trace) JOIN metrics m ON m.family = t.family AND m.variant = t.variant AND m.size = t.size AND"
                               " m.block = t.block AND m.sweep = t.sweep WHERE p.track = 'dram_read' AND t.family = 'reduce' AND t.size = '536870912' AND"
                               " t.counter_set = 'timeline' AND t.repeats = 1 AND m.dram_read_bytes > 0";
    char sql[1024];
    snprintf(sql, sizeof sql, "SELECT count(*)%s", from);
    assert_true(number(sql) >= 5);
    snprintf(sql, sizeof sql, "SELECT " NAME " || printf(': %%.0f bytes by samples, %%.0f by the range profiler', p.integral, m.dram_read_bytes)%s AND"
                              " NOT abs(p.integral - m.dram_read_bytes) <= " BYTES_PCT " / 100.0 * m.dram_read_bytes", from);
    finds_nothing(sql);
}

static void samples_begin_with_the_kernel(void **state)
{
    (void)state;
    NEEDS_TRACES;
    finds_nothing("SELECT " NAME " || printf(': warps from %d ns on, the kernel from %d', w.begin_ns, l.begin_ns) FROM traces t JOIN life l USING (trace) JOIN"
                  " (SELECT trace, min(begin_ns) AS begin_ns FROM shown WHERE track = 'resident_warps' AND value > " WARPS " GROUP BY trace) w USING (trace) WHERE"
                  " abs(w.begin_ns - l.begin_ns) > 2 * t.interval_ns");
    finds_nothing("SELECT " NAME " || ' never has a warp' FROM traces t WHERE t.counter_set = 'timeline' AND t.samples_status = 'ok' AND NOT EXISTS (SELECT 1"
                  " FROM shown s WHERE s.trace = t.trace AND s.track = 'resident_warps' AND s.value > " WARPS ")");
}

static void everything_lies_within_what_holds_it(void **state)
{
    (void)state;
    NEEDS_TRACES;
    finds_nothing("SELECT " NAME " || ': a kernel goes from ' || a.begin_ns || ' to ' || a.end_ns FROM traces t JOIN activities a USING (trace) WHERE a.end_ns <"
                  " a.begin_ns OR a.end_ns > t.end_ns - t.begin_ns");
    finds_nothing("SELECT " NAME " || ' lies in no row of its stage' FROM traces t WHERE NOT EXISTS (SELECT 1 FROM stages s WHERE s.stage = 'timeline' AND"
                  " s.family = t.family AND s.size = t.size AND s.begin_ns <= t.begin_ns AND t.end_ns <= s.end_ns)");
    finds_nothing("SELECT " NAME " || ': kernel ' || launch || ' of repeat ' || repeat || ' begins before the last one ends' FROM (SELECT *, lag(end_ns) OVER (PARTITION"
                  " BY trace ORDER BY begin_ns, end_ns) AS last_ns FROM activities) a JOIN traces t USING (trace) WHERE a.begin_ns < a.last_ns");
}

static void samples_are_contiguous(void **state)
{
    (void)state;
    NEEDS_TRACES;
    finds_nothing("SELECT " NAME " || ': ' || s.track || ' has a gap before sample ' || s.sample FROM (SELECT *, lag(end_ns) OVER w AS last_ns, lag(sample) OVER w AS"
                  " last FROM trace_samples WINDOW w AS (PARTITION BY trace, track ORDER BY sample)) s JOIN traces t USING (trace) WHERE s.end_ns <= s.begin_ns OR"
                  " s.last_ns <> s.begin_ns OR s.last + 1 <> s.sample");
}

static void samples_cover_their_kernels(void **state)
{
    (void)state;
    NEEDS_TRACES;
    finds_nothing("SELECT " NAME " || printf(': samples from %d to %d ns, kernels from %d to %d', s.begin_ns, s.end_ns, l.begin_ns, l.end_ns) FROM traces t JOIN life l"
                  " USING (trace) JOIN (SELECT trace, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns FROM trace_samples GROUP BY trace) s USING (trace) WHERE"
                  " s.begin_ns > l.begin_ns OR s.end_ns < l.end_ns");
}

static void values_can_be(void **state)
{
    (void)state;
    NEEDS_TRACES;
    finds_nothing("SELECT " NAME " || printf(': %s is %g %s', s.track, s.value, k.unit) FROM shown s JOIN track k USING (track) JOIN traces t USING (trace) WHERE"
                  " s.value < 0 OR (k.unit = '%' AND s.value > 100.5)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_was_sampled),
        cmocka_unit_test(bytes_by_samples_are_those_that_were_counted),
        cmocka_unit_test(samples_begin_with_the_kernel),
        cmocka_unit_test(everything_lies_within_what_holds_it),
        cmocka_unit_test(samples_are_contiguous),
        cmocka_unit_test(samples_cover_their_kernels),
        cmocka_unit_test(values_can_be),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
