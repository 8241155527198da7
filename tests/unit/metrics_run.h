/*
 * Makes the run of tests/unit/evaluate/test_metrics.c: variants with hand-made counters for typical
 * patterns of access. The kernels are imagined.
 */
#ifndef TESTS_UNIT_METRICS_RUN_H
#define TESTS_UNIT_METRICS_RUN_H

#include "fixture.h"

/* 1000 loads of 16 bytes by pairs of lanes at one address, which need 2000 wavefronts and take
 * 3000; 500 stores of 4 bytes that take 900. The kernel describes its accesses, or does not, or
 * describes fewer wavefronts than it takes; or nothing was counted. */
#define SHARED_COUNTERS(variant, load, store, copied)                                              \
    {variant, "shared_load_instructions", 1000}, {variant, "shared_load_bytes", 512000},           \
        {variant, "shared_wavefronts_load", load}, {variant, "shared_store_instructions", 500},    \
        {variant, "shared_store_bytes", 64000}, {variant, "shared_wavefronts_store", store},       \
        {variant, "shared_instructions", 1500},                                                    \
    {                                                                                              \
        variant, "shared_wavefronts", load + store + copied                                        \
    }

static const struct {
    const char *variant;
    const char *counter;
    double value;
} counters[] = {
    /* 1000 loads of a warp, 32 lanes on neighbouring words: 128 bytes in 4 sectors each. */
    {"01_coalesced", "global_load_instructions", 1000},
    {"01_coalesced", "global_load_sectors", 4000},
    {"01_coalesced", "global_load_bytes", 128000},
    {"01_coalesced", "shared_async_instructions", 0},
    {"01_coalesced", "local_load_sectors", 0},
    {"01_coalesced", "local_store_sectors", 0},
    {"01_coalesced", "sm_cycles_active_mean", 995},
    {"01_coalesced", "sm_cycles_active_most", 1000},
    /* The same bytes with a stride: every lane in a sector of its own. */
    {"02_strided", "global_load_instructions", 1000},
    {"02_strided", "global_load_sectors", 32000},
    {"02_strided", "global_load_bytes", 128000},
    {"02_strided", "local_load_sectors", 12},
    {"02_strided", "local_store_sectors", 30},
    {"02_strided", "sm_cycles_active_mean", 80},
    {"02_strided", "sm_cycles_active_most", 800}, /* one SM of ten */
    /* Wide loads: 16 bytes a lane, 512 bytes in 16 sectors. */
    {"03_wide", "global_load_instructions", 250},
    {"03_wide", "global_load_sectors", 4000},
    {"03_wide", "global_load_bytes", 128000},
    /* All lanes read one word: one sector, and 4 bytes, because shared bytes count once. */
    {"04_broadcast", "global_load_instructions", 1000},
    {"04_broadcast", "global_load_sectors", 1000},
    {"04_broadcast", "global_load_bytes", 4000},
    /* A copy engine loads the data: no load instructions, nothing to divide by. */
    {"05_engine", "global_load_instructions", 0},
    {"05_engine", "global_load_sectors", 0},
    {"05_engine", "global_load_bytes", 0},
    {"05_engine", "sm_cycles_active_mean", 0},
    {"05_engine", "sm_cycles_active_most", 0},
    /* 100 copies whose 32 words are in 16 sectors of as many lines, with 1550 conflicts by lines
     * and others; nothing else but 10 stores of neighbouring words. */
    {"19_copied", "global_load_instructions", 0},
    {"19_copied", "global_load_sectors", 0},
    {"19_copied", "global_load_bytes", 0},
    {"19_copied", "global_store_bytes", 1280},
    {"19_copied", "shared_async_instructions", 100},
    {"19_copied", "async_sectors", 1600},
    {"19_copied", "async_bytes", 12800},
    {"19_copied", "global_lines", 1615}, /* 5 of atomics on one word each */
    {"19_copied", "global_atomics", 2},
    {"19_copied", "global_reductions", 3},
    {"19_copied", "shared_async_conflicts", 1550},
    SHARED_COUNTERS("07_described", 3000, 900, 0),
    SHARED_COUNTERS("08_undescribed", 3000, 900, 0),
    SHARED_COUNTERS("09_wrongly_described", 1900, 500, 0),
    {"07_described", "shared_async_instructions", 0},
    {"08_undescribed", "shared_async_instructions", 0},
    SHARED_COUNTERS("15_counted", 3000, 900, 0),
    SHARED_COUNTERS("16_counted_otherwise", 3000, 900, 0),
    SHARED_COUNTERS("17_without_code", 3000, 900, 0),
    SHARED_COUNTERS("18_counted_in_part", 3000, 900, 0),
    {"15_counted", "shared_async_instructions", 0},
    {"16_counted_otherwise", "shared_async_instructions", 0},
    {"17_without_code", "shared_async_instructions", 0},
    {"18_counted_in_part", "shared_async_instructions", 0},
    /* Matrix loads and stores, and atomics: 100 whose lanes have 25 different words on average, in
     * 31 wavefronts. */
    {"13_other_accesses", "shared_load_instructions", 0},
    {"13_other_accesses", "shared_load_bytes", 0},
    {"13_other_accesses", "shared_wavefronts_load", 0},
    {"13_other_accesses", "shared_store_instructions", 0},
    {"13_other_accesses", "shared_store_bytes", 0},
    {"13_other_accesses", "shared_wavefronts_store", 0},
    {"13_other_accesses", "shared_instructions", 300},
    {"13_other_accesses", "shared_async_instructions", 0},
    {"13_other_accesses", "shared_matrix_load_conflicts", 700},
    {"13_other_accesses", "shared_matrix_store_conflicts", 200},
    {"13_other_accesses", "shared_atomic_instructions", 100},
    {"13_other_accesses", "shared_atomic_bytes", 100 * 16 * 4},
    {"13_other_accesses", "shared_atomic_wavefronts", 3200},
    {"13_other_accesses", "shared_wavefronts", 4300},
    {"13_other_accesses", "shared_conflicts_all", 4050},
    /* Matrix loads among other loads. */
    {"14_matrices", "shared_load_instructions", 900},
    {"14_matrices", "shared_load_bytes", 460800},
    {"14_matrices", "shared_wavefronts_load", 2500},
    {"14_matrices", "shared_store_instructions", 500},
    {"14_matrices", "shared_store_bytes", 64000},
    {"14_matrices", "shared_wavefronts_store", 900},
    {"14_matrices", "shared_instructions", 1500},
    {"14_matrices", "shared_wavefronts", 3900},
    {"14_matrices", "shared_async_instructions", 0},
    {"14_matrices", "shared_matrix_load_wavefronts", 500},
    {"14_matrices", "shared_matrix_load_conflicts", 100},
    {"14_matrices", "shared_matrix_store_wavefronts", 0},
    {"14_matrices", "shared_matrix_store_conflicts", 0},
    {"14_matrices", "shared_atomic_instructions", 0},
    {"14_matrices", "shared_atomic_bytes", 0},
    {"14_matrices", "shared_atomic_wavefronts", 0},
    /* Tensor cores: 200 cycles at the peak of each instruction on bfloat16, 100 on TF32, 50 on
     * halves. */
    {"14_matrices", "mma_bf16_operations", 200 * 20480},
    {"14_matrices", "mma_tf32_operations", 100 * 10240},
    {"14_matrices", "wgmma_bf16_operations", 200 * 40960},
    {"14_matrices", "wgmma_tf32_operations", 100 * 20480},
    {"14_matrices", "wgmma_half_operations", 50 * 40960},
    {"14_matrices", "mma_bf16_peak", 20480},
    {"14_matrices", "mma_tf32_peak", 10240},
    {"14_matrices", "wgmma_bf16_peak", 40960},
    {"14_matrices", "wgmma_tf32_peak", 20480},
    {"14_matrices", "tensor_pipe_pct", 1},
    {"14_matrices", "sm_cycles_elapsed", 3000},
    {"14_matrices", "stall_gmma", 2},
    {"14_matrices", "stall_math_pipe_throttle", 0.5},
    {"14_matrices", "warp_instructions_hw", 80000},
    /* A product of matrices: 3200 of 4000 warp instructions are multiply-adds of whole warps; 500
     * 000 bytes of DRAM for 1 000 000 operations. */
    {"11_product", "warp_instructions_hw", 4000},
    {"11_product", "fp32_fma", 3200 * 32},
    {"11_product", "dram_read_bytes", 400000},
    {"11_product", "dram_write_bytes", 100000},
    /* 8 warps per issue: one issues, 0.5 wait for each reason, but 1.5 for long scoreboard; 0.5 are
     * left. */
    {"11_product", "stall_total", 8},
    {"11_product", "stall_barrier", 0.5},
    {"11_product", "stall_long_scoreboard", 1.5},
    {"11_product", "stall_short_scoreboard", 0.5},
    {"11_product", "stall_mio_throttle", 0.5},
    {"11_product", "stall_lg_throttle", 0.5},
    {"11_product", "stall_math_pipe_throttle", 0.5},
    {"11_product", "stall_dispatch_stall", 0.5},
    {"11_product", "stall_wait", 0.5},
    {"11_product", "stall_no_instruction", 0.5},
    {"11_product", "stall_branch_resolving", 0.5},
    {"11_product", "stall_not_selected", 0.5},
    /* The demand on each resource, at 10 SMs and 1000 MHz: loads without excess by their bytes, 400
     * excess wavefronts of stores, and copies with 1300 of 1700; 100 more bypass the L1 cache. */
    SHARED_COUNTERS("12_demanding", 3000, 900, 1800),
    {"12_demanding", "shared_async_conflicts", 1300},
    {"12_demanding", "shared_bypass_wavefronts", 100},
    {"12_demanding", "shared_async_wavefronts", 1700},
    {"12_demanding", "shared_async_instructions", 100},
    {"12_demanding", "dram_read_bytes", 4000},
    {"12_demanding", "dram_write_bytes", 1000},
    {"12_demanding", "l2_sm_sectors", 1000},
    {"12_demanding", "warp_instructions_hw", 80000},
    {"12_demanding", "fp32_add", 12800},
    {"12_demanding", "fp32_mul", 25600},
    {"12_demanding", "fp32_fma", 128000},
    {"12_demanding", "tensor_pipe_pct", 50},
    {"12_demanding", "sm_cycles_elapsed", 3000},
    /* Rounding in other passes must not give negative values; nothing moved, nothing issued. */
    {"05_engine", "stall_total", 1},
    {"05_engine", "warp_instructions_hw", 0},
    {"05_engine", "fp32_fma", 0},
    {"05_engine", "dram_read_bytes", 0},
    {"05_engine", "dram_write_bytes", 0},
    {"05_engine", "stall_barrier", 0},
    {"05_engine", "stall_long_scoreboard", 0},
    {"05_engine", "stall_short_scoreboard", 0},
    {"05_engine", "stall_mio_throttle", 0},
    {"05_engine", "stall_lg_throttle", 0},
    {"05_engine", "stall_math_pipe_throttle", 0},
    {"05_engine", "stall_dispatch_stall", 0},
    {"05_engine", "stall_wait", 0.01},
    {"05_engine", "stall_no_instruction", 0},
    {"05_engine", "stall_branch_resolving", 0},
    {"05_engine", "stall_not_selected", 0},
};

static const char *const variants[] = {"01_coalesced",
                                       "02_strided",
                                       "03_wide",
                                       "04_broadcast",
                                       "05_engine",
                                       "06_uncounted",
                                       "07_described",
                                       "08_undescribed",
                                       "09_wrongly_described",
                                       "10_uncounted_described",
                                       "11_product",
                                       "12_demanding",
                                       "13_other_accesses",
                                       "14_matrices",
                                       "15_counted",
                                       "16_counted_otherwise",
                                       "17_without_code",
                                       "18_counted_in_part",
                                       "19_copied"};

/* The kernels whose single instructions were counted, and their accesses to shared memory: a load
 * of 16 bytes with conflicts, one below its ideal, a store, and a matrix load, which is none of
 * both. */
static const char kernels[] = "0,f,15_counted,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "1,f,16_counted_otherwise,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "2,f,17_without_code,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "3,f,18_counted_in_part,64,256,0,0,k,k,ok,ok,1,32,0,0,0,ok,ok\n"
                              "4,f,18_counted_in_part,64,256,0,1,k,k,absent,ok,1,32,0,0,0,ok,ok\n",
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
                                   "3,16,,,,\"STS [R3], R1\",500,,,,,900,500,,,,,,\n";

enum { VARIANT_COUNT = sizeof variants / sizeof *variants };

static void make_metrics_run(void)
{
    struct text names = {0}, points = {0}, launches = {0}, samples = {0}, values = {0}, facts = {0};
    make_run("r");
    text_format(&facts,
                "%sdevice_registers_per_sm: 65536\ndevice_shared_bytes_per_sm: "
                "233472\ndevice_sm_clock_khz: 1500000\ndevice_max_threads_per_sm: "
                "2048\ndevice_l2_bytes: 1000000\n",
                run_facts);
    write_text("r/run.txt", text_string(&facts));
    for (int v = 0; v < VARIANT_COUNT; v++) {
        text_format(&names, "f,%s,%d,T,,kernel\n", variants[v], v + 1);
        text_format(&points, "f,%s,64,256,0,ok,,1000000,1000000,1\n", variants[v]);
        for (int i = 0; i < 8; i++)
            text_format(&samples, "f,%s,64,256,0,cold,end_to_end,a,%d,%d,1000,ok\n", variants[v], i,
                        1000 * (v + 1));
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
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        text_format(&values, "f,%s,64,256,0,0,0,mission,1,%s,x,%.9g,ok\n", counters[i].variant,
                    counters[i].counter, counters[i].value);
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
    text_free(&names);
    text_free(&points);
    text_free(&launches);
    text_free(&samples);
    text_free(&values);
    text_free(&facts);
}

#endif
