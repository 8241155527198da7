#include "evaluated.h"

/* Two libraries, a kernel and the CPU at size 64, where the machine slows down from round to
 * round; at size 128 the fast library was skipped; family g has none. */
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
    OWNED_BY(text_free) struct text samples = {0};
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
}

TEST(the_fastest_library_is_the_measure)
{
    make_library_run();
    SUCCEEDS(evaluate(METRIC("gain", "ratio_median(library_series, series)", "")
                          METRIC("gain_low", "ratio_median_low(library_series, series)", "")
                              METRIC("gain_high", "ratio_median_high(library_series, series)", "")),
             "");
    /* 60 / 50 in every round, whatever the drift and the lost round; the time is that of the fast
     * one's cold series, not its twin. */
    metrics_are("f,01_a,64",
                "gain=1.2 gain_low=1.2 gain_high=1.2 time_throttled=1 library_time_ns=81 "
                "library_floor_pct=2460");
    metrics_are("f,91_fast,64", "gain=1");
    metrics_are("f,90_slow,64", "gain=0.75");
    metrics_are("f,01_a,128", "gain=0.8"); /* there the slow one is the only one */
    metrics_are("f,90_slow,128", "gain=1");
    metrics_are(
        "g,01_z,64",
        "gain= gain_low= library_time_ns= library_floor_pct="); /* this family has no library */
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
    metrics_are("f,01_a,64",
                "gain=1.6 relative_error=3e-6 error_bound=1e-5 library_relative_error=2e-6");
    metrics_are("f,91_fast,64", "gain=1.33333333333");
    metrics_are("f,01_a,128", "gain=");
}

TEST(the_cpu_is_timed_warm)
{
    make_library_run();
    SUCCEEDS(evaluate(""), "");
    metrics_are(
        "f,92_cpu,64",
        "time_ns=1000 time_low_ns=1000 time_samples=8 time_warm_ns=1000 best=1 behind_best_pct=0 "
        "floor_pct=9.09090909091 sm_clock_mhz= launches= time_kernels_ns= registers=");
    /* For variants on the GPU the cold series counts, and nothing replaces it. */
    metrics_are("f,90_slow,64", "time_ns=108 time_warm_ns=1.35");
    metrics_are("f,01_a,64", "floor_pct=");
    metrics_are("g,02_warm_only,64", "time_ns= time_warm_ns=13.5");
    metrics_are("f,91_fast,64", "launches=2");
}

LADDER_TEST(what_stands_in_the_code_is_a_fact)
{
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,7,512,10,2,5,4,,,,,k,2\n"
                "f,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,1,1024,99,99,99,99\n"
                "f,02_b,64,32,1,0,3,32,12,0,128,0,16,50,warps,,1024,0,0,0,0,,,,,k,\nf,02_b,64,32,2,"
                "0,3,32,12,0,128,0,16,50,warps,,1024,,,,\n");
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "max_block_threads=512"); /* of the first kernel */
    metrics_are(A, "sass_shuffles=10 sass_warp_reductions=2 sass_barriers=5 sass_float_adds=4 "
                   "sass_loop_barriers=2");
    metrics_are(B1, "sass_shuffles=0");
    metrics_are(B1, "sass_loop_barriers="); /* the target of a jump is unknown */
    metrics_are(B2, "sass_shuffles=");      /* code that could not be read has no count, not 0 */
    metrics_are(B2, "sass_barriers=");
}

/* Those of single kernels come from the longest launch; a run without the columns has no fact. */
LADDER_TEST(distances_are_those_of_the_longest_launch)
{
    write_table("r", TABLE_KERNELS,
                "0,f,01_a,64,32,0,0,_Z1a,a,ok,ok,2,1000,100,0,0,ok,ok,57.5,421,ok\n"
                "1,f,01_a,64,32,0,1,_Z1b,b,ok,ok,2,1000,100,0,0,ok,ok,9,9,ok\n"
                "2,f,02_b,64,32,1,0,_Z1b,b,ok,ok,2,1000,100,0,0,ok,ok,,,absent: no loop\n"
                "3,f,02_b,64,32,2,0,_Z1b,b,ok,ok,2,1000,100,0,0,ok,ok\n");
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "sass_read_distance=57.5 sass_copy_distance=421");
    metrics_are(B1, "sass_read_distance= sass_copy_distance=");
    metrics_are(B2, "sass_read_distance=");
}

/* The limiters of resident blocks are a list in launches.csv, and a number for each resource
 * here. */
LADDER_TEST(what_limits_is_a_fact)
{
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,\"registers, shared "
                "memory\",7\nf,01_a,64,32,0,1,1,32,10,0,128,0,16,50,warps,7\n"
                "f,02_b,64,32,1,0,3,32,12,0,128,0,16,50,blocks,\nf,02_b,64,32,2,0,3,32,12,0,128,0,"
                "16,50,,\n");
    SUCCEEDS(evaluate(""), "");
    metrics_are(
        A,
        "limited_by_registers=1 limited_by_shared_memory=1 limited_by_blocks=0 event_overhead_ns=");
    metrics_are(A, "limited_by_warps=0"); /* of the first kernel */
    metrics_are(B1, "limited_by_blocks=1 limited_by_registers=0");
    metrics_are(B2, "limited_by_registers="); /* unknown to the calculator */
    write_text("r/run.txt", "whyfast run 1\nstatus: complete\ndate: "
                            "2026-01-02T03:04:05Z\ndevice_compute_capability: 9.0\n"
                            "device_sm_count: 10\nevent_overhead_ns: 1280\n");
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "event_overhead_ns=1280");
}

LADDER_TEST(what_the_addresses_tell_is_a_fact)
{
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
    metrics_are(
        A, "closed_form_excess_wavefronts=9 closed_form_load_wavefronts=110 "
           "closed_form_store_wavefronts=33 closed_form_load_ideal=105 closed_form_store_ideal=29 "
           "closed_form_matrix_wavefronts=84 closed_form_matrix_ideal=12");
    metrics_are(B1, "closed_form_matrix_ideal= closed_form_load_ideal=");
    /* One launch of two gives no sum. */
    metrics_are(B2, "closed_form_load_wavefronts= closed_form_store_ideal=");
    /* 5 * 1 + 10 * 2 + 1 * 1, over all its launches and all accesses of that name. */
    metrics_are(A, "closed_form_excess_reads_a=26 closed_form_excess_writes_a=4");
    metrics_are(A, "closed_form_excess_reads_b=0"); /* accesses without conflicts */
    metrics_are(A, "closed_form_excess_writes_b="); /* no such access: not 0 */
    metrics_are(B1, "closed_form_excess_writes_b=217");
    /* One of them lacks its number of executions. */
    metrics_are(B2, "closed_form_excess_writes_b= closed_form_excess_reads_a=");
}

LADDER_TEST(a_run_without_accesses)
{
    unlink(place("r/accesses.csv"));
    SUCCEEDS(evaluate(""), "");
    metrics_are(
        A, "closed_form_excess_wavefronts=8 closed_form_load_ideal= closed_form_excess_reads_a=");
}

/* Ceilings belong to the device, so they are the same in every row. If one could not be measured,
 * it is absent, and so are the values computed from it. */
LADDER_TEST(what_the_device_can_do_at_most_is_a_fact)
{
    write_table("r", TABLE_CEILINGS,
                "read_gbs,Read,GB/s,4000,3990,4010,25,1980,ok\nwrite_gbs,Written,GB/"
                "s,,,,0,,absent: no room\n"
                "launch_ns,Launch,ns,2500,2400,2600,25,1980,ok\nfma_tflops,FFMA,TFLOP/"
                "s,,,,0,,failed: before timing: wrong\n"
                "clear_ns,Clear,ns,600,590,610,25,1980,ok\n"
                "memory_latency_ns,Load,ns,400,399,401,25,1980,ok\n"
                "barrier_ns,Barrier,ns,20,19,21,25,1980,ok\n"
                "atomic_ns,Addition,ns,1.5,1.4,1.6,25,1980,ok\n"
                "malloc_ns,Memory,ns,9000,8900,9100,25,,ok\n");
    SUCCEEDS(evaluate(METRIC("half", "ceiling_read_gbs / 2", "")
                          METRIC("of_absent", "ceiling_read_gbs + ceiling_write_gbs", "")),
             "");
    metrics_are(A, "ceiling_read_gbs=4000 half=2000 ceiling_launch_ns=2500 ceiling_write_gbs= "
                   "of_absent= ceiling_fma_tflops= ceiling_clear_ns=600 "
                   "ceiling_memory_latency_ns=400 ceiling_barrier_ns=20 ceiling_atomic_ns=1.5 "
                   "ceiling_malloc_ns=9000 ceiling_host_launch_ns= ceiling_pool_malloc_ns=");
    metrics_are(B2, "ceiling_read_gbs=4000");
    metrics_are(A, "ceiling_l2_read_gbs="); /* not even a row */
}

/* Runs from before the latencies have other ceilings. */
LADDER_TEST(a_run_without_latencies)
{
    write_table("r", TABLE_CEILINGS, "launch_ns,Launch,ns,2500,2400,2600,25,1980,ok\n");
    SUCCEEDS(evaluate(METRIC("half", "ceiling_memory_latency_ns / 2", "")), "");
    metrics_are(A, "ceiling_launch_ns=2500 half= ceiling_clear_ns= ceiling_memory_latency_ns= "
                   "ceiling_barrier_ns= ceiling_atomic_ns=");
}

LADDER_TEST(a_run_without_ceilings)
{
    unlink(place("r/ceilings.csv"));
    SUCCEEDS(evaluate(METRIC("half", "ceiling_read_gbs / 2", "")), "");
    metrics_are(A, "ceiling_read_gbs= half= time_ns=100");
}

/* The second recording lacks a kernel; the third is that of a point with one launch. */
LADDER_TEST(what_further_launches_add_is_a_fact)
{
    write_table("r", TABLE_TRACES,
                "0,f,01_a,64,32,0,kernels,1,2,2,,,ok,absent: no\n"
                "1,f,02_b,64,32,1,kernels,1,2,1,,,ok,absent: no\n");
    write_table("r", TABLE_ACTIVITIES,
                "0,0,0,k,0,100\n0,0,1,k,103,110\n0,1,0,k,0,500\n1,0,0,k,0,100\n");
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "later_kernels_ns=10");
    metrics_are(B1, "later_kernels_ns=");
}

/* Only one of the two points ran without pauses. */
LADDER_TEST(what_a_point_needs_without_pauses_is_a_fact)
{
    write_table("r", TABLE_POWER,
                "f,01_a,64,32,0,5000,110,690,700,1440,\"power cap, thermal slowdown by "
                "software\",ok\n");
    SUCCEEDS(evaluate(METRIC("energy", "sustained_power_w * sustained_time_ns", "")), "");
    metrics_are(A, "sustained_time_ns=110 sustained_clock_mhz=1440 energy=75900 power_capped=1");
    metrics_are(B2, "sustained_power_w= power_capped=");
}

/* A clock that kernels have which the limit spares is not lowered by it. */
LADDER_TEST(a_point_as_fast_as_those_that_the_limit_spares_is_not_capped)
{
    write_table("r", TABLE_POWER,
                "f,01_a,64,32,0,5000,110,690,700,1440,power cap,ok\n"
                "f,02_b,64,32,2,5000,110,300,700,100,,ok\n");
    SUCCEEDS(evaluate(""), "");
    metrics_are(A, "sustained_clock_mhz=1440 power_capped=0");
    metrics_are(B2, "sustained_clock_mhz=100 power_capped=0");
}

RUN_TESTS(fixture_open, fixture_close)
