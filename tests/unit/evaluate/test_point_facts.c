#include "evaluated.h"

static void make_library_run(void)
{
    static const double drift[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
    static const struct {
        const char *series;
        double time_ns;
    } rows[] = {
        {"f,01_a,64,32,0,cold,end_to_end,a", 50},
        {"f,01_a,64,32,0,warm,end_to_end,a", 7},
        {"f,90_slow,64,32,0,cold,end_to_end,a", 80},
        {"f,90_slow,64,32,0,warm,end_to_end,a", 1},
        {"f,91_fast,64,32,0,cold,end_to_end,a", 60},
        {"f,91_fast,64,32,0,cold,end_to_end,b", 3},
        {"f,92_cpu,64,32,0,warm,end_to_end,a", 1000},
        {"f,92_cpu,64,32,0,warm,end_to_end,b", 1100},
        {"f,01_a,128,32,0,cold,end_to_end,a", 100},
        {"f,90_slow,128,32,0,cold,end_to_end,a", 80},
        {"g,01_z,64,32,0,cold,end_to_end,a", 10},
        {"g,02_warm_only,64,32,0,warm,end_to_end,a", 10},
    };
    struct text samples = {0};
    make_run("r");
    write_variants("r", "f,01_a,1,A,,kernel\nf,90_slow,90,S,,library\nf,91_fast,91,F,,library\nf,"
                        "92_cpu,92,C,,cpu\ng,01_z,1,Z,,kernel\n"
                        "g,02_warm_only,2,W,01_z,kernel\n");
    write_table("r", TABLE_POINTS,
                "f,01_a,64,32,0,ok,,256,63,1\nf,90_slow,64,32,0,ok,,256,63,1\nf,91_fast,64,32,0,ok,"
                ",256,63,2\nf,92_cpu,64,32,0,ok,,256,63,\n"
                "f,01_a,128,32,0,ok,,512,127,1\nf,90_slow,128,32,0,ok,,512,127,1\nf,91_fast,128,32,"
                "0,skipped,why,512,127,\n"
                "g,01_z,64,32,0,ok,,256,63,1\ng,02_warm_only,64,32,0,ok,,256,63,1\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int of_cpu = strstr(rows[r].series, "cpu") != NULL;
        for (int i = 0; i < 8; i++) {
            /* In one round the clock fell while the kernel ran: that sample is discarded, and its
             * pair with it. */
            const int throttled = r == 0 && i == 4;
            text_format(&samples, "%s,%d,%.9g,%s,%s\n", rows[r].series, i,
                        throttled ? 9999 : rows[r].time_ns * (of_cpu ? 1 : drift[i]),
                        of_cpu ? "" : "1000", throttled ? "throttled" : "ok");
        }
    }
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    text_free(&samples);
}

TEST(the_fastest_library_is_the_measure)
{
    make_library_run();
    SUCCEEDS(evaluate(METRIC("gain", "ratio_median(library_series, series)", "")
                          METRIC("gain_low", "ratio_median_low(library_series, series)", "")
                              METRIC("gain_high", "ratio_median_high(library_series, series)", "")),
             "");
    assert_true(fabs(METRICS("f,01_a,64", "gain") - 1.2) <
                1e-8); /* 60 / 50 in every round, whatever the drift and the lost round */
    assert_true(fabs(METRICS("f,01_a,64", "gain_low") - 1.2) < 1e-8);
    assert_true(fabs(METRICS("f,01_a,64", "gain_high") - 1.2) < 1e-8);
    assert_true(METRICS("f,01_a,64", "time_throttled") == 1);
    assert_true(fabs(METRICS("f,01_a,64", "library_time_ns") - 60 * 1.35) <
                1e-6); /* the fast one's cold series, not its twin */
    assert_true(METRICS("f,91_fast,64", "gain") == 1);
    assert_true(fabs(METRICS("f,90_slow,64", "gain") - 0.75) < 1e-8);
    assert_true(fabs(METRICS("f,01_a,128", "gain") - 0.8) <
                1e-8); /* there the slow one is the only one */
    assert_true(METRICS("f,90_slow,128", "gain") == 1);
    assert_true(isnan(METRICS("g,01_z,64", "gain"))); /* this family has no library */
    assert_true(isnan(METRICS("g,01_z,64", "gain_low")));
    assert_true(isnan(METRICS("g,01_z,64", "library_time_ns")));
}

/* A library's call with shorter arithmetic, and so with a larger bound, is no yardstick: the slow
 * one is, with its error. One that was skipped has neither. */
TEST(a_less_accurate_library_is_no_measure)
{
    make_library_run();
    write_table("r", TABLE_POINTS,
                "f,01_a,64,32,0,ok,,256,63,1,0,,,3e-6,1e-5\n"
                "f,90_slow,64,32,0,ok,,256,63,1,0,,,2e-6,1e-5\n"
                "f,91_fast,64,32,0,ok,,256,63,2,0,,,1e-4,1e-3\n"
                "f,01_a,128,32,0,ok,,512,127,1,0,,,3e-6,1e-5\n"
                "f,90_slow,128,32,0,ok,,512,127,1,0,,,,\n"
                "f,91_fast,128,32,0,skipped,why,512,127,,0,,,,\n");
    SUCCEEDS(evaluate(METRIC("gain", "ratio_median(library_series, series)", "")), "");
    assert_true(fabs(METRICS("f,01_a,64", "gain") - 1.6) < 1e-8);
    assert_true(METRICS("f,01_a,64", "relative_error") == 3e-6);
    assert_true(METRICS("f,01_a,64", "error_bound") == 1e-5);
    assert_true(METRICS("f,01_a,64", "library_relative_error") == 2e-6);
    assert_true(fabs(METRICS("f,91_fast,64", "gain") - 80.0 / 60) < 1e-8);
    assert_true(isnan(METRICS("f,01_a,128", "gain")));
}

TEST(the_cpu_is_timed_warm)
{
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
    /* For variants on the GPU the cold series counts, and nothing replaces it. */
    assert_true(METRICS("f,90_slow,64", "time_ns") > 80);
    assert_true(METRICS("f,90_slow,64", "time_warm_ns") < 2);
    assert_true(isnan(METRICS("f,01_a,64", "floor_pct")));
    assert_true(isnan(METRICS("g,02_warm_only,64", "time_ns")));
    assert_true(METRICS("g,02_warm_only,64", "time_warm_ns") == 10 * 1.35);
    assert_true(METRICS("f,91_fast,64", "launches") == 2);
}

TEST(what_stands_in_the_code_is_a_fact)
{
    make_ladder_run();
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,7,512,10,2,5,4,,,,,k,2\n"
                "f,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,1,1024,99,99,99,99\n"
                "f,02_b,64,32,1,0,3,32,12,0,128,0,16,50,warps,,1024,0,0,0,0,,,,,k,\nf,02_b,64,32,2,"
                "0,3,32,12,0,128,0,16,50,warps,,1024,,,,\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "max_block_threads") == 512); /* of the first kernel */
    assert_true(METRICS(A, "sass_shuffles") == 10);
    assert_true(METRICS(A, "sass_warp_reductions") == 2);
    assert_true(METRICS(A, "sass_barriers") == 5);
    assert_true(METRICS(A, "sass_float_adds") == 4);
    assert_true(METRICS(A, "sass_loop_barriers") == 2);
    assert_true(METRICS(B1, "sass_shuffles") == 0);
    assert_true(isnan(METRICS(B1, "sass_loop_barriers"))); /* the target of a jump is unknown */
    assert_true(
        isnan(METRICS(B2, "sass_shuffles"))); /* code that could not be read has no count, not 0 */
    assert_true(isnan(METRICS(B2, "sass_barriers")));
}

/* The limiters of resident blocks are a list in launches.csv, and a number for each resource
 * here. */
TEST(what_limits_is_a_fact)
{
    make_ladder_run();
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,\"registers, shared "
                "memory\",7\nf,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,7\n"
                "f,02_b,64,32,1,0,3,32,12,0,128,0,16,50,blocks,\nf,02_b,64,32,2,0,3,32,12,0,128,0,"
                "16,50,,\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "limited_by_registers") == 1);
    assert_true(METRICS(A, "limited_by_shared_memory") == 1);
    assert_true(METRICS(A, "limited_by_warps") == 0); /* of the first kernel */
    assert_true(METRICS(A, "limited_by_blocks") == 0);
    assert_true(METRICS(B1, "limited_by_blocks") == 1);
    assert_true(METRICS(B1, "limited_by_registers") == 0);
    assert_true(isnan(METRICS(B2, "limited_by_registers"))); /* unknown to the calculator */
    assert_true(isnan(METRICS(A, "event_overhead_ns")));
    write_text("r/run.txt", "whyfast run 1\nstatus: complete\ndate: "
                            "2026-01-02T03:04:05Z\ndevice_compute_capability: 9.0\n"
                            "device_sm_count: 10\nevent_overhead_ns: 1280\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "event_overhead_ns") == 1280);
}

TEST(what_the_addresses_tell_is_a_fact)
{
    make_ladder_run();
    /* Two launches of the first rung; one launch of the second rung's best setting lacks the
     * count. */
    write_table(
        "r", TABLE_LAUNCHES,
        "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,9,512,0,0,0,0,100,30,95,26,,,,80,8\nf,01_a,"
        "64,32,0,1,1,32,10,0,128,0,16,50,warps,0,512,0,0,0,0,"
        "10,3,10,3,,,,4,4\nf,02_b,64,32,2,0,3,32,12,0,128,0,16,50,warps,5,512,0,0,0,0,7,7,7,2\nf,"
        "02_b,64,32,2,1,3,32,12,0,128,0,16,50,warps\n");
    write_table("r", TABLE_ACCESSES,
                "f,01_a,64,32,0,0,0,reads of A,load,4,5,2,1,0\nf,01_a,64,32,0,0,1,reads of "
                "B,load,16,20,4,4,0\n"
                "f,01_a,64,32,0,0,2,writes of A,store,4,2,3,1,0\nf,01_a,64,32,0,1,0,reads of "
                "A,load,4,10,3,1,0\n"
                "f,01_a,64,32,0,1,1,reads of A,load,8,1,3,2,0\nf,02_b,64,32,1,0,0,writes of "
                "B,store,4,7,32,1,0\n"
                "f,02_b,64,32,2,0,0,writes of B,store,4,7,32,1,0\nf,02_b,64,32,2,1,0,writes of "
                "B,store,4,,32,1,0\n"
                "f,02_b,64,32,2,1,1,reads of the mask,load,4,7,32,1,0\n");
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "closed_form_excess_wavefronts") == 9);
    assert_true(METRICS(A, "closed_form_load_wavefronts") == 110);
    assert_true(METRICS(A, "closed_form_store_wavefronts") == 33);
    assert_true(METRICS(A, "closed_form_load_ideal") == 105);
    assert_true(METRICS(A, "closed_form_store_ideal") == 29);
    assert_true(METRICS(A, "closed_form_matrix_wavefronts") == 84);
    assert_true(METRICS(A, "closed_form_matrix_ideal") == 12);
    assert_true(isnan(METRICS(B1, "closed_form_matrix_ideal")));
    assert_true(
        isnan(METRICS(B2, "closed_form_load_wavefronts"))); /* one launch of two gives no sum */
    assert_true(isnan(METRICS(B2, "closed_form_store_ideal")));
    assert_true(isnan(METRICS(B1, "closed_form_load_ideal")));
    assert_true(METRICS(A, "closed_form_excess_reads_a") ==
                5 * 1 + 10 * 2 + 1 * 1); /* over all its launches and all accesses of that name */
    assert_true(METRICS(A, "closed_form_excess_reads_b") == 0); /* accesses without conflicts */
    assert_true(METRICS(A, "closed_form_excess_writes_a") == 4);
    assert_true(isnan(METRICS(A, "closed_form_excess_writes_b"))); /* no such access: not 0 */
    assert_true(METRICS(B1, "closed_form_excess_writes_b") == 7 * 31);
    assert_true(isnan(METRICS(
        B2, "closed_form_excess_writes_b"))); /* one of them lacks its number of executions */
    assert_true(isnan(METRICS(B2, "closed_form_excess_reads_a")));
}

TEST(a_run_without_accesses)
{
    make_ladder_run();
    unlink(place("r/accesses.csv"));
    SUCCEEDS(evaluate(""), "");
    assert_true(METRICS(A, "closed_form_excess_wavefronts") == 8);
    assert_true(isnan(METRICS(A, "closed_form_load_ideal")));
    assert_true(isnan(METRICS(A, "closed_form_excess_reads_a")));
}

/* Ceilings belong to the device, so they are the same in every row. If one could not be measured,
 * it is absent, and so are the values computed from it. */
TEST(what_the_device_can_do_at_most_is_a_fact)
{
    make_ladder_run();
    write_table("r", TABLE_CEILINGS,
                "read_gbs,Read,GB/s,4000,3990,4010,25,1980,ok\nwrite_gbs,Written,GB/"
                "s,,,,0,,absent: no room\n"
                "launch_ns,Launch,ns,2500,2400,2600,25,1980,ok\nfma_tflops,FFMA,TFLOP/"
                "s,,,,0,,failed: before timing: wrong\n"
                "clear_ns,Clear,ns,600,590,610,25,1980,ok\n"
                "memory_latency_ns,Load,ns,400,399,401,25,1980,ok\n"
                "barrier_ns,Barrier,ns,20,19,21,25,1980,ok\n"
                "atomic_ns,Addition,ns,1.5,1.4,1.6,25,1980,ok\n");
    SUCCEEDS(evaluate(METRIC("half", "ceiling_read_gbs / 2", "")
                          METRIC("of_absent", "ceiling_read_gbs + ceiling_write_gbs", "")),
             "");
    assert_true(METRICS(A, "ceiling_read_gbs") == 4000);
    assert_true(METRICS(B2, "ceiling_read_gbs") == 4000);
    assert_true(METRICS(A, "half") == 2000);
    assert_true(METRICS(A, "ceiling_launch_ns") == 2500);
    assert_true(isnan(METRICS(A, "ceiling_write_gbs")));
    assert_true(isnan(METRICS(A, "of_absent")));
    assert_true(isnan(METRICS(A, "ceiling_fma_tflops")));
    assert_true(isnan(METRICS(A, "ceiling_l2_read_gbs"))); /* not even a row */
    assert_true(METRICS(A, "ceiling_clear_ns") == 600);
    assert_true(METRICS(A, "ceiling_memory_latency_ns") == 400);
    assert_true(METRICS(A, "ceiling_barrier_ns") == 20);
    assert_true(METRICS(A, "ceiling_atomic_ns") == 1.5);
}

/* Runs from before the latencies have other ceilings. */
TEST(a_run_without_latencies)
{
    static const char *const later[] = {"clear", "memory_latency", "barrier", "atomic"};
    make_ladder_run();
    write_table("r", TABLE_CEILINGS, "launch_ns,Launch,ns,2500,2400,2600,25,1980,ok\n");
    SUCCEEDS(evaluate(METRIC("half", "ceiling_memory_latency_ns / 2", "")), "");
    assert_true(METRICS(A, "ceiling_launch_ns") == 2500);
    assert_true(isnan(METRICS(A, "half")));
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        char name[64];
        snprintf(name, sizeof name, "ceiling_%s_ns", later[i]);
        assert_true(isnan(METRICS(A, name)));
    }
}

TEST(a_run_without_ceilings)
{
    make_ladder_run();
    unlink(place("r/ceilings.csv"));
    SUCCEEDS(evaluate(METRIC("half", "ceiling_read_gbs / 2", "")), "");
    assert_true(isnan(METRICS(A, "ceiling_read_gbs")));
    assert_true(isnan(METRICS(A, "half")));
    assert_true(METRICS(A, "time_ns") == 100);
}

/* Only one of the two points ran without pauses. */
TEST(what_a_point_needs_without_pauses_is_a_fact)
{
    make_ladder_run();
    write_table("r", TABLE_POWER,
                "f,01_a,64,32,0,5000,110,690,700,1440,\"power cap, thermal slowdown by "
                "software\",ok\n");
    SUCCEEDS(evaluate(METRIC("energy", "sustained_power_w * sustained_time_ns", "")), "");
    assert_true(METRICS(A, "sustained_time_ns") == 110);
    assert_true(METRICS(A, "sustained_clock_mhz") == 1440);
    assert_true(METRICS(A, "energy") == 75900);
    assert_true(METRICS(A, "power_capped") == 1);
    assert_true(isnan(METRICS(B2, "sustained_power_w")));
    assert_true(isnan(METRICS(B2, "power_capped")));
}

RUN_TESTS(fixture_open, fixture_close)
