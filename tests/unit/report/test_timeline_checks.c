/*
 * Tests that a timeline is sound: runs that are refused, formulas of tracks, exact times, the
 * checker of traces, and the timeline of a run.
 */
#include "fixture_run.h"
#include "timeline_run.h"

/* ---- runs that are refused
 * -------------------------------------------------------------------------- */

TEST(test_unsound)
{
    static const struct {
        enum table_id table;
        const char *row, *words;
    } cases[] = {
        {TABLE_STAGES, "report,,,99000,98000\n", "stages.csv: 'report' ends before it begins"},
        {TABLE_STAGES, "report,,,94999,99000\n",
         "stages.csv: 'report' begins before 'timeline' ends"},
        {TABLE_TRACES, "1,g,01_c,2x2,1,0,kernels,92000,94000,1,,,ok,absent: no\n",
         "traces.csv: trace 1 is there twice"},
        {TABLE_ACTIVITIES, "9,0,0,f_b,0,1\n", "activities.csv: there is no trace 9"},
        {TABLE_TRACES, "3,g,01_c,2x2,1,0,timeline,94000,94500,1,,time,ok,ok\n",
         "traces.csv: trace 3 was sampled by time at no interval"},
        {TABLE_ACTIVITIES, "2,0,0,g_c,9000,8999\n",
         "activities.csv: a kernel of trace 2 ends before it begins"},
        {TABLE_ACTIVITIES, "2,0,0,g_c,1899,9000\n", "activities.csv: kernels of trace 2 overlap"},
        {TABLE_TRACE_SAMPLES, "9,0,0,1,read,1\n", "trace_samples.csv: there is no trace 9"},
        {TABLE_TRACE_SAMPLES, "1,7,9000,9000,read,1\n",
         "trace_samples.csv: sample 7 of trace 1 takes no time"},
        {TABLE_TRACE_SAMPLES, "1,7,8999,9100,read,1\n",
         "trace_samples.csv: samples of trace 1 overlap"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text rows = {0};
        make_timeline("unsound");
        text_append(&rows, cases[i].table == TABLE_STAGES       ? stages
                           : cases[i].table == TABLE_TRACES     ? traces
                           : cases[i].table == TABLE_ACTIVITIES ? activities
                                                                : samples);
        text_append(&rows, cases[i].row);
        write_table("unsound", cases[i].table, text_string(&rows));
        text_free(&rows);
        FAILS(attempt("unsound"), FAIL_INPUT, cases[i].words);
        assert_string_equal(read_text("trace.json"), "");
    }
}

TEST(test_formulas)
{
    make_timeline("formulas");
    make_data(TRACKS("value /"));
    FAILS(attempt("formulas"), FAIL_INPUT, "data/metrics/test.metric:4: ");
    assert_string_equal(read_text("trace.json"), ""); /* before anything is written */
    make_data(TRACKS("value * pid"));
    FAILS(attempt("formulas"), FAIL_INPUT, "data/metrics/test.metric:4: no such column: pid");
    make_data(TRACKS("1); DROP TABLE stages; SELECT (1"));
    FAILS(attempt("formulas"), FAIL_INPUT, "data/metrics/test.metric:4: more than one statement");
    make_data(TRACKS("CASE WHEN value > 2000 THEN 'much' WHEN value > 0 THEN 1e308 * 10 * value "
                     "ELSE value END"));
    SUCCEEDS(attempt("formulas"), ""); /* values that are not numbers are left out */
    holds(trace(), COUNTER("Read", "GB/s", "21.000", "0") COUNTER("Read", "GB/s", "27.032", "0"));
    make_data("");
    SUCCEEDS(attempt("formulas"),
             "no record under metrics/ describes the counter 'clock': it is left out");
    lacks(trace(), "\"ph\":\"C\"");
}

/* 1.001 * 1000, as doubles, is less than 1001, so one more decimal is needed. */
TEST(test_nanoseconds)
{
    OWNED_BY(text_free) struct text rows = {0}, wanted = {0};
    make_timeline("fine");
    write_table("fine", TABLE_TRACES, "");
    write_table("fine", TABLE_ACTIVITIES, "");
    write_table("fine", TABLE_TRACE_SAMPLES, "");
    for (int i = 0; i < 4000; i++) text_format(&rows, "measure,f,%d,%d,%d\n", i, 2 * i, 2 * i + 1);
    text_append(&rows, "timeline,f,1024,30000,90000\ntimeline,g,2x2,91000,95000\n");
    write_table("fine", TABLE_STAGES, text_string(&rows));
    SUCCEEDS(attempt("fine"), "none were recorded");
    int finer = 0;
    const char *json = trace();
    for (int i = 0; i < 4000; i++) {
        char name[40];
        text_format(&wanted, "%d", i);
        snprintf(name, sizeof name, "{\"name\":\"f %d\",\"cat\":\"f/measure\"", i);
        const char *event = strstr(json, name), *ts = event ? strstr(event, "\"ts\":") : NULL;
        assert_non_null(ts);
        char *end;
        const double us = strtod(ts + 5, &end);
        assert_int_equal((long long)(us * 1000.0), 2 * i);
        assert_in_range(us * 1000.0 - 2 * i, 0, 1);
        finer += end - strchr(ts, '.') == 5;
    }
    assert_in_range(finer, 1, 400);
}

/* ---- the checker ----------------------------------------------------------------------------- */

static const char sound[] =
    "{\"traceEvents\":[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{"
    "\"name\":\"host\"}},{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,"
    "\"tid\":21,\"args\":{\"name\":\"f\"}},{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":1,"
    "\"tid\":1,\"args\":{\"sort_index\":1}},{\"name\":\"process_sort_index\","
    "\"ph\":\"M\",\"pid\":2,\"tid\":21,\"args\":{\"sort_index\":2}},{\"name\":\"thread_name\","
    "\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"stages\"}},"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":21,\"args\":{\"name\":\"kernels\"}},{"
    "\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":22,"
    "\"args\":{\"name\":\"counters sampled\"}},"
    "{\"name\":\"timeline\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.0,\"dur\":99.0,\"args\":{}},"
    "{\"name\":\"f "
    "8\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.0,\"dur\":99.0,\"args\":{\"stage\":\"timeline\","
    "\"family\":\"f\",\"size\":\"8\"}},"
    "{\"name\":\"01\",\"ph\":\"X\",\"pid\":2,\"tid\":21,\"ts\":20.5,\"dur\":10.5,\"args\":{"
    "\"kernel\":\"k\",\"family\":\"f\",\"size\":\"8\"}},"
    "{\"name\":\"02\",\"ph\":\"X\",\"pid\":2,\"tid\":21,\"ts\":31.0,\"dur\":5.0,\"args\":{"
    "\"kernel\":\"k\",\"family\":\"f\",\"size\":\"8\"}},"
    "{\"name\":\"01: t\",\"ph\":\"X\",\"pid\":2,\"tid\":22,\"ts\":20.0,\"dur\":20.0,\"args\":{}},"
    "{\"name\":\"01\",\"ph\":\"X\",\"pid\":2,\"tid\":22,\"ts\":20.0,\"dur\":10.0,\"args\":{"
    "\"from\":\"samples\",\"family\":\"f\",\"size\":\"8\"}},"
    "{\"name\":\"r\",\"ph\":\"C\",\"pid\":2,\"tid\":21,\"ts\":20.0,\"args\":{\"GB/"
    "s\":1.5}},{\"name\":\"r\",\"ph\":\"C\",\"pid\":2,\"tid\":21,\"ts\":30.0,"
    "\"args\":{\"GB/"
    "s\":2}},{\"name\":\"r\",\"ph\":\"C\",\"pid\":2,\"tid\":21,\"ts\":40.0,\"args\":{\"GB/"
    "s\":0}}]}";

/* Writes the sound trace with one part replaced. */
TEST(test_checker)
{
    static const struct {
        const char *was, *is, *words;
    } cases[] = {
        {"]}", "]", "this is no JSON with traceEvents"},
        {"traceEvents", "events", "this is no JSON with traceEvents"},
        {"[{", "[7,{", "event 0 is no object"},
        {"\"name\":\"01\",", "", "event 9 has no name"},
        {"\"name\":\"01\"", "\"name\":\"\"", "event 9 has no name"},
        {"\"01\",\"ph\":\"X\"", "\"01\",\"ph\":\"Q\"", "event 9 has an unknown phase"},
        {"\"01\",\"ph\":\"X\",\"pid\":2", "\"01\",\"ph\":\"X\",\"pid\":\"2\"",
         "event 9 is of no process"},
        {"\"tid\":21,\"ts\":20.5", "\"ts\":20.5", "event 9 is of no thread"},
        {"\"ts\":20.5", "\"ts\":\"20.5\"", "event 9 has no time"},
        {"\"ts\":20.5", "\"ts\":-20.5", "event 9 has no time"},
        {"\"ts\":30.0,", "", "event 14 has no time"},
        {"\"dur\":10.5,", "", "event 9 has no duration"},
        {"\"dur\":10.5", "\"dur\":-1", "event 9 has no duration"},
        {"\"args\":{\"GB/s\":1.5}", "\"args\":7", "event 13 has no args"},
        {"{\"GB/s\":1.5}", "{\"GB/s\":null}", "event 13 has an absent value"},
        {"{\"GB/s\":1.5}", "{}", "counter 13 has no value"},
        {"{\"GB/s\":1.5}", "{\"GB/s\":\"1.5\"}", "counter 13 is no number"},
        {"\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2",
         "\"name\":\"process_nam\",\"ph\":\"M\",\"pid\":2", "process 2 has 0 names"},
        {"\"pid\":2,\"tid\":21,\"args\":{\"name\":\"f\"}",
         "\"pid\":1,\"tid\":1,\"args\":{\"name\":\"f\"}", "process 1 has 2 names"},
        {"{\"sort_index\":2}", "{\"sort_index\":\"2\"}", "process 2 has no place"},
        {"\"host\"", "\"f\"", "two processes are named f"},
        {"\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":21",
         "\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":23", "thread 21 has 0 names"},
        {"\"kernels\"", "\"counters sampled\"",
         "two threads of process 2 are named counters sampled"},
        {"\"pid\":2,\"tid\":21,\"args\":{\"name\":\"f\"}",
         "\"pid\":2,\"tid\":1,\"args\":{\"name\":\"f\"}", "thread 1 is of two processes"},
        {"\"ts\":30.0", "\"ts\":20.0", "counter 14 does not come after the one before"},
        {"\"ts\":30.0", "\"ts\":41.0", "counter 15 does not come after the one before"},
        {"\"ts\":20.0,\"args\":{\"GB/s\":1.5}", "\"ts\":19.0,\"args\":{\"GB/s\":1.5}",
         "counter 13 has a value where nothing was sampled"},
        {"{\"GB/s\":0}", "{\"GB/s\":3}", "counter 15 has a value where nothing was sampled"},
        {"\"ts\":40.0", "\"ts\":41.0", "counter 15 has a value where nothing was sampled"},
        {"\"size\":\"8\"}},{\"name\":\"01\"", "\"size\":\"16\"}},{\"name\":\"01\"",
         "kernel 9 runs outside of its stage"},
        {"\"name\":\"f 8\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.0",
         "\"name\":\"f 8\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20.501",
         "kernel 9 runs outside of its stage"},
        {"\"stage\":\"timeline\"", "\"stage\":\"collect\"", "kernel 9 runs outside of its stage"},
        {"\"tid\":21,\"args\":{\"name\":\"f\"}", "\"tid\":21,\"args\":{\"name\":\"g\"}",
         "kernel 9 is in the process of another family"},
        {"\"from\":\"samples\",\"family\":\"f\",\"size\":\"8\"",
         "\"from\":\"samples\",\"family\":\"f\",\"size\":\"9\"",
         "kernel 12 runs outside of its stage"},
        {"\"ts\":20.0,\"dur\":10.0", "\"ts\":19.999,\"dur\":10.0", "kernel 12 was not sampled"},
        {"\"ts\":20.0,\"dur\":10.0", "\"ts\":40.0,\"dur\":0.001", "kernel 12 was not sampled"},
        {"\"dur\":10.0,", "\"dur\":20.001,", "kernel 12 was not sampled"},
        {"\"dur\":10.5", "\"dur\":10.501", "event 10 crosses the end of another"},
        {"\"ts\":1.0,\"dur\":99.0,\"args\":{}", "\"ts\":1.0,\"dur\":98.999,\"args\":{}",
         "event 8 crosses the end of another"},
        {"\"ts\":31.0,\"dur\":5.0", "\"ts\":20.5,\"dur\":11",
         "event 10 crosses the end of another"},
    };
    assert_string_equal(trace_fault(sound), "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(sound, cases[i].was);
        OWNED_BY(text_free) struct text broken = {0};
        if (!at) fail_msg("%s is not in the trace", cases[i].was);
        text_append_bytes(&broken, sound, (size_t)(at - sound));
        text_append(&broken, cases[i].is);
        text_append(&broken, at + strlen(cases[i].was));
        assert_string_equal(trace_fault(text_string(&broken)), cases[i].words);
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The trace is sound and complete: an event for every kernel, a value for every sample. */
TEST(test_recorded)
{
    setenv("WHYFAST_DATA", root(), 1);
    FILE *file = fopen(place("trace.json"), "w");
    assert_non_null(file);
    const struct timeline_options options = {.patterns = NULL};
    listen_to_stderr();
    const int result = timeline_print(&fixture_run, &options, file);
    lacks(heard(), "warning"); /* absent data may be mentioned */
    assert_int_equal(result, 0);
    assert_int_equal(fclose(file), 0);
    const char *json = trace();
    OWNED_BY(query_close) struct query query;
    char *rows = NULL;
    OWNED char *idle = NULL;
    size_t kernels = 0, counters = 0;
    for (const char *p = json; (p = strstr(p, "\"kernel\":")); p++) kernels++;
    for (const char *p = json; (p = strstr(p, "\"ph\":\"C\"")); p++) counters++;
    assert_int_equal(query_open(&query, &fixture_run), 0);
    assert_int_equal(query_load(&query, TABLE_ACTIVITIES), 0);
    assert_int_equal(query_load(&query, TABLE_TRACE_SAMPLES), 0);
    assert_int_equal(query_text(&query, NULL, "SELECT count(*) FROM activities", NULL, &rows), 0);
    assert_int_equal(kernels, strtoul(rows, NULL, 10));
    assert_in_range(kernels, at_least(40, 1000), 100000);
    free(rows);
    WORKS(query_text(&query, NULL, "SELECT count(*) FROM trace_samples WHERE value IS NOT NULL",
                     NULL, &rows));
    WORKS(query_text(&query, NULL,
                     "SELECT count(*) FROM (SELECT DISTINCT trace, track FROM trace_samples)", NULL,
                     &idle));
    assert_int_equal(counters, strtoul(rows, NULL, 10) +
                                   strtoul(idle, NULL, 10)); /* and 0 after the last one of each */
    assert_in_range(counters, at_least(2000, 50000), 10000000);
    holds(json, "\"from\":\"samples\"");
    holds(json, "\"speedup_prev\":");
    free(rows);
}

RUN_TESTS(fixture_run_open, fixture_run_close)
