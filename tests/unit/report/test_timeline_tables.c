/*
 * Tests the timeline of a hand-made run whose events are all known, and of runs that lack a part.
 */
#include "timeline_run.h"

/* ---- a whole run ----------------------------------------------------------------------------- */

/* Beside kernels stand only the stages in which they ran, and time begins with the first of them.
 */
TEST(test_stages)
{
    make_timeline("stages");
    SUCCEEDS(attempt("stages"), "");
    holds(trace(),
          HOST("timeline", "timeline", "0.000", "65.000", "{}")
              HOST("f 1024", "f/timeline", "0.000", "60.000", UNIT("timeline", "f", "1024"))
                  HOST("g 2x2", "g/timeline", "61.000", "4.000", UNIT("timeline", "g", "2x2")));
    lacks(trace(), "ceilings");
    holds(trace(), "\"origin_ns\":30000");
}

/* Processes are in the order of families.csv. */
TEST(test_names)
{
    make_timeline("names");
    SUCCEEDS(attempt("names"), "");
    const char *json = trace();
    holds(json, "{\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
                "\"args\":{\"name\":\"host\"}},\n");
    holds(json, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"tid\":21,\"args\":{\"name\":"
                "\"g\"}},\n");
    holds(json, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3,\"tid\":31,\"args\":{\"name\":"
                "\"f\"}},\n");
    holds(json,
          "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":3,\"tid\":31,\"args\":{\"sort_"
          "index\":3}},\n");
    holds(json, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":31,\"args\":{\"name\":"
                "\"kernels\"}},\n");
    holds(json, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":32,\"args\":{\"name\":"
                "\"counters sampled\"}},\n");
    lacks(json, "\"pid\":2,\"tid\":22"); /* nothing was sampled there */
}

#define KERNEL(name, family, pid, tid, ts, dur)                                                    \
    "{\"name\":\"" name "\",\"cat\":\"" family "/timeline\",\"ph\":\"X\",\"pid\":" pid             \
    ",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ","

TEST(test_kernels)
{
    make_timeline("kernels");
    SUCCEEDS(attempt("kernels"), "");
    const char *json = trace();
    holds(
        json,
        KERNEL(
            "01 First of all, 2^10, 1 of 2", "f", "3", "31", "2.0025",
            "1.000") "\"args\":{\"family\":\"f\",\"variant\":\"01_a\",\"size\":\"1024\",\"block\":"
                     "256,\"sweep\":0,\"counter_set\":\"kernels\",\"kernel\":\"f_a\",\"launch\":0,"
                     "\"repeat\":0,\"grid\":\"4 x 2 x 1\",\"block_threads\":\"256 x 1 x "
                     "1\",\"registers\":32,\"static_shared_bytes\":128,\"dynamic_shared_bytes\":0,"
                     "\"point\":{\"time_ns\":1500,\"effective_gbs\":2.5}}},\n" KERNEL(
                         "01 First of all, 2^10, 2 of 2", "f", "3", "31", "3.002", "0.500"));
    holds(json, "\"kernel\":\"f_sum\",\"launch\":1,\"repeat\":1,");
    /* Kernels that were sampled appear when they ran. Unmeasured values are left out, zeros are
     * not; a rate is in the family's unit. */
    holds(json, KERNEL("02 Second, 2^10", "f", "3", "32", "23.000",
                       "4.032") "\"args\":{\"family\":\"f\",\"variant\":\"02_b\",\"size\":\"1024\","
                                "\"block\":256,\"sweep\":4,"
                                "\"counter_set\":\"timeline\",\"from\":\"samples\",\"repeats\":1,"
                                "\"point\":{\"time_ns\":1000,\"dram_gbs\":0,\"after\":\"01_a\","
                                "\"speedup_prev\":1.5,\"speedup_prev_low\":1.4,"
                                "\"speedup_prev_high\":1.6,\"evidence\":\"faster\"}}},\n");
    holds(json, "\"point\":{\"time_ns\":1700,\"tflops\":0.25}}},\n");
    holds(json,
          KERNEL("01 Say \\\"c\\\" \\\\ </script>, 2 x 2", "g", "2", "21", "62.100", "1.800"));
}

/* A value is shown from the beginning of its sample; a missing value is not shown; after the last
 * sample, when no kernel runs any more, the value is 0. */
TEST(test_counters)
{
    make_timeline("counters");
    SUCCEEDS(attempt("counters"), "");
    const char *json = trace();
    holds(json,
          COUNTER("Read", "GB/s", "21.000", "0") COUNTER("Read", "GB/s", "23.000", "0.5")
              COUNTER("Read", "GB/s", "25.000", "2") COUNTER("Read", "GB/s", "27.032", "0")
                  COUNTER("Read", "GB/s", "29.000", "0") COUNTER("Clock", "MHz", "23.000", "1500")
                      COUNTER("Clock", "MHz", "25.000", "1666.5")
                          COUNTER("Clock", "MHz", "27.032", "1800")
                              COUNTER("Clock", "MHz", "29.000", "0"));
    holds(json, "{\"name\":\"Warps,\",\"ph\":\"C\",\"pid\":3,\"tid\":31,\"ts\":29.000,\"args\":{"
                "\"warps\":0}}\n],\n");
    holds(json,
          KERNEL("02 Second, 2^10: timeline", "f", "3", "32", "21.000",
                 "8.000") "\"args\":{\"family\":\"f\",\"variant\":\"02_b\",\"size\":\"1024\","
                          "\"block\":256,\"sweep\":4,\"counter_set\":\"timeline\",\"repeats\":"
                          "1,\"interval_ns\":2000,"
                          "\"trigger\":\"time\",\"samples\":4}},\n" KERNEL(
                              "02 Second, 2^10", "f", "3", "32", "23.000", "4.032"));
}

/* A sample by time has the requested length; one by cycles has the length of its time stamps. */
TEST(test_lengths)
{
    make_timeline("cycles");
    write_table("cycles", TABLE_TRACES,
                "0,f,01_a,1024,256,0,kernels,31000,40000,2,,,ok,absent: not asked "
                "for\n1,f,02_b,1024,256,4,timeline,50000,80000,1,2000,cycles," NOT_RECORDED ",ok\n"
                "2,g,01_c,2x2,1,0,kernels,92000,94000,1,,,ok,absent: not asked for\n");
    SUCCEEDS(attempt("cycles"), "");
    holds(trace(),
          COUNTER("Read", "GB/s", "23.000", "0.5") COUNTER("Read", "GB/s", "25.000", "1.96850394"));
    holds(trace(), COUNTER("Clock", "MHz", "27.032", "1829.26829"));
}

/* If the last sample finds a warp, or no sample counts warps, the device is not shown as idle. */
TEST(test_not_idle)
{
    static const char reads[] = "1,0,1000,3000,read,7\n1,1,3000,5000,read,0\n";
    OWNED_BY(text_free) struct text rows = {0};
    make_timeline("running");
    text_append(&rows, reads);
    text_append(&rows, "1,0,1000,3000,resident_warps,0\n1,1,3000,5000,resident_warps,0.001\n");
    write_table("running", TABLE_TRACE_SAMPLES, text_string(&rows));
    SUCCEEDS(attempt("running"),
             "the last sample does not show an idle device (1 traces, the first is 1)");
    lacks(trace(), "\"ts\":25.000");
    holds(trace(), KERNEL("02 Second, 2^10", "f", "3", "32", "23.000", "2.000"));
    write_table("running", TABLE_TRACE_SAMPLES, reads);
    SUCCEEDS(attempt("running"), "the last sample does not show");
    lacks(trace(), "\"ts\":25.000");
    lacks(trace(), "\"from\":\"samples\"");
    text_append(&rows, "1,2,5000,7000,sms_busy,0\n");
    write_table("running", TABLE_TRACE_SAMPLES, text_string(&rows));
    SUCCEEDS(attempt("running"), "counter 'sms_busy': it is left out");
    lacks(heard(), "it is not known");
    holds(trace(), COUNTER("Read", "GB/s", "27.000", "0"));
}

/* A launch may begin before the one ahead of it has ended. */
TEST(test_launches_that_overlap)
{
    make_timeline("ahead");
    write_table("ahead", TABLE_ACTIVITIES,
                "0,0,0,f_a,1002,2102,4,2,1,256,1,1,32,128,0,7\n"
                "0,0,1,f_sum,2002,2502,1,1,1,256,1,1,16,0,64,7\n");
    SUCCEEDS(attempt("ahead"), "");
    holds(trace(), KERNEL("01 First of all, 2^10, 1 of 2", "f", "3", "31", "2.0025", "1.000"));
    holds(trace(), "\"launch\":0,\"repeat\":0,\"overlaps_next_ns\":100,");
    holds(trace(), KERNEL("01 First of all, 2^10, 2 of 2", "f", "3", "31", "3.002", "0.500"));
    write_table("ahead", TABLE_ACTIVITIES,
                "0,0,0,f_a,1002,2102,4,2,1,256,1,1,32,128,0,7\n"
                "0,1,0,f_a,2002,2502,4,2,1,256,1,1,32,128,0,7\n");
    FAILS(attempt("ahead"), FAIL_INPUT, "activities.csv: kernels of trace 0 overlap");
}

TEST(test_otherwise)
{
    make_timeline("other");
    write_table("other", TABLE_TRACES,
                "0,f,01_a,1024,256,0,kernels,31000,40000,2,,,ok,absent: not asked "
                "for\n1,f,02_b,1024,256,4,timeline,50000,80000,1,2000,time," NOT_RECORDED ",ok\n"
                "2,g,01_c,2x2,1,0,kernels,92000,94000,1,,,absent: lost,absent: not asked "
                "for\n3,g,01_c,2x2,1,0,timeline,92000,94000,1,2000,time," NOT_RECORDED
                ",absent: the buffer was full\n");
    write_text("other/run.txt",
               "whyfast run 1\nstatus: complete\ndate: 2026-01-02T03:04:05Z\ndevice_name: \"Test\" "
               "GPU\ngit_revision: 12e4567\ndriver: 580.1\n"
               "whyfast_version: 0.1.0\ncounters: absent: not permitted\n");
    SUCCEEDS(attempt("other"),
             "has no counters of the set timeline in 1 of its traces: the buffer was full");
    holds(
        trace(),
        "\n],\n\"otherData\":{\"device_name\":\"\\\"Test\\\" "
        "GPU\",\"driver\":\"580.1\",\"date\":\"2026-01-02T03:04:05Z\",\"git_revision\":\"12e4567\","
        "\"whyfast_version\":\"0.1.0\",\"origin_ns\":30000,\"counters\":\"nothing was measured "
        "where the track 'counters sampled' has no event; ignore the values that a viewer draws "
        "there (0 or the last value)\",\"absent\":");
    holds(trace(),
          "\"absent\":[\"counters of the set timeline: the buffer was full (in 1 of the "
          "traces)\",\"kernels: lost (in 1 of the traces)\",\"counters: not permitted\"]}}\n");
    SUCCEEDS(attempt("other"), "has no counters: not permitted");
}

/* ---- incomplete runs --------------------------------------------------------------------------
 */

TEST(test_not_evaluated)
{
    make_timeline("raw");
    assert_int_equal(unlink(place("raw/metrics.csv")), 0);
    SUCCEEDS(attempt("raw"), "is not evaluated: its kernels have no figures; 'whyfast evaluate ");
    lacks(trace(), "\"point\"");
    add_figures("raw");
    assert_int_equal(unlink(place("raw/steps.csv")), 0);
    SUCCEEDS(attempt("raw"), "");
    lacks(trace(), "speedup");
    holds(trace(), "\"point\":{\"time_ns\":1000,\"dram_gbs\":0}}},\n");
}

/* Adjacent rows of one stage are one event, but not across another stage; an event of the whole run
 * contains no other. */
TEST(test_only_stages)
{
    make_timeline("timed");
    write_table("timed", TABLE_TRACES, "");
    write_table("timed", TABLE_ACTIVITIES, "");
    write_table("timed", TABLE_TRACE_SAMPLES, "");
    SUCCEEDS(attempt("timed"), "has no kernels and counters over time: none were recorded");
    holds(trace(),
          HOST("measure", "measure", "0.000", "9.000", "{}")
              HOST("f 1024", "f/measure", "0.000", "5.000", UNIT("measure", "f", "1024"))
                  HOST("g 2x2", "g/measure", "6.000", "3.000", UNIT("measure", "g", "2x2"))
                      HOST("ceilings", "ceilings", "10.001", "10.000", "{}")
                          HOST("measure", "measure", "21.000", "1.000", "{}")
                              HOST("h 8", "h/measure", "21.000", "1.000", UNIT("measure", "h", "8"))
                                  HOST("timeline", "timeline", "30.000", "65.000", "{}"));
    lacks(trace(), "\"pid\":2");
    SUCCEEDS(attempt("timed"), "--sets timeline' adds them on a machine with a GPU");
}

TEST(test_nothing_noted)
{
    static const enum table_id later[] = {TABLE_STAGES, TABLE_TRACES, TABLE_ACTIVITIES,
                                          TABLE_TRACE_SAMPLES};
    make_timeline("bare");
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        char name[128];
        snprintf(name, sizeof name, "bare/%s.csv", tables[later[i]].name);
        assert_int_equal(unlink(place(name)), 0);
    }
    FAILS(attempt("bare"), FAIL_INPUT, "has no times of stages or kernels");
    FAILS(attempt("bare"), FAIL_INPUT, "'whyfast collect ");
    assert_string_equal(read_text("trace.json"), "");
}

static int attempt_pattern(const char *pattern, const char *size)
{
    return attempt_with("chosen", (struct timeline_options){.patterns = &pattern,
                                                            .pattern_count = pattern != NULL,
                                                            .sizes = &size,
                                                            .size_count = size != NULL});
}

TEST(test_choice)
{
    make_timeline("chosen");
    SUCCEEDS(attempt_pattern("f/02*", NULL), "");
    const char *json = trace();
    holds(json, "\"from\":\"samples\"");
    holds(json, "\"ts\":23.000,\"args\":{\"GB/s\":0.5}}");
    lacks(json, "\"kernel\":\"f_a\"");
    lacks(json, "\"kernel\":\"g_c\"");
    lacks(json, "g 2x2"); /* nor the stages of others */
    SUCCEEDS(attempt_pattern("f", NULL), "");
    holds(trace(), "\"kernel\":\"f_a\"");
    SUCCEEDS(attempt_pattern(NULL, "2x2"), "");
    holds(trace(), "\"kernel\":\"g_c\"");
    lacks(trace(), "\"ph\":\"C\"");
    SUCCEEDS(attempt_pattern("01_a", "2^10"), "");
    FAILS(attempt_pattern("f/01_b", NULL), FAIL_USAGE,
          "has no traces of a variant 'f/01_b'; did you mean 'f/01_a'?");
    FAILS(attempt_pattern(NULL, "77"), FAIL_USAGE, "has no traces of size 77");
    FAILS(attempt_pattern("f", "2x2"), FAIL_INPUT,
          "has no traces of these variants at these sizes");
    assert_string_equal(read_text("trace.json"), "");
}

RUN_TESTS(fixture_open, fixture_close)
