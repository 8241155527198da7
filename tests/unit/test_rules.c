#include "fixture.h"

#include "pipeline.h"
#include "query.h"
#include "record.h"
#include "registry.h"

/*
 * Every rule under metrics/ fires on one hand-made row of the ladder and stays silent on another. To add a rule: its two rows here. What a row
 * does not name is absent.
 */
static const struct {
    const char *rule;
    const char *fires;  /* of a rule under another: beside what that one fires on */
    const char *silent;
} rows[] = {
    {"no_divergence_removed",
     "100 AS branch_efficiency_pct, 100 AS prev_branch_efficiency_pct, 70.0 AS predicated_on_pct, 91.0 AS "
     "prev_predicated_on_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions",
     "100 AS branch_efficiency_pct, 71.0 AS prev_branch_efficiency_pct, 70.0 AS predicated_on_pct, 91.0 AS "
     "prev_predicated_on_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions"},
    {"divergent_branches",
     "78.0 AS branch_efficiency_pct, 84.8 AS warp_execution_efficiency_pct",
     "97.0 AS branch_efficiency_pct, 84.8 AS warp_execution_efficiency_pct"},
    {"few_active_lanes",
     "99.85 AS branch_efficiency_pct, 39.0 AS warp_execution_efficiency_pct",
     "78.0 AS branch_efficiency_pct, 39.0 AS warp_execution_efficiency_pct"},
    {"idle_by_predication",
     "100.0 AS branch_efficiency_pct, 60.0 AS predicated_on_pct",
     "90.0 AS branch_efficiency_pct, 60.0 AS predicated_on_pct"},
    {"fewer_instructions",
     "70.0 AS prev_issue_slot_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions, 9.0 AS "
     "lane_slots_per_operation, 18.0 AS prev_lane_slots_per_operation",
     "70.0 AS prev_issue_slot_pct, 95.0 AS warp_instructions, 100.0 AS prev_warp_instructions"},
    {"fewer_blocks",
     "64.0 AS grid_blocks, 128.0 AS prev_grid_blocks",
     "128.0 AS grid_blocks, 128.0 AS prev_grid_blocks"},
    {"issue_bound",
     "80.0 AS issue_slot_pct, 20.0 AS dram_pct_peak",
     "80.0 AS issue_slot_pct, 90.0 AS dram_pct_peak"},
    {"ancillary_instructions",
     "250.0 AS lane_slots_per_operation",
     "2.2 AS lane_slots_per_operation"},
    {"conflicts_came",
     "1680.0 AS shared_excess_least, 1680.0 AS shared_excess_wavefronts, 0.0 AS prev_shared_excess_least, 3.3 AS "
     "shared_conflict_ways, 26.0 AS shared_excess_pct",
     "1680.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least"},
    {"fewer_conflicts",
     "100.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 1.6 AS shared_excess_pct, 27.0 AS "
     "prev_shared_excess_pct, 0.0 AS shared_async_instructions, 0.0 AS prev_shared_async_instructions",
     /* gone altogether */
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 0.0 AS shared_async_instructions, 0.0 AS "
     "prev_shared_async_instructions"},
    {"conflicts_gone",
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 77.0 AS shared_conflicts_hw, 0.0 AS "
     "shared_async_instructions, 0.0 AS prev_shared_async_instructions",
     /* what was stored is copied now, and collides where nobody counts it */
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 64.0 AS shared_async_instructions, 0.0 AS "
     "prev_shared_async_instructions"},
    {"conflicts_cost",
     "26.0 AS shared_excess_pct, 37.0 AS shared_pipe_pct, 1680.0 AS shared_excess_least",
     "3.4 AS shared_excess_pct, 48.0 AS shared_pipe_pct"},
    {"shared_pipe_bound",
     "85.0 AS shared_pipe_pct, 0.0 AS shared_excess_pct",
     "81.0 AS shared_pipe_pct, 32.0 AS shared_excess_pct"},
    {"dram_bound",
     "92.0 AS dram_pct_peak, 4400.0 AS dram_gbs, 4800.0 AS dram_peak_gbs",
     "50.0 AS dram_pct_peak"},
    {"write_bound",
     "900.0 AS dram_write_bytes, 100.0 AS dram_read_bytes, 88.0 AS dram_pct_peak",
     "40.0 AS dram_write_bytes, 60.0 AS dram_read_bytes, 88.0 AS dram_pct_peak"},
    {"latency_bound",
     "30.0 AS issue_slot_pct, 40.0 AS dram_pct_peak, 42.0 AS dram_busy_pct, 4.0 AS sm_idle_pct",
     /* while SMs hold warps memory is at its limit */
     "7.0 AS issue_slot_pct, 69.0 AS dram_pct_peak, 90.5 AS dram_busy_pct, 23.0 AS sm_idle_pct"},
    {"few_bytes_in_flight",
     "14.4 AS stall_long_scoreboard, 0.0 AS stall_lg_throttle, 25.1 AS stall_total, 1.5 AS l2_per_dram_byte, 4096.0 AS "
     "grid_blocks, 132.0 AS sm_count, 26.0 AS warps_waiting_global",
     /* the queue is full: there are enough */
     "88.0 AS stall_long_scoreboard, 80.0 AS stall_lg_throttle, 171.0 AS stall_total, 1.7 AS l2_per_dram_byte, 1056.0 AS "
     "grid_blocks, 132.0 AS sm_count"},
    {"load_queue_full",
     "88.0 AS stall_long_scoreboard, 397.0 AS stall_lg_throttle, 506.0 AS stall_total, 2.3 AS issue_active_pct, 52.0 AS "
     "dram_busy_pct, 50.0 AS dram_pct_peak, 32.0 AS sectors_per_request",
     /* device memory is at its limit, and the queue is where it shows */
     "68.0 AS stall_long_scoreboard, 82.0 AS stall_lg_throttle, 167.0 AS stall_total, 8.3 AS issue_active_pct, 95.0 AS "
     "dram_busy_pct"},
    {"waits_for_cache",
     "38.0 AS stall_long_scoreboard, 47.0 AS stall_total, 59.0 AS l2_per_dram_byte, 8900.0 AS l1_bytes, 6800.0 AS l2_bytes, "
     "33.0 AS issue_active_pct, 2.0 AS time_ns, 2.4 AS dram_pct_peak",
     "38.0 AS stall_long_scoreboard, 47.0 AS stall_total, 1.5 AS l2_per_dram_byte, 8900.0 AS l1_bytes, 6800.0 AS l2_bytes, "
     "33.0 AS issue_active_pct"},
    {"uncoalesced",
     "128.0 AS global_load_bytes, 32.0 AS global_load_sectors, 1.0 AS global_load_instructions, 32.0 AS sectors_per_request, "
     "12.5 AS global_sector_use_pct, 28.0 AS global_excess_sectors, 1.5 AS dram_read_per_useful_byte",
     /* all lanes read one word */
     "4.0 AS global_load_bytes, 1.0 AS global_load_sectors, 1.0 AS global_load_instructions"},
    {"better_coalesced",
     "128.0 AS global_load_bytes, 4.0 AS global_load_sectors, 128.0 AS prev_global_load_bytes, 32.0 AS "
     "prev_global_load_sectors, 100.0 AS global_sector_use_pct, 12.5 AS prev_global_sector_use_pct, 4.0 AS "
     "sectors_per_request, 32.0 AS prev_sectors_per_request",
     /* no loads at all any more: copies */
     "0.0 AS global_load_bytes, 0.0 AS global_load_sectors, 128.0 AS prev_global_load_bytes, 32.0 AS prev_global_load_sectors"},
    {"reads_again",
     "1.9 AS dram_read_per_useful_byte",
     "1.0 AS dram_read_per_useful_byte"},
    {"local_memory",
     "65.0 AS local_bytes_per_useful_byte, 272.0 AS local_sectors, 16.0 AS local_bytes",
     "0.0 AS local_bytes_per_useful_byte"},
    {"local_memory_gone",
     "0.0 AS local_sectors, 65.0 AS prev_local_bytes_per_useful_byte, 272.0 AS prev_local_sectors, 22.0 AS registers, 14.0 AS "
     "prev_registers",
     "0.0 AS local_sectors, 0.0 AS prev_local_bytes_per_useful_byte"},
    {"few_blocks",
     "64.0 AS grid_blocks, 132.0 AS sm_count",
     "132.0 AS grid_blocks, 132.0 AS sm_count"},
    {"low_residency",
     "25.0 AS theoretical_occupancy_pct, 3.9 AS waves, 59.0 AS issue_active_pct, 2.0 AS dram_busy_pct, 2.0 AS blocks_per_sm, "
     "256.0 AS block_threads",
     /* as many blocks as are resident, and the issue slots are busy */
     "18.75 AS theoretical_occupancy_pct, 1.0 AS waves, 92.6 AS issue_active_pct, 5.0 AS dram_busy_pct"},
    {"registers_limit",
     "1.0 AS limited_by_registers, 127.0 AS registers, 254.0 AS resident_register_kib, 256.0 AS register_file_kib",
     "0.0 AS limited_by_registers"},
    {"shared_memory_limit",
     "1.0 AS limited_by_shared_memory, 193.0 AS resident_shared_kib, 228.0 AS shared_memory_kib",
     "0.0 AS limited_by_shared_memory"},
    {"block_size_limit",
     "1.0 AS limited_by_blocks, 0.0 AS limited_by_warps, 512.0 AS resident_threads",
     "0.0 AS limited_by_blocks, 0.0 AS limited_by_warps"},
    {"occupancy_not_reached",
     "72.0 AS achieved_occupancy_pct, 100.0 AS theoretical_occupancy_pct, 248.0 AS waves, 45.0 AS issue_active_pct, 49.0 AS "
     "dram_busy_pct",
     /* fewer blocks than places */
     "47.0 AS achieved_occupancy_pct, 100.0 AS theoretical_occupancy_pct, 0.48 AS waves, 10.0 AS issue_active_pct, 69.0 AS "
     "dram_busy_pct"},
    {"wave_not_full",
     "0.48 AS waves, 512.0 AS grid_blocks, 132.0 AS sm_count, 11.0 AS issue_active_pct, 73.0 AS dram_busy_pct, 39.0 AS "
     "dram_pct_peak, 8.0 AS blocks_per_sm",
     /* and that is enough */
     "0.48 AS waves, 512.0 AS grid_blocks, 132.0 AS sm_count, 10.0 AS issue_active_pct, 98.0 AS dram_busy_pct"},
    {"broken_wave",
     "1.333 AS waves",
     "0.997 AS waves"},
    {"uneven_load",
     "77.0 AS sm_coverage_pct, 1024.0 AS grid_blocks, 132.0 AS sm_count",
     /* too few blocks is another matter */
     "12.0 AS sm_coverage_pct, 16.0 AS grid_blocks, 132.0 AS sm_count"},
    {"launch_bound",
     "47.0 AS sm_idle_pct, 512.0 AS grid_blocks, 132.0 AS sm_count, 9000.0 AS time_ns, 1280.0 AS event_overhead_ns",
     "5.0 AS sm_idle_pct, 512.0 AS grid_blocks, 132.0 AS sm_count"},
    {"several_launches",
     "3.0 AS launches",
     "1.0 AS launches"},
    {"fewer_launches",
     "1.0 AS launches, 2.0 AS prev_launches, 1.19 AS speedup_prev_low, 0.6 AS floor_pct, 1.2 AS prev_floor_pct, 9000.0 AS "
     "time_ns, 10850.0 AS prev_time_ns",
     /* not faster by more than the floors */
     "1.0 AS launches, 2.0 AS prev_launches, 1.011 AS speedup_prev_low, 0.6 AS floor_pct, 1.2 AS prev_floor_pct"},
    {"fewer_warps_faster",
     "50.0 AS achieved_occupancy_pct, 99.9 AS prev_achieved_occupancy_pct, 1.97 AS speedup_prev, 1.96 AS speedup_prev_low, "
     "0.1 AS floor_pct, 0.1 AS prev_floor_pct, 48.0 AS registers, 32.0 AS prev_registers",
     "50.0 AS achieved_occupancy_pct, 99.9 AS prev_achieved_occupancy_pct, 0.9 AS speedup_prev_low, 0.1 AS floor_pct, 0.1 AS "
     "prev_floor_pct"},
    {"occupancy_not_needed",
     "25.0 AS achieved_occupancy_pct, 96.0 AS dram_pct_peak, 0.4 AS tflops_pct_peak",
     "25.0 AS achieved_occupancy_pct, 2.0 AS dram_pct_peak, 52.0 AS tflops_pct_peak"},
    {"fma_bound",
     "85.2 AS tflops_pct_peak, 57.0 AS tflops, 66.9 AS fp32_peak_tflops, 92.6 AS fma_share_pct, 95.0 AS issue_slot_pct, "
     "1900.0 AS sm_clock_mhz",
     "65.3 AS tflops_pct_peak, 43.7 AS tflops, 88.0 AS fma_share_pct"},
    {"tensor_cores_unused",
     "1000.0 AS fp32_fma, 2000.0 AS useful_operations",
     /* they do most of it */
     "100.0 AS fp32_fma, 2000.0 AS useful_operations"},
    {"fma_diluted",
     "72.0 AS fma_share_pct, 70.0 AS issue_slot_pct",
     "92.6 AS fma_share_pct, 95.0 AS issue_slot_pct"},
    {"traffic_bound",
     "90.0 AS dram_pct_peak, 4300.0 AS dram_gbs, 4800.0 AS dram_peak_gbs, 4.0 AS arithmetic_intensity, 25.0 AS "
     "tflops_pct_peak",
     "5.0 AS dram_pct_peak"},
    {"waits_for_global",
     "13.8 AS stall_long_scoreboard, 0.1 AS stall_lg_throttle, 30.0 AS stall_total, 51.0 AS issue_active_pct",
     "0.08 AS stall_long_scoreboard, 0.01 AS stall_lg_throttle, 6.0 AS stall_total, 68.0 AS issue_active_pct"},
    {"waits_for_shared",
     "1.6 AS stall_short_scoreboard, 0.2 AS stall_mio_throttle, 6.0 AS stall_total, 68.0 AS issue_active_pct, 2.0 AS "
     "dram_busy_pct",
     "0.05 AS stall_short_scoreboard, 1.0 AS stall_mio_throttle, 3.2 AS stall_total, 92.0 AS issue_active_pct, 2.0 AS "
     "dram_busy_pct"},
    {"waits_at_barrier",
     "7.8 AS stall_barrier, 42.0 AS stall_total, 38.0 AS issue_active_pct, 11.0 AS dram_busy_pct",
     /* device memory is at its limit all the same */
     "24.0 AS stall_barrier, 138.0 AS stall_total, 11.0 AS issue_active_pct, 96.0 AS dram_busy_pct"},
    {"waits_for_pipe",
     "7.7 AS stall_math_pipe_throttle, 20.5 AS stall_total, 71.0 AS issue_active_pct",
     "1.1 AS stall_math_pipe_throttle, 15.9 AS stall_total, 79.0 AS issue_active_pct"},
    {"register_banks",
     "0.72 AS stall_dispatch_stall, 5.0 AS stall_total, 77.0 AS issue_active_pct, 88.0 AS fma_share_pct",
     "4.2 AS stall_dispatch_stall, 31.0 AS stall_total, 51.0 AS issue_active_pct, 12.5 AS fma_share_pct"},
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
            char list[4096];
            snprintf(list, sizeof list, " %s,", values);
            if (!strstr(list, wanted)) text_format(&names, ", NULL AS %s%s", prefixes[p], records.record[i].name);
        }
    }
    assert_int_equal(query_write(&query, "DROP TABLE IF EXISTS ladder"), 0);
    assert_int_equal(query_write(&query, "CREATE TABLE ladder AS SELECT 0 AS sweep, %s%s", values, text_string(&names)), 0);
    text_free(&names);
}

enum { MOST_VALUES = 64 };

struct values {
    int count;
    char name[MOST_VALUES][64];
    char number[MOST_VALUES][32];
};

static const char *fires_on(const char *rule)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (!strcmp(rows[r].rule, rule)) return rows[r].fires;
    fail_msg("the rule '%s' has no rows in tests/unit/test_rules.c", rule);
    return NULL;
}

static const struct record *parent_of(const struct record *rule)
{
    const char *under = record_field(rule, "under");
    return under ? records_find(&records, RECORD_RULE, under) : NULL;
}

static const char *number_of(const struct values *values, const char *name)
{
    for (int i = 0; i < values->count; i++)
        if (!strcmp(values->name[i], name)) return values->number[i];
    return NULL;
}

/* "12.5 AS name, 3 AS other" behind what is there; the first of a name counts. */
static void add_values(struct values *values, const char *list)
{
    for (int used; *list; list += used + strspn(list + used, ", ")) {
        assert_true(values->count < MOST_VALUES);
        used = 0;
        assert_int_equal(sscanf(list, "%31[0-9.] AS %63[a-z0-9_]%n", values->number[values->count], values->name[values->count], &used), 2);
        if (!number_of(values, values->name[values->count])) values->count++;
    }
}

/* What the rule fires on, and what those fire on that it is under. */
static void add_all_values(struct values *values, const struct record *rule)
{
    for (; rule; rule = parent_of(rule)) add_values(values, fires_on(rule->name));
}

static void make_ladder_of(const struct record *rule)
{
    struct values values = {.count = 0};
    struct text list = {0};
    add_all_values(&values, rule);
    for (int i = 0; i < values.count; i++) text_format(&list, "%s%s AS %s", i ? ", " : "", values.number[i], values.name[i]);
    make_ladder(text_string(&list));
    text_free(&list);
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
        make_ladder_of(rule);
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

/* ---- what is absent ------------------------------------------------------------------------------------------------------------------- */

/* Every rule has a family of its own in one run: at size 0 the rung 02_b has what the rule fires on, and 01_a before it what is called prev_;
 * at each further size one of the numbers that the rule names is absent. */

enum { MOST_POINTS = 1024 };

struct absence {
    const struct record *rule;
    char name[64];     /* "" at size 0 */
    int decides;       /* the name is one of `when` */
    int gates;         /* and of the `when` of a rule that it is under */
    int judged;        /* has a row among the findings */
    int applies, told; /* as that says; its text names what is absent */
};

static struct {
    struct absence at[MOST_POINTS];
    int count;
} points;

struct name_search {
    const char *name;
    int found;
};

static void compare_name(const char *name, size_t length, void *context)
{
    struct name_search *search = context;
    search->found |= strlen(search->name) == length && !strncmp(search->name, name, length);
}

static int names(const struct record *rule, const char *name)
{
    struct name_search search = {.name = name};
    text_identifiers(record_field(rule, "when"), compare_name, &search);
    return search.found;
}

static int is_column(const char *name)
{
    const char *base = name + (!strncmp(name, "prev_", 5) ? 5 : 0);
    return records_find(&records, RECORD_METRIC, base) || records_find(&records, RECORD_FACT, base) ||
           records_find(&records, RECORD_COUNTER, base);
}

static void add_absence(const char *name, size_t length, void *context)
{
    const struct record *rule = context;
    struct absence *absence = &points.at[points.count];
    assert_true(length < sizeof absence->name && points.count < MOST_POINTS);
    snprintf(absence->name, sizeof absence->name, "%.*s", (int)length, name);
    if (length && !is_column(absence->name)) return;
    for (int i = 0; i < points.count; i++)
        if (points.at[i].rule == rule && !strcmp(points.at[i].name, absence->name)) return;
    absence->rule = rule;
    absence->decides = names(rule, absence->name);
    absence->gates = absence->judged = 0;
    for (const struct record *parent = parent_of(rule); parent; parent = parent_of(parent)) absence->gates |= names(parent, absence->name);
    points.count++;
}

static void add_absences(const struct record *rule)
{
    add_absence("", 0, (void *)rule);
    text_identifiers(record_field(rule, "when"), add_absence, (void *)rule);
    for (const char *p = strchr(record_field(rule, "because"), '{'); p; p = strchr(p, '{')) {
        const size_t length = strcspn(++p, "}");
        char *expression = text_new("%.*s", (int)length, p);
        assert_non_null(expression);
        text_identifiers(expression, add_absence, (void *)rule);
        free(expression);
    }
}

/* One row of metrics.csv: the rung itself, or with the prefix "prev_" the one before it. */
static void write_point(struct text *csv, int at, const struct values *values, const char *variant, const char *prefix)
{
    text_format(csv, "%s,%s,%d,32,0,1", points.at[at].rule->name, variant, at);
    for (int i = 0; i < records.count; i++) {
        char name[80];
        const struct record *record = &records.record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_FACT && record->kind != RECORD_COUNTER) continue;
        snprintf(name, sizeof name, "%s%s", prefix, record->name);
        const char *number = strcmp(name, points.at[at].name) ? number_of(values, name) : NULL;
        text_format(csv, ",%s", number ? number : "");
    }
    text_append(csv, "\n");
}

static void write_points(void)
{
    struct text metrics = {0}, noise = {0};
    text_append(&metrics, "family,variant,size,block,sweep,best");
    text_append(&noise, "family,variant,size,block,sweep");
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_FACT && record->kind != RECORD_COUNTER) continue;
        text_format(&metrics, ",%s", record->name);
        text_format(&noise, ",%s", record->name);
    }
    text_append(&metrics, "\n");
    text_append(&noise, "\n");
    for (int at = 0; at < points.count; at++) {
        struct values values = {.count = 0};
        add_all_values(&values, points.at[at].rule);
        write_point(&metrics, at, &values, "01_a", "prev_");
        write_point(&metrics, at, &values, "02_b", "");
    }
    write_text("absent/metrics.csv", text_string(&metrics));
    write_text("absent/noise.csv", text_string(&noise));
    text_free(&metrics);
    text_free(&noise);
}

static void write_families(void)
{
    struct text families = {0}, variants = {0};
    for (int i = 0; i < records.count; i++) {
        const struct record *rule = &records.record[i], *of = rule;
        if (rule->kind != RECORD_RULE) continue;
        while (!record_field(of, "rate") && parent_of(of)) of = parent_of(of);
        const char *rate = record_field(of, "rate");
        text_format(&families, "%s,F,problem,bytes,%s\n", rule->name, rate ? rate : "bytes");
        text_format(&variants, "%s,01_a,1,A,,kernel\n%s,02_b,2,B,01_a,kernel\n", rule->name, rule->name);
    }
    write_table("absent", TABLE_FAMILIES, text_string(&families));
    write_variants("absent", text_string(&variants));
    text_free(&families);
    text_free(&variants);
}

/* Columns of findings.csv: family, variant, size, block, sweep, kind, name, before, after, noise, verdict, text. */
static void read_findings(void)
{
    struct csv_reader reader;
    assert_int_equal(csv_open(&reader, place("absent/findings.csv")), 0);
    while (csv_next(&reader) > 0) {
        char **cell = reader.cell;
        if (strcmp(cell[5], "rule") || strcmp(cell[0], cell[6]) || strcmp(cell[1], "02_b")) continue;
        struct absence *absence = &points.at[strtol(cell[2], NULL, 10)];
        char needs[80];
        snprintf(needs, sizeof needs, " %s ", absence->name);
        char *padded = text_new("%s ", cell[11]);
        assert_non_null(padded);
        absence->judged = 1;
        absence->applies = !strcmp(cell[10], "applies");
        absence->told = strstr(padded, absence->applies ? "absent" : needs) != NULL;
        free(padded);
    }
    csv_close(&reader);
}

/* What a rule cannot do without: it says that it could not be judged, and what it needs. Where a number is missing that only its sentence has, the
 * sentence says so. */
static void what_is_absent_is_told(void **state)
{
    struct run absent;
    (void)state;
    points.count = 0;
    for (int i = 0; i < records.count; i++)
        if (records.record[i].kind == RECORD_RULE) add_absences(&records.record[i]);
    make_run("absent");
    write_families();
    write_points();
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(run_open(&absent, place("absent")), 0);
    SUCCEEDS(explain_run(&absent), "");
    run_close(&absent);
    read_findings();
    for (int at = 0; at < points.count; at++) {
        const struct absence *absence = &points.at[at];
        const char *rule = absence->rule->name, *name = absence->name, *when = record_field(absence->rule, "when");
        char given[80];
        snprintf(given, sizeof given, "coalesce(%s,", name);
        if (!*name && (!absence->judged || !absence->applies || absence->told))
            fail_msg("%s: with all its numbers it must apply and print them", rule);
        if (!*name || absence->gates) continue;
        if (!absence->judged) fail_msg("%s: says nothing where %s is absent", rule, name);
        if (absence->decides && absence->applies && !strstr(when, given) && !strstr(when, " OR "))
            fail_msg("%s: applies where %s is absent", rule, name);
        if (!absence->decides && !absence->applies) fail_msg("%s: is not judged where %s is absent, which only its sentence has", rule, name);
        if (!absence->told && !(absence->decides && absence->applies)) fail_msg("%s: does not tell that %s is absent", rule, name);
    }
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
                                       cmocka_unit_test(claims_are_about_metrics), cmocka_unit_test(what_is_absent_is_told)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
