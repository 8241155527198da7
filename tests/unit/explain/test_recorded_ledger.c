/*
 * Tests the ledgers of the run from its CSV files alone: each sums to the measured
 * time, and its parts are the counters.
 */
#include "asked.h"

static int open_all(void **state)
{
    if (ask_fixture_run(state)) return -1;
    int result =
        LOAD_TABLES(TABLE_VARIANTS, TABLE_METRICS, TABLE_LEDGER, TABLE_SIDES, TABLE_LAUNCHES);
    if (!result) /* the statements below join by these columns */
        result = query_write(
            &query, "CREATE INDEX ledger_key ON ledger(family, variant, size, block, sweep)");
    return result;
}

#define POINT "family, variant, size, block, sweep"
#define NAME(of) of ".family || '/' || " of ".variant || ' at size ' || " of ".size"

/* ---- the ledger ------------------------------------------------------------------------------ */

TEST(every_point_has_a_ledger)
{
    finds_nothing(
        120,
        "SELECT " NAME("m") " || ' has no ledger' FROM metrics m JOIN variants v USING (family, "
                            "variant) WHERE m.best = 1 AND v.kind <> 'cpu' AND m.wrong_pct IS NULL "
                            "AND wrong(NOT EXISTS (SELECT 1 FROM ledger l WHERE l.family = "
                            "m.family AND l.variant = m.variant AND l.size = m.size AND l.block = "
                            "m.block AND l.sweep = m.sweep AND l.term = 'elapsed'))");
    finds_nothing(
        120,
        "SELECT " NAME("m") " || ': the launch was not measured' FROM ledger m WHERE m.term = "
                            "'elapsed' AND wrong(NOT EXISTS (SELECT 1 FROM ledger l WHERE l.family "
                            "= m.family AND l.variant = m.variant AND l.size = m.size AND l.block "
                            "= m.block AND l.sweep = m.sweep AND l.term = 'launch'))");
    finds_at_least(at_least(100, 400), "ledger WHERE term = 'elapsed'");
}

/* A kernel whose barriers are in no loop executes as many in each warp at all sizes, but waits for
 * the copy engine in loops. */
TEST(barriers_outside_loops_are_counted)
{
    finds_nothing(
        at_least(3, 10),
        "WITH warps AS (SELECT " POINT ", max(sass_loop_barriers) AS loops, count(*) AS launches, "
        "sum(grid_blocks * ((block_threads + 31) / 32)) AS warps FROM launches GROUP BY " POINT
        "), each_point AS (SELECT b.family, b.variant, b.sweep, b.value * n.value / w.warps AS "
        "barriers FROM sides b JOIN sides n USING (" POINT ") JOIN warps w USING (" POINT
        ") WHERE b.name = 'barriers' AND n.name = 'scheduler_count' AND coalesce(b.function, "
        "n.function, '') = '' AND w.loops = 0 AND w.launches = 1 AND b.value > 0 AND b.family NOT "
        "LIKE 'gemm%' AND b.variant NOT LIKE '%bulk%') SELECT family || '/' || variant || "
        "printf(': %g to %g', min(barriers), max(barriers)) FROM each_point "
        "GROUP BY family, variant, sweep HAVING wrong(max(barriers) > 1.01 * min(barriers))");
}

/* Where instructions were counted, no warp left early or some did: 0 is a count. */
TEST(warps_that_leave_early_are_counted)
{
    finds_at_least(at_least(5, 20), "sides WHERE name = 'left_warps_pct' AND value = 0");
    finds_at_least(at_least(5, 20), "sides WHERE name = 'left_warps_pct' AND value > 0");
}

/* Counters know the instructions of all kinds together: a kind that they do not tell apart is
 * absent and not 0. */
TEST(kinds_of_instructions_are_counted_one_by_one)
{
    finds_nothing(300,
                  "SELECT " NAME("s") " || ': ' || s.name || ' is told apart by counters' FROM "
                                      "sides s JOIN ledger l USING (" POINT
                                      ") WHERE s.name IN ('division', 'barriers') AND l.part = "
                                      "'issued' AND wrong(l.status = 'by counters')");
    finds_at_least(at_least(10, 40), "ledger WHERE status = 'by counters'");
}

TEST(parts_sum_to_elapsed)
{
    finds_nothing(120, "SELECT " NAME(
                           "e") " || printf(': %.9g cycles are %.9g', sum(p.cycles), e.cycles) "
                                "FROM ledger e JOIN ledger p USING (" POINT
                                ") WHERE e.term = 'elapsed' AND p.term <> 'elapsed' GROUP BY " POINT
                                " HAVING wrong(abs(sum(p.cycles) - e.cycles) > 1e-6 * e.cycles)");
    finds_nothing(
        120,
        "SELECT " NAME(
            "e") " || printf(': %.9g ns are %.9g', e.ns, m.time_ns) FROM ledger e JOIN metrics m "
                 "USING (" POINT
                 ") WHERE e.term = 'elapsed' AND wrong(abs(e.ns - m.time_ns) > 1e-6 * m.time_ns)");
    finds_nothing(2300,
                  "SELECT " NAME("l") " || ': ' || term || printf(': %.9g ns are not %.9g cycles', "
                                      "ns, cycles) FROM ledger l JOIN metrics m USING (" POINT
                                      ") WHERE wrong(abs(l.ns * m.sm_clock_mhz / 1000 - l.cycles) "
                                      "> 1e-6 * (1 + abs(l.cycles)))");
    finds_nothing(2200, "SELECT " NAME("l") " || ': ' || term || ' is below nothing' FROM ledger l "
                                            "WHERE part <> 'residual' AND wrong(cycles < -1e-6)");
}

/* Issued and stalled are the hardware's counts. */
TEST(parts_are_the_counters)
{
    finds_nothing(120,
                  "SELECT " NAME("l") " || printf(': %.9g cycles issued are %.9g', sum(l.cycles), "
                                      "m.scheduler_cycles_issued / m.scheduler_count) FROM ledger "
                                      "l JOIN metrics m USING (" POINT
                                      ") WHERE l.part = 'issued' GROUP BY " POINT
                                      " HAVING wrong(abs(sum(l.cycles) - m.scheduler_cycles_issued "
                                      "/ m.scheduler_count) > 1e-6 * sum(l.cycles))");
    finds_nothing(120,
                  "SELECT " NAME("l") " || printf(': %.9g cycles stalled are %.9g', sum(l.cycles), "
                                      "m.scheduler_cycles_idle / m.scheduler_count) FROM ledger l "
                                      "JOIN metrics m USING (" POINT
                                      ") WHERE l.part = 'stalled' GROUP BY " POINT
                                      " HAVING wrong(abs(sum(l.cycles) - m.scheduler_cycles_idle / "
                                      "m.scheduler_count) > 1e-6 * sum(l.cycles))");
}

/* Clean launches and counted ones differ: the residual is at most 1 %, or the row gives the reason;
 * such rows are exceptions. */
TEST(ledgers_are_closed_or_say_why_not)
{
    finds_nothing(
        240,
        "SELECT " NAME("r") " || printf(': %.2f %% are ', r.share_pct) || r.status FROM ledger r "
                            "WHERE r.term IN ('residual', 'elapsed') AND wrong((r.status = "
                            "'closed') <> (SELECT abs(x.share_pct) <= 1 FROM ledger x WHERE "
                            "x.family = r.family AND x.variant = r.variant AND x.size = r.size AND "
                            "x.block = r.block AND x.sweep = r.sweep AND x.term = 'residual'))");
    finds_nothing(13, "SELECT " NAME("r") " || ': ' || r.status || printf(', of %.0f ns', e.ns) "
                                          "FROM ledger r JOIN ledger e USING (" POINT
                                          ") WHERE r.term = 'residual' AND e.term = 'elapsed' AND "
                                          "r.status LIKE 'short%' AND wrong(e.ns >= 20000)");
    const double count =
                     number("SELECT count(*) FROM ledger WHERE term = 'elapsed' AND ns >= 20000"),
                 closed = number("SELECT count(*) FROM ledger WHERE term = 'elapsed' AND ns >= "
                                 "20000 AND status = 'closed'");
    print_message("# of %.0f points of 20 us and more, the ledgers of %.0f are closed\n", count,
                  closed);
    assert_true(closed >= 0.6 * count);
}

RUN_TESTS(open_all, asked_close)
