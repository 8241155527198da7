/*
 * Ramp, steady part and tail of hand-made traces: samples of 100 ns each, the values worked out by hand.
 */
#include "fixture.h"

#include <math.h>

#include "asked.h"
#include "phases.h"
#include "pipeline.h"

static struct run run;
static struct records records;

/* ---- the traces ----------------------------------------------------------------------------------------------------------------------------- */

static void write_tracks(const char *shows)
{
    char tracks[1024];
    snprintf(tracks, sizeof tracks,
             "set over_time\n    collector sampler\n    means One pass.\n"
             "track bytes\n    set over_time\n    from b.sum\n    shows %s\n    unit GB/s\n    title Bytes\n    means Bytes moved.\n"
             "track level\n    set over_time\n    from l.avg\n    shows 100 * value\n    unit %%\n    title Level\n    means How full it is.\n",
             shows);
    make_data(tracks, "");
}

/* Traces 0 to 6. Trace 4 was not sampled; of trace 3 no kernel is known; the samples of trace 6 end before its kernel. */
static void write_traces(void)
{
    make_run("r");
    write_table("r", TABLE_TRACES,
                "0,f,whole,1024,32,0,over_time,0,9000,2,100,time,ok,ok\n"
                "1,f,short,1024,32,0,over_time,9000,18000,1,100,time,ok,ok\n"
                "2,f,twelve,1024,32,0,over_time,9000,18000,1,100,time,ok,ok\n"
                "3,f,unknown,1024,32,0,over_time,9000,18000,1,100,time,absent: no records,ok\n"
                "4,f,refused,1024,32,0,over_time,9000,18000,1,100,time,ok,absent: the buffer was full\n"
                "5,f,flat,1024,32,0,over_time,9000,18000,1,100,time,ok,ok\n"
                "6,f,cut_off,1024,32,0,over_time,9000,18000,1,100,time,ok,ok\n");
    write_table("r", TABLE_ACTIVITIES,
                "0,0,0,k,1050,2000\n0,1,0,k,2100,3050\n"
                "1,0,0,k,1050,2250\n"
                "2,0,0,k,1050,2350\n"
                "4,0,0,k,1050,3050\n"
                "5,0,0,k,1050,3050\n"
                "6,0,0,k,1050,3050\n");
}

static void add_sample(struct text *rows, int trace, int begin, const char *track, double value)
{
    text_format(rows, "%d,%d,%d,%d,%s,%g\n", trace, begin / 100, begin, begin + 100, track, value);
}

/* Of trace 0, from 800 ns on: what lies beyond the kernels, at 900 and at 3200 ns, is larger than anything within. */
static const double whole[] = {0,    5000, 100,  500,  880,  920,  1000, 1000, 960, 970, 980, 990, 1000,
                               1010, 1020, 1030, 2000, 1000, 950,  900,  899,  300, 50,  0,   5000};

static void write_samples(void)
{
    struct text rows = {0};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        add_sample(&rows, 0, 800 + 100 * (int)i, "bytes", whole[i]);
        add_sample(&rows, 0, 800 + 100 * (int)i, "level", i < 8 ? 0.5 : 0);
        add_sample(&rows, 0, 800 + 100 * (int)i, "stranger", 1);
    }
    for (int begin = 800; begin < 3400; begin += 100) {
        for (int trace = 1; trace <= 3; trace++) add_sample(&rows, trace, begin, "bytes", 700);
        add_sample(&rows, 5, begin, "bytes", 700);
        if (begin < 2900) add_sample(&rows, 6, begin, "bytes", 700);
    }
    write_table("r", TABLE_TRACE_SAMPLES, text_string(&rows));
    text_free(&rows);
}

static int make_phases(void)
{
    static const enum table_id needed[] = {TABLE_TRACES, TABLE_ACTIVITIES, TABLE_TRACE_SAMPLES};
    char *data = data_directory();
    assert_non_null(data);
    int result = records_read(&records, data);
    free(data);
    assert_int_equal(result, 0);
    assert_int_equal(run_open(&run, place("r")), 0);
    assert_int_equal(query_open(&query, &run), 0);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) assert_int_equal(query_load(&query, needed[i]), 0);
    result = phases_shown(&query, &records);
    return result ? result : phases_make(&query);
}

static void close_phases(void)
{
    query_close(&query);
    run_close(&run);
    records_free(&records);
}

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    write_tracks("value / ns");
    write_traces();
    write_samples();
    return make_phases();
}

static int close_all(void **state)
{
    close_phases();
    return fixture_close(state);
}

/* A cell of the table, of a variant and a track. */
static const char *phase(const char *variant, const char *track, const char *column)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT %s FROM phases WHERE variant = '%s' AND track = '%s'", column, variant, track);
    return ask(sql);
}

static void is_near(const char *text, double expected)
{
    char *end;
    const double found = strtod(text, &end);
    if (end == text || *end || !(fabs(found - expected) <= 1e-9 * (1 + fabs(expected)))) fail_msg("'%s' instead of %.12g", text, expected);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------------------------ */

/* The life is 1050 to 3050 ns, its middle the samples from 1600 to 2500 ns: 960 to 1030 and 2000 bytes, in 100 ns each. */
static void steady_part_is_the_median_of_the_middle(void **state)
{
    (void)state;
    is_near(phase("whole", "bytes", "kernel_ns"), 2000);
    is_near(phase("whole", "bytes", "steady"), 10);
    is_near(phase("whole", "bytes", "low"), 9.6);
    is_near(phase("whole", "bytes", "high"), 20);
    assert_string_equal(phase("whole", "bytes", "status"), "ok");
}

/* 90 % of 10 are reached first at 1300 ns, by 920 bytes, and last in the sample that ends at 2800 ns, by 900. */
static void ramp_and_tail_lie_at_nine_tenths(void **state)
{
    (void)state;
    is_near(phase("whole", "bytes", "ramp_ns"), 250);
    is_near(phase("whole", "bytes", "tail_ns"), 250);
}

static void integral_is_of_the_life_alone(void **state)
{
    (void)state;
    is_near(phase("whole", "bytes", "integral"), 18459);
    is_near(phase("whole", "level", "integral"), 50 * 100 * 6);
}

static void what_is_flat_has_no_ramp(void **state)
{
    (void)state;
    is_near(phase("flat", "bytes", "ramp_ns"), 0);
    is_near(phase("flat", "bytes", "tail_ns"), 0);
    is_near(phase("flat", "bytes", "integral"), 700 * 21);
}

static void nothing_rises_to_zero(void **state)
{
    (void)state;
    assert_string_equal(phase("whole", "level", "status"), "absent: its steady part is 0");
    is_near(phase("whole", "level", "steady"), 0);
    assert_string_equal(phase("whole", "level", "ramp_ns"), "NULL");
    assert_string_equal(phase("whole", "level", "tail_ns"), "NULL");
}

/* Eleven samples lie in the life of the one, twelve in that of the other. */
static void too_few_samples_are_absent(void **state)
{
    static const char *const unknown[] = {"ramp_ns", "steady", "tail_ns", "low", "high"};
    (void)state;
    assert_string_equal(phase("short", "bytes", "status"), "absent: too short for the sampling interval");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) assert_string_equal(phase("short", "bytes", unknown[i]), "NULL");
    is_near(phase("short", "bytes", "kernel_ns"), 1200);
    assert_string_equal(phase("twelve", "bytes", "status"), "ok");
    is_near(phase("twelve", "bytes", "steady"), 7);
}

static void what_is_not_known_says_why(void **state)
{
    (void)state;
    assert_string_equal(phase("unknown", "bytes", "status"), "absent: when its kernels ran is not known");
    assert_string_equal(phase("unknown", "bytes", "kernel_ns"), "NULL");
    assert_string_equal(phase("whole", "stranger", "status"), "absent: no record says what it shows");
    assert_string_equal(phase("refused", "bytes", "status"), "NULL"); /* no row: why stands in traces */
    assert_string_equal(phase("cut_off", "bytes", "status"), "absent: the samples do not cover its kernels");
    assert_string_equal(phase("cut_off", "bytes", "steady"), "NULL");
    assert_string_equal(phase("cut_off", "bytes", "integral"), "NULL");
    is_near(ask("SELECT count(*) FROM phases"), 8);
}

static void tracks_come_with_their_words(void **state)
{
    (void)state;
    assert_string_equal(ask("SELECT unit || ', ' || title || ', ' || counter_set FROM track WHERE track = 'level'"), "%, Level, over_time");
    is_near(ask("SELECT value FROM shown WHERE trace = 0 AND track = 'level' ORDER BY sample LIMIT 1"), 50);
}

static void a_formula_that_is_none_is_refused(void **state)
{
    (void)state;
    close_phases();
    write_tracks("value / nowhere");
    FAILS(make_phases(), FAIL_INPUT, "test.metric:7: no such column: nowhere");
    close_phases();
    write_tracks("value / ns), (2");
    FAILS(make_phases(), FAIL_INPUT, "7 values");
    close_phases();
    write_tracks("value / ns");
    assert_int_equal(make_phases(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_part_is_the_median_of_the_middle),
        cmocka_unit_test(ramp_and_tail_lie_at_nine_tenths),
        cmocka_unit_test(integral_is_of_the_life_alone),
        cmocka_unit_test(what_is_flat_has_no_ramp),
        cmocka_unit_test(nothing_rises_to_zero),
        cmocka_unit_test(too_few_samples_are_absent),
        cmocka_unit_test(what_is_not_known_says_why),
        cmocka_unit_test(tracks_come_with_their_words),
        cmocka_unit_test(a_formula_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
