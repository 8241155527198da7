#include "fixture.h"

#include "evaluate/metric_checks.h"
#include "query/query.h"
#include "catalog/records.h"

/*
 * Tests that every check under metrics/, and every bound that is not a plain number, fires on one
 * hand-made point and stays silent on another. To add one: its row here. Values that it does not
 * name are absent.
 */
static const struct {
    const char *name;
    const char *fires;
    const char *silent; /* where these values differ */
} rows[] = {
    {"branches_whole", "branch_targets_uniform=5 branch_targets_divergent=6 branch_targets=10",
     "branch_targets_divergent=5"},
    {"shared_wavefronts_whole",
     "shared_wavefronts_load=60 shared_wavefronts_store=30 shared_async_wavefronts=20 "
     "shared_wavefronts=100",
     /* the rest are atomics; before compute capability 8.0 every copy passes through registers */
     "shared_async_wavefronts="},
    {"shared_wavefronts_least",
     "shared_wavefronts_load=9 shared_load_instructions=10 shared_wavefronts_store=8 "
     "shared_store_instructions=8",
     "shared_wavefronts_load=10 shared_wavefronts_store=32"},
    {"shared_instructions_whole",
     "shared_load_instructions=6 shared_store_instructions=5 shared_instructions=10",
     "shared_load_instructions=5 shared_store_instructions=4"},
    {"shared_instructions_seen",
     "shared_load_instructions=5 shared_load_instructions_hw=5 shared_store_instructions=5 "
     "shared_store_instructions_hw=4",
     /* predicated off */
     "shared_load_instructions_hw=9 shared_store_instructions_hw=5"},
    {"shared_bytes_carried", "shared_load_bytes=1300 shared_wavefronts_load=10 global_load_bytes=0",
     /* polls a word of global memory */
     "global_load_bytes=400"},
    {"global_loads_whole", "global_load_instructions=11 global_instructions=10",
     "global_load_instructions=10"},
    {"memory_instructions_whole",
     "shared_instructions=30 global_instructions=30 local_instructions=20 branch_instructions=21 "
     "warp_instructions_sass=100",
     "branch_instructions=10"},
    {"arithmetic_whole",
     "fp32_add=0 fp32_mul=0 fp32_fma=90 fp64_add=0 fp64_mul=0 fp64_fma=11 fp16_add=0 fp16_mul=0 "
     "fp16_fma=0 thread_instructions_on=100",
     "fp64_fma=0"},
    {"instructions_seen", "warp_instructions_hw=126 warp_instructions_sass=100",
     /* waits in a loop */
     "warp_instructions_hw=59"},
    {"pipes_whole", "alu_instructions=106 tensor_instructions=0 warp_instructions_hw=100",
     "alu_instructions=65 tensor_instructions=30"},
    {"cycles_elapsed", "sm_cycles_active=124 sm_cycles_active_busiest=126 sm_cycles_elapsed=100",
     "sm_cycles_active=99 sm_cycles_active_busiest=125"},
    {"cycles_mean", "sm_cycles_active_mean=101 sm_cycles_active_most=100",
     "sm_cycles_active_mean=100"},
    {"cycles_scheduled",
     "scheduler_cycles_active=16e6 device_sm_count=10 schedulers_per_sm=4 sm_cycles_active=200e3",
     /* in another pass */
     "scheduler_cycles_active=9.6e6"},
    {"cycles_split",
     "scheduler_cycles_issued=50 scheduler_cycles_idle=40 scheduler_cycles_active=100",
     "scheduler_cycles_idle=50"},
    {"cycles_clean", "sm_cycles_active=2300 sm_clock_mhz=2000 sm_clock_hz=2.1e9 time_ns=1000",
     "sm_cycles_active=2200"},
    {"stalls_whole",
     "stall_barrier=20 stall_long_scoreboard=90 stall_short_scoreboard=0 stall_mio_throttle=0 "
     "stall_lg_throttle=0 stall_math_pipe_throttle=0 stall_dispatch_stall=0 stall_wait=20 "
     "stall_no_instruction=0 stall_branch_resolving=0 stall_not_selected=0 stall_total=100 "
     "sm_cycles_active=60e3",
     "stall_wait=0"},
    {"dram_whole", "dram_bytes=110 dram_read_bytes=90 dram_write_bytes=10", "dram_bytes=100"},
    {"l2_whole", "l2_sm_sectors=10 l2_bytes=300", "l2_bytes=320"},
    {"cold_reads", /* half of the inputs lay in the cache */
     "dram_read_bytes=50e6 dram_write_bytes=0 input_bytes=100e6 useful_bytes=100e6 "
     "device_l2_bytes=60e6",
     /* the written data still does */
     "dram_read_bytes=100e6 useful_bytes=150e6"},
    {"cold_times",
     "input_bytes=100e6 useful_bytes=100e6 device_l2_bytes=60e6 dram_peak_gbs=1000 time_ns=50e3",
     "useful_bytes=150e6 time_ns=100e3"},
    {"dram_peak_known",
     "dram_peak_counter_bytes_per_second=4800e9 dram_peak_gbs=2400 sm_cycles_active=60e3",
     "dram_peak_counter_bytes_per_second=4775e9 dram_peak_gbs=4800"},
    {"fp32_lanes_known", "fp32_fma_peak=640 device_sm_count=10 fp32_lanes_per_sm=128",
     "fp32_fma_peak=1280"},
    {"tensor_rates_known",
     "wgmma_bf16_peak=540672 wgmma_tf32_peak=270336 device_sm_count=132 tensor_bf16_per_sm=1024 "
     "tensor_tf32_per_sm=512",
     /* mma.sync does not reach the peak */
     "mma_bf16_peak=360448 mma_tf32_peak=180224 tensor_bf16_per_sm=2048 tensor_tf32_per_sm=1024"},
    {"clock_known", "sm_clock_mhz=2100 device_sm_clock_khz=1980e3 time_low_ns=9750 time_ns=10000",
     "sm_clock_mhz=2003"}, /* known as well as its time is */
    {"ceilings_memory",
     "ceiling_read_gbs=4700 ceiling_write_gbs=5000 ceiling_copy_gbs=4400 dram_peak_gbs=4800",
     "ceiling_write_gbs="},
    {"ceilings_shared", "ceiling_shared_read_gbs=34000 shared_peak_gbs=33000",
     "ceiling_shared_read_gbs=33200"},
    {"ceilings_tensor", "ceiling_wgmma_tflops=1100 tensor_bf16_peak_tflops=1070",
     "ceiling_mma_tflops=660 ceiling_wgmma_tflops=1000"},
    {"ceilings_arithmetic", "ceiling_fma_tflops=68 fp32_peak_tflops=66.9", "ceiling_fma_tflops=65"},
    {"dram_gbs", "dram_gbs=5000 dram_peak_gbs=4800", "dram_gbs=4800"},
    {"effective_gbs", "effective_gbs=12000 ceiling_l2_read_gbs=10000", "effective_gbs=10500"},
    {"effective_warm_gbs", "effective_warm_gbs=12000 ceiling_l2_read_gbs=10000",
     "effective_warm_gbs=10500"},
    {"tflops",
     "tflops=80 fp32_peak_tflops=66.9 fp32_fma=1000 fp32_add=0 fp32_mul=0 useful_operations=2000",
     /* on tensor cores */
     "tflops=400 unit_peak_tflops=1070 unit_tensor_bf16=1 unit_tensor_tf32=0 fp32_fma=10"},
    {"resident_threads", "resident_threads=2176 device_max_threads_per_sm=2048",
     "resident_threads=2048"},
    {"resident_register_kib", "resident_register_kib=260 register_file_kib=256",
     "resident_register_kib=256"},
    {"resident_shared_kib", "resident_shared_kib=229 shared_memory_kib=228",
     "resident_shared_kib=227"},
    /* A launch under the profiler needs as many wavefronts as a clean one that takes less time. */
    {"shared_pipe_pct", "shared_pipe_pct=106 sm_clock_hz=2e9 sm_clock_mhz=2000",
     "shared_pipe_pct=103.1"},
    {"shared_excess_pct", "shared_excess_pct=106 sm_clock_mhz=2000", "shared_excess_pct=104"},
    {"tensor_peak_pct", "tensor_peak_pct=111 sm_clock_hz=2e9 sm_clock_mhz=1900",
     "tensor_peak_pct=109"},
    {"tensor_pipe_busy_pct", "tensor_pipe_busy_pct=106 sm_clock_mhz=2000",
     "tensor_pipe_busy_pct=105"},
    {"dram_busy_pct", "dram_busy_pct=107 sm_cycles_active_busiest=106 sm_cycles_active=100",
     /* SMs are busy at different times */
     "dram_busy_pct=103"},
    {"warps_active_pct", "warps_active_pct=51 theoretical_occupancy_pct=50", "warps_active_pct=50"},
    {"shared_bytes_per_wavefront_pct",
     "shared_bytes_per_wavefront_pct=120 global_load_bytes=0 shared_wavefronts=100",
     "global_load_bytes=3200"},
};

static struct records records;
static struct run run;
static struct query query;
static struct metric_table points;

/* Columns that are not records: facts about the device, and those of its own record. */
static const char *const device_columns[] = {
    "device_sm_count",   "device_max_threads_per_sm", "device_l2_bytes",    "device_sm_clock_khz",
    "schedulers_per_sm", "fp32_lanes_per_sm",         "tensor_bf16_per_sm", "tensor_tf32_per_sm"};

static void add_column(struct text *columns, const char *words, const char *name)
{
    struct word word;
    if (!find_word(words, name, &word)) text_format(columns, ", NULL AS %s", name);
}

/* Makes rows m with one point: the named values, and NULL in every other column; with no
 * findings. */
static void make_point(const char *words)
{
    OWNED_BY(text_free) struct text columns = {0};
    append_columns(&columns, words);
    for (int i = 0; i < records.count; i++) {
        const enum record_kind kind = records.record[i].kind;
        if (kind == RECORD_METRIC || kind == RECORD_FACT || kind == RECORD_COUNTER)
            add_column(&columns, words, records.record[i].name);
    }
    for (size_t i = 0; i < sizeof device_columns / sizeof *device_columns; i++)
        add_column(&columns, words, device_columns[i]);
    WORKS(query_write(
        &query,
        "DROP VIEW IF EXISTS m; DROP TABLE IF EXISTS m_facts; DROP TABLE IF EXISTS impossible"));
    WORKS(
        query_write(&query,
                    "CREATE TABLE m_facts AS SELECT 1 AS row_id, 'f' AS family, '01_a' AS variant, "
                    "'64' AS size, 32 AS block, 0 AS sweep, 0 AS device, 0 AS repeat, 1 AS best%s",
                    text_string(&columns)));
    metric_table_free(&points);
    points.query = &query;
    assert_int_equal(metric_table_add(&points, "m_facts"), 0);
    assert_int_equal(metric_checks_begin(&query), 0);
}

static const char *found(const char *column)
{
    static char *value;
    char sql[200];
    free(value);
    snprintf(sql, sizeof sql, "SELECT %s FROM impossible", column);
    assert_int_equal(query_text(&query, NULL, sql, NULL, &value), 0);
    return value ? value : "(nothing)";
}

/* Returns the first of its columns that is not empty, or "". */
static const char *left(const struct record *record)
{
    static char name[64];
    for (int i = 0; i < records.count; i++) {
        const char *column = records.record[i].name;
        char sql[200], *value = NULL;
        if (!records_is_column(&records, column) ||
            !metric_checks_empties(record, column, strlen(column)))
            continue;
        snprintf(sql, sizeof sql, "SELECT %s FROM m", column);
        assert_int_equal(query_text(&query, NULL, sql, NULL, &value), 0);
        free(value);
        snprintf(name, sizeof name, "%s", column);
        if (value) return name;
    }
    return "";
}

static const struct record *record_of(const char *name)
{
    for (int i = 0; i < records.count; i++)
        if (!strcmp(records.record[i].name, name) &&
            (records.record[i].kind == RECORD_CHECK || records_is_column(&records, name)))
            return &records.record[i];
    fail_msg("there is no record '%s'", name);
    return NULL;
}

static void fires(const struct record *record, const char *words)
{
    make_point(words);
    FAILS((metric_checks_judge(&points, &record, 1), FAIL_CHECK), FAIL_CHECK, "f/01_a, size 64: ");
    assert_string_equal(found("name"), record->name);
    assert_string_equal(found("kind"), record->kind == RECORD_CHECK ? "check" : "bound");
    if (*left(record)) fail_msg("%s: %s is not left empty", record->name, left(record));
    if (strlen(found("because")) < 20) fail_msg("%s: says no reason", record->name);
}

static void is_silent(const struct record *record, const char *words)
{
    make_point(words);
    SUCCEEDS(metric_checks_judge(&points, &record, 1), "");
    if (strcmp(found("name"), "(nothing)"))
        fail_msg("%s: fires on %s: %s", record->name, words, found("numbers"));
}

static int is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return !*end;
}

static int plain(const struct record *record)
{
    const char *least = record_field(record, "least"), *most = record_field(record, "most");
    return record->kind != RECORD_CHECK && (!least || is_number(least)) &&
           (!most || is_number(most));
}

TEST(every_check_fires_and_stays_silent)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct record *record = record_of(rows[r].name);
        fires(record, rows[r].fires);
        char *silent = text_new("%s %s", rows[r].silent, rows[r].fires);
        is_silent(record, silent);
        free(silent);
        is_silent(record, ""); /* nothing was measured */
    }
}

/* Kernels of the self-test wait for a given time, so under instrumentation they iterate less
 * often. */
TEST(of_the_self_test_something_must_be_seen)
{
    const struct record *record = record_of("instructions_seen");
    for (int seen = 0; seen < 2; seen++) {
        make_point(seen ? "warp_instructions_hw=200 warp_instructions_sass=1"
                        : "warp_instructions_hw=200 warp_instructions_sass=0");
        assert_int_equal(query_write(&query, "UPDATE m_facts SET family = 'selftest'"), 0);
        if (seen)
            SUCCEEDS(metric_checks_judge(&points, &record, 1), "");
        else
            FAILS((metric_checks_judge(&points, &record, 1), FAIL_CHECK), FAIL_CHECK,
                  "selftest/01_a, size 64: ");
        assert_string_equal(found("name"), seen ? "(nothing)" : "instructions_seen");
    }
}

TEST(every_check_has_rows)
{
    int plain_bounds = 0;
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        int known = 0;
        if (!metric_checks_is_known(record)) continue;
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            known |= !strcmp(rows[r].name, record->name);
        if (!known && !plain(record))
            fail_msg("%s:%d: %s has no rows in tests/unit/evaluate/test_metric_checks.c",
                     record->file, record->line, record->name);
        plain_bounds += plain(record);
    }
    assert_true(plain_bounds > 20);
}

/* Beyond a numeric bound by more than rounding allows, and exactly at it. */
TEST(plain_bounds_hold)
{
    static const char *const bound[] = {"least", "most"};
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        if (!metric_checks_is_known(record) || !plain(record)) continue;
        for (int b = 0; b < 2; b++) {
            const char *value = record_field(record, bound[b]);
            char at[160], beyond[160];
            if (!value) continue;
            snprintf(at, sizeof at, "%s=%s", record->name, value);
            snprintf(beyond, sizeof beyond, "%s=%g", record->name,
                     strtod(value, NULL) + (b ? 0.1 : -0.1));
            is_silent(record, at);
            fires(record, beyond);
        }
    }
}

/* The only percentages without bounds, with the reasons. */
TEST(every_percentage_has_bounds)
{
    static const char *const free_ones[] = {
        "effective_pct_peak", /* part of the data may come from the L2 cache: effective_gbs is
                                 bounded */
        "tflops_pct_peak",    /* tensor cores may take part: tflops is bounded */
        "tflops_pct_fp32_peak", "tflops_pct_peak_at_clock", /* the same */
        "sm_clock_pct",        /* sm_clock_mhz is bounded by clock_known */
        "behind_best_low_pct", /* the ends of an interval around a difference */
        "behind_best_high_pct",
    };
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        const char *unit = record_field(record, "unit");
        int is_free = record->kind == RECORD_TRACK || !records_is_column(&records, record->name) ||
                      !unit || strcmp(unit, "%") != 0;
        for (size_t f = 0; f < sizeof free_ones / sizeof *free_ones; f++)
            is_free |= !strcmp(free_ones[f], record->name);
        if (!is_free && !record_field(record, "least"))
            fail_msg("%s:%d: the percentage %s has no bounds", record->file, record->line,
                     record->name);
    }
}

/* Without one of its numbers a check stays silent, unless it does not need that number or its other
 * half fails. */
TEST(what_is_absent_is_not_judged)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct record *record = record_of(rows[r].name);
        const char *p = rows[r].fires;
        for (struct word word; next_word(&p, &word);) {
            char *others = text_new("%s= %s", word.name, rows[r].fires), wanted[128];
            make_point(others);
            free(others);
            listen_to_stderr();
            const int result = metric_checks_judge(&points, &record, 1);
            heard();
            assert_int_equal(result, 0);
            snprintf(wanted, sizeof wanted, "coalesce(%s", word.name);
            const char *holds = record_field(record, "holds");
            if (!holds) holds = record_field(record, "most");
            if (strcmp(found("name"), "(nothing)") &&
                !(holds && (strstr(holds, wanted) || strstr(holds, " AND "))))
                fail_msg("%s fires without %s", record->name, word.name);
        }
    }
}

static int open_all(void **state)
{
    setenv("WHYFAST_DATA", root(), 1);
    if (fixture_open(state)) return -1;
    make_run("r");
    return records_read_own(&records) || run_open(&run, place("r")) || query_open(&query, &run) ? -1
                                                                                                : 0;
}

static int close_all(void **state)
{
    metric_table_free(&points);
    query_close(&query);
    run_close(&run);
    records_free(&records);
    return fixture_close(state);
}

/* Each of several checks judges the values that the earlier ones left. */
TEST(several_are_judged_in_their_order)
{
    const struct record *const several[] = {record_of("shared_wavefronts_whole"),
                                            record_of("branches_whole"),
                                            record_of("branches_whole"), record_of("sm_idle_pct")};
    make_point("branch_targets_uniform=5 branch_targets_divergent=6 branch_targets=10 "
               "sm_idle_pct=101");
    FAILS((metric_checks_judge(&points, several, 4), FAIL_CHECK), FAIL_CHECK, "f/01_a, size 64: ");
    assert_string_equal(found("group_concat(name, ' ')"), "branches_whole sm_idle_pct");
    assert_string_equal(left(several[1]), "");
    assert_string_equal(left(several[3]), "");
    make_point("sm_idle_pct=101");
    SUCCEEDS(metric_checks_judge(&points, several, 3), "");
    assert_string_equal(found("name"), "(nothing)");
    SUCCEEDS(metric_checks_judge(&points, several, 0), "");
}

RUN_TESTS(open_all, close_all)
