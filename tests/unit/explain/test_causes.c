#include "causes_run.h"

/* ---- features -------------------------------------------------------------------------------- */

static int read_point(const char *variant, struct time_point *point)
{
    const char *const name[] = {"family", "variant", "size", "block", "sweep", "device"};
    const char *const value[] = {"f", variant, "1024", "32", "0", "0"};
    const struct scope scope = {NULL, 6, name, value};
    return causes_point(&ledger_query, &ledger_records, &scope, point);
}

static void features_are_read(void **state)
{
    struct time_point point;
    (void)state;
    WRITE_RUN({"01_a", ""});
    make_levels();
    make_features_table();
    add_features("01_a", 32, "issue/work=100 uneven/last_wave=1.5 time_ns/=160");
    add_features("01_a", 64, "issue/work=200");
    add_features("02_b", 32, "issue/work=300");
    SUCCEEDS(read_point("01_a", &point), "");
    assert_int_equal(point.count, 2);
    assert_int_equal(point.feature[0].input, FEATURE_ISSUE);
    assert_string_equal(point.feature[0].cause, "work");
    assert_true(point.feature[0].value == 100 && point.feature[1].value == 1.5);
    assert_int_equal(point.feature[1].input, FEATURE_UNEVEN);
    assert_true(point.time_ns == 160);
    SUCCEEDS(read_point("03_c", &point), "");
    assert_int_equal(point.count, 0);
    ledger_close();
}

static void unknown_features_are_refused(void **state)
{
    struct time_point point;
    (void)state;
    WRITE_RUN({"01_a", ""});
    make_levels();
    make_features_table();
    add_features("01_a", 32, "weather/work=100");
    FAILS(read_point("01_a", &point), FAIL_INPUT,
          "features.csv: 'weather' of 'work' is unknown; 'whyfast evaluate RUN' recomputes it");
    add_features("02_b", 32, "issue/rain=100");
    FAILS(read_point("02_b", &point), FAIL_INPUT, "features.csv: 'issue' of 'rain' is unknown");
    assert_int_equal(query_write(&ledger_query, "INSERT INTO features VALUES('f', '03_c', '1024', "
                                                "32, 0, 0, 'issue', NULL, 1)"),
                     0);
    FAILS(read_point("03_c", &point), FAIL_INPUT, "features.csv: 'issue' of '' is unknown");
    for (int i = 0; i < TIME_FEATURES - 5; i++) add_features("04_d", 32, "issue/work=1");
    SUCCEEDS(read_point("04_d", &point), ""); /* there is room for those that are fitted */
    add_features("04_d", 32, "issue/work=1");
    FAILS(read_point("04_d", &point), FAIL_INPUT,
          "features.csv: more than 75 features of one point");
    ledger_close();
}

/* ---- causes ---------------------------------------------------------------------------------- */

static void features_become_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    make_causes("faster");
    is_near(CAUSE("saved_ns", "latency"), 30000);
    is_near(CAUSE("share_pct", "latency"), 75);
    is_near(CAUSE("low_ns", "latency"), 30000 - usual_half());
    is_near(CAUSE("high_ns", "latency"), 30000 + usual_half());
    is_near(CAUSE("saved_ns", "instructions"), 10000);
    is_near(CAUSE("share_pct", "instructions"), 25);
    assert_string_equal(CAUSE("status", "latency"), "resolved");
    assert_string_equal(CAUSE("status", "interaction"), "model");
    assert_string_equal(CAUSE("status", "residual"), "model");
    assert_true(fabs(strtod(CAUSE("saved_ns", "interaction"), NULL)) < 1e-6);
    assert_true(fabs(strtod(CAUSE("saved_ns", "residual"), NULL)) < 1e-6);
    assert_string_equal(CAUSE("detail", "interaction"), "(absent)");
    assert_string_equal(first("SELECT count(*) FROM causes"), "4");
    assert_string_equal(first("SELECT DISTINCT after || ' ' || size || ' ' || block || ' ' || "
                              "sweep || ' ' || device FROM causes"),
                        "01_a 1024 32 0 0");
    assert_string_equal(first("SELECT count(*) FROM causes WHERE family <> 'f' OR variant <> "
                              "'02_b'"),
                        "0");
    ledger_close();
}

static void details_are_apart(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=40000 issue/overhead=30000 fixed/dependencies=30000",
                "issue/work=20000 issue/overhead=32000 fixed/dependencies=8000");
    make_causes("faster");
    is_near(CAUSE("saved_ns", "instructions"), 40000);
    is_near(DETAIL("saved_ns", "work"), 20000);
    is_near(DETAIL("share_pct", "work"), 50);
    is_near(DETAIL("saved_ns", "overhead"), -2000);
    is_near(DETAIL("saved_ns", "dependencies"), 22000);
    assert_string_equal(first("SELECT group_concat(DISTINCT cause || ' ' || after || ' ' || block)"
                              " FROM details"),
                        "instructions 01_a 32");
    assert_string_equal(DETAIL("cause", "latency"), "(absent)");
    assert_string_equal(CAUSE("cause", "dependencies"), "(absent)"); /* it is no cause by itself */
    ledger_close();
}

/* A cause whose details cancel out has no row, nor have they. */
static void details_have_a_cause(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=40000 issue/overhead=20000 long/global_latency=40000",
                "issue/work=30000 issue/overhead=30000 long/global_latency=0");
    make_causes("faster");
    is_near(CAUSE("saved_ns", "latency"), 40000);
    assert_string_equal(CAUSE("cause", "instructions"), "(absent)");
    assert_string_equal(first("SELECT group_concat(detail) FROM details"), "global_latency");
    ledger_close();
}

/* The one that makes up at least half of what the details move, in the direction of the whole. */
static void a_detail_may_lead(void **state)
{
    static const struct {
        const char *before, *after, *detail;
    } cases[] = {
        {"issue/work=40000 issue/overhead=60000", "issue/work=40000 issue/overhead=20000",
         "overhead"},
        {"issue/work=50000 issue/overhead=50000", "issue/work=30000 issue/overhead=30000",
         "work"}, /* exactly half: the first */
        {"issue/work=40000 issue/overhead=40000 issue/arithmetic=20000",
         "issue/work=25000 issue/overhead=25000 issue/arithmetic=10000", "(absent)"},
        {"issue/work=10000 issue/overhead=90000", "issue/work=50000 issue/overhead=10000",
         "overhead"}, /* 80000 of 120000 */
        {"issue/work=30000 issue/overhead=40000 issue/arithmetic=30000",
         "issue/work=55000 issue/overhead=5000 issue/arithmetic=0", "(absent)"}, /* 35 of 90 */
        {"issue/instructions=60000 issue/overhead=40000",
         "issue/instructions=40000 issue/overhead=20000", "overhead"}, /* half is the cause's own */
        {"issue/instructions=60000 issue/overhead=40000",
         "issue/instructions=30000 issue/overhead=30000", "(absent)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
        open_points(cases[i].before, cases[i].after);
        make_causes("faster");
        is_near(CAUSE("saved_ns", "instructions"), 40000);
        assert_string_equal(CAUSE("detail", "instructions"), cases[i].detail);
        ledger_close();
    }
}

static void small_causes_are_unresolved(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL "launch_ns/launches=0 short/shared_waits=0 long/barriers=0",
                "issue/work=40000 issue/overhead=10000 long/global_latency=8300 "
                "short/shared_waits=800 long/barriers=900");
    make_causes("faster");
    assert_string_equal(CAUSE("status", "shared_memory"), "unresolved"); /* below 808 */
    assert_string_equal(CAUSE("status", "barriers"), "resolved");
    is_near(CAUSE("saved_ns", "barriers"), -900);
    assert_string_equal(CAUSE("line_before", "barriers"), "kernels/f/01_a.cu:7");
    assert_string_equal(CAUSE("line_after", "barriers"), "(absent)");
    assert_string_equal(CAUSE("status", "launches"), "(absent)"); /* saves nothing: no row */
    ledger_close();
    is_near("13", causes_half_ns(1100, 4, 1300, 3)); /* with 1 % of 1200 */
    is_near("1", causes_half_ns(50, 0, 150, 0));
    assert_true(isnan(causes_half_ns(50, NAN, 150, 0)));
}

/* An unknown noise resolves nothing. */
static void noise_must_be_known(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "time_low_ns="}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    make_causes("faster");
    assert_string_equal(CAUSE("status", "latency"), "unresolved");
    assert_string_equal(CAUSE("low_ns", "latency"), "(absent)");
    is_near(CAUSE("saved_ns", "latency"), 30000);
    ledger_close();
}

/* Causes may offset each other entirely. */
static void no_change_has_no_shares(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", ""});
    open_points(USUAL, "issue/work=40000 issue/overhead=30000 long/global_latency=30000");
    make_causes("no evidence");
    is_near(CAUSE("saved_ns", "latency"), 10000);
    is_near(CAUSE("saved_ns", "instructions"), -10000);
    assert_string_equal(CAUSE("share_pct", "latency"), "(absent)");
    assert_string_equal(DETAIL("share_pct", "overhead"), "(absent)");
    assert_string_equal(CAUSE("status", "latency"), "no evidence");
    ledger_close();
}

/* As of a damaged file. */
static void features_that_make_no_time(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY "ghz/clock=0");
    make_causes("faster");
    assert_string_equal(first("SELECT count(*) FROM causes"), "0");
    assert_string_equal(headline("02_b"),
                        "1.67× faster; the counters that would explain it are missing.");
    ledger_close();
}

/* ---- witnesses ------------------------------------------------------------------------------- */

static void witnesses_of_causes_and_details(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    set_metric("01_a", "global_wait_cycles", 9);
    set_metric("02_b", "global_wait_cycles", 4.5);
    set_metric("01_a", "warp_instructions", 1000);
    set_metric("02_b", "warp_instructions", 900);
    make_causes("faster");
    assert_string_equal(CAUSE("detail", "latency"), "global_latency");
    assert_string_equal(CAUSE("witness", "latency"), "global_wait_cycles");
    is_near(CAUSE("witness_before", "latency"), 9);
    is_near(CAUSE("witness_after", "latency"), 4.5);
    assert_string_equal(CAUSE("witness", "instructions"), "warp_instructions");
    is_near(CAUSE("witness_after", "instructions"), 900);
    assert_string_equal(CAUSE("status", "latency"), "resolved");
    assert_string_equal(CAUSE("status", "instructions"), "resolved");
    assert_string_equal(CAUSE("witness", "residual"), "(absent)");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("warps/residency=1 long/global_latency=100000",
                "warps/residency=2 long/global_latency=120000");
    set_metric("01_a", "global_wait_cycles", 5);
    set_metric("02_b", "global_wait_cycles", 6);
    set_metric("01_a", "achieved_occupancy_pct", 25);
    set_metric("02_b", "achieved_occupancy_pct", 50);
    make_causes("faster"); /* as many warps of two as of one: twice the waits, less a sixth more */
    assert_string_equal(CAUSE("detail", "latency"), "residency");
    assert_string_equal(CAUSE("witness", "latency"), "achieved_occupancy_pct");
    is_near(CAUSE("witness_after", "latency"), 50);
    assert_string_equal(CAUSE("status", "latency"), "resolved");
    ledger_close();
}

static void a_witness_must_move(void **state)
{
    static const char still[] = "its witness stood still",
                      other[] = "its witness moved the other way";
    static const struct {
        double was, is;
        const char *status;
    } cases[] = {
        {1000, 900, "resolved"}, {1000, 994, "resolved"}, {1000, 996, still}, /* by less than 0.5 %
                                                                               */
        {1000, 1000, still},     {1000, 1100, other},     {0, 0, still},      {0, 5, other},
        {5, 0, "resolved"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
        open_points(USUAL, FASTER_BY);
        set_metric("01_a", "warp_instructions", cases[i].was);
        set_metric("02_b", "warp_instructions", cases[i].is);
        make_causes("faster");
        assert_string_equal(CAUSE("status", "instructions"), cases[i].status);
        assert_string_equal(CAUSE("status", "latency"), "resolved"); /* without a witness */
        ledger_close();
    }
}

/* A clock costs time if it is lower; and a slower step has causes that cost. */
static void a_witness_moves_the_right_way(void **state)
{
    static const struct {
        double was, is;
        const char *status;
    } clocks[] = {{1000, 1250, "resolved"}, {1000, 800, "its witness moved the other way"}},
      slower[] = {{900, 1000, "resolved"}, {1000, 900, "its witness moved the other way"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=80000"});
        open_points("issue/work=100000 ghz/clock=1", "issue/work=100000 ghz/clock=1.25");
        set_metric("01_a", "sm_clock_mhz", clocks[i].was);
        set_metric("02_b", "sm_clock_mhz", clocks[i].is);
        make_causes("faster");
        is_near(CAUSE("saved_ns", "clock"), 20000);
        assert_string_equal(CAUSE("status", "clock"), clocks[i].status);
        ledger_close();
        WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
        open_points(FASTER_BY, USUAL);
        set_metric("01_a", "warp_instructions", slower[i].was);
        set_metric("02_b", "warp_instructions", slower[i].is);
        make_causes("slower");
        is_near(CAUSE("saved_ns", "instructions"), -10000);
        is_near(CAUSE("share_pct", "instructions"), 25);
        assert_string_equal(CAUSE("status", "instructions"), slower[i].status);
        ledger_close();
    }
}

/* Neither unresolved causes nor those without evidence have another status by their witness. */
static void only_resolved_causes_need_a_witness(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, "issue/work=40000 issue/overhead=19500 long/global_latency=500");
    set_metric("01_a", "warp_instructions", 1000);
    set_metric("02_b", "warp_instructions", 1000);
    make_causes("faster");
    assert_string_equal(CAUSE("status", "instructions"), "unresolved");
    is_near(CAUSE("witness_after", "instructions"), 1000);
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    set_metric("01_a", "warp_instructions", 1000);
    set_metric("02_b", "warp_instructions", 1000);
    make_causes("no evidence");
    assert_string_equal(CAUSE("status", "instructions"), "no evidence");
    ledger_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_read),
        cmocka_unit_test(unknown_features_are_refused),
        cmocka_unit_test(features_become_causes),
        cmocka_unit_test(details_are_apart),
        cmocka_unit_test(details_have_a_cause),
        cmocka_unit_test(a_detail_may_lead),
        cmocka_unit_test(small_causes_are_unresolved),
        cmocka_unit_test(noise_must_be_known),
        cmocka_unit_test(no_change_has_no_shares),
        cmocka_unit_test(features_that_make_no_time),
        cmocka_unit_test(witnesses_of_causes_and_details),
        cmocka_unit_test(a_witness_must_move),
        cmocka_unit_test(a_witness_moves_the_right_way),
        cmocka_unit_test(only_resolved_causes_need_a_witness),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
