#include "fixture.h"

#include "query.h"
#include "record.h"
#include "registry.h"

/*
 * Every rule under metrics/ fires on one hand-made row of the ladder and stays silent on another. To add a rule: its two rows here. What a row
 * does not name is absent.
 */
static const struct {
    const char *rule;
    const char *fires;
    const char *silent;
} rows[] = {
    {"no_divergence_removed",
     "100 AS branch_efficiency_pct, 100 AS prev_branch_efficiency_pct, 70.0 AS predicated_on_pct, 91.0 AS prev_predicated_on_pct, 50.0 AS "
     "warp_instructions, "
     "100.0 AS prev_warp_instructions",
     "100 AS branch_efficiency_pct, 71.0 AS prev_branch_efficiency_pct, 70.0 AS predicated_on_pct, 91.0 AS prev_predicated_on_pct, 50.0 AS "
     "warp_instructions, "
     "100.0 AS prev_warp_instructions"},
    {"fewer_instructions",
     "70.0 AS prev_issue_slot_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions, 9.0 AS lane_slots_per_operation, 18.0 AS "
     "prev_lane_slots_per_operation",
     "70.0 AS prev_issue_slot_pct, 95.0 AS warp_instructions, 100.0 AS prev_warp_instructions"},
    {"idle_by_predication", "100.0 AS branch_efficiency_pct, 60.0 AS predicated_on_pct",
     "90.0 AS branch_efficiency_pct, 60.0 AS predicated_on_pct"},
    {"broken_wave", "1.333 AS waves", "0.997 AS waves"},
    {"fewer_blocks", "64.0 AS grid_blocks, 128.0 AS prev_grid_blocks", "128.0 AS grid_blocks, 128.0 AS prev_grid_blocks"},
    {"conflicts_came", "1680.0 AS shared_excess_least, 1680.0 AS shared_excess_wavefronts, 0.0 AS prev_shared_excess_least, 3.3 AS shared_conflict_ways",
     "1680.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least"},
    {"conflicts_gone",
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 77.0 AS shared_conflicts_hw, 0.0 AS shared_async_instructions, 0.0 AS "
     "prev_shared_async_instructions",
     /* what was stored is copied now, and collides where nobody counts it */
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 64.0 AS shared_async_instructions, 0.0 AS prev_shared_async_instructions"},
    {"issue_bound", "80.0 AS issue_slot_pct, 20.0 AS dram_pct_peak", "80.0 AS issue_slot_pct, 90.0 AS dram_pct_peak"},
    {"dram_bound", "92.0 AS dram_pct_peak, 4400.0 AS dram_gbs, 4800.0 AS dram_peak_gbs", "50.0 AS dram_pct_peak"},
    {"latency_bound", "30.0 AS issue_slot_pct, 40.0 AS dram_pct_peak", "30.0 AS issue_slot_pct, 92.0 AS dram_pct_peak"},
    {"few_blocks", "64.0 AS grid_blocks, 132.0 AS sm_count", "132.0 AS grid_blocks, 132.0 AS sm_count"},
    {"fma_bound",
     "85.2 AS tflops_pct_peak, 57.0 AS tflops, 66.9 AS fp32_peak_tflops, 92.6 AS fma_share_pct, 95.0 AS issue_slot_pct, 1900.0 AS sm_clock_mhz",
     "65.3 AS tflops_pct_peak, 43.7 AS tflops, 88.0 AS fma_share_pct"},
    {"fma_diluted", "72.0 AS fma_share_pct, 70.0 AS issue_slot_pct", "92.6 AS fma_share_pct, 95.0 AS issue_slot_pct"},
    {"traffic_bound",
     "90.0 AS dram_pct_peak, 4300.0 AS dram_gbs, 4800.0 AS dram_peak_gbs, 4.0 AS arithmetic_intensity, 25.0 AS tflops_pct_peak",
     "5.0 AS dram_pct_peak"},
    {"waits_for_global", "13.8 AS stall_long_scoreboard, 0.1 AS stall_lg_throttle, 30.0 AS stall_total, 51.0 AS issue_active_pct",
     "0.08 AS stall_long_scoreboard, 0.01 AS stall_lg_throttle, 6.0 AS stall_total, 68.0 AS issue_active_pct"},
    {"waits_for_shared", "1.6 AS stall_short_scoreboard, 0.2 AS stall_mio_throttle, 6.0 AS stall_total, 68.0 AS issue_active_pct",
     "0.05 AS stall_short_scoreboard, 1.0 AS stall_mio_throttle, 3.2 AS stall_total, 92.0 AS issue_active_pct"},
    {"waits_at_barrier", "7.8 AS stall_barrier, 42.0 AS stall_total, 38.0 AS issue_active_pct",
     "0.29 AS stall_barrier, 6.0 AS stall_total, 68.0 AS issue_active_pct"},
    {"register_banks", "0.72 AS stall_dispatch_stall, 88.0 AS fma_share_pct", "4.2 AS stall_dispatch_stall, 12.5 AS fma_share_pct"},
};

static struct records records;
static struct run run;
static struct query query;

/* Table `ladder` with one row: the named values, and NULL in every other column that the real one has. */
static void make_ladder(const char *values)
{
    static const char *const prefixes[] = {"", "prev_", "first_"};
    struct text names = {0};
    for (int i = 0; i < records.count; i++) {
        const enum record_kind kind = records.record[i].kind;
        if (kind != RECORD_METRIC && kind != RECORD_FACT && kind != RECORD_COUNTER) continue;
        for (int p = 0; p < 3; p++) {
            char wanted[160];
            snprintf(wanted, sizeof wanted, " AS %s%s,", prefixes[p], records.record[i].name);
            char list[2048];
            snprintf(list, sizeof list, " %s,", values);
            if (!strstr(list, wanted)) text_format(&names, ", NULL AS %s%s", prefixes[p], records.record[i].name);
        }
    }
    assert_int_equal(query_write(&query, "DROP TABLE IF EXISTS ladder"), 0);
    assert_int_equal(query_write(&query, "CREATE TABLE ladder AS SELECT 0 AS sweep, %s%s", values, text_string(&names)), 0);
    text_free(&names);
}

static char *judge(const struct record *rule, const char *values)
{
    struct text sql = {0};
    char *value = NULL;
    make_ladder(values);
    text_format(&sql, "SELECT (%s) FROM ladder", record_field(rule, "when"));
    assert_int_equal(query_text(&query, rule->name, text_string(&sql), NULL, &value), 0);
    text_free(&sql);
    return value;
}

static void every_rule_fires_and_stays_silent(void **state)
{
    int rules = 0;
    (void)state;
    for (int i = 0; i < records.count; i++) {
        const struct record *rule = &records.record[i];
        int row = -1;
        if (rule->kind != RECORD_RULE) continue;
        rules++;
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (!strcmp(rows[r].rule, rule->name)) row = (int)r;
        if (row < 0) fail_msg("%s:%d: the rule '%s' has no rows in tests/unit/test_rules.c", rule->file, rule->line, rule->name);
        char *fires = judge(rule, rows[row].fires), *silent = judge(rule, rows[row].silent), *nothing = judge(rule, "1 AS unused");
        if (!fires || strcmp(fires, "1")) fail_msg("%s: does not fire: %s", rule->name, fires ? fires : "NULL");
        if (!silent || strcmp(silent, "0")) fail_msg("%s: is not silent: %s", rule->name, silent ? silent : "NULL");
        if (nothing) fail_msg("%s: judges where nothing was measured: %s", rule->name, nothing);
        free(fires);
        free(silent);
    }
    assert_int_equal(rules, sizeof rows / sizeof *rows);
}

/* Every number that a rule names is there when it fires. */
static void reasons_have_their_numbers(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct record *rule = records_find(&records, RECORD_RULE, rows[r].rule);
        assert_non_null(rule);
        make_ladder(rows[r].fires);
        int placeholders = 0;
        for (const char *p = strchr(record_field(rule, "because"), '{'); p; p = strchr(p, '{')) {
            const size_t length = strcspn(++p, "}");
            struct text sql = {0};
            char *value = NULL;
            text_format(&sql, "SELECT (%.*s) FROM ladder", (int)length, p);
            assert_int_equal(query_text(&query, rule->name, text_string(&sql), NULL, &value), 0);
            if (!value) fail_msg("%s: '%.*s' is absent in its own row", rule->name, (int)length, p);
            free(value);
            text_free(&sql);
            placeholders++;
        }
        assert_true(placeholders > 0); /* every finding prints the numbers it used */
    }
}

/* A claim whose expression names something that is no metric would stop every report of a run that holds it. */
static void claims_are_about_metrics(void **state)
{
    int claims = 0;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    make_ladder("1 AS unused");
    for (int i = 0; registry_variants[i]; i++) {
        for (int c = 0; c < CLAIM_COUNT && registry_variants[i]->claims[c].says; c++) {
            const char *expect = registry_variants[i]->claims[c].expect;
            struct text sql = {0};
            char *value = NULL;
            text_format(&sql, "SELECT (%s) FROM ladder", expect);
            if (query_text(&query, registry_variants[i]->file, text_string(&sql), NULL, &value))
                fail_msg("%s: %s", registry_variants[i]->file, expect);
            /* Nothing was measured: not measurable, or settled by the setting alone. */
            if (value && !strstr(expect, "sweep"))
                fail_msg("%s: '%s' is judged where nothing was measured", registry_variants[i]->file, expect);
            free(value);
            text_free(&sql);
            claims++;
        }
    }
    assert_true(claims > 0);
}

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    make_run("r");
    if (records_read(&records, root()) || run_open(&run, place("r"))) return -1;
    return query_open(&query, &run);
}

static int close_all(void **state)
{
    query_close(&query);
    run_close(&run);
    records_free(&records);
    return fixture_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_fires_and_stays_silent), cmocka_unit_test(reasons_have_their_numbers),
                                       cmocka_unit_test(claims_are_about_metrics)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
