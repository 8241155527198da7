/*
 * Tests the metrics that decide a step or a setting (metrics/metrics.metric) by an interval and two
 * noise floors: 1, 0, or nothing if the interval reaches from the noise to a difference.
 */
#include "asked.h"

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    make_run("r");
    return ask_run("r") || records_read(&records, root()) ? -1 : 0;
}

static int close_all(void **state)
{
    close_asked();
    return fixture_close(state);
}

/* The value of the metric's formula, with these columns. */
static void is_decided(const char *metric, const char *columns, const char *value)
{
    const struct record *record = records_find(&records, RECORD_METRIC, metric);
    assert_non_null(record);
    const char *found = ask("SELECT %s FROM (SELECT %s)", record_field(record, "formula"), columns);
    if (strcmp(found, value)) fail_msg("%s is %s with %s", metric, found, columns);
}

/* Tests the two metrics of a step with such an interval and such floors, in per cent. */
static void step_is(double low, double high, double floor, double prev_floor, const char *faster,
                    const char *slower)
{
    char columns[300];
    snprintf(columns, sizeof columns,
             "%.17g AS speedup_prev_low, %.17g AS speedup_prev_high, %.17g AS floor_pct, %.17g AS "
             "prev_floor_pct",
             1 + low / 100, 1 + high / 100, floor, prev_floor);
    is_decided("faster", columns, faster);
    is_decided("slower", columns, slower);
}

TEST(a_step_without_evidence_is_undecided_if_its_interval_leaves_the_noise)
{
    step_is(3, 4, 1, 0.5, "1", "0");
    step_is(-4, -3, 0.5, 1, "0", "1");
    step_is(-0.4, 0.4, 0.6, 0.2, "0", "0");
    step_is(0.5, 2.0, 1.25, 1, "NULL", "0");
    step_is(-1.1, -0.4, 0.2, 0.5, "0", "NULL");
    step_is(-1.1, 1.1, 0.5, 0.5, "NULL", "NULL");
    step_is(-0.4, 0.4, 2.5, 0.2, "NULL", "NULL"); /* the floor hides too much */
    step_is(3, 9, 2.5, 2.9, "1", "0");
}

/* The library's verdict is that of a step, with the library in the place of the rung before. */
TEST(no_slower_than_the_library_is_undecided_if_the_interval_leaves_the_noise)
{
#define OF_LIBRARY(low, high, floor, library)                                                      \
#low " AS speedup_library_low, " #high " AS speedup_library_high, " #floor                     \
         " AS floor_pct, " #library " AS library_floor_pct"
    is_decided("slower_than_library", OF_LIBRARY(1.03, 1.04, 0.5, 1), "0");
    is_decided("slower_than_library", OF_LIBRARY(0.96, 0.97, 1, 0.5), "1");
    is_decided("slower_than_library", OF_LIBRARY(0.996, 1.004, 0.2, 0.6), "0");
    is_decided("slower_than_library", OF_LIBRARY(0.991, 0.997, 0.4, 0.5), "NULL");
    is_decided("slower_than_library", OF_LIBRARY(0.996, 1.004, 0.2, 2.6), "NULL");
    is_decided("slower_than_library", OF_LIBRARY(0.996, 1.004, 0.2, NULL), "NULL");
}

TEST(a_setting_is_as_good_as_the_best_if_its_interval_is_noise)
{
#define BEHIND(low, high, floor)                                                                   \
#low " AS behind_best_low_pct, " #high " AS behind_best_high_pct, " #floor                     \
         " AS floor_pct, 0.1 AS best_floor_pct"
    is_decided("behind_best", BEHIND(1.5, 3, 1), "1");
    is_decided("behind_best", BEHIND(0.1, 0.9, 1), "0");
    is_decided("behind_best", BEHIND(0, 0, 0.05), "0");
    is_decided("behind_best", BEHIND(0.5, 1.5, 1), "NULL");
    is_decided("behind_best", BEHIND(0.5, 1.5, 2.5), "NULL");
}

RUN_TESTS(open_all, close_all)
