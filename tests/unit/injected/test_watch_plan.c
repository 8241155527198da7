#include "injected/watch_plan.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "injected/watch_plan.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

static int read_plan(struct watch_plan *plan, const char *text)
{
    const char *reason;
    FILE *file = fopen(place("plan.txt"), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    const int result = watch_plan_read(plan, place(""), &reason);
    if (!result) assert_string_equal(reason, "plan.txt is damaged");
    return result;
}

TEST(a_plan_is_read)
{
    OWNED_BY(watch_plan_free) struct watch_plan plan;
    assert_true(read_plan(&plan, "starter\t77\nprocess\t3\t-1\t/bin/"
                                 "a\\tb\nmode\tcounters\npasses\t7\nmetrics\ta.sum\tb.sum\n"
                                 "kernel\t0\t1\tadd\t0\t4\t1\t1\t256\t1\t1\t512\tstep #\\tx\n"
                                 "kernel\t2\t0\tmul\t0\t4\t1\t1\t256\t1\t1\t0\t\n"
                                 "take\t0\t3\t6\nby\toperator\n"));
    assert_int_equal(plan.by, WATCH_BY_OPERATOR);
    assert_int_equal(plan.starter, 77);
    assert_int_equal(plan.process_count, 1);
    assert_int_equal(plan.process[0].number, 3);
    assert_int_equal(plan.process[0].generation, -1);
    assert_string_equal(plan.process[0].executable, "/bin/a\tb");
    assert_int_equal(plan.mode, WATCH_COUNTERS);
    assert_int_equal(plan.passes, 7);
    assert_int_equal(plan.metric_count, 2);
    assert_string_equal(plan.metric[1], "b.sum");
    assert_int_equal(plan.kernel_count, 3);
    assert_int_equal(plan.kernel[1].process, -1); /* its number was left out */
    assert_string_equal(plan.kernel[0].signature.range, "step #\tx");
    assert_int_equal(plan.kernel[0].first, 3);
    assert_int_equal(plan.kernel[0].last, 6);
    assert_int_equal(plan.kernel[2].last, -1);
}

TEST(launches_are_told_apart)
{
    OWNED_BY(watch_plan_free) struct watch_plan plan;
    struct launch_signature signature = {
        .symbol = "add", .grid = {4, 1, 1}, .block = {256, 1, 1}, .range = "a/b"};
    assert_true(read_plan(&plan, "mode\tcounts\nkernel\t0\t0\tadd\t0\t4\t1\t1\t256\t1\t1\t0\ta/b\n"
                                 "count\t0\t7\n"));
    assert_int_equal(plan.kernel[0].count, 7);
    assert_int_equal(watch_plan_find(&plan, 0, &signature), 0);
    assert_int_equal(watch_plan_find(&plan, 1, &signature), -1);
    signature.dynamic_shared = 16;
    assert_int_equal(watch_plan_find(&plan, 0, &signature), -1);
    signature.dynamic_shared = 0;
    signature.range = "a";
    assert_int_equal(watch_plan_find(&plan, 0, &signature), -1);
}

#define KERNEL "kernel\t0\t0\tadd\t0\t4\t1\t1\t256\t1\t1\t0\t\n"

TEST(a_damaged_plan_is_refused)
{
    static const char *const damaged[] = {"mode\n",
                                          "process\t0\t1\n",
                                          "kernel\t0\t0\tadd\n",
                                          "count\t0\t1\n",
                                          "take\t0\t0\t0\n",
                                          "metrics\n",
                                          "metrics\ta\nmetrics\tb\n",
                                          KERNEL "take\t0\t1\t0\n",
                                          "kernel\t1\t0\tadd\t0\t4\t1\t1\t256\t1\t1\t0\t\nkernel\t0"
                                          "\t0\tadd\t0\t4\t1\t1\t1\t1\t1\t0\t\n"};
    struct watch_plan plan;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        assert_false(read_plan(&plan, damaged[i]));
}

RUN_TESTS(fixture_open, fixture_close)
