#include "fixture.h"

#include <math.h>

#include "explain/explain.h"
#include "explain/predict_model.h"
#include "catalog/registry.h"

/* ---- the model ------------------------------------------------------------------------------- */

/* 4 blocks of four warps on 4 SMs, one each; 1 GHz, 950 GB/s. Each SM has 10000 of the 40000 warp
 * instructions, each scheduler 2500. No stalls. */
static struct predict_rung plain_rung(void)
{
    struct predict_rung rung = {.launch = {.launches = 1,
                                           .grid_blocks = 4,
                                           .block_threads = 128,
                                           .blocks_per_sm = 2,
                                           .sm_count = 4}};
    for (int i = 0; i < QUANTITY_COUNT; i++) rung.count[i] = NAN;
    rung.count[QUANTITY_WARP_INSTRUCTIONS] = 40000;
    rung.count[QUANTITY_SHARED_INSTRUCTIONS] = rung.count[QUANTITY_SHARED_WAVEFRONTS] = 0;
    rung.count[QUANTITY_GLOBAL_WAVEFRONTS] = rung.count[QUANTITY_DRAM_BYTES] = 0;
    rung.count[QUANTITY_MEMORY_WAITS] = rung.count[QUANTITY_BARRIERS] = 0;
    return rung;
}

static struct predict_measured plain_measured(double time_ns)
{
    return (struct predict_measured){.time_ns = time_ns,
                                     .clock_ghz = 1,
                                     .device = {.dram_gbs = 950,
                                                .launch_ns = 3000,
                                                .next_launch_ns = 2400,
                                                .clear_ns = 850,
                                                .memory_latency_ns = 700,
                                                .barrier_ns = 30},
                                     .stall_total = 1};
}

#define CLOSE(a, b) assert_float_equal(a, b, 1e-9 * fabs((double)(b)))

static void times_overlap(void **state)
{
    (void)state;
    CLOSE(predict_overlap(3, 4, 2), 5);
    CLOSE(predict_overlap(4, 3, 1), 7);
    CLOSE(predict_overlap(7, 0, 4), 7);
    CLOSE(predict_overlap(0, 0, 4), 0);
    CLOSE(predict_overlap(1, 1, 4), pow(2, 0.25));
    assert_true(isnan(predict_overlap(NAN, 1, 2)));
}

static void terms_by_hand(void **state)
{
    (void)state;
    struct predict_rung rung = plain_rung();
    struct predict_measured measured = plain_measured(23000);
    rung.count[QUANTITY_SHARED_WAVEFRONTS] = 4000;
    rung.count[QUANTITY_GLOBAL_WAVEFRONTS] = 800;
    rung.count[QUANTITY_DRAM_BYTES] = 950000;
    rung.count[QUANTITY_MEMORY_WAITS] = 32;
    rung.count[QUANTITY_BARRIERS] = 64;
    rung.count[QUANTITY_TAIL_WAITS] = 2;
    rung.count[QUANTITY_CLEARS] = 1;
    measured.stall_memory = 5;
    measured.stall_barrier = 0.5;
    measured.stall_fixed = 0.25;
    measured.stall_dispatch = 0.3;
    measured.stall_not_selected = 0.5;
    const struct predict_result result = predict_analyse(&rung, &measured);
    CLOSE(result.term[TERM_ISSUE], 2500 * 1.2); /* a dispatch stall holds 1.5 warps back */
    CLOSE(result.term[TERM_L1], 1200);
    CLOSE(result.term[TERM_DRAM], 1000);      /* at 950 GB/s */
    CLOSE(result.term[TERM_MEMORY], 2 * 700); /* 5 x 2500 cycles exceed two round trips: a queue */
    CLOSE(result.term[TERM_BARRIER], 0.5 * 2500); /* four barriers of at most 420 */
    CLOSE(result.term[TERM_FIXED], 0.25 * 2500);
    CLOSE(result.term[TERM_TAIL], 1400);
    CLOSE(result.term[TERM_LAUNCH], 3850);
    CLOSE(result.term[TERM_TURNOVER],
          980); /* of the cycles with an empty slot, no more than a change of blocks */
    assert_int_equal(result.limiter, TERM_LAUNCH);
}

/* A rung that changes nothing takes the time of the previous rung, whatever the model's own
 * time. */
static void nothing_changed(void **state)
{
    (void)state;
    struct predict_rung rung = plain_rung();
    struct predict_measured measured = plain_measured(50000);
    rung.count[QUANTITY_SHARED_WAVEFRONTS] = 30000;
    rung.count[QUANTITY_SHARED_INSTRUCTIONS] = 20000;
    rung.count[QUANTITY_MEMORY_WAITS] = 100;
    rung.count[QUANTITY_BARRIERS] = 50;
    rung.count[QUANTITY_DRAM_BYTES] = 1000;
    measured.stall_memory = 2;
    measured.stall_shared = 4;
    measured.stall_barrier = 0.1;
    const struct predict_result result = predict_time(&rung, &rung, &measured);
    assert_float_equal(result.time_ns, 50000,
                       50); /* except DRAM, whose ceiling does not depend on the SMs' efficiency */
}

/* With one demand and no waits, cycles are proportional to the demand: 20000 double with it, and
 * the 3000 of the launches stay. */
static void demand_alone(void **state)
{
    (void)state;
    const struct predict_rung before = plain_rung();
    struct predict_measured measured = plain_measured(3000 + 20000);
    struct predict_rung rung = before;
    measured.stall_total = 1e9; /* no slot is ever empty */
    rung.count[QUANTITY_WARP_INSTRUCTIONS] *= 2;
    CLOSE(predict_time(&rung, &before, &measured).time_ns, 3000 + 40000);
    rung.count[QUANTITY_REGISTER_CONFLICTS] =
        0.5; /* without dispatch stalls there is nothing to halve */
    CLOSE(predict_time(&rung, &before, &measured).time_ns, 3000 + 40000);
    assert_int_equal(predict_time(&rung, &before, &measured).limiter, TERM_ISSUE);
}

/* The cycles of tensor cores are those of the device. A rung whose instructions have a higher peak
 * declares fewer. */
static void tensor_cores_are_a_demand(void **state)
{
    (void)state;
    struct predict_rung before = plain_rung();
    struct predict_measured measured = plain_measured(3000 + 60000);
    measured.stall_total = 1e9;
    before.count[QUANTITY_WARP_INSTRUCTIONS] = 400; /* each of them is a large product */
    before.count[QUANTITY_TENSOR_CYCLES] = 50000;
    struct predict_rung rung = before;
    const struct predict_result found = predict_analyse(&before, &measured);
    CLOSE(found.term[TERM_TENSOR], 50000);
    assert_int_equal(found.limiter, TERM_TENSOR);
    rung.count[QUANTITY_TENSOR_CYCLES] = 50000 * 2 / 3.0;
    assert_float_equal(predict_time(&rung, &before, &measured).time_ns, 3000 + 40000, 200);
    rung.launch.grid_blocks = 5; /* the busiest SM has two of five blocks */
    CLOSE(predict_analyse(&rung, &measured).term[TERM_TENSOR], 50000 * 2 / 3.0 * 8 / 5);
    before.count[QUANTITY_TENSOR_CYCLES] = NAN; /* an older run */
    CLOSE(predict_analyse(&before, &measured).term[TERM_TENSOR], 0);
}

static void launches_and_the_end(void **state)
{
    (void)state;
    struct predict_rung before = plain_rung(), rung = before;
    const struct predict_measured measured = plain_measured(40000);
    before.launch.launches = 3;
    rung.launch.launches = 1;
    CLOSE(predict_time(&rung, &before, &measured).time_ns, 40000 - 2 * 2400);
    rung.count[QUANTITY_CLEARS] = 1;
    CLOSE(predict_time(&rung, &before, &measured).time_ns, 40000 - 2 * 2400 + 850);
    rung.count[QUANTITY_TAIL_WAITS] = 3;
    CLOSE(predict_time(&rung, &before, &measured).time_ns, 40000 - 2 * 2400 + 850 + 2100);
}

/* Memory waits that the previous rung did not have cost a round trip each; blocks that share an SM
 * hide them, a single block does not. */
static void waits_that_are_new(void **state)
{
    (void)state;
    const struct predict_rung before = plain_rung();
    const struct predict_measured measured = plain_measured(23000);
    struct predict_rung rung = before;
    rung.count[QUANTITY_MEMORY_WAITS] = 16 * 10;
    assert_float_equal(predict_time(&rung, &before, &measured).term[TERM_MEMORY], 7000, 1e-6);
    assert_true(predict_time(&rung, &before, &measured).time_ns > 23000);
    rung.count[QUANTITY_BUSIEST_SHARE] = 2;
    assert_float_equal(predict_time(&rung, &before, &measured).term[TERM_MEMORY], 14000, 1e-6);
    rung.count[QUANTITY_BUSIEST_SHARE] = NAN;
    rung.count[QUANTITY_WORKING_BLOCKS] =
        2; /* on two of four SMs: the busiest has twice the mean */
    assert_float_equal(predict_time(&rung, &before, &measured).term[TERM_MEMORY], 14000, 1e-6);
}

static void dram_is_a_ceiling(void **state)
{
    (void)state;
    const struct predict_rung before = plain_rung();
    const struct predict_measured measured = plain_measured(23000);
    struct predict_rung rung = before;
    rung.count[QUANTITY_DRAM_BYTES] = 950e6; /* a millisecond */
    const struct predict_result result = predict_time(&rung, &before, &measured);
    assert_int_equal(result.limiter, TERM_DRAM);
    assert_true(result.time_ns > 1e6 && result.time_ns < 1.03e6);
}

static void absent_stays_absent(void **state)
{
    (void)state;
    const struct predict_rung before = plain_rung();
    static const enum quantity needed[] = {QUANTITY_WARP_INSTRUCTIONS, QUANTITY_SHARED_WAVEFRONTS,
                                           QUANTITY_DRAM_BYTES};
    struct predict_measured measured = plain_measured(23000);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct predict_rung rung = before;
        rung.count[needed[i]] = NAN;
        assert_true(isnan(predict_time(&rung, &before, &measured).time_ns));
        assert_true(isnan(predict_time(&before, &rung, &measured).time_ns));
    }
    measured.stall_barrier = NAN;
    assert_true(isnan(predict_time(&before, &before, &measured).time_ns));
    measured = plain_measured(NAN);
    assert_true(isnan(predict_time(&before, &before, &measured).time_ns));
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const char columns[] = "family,variant,size,block,sweep,best,launches,grid_blocks,block_"
                              "threads,blocks_per_sm,sm_count,dram_peak_gbs,time_ns,sm_clock_mhz,"
                              "floor_pct,"
                              "speedup_prev,speedup_prev_low,speedup_prev_high,speedup_first,"
                              "speedup_first_low,speedup_first_high,warp_instructions_hw,"
                              "shared_load_instructions,shared_store_instructions,shared_async_"
                              "instructions,shared_matrix_load_instructions,shared_wavefronts,"
                              "global_load_sectors,"
                              "global_load_instructions,dram_read_bytes,dram_write_bytes,stall_"
                              "total,stall_barrier,stall_long_scoreboard,stall_lg_throttle,"
                              "stall_short_scoreboard,stall_mio_throttle,stall_wait,stall_no_"
                              "instruction,stall_branch_resolving,stall_other,stall_dispatch_stall,"
                              "stall_not_selected\n";

/* The facts of every point that are known before it runs, and the measurements of the first
 * rung. */
#define POINT(variant) "f," variant ",64x32x16,32,2,1,1,400,128,2,4,1000,"
#define FIRST                                                                                      \
    POINT("01_a")                                                                                  \
    "103000,1000,1,,,,,,,4000000,100,100,0,0,1000,4000,1000,100000,0,9,0.5,2,0,1,0,1,0,0,0,0.2,"   \
    "1\n"
/* The measurements of the second rung: time, then everything else. */
#define SECOND(time, speedup, rest)                                                                \
    POINT("02_b")                                                                                  \
    time ",1000,1," speedup "," speedup "," speedup "," speedup "," speedup "," speedup "," rest   \
         "\n"
#define COUNTERS "2000000,100,100,0,0,1000,4000,1000,100000,0,9,0.5,2,0,1,0,1,0,0,0,0.2,1"

static int explain(const char *declares, const char *second)
{
    struct run run;
    struct text text = {0};
    make_data("", "");
    make_run("r");
    text_format(&text,
                "f,01_a,1,A,,,,,,,,,,,kernel,barriers = 0\nf,02_b,2,B,01_a,,,,,,,,,,kernel,%s\n",
                declares);
    write_table("r", TABLE_VARIANTS, text_string(&text));
    text_free(&text);
    text_format(&text, "%s" FIRST "%s", columns, second);
    write_text("r/metrics.csv", text_string(&text));
    text_free(&text);
    write_text("r/noise.csv", "family,variant,size,block,sweep\n");
    int result = run_open(&run, place("r"));
    if (!result) result = explain_run(&run);
    run_close(&run);
    return result;
}

#define PREDICTED(column) cell("r/predictions.csv", "f,02_b,64x32x16,32,2", column)
#define DECLARED(quantity, column)                                                                 \
    cell("r/declared.csv", "f,02_b,64x32x16,32,2,0," quantity, column)

static void predicted_beside_achieved(void **state)
{
    (void)state;
    SUCCEEDS(explain("warp_instructions = prev_warp_instructions_hw / 2",
                     SECOND("53000", "1.943", COUNTERS)),
             "");
    const double predicted = strtod(PREDICTED("predicted_speedup"), NULL),
                 error_pct = strtod(PREDICTED("error_pct"), NULL);
    assert_true(predicted > 1.5 && predicted < 2.1);
    assert_float_equal(error_pct, 100 * fabs(predicted - 1.943) / 0.943, 1e-4);
    assert_string_equal(PREDICTED("speedup_prev"), "1.943");
    assert_string_equal(PREDICTED("evidence"), "faster");
    assert_string_equal(PREDICTED("verdict"), "within");
    assert_string_equal(PREDICTED("limiter"), "issue slots");
    assert_string_equal(PREDICTED("why"), "");
    assert_string_equal(PREDICTED("declares"), "warp_instructions = prev_warp_instructions_hw / 2");
    assert_string_equal(DECLARED("warp_instructions", "declared"), "2000000");
    assert_string_equal(DECLARED("warp_instructions", "measured"), "2000000");
    assert_string_equal(DECLARED("warp_instructions", "difference_pct"), "0");
    assert_string_equal(cell("r/predictions.csv", "f,01_a", "verdict"),
                        "(no row)"); /* not the end of a step */
    assert_string_equal(cell("r/declared.csv", "f,01_a,64x32x16,32,2,0,barriers", "measured"), "");
}

/* Whatever is measured on the rung itself, its prediction is the same to the last digit. */
static void no_look_at_the_result(void **state)
{
    (void)state;
    static const char declares[] = "\"warp_instructions = prev_warp_instructions_hw / 2; "
                                   "shared_wavefronts = m * n + k; memory_waits = "
                                   "warps; barriers = block * sweep\"";
    static const char *const seconds[] = {
        SECOND("53000", "1.943", COUNTERS),
        SECOND("9999999", "0.0103", "77,1,2,3,14,4,5,6,7,8,90,80,70,60,50,40,30,20,10,11,12,13"),
        SECOND("", "", ",,,,,,,,,,,,,,,,,,,,,"),
    };
    char first[2][64];
    for (int i = 0; i < 3; i++) {
        SUCCEEDS(explain(declares, seconds[i]), "");
        if (i == 0) snprintf(first[0], sizeof first[0], "%s", PREDICTED("predicted_speedup"));
        if (i == 0) snprintf(first[1], sizeof first[1], "%s", PREDICTED("limiter"));
        assert_true(strtod(first[0], NULL) > 0);
        assert_string_equal(PREDICTED("predicted_speedup"), first[0]);
        assert_string_equal(PREDICTED("limiter"), first[1]);
        assert_string_equal(DECLARED("shared_wavefronts", "declared"), "2064");
        assert_string_equal(DECLARED("barriers", "declared"), "64");
    }
    assert_string_equal(PREDICTED("verdict"), "no time to compare");
}

static void gains_that_are_none(void **state)
{
    (void)state;
    SUCCEEDS(explain("barriers = 0", SECOND("103000", "1.001", COUNTERS)), "");
    assert_string_equal(PREDICTED("evidence"), "no evidence");
    assert_string_equal(PREDICTED("verdict"), "no gain to predict: right");
    assert_string_equal(PREDICTED("error_pct"), "");
    SUCCEEDS(explain("warp_instructions = 2000000", SECOND("103000", "1.001", COUNTERS)), "");
    assert_string_equal(PREDICTED("verdict"), "no gain to predict: wrong");
}

static void misses_say_why(void **state)
{
    (void)state;
    SUCCEEDS(explain("warp_instructions = 1000000", SECOND("53000", "1.943", COUNTERS)), "");
    assert_string_equal(PREDICTED("verdict"), "missed");
    assert_non_null(strstr(PREDICTED("why"), "issue slots"));
    assert_non_null(strstr(PREDICTED("why"), "warp_instructions declared 50 % too low"));
    assert_non_null(strstr(PREDICTED("why"), "limiter by the counters: issue slots"));
    SUCCEEDS(
        explain("warp_instructions = 1000000", SECOND("53000", "1.943", ",,,,,,,,,,,,,,,,,,,,,")),
        "");
    assert_string_equal(PREDICTED("verdict"), "missed");
    assert_string_equal(PREDICTED("why"),
                        "the counters of the rung that would explain it are absent");
}

static void not_predicted(void **state)
{
    (void)state;
    SUCCEEDS(explain("", SECOND("53000", "1.943", COUNTERS)), "");
    assert_string_equal(PREDICTED("predicted_speedup"), "");
    assert_string_equal(PREDICTED("limiter"), "none");
    assert_string_equal(PREDICTED("verdict"), "not predicted");
    assert_string_equal(PREDICTED("why"), "the rung declares nothing");
    assert_string_equal(PREDICTED("error_pct"), "");
    SUCCEEDS(
        explain("warp_instructions = prev_stall_total / 0", SECOND("53000", "1.943", COUNTERS)),
        "");
    assert_string_equal(PREDICTED("verdict"), "not predicted");
    assert_string_equal(PREDICTED("why"),
                        "its declaration of warp_instructions needs an absent value");
}

static void declarations_that_are_none(void **state)
{
    (void)state;
    const char *second = SECOND("53000", "1.943", COUNTERS);
    FAILS(explain("time_ns = 5", second), FAIL_INPUT,
          "f/02_b declares 'time_ns = 5'; expected quantity = expression");
    FAILS(explain("barriers", second), FAIL_INPUT, "f/02_b declares 'barriers'");
    FAILS(explain("barriers = time_ns", second), FAIL_INPUT,
          "declaration of f/02_b"); /* its own time */
    FAILS(explain("barriers = warp_instructions_hw", second), FAIL_INPUT,
          "warp_instructions_hw"); /* its own counters */
    FAILS(explain("barriers = (Select max(time_ns) from metrics)", second), FAIL_INPUT,
          "without SELECT");
    FAILS(explain("barriers = (", second), FAIL_INPUT, "declaration of f/02_b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_overlap),
        cmocka_unit_test(terms_by_hand),
        cmocka_unit_test(nothing_changed),
        cmocka_unit_test(demand_alone),
        cmocka_unit_test(tensor_cores_are_a_demand),
        cmocka_unit_test(launches_and_the_end),
        cmocka_unit_test(waits_that_are_new),
        cmocka_unit_test(dram_is_a_ceiling),
        cmocka_unit_test(absent_stays_absent),
        cmocka_unit_test(predicted_beside_achieved),
        cmocka_unit_test(no_look_at_the_result),
        cmocka_unit_test(gains_that_are_none),
        cmocka_unit_test(misses_say_why),
        cmocka_unit_test(not_predicted),
        cmocka_unit_test(declarations_that_are_none),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
