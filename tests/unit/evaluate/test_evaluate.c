#include "evaluated.h"

LADDER_TEST(facts_come_from_samples_and_launches)
{
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "time_ns=100"); /* of the five that are ok */
    metrics_are(A, "time_low_ns= time_samples=5 time_throttled=1 time_q1_ns=99 time_q3_ns=101 "
                   "time_warm_ns=80 time_kernels_ns=90 sm_clock_mhz=1002 grid_blocks=3 "
                   "registers=10 closed_form_excess_wavefronts=8");
    metrics_are(B1, "time_kernels_ns=60"); /* one launch: the same value */
    metrics_are(B1, "time_low_ns=60 time_warm_ns=");
    metrics_are(B1, "closed_form_excess_wavefronts="); /* gives no row */
    metrics_are(B2, "registers=");
    /* b is 5 % above a in every resample: the far end of the interval of a over b, 60 / 63 */
    metrics_are(B1, "floor_pct=4.7619047619");
    metrics_are(A, "floor_pct=");
    assert_string_equal(cell("r/metrics.csv", "f,02_b,64,32,4", "time_ns"),
                        "(no row)"); /* a wrong result has no metrics */
}

LADDER_TEST(the_best_setting_of_a_sweep)
{
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "best=1 behind_best_pct=0");
    metrics_are(B1, "best=0 behind_best_pct=20");
    metrics_are(B2, "best=1 behind_best_pct=0");
}

LADDER_TEST(counters_add_up_and_repeats_give_median_and_noise)
{
    SUCCEEDS(evaluate(METRIC("twice", "2 * c_sum", "")), "");
    metrics_are(A, "c_sum=11"); /* of 7, 11 and 17 */
    noise_is(A, "c_sum=10 twice=20 c_longest=0");
    metrics_are(A, "twice=22 c_longest=3");
}

/* The second launch takes most of the cycles. */
LADDER_TEST(ratios_are_those_of_the_longest_launch)
{
    write_table("r", TABLE_COUNTERS,
                "f,01_a,64,32,0,0,0,one,1,sm_cycles_elapsed,v,10,ok\n"
                "f,01_a,64,32,0,1,0,one,1,sm_cycles_elapsed,v,90,ok\n"
                "f,01_a,64,32,0,0,0,one,1,c_longest,y,3,ok\n"
                "f,01_a,64,32,0,1,0,one,1,c_longest,y,1000,ok\n"
                "f,01_a,64,32,0,0,0,one,1,c_sum,x,3,ok\nf,01_a,64,32,0,1,0,one,1,c_sum,x,4,ok\n");
    SUCCEEDS(evaluate("counter sm_cycles_elapsed\n    from v\n    set one\n    over sum\n"
                      "    unit u\n    means m\n"),
             "");
    metrics_are(A, "longest_launch=1 grid_blocks=1 c_longest=1000 c_sum=7");
    metrics_are(B1, "longest_launch=0"); /* without counters */
}

/* The second setting was collected once, the first rung three times: missing repeats are
 * ignored. */
LADDER_TEST(a_point_may_have_fewer_repeats)
{
    SUCCEEDS(evaluate(METRIC("or_less", "coalesce(c_sum + 1, -1)", "")
                          METRIC("from_facts", "time_ns + 1", "")),
             "");
    metrics_are(B2, "or_less=1 from_facts=51");
    noise_is(B2, "or_less=");
    noise_is(A, "or_less=10");
    metrics_are(B1, "or_less=-1"); /* no counters at all */
    metrics_are(B1, "from_facts=61");
}

LADDER_TEST(what_is_absent_stays_absent)
{
    SUCCEEDS(evaluate(METRIC("uses_absent", "c_absent + c_sum", "") METRIC(
                 "uses_uses", "1 + uses_absent", "") METRIC("by_zero", "1 / nullif(c_sum, 0)", "")
                          METRIC("divides", "7.0 / c_sum", "")),
             "");
    metrics_are(A, "c_absent="); /* one launch of two gives no sum */
    metrics_are(A, "uses_absent= uses_uses=");
    metrics_are(B1, "c_sum="); /* no counters of that point at all: not 0 */
    metrics_are(B2, "c_sum=0 by_zero= divides=");
}

/* SQLite divides integers as integers, which must not happen in a metric. */
LADDER_TEST(nothing_is_divided_as_whole_numbers)
{
    SUCCEEDS(evaluate(METRIC("counters", "c_longest / 2", "") METRIC("facts", "grid_blocks / 2", "")
                          METRIC("facts_2", "launches / 4", "")
                              METRIC("facts_3", "time_samples / 2", "")
                                  METRIC("of_run", "device_sm_count / 4", "")
                                      METRIC("of_device", "dram_data_rate / 4", "")
                                          METRIC("metrics", "counters / counters / 2", "")
                                              METRIC("steps", "prev_grid_blocks / 2", "")),
             "");
    metrics_are(
        A, "counters=1.5 facts=1.5 facts_2=0.5 facts_3=2.5 of_run=2.5 of_device=0.5 metrics=0.5");
    metrics_are(B2, "steps=1.5");
}

LADDER_TEST(formulas_in_any_order_and_over_the_ladder)
{
    SUCCEEDS(evaluate(METRIC("last", "middle + 1", "") METRIC("middle", "prev_early * 2", "")
                          METRIC("early", "time_ns", "") METRIC("up", "prev_time_ns / time_ns", "")
                              METRIC("top", "first_time_ns / time_ns", "")
                                  METRIC("low", "ratio_low(prev_series, series)", "")),
             "");
    metrics_are(B2, "last=201 up=2");
    metrics_are(B1, "up=1.66666666667");
    metrics_are(A, "up= top=1");
    metrics_are(B2, "low="); /* five samples are too few for an interval */
}

LADDER_TEST(bad_formulas_are_told)
{
    SUCCEEDS(evaluate(""), "");
    char before[8192];
    snprintf(before, sizeof before, "%s", read_text("r/metrics.csv"));
    FAILS(evaluate(METRIC("a_circle", "b_circle + 1", "") METRIC("b_circle", "a_circle", "")),
          FAIL_INPUT, "the formula of 'a_circle' depends on itself");
    FAILS(evaluate(METRIC("self", "self + 1", "")), FAIL_INPUT,
          "test.metric:21: the formula of 'self' depends on itself");
    FAILS(evaluate(METRIC("bad", "no_such_thing + 1", "")), FAIL_INPUT,
          "test.metric:21: no such column: no_such_thing");
    FAILS(evaluate(METRIC("bad", "c_sum +", "")), FAIL_INPUT, "test.metric:21: ");
    FAILS(evaluate(METRIC("bad", "1); DROP TABLE m; --", "")), FAIL_INPUT, "test.metric:21: ");
    FAILS(evaluate(METRIC("bad", "(SELECT load_extension('x'))", "")), FAIL_INPUT,
          "test.metric:21: not authorized");
    FAILS(evaluate(METRIC("time_ns", "1", "")), FAIL_INPUT, "is taken by the");
    FAILS(evaluate(
              "counter c_odd\n    from x\n    set one\n    over most\n    unit u\n    means m\n"),
          FAIL_INPUT, "over 'most'; expected sum or longest");
    assert_string_equal(read_text("r/metrics.csv"), before); /* none of them wrote anything */
    FAILS(evaluate("fact new_fact\n    unit u\n    means m\n"), FAIL_INPUT,
          "no fact is called 'new_fact'");
    unlink(place("data/metrics/facts.metric"));
    OWNED_BY(run_close) struct run run;
    assert_int_equal(run_open(&run, place("r")), 0);
    write_text("data/metrics/test.metric", counters);
    FAILS(evaluate_run(&run), FAIL_INPUT, "has no record");
}

LADDER_TEST(what_cannot_be_is_left_empty)
{
    SUCCEEDS(evaluate(METRIC("share_pct", "c_longest", "    least 0\n    most 100\n")
                          METRIC("negative", "0 - c_longest", "    least 0\n")
                              METRIC("after_it", "share_pct + 1", "")),
             "f/02_b, size 64: share_pct = 150; impossible: 0 <= share_pct <= 100 must hold. Its "
             "definition keeps it within these bounds. Left empty: share_pct");
    metrics_are(A, "share_pct=3 negative=");
    metrics_are(B2, "share_pct= after_it=");
    metrics_are(B2, "c_longest=150"); /* measured values are unchanged */
#define IMPOSSIBLE(point, column) cell("r/impossible.csv", point, column)
    assert_string_equal(IMPOSSIBLE(B2 ",0,bound,share_pct", "holds"), "0 <= share_pct <= 100");
    assert_string_equal(IMPOSSIBLE(B2 ",0,bound,share_pct", "numbers"), "share_pct = 150");
    assert_string_equal(IMPOSSIBLE(B2 ",0,bound,share_pct", "empties"), "share_pct");
    assert_string_equal(IMPOSSIBLE(B2 ",0,follows,after_it", "because"), "It needs share_pct.");
    assert_string_equal(IMPOSSIBLE(A ",0,bound,share_pct", "holds"), "(no row)");
    assert_string_equal(IMPOSSIBLE(A ",0,bound,negative", "numbers"), "negative = -3");
}

#define CHECK(name, holds, empties)                                                                \
    "check " name "\n    holds   " holds "\n    because It is so.\n    empties " empties "\n"

/* A value emptied by a check is empty before anything is computed from it, also in the rungs that
 * are compared with it. */
LADDER_TEST(what_contradicts_itself_is_left_empty)
{
    SUCCEEDS(evaluate(METRIC("twice", "2 * c_sum", "") METRIC("gain", "prev_twice + twice", "")
                          METRIC("other", "c_longest + 1", "")
                              METRIC("without", "coalesce(c_sum, 7)", "")
                                  CHECK("parts", "c_sum > 4 * c_longest OR c_sum = 0", "c_sum")),
             "f/01_a, size 64: c_sum = 7; c_longest = 3; impossible: c_sum > 4 * c_longest OR "
             "c_sum = 0 must hold. It is so. Left empty: c_sum");
    metrics_are(A, "c_sum= twice= other=4 without=7");
    metrics_are(B2, "twice=0 gain=");
    assert_string_equal(IMPOSSIBLE(A ",0,check,parts", "because"), "It is so.");
    assert_string_equal(IMPOSSIBLE(A ",0,follows,twice", "because"), "It needs c_sum.");
    assert_string_equal(IMPOSSIBLE(B2 ",0,follows,gain", "because"), "It needs prev_twice.");
    assert_string_equal(IMPOSSIBLE(A ",0,follows,without", "because"),
                        "(no row)"); /* it does not need the value */
    assert_string_equal(IMPOSSIBLE(A ",0,follows,other", "because"), "(no row)");
    SUCCEEDS(evaluate(CHECK("unknown", "c_sum < c_absent", "c_sum")),
             ""); /* unmeasured values are not judged */
    assert_string_equal(IMPOSSIBLE(A, "kind"), "(no row)");
}

/* A bound may be another column, which is computed first; emptied values are counted. */
LADDER_TEST(bounds_are_expressions)
{
    struct run run;
    SUCCEEDS(evaluate(METRIC("rate", "c_longest",
                             "    most    peak\n    because The bus carries no more.\n")
                          METRIC("peak", "100", "")),
             "rate = 150; peak = 100; impossible: rate <= peak must hold");
    metrics_are(B2, "rate=");
    metrics_are(A, "rate=3");
    SUCCEEDS(evaluate(METRIC("rate", "c_longest", "    most    149.99\n")), ""); /* rounding */
    assert_int_equal(run_open(&run, place("r")), 0);
    write_text("data/metrics/more.metric", METRIC("rate_2", "c_longest", "    most    149\n"));
    SUCCEEDS(evaluate_run(&run), "rate_2 = 150");
    assert_int_equal(run.impossible, 1);
    run_close(&run);
    unlink(place("data/metrics/more.metric"));
}

LADDER_TEST(bad_checks_are_told)
{
    FAILS(evaluate(CHECK("bad", "no_such_thing > 1", "c_sum")), FAIL_INPUT,
          "test.metric:20: no such column: no_such_thing");
    FAILS(evaluate(CHECK("bad", "c_sum > 1", "no_such_thing")), FAIL_INPUT,
          "test.metric:22: no such column: no_such_thing");
    FAILS(evaluate(CHECK("bad", "1); DROP TABLE m; --", "c_sum")), FAIL_INPUT, "test.metric:20: ");
    FAILS(evaluate(METRIC("twice", "2 * c_sum", "") CHECK("circle", "twice > 1", "c_sum")),
          FAIL_INPUT, "of 'twice' depends on itself");
    FAILS(evaluate(METRIC("twice", "2 * c_sum", "    most    c_longest\n")), FAIL_INPUT,
          "most 'c_longest'; expected a number, or the reason in 'because'");
    FAILS(evaluate(METRIC("twice", "2 * c_sum", "    most    no_bound\n    because It is so.\n")),
          FAIL_INPUT, "no such column: no_bound");
}

LADDER_TEST(an_unknown_device_is_told)
{
    write_text("r/run.txt",
               "whyfast run 1\nstatus: complete\ndate: x\ndevice_compute_capability: 99.9\n");
    SUCCEEDS(evaluate(METRIC("of_device", "dram_data_rate / 4", "")),
             "no record under metrics/devices/ describes compute capability 99.9");
    metrics_are(A, "of_device= time_ns=100");
}

/* If the driver did not tell a fact of the device, the values computed from it are absent, and the
 * others are there. */
LADDER_TEST(an_absent_fact_of_the_device_is_absent)
{
    write_text("r/run.txt", "whyfast run 1\nstatus: complete\ndate: x\ndevice_compute_capability: "
                            "9.0\ndevice_sm_count: 10\n"
                            "device_sm_clock_khz: absent: the driver does not report it\n");
    SUCCEEDS(evaluate(METRIC("clock", "device_sm_clock_khz * 2", "")
                          METRIC("multiprocessors", "device_sm_count * 2", "")),
             "");
    metrics_are(A, "clock= multiprocessors=20");
}

LADDER_TEST(a_missing_table_is_told)
{
    unlink(place("r/counters.csv"));
    unlink(place("r/metrics.csv"));
    FAILS(evaluate(""), FAIL_INPUT, "r/counters.csv: is missing; every run must have it");
    assert_false(exists("r/metrics.csv"));
    assert_false(exists("r/*.tmp"));
}

LADDER_TEST(damaged_rows_are_refused)
{
    write_table("r", TABLE_COUNTERS, A ",0,1,one,1,c_sum,x,3,ok\n" A ",0,1,one,1,c_sum,x,4,ok\n");
    FAILS(evaluate(""), FAIL_INPUT,
          "counters.csv: f/01_a, size 64: the counter 'c_sum' of launch 0 and repeat 1 is there "
          "twice");
    write_table("r", TABLE_SAMPLES, A ",cold,end_to_end,a,99999999999999999999,60,1000,ok\n");
    FAILS(evaluate(""), FAIL_INPUT, "expected less than 1048576");
}

RUN_TESTS(fixture_open, fixture_close)
