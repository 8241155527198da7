#include "ledger_run.h"

#include "catalog/point_key.h"

/* Opens the ledger and the levels by the project's records; the caller closes them. */
static int levels_open(void)
{
    const int result = ledger_open();
    return result ? result : causes_levels(&ledger_query, &ledger_records);
}

#define LEVEL(column, variant, cause)                                                              \
    first("SELECT sum(%s) FROM ledger_cause WHERE variant = '%s' AND cause = '%s'", column,        \
          variant, cause)
#define CYCLES(cause) LEVEL("cycles", "01_a", cause)

static void make_levels(void)
{
    use_project_records();
    SUCCEEDS(levels_open(), "");
    /* Asserts that the levels of every point sum to the elapsed cycles. */
    assert_string_equal(first("SELECT count(*) FROM ledger l JOIN (SELECT variant, sum(cycles) AS "
                              "cycles FROM ledger_cause GROUP BY "
                              "variant) c USING (variant)"
                              " WHERE l.term = 'elapsed' AND abs(l.cycles - c.cycles) <= 1e-6"),
                        first("SELECT count(DISTINCT variant) FROM ledger"));
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void terms_lead_to_their_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""});
    make_levels();
    is_near(CYCLES("work"), 10000);
    is_near(CYCLES("overhead"), 20000);
    is_near(CYCLES("shared_memory"), 5000 + 10000); /* instructions and waiting */
    is_near(CYCLES("global_memory"), 5000 + 30000);
    is_near(first("SELECT cycles FROM ledger_cause WHERE cause = 'global_memory' AND issued"),
            5000);
    is_near(first("SELECT cycles FROM ledger_cause WHERE cause = 'global_memory' AND NOT issued"),
            30000);
    is_near(first("SELECT sum(cycles) FROM ledger_cause WHERE issued"), 40000);
    is_near(CYCLES("imbalance"), 5000);
    is_near(CYCLES("launches"), 4000);
    is_near(CYCLES("residual"), 1000);
    is_near(CYCLES("divergence"), 0);
    is_near(CYCLES("bank_conflicts"), 0);
    ledger_close();
}

/* Of 40000 cycles, 8000 went to inactive lanes and 16000 to predicated-off lanes; the 30000 cycles
 * that are not work give them up in proportion. */
static void idle_lanes_are_taken_from_all_but_the_work(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "warp_execution_efficiency_pct=80 predicated_on_pct=50"});
    make_levels();
    is_near(CYCLES("divergence"), 8000);
    is_near(CYCLES("predication"), 16000);
    is_near(CYCLES("work"), 10000);
    is_near(CYCLES("overhead"), 4000);
    is_near(CYCLES("shared_memory"), 1000 + 10000);
    ledger_close();
}

static void idle_lanes_leave_the_work_alone(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "warp_execution_efficiency_pct=10 predicated_on_pct=50"},
              {"02_b", "warp_execution_efficiency_pct=50 predicated_on_pct=10"},
              {"03_c", "warp_execution_efficiency_pct=100.01 predicated_on_pct=100.01"},
              {"04_d", "warp_execution_efficiency_pct= predicated_on_pct="},
              {"05_e", "warp_execution_efficiency_pct=50 useful_operations=1e12"});
    make_levels();
    is_near(CYCLES("divergence"), 30000);
    is_near(CYCLES("predication"), 0);
    is_near(CYCLES("overhead"), 0);
    is_near(CYCLES("work"), 10000);
    is_near(LEVEL("cycles", "02_b", "divergence"), 20000);
    is_near(LEVEL("cycles", "02_b", "predication"), 10000); /* of 18000 */
    is_near(LEVEL("cycles", "03_c", "divergence"), 0);      /* never below 0 */
    is_near(LEVEL("cycles", "03_c", "predication"), 0);
    is_near(LEVEL("cycles", "04_d", "divergence"), 0); /* unknown counts distinguish nothing */
    is_near(LEVEL("cycles", "05_e", "work"), 30000);   /* all arithmetic and all the rest */
    is_near(LEVEL("cycles", "05_e", "divergence"), 10000);
    ledger_close();
}

static void conflicts_have_their_share_of_the_waiting(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "shared_excess_wavefronts=250"}, {"02_b", "shared_excess_wavefronts=2000"},
              {"03_c", "shared_excess_wavefronts=-5"}, {"04_d", "shared_wavefronts=0"},
              {"05_e", "shared_excess_wavefronts="});
    make_levels();
    is_near(CYCLES("bank_conflicts"), 2500);
    is_near(CYCLES("shared_memory"), 5000 + 7500);
    is_near(LEVEL("cycles", "02_b", "bank_conflicts"), 10000); /* all of it, and no more */
    is_near(LEVEL("cycles", "03_c", "bank_conflicts"), 0);
    is_near(LEVEL("cycles", "04_d", "bank_conflicts"), 0);
    is_near(LEVEL("cycles", "05_e", "bank_conflicts"), 0);
    ledger_close();
}

static void sectors_share_the_waiting_for_global_memory(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "global_excess_sectors=500 local_sectors=1000 local_instructions=40000"},
              {"02_b", "global_excess_sectors=1000 local_sectors=250"},
              {"03_c", "global_excess_sectors=9000 local_sectors=1000"},
              {"04_d", "global_load_sectors=0 local_sectors=0"},
              {"05_e", "global_excess_sectors=500 local_sectors="});
    make_levels();
    is_near(CYCLES("uncoalesced"), 7500);
    is_near(CYCLES("spills"), 1000 + 15000); /* instructions, too */
    is_near(CYCLES("global_memory"), 5000 + 7500);
    is_near(LEVEL("cycles", "02_b", "uncoalesced"), 24000);
    is_near(LEVEL("cycles", "02_b", "spills"), 6000);
    is_near(LEVEL("cycles", "03_c", "uncoalesced"), 30000);
    is_near(LEVEL("cycles", "03_c", "spills"), 0); /* together no more than all */
    is_near(LEVEL("cycles", "04_d", "global_memory"), 35000);
    is_near(LEVEL("cycles", "05_e", "global_memory"), 35000);
    ledger_close();
}

static void what_is_not_told_apart_is_a_cause(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "fp32_add= stall_wait= warp_execution_efficiency_pct=75"});
    make_levels();
    is_near(CYCLES("issued"), 30000);
    is_near(CYCLES("divergence"), 10000);
    is_near(CYCLES("stalled"), 50000);
    ledger_close();
}

static void parts_have_their_part_of_the_interval(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "shared_excess_wavefronts=250 warp_instructions_sass=1616000 "
                       "warp_execution_efficiency_pct=85"},
              {"02_b", "noise_scheduler_cycles_issued= warp_instructions_sass= "
                       "warp_execution_efficiency_pct=85"});
    make_levels();
    is_near(LEVEL("half", "01_a", "bank_conflicts"), 25);
    is_near(LEVEL("half", "01_a", "divergence"),
            60); /* 1 % of 6000: all instructions are equally uncertain */
    is_near(LEVEL("half", "01_a", "overhead"), 160); /* 1 % of the rest of 20000 */
    is_near(first("SELECT (high_ns - low_ns) / 2 FROM levels WHERE variant = '01_a' AND cause = "
                  "'shared_memory'"),
            sqrt(75 * 75 + 40 * 40)); /* waiting and instructions */
    assert_string_equal(LEVEL("half", "02_b", "divergence"), "(absent)");
    assert_string_equal(first("SELECT high_ns FROM levels WHERE variant = '02_b' AND cause = "
                              "'shared_memory'"),
                        "(absent)"); /* including the instructions */
    is_near(LEVEL("half", "02_b", "dependencies"), 100);
    ledger_close();
}

static void a_cause_without_a_record_is_refused(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""});
    make_data("term wait\n    part stalled\n    title W\n    cause weather\n    means m\n", "");
    FAILS(levels_open(), FAIL_INPUT, "test.metric:4: no cause is called 'weather'");
    ledger_close();
}

/* ---- features -------------------------------------------------------------------------------- */

/* Adds features of a point: "input/cause=value ...". */
static void add_features(const char *variant, int block, const char *words)
{
    for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        const int input = (int)strcspn(word, "/"), cause = (int)strcspn(word + input + 1, "=");
        assert_int_equal(query_write(&ledger_query,
                                     "INSERT INTO features VALUES('f', %Q, '1024', %d, 0, 0, "
                                     "'%.*s', '%.*s', %.17g)",
                                     variant, block, input, word, cause, word + input + 1,
                                     strtod(word + input + cause + 2, NULL)),
                         0);
    }
}

static void make_features_table(void)
{
    assert_int_equal(
        query_write(&ledger_query, "CREATE TABLE features(" POINT_KEY ", input, cause, value)"), 0);
}

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
          "features.csv: 'weather' of 'work' is unknown; 'whyfast explain RUN' recomputes it");
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

/* A point of one warp at 1 cycle per ns: 60000 ns of instructions and 40000 of waiting for memory.
 */
#define USUAL "issue/work=40000 issue/overhead=20000 long/global_latency=40000 "
#define FASTER "time_ns=60000 time_low_ns=59940 time_high_ns=60060 "
#define FASTER_BY "issue/work=40000 issue/overhead=10000 long/global_latency=10000 "

/* The interval of a cause of a step from 100000 to 60000 ns. */
static double usual_half(void)
{
    return sqrt(100 * 100 + 60 * 60 + 800 * 800);
}

/* Opens the tables of the run r/, with the features of its points by hand: the time of a point is
 * that of metrics.csv. */
static void open_points(const char *before, const char *after)
{
    use_project_records();
    SUCCEEDS(levels_open(), "");
    make_features_table();
    add_features("01_a", 32, before);
    add_features("02_b", 32, after);
}

/* Makes causes for the steps from 01_a to 02_b, and so on, as explain does: by the ratio of their
 * times, with this evidence. They sum to the changes. */
static void make_causes(const char *evidence)
{
    static const char sql[] = "INSERT INTO features SELECT " POINT_KEY_OF(
        "m.") ", 'time_ns', NULL, m.time_ns FROM "
              "metrics m WHERE EXISTS (SELECT 1 FROM features f WHERE f.variant = m.variant AND "
              "f.block "
              "= m.block);"
              "CREATE TABLE points(" POINT_KEY ", trials, wrong_trials);"
              "CREATE TABLE cause_lines(family, variant, cause, path, line, share_pct);"
              "INSERT INTO cause_lines VALUES('f', '01_a', 'barriers', 'kernels/f/01_a.cu', 7, 80);"
              "CREATE TABLE steps AS SELECT v.family, v.variant, m.size, m.block, m.sweep, "
              "m.device, "
              "v.after, p.time_ns / m.time_ns AS speedup_prev, p.time_low_ns / m.time_high_ns AS "
              "speedup_prev_low, p.time_high_ns / m.time_low_ns AS speedup_prev_high, 0.5 AS "
              "floor_pct, "
              "%Q AS evidence FROM variants v JOIN metrics m USING (family, variant) JOIN metrics "
              "p ON "
              "p.variant = v.after AND p.block = m.block";
    assert_int_equal(query_write(&ledger_query, sql, evidence), 0);
    SUCCEEDS(causes_make(&ledger_query, &ledger_records), "");
    assert_string_equal(first("SELECT count(*) FROM (SELECT abs(sum(c.saved_ns) - (p.time_ns - "
                              "m.time_ns)) AS wrong FROM causes c JOIN metrics m USING (variant, "
                              "block) JOIN metrics p ON p.variant = c.after AND p.block = c.block "
                              "GROUP BY c.variant, c.block) WHERE wrong > 1e-6"),
                        "0");
}

static const char *CAUSE(const char *column, const char *cause)
{
    return first("SELECT %s FROM causes WHERE variant = '02_b' AND cause = '%s'", column, cause);
}

static const char *DETAIL(const char *column, const char *detail)
{
    return first("SELECT %s FROM details WHERE variant = '02_b' AND detail = '%s'", column, detail);
}

static const char *headline(const char *variant)
{
    return first("SELECT headline FROM headlines WHERE variant = '%s'", variant);
}

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

static void set_metric(const char *variant, const char *metric, double value)
{
    assert_int_equal(query_write(&ledger_query, "UPDATE metrics SET %s = %.17g WHERE variant = %Q",
                                 metric, value, variant),
                     0);
}

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

/* ---- headlines ------------------------------------------------------------------------------- */

static void headlines_of_what_is_faster_and_slower(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster: of 40.00 µs saved, 75 % waiting for global memory, 25 % "
                        "address, loop and control instructions.");
    ledger_close();
    WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
    open_points(FASTER_BY, USUAL);
    make_causes("slower");
    assert_string_equal(headline("02_b"),
                        "Slower, 0.60×: of 40.00 µs lost, 75 % waiting for global memory, 25 % "
                        "address, loop and control instructions.");
    ledger_close();
}

/* Of five causes the three largest, if they make a tenth or more. */
static void headlines_name_three_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=60000 long/global_latency=16000 long/barriers=10000 "
                "fixed/fetch=8000 fixed/exchange=6000",
                "issue/work=60000");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster: of 40.00 µs saved, 40 % waiting for global memory, 25 % "
                        "barriers, 20 % fetching instructions.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=60000 long/global_latency=34000 long/barriers=3900 fixed/fetch=2100",
                "issue/work=60000");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster: of 40.00 µs saved, 85 % waiting for global memory.");
    ledger_close();
}

static void headlines_say_what_stood_against_it(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL "long/barriers=0",
                "issue/work=40000 issue/overhead=4000 long/global_latency=0 long/barriers=11000 "
                "fixed/fetch=5000");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster: of 40.00 µs saved, 100 % waiting for global memory, 40 % "
                        "address, loop and control instructions; partly offset by barriers, which "
                        "cost 11.00 µs.");
    ledger_close();
    WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
    open_points("issue/work=40000 long/barriers=20000", "issue/work=90000 long/barriers=10000");
    make_causes("slower");
    assert_string_equal(headline("02_b"),
                        "Slower, 0.60×: of 40.00 µs lost, 125 % useful work; partly offset by "
                        "barriers, which saved 10.00 µs.");
    ledger_close();
}

/* Shares of a change in which causes nearly cancel are not given. */
static void headlines_of_causes_that_cancel(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=96000"});
    open_points(USUAL, "issue/work=40000 issue/overhead=54000 long/global_latency=2000");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "4.2 % faster, 4.000 µs saved: waiting for global memory saved 38.00 µs, "
                        "address, loop and control instructions cost 34.00 µs.");
    ledger_close();
    WRITE_RUN({"01_a", "time_ns=96000"}, {"02_b", ""});
    open_points("issue/work=40000 issue/overhead=54000 long/global_latency=2000", USUAL);
    make_causes("slower");
    assert_string_equal(headline("02_b"),
                        "4.0 % slower, 4.000 µs lost: waiting for global memory cost 38.00 µs, "
                        "address, loop and control instructions saved 34.00 µs.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=40000 long/global_latency=60000", "issue/work=60000"); /* 150 % */
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster: of 40.00 µs saved, 150 % waiting for global memory; partly "
                        "offset by useful work, which cost 20.00 µs.");
    ledger_close();
}

static void headlines_of_small_changes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=98500"});
    open_points("issue/work=60000 long/global_latency=40000",
                "issue/work=60000 long/global_latency=38500");
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.5 % faster: mainly waiting for global memory.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=98500"}); /* two causes, of which none is the main */
    open_points("issue/work=60000 long/global_latency=40000",
                "issue/work=55500 long/global_latency=43000");
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.5 % faster.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99000"});
    open_points("issue/work=60000 long/global_latency=40000",
                "issue/work=60000 long/global_latency=39000");
    make_causes("faster");
    assert_string_equal(CAUSE("status", "latency"), "unresolved"); /* within the model's error */
    assert_string_equal(headline("02_b"), "1.0 % faster.");
    ledger_close();
}

static void headlines_of_what_is_not_explained(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=90000"});
    open_points("issue/work=100000", "issue/work=100000");
    make_causes("faster");
    is_near(CAUSE("saved_ns", "residual"), 10000);
    assert_string_equal(headline("02_b"),
                        "1.11× faster; the model does not explain most of this change.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    set_metric("01_a", "warp_instructions", 1000);
    set_metric("02_b", "warp_instructions", 1000);
    make_causes("faster"); /* neither is a cause named whose witness stood still */
    assert_string_equal(headline("02_b"),
                        "1.67× faster: of 40.00 µs saved, 75 % waiting for global memory.");
    ledger_close();
}

static void headlines_without_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99800 time_low_ns=99600 time_high_ns=100000"});
    open_points("issue/work=100000", "issue/work=99800");
    make_causes("no evidence");
    assert_string_equal(
        headline("02_b"),
        "No evidence of a change: 1.002×, 95 % interval 0.999 to 1.005, noise floor 0.50 %.");
    assert_string_equal(CAUSE("status", "instructions"), "no evidence");
    assert_string_equal(CAUSE("status", "residual"), "model");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    make_causes("not measured");
    assert_string_equal(headline("02_b"), "Not measured.");
    assert_string_equal(CAUSE("status", "latency"), "not measured");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER}, {"03_c", FASTER});
    open_points(USUAL, "");
    add_features("03_c", 32, USUAL);
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster; the counters that would explain it are missing.");
    assert_string_equal(
        headline("03_c"),
        "0.0 % faster; the counters that would explain it are missing."); /* of the previous one */
    assert_string_equal(first("SELECT count(*) FROM causes"), "0");
    assert_string_equal(first("SELECT count(*) FROM details"), "0");
    ledger_close();
}

/* Adds the rows of a file again at block 64, as those of the other variant. */
static void add_other_block(const char *file)
{
    char *rows = strdup(read_text(file));
    struct text text = {0};
    assert_non_null(rows);
    text_append(&text, rows);
    for (const char *row = rows + strcspn(rows, "\n") + 1; *row; row += strcspn(row, "\n") + 1) {
        const char *cells = row + strlen("f,01_a,1024,32,0");
        text_format(&text, "f,%s,1024,64,0%.*s\n", row[3] == '1' ? "02_b" : "01_a",
                    (int)strcspn(cells, "\n"), cells);
    }
    write_text(file, text_string(&text));
    text_free(&text);
    free(rows);
}

static void blocks_have_headlines_of_their_own(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    add_other_block("r/metrics.csv");
    add_other_block("r/noise.csv");
    open_points(USUAL, FASTER_BY);
    add_features("01_a", 64, FASTER_BY);
    add_features("02_b", 64, USUAL);
    make_causes("faster");
    assert_string_equal(first("SELECT count(*) FROM headlines"), "2");
    assert_string_equal(first("SELECT headline FROM headlines WHERE block = 32"),
                        "1.67× faster: of 40.00 µs saved, 75 % waiting for global memory, 25 % "
                        "address, loop and control instructions.");
    is_near(first("SELECT sum(saved_ns) FROM causes WHERE block = 64"), -40000);
    is_near(first("SELECT saved_ns FROM details WHERE block = 64 AND detail = 'global_latency'"),
            -30000);
    ledger_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_lead_to_their_causes),
        cmocka_unit_test(idle_lanes_are_taken_from_all_but_the_work),
        cmocka_unit_test(idle_lanes_leave_the_work_alone),
        cmocka_unit_test(conflicts_have_their_share_of_the_waiting),
        cmocka_unit_test(sectors_share_the_waiting_for_global_memory),
        cmocka_unit_test(what_is_not_told_apart_is_a_cause),
        cmocka_unit_test(parts_have_their_part_of_the_interval),
        cmocka_unit_test(a_cause_without_a_record_is_refused),
        cmocka_unit_test(features_are_read),
        cmocka_unit_test(unknown_features_are_refused),
        cmocka_unit_test(features_become_causes),
        cmocka_unit_test(details_are_apart),
        cmocka_unit_test(a_detail_may_lead),
        cmocka_unit_test(small_causes_are_unresolved),
        cmocka_unit_test(noise_must_be_known),
        cmocka_unit_test(no_change_has_no_shares),
        cmocka_unit_test(features_that_make_no_time),
        cmocka_unit_test(witnesses_of_causes_and_details),
        cmocka_unit_test(a_witness_must_move),
        cmocka_unit_test(a_witness_moves_the_right_way),
        cmocka_unit_test(only_resolved_causes_need_a_witness),
        cmocka_unit_test(headlines_of_what_is_faster_and_slower),
        cmocka_unit_test(headlines_name_three_causes),
        cmocka_unit_test(headlines_say_what_stood_against_it),
        cmocka_unit_test(headlines_of_causes_that_cancel),
        cmocka_unit_test(headlines_of_small_changes),
        cmocka_unit_test(headlines_of_what_is_not_explained),
        cmocka_unit_test(headlines_without_causes),
        cmocka_unit_test(blocks_have_headlines_of_their_own),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
