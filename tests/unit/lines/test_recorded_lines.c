/*
 * Tests the single instructions of the run: they have their sources, cover every kernel, add up to
 * the counts of whole launches and to the sampler's totals, and the three views of bank conflicts
 * agree.
 */
#include "asked.h"

#include "lines/lines_tables.h"

static int open_all(void **state)
{
    if (ask_fixture_run(state) || LOAD_TABLES(TABLE_VARIANTS, TABLE_POINTS, TABLE_LAUNCHES))
        return -1;
    return lines_tables_load(&query, NULL);
}

TEST(the_sources_are_those_that_were_measured)
{
    finds_nothing(30, "SELECT path || ': ' || message FROM source_state WHERE wrong(state NOT IN "
                      "('same', 'foreign'))");
    finds_at_least(at_least(15, 50), "source_state WHERE state = 'same'");
}

TEST(every_variant_is_there)
{
    finds_at_least(at_least(20, 130), "kernels WHERE counts_status = 'ok'");
    if (!is_slice())
        finds_nothing(50, "SELECT v.family || '/' || v.variant || ' has no lines' FROM variants v "
                          "WHERE v.kind <> 'cpu' AND EXISTS (SELECT 1 FROM points p WHERE p.family "
                          "= v.family AND p.variant = v.variant AND p.status = 'ok') AND wrong(NOT "
                          "EXISTS (SELECT 1 FROM kernels k WHERE k.family = v.family AND k.variant "
                          "= v.variant AND k.counts_status = 'ok' AND k.samples_status = 'ok'))");
    finds_nothing(28,
                  "SELECT k.family || '/' || k.variant || ': ' || k.lines_status || '; ' || "
                  "k.sass_status FROM kernels k JOIN variants v USING (family, variant) WHERE "
                  "v.kind = 'kernel' AND wrong((k.lines_status <> 'ok' OR k.sass_status <> 'ok'))");
    finds_nothing(
        13000,
        "SELECT k.variant || ', pc ' || l.pc || ': an instruction without its line or text' FROM "
        "lines l JOIN kernels k USING (kernel) JOIN variants v USING (family, variant) WHERE "
        "v.kind = 'kernel' AND wrong((l.source IS NULL OR l.line IS NULL OR l.sass IS NULL))");
    finds_nothing(
        3, "SELECT count(*) || ' sizes of ' || family FROM (SELECT DISTINCT family, size FROM "
           "kernels WHERE counts_status = 'ok') GROUP BY family HAVING wrong(count(*) > 1)");
}

/* Kernels that wait in a loop, for a barrier that counts, the whole grid or the words of all other
 * blocks, execute a number of instructions that depends on the waiting time. A library's code may
 * do so, too. */
#define WAITS                                                                                      \
    "(s.lines_status <> 'ok' OR s.variant IN ('03_grid_sync', '06_first_block', "                  \
    "'08_plain_loop_grid') OR EXISTS "                                                             \
    "(SELECT 1 FROM lines w WHERE w.kernel = s.kernel AND w.sass LIKE '%TRYWAIT%'))"
#define OF_A_LIBRARY "s.lines_status <> 'ok'"

/* And where the lanes of a warp wait for different words, or one of them waits alone, they leave
 * their loops one by one. */
#define DIVERGES_WAITING                                                                           \
    "(s.lines_status <> 'ok' OR s.variant IN ('06_first_block', '17_stream_k', '22_by_shape'))"

TEST(sums_are_the_counters_of_the_launch)
{
    static const char *const pairs[][3] = {
        {"executed", "warp_instructions_sass", WAITS},
        {"threads", "thread_instructions", WAITS},
        {"threads_on", "thread_instructions_on", WAITS},
        {"branches_uniform", "branch_targets_uniform", WAITS},
        {"branches_divergent", "branch_targets_divergent", DIVERGES_WAITING},
        {"shared_wavefronts", "shared_wavefronts", OF_A_LIBRARY},
    };
    char sql[1000];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *sum = pairs[i][0], *counter = pairs[i][1], *but = pairs[i][2];
        snprintf(sql, sizeof sql,
                 "SELECT s.family || '/' || s.variant || ': %s sum up to ' || coalesce(s.%s, 0) || "
                 "', the launch had ' || c.%s FROM kernel_sums s JOIN "
                 "kernel_counters c USING (kernel) WHERE s.counts_status = 'ok' AND c.%s IS NOT "
                 "NULL AND NOT %s AND wrong(coalesce(s.%s, 0) <> c.%s)",
                 sum, sum, counter, counter, but, sum, counter);
        finds_nothing(at_least(15, 40), sql);
    }
}

TEST(samples_are_all_that_were_not_lost)
{
    finds_nothing(28, "SELECT family || '/' || variant || ': ' || samples || ' samples of ' || "
                      "samples_total FROM kernel_sums WHERE samples_status = 'ok' AND "
                      "wrong(samples <> samples_total - samples_dropped - samples_elsewhere)");
    finds_nothing(19000, "SELECT k.variant || ': ' || s.reason || ' at pc ' || s.pc FROM stalls s "
                         "JOIN kernels k USING (kernel) WHERE wrong(s.not_issued > s.samples)");
    /* The second launch of a reduction takes a few microseconds, and few blocks have few samples.
     */
    assert_true(number("SELECT min(s.samples) FROM kernel_sums s JOIN kernels k USING (kernel) "
                       "JOIN launches l USING (family, variant, size, block, sweep, launch) WHERE "
                       "s.samples_status = 'ok' AND s.counts_status = 'ok' AND k.launch = 0 AND "
                       "l.grid_blocks >= 16") > 10000);
}

TEST(views_of_conflicts_agree)
{
    finds_nothing(28, "SELECT family || '/' || variant || ': ' || views FROM kernel_sums WHERE "
                      "wrong(views_agree = 0)");
    finds_at_least(at_least(15, 40), "kernel_sums WHERE views_agree = 1 AND closed_form IS NOT "
                                     "NULL AND hw_conflicts IS NOT NULL");
    finds_at_least(at_least(3, 15), "kernel_sums WHERE views_agree = 1 AND excess > 0");
}

/* The inner line of the strided reduction at n = 2^27 with blocks of 256: two loads and a store. */
TEST(the_strided_reduction_conflicts_in_one_line)
{
    static const char kernel[] =
        "(SELECT kernel FROM kernels WHERE family = 'reduce' AND variant = "
        "'02_interleaved_strided' AND size = '134217728' AND launch = 0)";
    char sql[600];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM instructions WHERE kernel = %s AND shared_wavefronts = 24641536 "
             "AND shared_ideal = 6291456",
             kernel);
    assert_int_equal(number(sql), 3);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM line_sums WHERE kernel = %s AND excess > 0",
             kernel);
    assert_int_equal(number(sql), 1);
    snprintf(sql, sizeof sql,
             "SELECT t.text FROM line_sums s JOIN source_text t USING (source, line) WHERE "
             "s.kernel = %s AND s.excess = 3 * (24641536 - 6291456)",
             kernel);
    holds(ask(sql), "sum[first] += sum[first + s]");
}

TEST(a_wide_read_without_a_conflict_takes_four_wavefronts)
{
    assert_true(number("SELECT count(*) FROM instructions WHERE sass LIKE 'LDS.128 %' AND "
                       "shared_wavefronts = 4 * executed AND excess = 0 AND executed > 0 AND "
                       "ways = 1") >= at_least(3, 11));
}

RUN_TESTS(open_all, asked_close)
