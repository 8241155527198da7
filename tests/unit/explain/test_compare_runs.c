/*
 * Tests the comparison of two runs: verdicts, points of one run, settings, refusals, warnings.
 */
#include "compared_runs.h"

#include <math.h>

/* ---- verdicts -------------------------------------------------------------------------------- */

/* The verdict on 1000 ns with a floor of 0.5 %. */
static void verdict_is(double time_ns, double spread_ns, double threshold_pct, const char *verdict)
{
    const struct timed old = {"01_a", .best = 1, .time_ns = 1000, .spread_ns = spread_ns},
                       new = {"01_a", .best = 1, .time_ns = time_ns, .spread_ns = spread_ns};
    make_pair(&old, &new);
    COMPARE(.threshold_pct = threshold_pct);
    assert_string_equal(found("verdict", "1"), verdict);
    assert_true(fabs(number("ratio") - time_ns / 1000) < 1e-6);
    assert_true(number("ratio_low") <= number("ratio") && number("ratio") <= number("ratio_high"));
}

TEST(verdicts)
{
    verdict_is(1030, 4, 0, "slower");
    verdict_is(970, 4, 0, "faster");
    verdict_is(1000, 4, 0, "no evidence");
    verdict_is(1004, 0.1, 0, "no evidence"); /* certain, and below the floor */
    verdict_is(996.5, 0.1, 0, "no evidence");
    verdict_is(1030, 100, 0, "no evidence"); /* beyond the floor, but the interval is not */
    verdict_is(970, 100, 0, "no evidence");
    verdict_is(1030, 4, 5, "tolerated");
    verdict_is(1060, 4, 5, "slower");
    verdict_is(1051, 20, 5, "tolerated");
    verdict_is(1004, 0.1, 0.1, "no evidence"); /* the floor still counts */
    verdict_is(970, 4, 50, "faster");
}

TEST(the_larger_floor_counts)
{
    for (int i = 0; i < 2; i++) {
        const struct timed old = {"01_a", .best = 1, .time_ns = 1000, .spread_ns = 1,
                                  .floor_pct = i ? "4" : "0.1"},
                           new = {"01_a", .best = 1, .time_ns = 1030, .spread_ns = 1,
                                  .floor_pct = i ? "0.1" : "4"};
        make_pair(&old, &new);
        COMPARE(.threshold_pct = 0);
        assert_string_equal(found("verdict", "1"), "no evidence");
        assert_true(number("floor_pct") == 4);
        assert_int_equal(compare_check(&comparison), 0);
    }
}

/* Exchanging the runs exchanges slower and faster, also near the floor. */
TEST(exchanged_runs)
{
    for (double time_ns = 1005; time_ns < 1300; time_ns += 10) {
        const struct timed old = {"01_a", .best = 1, .time_ns = 1000, .floor_pct = "15"},
                           new = {"01_a", .best = 1, .time_ns = time_ns, .floor_pct = "15"};
        make_pair(&old, &new);
        COMPARE(.threshold_pct = 0);
        const int slower = comparison.count[COMPARE_SLOWER];
        make_pair(&new, &old);
        COMPARE(.threshold_pct = 0);
        assert_int_equal(comparison.count[COMPARE_FASTER], slower);
        assert_int_equal(slower, time_ns > 1150);
    }
}

TEST(too_little_to_judge)
{
    const struct timed old = {"01_a", .best = 1, .time_ns = 1000},
                       few = {"01_a", .best = 1, .count = 5, .time_ns = 2000},
                       floorless = {"01_a", .best = 1, .time_ns = 2000, .floor_pct = ""};
    make_pair(&old, &few);
    COMPARE(.threshold_pct = 0);
    assert_string_equal(found("verdict || ': ' || reason", "1"),
                        "not measured: fewer than six samples");
    assert_string_equal(found("ratio_low", "1"), "NULL");
    FAILS(compare_check(&comparison), FAIL_COMPARE, "nothing was compared");
    make_pair(&old, &floorless);
    COMPARE(.threshold_pct = 0);
    assert_string_equal(found("verdict || ': ' || reason", "1"), "not measured: no noise floor");
}

TEST(machine_code)
{
    static const char *const hashes[][3] = {
        {"11", "11", "same"}, {"11", "22", "changed"}, {"11", "", "NULL"}, {"", "", "NULL"}};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        for (int side = 0; side < 2; side++) {
            const struct timed timed = {"01_a", .best = 1, .time_ns = side ? 2000 : 1000};
            begin_run();
            add_variant("01_a", hashes[i][side], "kernel");
            add_point(&timed);
            end_run(side ? "after" : "before");
        }
        COMPARE(.threshold_pct = 0);
        assert_string_equal(found("machine_code", "verdict = 'slower'"), hashes[i][2]);
    }
}

/* Nobody flushes the caches of a CPU, so its time is the warm one. */
TEST(a_cpu_is_timed_warm)
{
    for (int side = 0; side < 2; side++) {
        const struct timed timed = {"90_cpu", .best = 1, .time_ns = side ? 1300 : 1000,
                                    .l2 = "warm"};
        begin_run();
        add_variant("90_cpu", "", "cpu");
        add_point(&timed);
        end_run(side ? "after" : "before");
    }
    COMPARE(.threshold_pct = 0);
    assert_string_equal(found("verdict", "1"), "slower");
    assert_true(number("ratio_low") > 1.29 && number("ratio_high") < 1.31);
}

/* ---- points that are not in both ------------------------------------------------------------- */

TEST(points_of_one_run)
{
    make_partial_runs();
    COMPARE(.threshold_pct = 0);
    assert_string_equal(
        found("verdict || '|' || time_before_ns || '|' || reason", "variant = '02_b'"),
        "failed now|1000.0|element 3");
    assert_string_equal(found("verdict || '|' || reason", "variant = '03_c'"),
                        "only in RUN1|skipped: needs more");
    assert_string_equal(found("verdict || '|' || time_after_ns || '|' || coalesce(reason, '-')",
                              "variant = '04_d'"),
                        "only in RUN2|1000.0|-");
    assert_string_equal(found("verdict || '|' || reason", "variant = '05_e'"),
                        "only in RUN2|failed: element 5");
    assert_string_equal(found("verdict || '|' || coalesce(reason, '-')", "variant = '06_f'"),
                        "only in RUN1|-");
    assert_string_equal(found("count(*)", "1"), "6");
    FAILS(compare_check(&comparison), FAIL_CHECK, "correct before, failed now: 1");
    /* Failed points are ignored. */
    static const char *const patterns[] = {"f/01*", "03_c"};
    COMPARE(.patterns = patterns, .pattern_count = 2);
    assert_string_equal(found("count(*)", "1"), "2");
    assert_int_equal(compare_check(&comparison), 0);
    static const char *const lonely[] = {"03_c", "04*"};
    COMPARE(.patterns = lonely, .pattern_count = 2);
    FAILS(compare_check(&comparison), FAIL_COMPARE, "nothing was compared");
}

/* before: setting 4 at 1000, 8 at 900, 16 at 2000; after: 4 at 900, 8 at 1000, 16 failed. */
TEST(settings)
{
    const struct timed timed[2][3] = {
        {{"01_a", .sweep = 4, .time_ns = 1000},
         {"01_a", .sweep = 8, .best = 1, .time_ns = 900},
         {"01_a", .sweep = 16, .time_ns = 2000}},
        {{"01_a", .sweep = 4, .best = 1, .time_ns = 900}, {"01_a", .sweep = 8, .time_ns = 1000}},
    };
    for (int side = 0; side < 2; side++) {
        begin_run();
        add_variant("01_a", "11", "kernel");
        for (int i = 0; i < (side ? 2 : 3); i++) add_point(&timed[side][i]);
        if (side) add_bad_point("01_a", 16, "failed", "element 3");
        end_run(side ? "after" : "before");
    }
    COMPARE(.threshold_pct = 0);
    assert_string_equal(
        found("sweep_before || '|' || sweep_after || '|' || verdict", "sweep_before <> 16"),
        "8|4|no evidence");
    assert_string_equal(found("verdict", "sweep_before = 16"),
                        "failed now"); /* a wrong result counts in any setting */
    assert_string_equal(found("count(*)", "1"), "2");
    COMPARE(.all_settings = 1);
    assert_string_equal(found("sweep_after || '|' || verdict", "sweep_before = 4"), "4|faster");
    assert_string_equal(found("sweep_after || '|' || verdict", "sweep_before = 8"), "8|slower");
    assert_string_equal(found("count(*)", "1"), "3");
}

TEST(sizes)
{
    const struct timed small = {"01_a", .best = 1, .time_ns = 1000},
                       large = {"01_a", "4096", .best = 1, .time_ns = 4000};
    for (int side = 0; side < 2; side++) {
        begin_run();
        add_variant("01_a", "11", "kernel");
        add_point(&small);
        add_point(&large);
        end_run(side ? "after" : "before");
    }
    const char *size = "2^12";
    COMPARE(.sizes = &size, .size_count = 1);
    assert_string_equal(found("group_concat(size)", "1"), "4096");
}

/* ---- guards ---------------------------------------------------------------------------------- */

/* Runs of a program whose only kernel has these blocks; returns the state of the guard. */
static const char *guard_of_grids(const char *blocks_before, const char *blocks_after,
                                  const char *hash_after, const char *guard)
{
    static char state[16];
    const char *const blocks[] = {blocks_before, blocks_after};
    char sql[96], *text = NULL;
    for (int side = 0; side < 2; side++) {
        const struct timed timed = {"01_a", .best = 1, .time_ns = 1000};
        char launch[64], facts[256], file[32];
        begin_run();
        add_variant("01_a", side ? hash_after : "11", "kernel");
        add_point(&timed);
        end_run(side ? "after" : "before");
        snprintf(launch, sizeof launch, "f,01_a,1024,128,0,0,%s,128\n", blocks[side]);
        write_table(side ? "after" : "before", TABLE_LAUNCHES, launch);
        snprintf(facts, sizeof facts, "%sprogram: ./app\n", run_facts);
        snprintf(file, sizeof file, "%s/run.txt", side ? "after" : "before");
        write_text(file, facts);
    }
    COMPARE(.threshold_pct = 0);
    snprintf(sql, sizeof sql, "SELECT state FROM guard WHERE guard = '%s'", guard);
    assert_int_equal(query_text(&comparison.query, NULL, sql, NULL, &text), 0);
    snprintf(state, sizeof state, "%s", text ? text : "NULL");
    free(text);
    return state;
}

TEST(the_same_code_with_another_grid_has_another_size)
{
    assert_string_equal(guard_of_grids("10", "10", "11", "sizes"), "holds");
    assert_int_equal(compare_check(&comparison), 0);
    assert_string_equal(guard_of_grids("10", "20", "22", "sizes"), "holds");
    assert_string_equal(guard_of_grids("10", "20", "11", "results"), "unknown");
    assert_string_equal(guard_of_grids("10", "20", "11", "sizes"), "fails");
    FAILS(compare_check(&comparison), FAIL_COMPARE,
          "the same machine code of f/01_a has a grid of 10 blocks, then 20");
}

/* ---- refusals and warnings -------------------------------------------------- */

static int attempt(struct compare_options options)
{
    open_runs("before", "after");
    const int result = compare_open(&comparison, &before, &after, &options);
    if (!result) compare_close(&comparison);
    return result;
}

TEST(refusals)
{
    const struct compare_options all = {.threshold_pct = 0};
    const char *typo = "f/01_b", *foreign = "q/99_other", *size = "77", *no_size = "2^";
    make_partial_runs();
    FAILS(attempt((struct compare_options){.patterns = &typo, .pattern_count = 1}), FAIL_USAGE,
          "neither run has a variant 'f/01_b'; did you mean 'f/01_a'?");
    FAILS(attempt((struct compare_options){.patterns = &foreign, .pattern_count = 1}), FAIL_USAGE,
          "neither run has a variant 'q/99_other'; it has f/01_a");
    FAILS(attempt((struct compare_options){.sizes = &size, .size_count = 1}), FAIL_USAGE,
          "--size: neither run has the size 77");
    FAILS(attempt((struct compare_options){.sizes = &no_size, .size_count = 1}), FAIL_USAGE, "2^");
    begin_run();
    add_variant("01_a", "11", "kernel");
    add_bad_point("01_a", 0, "ok", "");
    end_run("after");
    FAILS(attempt(all), FAIL_INPUT,
          "after: metrics.csv does not match these samples (f/01_a, size 1024)");
    const struct timed timed = {"01_a", .best = 1, .time_ns = 1000};
    begin_run();
    add_variant("01_a", "11", "kernel");
    add_point(&timed);
    text_free(&samples);
    end_run("after");
    FAILS(attempt(all), FAIL_INPUT, "after' recomputes it");
    assert_int_equal(unlink(place("after/metrics.csv")), 0);
    FAILS(attempt(all), FAIL_INPUT, "after/metrics.csv: is missing; 'whyfast evaluate ");
}

TEST(other_machines)
{
    static const char *const facts[][2] = {
        {"", ""},
        {"device_name: Other GPU\ndriver: 580\n", "the runs were measured on different devices: "
                                                  "device_name (Test GPU, then Other GPU), driver ("
                                                  "unknown, then 580); a difference"},
        {"device_name: Test GPU\ndevice_uuid: 2\n",
         "the runs were measured on two boards: device_uuid (unknown, then 2)"},
        {"device_name: Test GPU\ndevice_sm_clock_khz: 7\n",
         "the machine had other settings: device_sm_clock_khz (unknown, then 7)"},
        {"device_name: Test GPU\nreplay_of: old\n",
         "replays the recorded run old: nothing was measured"},
    };
    begin_run();
    end_run("before");
    end_run("after");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "whyfast run 1\nstatus: complete\ndate: "
                 "2026-01-02T03:04:05Z\ndevice_dram_clock_khz: 1000000\n%s",
                 *facts[i][0] ? facts[i][0] : "device_name: Test GPU\n");
        write_text("after/run.txt", text);
        COMPARE(.threshold_pct = 0);
        SUCCEEDS(compare_warn(&comparison), facts[i][1]);
    }
}

RUN_TESTS(fixture_open, compared_runs_close)
