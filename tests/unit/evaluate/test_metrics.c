/*
 * Tests the formulas under metrics/ over hand-made counters (metrics_run.h): the results for
 * typical patterns of access. The arithmetic is done by hand.
 */
#include "metrics_run.h"

#include <math.h>

#include "evaluate/evaluate.h"

static double metric(const char *variant, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "f,%s,64", variant);
    const char *text = cell("r/metrics.csv", key, name);
    char *end;
    const double value = strtod(text, &end);
    if (*text && *end) fail_msg("%s of %s: '%s'", name, variant, text);
    return *text ? value : NAN;
}

static void is(const char *variant, const char *name, double expected)
{
    const double value = metric(variant, name);
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-8 * fabs(expected)))
        fail_msg("%s of %s is %.9g instead of %.9g", name, variant, value, expected);
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
    static const struct {
        const char *variant;
        double per_request, excess, use_pct;
    } rows[] = {
        {"01_coalesced", 4, 0, 100},   {"02_strided", 32, 28000, 12.5},
        {"03_wide", 16, 0, 100},       {"04_broadcast", 1, 875, 12.5},
        {"05_engine", NAN, 0, NAN},    {"06_uncounted", NAN, NAN, NAN},
        {"19_copied", NAN, 1200, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is(rows[i].variant, "sectors_per_request", rows[i].per_request);
        is(rows[i].variant, "global_excess_sectors", rows[i].excess);
        is(rows[i].variant, "global_sector_use_pct", rows[i].use_pct);
    }
    is("19_copied", "loaded_by_used", 4);
    is("19_copied", "line_wavefronts", 1500);
    is("01_coalesced", "line_wavefronts", 0);
    is("12_demanding", "line_wavefronts", NAN);
}

TEST(sectors_of_local_memory)
{
    is("01_coalesced", "local_sectors", 0);
    is("02_strided", "local_sectors", 42);
    is("03_wide", "local_sectors", NAN);
}

TEST(coverage_of_the_multiprocessors)
{
    is("01_coalesced", "sm_coverage_pct", 99.5);
    is("02_strided", "sm_coverage_pct", 10);
    is("03_wide", "sm_coverage_pct", NAN);
    is("05_engine", "sm_coverage_pct", NAN); /* no cycle at all: nothing to divide by */
}

TEST(what_the_resident_blocks_hold)
{
    is("01_coalesced", "resident_threads", 2048);
    is("01_coalesced", "resident_register_kib", 256); /* 2048 threads x 32 registers x 4 bytes */
    is("01_coalesced", "resident_shared_kib", 40);    /* 8 blocks x 5 KiB */
    is("01_coalesced", "register_file_kib", 256);
    is("01_coalesced", "shared_memory_kib", 228);
    is("02_strided", "resident_threads", NAN);
    is("02_strided", "register_file_kib", 256); /* of the device, for every rung */
    is("02_strided", "sm_count", 10);
}

TEST(excess_wavefronts)
{
    static const struct {
        const char *variant;
        double load, store, both, exact, least, ways;
    } rows[] = {
        {"07_described", 1000, 400, 1400, 1, 1400, 3900.0 / 2500},
        /* By its bytes such a load needs four wavefronts, which any access may take. */
        {"08_undescribed", 0, 400, 400, 0, 0, 3900.0 / 3500},
        /* Fewer than the least, which is impossible. */
        {"09_wrongly_described", NAN, 0, NAN, NAN, NAN, NAN},
        {"10_uncounted_described", NAN, NAN, NAN, NAN, NAN, NAN},
        {"06_uncounted", NAN, NAN, NAN, NAN, NAN, NAN},
        {"15_counted", 500, 400, 900, 1, 900, 3900.0 / 3000},
        /* The launch with counts of instructions did something else. */
        {"16_counted_otherwise", 0, 400, 400, 0, 0, 3900.0 / 3500},
        {"17_without_code", 0, 400, 400, 0, 0, 3900.0 / 3500},
        {"18_counted_in_part", 0, 400, 400, 0, 0, 3900.0 / 3500},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is(rows[i].variant, "load_excess_wavefronts", rows[i].load);
        is(rows[i].variant, "store_excess_wavefronts", rows[i].store);
        is(rows[i].variant, "shared_excess_wavefronts", rows[i].both);
        is(rows[i].variant, "shared_excess_exact", rows[i].exact);
        is(rows[i].variant, "shared_excess_least", rows[i].least);
        is(rows[i].variant, "shared_conflict_ways", rows[i].ways);
    }
    assert_string_equal(cell("r/impossible.csv",
                             "f,09_wrongly_described,64,256,0,0,bound,load_excess_wavefronts",
                             "numbers"),
                        "load_excess_wavefronts = -100");
    is("10_uncounted_described", "closed_form_excess_wavefronts", 1400);
    is("08_undescribed", "closed_form_excess_wavefronts", NAN);
    is("15_counted", "counted_load_wavefronts", 3000);
    is("16_counted_otherwise", "counted_store_excess", 400);
    is("17_without_code", "counted_store_excess", NAN);
    is("18_counted_in_part", "counted_load_wavefronts", NAN);
}

TEST(conflicts_of_every_kind)
{
    const double same_word = 3100 * (3200 - 1600) / 3100.0;
    is("13_other_accesses", "matrix_excess_wavefronts", 900);
    is("13_other_accesses", "atomic_excess_wavefronts", 3100);
    is("13_other_accesses", "same_word_wavefronts", same_word);
    is("13_other_accesses", "shared_excess_wavefronts", 900 + 3100 - same_word);
    is("13_other_accesses", "shared_excess_least", 900 + 3100 - 1600);
    is("13_other_accesses", "shared_conflicts_hw", 4050);
    is("13_other_accesses", "demand_same_word_ns", same_word / 10);
    is("07_described", "same_word_wavefronts", 0);
    is("12_demanding", "async_excess_wavefronts", 1300);
    /* Nobody counted the conflicts of the copies: they are not 0. */
    is("09_wrongly_described", "async_excess_wavefronts", NAN);
}

TEST(work_of_tensor_cores)
{
    is("14_matrices", "tensor_operations", 17408000);
    is("14_matrices", "tensor_operations_per_useful", 17.408);
    is("14_matrices", "mma_peak_pct", 50);
    is("14_matrices", "tensor_cycles", 200 + 100 + 200 + 100 + 50);
    is("14_matrices", "tensor_peak_pct", 100 * 650.0 / 14000); /* of 14 us at 1000 MHz */
    is("14_matrices", "demand_tensor_ns", 650);
    is("14_matrices", "tensor_wait_cycles", 2.5 * 80000 / 40);
    is("12_demanding", "tensor_cycles", NAN); /* its time is that of the busy pipe */
    is("12_demanding", "demand_tensor_ns", 1500);
}

/* 10 SMs of 128 lanes at 1.5 GHz. */
TEST(speed_in_operations)
{
    is("01_coalesced", "tflops", 1); /* 1e6 operations in 1000 ns */
    is("02_strided", "tflops", 0.5);
    is("02_strided", "tflops_low", 0.5);
    is("02_strided", "tflops_high", 0.5);
    is("02_strided", "fp32_peak_tflops", 3.84);
    is("02_strided", "tflops_pct_peak", 100 * 0.5 / 3.84);
    is("02_strided", "unit_peak_tflops", 3.84); /* the family names no unit */
    is("02_strided", "tensor_bf16_peak_tflops", 10 * 2048 * 2 * 1.5e9 / 1e12);
    is("02_strided", "sm_clock_pct", 100 / 1.5);
    is("02_strided", "tflops_pct_peak_at_clock", 100 * 0.5 / 3.84 * 1.5);
    is("90_library", "tflops_low",
       1e3 / 1570); /* by the slow end of its times, and by the fast one */
    is("90_library", "tflops_high", 1e3 / 1500);
}

TEST(arithmetic_and_what_it_costs)
{
    is("11_product", "fma_share_pct", 80);
    is("11_product", "arithmetic_intensity", 2);
    is("05_engine", "fma_share_pct", NAN); /* no instruction, no byte: nothing to divide by */
    is("05_engine", "arithmetic_intensity", NAN);
    is("06_uncounted", "fma_share_pct", NAN);
    is("06_uncounted", "arithmetic_intensity", NAN);
}

TEST(stalls_that_have_no_name)
{
    is("11_product", "stall_other", 0.5);
    is("05_engine", "stall_other", 0);
    is("06_uncounted", "stall_other", NAN);
}

TEST(speed_beside_the_library)
{
    is("01_coalesced", "library_time_ns", 1535);
    is("01_coalesced", "speedup_library", 1.535);
    is("01_coalesced", "speedup_library_low", 1.5);
    is("01_coalesced", "speedup_library_high", 1.57);
    is("02_strided", "speedup_library", 0.7675);
    is("90_library", "speedup_library", 1);
    is("90_library", "speedup_library_low", 1);
    is("90_library", "effective_gbs", 1e6 / 1535);
}

/* 10 SMs at 1000 MHz: ten wavefronts, 40 warp instructions, 1280 lanes in a nanosecond. */
TEST(what_each_resource_would_need)
{
    static const char *const counted[] = {
        "demand_dram_ns",  "demand_l2_ns",  "demand_shared_ns", "demand_conflicts_ns",
        "demand_issue_ns", "demand_fma_ns", "demand_tensor_ns"};
    is("12_demanding", "demand_dram_ns", 4000 / 10.0 + 1000 / 5.0);
    is("12_demanding", "demand_l2_ns", 16);
    is("12_demanding", "demand_conflicts_ns", 170);
    is("12_demanding", "demand_shared_ns", 560 - 170);
    is("12_demanding", "demand_issue_ns", 2000);
    is("12_demanding", "demand_fma_ns", 130);
    is("12_demanding", "demand_tensor_ns", 1500);
    is("12_demanding", "demand_launch_ns", 3000);
    is("90_library", "demand_launch_ns", 4000); /* two launches */
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        is("06_uncounted", counted[i], NAN);
    is("07_described", "demand_conflicts_ns", 140);
    is("01_coalesced", "shared_peak_gbs", 10 * 128 * 1.5);
}

RUN_TESTS(evaluated, fixture_close)
