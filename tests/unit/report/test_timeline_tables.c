/*
 * Tests the timeline of a hand-made run whose events are all known, of runs that are refused, and
 * the checker of traces, each trace with one error.
 */
#include "newest_recorded.h"
#include "report/timeline.h"
#include "trace_check.h"

/* ---- a small run ----------------------------------------------------------------------------- */

static const char stages[] = "measure,f,1024,0,5000\nmeasure,g,2x2,6000,9000\nceilings,,,10001,"
                             "20001\nmeasure,h,8,21000,22000\ntimeline,f,1024,30000,90000\n"
                             "timeline,g,2x2,91000,95000\n";
#define NOT_RECORDED                                                                               \
    "absent: kernels are not recorded while they are sampled: that would change their code"

/* The first trace has two kernels each time. The second has samples of about 2 us each, from before
 * the kernel to after it. */
static const char traces[] =
    "0,f,01_a,1024,256,0,kernels,31000,40000,2,,,ok,absent: not asked "
    "for\n1,f,02_b,1024,256,4,timeline,50000,80000,1,2000,time," NOT_RECORDED ",ok\n"
    "2,g,01_c,2x2,1,0,kernels,92000,94000,1,,,ok,absent: not asked for\n";
static const char activities[] =
    "0,0,0,f_a,1002,2002,4,2,1,256,1,1,32,128,0,7\n0,0,1,f_sum,2002,2502,1,1,1,256,1,1,16,0,64,7\n"
    "0,1,0,f_a,5000,6000,4,2,1,256,1,1,32,128,0,7\n0,1,1,f_sum,6100,6500,1,1,1,256,1,1,16,0,64,7\n"
    "2,0,0,g_c,100,1900,1,1,1,1,1,1,8,0,0,7\n";
static const char samples[] =
    "1,0,1000,3000,read,0\n1,1,3000,5000,read,1000\n1,2,5000,7032,read,4000\n1,3,7032,9000,read,0\n"
    "1,0,1000,3000,clock,\n1,1,3000,5000,clock,3000\n1,2,5000,7032,clock,3333\n1,3,7032,9000,clock,"
    "3600\n"
    "1,0,1000,3000,resident_warps,0\n1,1,3000,5000,resident_warps,0.5\n1,2,5000,7032,resident_"
    "warps,8\n1,3,7032,9000,resident_warps,0\n";

#define TRACKS(read_shows)                                                                         \
    "track read\n    set     one\n    from    a.sum\n    shows   " read_shows                      \
    "\n    unit    GB/s\n    title   Read\n    means   Read.\n"                                    \
    "track clock\n    set     one\n    from    b.max\n    shows   1000 * value / ns\n    unit    " \
    "MHz\n    title   Clock\n    means   Clock.\n"                                                 \
    "track resident_warps\n    set     one\n    from    c.avg\n    shows   value\n    unit    "    \
    "warps\n    title   Warps\n    means   Warps.\n"

static void add_figures(const char *run)
{
    char name[128];
    snprintf(name, sizeof name, "%s/metrics.csv", run);
    write_text(name, "family,variant,size,block,sweep,best,time_ns,effective_gbs,tflops,dram_"
                     "gbs\nf,01_a,1024,256,0,1,1500,2.5,9,\nf,02_b,1024,256,4,1,1000,,9,0\n"
                     "g,01_c,2x2,1,0,1,1700,8,0.25,\n");
    write_table(run, TABLE_STEPS, "f,02_b,1024,256,4,01_a,1.5,1.4,1.6,1.5,1.4,1.6,0.5,faster\n");
}

static void make_timeline(const char *run)
{
    make_run(run);
    make_data(TRACKS("value / ns"), "");
    write_table(run, TABLE_FAMILIES, "g,G,,,operations\nf,F,,,bytes\n");
    write_variants(run,
                   "f,01_a,1,First of all,,kernel\nf,02_b,2,Second,01_a,kernel\ng,01_c,1,\"Say "
                   "\"\"c\"\" \\ </script>\",,kernel\n");
    write_table(run, TABLE_STAGES, stages);
    write_table(run, TABLE_TRACES, traces);
    write_table(run, TABLE_ACTIVITIES, activities);
    write_table(run, TABLE_TRACE_SAMPLES, samples);
    add_figures(run);
}

static int attempt_with(const char *run, struct timeline_options options)
{
    struct run opened;
    FILE *file = fopen(place("trace.json"), "w");
    assert_non_null(file);
    int result = run_open(&opened, place(run));
    if (!result) {
        result = timeline_print(&opened, &options, file);
        run_close(&opened);
    }
    fclose(file);
    return result;
}

static int attempt(const char *run)
{
    return attempt_with(run, (struct timeline_options){.patterns = NULL});
}

static const char *trace(void)
{
    const char *json = read_text("trace.json");
    const char *fault = trace_fault(json);
    if (*fault) fail_msg("%s in: %s", fault, json);
    return json;
}

static void has(const char *json, const char *part)
{
    if (!strstr(json, part)) fail_msg("%s\n is not in: %s", part, json);
}

static void lacks(const char *json, const char *part)
{
    if (strstr(json, part)) fail_msg("%s\n is in: %s", part, json);
}

#define HOST(name, cat, ts, dur, args)                                                             \
    "{\"name\":\"" name "\",\"cat\":\"" cat "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":" ts       \
    ",\"dur\":" dur ",\"args\":" args "},\n"
#define UNIT(stage, family, size)                                                                  \
    "{\"stage\":\"" stage "\",\"family\":\"" family "\",\"size\":\"" size "\"}"

/* Adjacent rows of one stage are one event, but not across another stage; an event of the whole run
 * contains no other. */
static void test_stages(void **state)
{
    (void)state;
    make_timeline("stages");
    SUCCEEDS(attempt("stages"), "");
    has(trace(),
        HOST("measure", "measure", "0.000", "9.000", "{}")
            HOST("f 1024", "f/measure", "0.000", "5.000", UNIT("measure", "f", "1024"))
                HOST("g 2x2", "g/measure", "6.000", "3.000", UNIT("measure", "g", "2x2"))
                    HOST("ceilings", "ceilings", "10.001", "10.000", "{}")
                        HOST("measure", "measure", "21.000", "1.000", "{}")
                            HOST("h 8", "h/measure", "21.000", "1.000", UNIT("measure", "h", "8"))
                                HOST("timeline", "timeline", "30.000", "65.000", "{}")
                                    HOST("f 1024", "f/timeline", "30.000", "60.000",
                                         UNIT("timeline", "f", "1024"))
                                        HOST("g 2x2", "g/timeline", "91.000", "4.000",
                                             UNIT("timeline", "g", "2x2")));
}

/* Processes are in the order of families.csv. */
static void test_names(void **state)
{
    (void)state;
    make_timeline("names");
    SUCCEEDS(attempt("names"), "");
    const char *json = trace();
    has(json, "{\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
              "\"args\":{\"name\":\"host\"}},\n");
    has(json, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"tid\":21,\"args\":{\"name\":"
              "\"g\"}},\n");
    has(json, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3,\"tid\":31,\"args\":{\"name\":"
              "\"f\"}},\n");
    has(json, "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":3,\"tid\":31,\"args\":{\"sort_"
              "index\":3}},\n");
    has(json, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":31,\"args\":{\"name\":"
              "\"kernels\"}},\n");
    has(json, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":32,\"args\":{\"name\":"
              "\"counters sampled\"}},\n");
    lacks(json, "\"pid\":2,\"tid\":22"); /* nothing was sampled there */
}

#define KERNEL(name, family, pid, tid, ts, dur)                                                    \
    "{\"name\":\"" name "\",\"cat\":\"" family "/timeline\",\"ph\":\"X\",\"pid\":" pid             \
    ",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ","

static void test_kernels(void **state)
{
    (void)state;
    make_timeline("kernels");
    SUCCEEDS(attempt("kernels"), "");
    const char *json = trace();
    has(json,
        KERNEL(
            "01 First of all, 1 of 2", "f", "3", "31", "32.002",
            "1.000") "\"args\":{\"family\":\"f\",\"variant\":\"01_a\",\"size\":\"1024\",\"block\":"
                     "256,\"sweep\":0,\"counter_set\":\"kernels\",\"kernel\":\"f_a\",\"launch\":0,"
                     "\"repeat\":0,\"grid\":\"4 x 2 x 1\",\"block_threads\":\"256 x 1 x "
                     "1\",\"registers\":32,\"static_shared_bytes\":128,\"dynamic_shared_bytes\":0,"
                     "\"point\":{\"time_ns\":1500.0,\"effective_gbs\":2.5}}},\n" KERNEL(
                         "01 First of all, 2 of 2", "f", "3", "31", "33.002", "0.500"));
    has(json, "\"kernel\":\"f_sum\",\"launch\":1,\"repeat\":1,");
    /* Kernels that were sampled appear when they ran. Unmeasured values are left out, zeros are
     * not; a rate is in the family's unit. */
    has(json, KERNEL("02 Second", "f", "3", "32", "53.000",
                     "4.032") "\"args\":{\"family\":\"f\",\"variant\":\"02_b\",\"size\":\"1024\","
                              "\"block\":256,\"sweep\":4,"
                              "\"counter_set\":\"timeline\",\"from\":\"samples\",\"repeats\":1,"
                              "\"point\":{\"time_ns\":1000.0,\"dram_gbs\":0.0,\"after\":\"01_a\","
                              "\"speedup_prev\":1.5,\"speedup_prev_low\":1.4,"
                              "\"speedup_prev_high\":1.6,\"evidence\":\"faster\"}}},\n");
    has(json, "\"point\":{\"time_ns\":1700.0,\"tflops\":0.25}}},\n");
    has(json, KERNEL("01 Say \\\"c\\\" \\\\ </script>", "g", "2", "21", "92.100", "1.800"));
}

#define COUNTER(name, unit, ts, value)                                                             \
    "{\"name\":\"" name ",\",\"ph\":\"C\",\"pid\":3,\"tid\":31,\"ts\":" ts ",\"args\":{\"" unit    \
    "\":" value "}},\n"

/* A value is shown from the beginning of its sample; a missing value is not shown; after the last
 * sample, when no kernel runs any more, the value is 0. */
static void test_counters(void **state)
{
    (void)state;
    make_timeline("counters");
    SUCCEEDS(attempt("counters"), "");
    const char *json = trace();
    has(json,
        COUNTER("Read", "GB/s", "51.000", "0") COUNTER("Read", "GB/s", "53.000", "0.5")
            COUNTER("Read", "GB/s", "55.000", "2") COUNTER("Read", "GB/s", "57.032", "0")
                COUNTER("Read", "GB/s", "59.000", "0") COUNTER("Clock", "MHz", "53.000", "1500")
                    COUNTER("Clock", "MHz", "55.000", "1666.5")
                        COUNTER("Clock", "MHz", "57.032", "1800")
                            COUNTER("Clock", "MHz", "59.000", "0"));
    has(json, "{\"name\":\"Warps,\",\"ph\":\"C\",\"pid\":3,\"tid\":31,\"ts\":59.000,\"args\":{"
              "\"warps\":0}}\n],\n");
    has(json, KERNEL("02 Second: timeline", "f", "3", "32", "51.000",
                     "8.000") "\"args\":{\"family\":\"f\",\"variant\":\"02_b\",\"size\":\"1024\","
                              "\"block\":256,\"sweep\":4,\"counter_set\":\"timeline\",\"repeats\":"
                              "1,\"interval_ns\":2000.0,"
                              "\"trigger\":\"time\",\"samples\":4}},\n" KERNEL(
                                  "02 Second", "f", "3", "32", "53.000", "4.032"));
}

/* A sample by time has the requested length; one by cycles has the length of its time stamps. */
static void test_lengths(void **state)
{
    (void)state;
    make_timeline("cycles");
    write_table("cycles", TABLE_TRACES,
                "0,f,01_a,1024,256,0,kernels,31000,40000,2,,,ok,absent: not asked "
                "for\n1,f,02_b,1024,256,4,timeline,50000,80000,1,2000,cycles," NOT_RECORDED ",ok\n"
                "2,g,01_c,2x2,1,0,kernels,92000,94000,1,,,ok,absent: not asked for\n");
    SUCCEEDS(attempt("cycles"), "");
    has(trace(),
        COUNTER("Read", "GB/s", "53.000", "0.5") COUNTER("Read", "GB/s", "55.000", "1.96850394"));
    has(trace(), COUNTER("Clock", "MHz", "57.032", "1829.26829"));
}

/* If the last sample finds a warp, or no sample counts warps, the device is not shown as idle. */
static void test_not_idle(void **state)
{
    (void)state;
    static const char reads[] = "1,0,1000,3000,read,7\n1,1,3000,5000,read,0\n";
    struct text rows = {0};
    make_timeline("running");
    text_append(&rows, reads);
    text_append(&rows, "1,0,1000,3000,resident_warps,0\n1,1,3000,5000,resident_warps,0.001\n");
    write_table("running", TABLE_TRACE_SAMPLES, text_string(&rows));
    SUCCEEDS(attempt("running"),
             "the last sample does not show an idle device (1 traces, the first "
             "is 1)");
    lacks(trace(), "\"ts\":55.000");
    has(trace(), KERNEL("02 Second", "f", "3", "32", "53.000", "2.000"));
    write_table("running", TABLE_TRACE_SAMPLES, reads);
    SUCCEEDS(attempt("running"), "the last sample does not show");
    lacks(trace(), "\"ts\":55.000");
    lacks(trace(), "\"from\":\"samples\"");
    text_append(&rows, "1,2,5000,7000,sms_busy,0\n");
    write_table("running", TABLE_TRACE_SAMPLES, text_string(&rows));
    SUCCEEDS(attempt("running"), "counter 'sms_busy': it is left out");
    lacks(heard(), "it is not known");
    has(trace(), COUNTER("Read", "GB/s", "57.000", "0"));
    text_free(&rows);
}

static void test_otherwise(void **state)
{
    (void)state;
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
    has(trace(),
        "\n],\n\"otherData\":{\"device_name\":\"\\\"Test\\\" "
        "GPU\",\"driver\":\"580.1\",\"date\":\"2026-01-02T03:04:05Z\",\"git_revision\":\"12e4567\","
        "\"whyfast_version\":\"0.1.0\",\"counters\":\"nothing was measured where the track "
        "'counters sampled' has no event; ignore the values that a viewer draws there (0 or the "
        "last value)\",\"absent\":");
    has(trace(),
        "\"absent\":[\"counters of the set timeline: the buffer was full (in 1 of the "
        "traces)\",\"kernels: lost (in 1 of the traces)\",\"counters: not permitted\"]}}\n");
    SUCCEEDS(attempt("other"), "has no counters: not permitted");
}

/* ---- less than that -------------------------------------------------------------------------- */

static void test_not_evaluated(void **state)
{
    (void)state;
    make_timeline("raw");
    assert_int_equal(unlink(place("raw/metrics.csv")), 0);
    SUCCEEDS(attempt("raw"), "is not evaluated: its kernels have no figures; 'whyfast evaluate ");
    lacks(trace(), "\"point\"");
    add_figures("raw");
    assert_int_equal(unlink(place("raw/steps.csv")), 0);
    SUCCEEDS(attempt("raw"), "");
    lacks(trace(), "speedup");
    has(trace(), "\"point\":{\"time_ns\":1000.0,\"dram_gbs\":0.0}}},\n");
}

static void test_only_stages(void **state)
{
    (void)state;
    make_timeline("timed");
    write_table("timed", TABLE_TRACES, "");
    write_table("timed", TABLE_ACTIVITIES, "");
    write_table("timed", TABLE_TRACE_SAMPLES, "");
    SUCCEEDS(attempt("timed"), "has no kernels and counters over time: none were recorded");
    has(trace(), HOST("ceilings", "ceilings", "10.001", "10.000", "{}"));
    lacks(trace(), "\"pid\":2");
    SUCCEEDS(attempt("timed"), "--sets timeline' adds them on a machine with a GPU");
}

static void test_nothing_noted(void **state)
{
    static const enum table_id later[] = {TABLE_STAGES, TABLE_TRACES, TABLE_ACTIVITIES,
                                          TABLE_TRACE_SAMPLES};
    (void)state;
    make_timeline("older");
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        char name[128];
        snprintf(name, sizeof name, "older/%s.csv", tables[later[i]].name);
        assert_int_equal(unlink(place(name)), 0);
    }
    FAILS(attempt("older"), FAIL_INPUT, "has no times of stages or kernels");
    FAILS(attempt("older"), FAIL_INPUT, "'whyfast collect ");
    assert_string_equal(read_text("trace.json"), "");
}

static int attempt_pattern(const char *pattern, const char *size)
{
    return attempt_with("chosen", (struct timeline_options){.patterns = &pattern,
                                                            .pattern_count = pattern != NULL,
                                                            .sizes = &size,
                                                            .size_count = size != NULL});
}

static void test_choice(void **state)
{
    (void)state;
    make_timeline("chosen");
    SUCCEEDS(attempt_pattern("f/02*", NULL), "");
    const char *json = trace();
    has(json, "\"from\":\"samples\"");
    has(json, "\"ts\":53.000,\"args\":{\"GB/s\":0.5}}");
    lacks(json, "\"kernel\":\"f_a\"");
    lacks(json, "\"kernel\":\"g_c\"");
    has(json, "g 2x2"); /* the stages stand whole */
    SUCCEEDS(attempt_pattern("f", NULL), "");
    has(trace(), "\"kernel\":\"f_a\"");
    SUCCEEDS(attempt_pattern(NULL, "2x2"), "");
    has(trace(), "\"kernel\":\"g_c\"");
    lacks(trace(), "\"ph\":\"C\"");
    SUCCEEDS(attempt_pattern("01_a", "2^10"), "");
    FAILS(attempt_pattern("f/01_b", NULL), FAIL_USAGE,
          "has no traces of a variant 'f/01_b'; did you mean 'f/01_a'?");
    FAILS(attempt_pattern(NULL, "77"), FAIL_USAGE, "has no traces of size 77");
    FAILS(attempt_pattern("f", "2x2"), FAIL_INPUT,
          "has no traces of these variants at these sizes");
    assert_string_equal(read_text("trace.json"), "");
}

/* ---- what cannot be -------------------------------------------------------------------------- */

static void test_unsound(void **state)
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
    (void)state;
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

static void test_formulas(void **state)
{
    (void)state;
    make_timeline("formulas");
    make_data(TRACKS("value /"), "");
    FAILS(attempt("formulas"), FAIL_INPUT, "data/metrics/test.metric:4: ");
    assert_string_equal(read_text("trace.json"), ""); /* before anything is written */
    make_data(TRACKS("value * pid"), "");
    FAILS(attempt("formulas"), FAIL_INPUT, "data/metrics/test.metric:4: no such column: pid");
    make_data(TRACKS("1); DROP TABLE stages; SELECT (1"), "");
    FAILS(attempt("formulas"), FAIL_INPUT, "data/metrics/test.metric:4: more than one statement");
    make_data(TRACKS("CASE WHEN value > 2000 THEN 'much' WHEN value > 0 THEN 1e308 * 10 * value "
                     "ELSE value END"),
              "");
    SUCCEEDS(attempt("formulas"), ""); /* values that are not numbers are left out */
    has(trace(), COUNTER("Read", "GB/s", "51.000", "0") COUNTER("Read", "GB/s", "57.032", "0"));
    make_data("", "");
    SUCCEEDS(attempt("formulas"),
             "no record under metrics/ describes the counter 'clock': it is left out");
    lacks(trace(), "\"ph\":\"C\"");
}

/* 1.001 * 1000, as doubles, is less than 1001, so one more decimal is needed. */
static void test_nanoseconds(void **state)
{
    struct text rows = {0}, wanted = {0};
    (void)state;
    make_timeline("fine");
    for (int i = 0; i < 4000; i++) text_format(&rows, "measure,f,%d,%d,%d\n", i, 2 * i, 2 * i + 1);
    text_append(&rows, "timeline,f,1024,30000,90000\ntimeline,g,2x2,91000,95000\n");
    write_table("fine", TABLE_STAGES, text_string(&rows));
    SUCCEEDS(attempt("fine"), "");
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
    text_free(&rows);
    text_free(&wanted);
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
static void test_checker(void **state)
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
    (void)state;
    assert_string_equal(trace_fault(sound), "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(sound, cases[i].was);
        struct text broken = {0};
        if (!at) fail_msg("%s is not in the trace", cases[i].was);
        text_append_bytes(&broken, sound, (size_t)(at - sound));
        text_append(&broken, cases[i].is);
        text_append(&broken, at + strlen(cases[i].was));
        assert_string_equal(trace_fault(text_string(&broken)), cases[i].words);
        text_free(&broken);
    }
}

/* ---- the recorded run ------------------------------------------------------------------------ */

/* The trace is sound and complete: an event for every kernel, a value for every sample. */
static void test_recorded(void **state)
{
    (void)state;
    setenv("WHYFAST_DATA", root(), 1);
    FILE *file = fopen(place("trace.json"), "w");
    assert_non_null(file);
    const struct timeline_options options = {.patterns = NULL};
    listen_to_stderr();
    const int result = timeline_print(&newest_recorded, &options, file);
    lacks(heard(), "warning"); /* absent data may be mentioned */
    assert_int_equal(result, 0);
    assert_int_equal(fclose(file), 0);
    const char *json = trace();
    struct query query;
    char *rows = NULL;
    char *idle = NULL;
    size_t kernels = 0, counters = 0;
    for (const char *p = json; (p = strstr(p, "\"kernel\":")); p++) kernels++;
    for (const char *p = json; (p = strstr(p, "\"ph\":\"C\"")); p++) counters++;
    assert_int_equal(query_open(&query, &newest_recorded), 0);
    assert_int_equal(query_load(&query, TABLE_ACTIVITIES), 0);
    assert_int_equal(query_load(&query, TABLE_TRACE_SAMPLES), 0);
    assert_int_equal(query_text(&query, NULL, "SELECT count(*) FROM activities", NULL, &rows), 0);
    assert_int_equal(kernels, strtoul(rows, NULL, 10));
    assert_in_range(kernels, 100, 100000);
    free(rows);
    assert_int_equal(query_text(&query, NULL,
                                "SELECT count(*) FROM trace_samples WHERE value IS NOT NULL", NULL,
                                &rows),
                     0);
    assert_int_equal(
        query_text(&query, NULL,
                   "SELECT count(*) FROM (SELECT DISTINCT trace, track FROM trace_samples)", NULL,
                   &idle),
        0);
    assert_int_equal(counters, strtoul(rows, NULL, 10) +
                                   strtoul(idle, NULL, 10)); /* and 0 after the last one of each */
    assert_in_range(counters, 10000, 10000000);
    has(json, "\"from\":\"samples\"");
    has(json, "\"speedup_prev\":");
    free(idle);
    free(rows);
    query_close(&query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_kernels),     cmocka_unit_test(test_counters),
        cmocka_unit_test(test_lengths),     cmocka_unit_test(test_not_idle),
        cmocka_unit_test(test_otherwise),   cmocka_unit_test(test_not_evaluated),
        cmocka_unit_test(test_only_stages), cmocka_unit_test(test_nothing_noted),
        cmocka_unit_test(test_choice),      cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_formulas),    cmocka_unit_test(test_nanoseconds),
        cmocka_unit_test(test_checker),     cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, newest_recorded_open, newest_recorded_close);
}
