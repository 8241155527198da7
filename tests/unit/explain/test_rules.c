#include "fixture.h"

#include "explain/explain.h"
#include "query/query.h"
#include "catalog/records.h"
#include "catalog/registry.h"

/* Makes every rule under metrics/ fire on one hand-made row of the ladder and stay silent on
 * another. To add a rule: its row here. Values that it does not name are absent. */
static const struct {
    const char *rule;
    const char *fires;  /* for a rule under another: in addition to that one's values */
    const char *silent; /* where these values differ; of the rule's own */
} rows[] = {
    {"no_divergence_removed",
     "branch_efficiency_pct=100 prev_branch_efficiency_pct=100 predicated_on_pct=70 "
     "prev_predicated_on_pct=91 warp_instructions=50 prev_warp_instructions=100",
     "prev_branch_efficiency_pct=71"},
    {"divergent_branches", "branch_efficiency_pct=78 warp_execution_efficiency_pct=84.8",
     "branch_efficiency_pct=97"},
    {"few_active_lanes", "branch_efficiency_pct=99.85 warp_execution_efficiency_pct=39",
     "branch_efficiency_pct=78"},
    {"idle_by_predication", "branch_efficiency_pct=100 predicated_on_pct=60",
     "branch_efficiency_pct=90"},
    {"fewer_instructions",
     "prev_issue_slot_pct=70 warp_instructions=50 prev_warp_instructions=100 "
     "lane_slots_per_operation=9 prev_lane_slots_per_operation=18",
     "warp_instructions=95"},
    {"fewer_blocks", "grid_blocks=64 prev_grid_blocks=128", "grid_blocks=128"},
    {"issue_bound", "issue_slot_pct=80 dram_pct_peak=20", "dram_pct_peak=90"},
    {"ancillary_instructions", "lane_slots_per_operation=250", "lane_slots_per_operation=2.2"},
    {"conflicts_came",
     "shared_excess_least=1680 shared_excess_wavefronts=1680 prev_shared_excess_least=0 "
     "shared_conflict_ways=3.3 shared_excess_pct=26",
     "prev_shared_excess_least=1680"},
    {"fewer_conflicts",
     "shared_excess_least=100 prev_shared_excess_least=1680 shared_excess_pct=1.6 "
     "prev_shared_excess_pct=27",
     /* disappeared completely */
     "shared_excess_least=0"},
    {"conflicts_gone", "shared_excess_least=0 prev_shared_excess_least=1680 shared_conflicts_hw=77",
     /* some are left */
     "shared_excess_least=64"},
    {"conflicts_cost", "shared_excess_pct=26 shared_pipe_pct=37 shared_excess_least=1680",
     "shared_excess_pct=3.4 shared_pipe_pct=48"},
    {"shared_pipe_bound", "shared_pipe_pct=85 shared_excess_pct=0",
     "shared_pipe_pct=81 shared_excess_pct=32"},
    {"dram_bound", "dram_pct_peak=92 dram_gbs=4400 dram_peak_gbs=4800", "dram_pct_peak=50"},
    {"write_bound", "dram_write_bytes=900 dram_read_bytes=100 dram_pct_peak=88",
     "dram_write_bytes=40 dram_read_bytes=60"},
    {"latency_bound", "issue_slot_pct=30 dram_pct_peak=40 dram_busy_pct=42 sm_idle_pct=4",
     /* while SMs hold warps, memory is at its limit */
     "issue_slot_pct=7 dram_pct_peak=69 dram_busy_pct=90.5 sm_idle_pct=23"},
    {"few_bytes_in_flight",
     "stall_long_scoreboard=14.4 stall_lg_throttle=0 stall_total=25.1 l2_per_dram_byte=1.5 "
     "grid_blocks=4096 sm_count=132 warps_waiting_global=26",
     /* the queue is full: there are enough */
     "stall_long_scoreboard=88 stall_lg_throttle=80 stall_total=171 l2_per_dram_byte=1.7 "
     "grid_blocks=1056"},
    {"load_queue_full",
     "stall_long_scoreboard=88 stall_lg_throttle=397 stall_total=506 issue_active_pct=2.3 "
     "dram_busy_pct=52 dram_pct_peak=50 sectors_per_request=32",
     /* device memory is at its limit, which the queue shows */
     "stall_long_scoreboard=68 stall_lg_throttle=82 stall_total=167 issue_active_pct=8.3 "
     "dram_busy_pct=95"},
    {"waits_for_cache",
     "stall_long_scoreboard=38 stall_total=47 l2_per_dram_byte=59 l1_bytes=8900 l2_bytes=6800 "
     "issue_active_pct=33 time_ns=2 dram_pct_peak=2.4",
     "l2_per_dram_byte=1.5"},
    {"uncoalesced",
     "global_load_bytes=128 global_load_sectors=32 global_load_instructions=1 "
     "sectors_per_request=32 global_sector_use_pct=12.5 global_excess_sectors=28 "
     "dram_read_per_useful_byte=1.5",
     /* all lanes read one word */
     "global_load_bytes=4 global_load_sectors=1"},
    {"better_coalesced",
     "global_load_bytes=128 global_load_sectors=4 prev_global_load_bytes=128 "
     "prev_global_load_sectors=32 global_sector_use_pct=100 prev_global_sector_use_pct=12.5 "
     "sectors_per_request=4 prev_sectors_per_request=32",
     /* no loads at all any more: copies */
     "global_load_bytes=0 global_load_sectors=0"},
    {"reads_again", "dram_read_per_useful_byte=1.9", "dram_read_per_useful_byte=1"},
    {"local_memory", "local_bytes_per_useful_byte=65 local_sectors=272 local_bytes=16",
     "local_bytes_per_useful_byte=0"},
    {"local_memory_gone",
     "local_sectors=0 prev_local_bytes_per_useful_byte=65 prev_local_sectors=272 registers=22 "
     "prev_registers=14",
     "prev_local_bytes_per_useful_byte=0"},
    {"few_blocks", "grid_blocks=64 sm_count=132", "grid_blocks=132"},
    {"low_residency",
     "theoretical_occupancy_pct=25 waves=3.9 issue_active_pct=59 dram_busy_pct=2 blocks_per_sm=2 "
     "block_threads=256",
     /* as many blocks as can be resident, and the issue slots are busy */
     "theoretical_occupancy_pct=18.75 waves=1 issue_active_pct=92.6 dram_busy_pct=5"},
    {"registers_limit",
     "limited_by_registers=1 registers=127 resident_register_kib=254 register_file_kib=256",
     "limited_by_registers=0"},
    {"shared_memory_limit",
     "limited_by_shared_memory=1 resident_shared_kib=193 shared_memory_kib=228",
     "limited_by_shared_memory=0"},
    {"block_size_limit", "limited_by_blocks=1 limited_by_warps=0 resident_threads=512",
     "limited_by_blocks=0"},
    {"occupancy_not_reached",
     "achieved_occupancy_pct=72 theoretical_occupancy_pct=100 waves=248 issue_active_pct=45 "
     "dram_busy_pct=49",
     /* fewer blocks than places */
     "achieved_occupancy_pct=47 waves=0.48 issue_active_pct=10 dram_busy_pct=69"},
    {"wave_not_full",
     "waves=0.48 grid_blocks=512 sm_count=132 issue_active_pct=11 dram_busy_pct=73 "
     "dram_pct_peak=39 blocks_per_sm=8",
     /* and they suffice */
     "issue_active_pct=10 dram_busy_pct=98"},
    {"broken_wave", "waves=1.333", "waves=0.997"},
    {"uneven_load", "sm_coverage_pct=77 grid_blocks=1024 sm_count=132",
     /* too few blocks is another rule */
     "sm_coverage_pct=12 grid_blocks=16"},
    {"launch_bound",
     "sm_idle_pct=47 grid_blocks=512 sm_count=132 time_ns=9000 event_overhead_ns=1280",
     "sm_idle_pct=5"},
    {"launch_floor", "ceiling_launch_ns=3580 time_ns=5000", "time_ns=9000"},
    {"several_launches", "launches=3", "launches=1"},
    {"fewer_launches", "launches=1 prev_launches=2 faster=1 time_ns=9000 prev_time_ns=10850",
     /* not faster by more than the floors */
     "faster=0"},
    {"fewer_warps_faster",
     "achieved_occupancy_pct=50 prev_achieved_occupancy_pct=99.9 speedup_prev=1.97 faster=1 "
     "registers=48 prev_registers=32",
     "faster=0"},
    {"occupancy_not_needed", "achieved_occupancy_pct=25 dram_pct_peak=96 tflops_pct_peak=0.4",
     "dram_pct_peak=2 tflops_pct_peak=52"},
    {"fma_bound",
     "tflops_pct_fp32_peak=85.2 tflops=57 fp32_peak_tflops=66.9 fma_share_pct=92.6 "
     "issue_slot_pct=95 sm_clock_mhz=1900",
     "tflops_pct_fp32_peak=65.3 tflops=43.7 fma_share_pct=88"},
    {"tensor_cores_unused", "fp32_fma=1000 useful_operations=2000",
     /* they do most of it */
     "fp32_fma=100"},
    {"fma_diluted", "fma_share_pct=72 issue_slot_pct=70", "fma_share_pct=92.6 issue_slot_pct=95"},
    {"traffic_bound",
     "dram_pct_peak=90 dram_gbs=4300 dram_peak_gbs=4800 arithmetic_intensity=4 tflops_pct_peak=25",
     "dram_pct_peak=5"},
    {"waits_for_global",
     "stall_long_scoreboard=13.8 stall_lg_throttle=0.1 stall_total=30 issue_active_pct=51",
     "stall_long_scoreboard=0.08 stall_lg_throttle=0.01 stall_total=6 issue_active_pct=68"},
    {"waits_for_shared",
     "stall_short_scoreboard=1.6 stall_mio_throttle=0.2 stall_total=6 issue_active_pct=68 "
     "dram_busy_pct=2",
     "stall_short_scoreboard=0.05 stall_mio_throttle=1 stall_total=3.2 issue_active_pct=92"},
    {"waits_at_barrier", "stall_barrier=7.8 stall_total=42 issue_active_pct=38 dram_busy_pct=11",
     /* device memory is at its limit all the same */
     "stall_barrier=24 stall_total=138 issue_active_pct=11 dram_busy_pct=96"},
    {"for_tensor_cores",
     "unit_tensor_bf16=1 unit_tensor_tf32=0 tflops=700 unit_peak_tflops=1070 tflops_pct_peak=65.4 "
     "tflops_pct_peak_at_clock=80 sm_clock_mhz=1620 tflops_pct_fp32_peak=1046",
     "unit_tensor_bf16=0"},
    {"tensor_bound", "tensor_peak_pct=91 tensor_operations_per_useful=1.02", "tensor_peak_pct=40"},
    {"warp_products",
     "mma_bf16_operations=1000 mma_tf32_operations=0 tensor_operations=1000 mma_peak_pct=66.7",
     /* on an A100 */
     "mma_peak_pct=100"},
    {"waits_for_products", "stall_gmma=9 stall_total=20 tensor_peak_pct=40", "tensor_peak_pct=90"},
    {"clock_lowered", "sm_clock_mhz=1620 sm_clock_pct=81.8", "sm_clock_mhz=1950 sm_clock_pct=98.5"},
    {"power_capped",
     "power_capped=1 sustained_power_w=700 sustained_clock_mhz=1440 sustained_time_ns=190000 "
     "time_warm_ns=170000 energy_per_operation_pj=0.97",
     "power_capped=0 sustained_power_w=400 sustained_clock_mhz=1980"},
    {"waits_for_pipe", "stall_math_pipe_throttle=7.7 stall_total=20.5 issue_active_pct=71",
     "stall_math_pipe_throttle=1.1 stall_total=15.9 issue_active_pct=79"},
    {"register_banks",
     "stall_dispatch_stall=0.72 stall_total=5 issue_active_pct=77 fma_share_pct=88",
     "stall_dispatch_stall=4.2 stall_total=31 issue_active_pct=51 fma_share_pct=12.5"},
};

static struct records records;
static struct run run;
static struct query query;

/* Whether a record of this kind is a column of the real table. */
static int is_column(const struct record *record)
{
    return record->kind == RECORD_METRIC || record->kind == RECORD_FACT ||
           record->kind == RECORD_COUNTER;
}

/* Makes table `ladder` with one row: the named values, and NULL in every other column of the real
 * one. */
static void make_ladder(const char *words)
{
    static const char *const prefixes[] = {"", "prev_", "first_"};
    struct text columns = {0};
    struct word word;
    append_columns(&columns, words);
    for (int i = 0; i < records.count * 3; i++) {
        char name[80];
        if (!is_column(&records.record[i / 3])) continue;
        snprintf(name, sizeof name, "%s%s", prefixes[i % 3], records.record[i / 3].name);
        if (!find_word(words, name, &word)) text_format(&columns, ", NULL AS %s", name);
    }
    assert_int_equal(query_write(&query, "DROP TABLE IF EXISTS ladder"), 0);
    assert_int_equal(query_write(&query, "CREATE TABLE ladder AS SELECT 0 AS sweep, 0 AS device%s",
                                 text_string(&columns)),
                     0);
    text_free(&columns);
}

static const char *fires_on(const char *rule)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (!strcmp(rows[r].rule, rule)) return rows[r].fires;
    fail_msg("the rule '%s' has no row in tests/unit/explain/test_rules.c", rule);
    return NULL;
}

static const struct record *parent_of(const struct record *rule)
{
    const char *under = record_field(rule, "under");
    return under ? records_find(&records, RECORD_RULE, under) : NULL;
}

/* Returns the values on which the rule fires, and those on which the rules above it fire. */
static struct text all_words(const struct record *rule)
{
    struct text words = {0};
    for (; rule; rule = parent_of(rule)) text_format(&words, "%s ", fires_on(rule->name));
    return words;
}

/* Returns the value of an expression over the ladder; NULL if it is NULL. The caller frees it. */
static char *on_ladder(const char *origin, const char *expression, int length)
{
    char *sql = text_new("SELECT (%.*s) FROM ladder", length, expression), *value = NULL;
    if (query_text(&query, origin, sql, NULL, &value)) fail_msg("%s: %s", origin, expression);
    free(sql);
    return value;
}

/* Judges the rule where these values are there. Asserts that the result is the expected one; NULL
 * if it cannot be judged. */
static void judge(const struct record *rule, const char *words, const char *expected)
{
    const char *when = record_field(rule, "when");
    make_ladder(words);
    char *value = on_ladder(rule->name, when, (int)strlen(when));
    if (!value != !expected || (value && strcmp(value, expected)))
        fail_msg("%s: is %s where %s", rule->name, value ? value : "NULL", words);
    free(value);
}

TEST(every_rule_fires_and_stays_silent)
{
    size_t rules = 0;
    for (int i = 0; i < records.count; i++) {
        if (records.record[i].kind != RECORD_RULE) continue;
        rules++;
        fires_on(records.record[i].name); /* there is a row */
    }
    assert_int_equal(rules, sizeof rows / sizeof *rows);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct record *rule = records_find(&records, RECORD_RULE, rows[r].rule);
        char *silent = text_new("%s %s", rows[r].silent, rows[r].fires);
        assert_non_null(rule);
        judge(rule, rows[r].fires, "1");
        judge(rule, silent, "0");
        judge(rule, "", NULL); /* where nothing was measured */
        free(silent);
    }
}

/* Every number that a rule names is there when it fires. */
TEST(reasons_have_their_numbers)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct record *rule = records_find(&records, RECORD_RULE, rows[r].rule);
        struct text words = all_words(rule);
        make_ladder(text_string(&words));
        text_free(&words);
        int placeholders = 0;
        for (const char *p = strchr(record_field(rule, "because"), '{'); p; p = strchr(p, '{')) {
            const int length = (int)strcspn(++p, "}");
            char *value = on_ladder(rule->name, p, length);
            if (!value) fail_msg("%s: '%.*s' is absent in its own row", rule->name, length, p);
            free(value);
            placeholders++;
        }
        assert_true(placeholders > 0); /* every finding prints the numbers that it used */
    }
}

/* A claim about an unknown metric would stop every report of a run that holds it. */
TEST_OF_VARIANTS(claims_are_about_metrics)
{
    int claims = 0;
    make_ladder("");
    for (int i = 0; registry_variants[i]; i++) {
        for (int c = 0; c < CLAIM_COUNT && registry_variants[i]->claims[c].says; c++) {
            const char *expect = registry_variants[i]->claims[c].expect;
            char *value = on_ladder(registry_variants[i]->file, expect, (int)strlen(expect));
            /* Nothing was measured: the claim is not measurable, or decided by the setting
             * alone. */
            if (value && !strstr(expect, "sweep"))
                fail_msg("%s: '%s' is judged where nothing was measured",
                         registry_variants[i]->file, expect);
            free(value);
            claims++;
        }
    }
    assert_true(claims > 0);
}

/* ---- absent values --------------------------------------------------------------------------- */

/* Every rule has a family of its own in one run: at size 0 the rung 02_b has the values on which
 * the rule fires, and 01_a before it those named prev_; at each further size one of the rule's
 * numbers is absent. */

enum { MOST_POINTS = 1024 };

struct absence {
    const struct record *rule;
    char name[64]; /* "" at size 0 */
    int decides;   /* the name is one of `when` */
    int gates;     /* and of the `when` of a rule above it */
    int judged;    /* has a row among the findings */
    int applies,
        told; /* as a message that it could not be judged; its text names the absent number */
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

static int is_known(const char *name)
{
    const char *base = name + (!strncmp(name, "prev_", 5) ? 5 : 0);
    return records_find(&records, RECORD_METRIC, base) ||
           records_find(&records, RECORD_FACT, base) ||
           records_find(&records, RECORD_COUNTER, base);
}

static void add_absence(const char *name, size_t length, void *context)
{
    const struct record *rule = context;
    struct absence *absence = &points.at[points.count];
    assert_true(length < sizeof absence->name && points.count < MOST_POINTS);
    snprintf(absence->name, sizeof absence->name, "%.*s", (int)length, name);
    if (length && !is_known(absence->name)) return;
    for (int i = 0; i < points.count; i++)
        if (points.at[i].rule == rule && !strcmp(points.at[i].name, absence->name)) return;
    absence->rule = rule;
    absence->decides = names(rule, absence->name);
    absence->gates = absence->judged = 0;
    for (const struct record *parent = parent_of(rule); parent; parent = parent_of(parent))
        absence->gates |= names(parent, absence->name);
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

/* Writes one row of metrics.csv: of the rung itself, or with the prefix "prev_" of the previous
 * one. */
static void write_point(struct text *csv, int at, const char *words, const char *variant,
                        const char *prefix)
{
    text_format(csv, "%s,%s,%d,32,0,1", points.at[at].rule->name, variant, at);
    for (int i = 0; i < records.count; i++) {
        char name[80];
        struct word word;
        if (!is_column(&records.record[i])) continue;
        snprintf(name, sizeof name, "%s%s", prefix, records.record[i].name);
        const int there = strcmp(name, points.at[at].name) && find_word(words, name, &word);
        text_format(csv, ",%s", there ? word.value : "");
    }
    text_append(csv, "\n");
}

static void write_points(void)
{
    struct text metrics = {0}, noise = {0};
    text_append(&metrics, "family,variant,size,block,sweep,best");
    text_append(&noise, "family,variant,size,block,sweep");
    for (int i = 0; i < records.count; i++) {
        if (!is_column(&records.record[i])) continue;
        text_format(&metrics, ",%s", records.record[i].name);
        text_format(&noise, ",%s", records.record[i].name);
    }
    text_append(&metrics, "\n");
    text_append(&noise, "\n");
    for (int at = 0; at < points.count; at++) {
        struct text words = all_words(points.at[at].rule);
        write_point(&metrics, at, text_string(&words), "01_a", "prev_");
        write_point(&metrics, at, text_string(&words), "02_b", "");
        text_free(&words);
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
        text_format(&variants, "%s,01_a,1,A,,kernel\n%s,02_b,2,B,01_a,kernel\n", rule->name,
                    rule->name);
    }
    write_table("absent", TABLE_FAMILIES, text_string(&families));
    write_variants("absent", text_string(&variants));
    text_free(&families);
    text_free(&variants);
}

/* Columns of findings.csv: family, variant, size, block, sweep, kind, name, before, after,
 * noise, verdict, text. */
static void read_findings(void)
{
    struct csv_reader reader;
    assert_int_equal(csv_open(&reader, place("absent/findings.csv")), 0);
    while (csv_next(&reader) > 0) {
        char **cell = reader.cell;
        if (strcmp(cell[6], "rule") || strcmp(cell[0], cell[7]) || strcmp(cell[1], "02_b"))
            continue;
        struct absence *absence = &points.at[strtol(cell[2], NULL, 10)];
        char needs[80];
        snprintf(needs, sizeof needs, " %s ", absence->name);
        char *padded = text_new("%s ", cell[12]);
        assert_non_null(padded);
        absence->judged = 1;
        absence->applies = !strcmp(cell[11], "applies");
        absence->told = strstr(padded, absence->applies ? "absent" : needs) != NULL;
        free(padded);
    }
    csv_close(&reader);
}

/* If a number that a rule needs is missing, the finding says that it could not be judged, and names
 * the number. If only its sentence uses the number, the sentence says so. */
TEST(what_is_absent_is_told)
{
    struct run absent;
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
        const char *rule = absence->rule->name, *name = absence->name,
                   *when = record_field(absence->rule, "when");
        char given[80];
        snprintf(given, sizeof given, "coalesce(%s,", name);
        if (!*name && (!absence->judged || !absence->applies || absence->told))
            fail_msg("%s: with all its numbers it must apply and print them", rule);
        if (!*name || absence->gates) continue;
        if (!absence->judged) fail_msg("%s: says nothing where %s is absent", rule, name);
        if (absence->decides && absence->applies && !strstr(when, given) && !strstr(when, " OR "))
            fail_msg("%s: applies where %s is absent", rule, name);
        if (!absence->decides && !absence->applies)
            fail_msg("%s: is not judged where %s is absent, which only its sentence has", rule,
                     name);
        if (!absence->told && !(absence->decides && absence->applies))
            fail_msg("%s: does not tell that %s is absent", rule, name);
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

RUN_TESTS(open_all, close_all)
