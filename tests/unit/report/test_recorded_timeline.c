/*
 * Tests the counters over time of the run against all other data about the same
 * kernels: the range profiler's counts, their clean times, the device's ceilings, their launches,
 * and the program's stages.
 */
#include "asked.h"

#include "base/atomic_file.h"
#include "query/track_values.h"

/* The most that the bytes by samples may differ from those by the range profiler, in per cent; the
 * bound is the project's own. */
#define BYTES_PCT "3"
#define BYTES_RECORDED_PCT "0.5"

/* The most that the time by samples may differ from the clean one, in per cent, beyond the two
 * intervals of its accuracy. */
#define TIME_PCT "5"

/* The most that a rate may exceed the device's limit, in per cent. */
#define MOST "1.02"

static int open_all(void **state)
{
    if (ask_fixture_run(state)) return -1;
    int result = LOAD_TABLES(TABLE_POINTS, TABLE_VARIANTS, TABLE_LAUNCHES, TABLE_METRICS,
                             TABLE_STAGES, TABLE_TRACES, TABLE_ACTIVITIES, TABLE_TRACE_SAMPLES);
    if (!result) result = records_read_own(&records);
    if (!result) result = track_values_make(&query, &records);
    if (!result) result = track_values_add_dram(&query);
    if (!result) /* the statements below join by these columns */
        result = query_write(&query, "CREATE INDEX activities_key ON activities(trace);"
                                     "CREATE INDEX trace_samples_key ON trace_samples(trace)");
    return result;
}

#define NAME "t.family || '/' || t.variant || ', size ' || t.size || ', trace ' || t.trace"

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(every_family_was_sampled)
{
    finds_at_least(at_least(8, 100), "traces WHERE samples_status = 'ok'");
    if (!is_slice())
        finds_nothing(50,
                      "SELECT DISTINCT p.family || ' has no trace with samples' FROM points p JOIN "
                      "variants v USING (family, variant) WHERE p.status = 'ok' AND v.kind <> "
                      "'cpu' AND wrong(NOT EXISTS (SELECT 1 FROM traces t WHERE t.family = "
                      "p.family AND t.counter_set = 'timeline' AND t.samples_status = 'ok'))");
    finds_nothing(7, "SELECT " NAME
                     " || ': the samples do not cover the whole kernels' FROM traces t JOIN life l "
                     "USING (trace) WHERE wrong(NOT EXISTS (SELECT 1 FROM trace_samples s WHERE "
                     "s.trace = t.trace AND s.end_ns <= l.begin_ns) OR NOT EXISTS (SELECT 1 FROM "
                     "trace_samples s WHERE s.trace = t.trace AND s.begin_ns >= l.end_ns))");
}

TEST(statuses_agree_with_the_rows)
{
    finds_nothing(70,
                  "SELECT " NAME
                  " || ': ' || s.status FROM traces t JOIN (SELECT trace, samples_status AS status "
                  "FROM traces UNION ALL SELECT trace, activities_status FROM traces) s USING "
                  "(trace) WHERE wrong(s.status <> 'ok' AND s.status NOT LIKE 'absent: _%')");
    finds_nothing(30,
                  "SELECT " NAME " || ' has samples or has none, and says: ' || t.samples_status "
                  "FROM traces t WHERE wrong((t.samples_status = 'ok') <> EXISTS "
                  "(SELECT 1 FROM trace_samples s WHERE s.trace = t.trace))");
    finds_nothing(30, "SELECT " NAME
                      " || ' has kernels or has none, and says: ' || t.activities_status FROM "
                      "traces t WHERE wrong((t.activities_status = 'ok') <> EXISTS (SELECT 1 FROM "
                      "activities a WHERE a.trace = t.trace))");
    finds_nothing(7, "SELECT " NAME
                     " || ' has samples, but: ' || t.activities_status FROM traces t WHERE "
                     "t.samples_status = 'ok' AND wrong(t.activities_status LIKE '%did not run%')");
    finds_nothing(7,
                  "SELECT " NAME
                  " || ' was sampled while kernels were recorded, which changes their code' FROM "
                  "traces t WHERE t.samples_status = 'ok' AND wrong(t.activities_status = 'ok')");
}

/* Every reduction of 2^29 elements. */
#define REDUCTIONS                                                                                 \
    " FROM (SELECT trace, sum(value * ns) AS integral FROM shown s JOIN life l USING (trace) "     \
    "WHERE track = 'dram_read' AND s.end_ns > l.begin_ns AND s.begin_ns < l.end_ns GROUP BY "      \
    "trace) p JOIN traces t USING (trace) JOIN metrics m ON m.family = t.family AND "              \
    "m.variant = t.variant AND m.size = t.size AND m.block = t.block AND"                          \
    " m.sweep = t.sweep WHERE t.family IN ('reduce', 'reduce_float') "                             \
    "AND t.size = '536870912' AND t.repeats = 1 AND m.dram_read_bytes > 0"

TEST(bytes_by_samples_are_those_that_were_counted)
{
    print_message(
        "# worst: %s\n",
        ask("SELECT " NAME
            " || printf(': %%.3f %%%%', 100 * (p.integral / m.dram_read_bytes - 1))" REDUCTIONS
            " ORDER BY abs(p.integral / m.dram_read_bytes - 1) DESC"));
    finds_nothing(at_least(6, 10),
                  "SELECT " NAME " || printf(': %.0f bytes by samples, %.0f by the range "
                  "profiler', p.integral, m.dram_read_bytes)" REDUCTIONS
                  " AND wrong(NOT coalesce(abs(p.integral - m.dram_read_bytes) <= " BYTES_PCT
                  " / 100.0 * m.dram_read_bytes, 0))");
    finds_nothing(at_least(6, 10),
                  "SELECT " NAME " || printf(': %.0f bytes by samples, %.0f by the range "
                  "profiler', p.integral, m.dram_read_bytes)" REDUCTIONS
                  " AND wrong(abs(p.integral - m.dram_read_bytes) > " BYTES_RECORDED_PCT
                  " / 100.0 * m.dram_read_bytes)");
}

TEST(time_by_samples_is_the_clean_time)
{
    static const char joined[] =
        " FROM life l JOIN traces t USING (trace) JOIN metrics m ON m.family = t.family AND "
        "m.variant = t.variant AND m.size = t.size AND m.block ="
        " t.block AND m.sweep = t.sweep WHERE t.repeats = 1 AND m.time_ns > 0 AND "
        "m.sm_clock_mhz > 0.97 * (SELECT max(sm_clock_mhz) FROM metrics)"; /* at the power limit
                                                                              the clock varies */
    char sql[1024];
    snprintf(
        sql, sizeof sql,
        "SELECT " NAME " || printf(': %%.0f us by samples, every %%.0f us, %%.0f clean', "
        "(l.end_ns - l.begin_ns) / 1e3, t.interval_ns / 1e3, m.time_ns /"
        " 1e3)%s AND wrong(abs(l.end_ns - l.begin_ns - m.time_ns) > 2 * t.interval_ns + " TIME_PCT
        " / 100.0 * m.time_ns)",
        joined);
    finds_nothing(at_least(6, 20), sql);
}

/* Registers are left out: the recorder of kernels patches their code, which takes some. cublasLt is
 * left out, too: each process chooses the fastest of its algorithms by their times. */
TEST(kernels_are_those_that_were_launched)
{
    finds_at_least(at_least(40, 1000), "activities");
    finds_nothing(
        150,
        "SELECT " NAME
        " || printf(': launch %d of repeat %d has %d x %d threads', a.launch, a.repeat, a.grid_x * "
        "a.grid_y * a.grid_z, a.block_x * a.block_y * a.block_z) FROM activities a JOIN traces t "
        "USING (trace) LEFT JOIN launches n ON n.family = t.family AND n.variant = t.variant AND "
        "n.size = t.size AND n.block = t.block AND n.sweep = t.sweep AND n.launch = a.launch WHERE "
        "t.variant NOT LIKE '%cublaslt%' AND wrong(NOT coalesce(a.grid_x * a.grid_y * a.grid_z = "
        "n.grid_blocks AND a.block_x * a.block_y * a.block_z = n.block_threads, 0))");
}

TEST(everything_lies_within_what_holds_it)
{
    finds_nothing(150, "SELECT " NAME
                       " || ': a kernel goes from ' || a.begin_ns || ' to ' || a.end_ns FROM "
                       "traces t JOIN activities a USING (trace) WHERE wrong(a.end_ns < a.begin_ns "
                       "OR a.end_ns > t.end_ns - t.begin_ns)");
    finds_nothing(
        7, "SELECT " NAME
           " || ': warps are there from ' || l.begin_ns || ' to ' || l.end_ns FROM traces t JOIN "
           "life l USING (trace) WHERE wrong(l.begin_ns < 0 OR l.end_ns > t.end_ns - t.begin_ns)");
    finds_nothing(30,
                  "SELECT " NAME
                  " || ' lies in no row of its stage' FROM traces t WHERE wrong(NOT EXISTS (SELECT "
                  "1 FROM stages s WHERE s.stage = 'timeline' AND s.family = t.family AND s.size = "
                  "t.size AND s.begin_ns <= t.begin_ns AND t.end_ns <= s.end_ns))");
    finds_nothing(150,
                  "SELECT " NAME
                  " || ': kernel ' || launch || ' of repeat ' || repeat || ' begins before the "
                  "last one ends' FROM (SELECT *, lag(end_ns) OVER w AS last_ns, repeat = "
                  "lag(repeat) OVER w AND launch = lag(launch) OVER w + 1 AS is_next FROM "
                  "activities WINDOW w AS (PARTITION BY trace ORDER BY begin_ns, end_ns)) a JOIN "
                  "traces t USING (trace) WHERE wrong(a.begin_ns < a.last_ns AND NOT is_next)");
}

TEST(samples_are_contiguous)
{
    finds_nothing(
        4000,
        "SELECT " NAME
        " || ': ' || s.track || ' has a gap before sample ' || s.sample FROM (SELECT *, "
        "lag(end_ns) OVER w AS last_ns, lag(sample) OVER w AS last FROM trace_samples WINDOW w AS "
        "(PARTITION BY trace, track ORDER BY sample)) s JOIN traces t USING (trace) WHERE "
        "wrong(s.end_ns <= s.begin_ns OR s.last_ns <> s.begin_ns OR s.last + 1 <> s.sample)");
}

TEST(values_can_be)
{
    finds_nothing(5000,
                  "SELECT " NAME " || printf(': %s is %g %s', s.track, s.value, k.unit) FROM shown "
                  "s JOIN track k USING (track) JOIN traces t USING (trace) WHERE "
                  "wrong(s.value < 0 OR (k.unit = '%' AND s.value > 100.5))");
    finds_nothing(
        2000,
        "SELECT " NAME
        " || printf(': %s is %g GB/s', s.track, s.value) FROM shown s JOIN traces t USING (trace) "
        "WHERE s.track IN ('dram', 'dram_read', 'dram_write') AND wrong(NOT s.value <= " MOST
        " * (SELECT max(dram_peak_gbs) FROM metrics))");
    finds_nothing(600, "SELECT " NAME
                       " || printf(': %s is %g MHz', s.track, s.value) FROM shown s JOIN traces t "
                       "USING (trace) WHERE s.track = 'sm_clock' AND wrong(NOT s.value <= " MOST
                       " * (SELECT value / 1e3 FROM run WHERE key = 'device_sm_clock_khz'))");
}

RUN_TESTS(open_all, asked_close)
