#include "collect/chip_counters.h"

#include "catalog/records.h"
#include "host_cupti.h"

static struct records read_records(void)
{
    struct records records;
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(records_read_own(&records), 0);
    return records;
}

TEST(all_counters_of_a_h100_are_planned_together)
{
    struct chip_counters counters;
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    OWNED_BY(records_free) struct records records = read_records();
    assert_int_equal(chip_counters_plan(&counters, &records, "GH100"), 0);
    assert_in_range(counters.set.count, 70, 300);
    assert_in_range(counters.set.passes, 2, 20);
    int metrics = 0;
    for (; counters.metric[metrics]; metrics++)
        for (int m = 0; m < metrics; m++)
            assert_string_not_equal(counters.metric[m], counters.metric[metrics]);
    for (int i = 0; i < counters.set.count; i++) {
        int m = 0;
        while (m < metrics && strcmp(counters.metric[m], counters.set.plan[i].source)) m++;
        assert_in_range(m, 0, metrics - 1);
    }
    chip_counters_free(&counters);
}

static int has(const char **list, const char *metric)
{
    while (*list && strcmp(*list, metric)) list++;
    return *list != NULL;
}

/* What a replay falsifies is collected in one pass, and each counter in one of the ways. */
TEST(counters_that_a_replay_falsifies_have_a_pass_without)
{
    struct chip_counters counters;
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    OWNED_BY(records_free) struct records records = read_records();
    assert_int_equal(chip_counters_plan(&counters, &records, "GH100"), 0);
    const struct replay_counters *replay = &counters.replay;
    for (int m = 0; counters.metric[m]; m++)
        assert_int_equal(has(replay->one_pass, counters.metric[m]) +
                             has(replay->replayed, counters.metric[m]) +
                             has(replay->falsified, counters.metric[m]),
                         1);
    assert_true(has(replay->one_pass, "dram__bytes_write.sum"));
    assert_true(has(replay->one_pass, "dram__bytes_read.sum"));
    assert_true(has(replay->one_pass, "gpu__time_duration.sum"));
    assert_true(has(replay->replayed, "smsp__sass_inst_executed.sum"));
    for (const char **metric = replay->replayed; *metric; metric++)
        assert_null(strstr(*metric, "pct_of_peak_sustained_elapsed")); /* parts of the time */
    assert_in_range(replay->passes, 2, counters.set.passes);
    assert_null(replay->falsified[0]); /* everything fits */
    chip_counters_free(&counters);
}

TEST(an_unknown_chip_is_refused_with_a_reason)
{
    struct chip_counters counters;
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    OWNED_BY(records_free) struct records records = read_records();
    assert_int_equal(chip_counters_plan(&counters, &records, "no chip"), FAIL_GPU);
    assert_true(*counters.set.reason);
    chip_counters_free(&counters);
}

RUN_TESTS(NULL, NULL)
