#include "fixture.h"

#include "evaluate/metric_checks.h"
#include "query/query.h"
#include "catalog/records.h"

/*
 * Tests that every check under metrics/, and every bound that is not a plain number, fires on one
 * hand-made point and stays silent on another. To add one: its two rows here. Values that a row
 * does not name are absent.
 */
static const struct {
    const char *name;
    const char *fires;
    const char *silent;
} rows[] = {
    {"branches_whole",
     "5 AS branch_targets_uniform, 6 AS branch_targets_divergent, 10 AS branch_targets",
     "5 AS branch_targets_uniform, 5 AS branch_targets_divergent, 10 AS branch_targets"},
    {"shared_wavefronts_whole",
     "60 AS shared_wavefronts_load, 30 AS shared_wavefronts_store, 20 AS shared_async_wavefronts, "
     "100 AS shared_wavefronts",
     /* the rest are atomics; before compute capability 8.0 every copy passes through registers */
     "60 AS shared_wavefronts_load, 30 AS shared_wavefronts_store, 100 AS shared_wavefronts"},
    {"shared_wavefronts_least",
     "9 AS shared_wavefronts_load, 10 AS shared_load_instructions, 8 AS shared_wavefronts_store, 8 "
     "AS shared_store_instructions",
     "10 AS shared_wavefronts_load, 10 AS shared_load_instructions, 32 AS shared_wavefronts_store, "
     "8 AS shared_store_instructions"},
    {"shared_instructions_whole",
     "6 AS shared_load_instructions, 5 AS shared_store_instructions, 10 AS shared_instructions",
     "5 AS shared_load_instructions, 4 AS shared_store_instructions, 10 AS shared_instructions"},
    {"shared_instructions_seen",
     "5 AS shared_load_instructions, 5 AS shared_load_instructions_hw, 5 AS "
     "shared_store_instructions, 4 AS shared_store_instructions_hw",
     /* predicated off */
     "5 AS shared_load_instructions, 9 AS shared_load_instructions_hw, 5 AS "
     "shared_store_instructions, 5 AS shared_store_instructions_hw"},
    {"shared_bytes_carried",
     "1300 AS shared_load_bytes, 10 AS shared_wavefronts_load, 0 AS global_load_bytes",
     /* polls a word of global memory */
     "1300 AS shared_load_bytes, 10 AS shared_wavefronts_load, 400 AS global_load_bytes"},
    {"global_loads_whole", "11 AS global_load_instructions, 10 AS global_instructions",
     "10 AS global_load_instructions, 10 AS global_instructions"},
    {"memory_instructions_whole",
     "30 AS shared_instructions, 30 AS global_instructions, 20 AS local_instructions, 21 AS "
     "branch_instructions, 100 AS warp_instructions_sass",
     "30 AS shared_instructions, 30 AS global_instructions, 20 AS local_instructions, 10 AS "
     "branch_instructions, 100 AS warp_instructions_sass"},
    {"arithmetic_whole",
     "0 AS fp32_add, 0 AS fp32_mul, 90 AS fp32_fma, 0 AS fp64_add, 0 AS fp64_mul, 11 AS fp64_fma, "
     "0 AS fp16_add, 0 AS fp16_mul, 0 AS fp16_fma, 100 AS "
     "thread_instructions_on",
     "0 AS fp32_add, 0 AS fp32_mul, 90 AS fp32_fma, 0 AS fp64_add, 0 AS fp64_mul, 0 AS fp64_fma, 0 "
     "AS fp16_add, 0 AS fp16_mul, 0 AS fp16_fma, 100 AS "
     "thread_instructions_on"},
    {"instructions_seen", "106 AS warp_instructions_hw, 100 AS warp_instructions_sass",
     /* waits in a loop */
     "59 AS warp_instructions_hw, 100 AS warp_instructions_sass"},
    {"pipes_whole",
     "106 AS alu_instructions, 0 AS tensor_instructions, 100 AS warp_instructions_hw",
     "65 AS alu_instructions, 30 AS tensor_instructions, 100 AS warp_instructions_hw"},
    {"cycles_elapsed",
     "124 AS sm_cycles_active, 126 AS sm_cycles_active_busiest, 100 AS sm_cycles_elapsed",
     "99 AS sm_cycles_active, 125 AS sm_cycles_active_busiest, 100 AS sm_cycles_elapsed"},
    {"cycles_mean", "101 AS sm_cycles_active_mean, 100 AS sm_cycles_active_most",
     "100 AS sm_cycles_active_mean, 100 AS sm_cycles_active_most"},
    {"cycles_scheduled",
     "16e6 AS scheduler_cycles_active, 10 AS device_sm_count, 4 AS schedulers_per_sm, 200e3 AS "
     "sm_cycles_active",
     /* in another pass */
     "9.6e6 AS scheduler_cycles_active, 10 AS device_sm_count, 4 AS schedulers_per_sm, 200e3 AS "
     "sm_cycles_active"},
    {"cycles_split",
     "50 AS scheduler_cycles_issued, 40 AS scheduler_cycles_idle, 100 AS scheduler_cycles_active",
     "50 AS scheduler_cycles_issued, 50 AS scheduler_cycles_idle, 100 AS scheduler_cycles_active"},
    {"cycles_clean",
     "2300 AS sm_cycles_active, 2000 AS sm_clock_mhz, 2.1e9 AS sm_clock_hz, 1000 AS time_ns",
     "2200 AS sm_cycles_active, 2000 AS sm_clock_mhz, 2.1e9 AS sm_clock_hz, 1000 AS time_ns"},
    {"stalls_whole",
     "20 AS stall_barrier, 90 AS stall_long_scoreboard, 0 AS stall_short_scoreboard, 0 AS "
     "stall_mio_throttle, 0 AS stall_lg_throttle, 0 AS "
     "stall_math_pipe_throttle, 0 AS stall_dispatch_stall, 20 AS stall_wait, 0 AS "
     "stall_no_instruction, 0 AS stall_branch_resolving, 0 AS "
     "stall_not_selected, 100 AS stall_total, 60e3 AS sm_cycles_active",
     "20 AS stall_barrier, 90 AS stall_long_scoreboard, 0 AS stall_short_scoreboard, 0 AS "
     "stall_mio_throttle, 0 AS stall_lg_throttle, 0 AS "
     "stall_math_pipe_throttle, 0 AS stall_dispatch_stall, 0 AS stall_wait, 0 AS "
     "stall_no_instruction, 0 AS stall_branch_resolving, 0 AS "
     "stall_not_selected, 100 AS stall_total, 60e3 AS sm_cycles_active"},
    {"dram_whole", "110 AS dram_bytes, 90 AS dram_read_bytes, 10 AS dram_write_bytes",
     "100 AS dram_bytes, 90 AS dram_read_bytes, 10 AS dram_write_bytes"},
    {"l2_whole", "10 AS l2_sm_sectors, 300 AS l2_bytes", "10 AS l2_sm_sectors, 320 AS l2_bytes"},
    {"cold_reads",
     /* half of the inputs lay in the cache */
     "50e6 AS dram_read_bytes, 0 AS dram_write_bytes, 100e6 AS input_bytes, 100e6 AS useful_bytes, "
     "60e6 AS device_l2_bytes",
     /* the written data still does */
     "100e6 AS dram_read_bytes, 0 AS dram_write_bytes, 100e6 AS input_bytes, 150e6 AS "
     "useful_bytes, 60e6 AS device_l2_bytes"},
    {"cold_times",
     "100e6 AS input_bytes, 100e6 AS useful_bytes, 60e6 AS device_l2_bytes, 1000 AS dram_peak_gbs, "
     "50e3 AS time_ns",
     "100e6 AS input_bytes, 150e6 AS useful_bytes, 60e6 AS device_l2_bytes, 1000 AS dram_peak_gbs, "
     "100e3 AS time_ns"},
    {"dram_peak_known",
     "4800e9 AS dram_peak_counter_bytes_per_second, 2400 AS dram_peak_gbs, 60e3 AS "
     "sm_cycles_active",
     "60e3 AS sm_cycles_active, 4775e9 AS dram_peak_counter_bytes_per_second, 4800 AS "
     "dram_peak_gbs"},
    {"fp32_lanes_known", "640 AS fp32_fma_peak, 10 AS device_sm_count, 128 AS fp32_lanes_per_sm",
     "1280 AS fp32_fma_peak, 10 AS device_sm_count, 128 AS fp32_lanes_per_sm"},

    {"tensor_rates_known",
     "540672 AS wgmma_bf16_peak, 270336 AS wgmma_tf32_peak, 132 AS device_sm_count, 1024 AS "
     "tensor_bf16_per_sm, 512 AS tensor_tf32_per_sm",
     /* mma.sync does not reach the peak */
     "540672 AS wgmma_bf16_peak, 270336 AS wgmma_tf32_peak, 360448 AS mma_bf16_peak, 180224 AS "
     "mma_tf32_peak, 132 AS device_sm_count, 2048 AS tensor_bf16_per_sm, 1024 AS "
     "tensor_tf32_per_sm"},
    {"clock_known", "2100 AS sm_clock_mhz, 1980e3 AS device_sm_clock_khz",
     "1981 AS sm_clock_mhz, 1980e3 AS device_sm_clock_khz"},
    {"ceilings_memory",
     "4700 AS ceiling_read_gbs, 5000 AS ceiling_write_gbs, 4400 AS ceiling_copy_gbs, 4800 AS "
     "dram_peak_gbs",
     "4700 AS ceiling_read_gbs, 4400 AS ceiling_copy_gbs, 4800 AS dram_peak_gbs"},
    {"ceilings_shared", "34000 AS ceiling_shared_read_gbs, 33000 AS shared_peak_gbs",
     "33200 AS ceiling_shared_read_gbs, 33000 AS shared_peak_gbs"},
    {"ceilings_tensor", "1100 AS ceiling_wgmma_tflops, 1070 AS tensor_bf16_peak_tflops",
     "660 AS ceiling_mma_tflops, 1000 AS ceiling_wgmma_tflops, 1070 AS tensor_bf16_peak_tflops"},
    {"ceilings_arithmetic", "68 AS ceiling_fma_tflops, 66.9 AS fp32_peak_tflops",
     "65 AS ceiling_fma_tflops, 66.9 AS fp32_peak_tflops"},

    {"dram_gbs", "5000 AS dram_gbs, 4800 AS dram_peak_gbs",
     "4800 AS dram_gbs, 4800 AS dram_peak_gbs"},
    {"effective_gbs", "12000 AS effective_gbs, 10000 AS ceiling_l2_read_gbs",
     "10500 AS effective_gbs, 10000 AS ceiling_l2_read_gbs"},
    {"effective_warm_gbs", "12000 AS effective_warm_gbs, 10000 AS ceiling_l2_read_gbs",
     "10500 AS effective_warm_gbs, 10000 AS ceiling_l2_read_gbs"},
    {"tflops",
     "80 AS tflops, 66.9 AS fp32_peak_tflops, 1000 AS fp32_fma, 0 AS fp32_add, 0 AS fp32_mul, 2000 "
     "AS useful_operations",
     /* on tensor cores */
     "400 AS tflops, 66.9 AS fp32_peak_tflops, 1070 AS unit_peak_tflops, 1 AS unit_tensor_bf16, 0 "
     "AS unit_tensor_tf32, 10 AS fp32_fma, 0 AS fp32_add, 0 AS fp32_mul, 2000 AS "
     "useful_operations"},
    {"resident_threads", "2176 AS resident_threads, 2048 AS device_max_threads_per_sm",
     "2048 AS resident_threads, 2048 AS device_max_threads_per_sm"},
    {"resident_register_kib", "260 AS resident_register_kib, 256 AS register_file_kib",
     "256 AS resident_register_kib, 256 AS register_file_kib"},
    {"resident_shared_kib", "229 AS resident_shared_kib, 228 AS shared_memory_kib",
     "227 AS resident_shared_kib, 228 AS shared_memory_kib"},
    {"dram_busy_pct",
     "107 AS dram_busy_pct, 106.0 AS sm_cycles_active_busiest, 100.0 AS sm_cycles_active",
     /* SMs are busy at different times */
     "103 AS dram_busy_pct, 106.0 AS sm_cycles_active_busiest, 100.0 AS sm_cycles_active"},
    {"warps_active_pct", "51 AS warps_active_pct, 50 AS theoretical_occupancy_pct",
     "50 AS warps_active_pct, 50 AS theoretical_occupancy_pct"},
    {"shared_bytes_per_wavefront_pct",
     "120 AS shared_bytes_per_wavefront_pct, 0 AS global_load_bytes, 100 AS shared_wavefronts",
     "120 AS shared_bytes_per_wavefront_pct, 3200 AS global_load_bytes, 100 AS shared_wavefronts"},
};

static struct records records;
static struct run run;
static struct query query;
static struct metric_table points;

/* Columns that are not records: facts about the device, and those of its own record. */
static const char *const device_columns[] = {
    "device_sm_count",   "device_max_threads_per_sm", "device_l2_bytes",    "device_sm_clock_khz",
    "schedulers_per_sm", "fp32_lanes_per_sm",         "tensor_bf16_per_sm", "tensor_tf32_per_sm"};

static void add_column(struct text *columns, const char *values, const char *name)
{
    char wanted[160], list[2048];
    snprintf(wanted, sizeof wanted, " AS %s,", name);
    snprintf(list, sizeof list, " %s,", values);
    if (!strstr(list, wanted)) text_format(columns, ", NULL AS %s", name);
}

/* Makes rows m with one point: the named values, and NULL in every other column; with no
 * findings. */
static void make_point(const char *values)
{
    struct text columns = {0};
    for (int i = 0; i < records.count; i++) {
        const enum record_kind kind = records.record[i].kind;
        if (kind == RECORD_METRIC || kind == RECORD_FACT || kind == RECORD_COUNTER)
            add_column(&columns, values, records.record[i].name);
    }
    for (size_t i = 0; i < sizeof device_columns / sizeof *device_columns; i++)
        add_column(&columns, values, device_columns[i]);
    assert_int_equal(
        query_write(
            &query,
            "DROP VIEW IF EXISTS m; DROP TABLE IF EXISTS m_facts; DROP TABLE IF EXISTS impossible"),
        0);
    assert_int_equal(
        query_write(
            &query,
            "CREATE TABLE m_facts AS SELECT 1 AS row_id, 'f' AS family, '01_a' AS variant, "
            "'64' AS size, 32 AS block, 0 AS sweep, 0 AS device, 0 AS repeat, 1 AS best, %s%s",
            values, text_string(&columns)),
        0);
    metric_table_free(&points);
    points.query = &query;
    assert_int_equal(metric_table_add(&points, "m_facts"), 0);
    assert_int_equal(metric_checks_begin(&query), 0);
    text_free(&columns);
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

static void fires(const struct record *record, const char *values)
{
    make_point(values);
    FAILS((metric_checks_judge(&points, &record, 1), FAIL_CHECK), FAIL_CHECK, "f/01_a, size 64: ");
    assert_string_equal(found("name"), record->name);
    assert_string_equal(found("kind"), record->kind == RECORD_CHECK ? "check" : "bound");
    if (*left(record)) fail_msg("%s: %s is not left empty", record->name, left(record));
    if (strlen(found("because")) < 20) fail_msg("%s: says no reason", record->name);
}

static void is_silent(const struct record *record, const char *values)
{
    make_point(values);
    SUCCEEDS(metric_checks_judge(&points, &record, 1), "");
    if (strcmp(found("name"), "(nothing)"))
        fail_msg("%s: fires on %s: %s", record->name, values, found("numbers"));
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
        is_silent(record, rows[r].silent);
        is_silent(record, "1 AS unused"); /* nothing was measured */
    }
}

/* Kernels of the self-test wait for a given time, so under instrumentation they iterate less
 * often. */
TEST(of_the_self_test_something_must_be_seen)
{
    const struct record *record = record_of("instructions_seen");
    for (int seen = 0; seen < 2; seen++) {
        make_point(seen ? "200 AS warp_instructions_hw, 1 AS warp_instructions_sass"
                        : "200 AS warp_instructions_hw, 0 AS warp_instructions_sass");
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
            snprintf(at, sizeof at, "%s AS %s", value, record->name);
            snprintf(beyond, sizeof beyond, "%g AS %s", strtod(value, NULL) + (b ? 0.1 : -0.1),
                     record->name);
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
        "behind_best_low_pct", /* the lower end of an interval around a difference */
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
        for (const char *p = rows[r].fires; *p;) {
            const size_t length = strcspn(p, ",");
            const char *name = strstr(p, " AS ") + 4;
            struct text others = {0};
            text_append(&others, "1 AS unused");
            if (p > rows[r].fires)
                text_format(&others, ", %.*s", (int)(p - rows[r].fires - 2), rows[r].fires);
            if (p[length]) text_append(&others, p + length);
            make_point(text_string(&others));
            listen_to_stderr();
            const int result = metric_checks_judge(&points, &record, 1);
            heard();
            assert_int_equal(result, 0);
            char wanted[96];
            snprintf(wanted, sizeof wanted, "coalesce(%.*s", (int)strcspn(name, ","), name);
            const char *holds = record_field(record, "holds");
            if (strcmp(found("name"), "(nothing)") &&
                !(holds && (strstr(holds, wanted) || strstr(holds, " AND "))))
                fail_msg("%s fires without %.*s", record->name, (int)strcspn(name, ","), name);
            text_free(&others);
            p += length + strspn(p + length, ", ");
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
    make_point("5 AS branch_targets_uniform, 6 AS branch_targets_divergent, 10 AS branch_targets, "
               "101 AS sm_idle_pct");
    FAILS((metric_checks_judge(&points, several, 4), FAIL_CHECK), FAIL_CHECK, "f/01_a, size 64: ");
    assert_string_equal(found("group_concat(name, ' ')"), "branches_whole sm_idle_pct");
    assert_string_equal(left(several[1]), "");
    assert_string_equal(left(several[3]), "");
    make_point("101 AS sm_idle_pct");
    SUCCEEDS(metric_checks_judge(&points, several, 3), "");
    assert_string_equal(found("name"), "(nothing)");
    SUCCEEDS(metric_checks_judge(&points, several, 0), "");
}

RUN_TESTS(open_all, close_all)
