/*
 * Tests the ramp, steady part and tail of hand-made traces: samples of 100 ns each, with values
 * worked out by hand.
 */
#include "fixture.h"

#include <math.h>

#include "asked.h"
#include "explain/phases.sql.h"
#include "base/atomic_file.h"
#include "query/track_values.h"

static struct run run;
static struct records records;

/* ---- the traces ------------------------------------------------------------------------------ */

static void add_track_record(struct text *tracks, const char *name, const char *shows,
                             const char *unit, const char *title)
{
    text_format(tracks,
                "track %s\n    set over_time\n    from %s.sum\n    shows %s\n    unit %s\n    "
                "title %s\n    means It is counted.\n",
                name, name, shows, unit, title);
}

static void write_tracks(const char *shows)
{
    struct text tracks = {0};
    text_append(&tracks, "set over_time\n    collector sampler\n    means One pass.\n");
    add_track_record(&tracks, "bytes", shows, "GB/s", "Bytes");
    add_track_record(&tracks, "level", "100 * value", "%", "Level");
    add_track_record(&tracks, "dram_read", "value / ns", "GB/s", "Read");
    add_track_record(&tracks, "dram_write", "value / ns", "GB/s", "Written");
    add_track_record(&tracks, "issue", "value", "%", "Issued");
    add_track_record(&tracks, "resident_warps", "value", "warps", "Warps");
    make_data(text_string(&tracks), "");
    text_free(&tracks);
}

enum {
    WHOLE,
    SHORT,
    TWELVE,
    UNKNOWN,
    REFUSED,
    FLAT,
    CUT_OFF,
    ROUNDED,
    CYCLES,
    ROW,
    GAP,
    READS,
    TRACES
};

static const char *const names[TRACES] = {"whole",   "short", "twelve",  "unknown",
                                          "refused", "flat",  "cut_off", "rounded",
                                          "cycles",  "row",   "gap",     "reads"};

/* The traces one after the other; that of the family g has reads alone. The peak of DRAM is 9 GB/s.
 */
static void write_traces(void)
{
    struct text rows = {0};
    make_run("r");
    for (int i = 0; i < TRACES; i++)
        text_format(&rows, "%d,%s,%s,1024,32,0,over_time,%d,%d,%d,100,%s,ok,%s\n", i,
                    i == READS ? "g" : "f", names[i], 9000 * i, 9000 * (i + 1), i == ROW ? 2 : 1,
                    i == CYCLES ? "cycles" : "time",
                    i == REFUSED ? "absent: the buffer was full" : "ok");
    write_table("r", TABLE_TRACES, text_string(&rows));
    text_free(&rows);
    write_text("r/metrics.csv",
               "family,variant,size,block,sweep,best,dram_peak_gbs\nf,flat,1024,32,0,1,9\n");
}

static void add_row(struct text *rows, int trace, int begin, int end, const char *track,
                    double value)
{
    text_format(rows, "%d,%d,%d,%d,%s,%g\n", trace, begin / 100, begin, end, track, value);
}

static void add_sample(struct text *rows, int trace, int begin, const char *track, double value)
{
    add_row(rows, trace, begin, begin + 100, track, value);
}

/* The first trace, from 800 ns on: the samples outside its life, at 900 and at 3200 ns, are larger
 * than any within. */
static const double whole[] = {0,   5000, 100, 500,  880,  920,  1000, 1000, 960,
                               970, 980,  990, 1000, 1010, 1020, 1030, 2000, 1000,
                               950, 900,  899, 300,  50,   0,    5000};

/* Warps are there from 1000 ns to the end of the life; the samples of all but one trace continue
 * after it. */
static void add_life(struct text *rows, int trace, int end)
{
    for (int begin = 800; begin < (trace == CUT_OFF ? 2900 : 3400); begin += 100)
        add_sample(rows, trace, begin, "resident_warps",
                   trace != UNKNOWN && begin >= 1000 && begin < end ? 0.01 : 0);
}

static void write_samples(void)
{
    struct text rows = {0};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        add_sample(&rows, WHOLE, 800 + 100 * (int)i, "bytes", whole[i]);
        add_sample(&rows, WHOLE, 800 + 100 * (int)i, "level", i < 8 ? 0.5 : 0);
        add_sample(&rows, WHOLE, 800 + 100 * (int)i, "stranger", 1);
    }
    for (int trace = 0; trace < TRACES; trace++)
        add_life(&rows, trace, trace == SHORT ? 2100 : trace == TWELVE ? 2200 : 3100);
    for (int begin = 800, odd = 0; begin < 3400; begin += 100, odd = !odd) {
        static const int plain[] = {SHORT, TWELVE, UNKNOWN, FLAT, ROW};
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
            add_sample(&rows, plain[i], begin, "bytes", 700);
        if (begin < 2900) add_sample(&rows, CUT_OFF, begin, "bytes", 700);
        if (begin != 2000) add_sample(&rows, GAP, begin, "bytes", 700);
        /* Every other time stamp is 4 ns late. */
        for (int trace = ROUNDED; trace <= CYCLES; trace++)
            add_row(&rows, trace, begin + 4 * odd, begin + 100 + 4 * !odd, "bytes", 750);
        add_sample(&rows, FLAT, begin, "dram_read", odd ? 200 : 400);
        add_sample(&rows, FLAT, begin, "dram_write", odd ? 300 : 100);
        add_sample(&rows, FLAT, begin, "issue", 5);
        add_sample(&rows, READS, begin, "dram_read", 900);
        add_sample(&rows, READS, begin, "issue", 5);
    }
    write_table("r", TABLE_TRACE_SAMPLES, text_string(&rows));
    text_free(&rows);
}

static int make_phases(void)
{
    static const enum table_id needed[] = {TABLE_TRACES, TABLE_TRACE_SAMPLES, TABLE_METRICS};
    char *data = data_directory();
    assert_non_null(data);
    int result = records_read(&records, data);
    free(data);
    assert_int_equal(result, 0);
    assert_int_equal(run_open(&run, place("r")), 0);
    assert_int_equal(query_open(&query, &run), 0);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_int_equal(query_load(&query, needed[i]), 0);
    result = track_values_make(&query, &records);
    if (!result) result = track_values_add_dram(&query);
    return result ? result : query_write(&query, "%s", phases_sql);
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

/* Returns a cell of the table for a variant and a track. */
static const char *phase(const char *variant, const char *track, const char *column)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT %s FROM phases WHERE variant = '%s' AND track = '%s'", column,
             variant, track);
    return ask(sql);
}

static void is_near(const char *text, double expected)
{
    char *end;
    const double found = strtod(text, &end);
    if (end == text || *end || !(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("'%s' instead of %.12g", text, expected);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* The life is 1000 to 3100 ns, its middle the samples from 1600 to 2500 ns: 960 to 1030 and 2000
 * bytes, in 100 ns each. */
static void steady_part_is_the_median_of_the_middle(void **state)
{
    (void)state;
    is_near(phase("whole", "bytes", "begin_ns"), 1000);
    is_near(phase("whole", "bytes", "end_ns"), 3100);
    is_near(phase("whole", "bytes", "kernel_ns"), 2100);
    is_near(phase("whole", "bytes", "steady"), 10);
    is_near(phase("whole", "bytes", "low"), 9.6);
    is_near(phase("whole", "bytes", "high"), 20);
}

static void what_spreads_is_not_steady(void **state)
{
    (void)state;
    assert_string_equal(phase("whole", "bytes", "status"), "not steady");
    assert_string_equal(phase("flat", "bytes", "status"), "ok");
}

/* 90 % of 10 is reached first at 1300 ns, by 920 bytes, and last in the sample that ends at 2800
 * ns, by 900. */
static void ramp_and_tail_lie_at_nine_tenths(void **state)
{
    (void)state;
    is_near(phase("whole", "bytes", "ramp_ns"), 300);
    is_near(phase("whole", "bytes", "tail_ns"), 300);
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

static void a_row_of_launches_has_none(void **state)
{
    (void)state;
    is_near(phase("row", "bytes", "steady"), 7);
    assert_string_equal(phase("row", "bytes", "ramp_ns"), "NULL");
    assert_string_equal(phase("row", "bytes", "tail_ns"), "NULL");
    assert_string_equal(phase("row", "bytes", "status"), "ok");
}

static void nothing_rises_to_zero(void **state)
{
    (void)state;
    assert_string_equal(phase("whole", "level", "status"), "absent: its steady part is 0");
    is_near(phase("whole", "level", "steady"), 0);
    assert_string_equal(phase("whole", "level", "ramp_ns"), "NULL");
    assert_string_equal(phase("whole", "level", "tail_ns"), "NULL");
}

/* Eleven samples lie in the life of one, twelve in that of the other. */
static void too_few_samples_are_absent(void **state)
{
    static const char *const unknown[] = {"ramp_ns", "steady", "tail_ns", "low", "high"};
    (void)state;
    assert_string_equal(phase("short", "bytes", "status"),
                        "absent: too short for the sampling interval");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_string_equal(phase("short", "bytes", unknown[i]), "NULL");
    is_near(phase("short", "bytes", "kernel_ns"), 1100);
    assert_string_equal(phase("twelve", "bytes", "status"), "ok");
    is_near(phase("twelve", "bytes", "steady"), 7);
}

static void what_is_not_known_says_why(void **state)
{
    static const char *const unknown[] = {"kernel_ns", "begin_ns", "end_ns", "steady", "integral"};
    (void)state;
    assert_string_equal(phase("unknown", "bytes", "status"),
                        "absent: no sample in which an SM held a warp");
    assert_string_equal(phase("cut_off", "bytes", "status"),
                        "absent: the samples do not cover the whole kernels");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_string_equal(phase("unknown", "bytes", unknown[i]), "NULL");
        assert_string_equal(phase("cut_off", "bytes", unknown[i]), "NULL");
    }
    assert_string_equal(phase("whole", "stranger", "status"),
                        "absent: no record describes this counter");
    assert_string_equal(phase("refused", "bytes", "status"),
                        "NULL"); /* no row: the reason is in traces */
    assert_string_equal(phase("gap", "bytes", "status"),
                        "absent: samples are missing while its kernels ran");
    assert_string_equal(phase("gap", "bytes", "integral"), "NULL");
}

/* Reads and writes are 5 GB/s in each sample; their medians are 2 or 4, and 1 or 3. */
static void dram_is_reads_plus_writes(void **state)
{
    (void)state;
    is_near(phase("flat", "dram", "steady"), 5);
    is_near(phase("flat", "dram", "integral"), 500 * 21);
    assert_string_equal(phase("flat", "dram", "status"), "ok");
    assert_string_equal(phase("flat", "dram_read", "status"), "not steady");
    assert_string_equal(phase("reads", "dram_read", "status"), "ok");
    assert_string_equal(phase("reads", "dram", "status"), "absent: reads or writes are missing");
    assert_string_equal(phase("reads", "dram", "steady"), "NULL");
}

/* 5 of 9 GB/s are more than half; for the family whose reads alone were sampled, DRAM is
 * unknown. */
static void one_track_is_the_main_one(void **state)
{
    (void)state;
    assert_string_equal(
        ask("SELECT group_concat(DISTINCT track) FROM phases WHERE family = 'f' AND main"), "dram");
    assert_string_equal(
        ask("SELECT group_concat(DISTINCT track) FROM phases WHERE family = 'g' AND main"),
        "issue");
}

static void a_sample_by_time_is_as_long_as_asked_for(void **state)
{
    (void)state;
    is_near(phase("rounded", "bytes", "low"), 7.5);
    is_near(phase("rounded", "bytes", "high"), 7.5);
    is_near(phase("cycles", "bytes", "low"), 750.0 / 104);
    is_near(phase("cycles", "bytes", "high"), 750.0 / 96);
}

static void tracks_come_with_their_words(void **state)
{
    (void)state;
    assert_string_equal(
        ask("SELECT unit || ', ' || title || ', ' || counter_set FROM track WHERE track = 'level'"),
        "%, Level, over_time");
    is_near(
        ask("SELECT value FROM shown WHERE trace = 0 AND track = 'level' ORDER BY sample LIMIT 1"),
        50);
}

/* The most within the first trace's life is 20 bytes/ns, and 50 lie outside it; at and below the
 * bound everything stays. */
static void what_cannot_be_is_left_empty(void **state)
{
    int count;
    (void)state;
    close_phases();
    write_tracks("value / ns\n    least 0\n    most 19.9");
    assert_int_equal(make_phases(), 0);
    SUCCEEDS(
        track_values_impossible(&query, &count),
        "f/whole, size 1024: bytes is 50 GB/s in a sample (and 2 more), which is impossible. Left "
        "empty: those samples");
    assert_int_equal(count, 1);
    assert_string_equal(phase("whole", "bytes", "status"),
                        "absent: samples have impossible values");
    assert_string_equal(phase("flat", "bytes", "status"), "ok");
    close_phases();
    write_tracks("value / ns\n    least 0\n    most 50");
    assert_int_equal(make_phases(), 0);
    SUCCEEDS(track_values_impossible(&query, &count), "");
    assert_int_equal(count, 0);
    is_near(phase("whole", "bytes", "steady"), 10);
    close_phases();
    write_tracks("value / ns");
    assert_int_equal(make_phases(), 0);
}

/* One value by itself, as it is announced during the measurement. */
static void one_value_is_shown_by_the_same_formula(void **state)
{
    const struct record *bytes = records_find(&records, RECORD_TRACK, "bytes");
    double shown = 0;
    (void)state;
    assert_non_null(bytes);
    assert_int_equal(track_values_show(&query, bytes, 1000, 100, &shown), 0);
    assert_true(shown == 10);
    assert_int_equal(track_values_show(&query, bytes, 7, 2, &shown), 0);
    assert_true(shown == 3.5); /* nothing is divided as integers */
    assert_int_equal(track_values_show(&query, bytes, 1, 0, &shown), 0);
    assert_true(isnan(shown));
}

static void a_formula_that_is_none_is_refused(void **state)
{
    (void)state;
    close_phases();
    write_tracks("value / nowhere");
    FAILS(make_phases(), FAIL_INPUT, "test.metric:7: no such column: nowhere");
    close_phases();
    write_tracks("value / ns), (2");
    FAILS(make_phases(), FAIL_INPUT, "test.metric:7: a ')' without its '('");
    close_phases();
    write_tracks("value, ns");
    FAILS(make_phases(), FAIL_INPUT, "test.metric:7: row value misused");
    close_phases();
    write_tracks("value / ns");
    assert_int_equal(make_phases(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_part_is_the_median_of_the_middle),
        cmocka_unit_test(what_spreads_is_not_steady),
        cmocka_unit_test(ramp_and_tail_lie_at_nine_tenths),
        cmocka_unit_test(integral_is_of_the_life_alone),
        cmocka_unit_test(what_is_flat_has_no_ramp),
        cmocka_unit_test(a_row_of_launches_has_none),
        cmocka_unit_test(nothing_rises_to_zero),
        cmocka_unit_test(too_few_samples_are_absent),
        cmocka_unit_test(what_is_not_known_says_why),
        cmocka_unit_test(dram_is_reads_plus_writes),
        cmocka_unit_test(one_track_is_the_main_one),
        cmocka_unit_test(a_sample_by_time_is_as_long_as_asked_for),
        cmocka_unit_test(tracks_come_with_their_words),
        cmocka_unit_test(what_cannot_be_is_left_empty),
        cmocka_unit_test(one_value_is_shown_by_the_same_formula),
        cmocka_unit_test(a_formula_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
