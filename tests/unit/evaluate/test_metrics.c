/*
 * Tests the formulas under metrics/ over hand-made counters: the results for typical patterns of
 * access. The kernels are imagined, and the arithmetic is done by hand.
 */
#include "fixture.h"

#include "evaluate/evaluate.h"

/* ---- the run --------------------------------------------------------------------------------- */

/* 1000 loads of 16 bytes by pairs of lanes at one address, which need 2000 wavefronts and take
 * 3000; 500 stores of 4 bytes that take 900. The kernel describes its accesses, or does not, or
 * describes fewer wavefronts than it takes; or nothing was counted. */
#define SHARED_COUNTERS(load, store, all)                                                          \
    "shared_load_instructions=1000 shared_load_bytes=512000 shared_wavefronts_load=" #load         \
    " shared_store_instructions=500 shared_store_bytes=64000 shared_wavefronts_store=" #store      \
    " shared_instructions=1500 shared_wavefronts=" #all
#define GLOBAL_LOADS(instructions, sectors, bytes)                                                 \
    "global_load_instructions=" #instructions " global_load_sectors=" #sectors                     \
    " global_load_bytes=" #bytes

#define REPORTED(copies)                                                                           \
    "shared_async_instructions=" #copies " shared_atomic_instructions=0 shared_wavefronts=2977"

/* The variants of the run, and their counters; the time of each is its number in us. */
static const struct {
    const char *variant, *counters;
} made[] = {
    /* 1000 loads of a warp, 32 lanes on neighbouring words: 128 bytes in 4 sectors each. */
    {"01_coalesced",
     "shared_async_instructions=0 local_load_sectors=0 local_store_sectors=0 "
     "sm_cycles_active_mean=995 sm_cycles_active_most=1000 " GLOBAL_LOADS(1000, 4000, 128000)},
    /* The same bytes with a stride: every lane in a sector of its own, on one SM of ten. */
    {"02_strided", "local_load_sectors=12 local_store_sectors=30 sm_cycles_active_mean=80 "
                   "sm_cycles_active_most=800 " GLOBAL_LOADS(1000, 32000, 128000)},
    /* Wide loads: 16 bytes a lane, 512 bytes in 16 sectors. */
    {"03_wide", GLOBAL_LOADS(250, 4000, 128000)},
    /* All lanes read one word: one sector, and 4 bytes, because shared bytes count once. */
    {"04_broadcast", GLOBAL_LOADS(1000, 1000, 4000)},
    /* A copy engine loads the data: no load instructions, nothing to divide by. Rounding in other
     * passes must not give negative values; nothing moved, nothing issued. */
    {"05_engine",
     "sm_cycles_active_mean=0 sm_cycles_active_most=0 stall_total=1 warp_instructions_hw=0 "
     "fp32_fma=0 dram_read_bytes=0 dram_write_bytes=0 stall_barrier=0 stall_long_scoreboard=0 "
     "stall_short_scoreboard=0 stall_mio_throttle=0 stall_lg_throttle=0 stall_math_pipe_throttle=0 "
     "stall_dispatch_stall=0 stall_wait=0.01 stall_no_instruction=0 stall_branch_resolving=0 "
     "stall_not_selected=0 " GLOBAL_LOADS(0, 0, 0)},
    {"06_uncounted", ""},
    {"07_described", "shared_async_instructions=0 " SHARED_COUNTERS(3000, 900, 3900)},
    {"08_undescribed", "shared_async_instructions=0 " SHARED_COUNTERS(3000, 900, 3900)},
    {"09_wrongly_described", SHARED_COUNTERS(1900, 500, 2400)},
    {"10_uncounted_described", ""},
    /* A product of matrices: 3200 of 4000 warp instructions are multiply-adds of whole warps;
     * 500 000 bytes of DRAM for 1 000 000 operations. 8 warps per issue: one issues, 0.5 wait for
     * each reason, but 1.5 for long scoreboard; 0.5 are left. */
    {"11_product",
     "warp_instructions_hw=4000 fp32_fma=102400 dram_read_bytes=400000 dram_write_bytes=100000 "
     "stall_total=8 stall_barrier=0.5 stall_long_scoreboard=1.5 stall_short_scoreboard=0.5 "
     "stall_mio_throttle=0.5 stall_lg_throttle=0.5 stall_math_pipe_throttle=0.5 "
     "stall_dispatch_stall=0.5 stall_wait=0.5 stall_no_instruction=0.5 stall_branch_resolving=0.5 "
     "stall_not_selected=0.5"},
    /* The demand on each resource, at 10 SMs and 1000 MHz: loads without excess by their bytes, 400
     * excess wavefronts of stores, and copies with 1300 of 1700; 100 more bypass the L1 cache. */
    {"12_demanding",
     "shared_async_conflicts=1300 shared_bypass_wavefronts=100 shared_async_wavefronts=1700 "
     "shared_async_instructions=100 dram_read_bytes=4000 dram_write_bytes=1000 l2_sm_sectors=1000 "
     "warp_instructions_hw=80000 fp32_add=12800 fp32_mul=25600 fp32_fma=128000 tensor_pipe_pct=50 "
     "sm_cycles_elapsed=3000 " SHARED_COUNTERS(3000, 900, 5700)},
    /* Matrix loads and stores, and atomics: 100 whose lanes have 25 different words on average, in
     * 31 wavefronts. */
    {"13_other_accesses",
     "shared_load_instructions=0 shared_load_bytes=0 shared_wavefronts_load=0 "
     "shared_store_instructions=0 shared_store_bytes=0 shared_wavefronts_store=0 "
     "shared_instructions=300 shared_async_instructions=0 shared_matrix_load_conflicts=700 "
     "shared_matrix_store_conflicts=200 shared_atomic_instructions=100 shared_atomic_bytes=6400 "
     "shared_atomic_wavefronts=3200 shared_wavefronts=4300 shared_conflicts_all=4050"},
    /* Matrix loads among other loads. Tensor cores: 200 cycles at the peak of each instruction on
     * bfloat16, 100 on TF32, 50 on halves. */
    {"14_matrices",
     "shared_load_instructions=900 shared_load_bytes=460800 shared_wavefronts_load=2500 "
     "shared_store_instructions=500 shared_store_bytes=64000 shared_wavefronts_store=900 "
     "shared_instructions=1500 shared_wavefronts=3900 shared_async_instructions=0 "
     "shared_matrix_load_wavefronts=500 shared_matrix_load_conflicts=100 "
     "shared_matrix_store_wavefronts=0 shared_matrix_store_conflicts=0 "
     "shared_atomic_instructions=0 shared_atomic_bytes=0 shared_atomic_wavefronts=0 "
     "mma_bf16_operations=4096000 mma_tf32_operations=1024000 wgmma_bf16_operations=8192000 "
     "wgmma_tf32_operations=2048000 wgmma_half_operations=2048000 mma_bf16_peak=20480 "
     "mma_tf32_peak=10240 wgmma_bf16_peak=40960 wgmma_tf32_peak=20480 tensor_pipe_pct=50 "
     "tensor_pipe_cycles=20000 sm_cycles_elapsed=3000 stall_gmma=2 stall_math_pipe_throttle=0.5 "
     "warp_instructions_hw=80000"},
    {"15_counted", "shared_async_instructions=0 " SHARED_COUNTERS(3000, 900, 3900)},
    {"16_counted_otherwise", "shared_async_instructions=0 " SHARED_COUNTERS(3000, 900, 3900)},
    {"17_without_code", "shared_async_instructions=0 " SHARED_COUNTERS(3000, 900, 3900)},
    {"18_counted_in_part", "shared_async_instructions=0 " SHARED_COUNTERS(3000, 900, 3900)},
    /* 100 copies whose 32 words are in 16 sectors of as many lines, with 1550 conflicts by lines
     * and others; nothing else but 10 stores of neighbouring words, and 5 lines of atomics on one
     * word each. */
    {"19_copied", "global_store_bytes=1280 shared_async_instructions=100 async_sectors=1600 "
                  "async_bytes=12800 global_lines=1615 global_atomics=2 global_reductions=3 "
                  "shared_async_conflicts=1550 shared_conflicts_all=1700 " SHARED_COUNTERS(
                      4000, 900, 6700) " " GLOBAL_LOADS(0, 0, 0)},
    /* As from a report of Nsight Compute, which has no bytes, and no sectors and wavefronts of
     * loads and stores by themselves. */
    {"20_reported", REPORTED(0)},
    {"21_reported_without_code", REPORTED(0)},
    {"22_reported_copies", "global_lines=475 global_atomics=0 global_reductions=0 " REPORTED(100)},
/* 500 accesses to shared memory and 600 whose lanes are all off; 1000 loads of neighbouring
 * words, 250 copies of 512 bytes that bypass the L1 cache, and 8 lines of local memory. Barriers
 * and shuffles take the rest of the data stage. Then the same loads, each of 32 lines. */
#define DATA_STAGE(wavefronts, async, lines)                                                       \
    "l1_wavefronts=" #wavefronts " shared_async_instructions=" #async " global_lines=" #lines      \
    " shared_load_instructions=300 shared_store_instructions=200 "
    {"20_barriers", "shared_load_instructions_hw=800 shared_store_instructions_hw=300 "
                    "shared_wavefronts=500 local_load_sectors=20 local_store_sectors=12 "
                    "async_bytes=0 " DATA_STAGE(4000, 0, 1000)},
    {"21_bypassing",
     "shared_load_instructions_hw=550 shared_store_instructions_hw=200 "
     "shared_wavefronts=1500 local_load_sectors=20 local_store_sectors=12 "
     "async_bytes=128000 shared_bypass_wavefronts=1000 " DATA_STAGE(3000, 250, 2000)},
    {"22_far_apart", "shared_load_instructions_hw=800 shared_store_instructions_hw=300 "
                     "shared_wavefronts=500 local_load_sectors=0 local_store_sectors=0 "
                     "async_bytes=0 " DATA_STAGE(10100, 0, 32000)},
};

/* The kernels whose single instructions were counted, and their accesses to shared memory: a load
 * of 16 bytes with conflicts, one below its ideal, a store, and a matrix load, which is none of
 * both. */
static const char kernels[] = "0,f,15_counted,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "1,f,16_counted_otherwise,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "2,f,17_without_code,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "3,f,18_counted_in_part,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "4,f,18_counted_in_part,64,256,0,1,k,k,absent,ok,1,32,0,0,0,ok,ok\n"
                              "5,f,20_reported,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "6,f,21_reported_without_code,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "7,f,22_reported_copies,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n",
                  instructions[] = "0,0,,,,\"LDS.128 R4, [R2]\",500,,,,,2000,1500,,,,,,\n"
                                   "0,16,,,,\"@P0 LDS.64 R4, [R3]\",500,,,,,1000,1200,,,,,,\n"
                                   "0,32,,,,\"STS [R3], R1\",500,,,,,900,500,,,,,,\n"
                                   "0,48,,,,\"LDSM.16.M88 R4, [R2]\",7,,,,,77,7,,,,,,\n"
                                   "0,64,,,,EXIT,500,,,,,0,0,,,,,,\n"
                                   "1,0,,,,\"LDS.128 R4, [R2]\",500,,,,,5000,1500,,,,,,\n"
                                   "1,16,,,,\"STS [R3], R1\",500,,,,,900,500,,,,,,\n"
                                   "2,0,,,,\"LDS.128 R4, [R2]\",500,,,,,3000,1500,,,,,,\n"
                                   "2,16,,,,,500,,,,,900,500,,,,,,\n"
                                   "3,0,,,,\"LDS.128 R4, [R2]\",500,,,,,3000,1500,,,,,,\n"
                                   "3,16,,,,\"STS [R3], R1\",500,,,,,900,500,,,,,,\n"
                                   "5,0,,,,\"LDS.128 R4, [R2]\",500,,,,,2000,1500,,,,,,\n"
                                   "5,16,,,,\"LDSM.16.M88 R4, [R2]\",7,,,,,77,7,,,,,,\n"
                                   "5,32,,,,\"STS [R3], R1\",500,,,,,900,500,,,,,,\n"
                                   "5,48,,,,\"LDG.E R4, [R2]\",250,,,,,,,4000,1000,,,,\n"
                                   "5,64,,,,\"STG.E [R2], R4\",100,,,,,,,900,400,,,,\n"
                                   "5,80,,,,\"ATOMG.E.ADD R1, [R2], R4\",1,,,,,,,50,10,,,,\n"
                                   "5,96,,,,\"LDL R1, [R1]\",20,,,,,,,,,80,,,\n"
                                   "6,0,,,,,500,,,,,2000,1500,,,,,,\n"
                                   "6,16,,,,,7,,,,,77,7,,,,,,\n"
                                   "6,32,,,,,500,,,,,900,500,,,,,,\n"
                                   "6,48,,,,,250,,,,,,,4000,1000,,,,\n"
                                   "7,0,,,,\"LDGSTS.E [R3], [R2]\",100,,,,,1500,100,1600,400,,,,\n";

static void make_metrics_run(void)
{
    OWNED_BY(text_free) struct text names = {0}, points = {0}, launches = {0};
    OWNED_BY(text_free) struct text samples = {0}, values = {0}, facts = {0};
    make_run("r");
    text_format(&facts,
                "%sdevice_registers_per_sm: 65536\ndevice_shared_bytes_per_sm: "
                "233472\ndevice_sm_clock_khz: 1500000\ndevice_max_threads_per_sm: "
                "2048\ndevice_l2_bytes: 1000000\n",
                run_facts);
    write_text("r/run.txt", text_string(&facts));
    for (size_t v = 0; v < sizeof made / sizeof *made; v++) {
        const char *variant = made[v].variant, *words = made[v].counters;
        text_format(&names, "f,%s,%zu,T,,kernel\n", variant, v + 1);
        text_format(&points, "f,%s,64,256,0,ok,,1000000,1000000,1\n", variant);
        for (int i = 0; i < 8; i++)
            text_format(&samples, "f,%s,64,256,0,cold,end_to_end,a,%d,%zu,1000,ok\n", variant, i,
                        1000 * (v + 1));
        for (struct word word; next_word(&words, &word);)
            text_format(&values, "f,%s,64,256,0,0,0,mission,1,%s,x,%s,ok\n", variant, word.name,
                        word.value);
    }
    text_append(&names, "f,90_library,90,L,,library\n");
    text_append(&points, "f,90_library,64,256,0,ok,,1000000,1000000,2\n");
    for (int i = 0; i < 8; i++)
        text_format(&samples, "f,90_library,64,256,0,cold,end_to_end,a,%d,%d,1000,ok\n", i,
                    1500 + 10 * i);
    /* 32 registers, 1024 bytes of static and 4096 of dynamic shared memory; 8 blocks of 256
     * threads on an SM. */
    text_append(&launches, "f,01_coalesced,64,256,0,0,16,256,32,1024,4096,0,8,100,warps\n");
    static const char *const described[] = {"07_described", "09_wrongly_described",
                                            "10_uncounted_described"};
    for (size_t i = 0; i < sizeof described / sizeof *described; i++)
        text_format(
            &launches,
            "f,%s,64,256,0,0,16,256,32,0,4096,0,8,100,warps,1400,1024,0,0,0,0,3000,900,2000,500\n",
            described[i]);
    write_variants("r", text_string(&names));
    write_table("r", TABLE_POINTS, text_string(&points));
    write_table("r", TABLE_LAUNCHES, text_string(&launches));
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    write_table("r", TABLE_COUNTERS, text_string(&values));
    write_table("r", TABLE_KERNELS, kernels);
    write_table("r", TABLE_LINES, instructions);
    write_table(
        "r", TABLE_CEILINGS,
        "read_gbs,R,GB/s,10,9,11,25,1000,ok\nwrite_gbs,W,GB/s,5,4,6,25,1000,ok\nl2_read_gbs,L,GB/"
        "s,2000,1900,2100,25,1000,ok\n"
        "launch_ns,E,ns,3000,2900,3100,25,1000,ok\nnext_launch_ns,N,ns,1000,900,1100,25,1000,ok\n");
}

/* ---- its metrics ----------------------------------------------------------------------------- */

static void metrics_are(const char *variant, const char *words)
{
    char key[64];
    snprintf(key, sizeof key, "f,%s,64", variant);
    cells_are("r/metrics.csv", key, words);
}

static int evaluated(void **state)
{
    struct run run;
    if (fixture_open(state)) return -1;
    make_metrics_run();
    setenv("WHYFAST_DATA", root(), 1);
    if (run_open(&run, place("r"))) return -1;
    const int result = evaluate_run(&run);
    run_close(&run);
    return result;
}

TEST(sectors_of_global_reads)
{
#define SECTORS(per_request, excess, use_pct)                                                      \
    "sectors_per_request=" #per_request " global_excess_sectors=" #excess                          \
    " global_sector_use_pct=" #use_pct
    metrics_are("01_coalesced", SECTORS(4, 0, 100));
    metrics_are("02_strided", SECTORS(32, 28000, 12.5));
    metrics_are("03_wide", SECTORS(16, 0, 100));
    metrics_are("04_broadcast", SECTORS(1, 875, 12.5));
    metrics_are("05_engine", SECTORS(, 0, ));
    metrics_are("06_uncounted", SECTORS(, , ));
    metrics_are("19_copied", SECTORS(, 1200, ));
    metrics_are("19_copied", "loaded_by_used=4 line_wavefronts=1500");
    metrics_are("01_coalesced", "line_wavefronts=0");
    metrics_are("12_demanding", "line_wavefronts=");
}

#define EXCESS(load, store, both, exact, least, ways)                                              \
    "load_excess_wavefronts=" #load " store_excess_wavefronts=" #store                             \
    " shared_excess_wavefronts=" #both " shared_excess_exact=" #exact                              \
    " shared_excess_least=" #least " shared_conflict_ways=" #ways

TEST(what_a_report_counts_by_instruction_alone)
{
    metrics_are("20_reported", EXCESS(500, 400, 970, 1, 970, 1.4833084205));
    metrics_are("20_reported",
                "matrix_excess_wavefronts=70 conflict_wavefronts=970 global_excess_sectors=3000 "
                "loaded_by_used=4 store_excess_sectors=500 stored_by_used=2.25 "
                "global_read_sectors=4000 global_written_sectors=900 local_sectors=80 "
                "requested_sectors=4980");
    /* The kinds of accesses are not known, but there are neither copies nor atomics. */
    metrics_are("21_reported_without_code", EXCESS(, , 970, 1, 970, 1.4833084205));
    metrics_are("21_reported_without_code",
                "global_excess_sectors= store_excess_sectors= local_sectors=0");
    /* 475 lines of which the bytes fill 100: 375 of the 1400 wavefronts are no conflicts. */
    metrics_are("22_reported_copies",
                "global_read_sectors=1600 global_excess_sectors=1200 loaded_by_used=4 "
                "async_excess_wavefronts=1400 line_wavefronts=375 shared_excess_wavefronts=1025");
}

TEST(sectors_of_local_memory)
{
    metrics_are("01_coalesced", "local_sectors=0");
    metrics_are("02_strided", "local_sectors=42");
    metrics_are("03_wide", "local_sectors=");
}

TEST(coverage_of_the_multiprocessors)
{
    metrics_are("01_coalesced", "sm_coverage_pct=99.5");
    metrics_are("02_strided", "sm_coverage_pct=10");
    metrics_are("03_wide", "sm_coverage_pct=");
    metrics_are("05_engine", "sm_coverage_pct="); /* no cycle at all: nothing to divide by */
}

TEST(what_the_resident_blocks_hold)
{
    metrics_are("01_coalesced",
                "resident_threads=2048 register_file_kib=256 shared_memory_kib=228");
    /* 2048 threads x 32 registers x 4 bytes, and 8 blocks x 5 KiB. */
    metrics_are("01_coalesced", "resident_register_kib=256 resident_shared_kib=40");
    /* The files are the device's, for every rung. */
    metrics_are("02_strided", "resident_threads= sm_count=10 register_file_kib=256");
}

TEST(excess_wavefronts)
{
    metrics_are("07_described", EXCESS(1000, 400, 1400, 1, 1400, 1.56)); /* 3900 of 2500 */
    /* By its bytes such a load needs four wavefronts, which any access may take. */
    metrics_are("08_undescribed", EXCESS(0, 400, 400, 0, 0, 1.1142857143)); /* 3900 of 3500 */
    /* Fewer than the least, which is impossible. */
    metrics_are("09_wrongly_described", EXCESS(, 0, , , , ));
    metrics_are("10_uncounted_described", EXCESS(, , , , , ));
    metrics_are("06_uncounted", EXCESS(, , , , , ));
    metrics_are("15_counted", EXCESS(500, 400, 900, 1, 900, 1.3));
    /* The launch with counts of instructions did something else. */
    metrics_are("16_counted_otherwise", EXCESS(0, 400, 400, 0, 0, 1.1142857143));
    metrics_are("17_without_code", EXCESS(0, 400, 400, 0, 0, 1.1142857143));
    metrics_are("18_counted_in_part", EXCESS(0, 400, 400, 0, 0, 1.1142857143));
    assert_string_equal(cell("r/impossible.csv",
                             "f,09_wrongly_described,64,256,0,0,bound,load_excess_wavefronts",
                             "numbers"),
                        "load_excess_wavefronts = -100");
    metrics_are("10_uncounted_described", "closed_form_excess_wavefronts=1400");
    metrics_are("08_undescribed", "closed_form_excess_wavefronts=");
    metrics_are("15_counted", "counted_load_wavefronts=3000");
    metrics_are("16_counted_otherwise", "counted_store_excess=400");
    metrics_are("17_without_code", "counted_store_excess=");
    metrics_are("18_counted_in_part", "counted_load_wavefronts=");
}

TEST(conflicts_of_every_kind)
{
    /* 1600 of the 3200 wavefronts of the atomics are those of one word. */
    metrics_are("13_other_accesses",
                "matrix_excess_wavefronts=900 atomic_excess_wavefronts=3100 "
                "same_word_wavefronts=1600 shared_excess_wavefronts=2400 shared_excess_least=2400 "
                "shared_conflicts_hw=4050 demand_same_word_ns=160");
    metrics_are("07_described", "same_word_wavefronts=0");
    metrics_are("12_demanding", "async_excess_wavefronts=1300");
    /* Nobody counted the conflicts of the copies: they are not 0. */
    metrics_are("09_wrongly_described", "async_excess_wavefronts=");
}

/* The same loads have the same wavefronts, whatever else the data stage serves. */
TEST(wavefronts_of_global_memory)
{
    metrics_are("20_barriers", "off_wavefronts=600 global_wavefronts=1008");
    metrics_are("21_bypassing", "off_wavefronts=0 global_wavefronts=1008");
    metrics_are("22_far_apart", "global_wavefronts=9000");
}

TEST(work_of_tensor_cores)
{
    metrics_are("14_matrices",
                "tensor_operations=17408000 tensor_operations_per_useful=17.408 mma_peak_pct=50 "
                "tensor_cycles=650 demand_tensor_ns=650 tensor_wait_cycles=5000 " /* 500 busy */
                "tensor_short_pct=82.3529411765");
    metrics_are("14_matrices", "tensor_peak_pct=4.6428571429"); /* 650 ns of 14 us */
    metrics_are("12_demanding", "tensor_cycles="); /* its time is that of the busy pipe */
    metrics_are("12_demanding", "demand_tensor_ns=1500");
}

/* 10 SMs of 128 lanes at 1.5 GHz. */
TEST(speed_in_operations)
{
    metrics_are("01_coalesced", "tflops=1"); /* 1e6 operations in 1000 ns */
    metrics_are("02_strided", "tflops=0.5 tflops_low=0.5 tflops_high=0.5 fp32_peak_tflops=3.84 "
                              "tflops_pct_peak=13.0208333333 tensor_bf16_peak_tflops=61.44 "
                              "sm_clock_pct=66.6666666667 tflops_pct_peak_at_clock=19.53125");
    metrics_are("02_strided", "unit_peak_tflops=3.84"); /* the family names no unit */
    /* By the slow end of its times, 1570 ns, and by the fast one. */
    metrics_are("90_library", "tflops_low=0.636942675159 tflops_high=0.666666666667");
}

TEST(arithmetic_and_what_it_costs)
{
    metrics_are("11_product", "fma_share_pct=80 arithmetic_intensity=2");
    /* No instruction, no byte: nothing to divide by. */
    metrics_are("05_engine", "fma_share_pct= arithmetic_intensity=");
    metrics_are("06_uncounted", "fma_share_pct= arithmetic_intensity=");
}

TEST(stalls_that_have_no_name)
{
    metrics_are("11_product", "stall_other=0.5");
    metrics_are("05_engine", "stall_other=0");
    metrics_are("06_uncounted", "stall_other=");
}

TEST(speed_beside_the_library)
{
    metrics_are("01_coalesced", "library_time_ns=1535 speedup_library=1.535 "
                                "speedup_library_low=1.5 speedup_library_high=1.57");
    metrics_are("02_strided", "speedup_library=0.7675");
    metrics_are("90_library",
                "speedup_library=1 speedup_library_low=1 effective_gbs=651.465798046");
}

/* The hardware counts 1700 conflicts, of which 1500 are those of copies from several lines. */
TEST(estimated_conflicts_are_no_more_than_the_hardware_counts)
{
    metrics_are("19_copied", "shared_excess_exact=0 shared_excess_wavefronts=450 "
                             "conflict_wavefronts=200 demand_conflicts_ns=20");
}

/* 10 SMs at 1000 MHz: ten wavefronts, 40 warp instructions, 1280 lanes in a nanosecond. */
TEST(what_each_resource_would_need)
{
    metrics_are(
        "12_demanding",
        "demand_dram_ns=600 demand_l2_ns=16 demand_conflicts_ns=170 demand_shared_ns=390 "
        "demand_issue_ns=2000 demand_fma_ns=130 demand_tensor_ns=1500 demand_launch_ns=3000");
    metrics_are("90_library", "demand_launch_ns=4000"); /* two launches */
    metrics_are("06_uncounted",
                "demand_dram_ns= demand_l2_ns= demand_shared_ns= demand_conflicts_ns= "
                "demand_issue_ns= demand_fma_ns= demand_tensor_ns=");
    metrics_are("07_described", "demand_conflicts_ns=140");
    metrics_are("01_coalesced", "shared_peak_gbs=1920");
}

RUN_TESTS(evaluated, fixture_close)
