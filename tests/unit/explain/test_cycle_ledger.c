#include "ledger_run.h"

#define TERM(column, variant, term)                                                                \
    first("SELECT %s FROM ledger WHERE variant = '%s' AND term = '%s'", column, variant, term)
#define CYCLES(term) TERM("cycles", "01_a", term)

/* Asserts that all terms but `elapsed` sum to it, at every point. */
static void parts_sum_to_elapsed(void)
{
    assert_string_equal(first("SELECT count(*) FROM (SELECT variant FROM ledger GROUP BY variant "
                              "HAVING abs(sum(CASE part WHEN 'elapsed' THEN -cycles ELSE "
                              "cycles END)) > 1e-6 OR count(cycles) < count(*))"),
                        "0");
    assert_string_equal(first("SELECT count(*) FROM ledger WHERE part NOT IN ('issued', 'stalled', "
                              "'empty', 'residual', 'elapsed')"),
                        "0");
}

/* Opens the ledger by the project's records; the caller closes it. */
static void make_ledger(void)
{
    use_project_records();
    SUCCEEDS(ledger_open(), "");
    parts_sum_to_elapsed();
}

TEST(every_cycle_has_its_place)
{
    WRITE_RUN({"01_a", ""});
    make_ledger();
    is_near(first("SELECT sum(cycles) FROM ledger WHERE part = 'issued'"), 40000);
    is_near(first("SELECT sum(cycles) FROM ledger WHERE part = 'stalled'"), 50000);
    is_near(CYCLES("imbalance"), 5000);
    is_near(CYCLES("launch"), 4000);
    is_near(CYCLES("residual"), 1000);
    is_near(CYCLES("elapsed"), 100000);
    assert_string_equal(TERM("status", "01_a", "elapsed"), "closed");
    assert_string_equal(TERM("status", "01_a", "residual"), "closed");
    is_near(TERM("share_pct", "01_a", "imbalance"), 5);
    ledger_close();
}

TEST(cycles_become_time_by_the_clock)
{
    WRITE_RUN({"01_a", "sm_clock_mhz=2000"});
    make_ledger();
    is_near(CYCLES("elapsed"), 200000);
    is_near(TERM("ns", "01_a", "elapsed"), 100000);
    is_near(TERM("ns", "01_a", "imbalance"), 2500);
    is_near(TERM("ns", "01_a", "launch"), 4000); /* which is measured in time */
    ledger_close();
}

/* ---- issued ---------------------------------------------------------------------------------- */

TEST(instructions_by_opcode)
{
    WRITE_RUN({"01_a", ""});
    write_lines();
    make_ledger();
    is_near(CYCLES("work"), 10000); /* all of the FFMA */
    is_near(CYCLES("arithmetic"), 0);
    is_near(CYCLES("overhead"),
            15000); /* IADD3, HFMA2.MMA, which moves a constant, and an unknown opcode */
    is_near(CYCLES("shared"), 5000);
    is_near(CYCLES("global"), 5000); /* after a predicate, with modifiers */
    is_near(CYCLES("barrier"), 2500);
    is_near(CYCLES("exchange"), 2500);
    assert_string_equal(CYCLES("rest"), "(absent)");
    assert_string_equal(
        first("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = 'issued'"),
        "by instruction");
    ledger_close();
}

/* The useful share of the tensor instructions is useful work. 400000 of them take 10000 cycles of a
 * scheduler. */
TEST(tensor_instructions_do_useful_work)
{
    WRITE_RUN({"01_a", "tensor_operations=51200000 tensor_instructions=400000 fp32_fma=0"});
    make_ledger();
    is_near(CYCLES("work"), 5000); /* half of the operations are padding */
    is_near(CYCLES("tensor"), 5000);
    is_near(CYCLES("arithmetic"), 0);
    ledger_close();
    WRITE_RUN({"01_a", "tensor_operations=12800000 tensor_instructions=400000"});
    make_ledger();
    is_near(CYCLES("work"), 15000); /* the CUDA cores do the other half, in 5000 cycles */
    is_near(CYCLES("tensor"), 0);
    is_near(CYCLES("arithmetic"), 5000);
    ledger_close();
    WRITE_RUN({"01_a", "tensor_operations=0 tensor_instructions=400000"});
    make_ledger();
    is_near(CYCLES("work"), 10000); /* instructions of the pipe that multiply no matrices */
    is_near(CYCLES("tensor"), 0);
    ledger_close();
}

/* wgmma reads shared memory, but is no access to it. */
TEST(products_are_no_accesses)
{
    WRITE_RUN({"01_a", "wgmma_instructions=80000 tensor_operations=25600000 "
                       "tensor_instructions=80000"});
    make_ledger();
    is_near(CYCLES("shared"), 3000);
    is_near(CYCLES("work"), 2000);
    ledger_close();
}

TEST(waits_for_tensor_cores_are_a_term)
{
    WRITE_RUN({"01_a", "stall_gmma=5"});
    make_ledger();
    is_near(CYCLES("tensor_wait"), 25000);
    is_near(CYCLES("long_scoreboard"), 15000);
    ledger_close();
}

/* Without a record that covers all instructions. */
TEST(an_opcode_that_no_term_names)
{
    make_data(
        "term shared\n    part issued\n    title S\n    cause c\n    opcodes LDS*\n    means m\n",
        "");
    WRITE_RUN({"01_a", ""});
    write_lines();
    SUCCEEDS(ledger_open(), "");
    parts_sum_to_elapsed();
    is_near(CYCLES("shared"), 5000);
    is_near(CYCLES("issued"), 35000);
    ledger_close();
}

TEST(work_is_taken_from_the_arithmetic_then_from_the_rest)
{
    static const struct {
        const char *words;
        double work, arithmetic, overhead;
    } cases[] = {
        {"useful_operations=12800000", 5000, 5000, 15000},
        {"useful_operations=38400000", 15000, 0, 10000},
        {"useful_operations=256000000", 25000, 0, 0}, /* no more than there is */
        {"useful_operations=0", 0, 10000, 15000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WRITE_RUN({"01_a", cases[i].words});
        write_lines();
        make_ledger();
        is_near(CYCLES("work"), cases[i].work);
        is_near(CYCLES("arithmetic"), cases[i].arithmetic);
        is_near(CYCLES("overhead"), cases[i].overhead);
        ledger_close();
    }
    WRITE_RUN({"01_a", "useful_operations="});
    write_lines();
    make_ledger();
    assert_string_equal(CYCLES("work"), "(absent)"); /* unknown is not zero */
    is_near(CYCLES("arithmetic"), 10000);
    ledger_close();
    WRITE_RUN({"01_a", ""});
    write_lines();
    write_table("r", TABLE_FAMILIES, ""); /* the work of an instruction is unknown */
    make_ledger();
    assert_string_equal(CYCLES("work"), "(absent)");
    ledger_close();
}

TEST(instructions_by_counters)
{
    WRITE_RUN({"01_a", ""}, {"02_b", "useful_operations=51200000"});
    make_ledger();
    is_near(CYCLES("shared"), 5000);
    is_near(CYCLES("global"), 5000);
    is_near(CYCLES("local"), 0);
    is_near(CYCLES("work"), 10000);
    is_near(CYCLES("arithmetic"), 0);
    is_near(CYCLES("rest"), 20000);
    is_near(TERM("cycles", "02_b", "work"), 20000);
    is_near(TERM("cycles", "02_b", "rest"), 10000);
    assert_string_equal(
        first("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = 'issued'"),
        "by counters");
    ledger_close();
}

/* More than one cycle per instruction: only the shares count. */
TEST(instructions_are_scaled_to_the_cycles_issued)
{
    WRITE_RUN({"01_a", "warp_instructions_hw=3200000 useful_operations=0"});
    make_ledger();
    is_near(CYCLES("shared"), 2500);
    is_near(first("SELECT sum(cycles) FROM ledger WHERE part = 'issued'"), 40000);
    ledger_close();
}

/* One of the formulas has no value: the remainder does not go to the others. */
TEST(a_part_of_the_counters_is_not_the_whole)
{
    static const char *const lacking[] = {
        "fp32_mul=", "shared_instructions=", "warp_instructions_hw="};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        WRITE_RUN({"01_a", lacking[i]});
        make_ledger();
        is_near(CYCLES("issued"), 40000);
        assert_string_equal(TERM("status", "01_a", "issued"), "not told apart");
        assert_string_equal(first("SELECT count(*) FROM ledger WHERE part = 'issued'"), "1");
        ledger_close();
    }
}

/* Nearly all instructions must have been counted one by one. */
TEST(a_part_of_the_instructions_is_not_the_whole)
{
    WRITE_RUN({"01_a", "warp_instructions_hw=1680000"});
    write_lines();
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "work"), "by instruction"); /* 95.2 % */
    ledger_close();
    WRITE_RUN({"01_a", "warp_instructions_hw=1700000"});
    write_lines();
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "work"), "by counters"); /* 94.1 % */
    assert_string_equal(CYCLES("barrier"), "(absent)");
    ledger_close();
}

/* ---- stalled --------------------------------------------------------------------------------- */

TEST(waits_by_samples)
{
    WRITE_RUN({"01_a", ""});
    write_lines();
    make_ledger();
    is_near(CYCLES("long_scoreboard"), 50000 * 20 / 60.0);
    is_near(CYCLES("wait"), 50000 * 15 / 60.0);
    is_near(CYCLES("short_scoreboard"), 50000 * 15 / 60.0);
    is_near(CYCLES("mio_throttle"), 50000 * 5 / 60.0);
    is_near(CYCLES("stalled"), 50000 * 5 / 60.0); /* a reason of no term */
    assert_string_equal(
        first("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = 'stalled'"),
        "by producer");
    ledger_close();
}

TEST(waits_by_the_states_of_warps)
{
    WRITE_RUN({"01_a", ""}, {"02_b", "stall_wait="},
              {"03_c", "stall_long_scoreboard=0 stall_short_scoreboard=0 stall_wait=0"});
    make_ledger();
    is_near(CYCLES("long_scoreboard"), 30000);
    is_near(CYCLES("short_scoreboard"), 10000);
    is_near(CYCLES("wait"), 10000);
    is_near(CYCLES("pipe"), 0);
    assert_string_equal(first("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = "
                              "'stalled' AND variant = '01_a'"),
                        "by warp state");
    is_near(TERM("cycles", "02_b", "stalled"), 50000); /* one state is unknown */
    assert_string_equal(TERM("status", "02_b", "stalled"), "not told apart");
    assert_string_equal(TERM("cycles", "02_b", "long_scoreboard"), "(absent)");
    is_near(TERM("cycles", "03_c", "stalled"), 50000); /* no state was seen */
    ledger_close();
}

/* ---- empty cycles, and the residual ---------------------------------------------------------- */

TEST(launches_cost_as_often_as_they_are)
{
    WRITE_RUN({"01_a", "launches=3"});
    make_ledger();
    is_near(CYCLES("launch"), 6000);
    is_near(CYCLES("residual"), -1000);
    is_near(TERM("high_ns - low_ns", "01_a", "launch"), 200 + 2 * 60);
    ledger_close();
}

TEST(the_cost_of_a_launch_that_was_not_measured)
{
    WRITE_RUN({"01_a", ""}, {"02_b", "sm_cycles_active_busiest=99500"}, {"03_c", "launches=2"});
    write_table("r", TABLE_CEILINGS, "launch_ns,One launch,ns,4000,3900,4100,50,1000,ok\n");
    make_ledger();
    is_near(CYCLES("launch"), 4000);
    assert_string_equal(TERM("cycles", "03_c", "launch"),
                        "(absent)"); /* the cost of a second launch was not measured */
    ledger_close();
    write_table("r", TABLE_CEILINGS, "launch_ns,One launch,ns,,,,0,,absent: no GPU\n");
    make_ledger();
    assert_string_equal(CYCLES("launch"), "(absent)");
    is_near(CYCLES("residual"), 5000);
    assert_string_equal(TERM("status", "01_a", "elapsed"), "the cost of a launch was not measured");
    assert_string_equal(TERM("status", "01_a", "residual"),
                        "the cost of a launch was not measured");
    assert_string_equal(TERM("status", "02_b", "elapsed"), "closed"); /* without it */
    ledger_close();
    assert_int_equal(unlink(place("r/ceilings.csv")), 0);
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "elapsed"), "the cost of a launch was not measured");
    ledger_close();
}

TEST(what_is_not_closed_says_by_how_much)
{
    WRITE_RUN({"01_a", "time_ns=101010"}, {"02_b", "time_ns=101020"}, {"03_c", "time_ns=96500"},
              {"04_d", "time_ns=19999 scheduler_cycles_issued=320000 scheduler_cycles_idle=320000 "
                       "sm_cycles_active_busiest=17000"});
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "residual"),
                        "the counted launches took 1.99 % less than the clean ones");
    assert_string_equal(TERM("status", "02_b", "elapsed"),
                        "the counted launches took 2.00 % less than the clean ones");
    assert_string_equal(TERM("status", "03_c", "elapsed"),
                        "the counted launches took 2.59 % more than the clean ones");
    assert_string_equal(TERM("status", "04_d", "residual"),
                        "short: the cost of its launch is not known to within 1 %");
    ledger_close();
}

/* The SMs together did more than the busiest had time for, because they were counted in different
 * launches. */
TEST(imbalance_is_never_below_nothing)
{
    WRITE_RUN({"01_a", "sm_cycles_active_busiest=89000"});
    make_ledger();
    is_near(CYCLES("imbalance"), 0);
    is_near(CYCLES("residual"), 6000);
    ledger_close();
}

/* ---- intervals ------------------------------------------------------------------------------- */

#define HALF(variant, term) TERM("(high_ns - low_ns) / 2", variant, term)

TEST(intervals)
{
    const double share = 20 / 60.0,
                 noise = 0.01; /* of the active cycles; the residual is as large */
    WRITE_RUN({"01_a", "warp_instructions_sass=1616000"},
              {"02_b", "noise_scheduler_cycles_issued=160000 warp_instructions_sass=1616000"},
              {"03_c", "noise_scheduler_cycles_active=180000 noise_sm_cycles_active_busiest=0"});
    write_lines();
    make_ledger();
    is_near(HALF("01_a", "shared"),
            50); /* 1 %, the difference between the two counts of instructions */
    is_near(HALF("02_b", "shared"), 500); /* 10 % between repeats */
    is_near(HALF("01_a", "long_scoreboard"),
            sqrt(pow(50000 * share * noise, 2) +
                 pow(1.96 * sqrt(share * (1 - share) / 60) * 50000, 2)));
    is_near(HALF("02_b", "long_scoreboard"), 300);
    is_near(HALF("03_c", "long_scoreboard"), 1500); /* 5 % between repeats */
    is_near(HALF("01_a", "imbalance"), sqrt(50 * 50 + 300 * 300 + 900 * 900));
    is_near(HALF("01_a", "launch"), 100);
    is_near(HALF("01_a", "elapsed"), 100);
    is_near(HALF("01_a", "residual"), sqrt(100 * 100 + 900 * 900));
    ledger_close();
}

TEST(an_interval_that_is_not_known_is_empty)
{
    WRITE_RUN({"01_a", "noise_scheduler_cycles_issued= warp_instructions_sass="},
              {"02_b", "noise_scheduler_cycles_issued= warp_instructions_sass=1616000"},
              {"03_c", "noise_scheduler_cycles_active= time_low_ns="});
    make_ledger();
    assert_string_equal(TERM("low_ns", "01_a", "shared"), "(absent)");
    assert_string_equal(TERM("high_ns", "01_a", "work"), "(absent)");
    is_near(HALF("02_b", "shared"), 50); /* one of the two is known */
    is_near(HALF("03_c", "wait"), 100);  /* by the residual alone */
    assert_string_equal(TERM("low_ns", "03_c", "elapsed"), "(absent)");
    assert_string_equal(TERM("low_ns", "03_c", "residual"), "(absent)");
    is_near(TERM("ns", "03_c", "elapsed"), 100000);
    ledger_close();
    write_text("r/noise.csv", "family,variant,size,block,sweep\n"); /* no repeats at all */
    make_ledger();
    assert_string_equal(TERM("low_ns", "01_a", "shared"), "(absent)");
    is_near(HALF("01_a", "wait"), 100);
    ledger_close();
}

/* ---- missing ledgers, and refusals ----------------------------------------------------------- */

TEST(only_the_best_of_what_ran_on_the_gpu)
{
    WRITE_RUN({"01_a", ""}, {"02_b", "best=0"}, {"03_c", "scheduler_cycles_issued="},
              {"04_d", "scheduler_cycles_idle="}, {"05_e", "sm_clock_mhz="},
              {"06_f", "sm_cycles_active_busiest="}, {"07_g", "time_ns="}, {"08_h", ""});
    write_variants("r", "f,01_a,1,A,,kernel\nf,02_b,2,B,,kernel\nf,03_c,3,C,,kernel\nf,04_d,4,D,,"
                        "kernel\nf,05_e,5,E,,kernel\nf,06_f,6,F,,kernel\n"
                        "f,07_g,7,G,,library\nf,08_h,8,H,,cpu\n");
    make_ledger();
    assert_string_equal(first("SELECT group_concat(DISTINCT variant) FROM ledger"), "01_a");
    ledger_close();
}

/* A run that was evaluated before these counters existed. */
TEST(an_older_run_has_no_ledger_and_no_failure)
{
    WRITE_RUN({"01_a", ""});
    write_lines();
    write_text("r/metrics.csv", "family,variant,size,block,sweep,best,time_ns,sm_clock_mhz\nf,01_a,"
                                "1024,32,0,1,100000,1000\n");
    write_text("r/noise.csv", "family,variant,size,block,sweep,time_ns\nf,01_a,1024,32,0,10\n");
    make_ledger();
    assert_string_equal(first("SELECT count(*) FROM ledger"), "0");
    ledger_close();
}

TEST(a_formula_is_refused_by_file_and_line)
{
#define BAD_TERM(field)                                                                            \
    "# first\nterm t\n    part issued\n    title T\n    cause c\n    " field "\n    means m\n"
    static const char *const bad[][2] = {
        {BAD_TERM("counted no_such_thing + 1"), "test.metric:6: no such column: no_such_thing"},
        {BAD_TERM("state 1 +"), "test.metric:6: "},
        {BAD_TERM("counted 1) FROM metrics; DROP TABLE ledger_base; SELECT (1"), "test.metric:6: "},
        {BAD_TERM("state load_extension('x')"), "test.metric:6: not authorized"},
        {BAD_TERM("state (SELECT sql FROM sqlite_master) + abs(-9223372036854775807 - 1)"),
         "test.metric:6: integer overflow"}, /* only when it runs */
    };
    WRITE_RUN({"01_a", ""});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        make_data(bad[i][0], "");
        FAILS(ledger_open(), FAIL_INPUT, bad[i][1]);
        ledger_close();
    }
    write_text("r/metrics.csv",
               "family,variant,size,block,sweep,best\n"); /* even if no point needs it */
    make_data(bad[0][0], "");
    FAILS(ledger_open(), FAIL_INPUT, bad[0][1]);
    ledger_close();
}

RUN_TESTS(fixture_open, fixture_close)
