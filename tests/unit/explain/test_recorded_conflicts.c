/*
 * Tests the tables of bank conflicts of the run: well-known kernels conflict at
 * their line, costs are those of the model, and every kernel is either counted or has a reason.
 */
#include "asked.h"

static int open_all(void **state)
{
    return ask_fixture_run(state) ? -1
                                  : LOAD_TABLES(TABLE_VARIANTS, TABLE_METRICS, TABLE_REMAINS,
                                                TABLE_ACCESSES, TABLE_CONFLICTS, TABLE_CAUSE_LINES,
                                                TABLE_CONFLICT_LINES, TABLE_POINTS, TABLE_FAMILIES);
}

#define POINT "family, variant, size, block, sweep, device"
#define PRIMARY(name)                                                                              \
    " FROM conflicts WHERE family || '/' || variant = '" name "' AND is_primary = 1"

/* 17 wavefronts for a line of text that needs one; 16 are of as many cache lines, which no run
 * before the counter of lines tells apart. */
TEST(asynchronous_copies_conflict_at_their_line)
{
    const int tells_lines = number("SELECT copied_lines > 0" PRIMARY("gemm/13_async_copies")) > 0;
    const double copies = tells_lines ? 2097152 : 33554432;
    assert_true(number("SELECT excess" PRIMARY("gemm/13_async_copies")) == copies);
    assert_true(number("SELECT copies" PRIMARY("gemm/13_async_copies")) == copies);
    assert_true(number("SELECT copies + coalesce(copied_lines, 0)" PRIMARY(
                    "gemm/13_async_copies")) == 33554432);
    finds("SELECT path || ':' || CAST(line AS INTEGER) || ' ' || kind || ' ' || "
          "printf('%g, ', width_bytes) || line_words" PRIMARY("gemm/13_async_copies"),
          tells_lines ? "kernels/gemm/13_async_copies.cu:24 asynchronous copy 4, 17 wavefronts "
                        "instead of 16, of which each further cache line takes one"
                      : "kernels/gemm/13_async_copies.cu:24 asynchronous copy 4, 17 wavefronts "
                        "instead of 1, of which each further cache line takes one");
    holds(ask("SELECT text" PRIMARY("gemm/13_async_copies")),
          "__pipeline_memcpy_async(&tile_a[column + j][row]");
    finds("SELECT count(*) || ' ' || count(accesses) FROM conflict_lines WHERE "
          "variant = '13_async_copies'",
          "1 0"); /* the variant describes its reads alone */
}

TEST(strided_sums_conflict_in_one_line)
{
    finds("SELECT group_concat(kind || printf(' %g %.0f', line, excess), '; ') FROM "
          "(SELECT * FROM conflict_lines WHERE family = 'reduce' AND variant = "
          "'02_interleaved_strided' AND size = '134217728' ORDER BY place)",
          "load 22 36700160; store 22 18350080");
    finds("SELECT path || ':' || CAST(line AS INTEGER)" PRIMARY("reduce/02_interleaved_strided"),
          "kernels/reduce/02_interleaved_strided.cu:22");
    /* the described reads with a conflict, and none without one */
    finds("SELECT accesses FROM conflict_lines WHERE variant = "
          "'02_interleaved_strided' AND kind = 'store' AND size = '134217728'",
          "3 6 9 12 15 18 21");
}

TEST(kernels_without_conflicts_cost_nothing)
{
    static const char nothing[] = "0 0 ok no line";
#define COST                                                                                       \
    "SELECT printf('%g %g ', excess, cost_ns) || status || ' ' || coalesce(path, 'no line')"
    finds(COST PRIMARY("gemm/02_coalesced"), nothing);
    finds(COST PRIMARY("reduce/03_sequential"), nothing);
    finds_nothing(60, "SELECT variant FROM conflicts WHERE excess = 0 AND wrong((cost_ns <> 0 OR "
                      "share_pct <> 0 OR path IS NOT NULL OR line_status IS NOT NULL))");
}

TEST(costs_are_the_estimates)
{
    finds_nothing(16, "SELECT c.variant || ': ' || c.cost_ns || ', ' || r.saved_ns FROM conflicts "
                      "c JOIN remains r USING (" POINT
                      ") WHERE r.cause = 'bank_conflicts' AND wrong((c.cost_ns <> r.saved_ns OR "
                      "c.share_pct <> r.share_pct))");
    finds_nothing(120,
                  "SELECT variant FROM conflicts WHERE wrong(cost_ns < 0 OR cost_ns > time_ns)");
    finds_at_least(at_least(15, 50), "conflicts WHERE cost_ns > 0");
    finds_nothing(120, "SELECT c.variant FROM conflicts c JOIN metrics m USING (" POINT
                       ") WHERE wrong(c.excess <> m.shared_excess_wavefronts)");
    finds_nothing(120, "SELECT variant || printf(': %g of %g', loads + stores + matrix + copies + "
                       "atomics, excess) FROM conflicts WHERE wrong(abs(loads + stores + matrix + "
                       "copies + atomics - excess) > 1e-6 * excess)");
}

TEST(every_kernel_is_counted_or_has_a_reason)
{
    finds_nothing(120, "SELECT family || '/' || variant || ', ' || size || ': ' || status FROM "
                       "conflicts WHERE wrong((status = 'ok') <> (excess IS NOT NULL) OR status "
                       "NOT LIKE 'absent: _%' AND status <> 'ok')");
    finds_nothing(
        50, "SELECT family || '/' || variant || ': ' || coalesce(line_status, 'no reason') FROM "
            "conflicts WHERE excess > 0 AND wrong((path IS NOT NULL) <> (line_status = 'ok'))");
    finds_nothing(
        60, "SELECT v.family || '/' || v.variant || ' is missing' FROM variants v WHERE v.kind <> "
            "'cpu' AND EXISTS (SELECT 1 FROM points p WHERE p.family = v.family AND p.variant = "
            "v.variant AND p.status = 'ok') AND wrong(NOT EXISTS (SELECT 1 FROM conflicts c WHERE "
            "c.family = v.family AND c.variant = v.variant AND c.is_primary = 1))");
    assert_string_equal(ask("SELECT status" PRIMARY("reduce/17_unsynchronised")),
                        "absent: races: 100 % of launches wrong");
    assert_string_equal(ask("SELECT line_status" PRIMARY("gemm/90_cublas")),
                        "absent: the code belongs to a library, not to this program");
}

/* The line with most excess is the one that causes are shown with. */
TEST(worst_lines_are_those_of_causes)
{
    finds_nothing(9, "SELECT c.variant || printf(': %s:%g, %s:%d', c.path, c.line, l.path, l.line) "
                     "FROM conflicts c JOIN cause_lines l USING (family, variant) WHERE l.cause = "
                     "'bank_conflicts' AND c.path IS NOT NULL AND c.line_share_pct > 50 AND "
                     "wrong((c.path <> l.path OR c.line <> l.line))");
    finds_nothing(16, "SELECT variant FROM conflict_lines WHERE wrong(excess <= 0 OR ways <= 1)");
    finds_nothing(7, "SELECT variant FROM conflict_lines GROUP BY " POINT
                     " HAVING wrong(abs(sum(share_pct) - 100) > 1e-6)");
}

/* A kernel whose accesses are all described has as many excess wavefronts by its lines. */
TEST(lines_have_the_excess_of_the_accesses)
{
    finds_nothing(
        4,
        "SELECT l.family || '/' || l.variant || printf(': %g by lines, %g described', l.excess, "
        "a.excess) FROM (SELECT " POINT ", launch, sum(excess) AS excess FROM conflict_lines WHERE "
        "kind IN ('load', 'store') GROUP BY " POINT ") l JOIN (SELECT " POINT
        ", launch, sum(executions * (wavefronts - ideal)) AS excess FROM accesses GROUP BY " POINT
        ", launch) a USING (" POINT
        ", launch) WHERE wrong(abs(l.excess - a.excess) > 1e-6 * a.excess)");
}

/* A rung that is quoted beside a bound saved no more than that. */
TEST(bounds_hold_beside_what_is_quoted)
{
    finds_nothing(at_least(5, 60),
                  "SELECT family || '/' || variant || ' at ' || size || ': ' || cause FROM remains "
                  "WHERE bound LIKE 'at most%' AND later_saved_ns IS NOT NULL AND "
                  "wrong(later_saved_ns > 1.001 * saved_ns)");
}

RUN_TESTS(open_all, asked_close)
