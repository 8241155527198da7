/*
 * Tests the explanations of the newest recorded run from its CSV files alone: every ledger sums to
 * the measured time, the causes of every step sum to its change, and every number of a headline is
 * in a table.
 */
#include "fixture.h"

#include <ctype.h>

#include "asked.h"
#include "newest_recorded.h"

static int has_counters;

static int run_has_counters(void)
{
    struct csv_reader reader;
    char path[1200];
    int found = 0;
    snprintf(path, sizeof path, "%s/metrics.csv", newest_recorded.directory);
    if (csv_open(&reader, path)) return 0;
    if (csv_next(&reader) == 1)
        for (int i = 0; i < reader.count; i++)
            found |= !strcmp(reader.cell[i], "scheduler_cycles_issued");
    csv_close(&reader);
    return found;
}

static int open_all(void **state)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_CLAIMS,   TABLE_METRICS,
                                           TABLE_STEPS,    TABLE_VERDICTS, TABLE_LEDGER,
                                           TABLE_CAUSES,   TABLE_HEADLINES};
    if (newest_recorded_open(state)) return -1;
    has_counters = run_has_counters();
    int result = has_counters ? query_open(&query, &newest_recorded) : 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result && has_counters; i++)
        result = query_load(&query, needed[i]);
    if (!result && has_counters) /* the statements below join by these columns */
        result = query_write(
            &query, "CREATE INDEX ledger_key ON ledger(family, variant, size, block, sweep);"
                    "CREATE INDEX causes_key ON causes(family, variant, size, block)");
    return result;
}

static int close_all(void **state)
{
    if (has_counters) query_close(&query);
    return newest_recorded_close(state);
}

#define NEEDS_COUNTERS                                                                             \
    if (!has_counters)                                                                             \
    fail_msg("the newest recorded run was made before there were counters for the ledger: record " \
             "it anew")

#define POINT "family, variant, size, block, sweep"
#define NAME(of) of ".family || '/' || " of ".variant || ' at size ' || " of ".size"

/* ---- the ledger ------------------------------------------------------------------------------ */

static void every_point_has_a_ledger(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing(
        "SELECT " NAME("m") " || ' has no ledger' FROM metrics m JOIN variants v USING (family, "
                            "variant) WHERE m.best = 1 AND v.kind <> 'cpu' AND m.wrong_pct IS NULL"
                            " AND NOT EXISTS (SELECT 1 FROM ledger l WHERE l.family = m.family AND "
                            "l.variant = m.variant AND l.size = m.size AND"
                            " l.block = m.block AND l.sweep = m.sweep AND l.term = 'elapsed')");
    finds_nothing(
        "SELECT " NAME("m") " || ': the launch was not measured' FROM ledger m WHERE m.term = "
                            "'elapsed' AND NOT EXISTS (SELECT 1 FROM ledger l"
                            " WHERE l.family = m.family AND l.variant = m.variant AND l.size = "
                            "m.size AND l.block = m.block AND l.sweep = m.sweep AND"
                            " l.term = 'launch')");
    assert_true(number("SELECT count(*) FROM ledger WHERE term = 'elapsed'") > 100);
}

static void parts_sum_to_elapsed(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing(
        "SELECT " NAME("e") " || printf(': %.9g cycles are %.9g', sum(p.cycles), e.cycles) FROM "
                            "ledger e JOIN ledger p USING (" POINT ")"
                            " WHERE e.term = 'elapsed' AND p.term <> 'elapsed' GROUP BY " POINT
                            " HAVING abs(sum(p.cycles) - e.cycles) > 1e-6 * e.cycles");
    finds_nothing("SELECT " NAME(
        "e") " || printf(': %.9g ns are %.9g', e.ns, m.time_ns) FROM ledger e JOIN metrics m USING "
             "(" POINT ")"
             " WHERE e.term = 'elapsed' AND abs(e.ns - m.time_ns) > 1e-6 * m.time_ns");
    finds_nothing("SELECT " NAME(
        "l") " || ': ' || term || printf(': %.9g ns are not %.9g cycles', ns, cycles) FROM ledger "
             "l JOIN metrics m USING (" POINT ")"
             " WHERE abs(l.ns * m.sm_clock_mhz / 1000 - l.cycles) > 1e-6 * (1 + abs(l.cycles))");
    finds_nothing("SELECT " NAME("l") " || ': ' || term || ' is below nothing' FROM ledger l WHERE "
                                      "part <> 'residual' AND cycles < -1e-6");
}

/* Issued and stalled are the hardware's counts. */
static void parts_are_the_counters(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing("SELECT " NAME("l") " || printf(': %.9g cycles issued are %.9g', sum(l.cycles), "
                                      "m.scheduler_cycles_issued / m.scheduler_count) FROM ledger l"
                                      " JOIN metrics m USING (" POINT
                                      ") WHERE l.part = 'issued' GROUP BY " POINT
                                      " HAVING abs(sum(l.cycles) - m.scheduler_cycles_issued / "
                                      "m.scheduler_count) > 1e-6 * sum(l.cycles)");
    finds_nothing("SELECT " NAME("l") " || printf(': %.9g cycles stalled are %.9g', sum(l.cycles), "
                                      "m.scheduler_cycles_idle / m.scheduler_count) FROM ledger l"
                                      " JOIN metrics m USING (" POINT
                                      ") WHERE l.part = 'stalled' GROUP BY " POINT
                                      " HAVING abs(sum(l.cycles) - m.scheduler_cycles_idle / "
                                      "m.scheduler_count) > 1e-6 * sum(l.cycles)");
}

/* Clean launches and counted ones differ: the residual is at most 1 %, or the row gives the reason;
 * such rows are exceptions. */
static void ledgers_are_closed_or_say_why_not(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing(
        "SELECT " NAME("r") " || printf(': %.2f %% are ', r.share_pct) || r.status FROM ledger r "
                            "WHERE r.term IN ('residual', 'elapsed') AND"
                            " (r.status = 'closed') <> (SELECT abs(x.share_pct) <= 1 FROM ledger x "
                            "WHERE x.family = r.family AND x.variant = r.variant AND"
                            " x.size = r.size AND x.block = r.block AND x.sweep = r.sweep AND "
                            "x.term = 'residual')");
    finds_nothing("SELECT " NAME("r") " || ': ' || r.status || printf(', of %.0f ns', e.ns) FROM "
                                      "ledger r JOIN ledger e USING (" POINT ") WHERE"
                                      " r.term = 'residual' AND e.term = 'elapsed' AND r.status "
                                      "LIKE 'short%' AND e.ns >= 20000");
    const double count =
                     number("SELECT count(*) FROM ledger WHERE term = 'elapsed' AND ns >= 20000"),
                 closed = number("SELECT count(*) FROM ledger WHERE term = 'elapsed' AND ns >= "
                                 "20000 AND status = 'closed'");
    print_message("# of %.0f points of 20 us and more, the ledgers of %.0f are closed\n", count,
                  closed);
    assert_true(closed >= 0.6 * count);
}

/* ---- the causes ------------------------------------------------------------------------------ */

static void causes_sum_to_the_change(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing("SELECT " NAME("c") " || printf(': causes of %.9g ns, of %.9g', sum(c.saved_ns), "
                                      "p.time_ns - m.time_ns) FROM causes c"
                                      " JOIN metrics m USING (" POINT
                                      ") JOIN metrics p ON p.family = c.family AND p.variant = "
                                      "c.after AND p.size = c.size AND p.block = c.block"
                                      " AND p.best = 1 GROUP BY c.family, c.variant, c.size, "
                                      "c.block HAVING abs(sum(c.saved_ns) - (p.time_ns - "
                                      "m.time_ns)) > 1e-6 * p.time_ns");
    finds_nothing("SELECT " NAME(
        "s") " || ': a change, and no causes' FROM steps s WHERE s.speedup_prev IS NOT NULL "
             "AND NOT EXISTS (SELECT 1 FROM causes c WHERE c.family = s.family AND"
             " c.variant = s.variant AND c.size = s.size AND c.block = s.block)");
    finds_nothing(
        "SELECT " NAME("c") " || ': ' || cause || ' is there twice' FROM causes c GROUP BY " POINT
                            ", cause HAVING count(*) > 1");
}

/* For steps of a tenth or more, the residual of the ledgers is listed, and rarely large. */
#define LARGE                                                                                      \
    "s.evidence IN ('faster', 'slower') AND (s.speedup_prev >= 1.1 OR s.speedup_prev <= 1 / 1.1)"

static void large_steps_are_explained(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing(
        "SELECT " NAME("s") " || ': what is not explained is not told' FROM steps s WHERE " LARGE
                            " AND NOT EXISTS (SELECT 1 FROM causes c WHERE"
                            " c.family = s.family AND c.variant = s.variant AND c.size = s.size "
                            "AND c.block = s.block AND c.cause = 'residual' AND"
                            " c.share_pct IS NOT NULL)");
    const double count = number("SELECT count(*) FROM steps s WHERE " LARGE),
                 explained = number("SELECT count(*) FROM steps s JOIN causes c USING (" POINT
                                    ") WHERE " LARGE " AND c.cause = 'residual' AND"
                                    " abs(c.share_pct) <= 5");
    print_message("# of %.0f steps by a tenth or more, at most 5 %% of %.0f are not explained\n",
                  count, explained);
    assert_true(count > 50);
    assert_true(explained >= 0.75 * count);
}

/* There is a headline, and for every claim of the sources about it at this size a verdict, or the
 * missing data. */
static void large_steps_have_a_headline_and_verdicts(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing("SELECT " NAME(
        "s") " || ' has no headline' FROM steps s LEFT JOIN headlines h USING (" POINT
             ") WHERE h.headline IS NULL");
    finds_nothing("SELECT " NAME(
        "s") " || ': ' || h.headline FROM steps s JOIN headlines h USING (" POINT ") WHERE " LARGE
             " AND h.headline NOT LIKE '%× faster%' AND h.headline NOT LIKE 'Slower, %'");
    finds_nothing("SELECT " NAME("s") " || ': claim ' || c.claim || ' has no verdict' FROM steps s "
                                      "JOIN claims c USING (family, variant) WHERE " LARGE
                                      " AND (c.size IS NULL OR c.size = s.size) AND NOT EXISTS "
                                      "(SELECT 1 FROM verdicts v WHERE v.family = s.family "
                                      "AND v.variant = s.variant"
                                      " AND v.size IN (s.size, 'any') AND v.claim = c.claim)");
    finds_nothing("SELECT " NAME("v") " || ': claim ' || claim || ' is ' || verdict || ', without "
                                      "numbers' FROM verdicts v WHERE coalesce(numbers, '') = ''"
                                      " OR verdict = 'not measurable here' AND numbers NOT LIKE "
                                      "'%needs%' AND numbers NOT LIKE '%do not decide%'"
                                      " AND numbers NOT LIKE '%no such point%'"
                                      " AND numbers NOT LIKE '%the claim is about%'");
}

/* ---- headlines ------------------------------------------------------------------------------- */

/* Returns 1 if the number, with the words after it, is a cell of the row's step or of its causes as
 * headlines write them. */
static const char is_cell_sql[] =
    "WITH step AS (SELECT * FROM steps WHERE family = :family AND variant = :variant AND size = "
    ":size AND block = CAST(:block AS INTEGER)),"
    " cause AS (SELECT * FROM causes WHERE family = :family AND variant = :variant AND size = "
    ":size AND block = CAST(:block AS INTEGER)),"
    " cell AS (SELECT printf('%.2f×', speedup_prev) AS written FROM step UNION ALL SELECT "
    "printf('%.3f×', speedup_prev) FROM step UNION ALL SELECT "
    "printf('%.1f %% ', 100 * abs(speedup_prev - 1)) FROM step"
    "  UNION ALL SELECT printf('%.3f to', speedup_prev_low) FROM step UNION ALL SELECT "
    "printf('%.3f,', speedup_prev_high) FROM step"
    "  UNION ALL SELECT printf('%.2f %%.', floor_pct) FROM step UNION ALL SELECT '95 % interval'"
    "  UNION ALL SELECT printf('%.9g %% of the launches', wrong_pct) FROM metrics WHERE family = "
    ":family AND variant = :variant AND size = :size AND wrong_pct > 0"
    "  UNION ALL SELECT printf('%g instead of', sweep) FROM step"
    "  UNION ALL SELECT printf('%g', m.sweep) FROM step s JOIN metrics m ON m.family = s.family "
    "AND m.variant = s.after AND m.size = s.size AND m.best = 1"
    "  UNION ALL SELECT printf('%.0f %% ', share_pct) FROM cause"
    "  UNION ALL SELECT replace(time_text(abs(saved_ns)), ' us', ' µs') FROM cause"
    "  UNION ALL SELECT replace(time_text(abs(sum(saved_ns))), ' us', ' µs') FROM cause)"
    " SELECT written FROM cell WHERE substr(:rest, 1, length(written)) = written";

static int check_numbers(void *context, const struct scope *row)
{
    const char *headline = scope_value(row, "headline", NULL);
    int *count = context;
    for (const char *p = headline; *p;) {
        const int negative = *p == '-' && isdigit((unsigned char)p[1]);
        if (!isdigit((unsigned char)*p) && !negative) {
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

/* A step of less than 2 % names one cause at most, and no headline what is not explained. */
static void headlines_promise_no_more_than_there_is(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing("SELECT " NAME("h") " || ': ' || headline FROM headlines h WHERE headline LIKE "
                                      "'%explained%' OR headline LIKE '%residual%'");
    finds_nothing(
        "SELECT " NAME("h") " || ': ' || headline FROM headlines h JOIN steps s USING "
                            "(family, variant, size, block) WHERE abs(s.speedup_prev - 1) "
                            "< 0.02 AND (headline LIKE '% saved%' OR headline LIKE "
                            "'% cost%' OR headline LIKE '% lost%')");
}

static void every_number_of_a_headline_is_a_cell(void **state)
{
    int count = 0;
    (void)state;
    NEEDS_COUNTERS;
    assert_int_equal(
        query_each(&query, "test", "SELECT * FROM headlines", NULL, check_numbers, &count), 0);
    assert_true(count > 500);
    /* A headline gives no shares of a tiny change. */
    finds_nothing("SELECT " NAME(
        "h") " || ': ' || headline FROM headlines h JOIN causes c USING (" POINT
             ") WHERE c.status = 'resolved' AND"
             " abs(c.share_pct) > 150 AND instr(headline, printf('%.0f %%', c.share_pct)) > 0");
}

/* ---- what an expert would say ---------------------------------------------------------------- */

/* The first reduction divides; the second one does not, and has bank conflicts instead. */
static void the_modulo_is_named(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    assert_string_equal(
        ask("SELECT group_concat(cause) FROM (SELECT c.cause FROM causes c JOIN ledger l USING "
            "(family, variant, size, block, sweep) WHERE c.family = 'reduce' AND c.variant = "
            "'02_interleaved_strided' AND l.status = 'by producer' AND c.share_pct > 50 "
            "GROUP BY c.cause)"),
        "division");
    finds_nothing("SELECT c.share_pct FROM causes c JOIN ledger l USING (family, variant, size, "
                  "block, sweep) WHERE c.family = 'reduce' AND c.variant = "
                  "'02_interleaved_strided' AND l.status = 'by producer' AND c.cause = "
                  "'bank_conflicts' AND NOT (c.share_pct BETWEEN -20 AND -5)");
}

/* Imbalance is what the change of the coverage costs, and no more. Both are counted in passes of
 * their own, which differ by some per cent for short kernels. */
static void imbalance_is_the_change_of_coverage(void **state)
{
    (void)state;
    NEEDS_COUNTERS;
    finds_nothing(
        "SELECT " NAME("c") " || ': imbalance saved ' || c.saved_ns || ' of ' || p.time_ns || "
                            "', coverage ' || p.sm_coverage_pct || ' -> ' || m.sm_coverage_pct "
                            "FROM causes c JOIN metrics m USING (family, variant, size, block, "
                            "sweep) JOIN metrics p ON p.family = c.family AND p.variant = c.after "
                            "AND p.size = c.size AND p.block = c.block AND p.best = 1 WHERE "
                            "c.cause = 'imbalance' AND p.launches = 1 AND m.launches = 1 AND "
                            "min(p.time_ns, m.time_ns) > 1e5 AND "
                            "abs(c.saved_ns) > 0.02 * p.time_ns + 1.2 * max(m.time_ns, p.time_ns) "
                            "* (max(p.sm_coverage_pct / m.sm_coverage_pct, m.sm_coverage_pct / "
                            "p.sm_coverage_pct) - 1)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_has_a_ledger),
        cmocka_unit_test(parts_sum_to_elapsed),
        cmocka_unit_test(parts_are_the_counters),
        cmocka_unit_test(ledgers_are_closed_or_say_why_not),
        cmocka_unit_test(causes_sum_to_the_change),
        cmocka_unit_test(large_steps_are_explained),
        cmocka_unit_test(large_steps_have_a_headline_and_verdicts),
        cmocka_unit_test(headlines_promise_no_more_than_there_is),
        cmocka_unit_test(every_number_of_a_headline_is_a_cell),
        cmocka_unit_test(the_modulo_is_named),
        cmocka_unit_test(imbalance_is_the_change_of_coverage),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
