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
    is_near(first("SELECT cycles FROM ledger_cause WHERE cause = 'global_memory' AND waiting"),
            30000); /* hidden by more warps */
    is_near(first("SELECT cycles FROM ledger_cause WHERE cause = 'dependencies' AND waiting"),
            10000);
    assert_string_equal(first("SELECT count(*) FROM ledger_cause WHERE waiting"), "2");
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
    is_near(LEVEL("half", "01_a", "shared_memory"),
            sqrt(75 * 75 + 40 * 40)); /* waiting and instructions */
    assert_string_equal(LEVEL("half", "02_b", "divergence"), "(absent)");
    assert_string_equal(LEVEL("half", "02_b", "shared_memory"),
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

/* ---- causes and headlines -------------------------------------------------------------------- */

/* Shared by the tests about headlines: 10000 cycles of waiting instead of 50000, none of them for
 * global memory. */
#define LESS_WAITING                                                                               \
    "scheduler_cycles_idle=400000 stall_long_scoreboard=0 stall_short_scoreboard=5 stall_wait=3 "
#define FASTER "time_ns=60000 sm_cycles_active_busiest=55000 " LESS_WAITING

/* Makes the tables of the run r/ with steps from 01_a to 02_b, and so on, as explain does: by the
 * ratio of their times, with this evidence. */
static void make_causes(const char *evidence)
{
    static const char sql[] = "CREATE TABLE points(" POINT_KEY ", trials, wrong_trials);"
                              "CREATE TABLE steps AS SELECT v.family, v.variant, m.size, m.block, "
                              "m.sweep, m.device, v.after, p.time_ns / m.time_ns AS speedup_prev,"
                              " p.time_low_ns / m.time_high_ns AS speedup_prev_low, p.time_high_ns "
                              "/ m.time_low_ns AS speedup_prev_high, 0.5 AS floor_pct, %Q AS"
                              " evidence FROM variants v JOIN metrics m USING (family, variant) "
                              "JOIN metrics p ON p.variant = v.after AND p.block = m.block";
    use_project_records();
    SUCCEEDS(levels_open(), "");
    assert_int_equal(query_write(&ledger_query, sql, evidence), 0);
    SUCCEEDS(causes_make(&ledger_query, &ledger_records), "");
    assert_string_equal(first("SELECT count(*) FROM (SELECT abs(sum(c.saved_ns) - (p.time_ns - "
                              "m.time_ns)) AS wrong FROM causes c JOIN metrics m USING "
                              "(variant, block)"
                              " JOIN metrics p ON p.variant = c.after AND p.block = c.block GROUP "
                              "BY c.variant, c.block) WHERE wrong > 1e-6"),
                        "0");
}

#define SAVED(cause)                                                                               \
    first("SELECT saved_ns FROM causes WHERE variant = '02_b' AND cause = '%s'", cause)
#define STATUS(cause)                                                                              \
    first("SELECT status FROM causes WHERE variant = '02_b' AND cause = '%s'", cause)

static const char *headline(const char *variant)
{
    return first("SELECT headline FROM headlines WHERE variant = '%s'", variant);
}

/* The busiest SM is active for 95000 cycles, then for 55000, the average one for 90000 and 50000:
 * the cycles of the busiest one are what a change is worth. */
#define BUSIEST ((95.0 / 90 + 55.0 / 50) / 2)

static void rows_sum_to_the_change(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    make_causes("faster");
    is_near(SAVED("global_memory"), 30000 * BUSIEST);
    is_near(SAVED("dependencies"), 6250 * BUSIEST);
    is_near(SAVED("shared_memory"), 3750 * BUSIEST);
    is_near(SAVED("imbalance"), (90000 + 50000) / 2 * (95.0 / 90 - 55.0 / 50));
    assert_string_equal(SAVED("clock"), "(absent)"); /* it is the same: no row */
    is_near(first("SELECT share_pct FROM causes WHERE cause = 'global_memory'"), 75 * BUSIEST);
    is_near(first("SELECT before_ns FROM causes WHERE cause = 'dependencies'"), 10000 * BUSIEST);
    is_near(first("SELECT after_ns FROM causes WHERE cause = 'dependencies'"), 3750 * BUSIEST);
    assert_string_equal(STATUS("global_memory"), "resolved");
    assert_string_equal(STATUS("launches"), "unresolved");
    assert_string_equal(STATUS("bank_conflicts"), "(absent)"); /* neither side has any */
    assert_string_equal(
        first("SELECT after || ' ' || size || ' ' || block || ' ' || sweep FROM causes"),
        "01_a 1024 32 0");
    ledger_close();
}

static void residency_is_a_cause(void **state)
{
    (void)state;
    WRITE_RUN(
        {"01_a", ""},
        {"02_b", FASTER
         "stall_long_scoreboard=8 stall_short_scoreboard=1 stall_wait=1 warps_active_pct=55"});
    make_causes("faster");
    const double was = 40000 * BUSIEST, is = was - strtod(SAVED("global_memory"), NULL) -
                                             strtod(SAVED("dependencies"), NULL) -
                                             strtod(SAVED("residency"), NULL);
    is_near(SAVED("residency"), (was - is) / log(was / is) * log(1.1));
    assert_string_equal(STATUS("residency"), "resolved");
    ledger_close();
}

static void headlines_of_what_is_faster_and_slower(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.67× faster: of 40.00 µs saved, 81 % global memory, 17 "
                                          "% waiting for results and pipes, 10 % shared memory.");
    ledger_close();
    WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
    make_causes("slower");
    assert_string_equal(headline("02_b"), "Slower, 0.60×: of 40.00 µs lost, 81 % global memory, 17 "
                                          "% waiting for results and pipes, 10 % shared memory.");
    ledger_close();
}

static void headlines_say_what_stood_against_it(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", LESS_WAITING "time_ns=67000 sm_cycles_active_busiest=62000"});
    make_causes("faster");
    assert_string_equal(
        headline("02_b"),
        "1.49× faster: of 33.00 µs saved, 104 % global memory, 22 % waiting for results and pipes, "
        "13 % shared memory; partly offset by tail and imbalance, which cost 12.91 µs.");
    ledger_close();
}

/* Shares of a tiny change are not given. */
static void headlines_of_causes_that_cancel(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", LESS_WAITING "time_ns=96000 sm_cycles_active_busiest=91000"},
              {"03_c", ""});
    make_causes("faster");
    assert_string_equal(
        headline("02_b"),
        "4.2 % faster, 4.000 µs saved: tail and imbalance cost 53.51 µs, global memory saved 43.13 "
        "µs, waiting for results and pipes saved 8.986 µs, shared memory saved 5.392 µs.");
    ledger_close();
    WRITE_RUN({"01_a", LESS_WAITING "time_ns=96000 sm_cycles_active_busiest=91000"}, {"02_b", ""});
    make_causes("slower");
    assert_string_equal(
        headline("02_b"),
        "4.0 % slower, 4.000 µs lost: tail and imbalance saved 53.51 µs, global memory cost 43.13 "
        "µs, waiting for results and pipes cost 8.986 µs, shared memory cost 5.392 µs.");
    ledger_close();
}

static void headlines_of_the_clock_and_of_what_is_not_explained(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "sm_clock_mhz=1250 time_ns=80000"});
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.25× faster: of 20.00 µs saved, 100 % SM clock.");
    assert_string_equal(STATUS("clock"), "no interval");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=90000"});
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.11× faster: of 10.00 µs saved, no cause of a tenth or "
                                          "more is beyond its interval.");
    ledger_close();
    WRITE_RUN({"01_a", ""},
              {"02_b", "time_ns=98000 sm_cycles_active_busiest=90000"}); /* 5000 less of a tail,
                                                                            3000 more unexplained */
    make_causes("faster");
    assert_string_equal(headline("02_b"), "2.0 % faster, 2.000 µs saved: tail and imbalance saved "
                                          "5.000 µs.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99000 sm_cycles_active_busiest=93600"});
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.0 % faster: mainly tail and imbalance.");
    ledger_close();
}

static void headlines_without_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99800 time_low_ns=99600 time_high_ns=100000"});
    make_causes("no evidence");
    assert_string_equal(
        headline("02_b"),
        "No evidence of a change: 1.002×, 95 % interval 0.999 to 1.005, noise floor 0.50 %.");
    assert_string_equal(first("SELECT group_concat(DISTINCT status) FROM causes"), "no evidence");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99800"});
    make_causes("not measured");
    assert_string_equal(headline("02_b"), "Not measured.");
    assert_string_equal(first("SELECT group_concat(DISTINCT status) FROM causes"), "not measured");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER "scheduler_cycles_issued="}, {"03_c", FASTER});
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster; the counters that would explain it are missing.");
    assert_string_equal(
        headline("03_c"),
        "0.0 % faster; the counters that would explain it are missing."); /* of the previous one */
    assert_string_equal(first("SELECT count(*) FROM causes"), "0");
    ledger_close();
    WRITE_RUN({"01_a", "noise_scheduler_cycles_active=3600000"}, {"02_b", FASTER});
    make_causes("faster");
    assert_string_equal(
        headline("02_b"),
        "1.67× faster: of 40.00 µs saved, no cause of a tenth or more is beyond its interval.");
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
    make_causes("faster");
    assert_string_equal(first("SELECT count(*) FROM headlines"), "2");
    assert_string_equal(first("SELECT headline FROM headlines WHERE block = 32"),
                        "1.67× faster: of 40.00 µs saved, 81 % global memory, 17 % waiting for "
                        "results and pipes, 10 % shared memory.");
    is_near(first("SELECT sum(saved_ns) FROM causes WHERE block = 64"), -40000);
    ledger_close();
}

/* ---- rows as SQL ----------------------------------------------------------------------------- */

static void rows_become_values(void **state)
{
    const struct attribution_row row = {"work", 3, 2, 1, 0.5}, open = {"clock", NAN, NAN, -1, NAN},
                                 nothing = {"fetch", 0, 0, 0, 1};
    struct text values = {0};
    (void)state;
    assert_int_equal(causes_row_values(&values, &row, 4, "faster"), 1);
    assert_string_equal(text_string(&values), "'work', 3, 2, 1, 0.5, 1.5, 25, 'resolved'");
    text_free(&values);
    assert_int_equal(causes_row_values(&values, &open, 0, "faster"),
                     1); /* no change has no shares */
    assert_string_equal(text_string(&values),
                        "'clock', NULL, NULL, -1, NULL, NULL, NULL, 'no interval'");
    text_free(&values);
    assert_int_equal(causes_row_values(&values, &nothing, 4, "faster"), 0);
    assert_string_equal(text_string(&values), "");
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
        cmocka_unit_test(rows_sum_to_the_change),
        cmocka_unit_test(residency_is_a_cause),
        cmocka_unit_test(headlines_of_what_is_faster_and_slower),
        cmocka_unit_test(headlines_say_what_stood_against_it),
        cmocka_unit_test(headlines_of_causes_that_cancel),
        cmocka_unit_test(headlines_of_the_clock_and_of_what_is_not_explained),
        cmocka_unit_test(headlines_without_causes),
        cmocka_unit_test(blocks_have_headlines_of_their_own),
        cmocka_unit_test(rows_become_values),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
