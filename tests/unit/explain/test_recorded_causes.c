/*
 * Tests the causes of the run: those of every step sum to its change, every number of a headline is
 * in a table, and the classic steps have the causes that an expert names.
 */

#include <ctype.h>
#include <math.h>

#include "asked.h"
#include "explain/causes.h"

static int open_all(void **state)
{
    if (ask_fixture_run(state)) return -1;
    int result = records_read(&records, root());
    if (!result)
        result =
            LOAD_TABLES(TABLE_VARIANTS, TABLE_CLAIMS, TABLE_METRICS, TABLE_STEPS, TABLE_VERDICTS,
                        TABLE_CAUSES, TABLE_SAID, TABLE_REMAINS, TABLE_DEMANDS);
    if (!result) result = causes_names(&query, &records);
    if (!result) /* the statements below join by these columns */
        result = query_write(
            &query, "CREATE VIEW headlines AS SELECT *, sentence AS headline FROM said WHERE place "
                    "= 0; CREATE INDEX causes_key ON causes(family, variant, size, block)");
    return result;
}

#define POINT "family, variant, size, block, sweep"
/* Launches of more than 0.1 s have no counts of accesses, so a step from or to one has no causes.
 */
#define IS_COUNTED                                                                                 \
    "NOT EXISTS (SELECT 1 FROM metrics m WHERE m.family = s.family AND m.size = s.size AND "       \
    "m.variant IN (s.variant, s.after) AND m.time_ns > 1e8)"
#define NAME(of) of ".family || '/' || " of ".variant || ' at size ' || " of ".size"

/* ---- the causes ------------------------------------------------------------------------------ */

TEST(causes_sum_to_the_change)
{
    finds_nothing(
        100,
        "SELECT " NAME("c") " || printf(': causes of %.9g ns, of %.9g', sum(c.saved_ns), p.time_ns "
                            "- m.time_ns) FROM causes c JOIN metrics m USING (" POINT
                            ") JOIN metrics p ON p.family = c.family AND p.variant = c.after AND "
                            "p.size = c.size AND p.block = c.block AND p.best = 1 GROUP BY "
                            "c.family, c.variant, c.size, c.block HAVING wrong(abs(sum(c.saved_ns) "
                            "- (p.time_ns - m.time_ns)) > 1e-6 * p.time_ns)");
    finds_nothing(
        100, "SELECT " NAME(
                 "s") " || ': a change, and no causes' FROM steps s WHERE s.speedup_prev <> 1 "
                      "AND " IS_COUNTED
                      " AND wrong(NOT EXISTS (SELECT 1 FROM causes c WHERE c.family = s.family AND "
                      "c.variant = s.variant AND c.size = s.size AND c.block = s.block))");
    finds_nothing(
        1000,
        "SELECT " NAME("c") " || ': ' || cause || ' is there twice' FROM causes c GROUP BY " POINT
                            ", cause HAVING wrong(count(*) > 1)");
}

#define LARGE                                                                                      \
    "s.evidence IN ('faster', 'slower') AND (s.speedup_prev >= 1.1 OR s.speedup_prev <= 1 / 1.1) " \
    "AND " IS_COUNTED

/* Of the steps of 2 % or more, all but one in fifty. */
TEST(steps_name_a_cause)
{
    static const char sure[] = "FROM steps s JOIN said h USING (" POINT ") WHERE h.place = 0 AND "
                               "s.evidence IN ('faster', 'slower') AND abs(s.speedup_prev - 1) >= "
                               "0.02 AND " IS_COUNTED;
    char all[600], open[640];
    snprintf(all, sizeof all, "SELECT count(*) %s", sure);
    snprintf(open, sizeof open, "SELECT count(*) %s AND h.is_open", sure);
    print_message("# of %.0f steps of 2 %% or more, %.0f name no cause\n", number(all),
                  number(open));
    assert_true(number(all) >= at_least(50, 250));
    assert_true(number(open) <= number(all) / 50);
}

/* There is a headline, and for every claim of the sources about it at this size a verdict, or the
 * missing data. */
TEST(large_steps_have_a_headline_and_verdicts)
{
    finds_nothing(110,
                  "SELECT " NAME(
                      "s") " || ' has no headline' FROM steps s LEFT JOIN headlines h USING (" POINT
                           ") WHERE wrong(h.headline IS NULL)");
    finds_nothing(110, "SELECT " NAME(
                           "s") " || ': ' || h.headline FROM steps s JOIN headlines h USING (" POINT
                                ") WHERE " LARGE " AND wrong(h.headline NOT LIKE '%× faster%' AND "
                                "h.headline NOT LIKE '% slower%')");
    finds_nothing(80, "SELECT " NAME(
                          "s") " || ': claim ' || c.claim || ' has no verdict' FROM steps s JOIN "
                               "claims c USING (family, variant) WHERE " LARGE
                               " AND (c.size IS NULL OR c.size = s.size) AND wrong(NOT EXISTS "
                               "(SELECT 1 FROM verdicts v WHERE v.family = s.family AND v.variant "
                               "= s.variant AND v.size IN (s.size, 'any') AND v.claim = c.claim))");
    finds_nothing(
        200,
        "SELECT " NAME(
            "v") " || ': claim ' || claim || ' is ' || verdict || ', without numbers' FROM "
                 "verdicts v WHERE wrong(coalesce(numbers, '') = '' OR verdict = 'not measurable "
                 "here' AND numbers NOT LIKE '%needs%' AND numbers NOT LIKE '%do not decide%' AND "
                 "numbers NOT LIKE '%no such point%' AND numbers NOT LIKE '%the claim is about%')");
}

/* ---- headlines ------------------------------------------------------------------------------- */

/* Returns 1 if the number, with the words after it, is a cell of the row's step, or of its causes
 * as headlines write them. */
static const char is_cell_sql[] =
    "WITH step AS (SELECT * FROM steps WHERE family = :family AND variant = :variant AND size = "
    ":size AND block = CAST(:block AS INTEGER)),"
    " cause AS (SELECT * FROM causes WHERE family = :family AND variant = :variant AND size = "
    ":size AND block = CAST(:block AS INTEGER)),"
    " moved AS (SELECT moved_text(witness_before, witness_after, witness LIKE '%pct') AS words "
    "FROM "
    "cause),"
    " cell AS (SELECT change_text(speedup_prev) AS written FROM step UNION ALL "
    "SELECT printf('%.1f %% in speed', 100 * abs(speedup_prev - 1)) FROM step"
    "  UNION ALL SELECT printf('%.1f to', 100 * abs(speedup_prev_low - 1)) FROM step UNION ALL "
    "SELECT printf('%.1f %%,', 100 * abs(speedup_prev_high - 1)) FROM step"
    "  UNION ALL SELECT printf('%.2f %%.', floor_pct) FROM step UNION ALL SELECT '95 % interval'"
    "  UNION ALL SELECT time_text(unguaranteed_time_ns) FROM metrics WHERE family = :family AND "
    "variant = :variant AND size = :size AND unguaranteed_time_ns IS NOT NULL"
    "  UNION ALL SELECT printf('%.9g %% of its launches', wrong_pct) FROM metrics WHERE family = "
    ":family AND variant = :variant AND size = :size AND wrong_pct > 0"
    "  UNION ALL SELECT setting_text(v.sweep_name, v.sweep_text, m.sweep) FROM step s JOIN metrics "
    "m ON m.family = s.family AND m.variant IN (s.variant, s.after) AND m.size = s.size AND m.best "
    "= 1 JOIN variants v ON v.family = m.family AND v.variant = m.variant"
    "  UNION ALL SELECT change_text((SELECT time_warm_ns FROM metrics WHERE family = :family AND "
    "variant = (SELECT after FROM step) AND size = :size AND best = 1) / time_warm_ns) FROM "
    "metrics WHERE family = :family AND variant = :variant AND size = :size AND best = 1"
    "  UNION ALL SELECT printf('%.0f %% ', share_pct) FROM cause"
    "  UNION ALL SELECT time_text(abs(saved_ns)) FROM cause"
    "  UNION ALL SELECT printf('%.0f %% ', sum(share_pct)) FROM cause GROUP BY named"
    "  UNION ALL SELECT time_text(abs(sum(saved_ns))) FROM cause GROUP BY named"
    "  UNION ALL SELECT time_text(witness_before) FROM cause WHERE witness LIKE '%ns'"
    "  UNION ALL SELECT time_text(witness_after) FROM cause WHERE witness LIKE '%ns'"
    "  UNION ALL SELECT substr(words, 1 + (words NOT LIKE '%→%')) FROM moved"
    "  UNION ALL SELECT substr(words, instr(words, '→') + 2) FROM moved WHERE words LIKE '%→%'"
    "  UNION ALL SELECT time_text(abs(sum(saved_ns))) FROM cause"
    "  UNION ALL SELECT human(CASE n.column1 WHEN 0 THEN registers WHEN 1 THEN grid_blocks WHEN 2 "
    "THEN block_threads ELSE (static_shared_bytes + dynamic_shared_bytes) / 1024.0 END) FROM step "
    "s JOIN metrics m ON m.family = s.family AND m.variant IN (s.variant, s.after) AND m.size = "
    "s.size AND m.best = 1, (VALUES (0), (1), (2), (3)) n WHERE registers IS NOT NULL"
    "  UNION ALL SELECT printf('%.1f', dram_pct_peak) FROM step s JOIN metrics m ON m.family = "
    "s.family AND m.variant IN (s.variant, s.after) AND m.size = s.size AND m.best = 1"
    "  UNION ALL SELECT printf('%.0f %% of the time', sum(pct)) FROM demands WHERE family = "
    ":family "
    "AND variant = :variant AND size = :size AND block = CAST(:block AS INTEGER) AND "
    "resource NOT IN ('shared', 'l1', 'conflicts', 'same_word') GROUP BY resource"
    "  UNION ALL SELECT printf('%.0f %% of the time', sum(pct)) FROM demands WHERE family = "
    ":family AND variant = :variant AND size = :size AND block = CAST(:block AS INTEGER) AND "
    "resource IN ('shared', 'l1', 'conflicts', 'same_word'))"
    " SELECT written FROM cell WHERE substr(:rest, 1, length(written)) = written";

static int check_numbers(void *context, const struct scope *row)
{
    const char *headline = scope_value(row, "headline", NULL);
    int *count = context;
    for (const char *p = headline; *p;) {
        const int negative = *p == '-' && isdigit((unsigned char)p[1]);
        const int in_name = p > headline && isalpha((unsigned char)p[-1]); /* L2 */
        if ((!isdigit((unsigned char)*p) && !negative) || in_name) {
            p++;
            continue;
        }
        const char *const name[] = {"rest"}, *const rest[] = {p};
        const struct scope scope = {row, 1, name, rest};
        char *cell = NULL;
        assert_int_equal(query_text(&query, "test", is_cell_sql, &scope, &cell), 0);
        if (!cell) fail_msg("%s: no cell is '%.12s...'", headline, p);
        free(cell);
        p += negative;
        p += strspn(p, "0123456789.");
        ++*count;
    }
    return 0;
}

/* A change of less than 2 % has no amounts of causes, but where one of them exceeds it. */
TEST(headlines_promise_no_more_than_there_is)
{
    finds_nothing(
        at_least(40, 110),
        "SELECT " NAME(
            "h") " || ': ' || headline FROM headlines h JOIN steps s USING (family, variant, "
                 "size, block) WHERE abs(s.speedup_prev - 1) < 0.02 AND wrong((headline LIKE "
                 "'% saved%' OR headline LIKE '% cost%' OR headline LIKE '% lost%') AND NOT "
                 "EXISTS (SELECT 1 FROM causes c WHERE (c.family, c.variant, c.size, c.block, "
                 "c.after) = (s.family, s.variant, s.size, s.block, s.after) AND "
                 "abs(c.share_pct) > 100))");
}

/* A step that gained little names the busiest unit of both rungs, and calls it their limit only
 * where it is at its limit on both. */
TEST(what_limits_is_busy)
{
    static const char busiest[] =
        "CREATE VIEW busiest AS SELECT family, variant, size, max(pct) AS pct FROM (SELECT "
        "family, variant, size, sum(pct) AS pct FROM (SELECT family, variant, size, iif(resource "
        "IN ('conflicts', 'l1', "
        "'same_word'), 'shared', resource) AS unit, pct FROM demands) GROUP BY family, variant, "
        "size, unit) GROUP BY family, variant, size";
    assert_int_equal(query_write(&query, "%s", busiest), 0);
    finds_nothing(1, "SELECT " NAME(
                         "h") " || ': ' || headline FROM headlines h JOIN busiest a USING (family, "
                              "variant, size) JOIN busiest b ON (b.family, b.variant, b.size) = "
                              "(h.family, h.after, h.size) WHERE headline LIKE '%, busy %' AND "
                              "wrong(instr(headline, printf('busy %.0f %% of the time', a.pct)) = "
                              "0 OR (headline LIKE '%, limits both.') <> (min(a.pct, b.pct) >= "
                              "85))");
}

TEST(every_number_of_a_headline_is_a_cell)
{
    int count = 0;
    assert_int_equal(
        query_each(&query, "test", "SELECT * FROM headlines", NULL, check_numbers, &count), 0);
    assert_true(count >= at_least(200, 1000));
    /* A headline gives no shares of a tiny change. */
    finds_nothing(
        5, "SELECT " NAME("h") " || ': ' || headline FROM headlines h JOIN causes c USING (" POINT
                               ") WHERE c.status = 'resolved' AND abs(c.share_pct) > 150 AND "
                               "wrong(instr(headline, printf('%.0f %%', c.share_pct)) > 0)");
}

/* ---- what an expert would say ---------------------------------------------------------------- */

/* In each step, at the sizes from `least` on where the blocks fill the GPU: a cause (or detail),
 * and the range of its share of the change. The share or an end of its 95 % interval lies within.
 */
static const struct expected {
    const char *family, *variant;
    double least; /* useful bytes of the smallest size */
    const char *cause;
    double low, high, inferred_high;
} expected[] = {
    /* It brings conflicts. */
    {"reduce", "02_interleaved_strided", 1e7, "division", 85, 115, 0},
    {"reduce", "03_sequential", 1e7, "bank_conflicts", 45, 65, 0},
    {"reduce", "03_sequential", 1e7, "instructions", 15, 40, 0},
    {"reduce", "04_first_add_on_load", 5e7, "lanes_off", 35, 70, 0},
    {"reduce", "05_last_warp_unrolled", 1e7, "lanes_off", 35, 70, 0},
    {"reduce", "06_fully_unrolled", 5e7, "instructions", 55, 100, 0},
    /* Not the latency of loads: without them the step would save more. */
    {"reduce", "07_many_per_thread", 5e7, "instructions", 15, 40, 0},
    {"gemm", "05_thread_tile_2d", 4e7, "shared_traffic", 65, 110, 0},
    /* The rest are barriers. */
    {"gemm", "06_wide_loads", 4e7, "residency", 50, 85, 0},
    {"gemm", "07_swizzled_b", 4e7, "bank_conflicts", 80, 130, 400},
    {"gemm", "08_double_buffer", 4e7, "global_latency", 70, 120, 0},
    {"gemm", "09_compute_first", 4e7, "global_latency", 75, 115, 0},
    {"gemm", "10_warp_tiles", 4e7, "bank_conflicts", 85, 115, 0},
};

TEST(steps_have_the_causes_that_an_expert_names)
{
    const int inferred = number("SELECT count(*) FROM causes WHERE witness LIKE 'measured%%' "
                                "OR witness = 'scaled_cost_ns'") == 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct expected *e = &expected[i];
        const double high = inferred && e->inferred_high ? e->inferred_high : e->high;
        char sql[2000];
        snprintf(
            sql, sizeof sql,
            "WITH at AS (SELECT s.*, c.share_pct AS share, abs(c.share_pct * (c.high_ns - "
            "c.low_ns) / 2 / c.saved_ns) AS margin FROM steps s JOIN metrics m USING (" POINT
            ") LEFT JOIN causes c ON (c.family, c.variant, c.size, c.block, c.sweep) = (s.family, "
            "s.variant, s.size, s.block, s.sweep) AND c.cause = '%s' WHERE s.family = "
            "'%s' AND s.variant = '%s' AND m.useful_bytes >= %g AND m.grid_blocks > 0.9 * "
            "m.blocks_per_sm * (SELECT value FROM run WHERE key = 'device_sm_count')) SELECT " NAME(
                "at") " || printf(': %s has %%.0f +- %%.0f %%%%, expected %g to %g', share, "
                      "margin) FROM at WHERE wrong(NOT coalesce(share + margin >= %g AND share - "
                      "margin <= %g, 0)) ORDER BY 1 DESC",
            e->cause, e->family, e->variant, e->least, e->cause, e->low, high, e->low, high);
        finds_nothing(1, sql);
    }
    /* Fewer stalls at register banks, and a third warp, which waits for slots in their place.
     * Without samples the warps that only fetch cannot be told from others. */
    finds_nothing(1, "SELECT size || printf(': %g %%', sum(share_pct)) FROM causes WHERE family = "
                     "'gemm' AND variant = '16_producer_warps' AND cause IN ('dispatch', "
                     "'residency', 'producer_warps') AND CAST(size AS INTEGER) >= 2048 GROUP BY "
                     "size HAVING wrong(NOT (sum(share_pct) BETWEEN 60 AND 115))");
    finds("SELECT group_concat(cause) FROM (SELECT cause FROM causes WHERE family = 'gemm' AND "
          "variant = '16_producer_warps' AND size = '2048x2048x2048' AND named IN (1, 2) ORDER BY "
          "named)",
          "dispatch,producer_warps");
    /* A run before the counter of lines counts copies from several of them among conflicts. */
    finds_nothing(1, "SELECT size || printf(': %g %%', sum(share_pct)) FROM causes WHERE family = "
                     "'gemm' AND variant = '13_async_copies' AND cause IN ('bank_conflicts', "
                     "'copied_lines') AND CAST(size AS INTEGER) >= 2048 GROUP BY size HAVING "
                     "wrong(NOT (sum(share_pct) BETWEEN 75 AND 115))");
}

/* At the limit of device memory nothing is named but what can matter there. */
TEST(saturated_steps_name_what_can_matter)
{
    finds_at_least(at_least(5, 20), "steps s JOIN metrics m USING (" POINT
                                    ") WHERE m.demand_dram_ns / m.time_ns > 0.9");
    finds_nothing(
        3000,
        "SELECT " NAME(
            "c") " || ': ' || c.cause FROM causes c JOIN metrics m USING (" POINT
                 ") JOIN metrics p ON p.family = c.family AND p.variant = c.after AND p.size = "
                 "c.size AND p.block = c.block AND p.best = 1 WHERE min(m.demand_dram_ns / "
                 "m.time_ns, p.demand_dram_ns / p.time_ns) > 0.9 AND c.status = 'resolved' AND "
                 "wrong(c.cause NOT IN ('dram_bytes', 'dram_rate', 'bytes_in_flight', "
                 "'instructions', 'residency', 'idle_sms', "
                 "'imbalance', 'atomics', 'launches', 'other_launches', 'clock', 'residual'))");
    assert_string_equal(ask("SELECT cause FROM causes WHERE family = 'reduce' "
                            "AND variant = '08_atomic_per_block' AND size = '134217728' ORDER BY "
                            "saved_ns DESC LIMIT 1"),
                        "launches");
    assert_string_equal(ask("SELECT cause FROM causes WHERE family = 'reduce' AND variant = "
                            "'15_few_tiles' AND size = '536870912' ORDER BY saved_ns DESC LIMIT 1"),
                        "imbalance");
}

/* The same causes lead at every size from 2^24 on; where barriers and conflicts were knocked out at
 * once, both are one. One is left out: there, instructions and wavefronts of shared memory tie,
 * with 50 and 49 % of the change. */
TEST(sizes_have_the_same_causes)
{
    finds_at_least(4 * at_least(2, 4), "steps WHERE family = 'reduce' AND variant IN "
                                       "('02_interleaved_strided', '03_sequential', "
                                       "'05_last_warp_unrolled', '06_fully_unrolled') AND "
                                       "CAST(size AS INTEGER) >= 16777216");
    finds_nothing(
        4, "SELECT 'reduce/' || variant || ' is explained by ' || group_concat(DISTINCT cause) "
           "FROM (SELECT variant, size, iif(cause = 'barriers_conflicts', 'bank_conflicts', cause) "
           "AS cause, row_number() OVER (PARTITION BY variant, size ORDER "
           "BY abs(share_pct) DESC) AS place FROM causes WHERE family = 'reduce' AND variant IN "
           "('02_interleaved_strided', '03_sequential', '05_last_warp_unrolled', "
           "'06_fully_unrolled') AND CAST(size AS INTEGER) >= 16777216 AND status = 'resolved' AND "
           "NOT (variant = '05_last_warp_unrolled' AND size = '134217728')) WHERE place = 1 GROUP "
           "BY variant HAVING wrong(count(DISTINCT cause) > 1)");
}

/* ---- what remains ---------------------------------------------------------------------------- */

/* A bound is not below what the next rung saved by the same cause; conflicts are estimated. */
TEST(bounds_hold_for_what_later_rungs_brought)
{
    finds_nothing(120, "SELECT " NAME("m") " || printf(': %g of at least %g ns', time_ns, "
                                           "least_time_ns) FROM metrics m WHERE best = 1 AND "
                                           "wrong(time_ns < least_time_ns)");
    finds_nothing(110,
                  "SELECT " NAME("r") " || ' has more than three' FROM remains r GROUP BY " POINT
                                      " HAVING wrong(count(*) > 3 OR max(place) <> count(*))");
    finds_nothing(300,
                  "SELECT " NAME("r") " || printf(': %s is %.3g %%', cause, share_pct) FROM "
                                      "remains r WHERE wrong(NOT (share_pct BETWEEN 1 AND 100))");
    finds_nothing(
        29,
        "WITH RECURSIVE up(family, variant, base) AS (SELECT family, variant, after FROM variants "
        "WHERE after IS NOT NULL UNION SELECT u.family, u.variant, v.after FROM up u JOIN variants "
        "v ON v.family = u.family AND v.variant = u.base) SELECT family || '/' || variant || ': ' "
        "|| later || ' is not built on it' FROM remains WHERE later IS NOT NULL AND wrong((family, "
        "later, variant) NOT IN (SELECT family, variant, base FROM up WHERE base IS NOT NULL))");
    finds_nothing(
        300, "SELECT " NAME("r") " || ' ' || bound FROM remains r WHERE wrong(bound <> 'measured' "
                                 "AND bound NOT LIKE CASE "
                                 "cause WHEN 'bank_conflicts' THEN 'estimated' WHEN 'barriers' "
                                 "THEN '%' ELSE 'at most%' END)");
    assert_string_equal(ask("SELECT later FROM remains WHERE family = 'gemm' AND variant = "
                            "'08_double_buffer' AND size = '2048x2048x2048' AND cause = "
                            "'bank_conflicts'"),
                        "10_warp_tiles");
    const char *const held = "SELECT printf('%.17g', 1.0 * sum(saved_ns >= later_saved_ns) / "
                             "count(*)) FROM remains r JOIN steps s ON s.family = r.family AND "
                             "s.after = r.variant AND s.size = r.size AND s.variant = r.later "
                             "WHERE r.bound LIKE 'at most%'";
    print_message("# bounds that hold for what the next rung brought: %.3g\n", number(held));
    assert_true(number(held) >= 0.9);
}

RUN_TESTS(open_all, asked_close)
