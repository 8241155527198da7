#include "ledger_run.h"

#define TERM(column, variant, term)                                                                \
    ask("SELECT %s FROM ledger WHERE variant = '%s' AND term = '%s'", column, variant, term)

/* Assert that terms of a point have these values, "term=value". */
#define terms_are(column, variant, words)                                                          \
    values_are("SELECT " column " FROM ledger WHERE variant = '" variant "' AND term = '%s'", words)
#define cycles_are(words) terms_are("cycles", "01_a", words)

/* Asserts that all terms but `elapsed` sum to it, at every point. */
static void parts_sum_to_elapsed(void)
{
    row_is("(SELECT variant FROM ledger GROUP BY variant HAVING abs(sum(CASE part WHEN 'elapsed' "
           "THEN -cycles ELSE cycles END)) > 1e-6 OR count(cycles) < count(*))",
           "count(*)=0");
    row_is("ledger WHERE part NOT IN ('issued', 'stalled', 'empty', 'residual', 'elapsed')",
           "count(*)=0");
}

/* Makes the ledger of the run r/ by the project's records. */
static void make_ledger(void)
{
    use_project_records();
    SUCCEEDS(ledger_open(), "");
    parts_sum_to_elapsed();
}

#define LEDGER_OF(...)                                                                             \
    do {                                                                                           \
        WRITE_RUN(__VA_ARGS__);                                                                    \
        make_ledger();                                                                             \
    } while (0)

TEST(every_cycle_has_its_place)
{
    LEDGER_OF({"01_a", ""});
    row_is("ledger WHERE part = 'issued'", "sum(cycles)=40000");
    row_is("ledger WHERE part = 'stalled'", "sum(cycles)=50000");
    cycles_are("imbalance=5000 launch=4000 residual=1000 elapsed=100000");
    terms_are("status", "01_a", "elapsed=closed residual=closed");
    terms_are("share_pct", "01_a", "imbalance=5");
}

TEST(cycles_become_time_by_the_clock)
{
    LEDGER_OF({"01_a", "sm_clock_mhz=2000"});
    cycles_are("elapsed=200000");
    terms_are("ns", "01_a", "elapsed=100000 imbalance=2500");
    terms_are("ns", "01_a", "launch=4000"); /* which is measured in time */
}

/* ---- issued ---------------------------------------------------------------------------------- */

TEST(instructions_by_opcode)
{
    WRITE_RUN({"01_a", ""});
    write_lines();
    make_ledger();
    cycles_are("work=10000"); /* all of the FFMA */
    cycles_are("arithmetic=0 shared=5000 barrier=2500 exchange=2500 rest=");
    /* IADD3, HFMA2.MMA, which moves a constant, and an unknown opcode */
    cycles_are("overhead=15000");
    cycles_are("global=5000"); /* after a predicate, with modifiers */
    finds("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = 'issued'",
          "by instruction");
}

/* The useful share of the tensor instructions is useful work. 400000 of them take 10000 cycles of a
 * scheduler. */
TEST(tensor_instructions_do_useful_work)
{
    LEDGER_OF({"01_a", "tensor_operations=51200000 tensor_instructions=400000 fp32_fma=0"});
    cycles_are("work=5000"); /* half of the operations are padding */
    cycles_are("tensor=5000 arithmetic=0");
    LEDGER_OF({"01_a", "tensor_operations=12800000 tensor_instructions=400000"});
    cycles_are("work=15000"); /* the CUDA cores do the other half, in 5000 cycles */
    cycles_are("tensor=0 arithmetic=5000");
    LEDGER_OF({"01_a", "tensor_operations=0 tensor_instructions=400000"});
    cycles_are("work=10000"); /* instructions of the pipe that multiply no matrices */
    cycles_are("tensor=0");
}

/* wgmma reads shared memory, but is no access to it. */
TEST(products_are_no_accesses)
{
    LEDGER_OF({"01_a", "wgmma_instructions=80000 tensor_operations=25600000 "
                       "tensor_instructions=80000"});
    cycles_are("shared=3000 work=2000");
}

TEST(waits_for_tensor_cores_are_a_term)
{
    LEDGER_OF({"01_a", "stall_gmma=5"});
    cycles_are("tensor_wait=25000 long_scoreboard=15000");
}

/* Without a record that covers all instructions. */
TEST(an_opcode_that_no_term_names)
{
    make_data(
        "term shared\n    part issued\n    title S\n    cause c\n    opcodes LDS*\n    means m\n");
    WRITE_RUN({"01_a", ""});
    write_lines();
    SUCCEEDS(ledger_open(), "");
    parts_sum_to_elapsed();
    cycles_are("shared=5000 issued=35000");
}

TEST(work_is_taken_from_the_arithmetic_then_from_the_rest)
{
    static const struct {
        const char *words, *cycles;
    } cases[] = {
        {"useful_operations=12800000", "work=5000 arithmetic=5000 overhead=15000"},
        {"useful_operations=38400000", "work=15000 arithmetic=0 overhead=10000"},
        /* no more than there is */
        {"useful_operations=256000000", "work=25000 arithmetic=0 overhead=0"},
        {"useful_operations=0", "work=0 arithmetic=10000 overhead=15000"},
        {"useful_operations=", "work= arithmetic=10000"}, /* unknown is not zero */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WRITE_RUN({"01_a", cases[i].words});
        write_lines();
        make_ledger();
        cycles_are(cases[i].cycles);
    }
    WRITE_RUN({"01_a", ""});
    write_lines();
    write_table("r", TABLE_FAMILIES, ""); /* the work of an instruction is unknown */
    make_ledger();
    cycles_are("work=");
}

TEST(instructions_by_counters)
{
    LEDGER_OF({"01_a", ""}, {"02_b", "useful_operations=51200000"});
    cycles_are("shared=5000 global=5000 local=0 work=10000 arithmetic=0 rest=20000");
    terms_are("cycles", "02_b", "work=20000 rest=10000");
    finds("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = 'issued'", "by counters");
}

/* More than one cycle per instruction: only the shares count. */
TEST(instructions_are_scaled_to_the_cycles_issued)
{
    LEDGER_OF({"01_a", "warp_instructions_hw=3200000 useful_operations=0"});
    cycles_are("shared=2500");
    row_is("ledger WHERE part = 'issued'", "sum(cycles)=40000");
}

/* One of the formulas has no value: the remainder does not go to the others. */
TEST(a_part_of_the_counters_is_not_the_whole)
{
    static const char *const lacking[] = {
        "fp32_mul=", "shared_instructions=", "warp_instructions_hw="};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        LEDGER_OF({"01_a", lacking[i]});
        cycles_are("issued=40000");
        assert_string_equal(TERM("status", "01_a", "issued"), "not told apart");
        row_is("ledger WHERE part = 'issued'", "count(*)=1");
    }
}

/* Nearly all instructions must have been counted one by one. */
TEST(a_part_of_the_instructions_is_not_the_whole)
{
    WRITE_RUN({"01_a", "warp_instructions_hw=1680000"});
    write_lines();
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "work"), "by instruction"); /* 95.2 % */
    WRITE_RUN({"01_a", "warp_instructions_hw=1700000"});
    write_lines();
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "work"), "by counters"); /* 94.1 % */
    cycles_are("barrier=");
}

/* ---- stalled --------------------------------------------------------------------------------- */

TEST(waits_by_samples)
{
    WRITE_RUN({"01_a", ""});
    write_lines();
    make_ledger();
    cycles_are("long_scoreboard=16666.6666667 wait=12500 short_scoreboard=12500 "
               "mio_throttle=4166.66666667");
    cycles_are("stalled=4166.66666667"); /* a reason of no term */
    finds("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = 'stalled'", "by producer");
}

TEST(waits_by_the_states_of_warps)
{
    LEDGER_OF({"01_a", ""}, {"02_b", "stall_wait="},
              {"03_c", "stall_long_scoreboard=0 stall_short_scoreboard=0 stall_wait=0"});
    cycles_are("long_scoreboard=30000 short_scoreboard=10000 wait=10000 pipe=0");
    finds("SELECT group_concat(DISTINCT status) FROM ledger WHERE part = "
          "'stalled' AND variant = '01_a'",
          "by warp state");
    terms_are("cycles", "02_b", "stalled=50000"); /* one state is unknown */
    assert_string_equal(TERM("status", "02_b", "stalled"), "not told apart");
    terms_are("cycles", "02_b", "long_scoreboard=");
    terms_are("cycles", "03_c", "stalled=50000"); /* no state was seen */
}

/* ---- empty cycles, and the residual ---------------------------------------------------------- */

TEST(launches_cost_as_often_as_they_are)
{
    LEDGER_OF({"01_a", "launches=3"});
    cycles_are("launch=6000 residual=-1000");
    terms_are("high_ns - low_ns", "01_a", "launch=320");
}

TEST(the_cost_of_a_launch_that_was_not_measured)
{
    WRITE_RUN({"01_a", ""}, {"02_b", "sm_cycles_active_busiest=99500"}, {"03_c", "launches=2"});
    write_table("r", TABLE_CEILINGS, "launch_ns,One launch,ns,4000,3900,4100,50,1000,ok\n");
    make_ledger();
    cycles_are("launch=4000");
    terms_are("cycles", "03_c", "launch="); /* the cost of a second launch was not measured */
    write_table("r", TABLE_CEILINGS, "launch_ns,One launch,ns,,,,0,,absent: no GPU\n");
    make_ledger();
    cycles_are("launch= residual=5000");
    finds("SELECT group_concat(status, ', ') FROM ledger WHERE variant = '01_a' AND term IN "
          "('elapsed', 'residual')",
          "the cost of a launch was not measured, the cost of a launch was not measured");
    terms_are("status", "02_b", "elapsed=closed"); /* without it */
    assert_int_equal(unlink(place("r/ceilings.csv")), 0);
    make_ledger();
    assert_string_equal(TERM("status", "01_a", "elapsed"), "the cost of a launch was not measured");
}

TEST(what_is_not_closed_says_by_how_much)
{
    LEDGER_OF({"01_a", "time_ns=101010"}, {"02_b", "time_ns=101020"}, {"03_c", "time_ns=96500"},
              {"04_d", "time_ns=19999 scheduler_cycles_issued=320000 scheduler_cycles_idle=320000 "
                       "sm_cycles_active_busiest=17000"});
    assert_string_equal(TERM("status", "01_a", "residual"),
                        "the counted launches took 1.99 % less than the clean ones");
    assert_string_equal(TERM("status", "02_b", "elapsed"),
                        "the counted launches took 2.00 % less than the clean ones");
    assert_string_equal(TERM("status", "03_c", "elapsed"),
                        "the counted launches took 2.59 % more than the clean ones");
    assert_string_equal(TERM("status", "04_d", "residual"),
                        "short: the cost of its launch is not known to within 1 %");
}

/* The SMs together did more than the busiest had time for, because they were counted in different
 * launches. */
TEST(imbalance_is_never_below_nothing)
{
    LEDGER_OF({"01_a", "sm_cycles_active_busiest=89000"});
    cycles_are("imbalance=0 residual=6000");
}

/* ---- intervals ------------------------------------------------------------------------------- */

#define HALF(variant, term) TERM("(high_ns - low_ns) / 2", variant, term)
#define halves_are(variant, words) terms_are("(high_ns - low_ns) / 2", variant, words)

TEST(intervals)
{
    const double share = 20 / 60.0,
                 noise = 0.01; /* of the active cycles; the residual is as large */
    WRITE_RUN({"01_a", "warp_instructions_sass=1616000"},
              {"02_b", "noise_scheduler_cycles_issued=160000 warp_instructions_sass=1616000"},
              {"03_c", "noise_scheduler_cycles_active=180000 noise_sm_cycles_active_busiest=0"});
    write_lines();
    make_ledger();
    /* 1 %, the difference between the two counts of instructions */
    halves_are("01_a", "shared=50");
    halves_are("02_b", "shared=500"); /* 10 % between repeats */
    is_near(HALF("01_a", "long_scoreboard"),
            sqrt(pow(50000 * share * noise, 2) +
                 pow(1.96 * sqrt(share * (1 - share) / 60) * 50000, 2)));
    halves_are("02_b", "long_scoreboard=300");
    halves_are("03_c", "long_scoreboard=1500"); /* 5 % between repeats */
    is_near(HALF("01_a", "imbalance"), sqrt(50 * 50 + 300 * 300 + 900 * 900));
    halves_are("01_a", "launch=100 elapsed=100");
    is_near(HALF("01_a", "residual"), sqrt(100 * 100 + 900 * 900));
}

TEST(an_interval_that_is_not_known_is_empty)
{
    LEDGER_OF({"01_a", "noise_scheduler_cycles_issued= warp_instructions_sass="},
              {"02_b", "noise_scheduler_cycles_issued= warp_instructions_sass=1616000"},
              {"03_c", "noise_scheduler_cycles_active= time_low_ns="});
    terms_are("low_ns", "01_a", "shared=");
    terms_are("high_ns", "01_a", "work=");
    halves_are("02_b", "shared=50"); /* one of the two is known */
    halves_are("03_c", "wait=100");  /* by the residual alone */
    terms_are("low_ns", "03_c", "elapsed= residual=");
    terms_are("ns", "03_c", "elapsed=100000");
    write_metrics("r/noise.csv", "family,variant,size,block,sweep\n"); /* no repeats at all */
    make_ledger();
    terms_are("low_ns", "01_a", "shared=");
    halves_are("01_a", "wait=100");
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
    finds("SELECT group_concat(DISTINCT variant) FROM ledger", "01_a,06_f");
    /* Without the busiest SM the imbalance is not known, and the residual has it. */
    finds("SELECT group_concat(variant) FROM ledger WHERE term = 'imbalance'", "01_a");
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
        make_data(bad[i][0]);
        FAILS(ledger_open(), FAIL_INPUT, bad[i][1]);
    }
    write_metrics("r/metrics.csv",
                  "family,variant,size,block,sweep,best\n"); /* even if no point needs it */
    make_data(bad[0][0]);
    FAILS(ledger_open(), FAIL_INPUT, bad[0][1]);
}

RUN_TESTS(fixture_open, asked_close)
