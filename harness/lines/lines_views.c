/*
 * The views over the tables about lines, as lines/lines_tables.h describes them: SQL from end to
 * end.
 */
#include "lines/lines_tables.h"

/* What adds up. */
static const char sums[] =
    "sum(executed) AS executed, sum(threads) AS threads, sum(threads_on) AS threads_on, "
    "sum(branches_uniform) AS branches_uniform, "
    "sum(branches_divergent) AS branches_divergent, sum(shared_wavefronts) AS shared_wavefronts, "
    "sum(shared_ideal) AS shared_ideal, "
    "sum(excess) AS excess, sum(global_sectors) AS global_sectors, sum(global_ideal) AS "
    "global_ideal, sum(global_excess) AS global_excess, "
    "sum(copy_excess) AS copy_excess, sum(local_sectors) AS local_sectors, sum(samples) AS "
    "samples, sum(not_issued) AS not_issued";

/* What follows from the sums of an instruction, a line or a kernel `c`, and from the totals `t`
 * of its kernel. */
static const char ratios[] =
    "c.threads_on / nullif(c.executed, 0) AS lanes, c.branches_uniform + c.branches_divergent AS "
    "branches, "
    "c.shared_wavefronts / nullif(c.shared_wavefronts - c.excess, 0) AS ways, "
    "100.0 * c.excess / nullif(t.pipe_cycles, 0) AS pipe_pct, 100.0 * c.executed / "
    "nullif(t.all_executed, 0) AS executed_pct, "
    "100.0 * c.samples / nullif(t.all_samples, 0) AS sample_pct, 100.0 * c.not_issued / "
    "nullif(t.all_not_issued, 0) AS not_issued_pct";

/* The stalls of kernel or line `c` in which a warp waited. */
static const char of_kernel[] =
    "FROM stalls s WHERE s.kernel = c.kernel AND s.reason <> 'selected'";
static const char of_line[] = "FROM stalls s WHERE s.kernel = c.kernel AND s.source IS c.source "
                              "AND s.line IS c.line AND s.reason <> 'selected'";

/* The reason with most samples; for columns of such stalls. */
static const char leading_first[] =
    "GROUP BY s.reason ORDER BY sum(s.samples) DESC, s.reason LIMIT 1";

/* That warps wait for shared memory, or for the pipe that it shares with global and local memory.
 */
static const char shared_reasons[] = "('short_scoreboard', 'mio_throttle', 'lg_throttle')";

/* The point of kernel `k`, for comparisons. */
static const char point[] = "(k.family, k.variant, k.size, k.block, k.sweep)";

/* Every instruction at the place that it is charged to. A wide read whose lanes share words may
 * need less than the ideal, which makes up for no conflict elsewhere: its excess is 0. */
static int make_instructions(struct query *query)
{
    return query_write(
        query, "CREATE VIEW counted AS SELECT l.kernel, l.pc, p.source, p.line, p.depth, l.source "
               "AS own_source, "
               "l.line AS own_line, l.inlined_at, l.sass, 1 AS instructions, l.executed, "
               "l.threads, l.threads_on, "
               "l.branches_uniform, l.branches_divergent, l.shared_wavefronts, l.shared_ideal, "
               "max(l.shared_wavefronts - l.shared_ideal, 0.0) AS excess, CASE WHEN l.sass IS NOT "
               "NULL THEN CASE WHEN l.sass LIKE '%%LDGSTS%%' "
               "THEN max(l.shared_wavefronts - l.shared_ideal, 0.0) ELSE 0.0 END END AS "
               "copy_excess, l.global_sectors, l.global_ideal, "
               "max(l.global_sectors - l.global_ideal, 0.0) AS global_excess, l.local_sectors, "
               "l.samples, l.not_issued, "
               "p.reason, 100.0 * p.reason_samples / nullif(l.samples, 0) AS reason_pct "
               "FROM lines l JOIN places p ON p.id = l.rowid");
}

/* Sums over all kernels, made once. */
static int make_counts(struct query *query)
{
    int result = query_write(query,
                             "CREATE TABLE line_counts AS SELECT kernel, source, line, "
                             "sum(instructions) AS instructions, %s "
                             "FROM counted GROUP BY kernel, source, line;"
                             "CREATE INDEX line_counts_key ON line_counts(kernel, source, line);"
                             "CREATE INDEX stalls_key ON stalls(kernel, source, line)",
                             sums);
    if (!result)
        result = query_write(
            query,
            "CREATE TABLE kernel_counts AS SELECT k.kernel, sum(instructions) AS instructions, %s "
            "FROM kernels k LEFT JOIN line_counts c ON c.kernel = k.kernel GROUP BY k.kernel;"
            "CREATE INDEX kernel_counts_key ON kernel_counts(kernel)",
            sums);
    return result;
}

/* What is known of each kernel beside its instructions: the totals that shares are of, and its
 * point. */
static int make_totals(struct query *query)
{
    return query_write(
        query,
        "CREATE TABLE kernel_totals AS SELECT k.kernel, c.executed AS all_executed, c.samples AS "
        "all_samples, "
        "c.not_issued AS all_not_issued, p.launches, p.best, h.hw_conflicts, h.arbitration, "
        "(SELECT value FROM run WHERE key = 'device_sm_count') * p.time_kernels_ns * "
        "p.sm_clock_mhz / 1000.0 AS pipe_cycles, "
        "l.closed_form_excess_wavefronts AS closed_form, CASE WHEN h.copies = 0 THEN c.excess ELSE "
        "c.excess - c.copy_excess END AS access_excess "
        "FROM kernels k JOIN kernel_counts c ON c.kernel = k.kernel "
        "LEFT JOIN clean_points p ON (p.family, p.variant, p.size, p.block, p.sweep) = %s "
        "LEFT JOIN launches l ON (l.family, l.variant, l.size, l.block, l.sweep) = %s AND l.launch "
        "= k.launch "
        "LEFT JOIN hardware h ON h.kernel = k.kernel;"
        "CREATE INDEX kernel_totals_key ON kernel_totals(kernel);"
        "CREATE VIEW instructions AS SELECT c.*, %s FROM counted c JOIN kernel_totals t ON "
        "t.kernel = c.kernel",
        point, point, ratios);
}

static int make_lines(struct query *query)
{
    return query_write(
        query,
        "CREATE VIEW line_waits AS SELECT c.*, (SELECT s.reason %s %s) AS reason, "
        "100.0 * (SELECT sum(s.samples) %s %s) / nullif(c.samples, 0) AS reason_pct, CASE WHEN "
        "c.samples IS NOT NULL THEN "
        "coalesce((SELECT sum(s.samples) %s AND s.reason IN %s), 0) END AS waiting_samples FROM "
        "line_counts c;"
        "CREATE VIEW line_shares AS SELECT c.*, %s, 100.0 * c.waiting_samples / "
        "nullif(t.all_samples, 0) AS waiting_pct, "
        "t.launches FROM line_waits c JOIN kernel_totals t ON t.kernel = c.kernel;"
        "CREATE VIEW line_sums AS SELECT c.*, s.path, conflict_cost(c.excess, c.shared_wavefronts, "
        "c.pipe_pct, "
        "c.waiting_pct, c.sample_pct, NULL, c.launches, k.counts_status, k.samples_status) AS cost "
        "FROM line_shares c "
        "JOIN kernels k ON k.kernel = c.kernel LEFT JOIN source_state s ON s.source = c.source",
        of_line, leading_first, of_line, leading_first, of_line, shared_reasons, ratios);
}

static int make_kernels(struct query *query)
{
    static const char views[] = "hw_conflicts, arbitration, access_excess, shared_wavefronts, "
                                "closed_form, copy_excess, excess";
    return query_write(
        query,
        "CREATE VIEW kernel_waits AS SELECT c.*, (SELECT s.reason %s %s) AS reason, "
        "100.0 * (SELECT sum(s.samples) %s %s) / nullif(c.samples, 0) AS reason_pct, "
        "(SELECT count(*) FROM line_counts x WHERE x.kernel = c.kernel AND x.excess > 0 AND "
        "x.source IS NOT NULL) AS conflict_lines, "
        "(SELECT sum(x.samples) FROM line_counts x WHERE x.kernel = c.kernel AND x.excess > 0 AND "
        "x.source IS NOT NULL) AS conflict_samples, "
        "(SELECT sum(x.waiting_samples) FROM line_waits x WHERE x.kernel = c.kernel AND x.excess > "
        "0 AND x.source IS NOT NULL) AS conflict_waiting "
        "FROM kernel_counts c;"
        "CREATE VIEW kernel_shares AS SELECT c.*, %s, 100.0 * c.conflict_samples / "
        "nullif(c.samples, 0) AS "
        "conflict_sample_pct, 100.0 * c.conflict_waiting / nullif(c.samples, 0) AS waiting_pct, "
        "100.0 * c.shared_wavefronts / nullif(t.pipe_cycles, 0) AS pipe_used_pct, t.pipe_cycles, "
        "t.launches, t.best, "
        "t.hw_conflicts, t.arbitration, t.access_excess, t.closed_form "
        "FROM kernel_waits c JOIN kernel_totals t ON t.kernel = c.kernel;"
        "CREATE VIEW kernel_sums AS SELECT *, conflict_views(%s) AS views, "
        "conflict_views_agree(%s) AS views_agree, "
        "conflict_cost(excess, shared_wavefronts, pipe_pct, waiting_pct, conflict_sample_pct, "
        "conflict_lines, launches, "
        "counts_status, CASE WHEN lines_status = 'ok' THEN samples_status ELSE lines_status END) "
        "AS cost FROM kernels JOIN kernel_shares USING(kernel)",
        of_kernel, leading_first, of_kernel, leading_first, ratios, views, views);
}

int lines_tables_make_views(struct query *query)
{
    static int (*const makers[])(struct query * query) = {make_instructions, make_counts,
                                                          make_totals, make_lines, make_kernels};
    int result = 0;
    for (size_t i = 0; i < sizeof makers / sizeof *makers && !result; i++)
        result = makers[i](query);
    return result;
}
