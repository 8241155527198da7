#include "fixture.h"

#include <math.h>

#include "pipeline.h"

static const char counters[] = "counter c_sum\n    from x\n    set one\n    over sum\n    unit u\n    means m\n"
                               "counter c_first\n    from y\n    set one\n    over first\n    unit u\n    means m\n"
                               "counter c_absent\n    from z\n    set one\n    over sum\n    unit u\n    means m\n";

#define METRIC(name, formula, rest) "metric " name "\n    unit u\n    formula " formula "\n    better lower\n    means m\n" rest

/* Samples of one series: `count` times from `from` on in steps of `step`. */
static void add_samples(struct text *rows, const char *variant, int sweep, const char *series, double from, double step, int count)
{
    for (int i = 0; i < count; i++)
        text_format(rows, "f,%s,64,32,%d,%s,%d,%.9g,%d,ok\n", variant, sweep, series, i, from + step * i, 1000 + i);
}

/* Two rungs at one size: 100 ns and 50 ns; the second is swept, its other setting takes 60 ns. */
static void make_ladder_run(void)
{
    struct text samples = {0};
    make_run("r");
    write_variants("r", "f,01_a,1,A,,kernel\nf,02_b,2,B,01_a,kernel\n");
    write_table("r", TABLE_POINTS,
                "f,01_a,64,32,0,ok,,256,63,2\nf,02_b,64,32,1,ok,,256,63,1\nf,02_b,64,32,2,ok,,256,63,1\nf,02_b,64,32,4,failed,element 0 is "
                "1; expected 2,256,63,1\n");
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,7\nf,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,1\nf,02_b,64,32,1,0,3,32,12,"
                "0,128,0,16,50,warps,\n");
    add_samples(&samples, "01_a", 0, "cold,end_to_end,a", 98, 1, 5);
    text_append(&samples, "f,01_a,64,32,0,cold,end_to_end,a,5,9999,500,throttled\n");
    add_samples(&samples, "01_a", 0, "warm,end_to_end,a", 80, 0, 7);
    add_samples(&samples, "01_a", 0, "cold,kernels,a", 90, 0, 7);
    add_samples(&samples, "02_b", 1, "cold,end_to_end,a", 60, 0, 8);
    add_samples(&samples, "02_b", 1, "cold,end_to_end,b", 63, 0, 8);
    add_samples(&samples, "02_b", 2, "cold,end_to_end,a", 50, 0, 8);
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    text_free(&samples);
    write_table("r", TABLE_COUNTERS,
                "f,01_a,64,32,0,0,0,one,1,c_sum,x,3,ok\nf,01_a,64,32,0,1,0,one,1,c_sum,x,4,ok\nf,01_a,64,32,0,0,0,one,1,c_first,y,3,ok\nf,"
                "01_a,64,32,0,1,0,one,"
                "1,c_first,y,1000,ok\n"
                "f,01_a,64,32,0,0,1,one,1,c_sum,x,5,ok\nf,01_a,64,32,0,1,1,one,1,c_sum,x,6,ok\nf,01_a,64,32,0,0,1,one,1,c_first,y,3,ok\nf,"
                "01_a,64,32,0,1,1,one,"
                "1,c_first,y,1000,ok\n"
                "f,01_a,64,32,0,0,2,one,1,c_sum,x,8,ok\nf,01_a,64,32,0,1,2,one,1,c_sum,x,9,ok\nf,01_a,64,32,0,0,2,one,1,c_first,y,3,ok\nf,"
                "01_a,64,32,0,1,2,one,"
                "1,c_first,y,1000,ok\n"
                "f,01_a,64,32,0,0,0,one,1,c_absent,,,absent: why\nf,01_a,64,32,0,1,0,one,1,c_absent,,5,ok\n"
                "f,02_b,64,32,2,0,0,one,1,c_sum,x,0,ok\nf,02_b,64,32,2,0,0,one,1,c_first,y,150,ok\n");
}

static int evaluate(const char *metrics)
{
    struct text records = {0};
    struct run run;
    text_format(&records, "%s%s", counters, metrics);
    make_data(text_string(&records), "");
    text_free(&records);
    int result = run_open(&run, place("r"));
    if (!result) {
        result = evaluate_run(&run);
        run_close(&run);
    }
    return result;
}

/* A cell of metrics.csv (or noise.csv) as a number; NAN when it is empty. */
static double number(const char *file, const char *point, const char *column)
{
    const char *text = cell(file, point, column);
    char *end;
    const double value = strtod(text, &end);
    if (*text && *end) fail_msg("%s of %s: '%s'", column, point, text);
    return *text ? value : NAN;
}

#define A "f,01_a,64,32,0"
#define B1 "f,02_b,64,32,1"
#define B2 "f,02_b,64,32,2"
#define METRICS(point, column) number("r/metrics.csv", point, column)
#define NOISE(point, column) number("r/noise.csv", point, column)

static void facts_come_from_samples_and_launches(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "time_ns") == 100); /* of the five that are ok */
    assert_true(isnan(METRICS(A, "time_low_ns")));
    assert_true(METRICS(A, "time_samples") == 5);
    assert_true(METRICS(A, "time_throttled") == 1);
    assert_true(METRICS(A, "time_q1_ns") == 99);
    assert_true(METRICS(A, "time_q3_ns") == 101);
    assert_true(METRICS(A, "time_warm_ns") == 80);
    assert_true(METRICS(A, "time_kernels_ns") == 90);
    assert_true(METRICS(B1, "time_kernels_ns") == 60); /* one launch: the same thing */
    assert_true(METRICS(A, "sm_clock_mhz") == 1002);
    assert_true(METRICS(B1, "time_low_ns") == 60);
    assert_true(isnan(METRICS(B1, "time_warm_ns")));
    assert_true(METRICS(A, "grid_blocks") == 3);
    assert_true(METRICS(A, "registers") == 10);
    assert_true(METRICS(A, "closed_form_excess_wavefronts") == 8);
    assert_true(isnan(METRICS(B1, "closed_form_excess_wavefronts"))); /* gives none */
    assert_true(isnan(METRICS(B2, "registers")));
    /* b is 5 % above a in every resample: the far end of the interval of a over b */
    assert_true(fabs(METRICS(B1, "floor_pct") - 100 * (1 - 60.0 / 63)) < 1e-6);
    assert_true(isnan(METRICS(A, "floor_pct")));
    assert_string_equal(cell("r/metrics.csv", "f,02_b,64,32,4", "time_ns"), "(no row)"); /* a wrong result has no metrics */
}

static void the_best_setting_of_a_sweep(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "best") == 1);
    assert_true(METRICS(B1, "best") == 0);
    assert_true(METRICS(B2, "best") == 1);
    assert_true(METRICS(A, "behind_best_pct") == 0);
    assert_true(fabs(METRICS(B1, "behind_best_pct") - 20) < 1e-6);
    assert_true(METRICS(B2, "behind_best_pct") == 0);
}

static void counters_add_up_and_repeats_give_median_and_noise(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("twice", "2 * c_sum", "")), "");
    assert_true(METRICS(A, "c_sum") == 11); /* of 7, 11 and 17 */
    assert_true(NOISE(A, "c_sum") == 10);
    assert_true(METRICS(A, "twice") == 22);
    assert_true(NOISE(A, "twice") == 20);
    assert_true(METRICS(A, "c_first") == 3);
    assert_true(NOISE(A, "c_first") == 0);
}

/* The second setting was collected once, the first rung three times: the repeats that it lacks count for nothing. */
static void a_point_may_have_fewer_repeats(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("or_less", "coalesce(c_sum + 1, -1)", "") METRIC("from_facts", "time_ns + 1", "")), "");
    assert_true(METRICS(B2, "or_less") == 1);
    assert_true(isnan(NOISE(B2, "or_less")));
    assert_true(NOISE(A, "or_less") == 10);
    assert_true(METRICS(B1, "or_less") == -1); /* no counters at all */
    assert_true(METRICS(B1, "from_facts") == 61);
    assert_true(METRICS(B2, "from_facts") == 51);
}

static void what_is_absent_stays_absent(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("uses_absent", "c_absent + c_sum", "") METRIC("uses_uses", "1 + uses_absent", "")
                          METRIC("by_zero", "1 / nullif(c_sum, 0)", "") METRIC("divides", "7.0 / c_sum", "")),
             "");
    assert_true(isnan(METRICS(A, "c_absent"))); /* one launch of two is no sum */
    assert_true(isnan(METRICS(A, "uses_absent")));
    assert_true(isnan(METRICS(A, "uses_uses")));
    assert_true(isnan(METRICS(B1, "c_sum"))); /* no counters of that point at all: not 0 */
    assert_true(METRICS(B2, "c_sum") == 0);
    assert_true(isnan(METRICS(B2, "by_zero")));
    assert_true(isnan(METRICS(B2, "divides")));
}

/* SQLite divides whole numbers as whole numbers; no metric may fall into that. */
static void nothing_is_divided_as_whole_numbers(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("counters", "c_first / 2", "") METRIC("facts", "grid_blocks / 2", "") METRIC("facts_2", "launches / 4", "")
                          METRIC("facts_3", "time_samples / 2", "") METRIC("of_run", "device_sm_count / 4", "")
                              METRIC("of_device", "dram_data_rate / 4", "") METRIC("metrics", "counters / counters / 2", "")
                                  METRIC("steps", "prev_grid_blocks / 2", "")),
             "");
    assert_true(METRICS(A, "counters") == 1.5);
    assert_true(METRICS(A, "facts") == 1.5);
    assert_true(METRICS(A, "facts_2") == 0.5);
    assert_true(METRICS(A, "facts_3") == 2.5);
    assert_true(METRICS(A, "of_run") == 2.5);
    assert_true(METRICS(A, "of_device") == 0.5);
    assert_true(METRICS(A, "metrics") == 0.5);
    assert_true(METRICS(B2, "steps") == 1.5);
}

static void formulas_in_any_order_and_over_the_ladder(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("last", "middle + 1", "") METRIC("middle", "prev_early * 2", "") METRIC("early", "time_ns", "")
                          METRIC("up", "prev_time_ns / time_ns", "") METRIC("top", "first_time_ns / time_ns", "")
                              METRIC("low", "ratio_low(prev_series, series)", "")),
             "");
    assert_true(METRICS(B2, "last") == 201);
    assert_true(METRICS(B2, "up") == 2);
    assert_true(fabs(METRICS(B1, "up") - 100.0 / 60) < 1e-8);
    assert_true(isnan(METRICS(A, "up")));
    assert_true(METRICS(A, "top") == 1);
    assert_true(isnan(METRICS(B2, "low"))); /* five samples are too few for an interval */
}

static void bad_formulas_are_told(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(""), "");
    char before[8192];
    snprintf(before, sizeof before, "%s", read_text("r/metrics.csv"));
    FAILS(evaluate(METRIC("a_circle", "b_circle + 1", "") METRIC("b_circle", "a_circle", "")), FAIL_INPUT,
          "the formula of 'a_circle' needs itself");
    FAILS(evaluate(METRIC("self", "self + 1", "")), FAIL_INPUT, "test.metric:21: the formula of 'self' needs itself");
    FAILS(evaluate(METRIC("bad", "no_such_thing + 1", "")), FAIL_INPUT, "test.metric:21: no such column: no_such_thing");
    FAILS(evaluate(METRIC("bad", "c_sum +", "")), FAIL_INPUT, "test.metric:21: ");
    FAILS(evaluate(METRIC("bad", "1); DROP TABLE m; --", "")), FAIL_INPUT, "test.metric:21: ");
    FAILS(evaluate(METRIC("bad", "(SELECT load_extension('x'))", "")), FAIL_INPUT, "test.metric:21: not authorized");
    FAILS(evaluate(METRIC("time_ns", "1", "")), FAIL_INPUT, "is taken by the");
    FAILS(evaluate("counter c_odd\n    from x\n    set one\n    over most\n    unit u\n    means m\n"), FAIL_INPUT,
          "over 'most'; expected sum or first");
    assert_string_equal(read_text("r/metrics.csv"), before); /* none of them wrote anything */
    FAILS(evaluate("fact new_fact\n    unit u\n    means m\n"), FAIL_INPUT, "no fact is called 'new_fact'");
    unlink(place("data/metrics/facts.metric"));
    struct run run;
    assert_int_equal(run_open(&run, place("r")), 0);
    write_text("data/metrics/test.metric", counters);
    FAILS(evaluate_run(&run), FAIL_INPUT, "has no record");
    run_close(&run);
}

static void what_cannot_be_is_left_empty(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("share_pct", "c_first", "    least 0\n    most 100\n") METRIC("negative", "0 - c_first", "    least 0\n")
                          METRIC("after_it", "share_pct + 1", "")),
             "f/02_b, size 64: share_pct = 150; that cannot be: 0 <= share_pct <= 100. By what it means it lies within its bounds. Left empty: share_pct");
    assert_true(METRICS(A, "share_pct") == 3);
    assert_true(isnan(METRICS(B2, "share_pct")));
    assert_true(isnan(METRICS(B2, "after_it")));
    assert_true(isnan(METRICS(A, "negative")));
    assert_true(METRICS(B2, "c_first") == 150); /* what was measured stays as it was */
#define IMPOSSIBLE(point, column) cell("r/impossible.csv", point, column)
    assert_string_equal(IMPOSSIBLE(B2 ",bound,share_pct", "holds"), "0 <= share_pct <= 100");
    assert_string_equal(IMPOSSIBLE(B2 ",bound,share_pct", "numbers"), "share_pct = 150");
    assert_string_equal(IMPOSSIBLE(B2 ",bound,share_pct", "empties"), "share_pct");
    assert_string_equal(IMPOSSIBLE(B2 ",follows,after_it", "because"), "It needs share_pct.");
    assert_string_equal(IMPOSSIBLE(A ",bound,share_pct", "holds"), "(no row)");
    assert_string_equal(IMPOSSIBLE(A ",bound,negative", "numbers"), "negative = -3");
}

#define CHECK(name, holds, empties) "check " name "\n    holds   " holds "\n    because It is so.\n    empties " empties "\n"

/* What a check leaves empty is empty before anything is computed from it, also in the rungs that are compared with it. */
static void what_contradicts_itself_is_left_empty(void **state)
{
    (void)state;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("twice", "2 * c_sum", "") METRIC("gain", "prev_twice + twice", "") METRIC("other", "c_first + 1", "")
                          METRIC("without", "coalesce(c_sum, 7)", "") CHECK("parts", "c_sum > 4 * c_first OR c_sum = 0", "c_sum")),
             "f/01_a, size 64: c_sum = 7; c_first = 3; that cannot be: c_sum > 4 * c_first OR c_sum = 0. It is so. Left empty: c_sum");
    assert_true(isnan(METRICS(A, "c_sum")));
    assert_true(isnan(METRICS(A, "twice")));
    assert_true(METRICS(A, "other") == 4);
    assert_true(METRICS(A, "without") == 7);
    assert_true(METRICS(B2, "twice") == 0);
    assert_true(isnan(METRICS(B2, "gain")));
    assert_string_equal(IMPOSSIBLE(A ",check,parts", "because"), "It is so.");
    assert_string_equal(IMPOSSIBLE(A ",follows,twice", "because"), "It needs c_sum.");
    assert_string_equal(IMPOSSIBLE(B2 ",follows,gain", "because"), "It needs prev_twice.");
    assert_string_equal(IMPOSSIBLE(A ",follows,without", "because"), "(no row)"); /* it can do without */
    assert_string_equal(IMPOSSIBLE(A ",follows,other", "because"), "(no row)");
    SUCCEEDS(evaluate(CHECK("unknown", "c_sum < c_absent", "c_sum")), ""); /* what was not measured is not judged */
    assert_string_equal(IMPOSSIBLE(A, "kind"), "(no row)");
}

/* A bound may be another column, which is computed first; what is emptied is counted. */
static void bounds_are_expressions(void **state)
{
    (void)state;
    struct run run;
    make_ladder_run();
    SUCCEEDS(evaluate(METRIC("rate", "c_first", "    most    peak\n    because The bus carries no more.\n") METRIC("peak", "100", "")), "rate = 150; peak = 100; that cannot be: rate <= peak");
    assert_true(isnan(METRICS(B2, "rate")));
    assert_true(METRICS(A, "rate") == 3);
    SUCCEEDS(evaluate(METRIC("rate", "c_first", "    most    149.99\n")), ""); /* rounding */
    assert_int_equal(run_open(&run, place("r")), 0);
    write_text("data/metrics/more.metric", METRIC("rate_2", "c_first", "    most    149\n"));
    SUCCEEDS(evaluate_run(&run), "rate_2 = 150");
    assert_int_equal(run.impossible, 1);
    run_close(&run);
    unlink(place("data/metrics/more.metric"));
}

static void bad_checks_are_told(void **state)
{
    (void)state;
    make_ladder_run();
    FAILS(evaluate(CHECK("bad", "no_such_thing > 1", "c_sum")), FAIL_INPUT, "test.metric:20: no such column: no_such_thing");
    FAILS(evaluate(CHECK("bad", "c_sum > 1", "no_such_thing")), FAIL_INPUT, "test.metric:22: no such column: no_such_thing");
    FAILS(evaluate(CHECK("bad", "1); DROP TABLE m; --", "c_sum")), FAIL_INPUT, "test.metric:20: ");
    FAILS(evaluate(METRIC("twice", "2 * c_sum", "") CHECK("circle", "twice > 1", "c_sum")), FAIL_INPUT, "of 'twice' needs itself");
    FAILS(evaluate(METRIC("twice", "2 * c_sum", "    most    c_first\n")), FAIL_INPUT, "most c_first: expected a number, or the reason in 'because'");
    FAILS(evaluate(METRIC("twice", "2 * c_sum", "    most    no_bound\n    because It is so.\n")), FAIL_INPUT, "no such column: no_bound");
}

static void an_unknown_device_is_told(void **state)
{
    (void)state;
    make_ladder_run();
    write_text("r/run.txt", "whyfast run 1\nstatus: complete\ndate: x\ndevice_compute_capability: 99.9\n");
    SUCCEEDS(evaluate(METRIC("of_device", "dram_data_rate / 4", "")), "no record under metrics/devices/ is about compute capability 99.9");
    assert_true(isnan(METRICS(A, "of_device")));
    assert_true(METRICS(A, "time_ns") == 100);
}

/* Two libraries, a kernel and the CPU at size 64, where the machine slows down from round to round; at size 128 the fast library was skipped; family
 * g has none. */
/* A fact of the device that the driver did not tell: what is computed from it is absent, and the rest is there. */
static void an_absent_fact_of_the_device_is_absent(void **state)
{
    (void)state;
    make_ladder_run();
    write_text("r/run.txt", "whyfast run 1\nstatus: complete\ndate: x\ndevice_compute_capability: 9.0\ndevice_sm_count: 10\n"
                            "device_sm_clock_khz: absent: the driver does not tell\n");
    SUCCEEDS(evaluate(METRIC("clock", "device_sm_clock_khz * 2", "") METRIC("multiprocessors", "device_sm_count * 2", "")), "");
    assert_true(isnan(METRICS(A, "clock")));
    assert_true(METRICS(A, "multiprocessors") == 20);
}

static void make_library_run(void)
{
    static const double drift[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
    static const struct {
        const char *series;
        double time_ns;
    } rows[] = {
        {"f,01_a,64,32,0,cold,end_to_end,a", 50},       {"f,01_a,64,32,0,warm,end_to_end,a", 7},      {"f,90_slow,64,32,0,cold,end_to_end,a", 80},
        {"f,90_slow,64,32,0,warm,end_to_end,a", 1},     {"f,91_fast,64,32,0,cold,end_to_end,a", 60},  {"f,91_fast,64,32,0,cold,end_to_end,b", 3},
        {"f,92_cpu,64,32,0,warm,end_to_end,a", 1000},   {"f,92_cpu,64,32,0,warm,end_to_end,b", 1100}, {"f,01_a,128,32,0,cold,end_to_end,a", 100},
        {"f,90_slow,128,32,0,cold,end_to_end,a", 80},   {"g,01_z,64,32,0,cold,end_to_end,a", 10},     {"g,02_warm_only,64,32,0,warm,end_to_end,a", 10},
    };
    struct text samples = {0};
    make_run("r");
    write_variants("r", "f,01_a,1,A,,kernel\nf,90_slow,90,S,,library\nf,91_fast,91,F,,library\nf,92_cpu,92,C,,cpu\ng,01_z,1,Z,,kernel\n"
                        "g,02_warm_only,2,W,01_z,kernel\n");
    write_table("r", TABLE_POINTS,
                "f,01_a,64,32,0,ok,,256,63,1\nf,90_slow,64,32,0,ok,,256,63,1\nf,91_fast,64,32,0,ok,,256,63,2\nf,92_cpu,64,32,0,ok,,256,63,\n"
                "f,01_a,128,32,0,ok,,512,127,1\nf,90_slow,128,32,0,ok,,512,127,1\nf,91_fast,128,32,0,skipped,why,512,127,\n"
                "g,01_z,64,32,0,ok,,256,63,1\ng,02_warm_only,64,32,0,ok,,256,63,1\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int of_cpu = strstr(rows[r].series, "cpu") != NULL;
        for (int i = 0; i < 8; i++) {
            /* In one round the clock fell while the kernel ran: the sample is set aside, and with it the pair. */
            const int throttled = r == 0 && i == 4;
            text_format(&samples, "%s,%d,%.9g,%s,%s\n", rows[r].series, i, throttled ? 9999 : rows[r].time_ns * (of_cpu ? 1 : drift[i]),
                        of_cpu ? "" : "1000", throttled ? "throttled" : "ok");
        }
    }
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    text_free(&samples);
}

static void the_fastest_library_is_the_measure(void **state)
{
    (void)state;
    make_library_run();
    SUCCEEDS(evaluate(METRIC("gain", "ratio_median(library_series, series)", "") METRIC("gain_low", "ratio_median_low(library_series, series)", "")
                          METRIC("gain_high", "ratio_median_high(library_series, series)", "")),
             "");
    assert_true(fabs(METRICS("f,01_a,64", "gain") - 1.2) < 1e-8); /* 60 / 50 in every round, whatever the drift and the lost round */
    assert_true(fabs(METRICS("f,01_a,64", "gain_low") - 1.2) < 1e-8);
    assert_true(fabs(METRICS("f,01_a,64", "gain_high") - 1.2) < 1e-8);
    assert_true(METRICS("f,01_a,64", "time_throttled") == 1);
    assert_true(fabs(METRICS("f,01_a,64", "library_time_ns") - 60 * 1.35) < 1e-6); /* the fast one's cold series, not its twin */
    assert_true(METRICS("f,91_fast,64", "gain") == 1);
    assert_true(fabs(METRICS("f,90_slow,64", "gain") - 0.75) < 1e-8);
    assert_true(fabs(METRICS("f,01_a,128", "gain") - 0.8) < 1e-8); /* there the slow one is the only one */
    assert_true(METRICS("f,90_slow,128", "gain") == 1);
    assert_true(isnan(METRICS("g,01_z,64", "gain"))); /* this family has no library */
    assert_true(isnan(METRICS("g,01_z,64", "gain_low")));
    assert_true(isnan(METRICS("g,01_z,64", "library_time_ns")));
}

static void the_cpu_is_timed_warm(void **state)
{
    (void)state;
    make_library_run();
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS("f,92_cpu,64", "time_ns") == 1000);
    assert_true(METRICS("f,92_cpu,64", "time_low_ns") == 1000);
    assert_true(METRICS("f,92_cpu,64", "time_samples") == 8);
    assert_true(METRICS("f,92_cpu,64", "time_warm_ns") == 1000);
    assert_true(METRICS("f,92_cpu,64", "best") == 1);
    assert_true(METRICS("f,92_cpu,64", "behind_best_pct") == 0);
    assert_true(fabs(METRICS("f,92_cpu,64", "floor_pct") - 100 * (1 - 1000.0 / 1100)) < 1e-6);
    assert_true(isnan(METRICS("f,92_cpu,64", "sm_clock_mhz")));
    assert_true(isnan(METRICS("f,92_cpu,64", "launches")));
    assert_true(isnan(METRICS("f,92_cpu,64", "time_kernels_ns")));
    assert_true(isnan(METRICS("f,92_cpu,64", "registers")));
    /* Of what runs on the GPU the cold series counts, and nothing stands in for it. */
    assert_true(METRICS("f,90_slow,64", "time_ns") > 80);
    assert_true(METRICS("f,90_slow,64", "time_warm_ns") < 2);
    assert_true(isnan(METRICS("f,01_a,64", "floor_pct")));
    assert_true(isnan(METRICS("g,02_warm_only,64", "time_ns")));
    assert_true(METRICS("g,02_warm_only,64", "time_warm_ns") == 10 * 1.35);
    assert_true(METRICS("f,91_fast,64", "launches") == 2);
}

static void what_stands_in_the_code_is_a_fact(void **state)
{
    (void)state;
    make_ladder_run();
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,7,512,10,2,5,4,,,,,k,2\n"
                "f,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,1,1024,99,99,99,99\n"
                "f,02_b,64,32,1,0,3,32,12,0,128,0,16,50,warps,,1024,0,0,0,0,,,,,k,\nf,02_b,64,32,2,0,3,32,12,0,128,0,16,50,warps,,1024,,,,\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "max_block_threads") == 512); /* of the first kernel */
    assert_true(METRICS(A, "sass_shuffles") == 10);
    assert_true(METRICS(A, "sass_warp_reductions") == 2);
    assert_true(METRICS(A, "sass_barriers") == 5);
    assert_true(METRICS(A, "sass_float_adds") == 4);
    assert_true(METRICS(A, "sass_loop_barriers") == 2);
    assert_true(METRICS(B1, "sass_shuffles") == 0);
    assert_true(isnan(METRICS(B1, "sass_loop_barriers"))); /* where a jump leads to is not known */
    assert_true(isnan(METRICS(B2, "sass_shuffles"))); /* code that could not be read has no count, not 0 */
    assert_true(isnan(METRICS(B2, "sass_barriers")));
}

/* What limits how many blocks are resident is a list in launches.csv, and a number for each resource here. */
static void what_limits_is_a_fact(void **state)
{
    (void)state;
    make_ladder_run();
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,\"registers, shared memory\",7\nf,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,7\n"
                "f,02_b,64,32,1,0,3,32,12,0,128,0,16,50,blocks,\nf,02_b,64,32,2,0,3,32,12,0,128,0,16,50,,\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "limited_by_registers") == 1);
    assert_true(METRICS(A, "limited_by_shared_memory") == 1);
    assert_true(METRICS(A, "limited_by_warps") == 0); /* of the first kernel */
    assert_true(METRICS(A, "limited_by_blocks") == 0);
    assert_true(METRICS(B1, "limited_by_blocks") == 1);
    assert_true(METRICS(B1, "limited_by_registers") == 0);
    assert_true(isnan(METRICS(B2, "limited_by_registers"))); /* the calculator did not know */
    assert_true(isnan(METRICS(A, "event_overhead_ns")));
    write_text("r/run.txt", "whyfast run 1\nstatus: complete\ndate: 2026-01-02T03:04:05Z\ndevice_compute_capability: 9.0\n"
                            "device_sm_count: 10\nevent_overhead_ns: 1280\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "event_overhead_ns") == 1280);
}

static void what_the_addresses_tell_is_a_fact(void **state)
{
    (void)state;
    make_ladder_run();
    /* Two launches of the first rung; of the second rung's best setting one does not tell. */
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,9,512,0,0,0,0,100,30,95,26\nf,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,0,512,0,0,0,0,"
                "10,3,10,3\nf,02_b,64,32,2,0,3,32,12,0,128,0,16,50,warps,5,512,0,0,0,0,7,7,7,2\nf,02_b,64,32,2,1,3,32,12,0,128,0,16,50,warps\n");
    write_table("r", TABLE_ACCESSES,
                "f,01_a,64,32,0,0,0,reads of A,load,4,5,2,1,0\nf,01_a,64,32,0,0,1,reads of B,load,16,20,4,4,0\n"
                "f,01_a,64,32,0,0,2,writes of A,store,4,2,3,1,0\nf,01_a,64,32,0,1,0,reads of A,load,4,10,3,1,0\n"
                "f,01_a,64,32,0,1,1,reads of A,load,8,1,3,2,0\nf,02_b,64,32,1,0,0,writes of B,store,4,7,32,1,0\n"
                "f,02_b,64,32,2,0,0,writes of B,store,4,7,32,1,0\nf,02_b,64,32,2,1,0,writes of B,store,4,,32,1,0\n"
                "f,02_b,64,32,2,1,1,reads of the mask,load,4,7,32,1,0\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "closed_form_excess_wavefronts") == 9);
    assert_true(METRICS(A, "closed_form_load_wavefronts") == 110);
    assert_true(METRICS(A, "closed_form_store_wavefronts") == 33);
    assert_true(METRICS(A, "closed_form_load_ideal") == 105);
    assert_true(METRICS(A, "closed_form_store_ideal") == 29);
    assert_true(isnan(METRICS(B2, "closed_form_load_wavefronts"))); /* one launch of two is no sum */
    assert_true(isnan(METRICS(B2, "closed_form_store_ideal")));
    assert_true(isnan(METRICS(B1, "closed_form_load_ideal")));
    assert_true(METRICS(A, "closed_form_excess_reads_a") == 5 * 1 + 10 * 2 + 1 * 1); /* of all its launches, and all that are called so */
    assert_true(METRICS(A, "closed_form_excess_reads_b") == 0);                      /* accesses without conflicts */
    assert_true(METRICS(A, "closed_form_excess_writes_a") == 4);
    assert_true(isnan(METRICS(A, "closed_form_excess_writes_b"))); /* no such access: not 0 */
    assert_true(METRICS(B1, "closed_form_excess_writes_b") == 7 * 31);
    assert_true(isnan(METRICS(B2, "closed_form_excess_writes_b"))); /* one of them does not tell how often */
    assert_true(isnan(METRICS(B2, "closed_form_excess_reads_a")));
}

/* As a run has it that was recorded before the accesses were. */
static void a_run_without_accesses(void **state)
{
    (void)state;
    make_ladder_run();
    unlink(place("r/accesses.csv"));
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "closed_form_excess_wavefronts") == 8);
    assert_true(isnan(METRICS(A, "closed_form_load_ideal")));
    assert_true(isnan(METRICS(A, "closed_form_excess_reads_a")));
}

/* Ceilings are of the device: the same in every row. One that could not be measured is absent, and so is what is computed from it. */
static void what_the_device_can_do_at_most_is_a_fact(void **state)
{
    (void)state;
    make_ladder_run();
    write_table("r", TABLE_CEILINGS,
                "read_gbs,Read,GB/s,4000,3990,4010,25,1980,ok\nwrite_gbs,Written,GB/s,,,,0,,absent: no room\n"
                "launch_ns,Launch,ns,2500,2400,2600,25,1980,ok\nfma_tflops,FFMA,TFLOP/s,,,,0,,failed: before timing: wrong\n");
    SUCCEEDS(evaluate(METRIC("half", "ceiling_read_gbs / 2", "") METRIC("of_absent", "ceiling_read_gbs + ceiling_write_gbs", "")), "");
    assert_true(METRICS(A, "ceiling_read_gbs") == 4000);
    assert_true(METRICS(B2, "ceiling_read_gbs") == 4000);
    assert_true(METRICS(A, "half") == 2000);
    assert_true(METRICS(A, "ceiling_launch_ns") == 2500);
    assert_true(isnan(METRICS(A, "ceiling_write_gbs")));
    assert_true(isnan(METRICS(A, "of_absent")));
    assert_true(isnan(METRICS(A, "ceiling_fma_tflops")));
    assert_true(isnan(METRICS(A, "ceiling_l2_read_gbs"))); /* not even a row */
}

static void a_run_without_ceilings(void **state)
{
    (void)state;
    make_ladder_run();
    unlink(place("r/ceilings.csv"));
    SUCCEEDS(evaluate(METRIC("half", "ceiling_read_gbs / 2", "")), "");
    assert_true(isnan(METRICS(A, "ceiling_read_gbs")));
    assert_true(isnan(METRICS(A, "half")));
    assert_true(METRICS(A, "time_ns") == 100);
}

static void a_missing_table_is_told(void **state)
{
    (void)state;
    make_ladder_run();
    unlink(place("r/counters.csv"));
    unlink(place("r/metrics.csv"));
    FAILS(evaluate(""), FAIL_INPUT, "r/counters.csv: is missing; expected it in every run");
    assert_false(exists("r/metrics.csv"));
    assert_false(exists("r/*.tmp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_come_from_samples_and_launches),
        cmocka_unit_test(the_best_setting_of_a_sweep),
        cmocka_unit_test(counters_add_up_and_repeats_give_median_and_noise),
        cmocka_unit_test(a_point_may_have_fewer_repeats),
        cmocka_unit_test(what_is_absent_stays_absent),
        cmocka_unit_test(nothing_is_divided_as_whole_numbers),
        cmocka_unit_test(formulas_in_any_order_and_over_the_ladder),
        cmocka_unit_test(bad_formulas_are_told),
        cmocka_unit_test(what_cannot_be_is_left_empty),
        cmocka_unit_test(what_contradicts_itself_is_left_empty),
        cmocka_unit_test(bounds_are_expressions),
        cmocka_unit_test(bad_checks_are_told),
        cmocka_unit_test(an_unknown_device_is_told),
        cmocka_unit_test(an_absent_fact_of_the_device_is_absent),
        cmocka_unit_test(the_fastest_library_is_the_measure),
        cmocka_unit_test(the_cpu_is_timed_warm),
        cmocka_unit_test(what_stands_in_the_code_is_a_fact),
        cmocka_unit_test(what_limits_is_a_fact),
        cmocka_unit_test(what_the_addresses_tell_is_a_fact),
        cmocka_unit_test(a_run_without_accesses),
        cmocka_unit_test(what_the_device_can_do_at_most_is_a_fact),
        cmocka_unit_test(a_run_without_ceilings),
        cmocka_unit_test(a_missing_table_is_told),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
