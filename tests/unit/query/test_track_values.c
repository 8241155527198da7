/*
 * Tests the values of counters over time, and the life of a trace, with hand-made samples.
 */
#include "asked.h"

#include <math.h>

#include "query/track_values.h"

static void write_tracks(const char *shows)
{
    OWNED_BY(text_free) struct text tracks = {0};
    static const char *const name[] = {"bytes", "dram_read", "dram_write", "resident_warps"};
    text_append(&tracks, "set over_time\n    collector sampler\n    means One pass.\n");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        text_format(&tracks,
                    "track %s\n    set over_time\n    from %s.sum\n    unit GB/s\n    title Of it\n"
                    "    means It is counted.\n    shows %s\n",
                    name[i], name[i], i == 0 ? shows : "value / ns");
    make_data(text_string(&tracks));
}

static int make_values(void)
{
    assert_int_equal(ask_run("r"), 0);
    assert_int_equal(records_read_own(&records), 0);
    assert_int_equal(LOAD_TABLES(TABLE_TRACES, TABLE_TRACE_SAMPLES), 0);
    const int result = track_values_make(&query, &records);
    return result ? result : track_values_add_dram(&query);
}

/* Warps are there from 100 to 300 ns. The time stamps of the second trace are 4 ns late at times.
 */
static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    write_tracks("value / ns");
    make_run("r");
    write_table("r", TABLE_TRACES,
                "0,f,a,1024,32,0,over_time,0,9000,1,100,time,ok,ok\n"
                "1,f,b,1024,32,0,over_time,9000,18000,1,100,cycles,ok,ok\n");
    write_table("r", TABLE_TRACE_SAMPLES,
                "0,0,0,100,bytes,5000\n0,1,100,204,bytes,750\n0,2,204,300,bytes,1000\n"
                "0,0,0,100,resident_warps,0\n0,1,100,204,resident_warps,0.1\n"
                "0,2,204,300,resident_warps,1\n0,3,300,400,resident_warps,0\n"
                "0,1,100,204,dram_read,400\n0,1,100,204,dram_write,100\n"
                "0,2,204,300,dram_read,900\n"
                "1,0,0,104,bytes,1040\n");
    return make_values();
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(a_sample_by_time_is_as_long_as_asked_for)
{
    finds("SELECT group_concat(value) FROM shown WHERE track = 'bytes'", "50.0,7.5,10.0,10.0");
    finds("SELECT unit || ', ' || title || ', ' || counter_set FROM track WHERE track = 'bytes'",
          "GB/s, Of it, over_time");
}

TEST(life_is_while_a_warp_is_there)
{
    finds("SELECT group_concat(trace || ' ' || begin_ns || ' ' || end_ns) FROM life", "0 100 300");
}

TEST(dram_is_reads_plus_writes)
{
    finds("SELECT group_concat(sample || ' ' || value) FROM shown WHERE track = 'dram'", "1 5.0");
}

/* At and below the bound everything stays. */
TEST(what_cannot_be_is_left_empty)
{
    int count;
    write_tracks("value / ns\n    least 0\n    most 9.9");
    assert_int_equal(make_values(), 0);
    SUCCEEDS(track_values_impossible(&query, &count),
             "f/a, size 1024: bytes is 50 GB/s in a sample (and 2 more), which is impossible. Left "
             "empty: those samples");
    assert_int_equal(count, 1);
    finds("SELECT group_concat(value) FROM shown WHERE track = 'bytes'", "7.5");
    write_tracks("value / ns\n    least 0\n    most 50");
    assert_int_equal(make_values(), 0);
    SUCCEEDS(track_values_impossible(&query, &count), "");
    assert_int_equal(count, 0);
    write_tracks("value / ns");
    assert_int_equal(make_values(), 0);
}

/* One value by itself, as it is announced during the measurement. */
TEST(one_value_is_shown_by_the_same_formula)
{
    const struct record *bytes = records_find(&records, RECORD_TRACK, "bytes");
    double shown = 0;
    assert_non_null(bytes);
    assert_int_equal(track_values_show(&query, bytes, 1000, 100, &shown), 0);
    assert_true(shown == 10);
    assert_int_equal(track_values_show(&query, bytes, 7, 2, &shown), 0);
    assert_true(shown == 3.5); /* nothing is divided as integers */
    assert_int_equal(track_values_show(&query, bytes, 1, 0, &shown), 0);
    assert_true(isnan(shown));
}

TEST(a_formula_that_is_none_is_refused)
{
    static const char *const wrong[][2] = {
        {"value / nowhere", "test.metric:10: no such column: nowhere"},
        {"value / ns), (2", "test.metric:10: a ')' without its '('"},
        {"value, ns", "test.metric:10: row value misused"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_tracks(wrong[i][0]);
        FAILS(make_values(), FAIL_INPUT, wrong[i][1]);
    }
    write_tracks("value / ns");
    assert_int_equal(make_values(), 0);
}

RUN_TESTS(open_all, asked_close)
