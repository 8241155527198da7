/*
 * Tests the steps of the run: each point has one best setting, and a published figure beside a
 * measured one says what differs.
 */
#include "asked.h"

static int open_all(void **state)
{
    return ask_fixture_run(state) ? -1
                                  : LOAD_TABLES(TABLE_POINTS, TABLE_METRICS, TABLE_PUBLISHED_STEPS);
}

/* A variant that was only skipped at a size has none there. */
TEST(one_setting_is_the_best)
{
    finds_at_least(at_least(80, 400), "metrics WHERE best = 1");
    finds_nothing(130,
                  "SELECT p.family || '/' || p.variant || ' at size ' || p.size || printf(': %d "
                  "best settings of %d', count(m.best), p.measured) FROM (SELECT family, variant, "
                  "size, sum(status <> 'skipped') AS measured FROM points GROUP BY family, "
                  "variant, size) p LEFT JOIN metrics m ON m.family = p.family AND m.variant = "
                  "p.variant AND m.size = p.size AND m.best = 1 GROUP BY p.family, p.variant, "
                  "p.size HAVING wrong(count(m.best) <> (p.measured > 0))");
}

/* A published figure may be of another block size, or of another GPU. */
TEST(published_figures_say_what_differs)
{
    finds_at_least(at_least(20, 20), "published_steps");
    finds_nothing(28, "SELECT family || '/' || variant || ': ' || coalesce(differs, 'nothing') "
                      "FROM published_steps WHERE wrong((coalesce(differs, '') LIKE '%block%') <> "
                      "coalesce(published_block > 0 AND measured_block > 0 AND published_block <> "
                      "measured_block, 0))");
    finds_nothing(28,
                  "SELECT family || '/' || variant || ': ' || coalesce(differs, 'nothing') FROM "
                  "published_steps WHERE wrong((coalesce(differs, '') NOT LIKE '%device%') <> "
                  "(instr((SELECT value FROM run WHERE key = 'device_name'), device) > 0))");
    finds_nothing(7, "SELECT variant || printf(': %g, %g', published_block, measured_block) FROM "
                     "published_steps WHERE source LIKE 'Liu%' AND wrong(NOT "
                     "coalesce(published_block = 128 AND measured_block = 128, 0))");
    finds_nothing(8, "SELECT variant || printf(': %g %%', pct_of_peak) FROM published_steps WHERE "
                     "family = 'gemm' AND wrong(pct_of_peak IS NOT NULL)");
}

RUN_TESTS(open_all, asked_close)
