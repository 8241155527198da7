/*
 * Tests the rounds of samples, with made-up samples and a made-up clock: which series take part,
 * for how long, and why each ends.
 */
#include "fixture.h"
#include "catalog/thresholds.h"

#include <math.h>

#include "collect/collector.h"
#include "measure/gpu_timer.h"

enum { MOST_SERIES = 4, MOST_SAMPLES = 60 };

/* A made-up series: the time that a sample takes, and the scatter of its times. */
struct play {
    double sample_seconds[MOST_SERIES], scatter[MOST_SERIES];
    double seconds;              /* the clock */
    int fails_at, asked;         /* the number of the sample that fails, or 0 */
    const struct series *series; /* the first */
};

static int made_up(void *context, const struct series *series, struct sample *sample)
{
    struct play *play = context;
    const ptrdiff_t which = series - play->series;
    play->seconds += play->sample_seconds[which];
    if (++play->asked == play->fails_at) return FAIL_GPU;
    sample->time_ns = 1000 * (1 + play->scatter[which] * (series->count % 2 ? 1 : -1));
    /* The kernel of series 2 always lowers the clock. */
    sample->clock_mhz = which == 3 && series->count == 5 ? 900 : which == 2 ? 1500 : 1980;
    return 0;
}

static double clock_of(void *context)
{
    return ((const struct play *)context)->seconds;
}

struct stage {
    struct series series[MOST_SERIES];
    struct sample sample[MOST_SERIES][MOST_SAMPLES];
};

static int run(struct stage *stage, struct play *play, double most_seconds)
{
    uint64_t random = 7;
    memset(stage, 0, sizeof *stage);
    for (int i = 0; i < MOST_SERIES; i++)
        stage->series[i] = (struct series){.capacity = MOST_SAMPLES, .sample = stage->sample[i]};
    play->series = stage->series;
    return sampling_rounds_run(&(struct rounds){stage->series, MOST_SERIES, MOST_SAMPLES,
                                                most_seconds, &random, made_up, clock_of, play});
}

/* Steady series end together after the 25 samples that a verdict needs; the samples have the
 * numbers of their rounds. */
TEST(steady_series_converge)
{
    static struct stage stage;
    struct play play = {.sample_seconds = {0.01, 0.01, 0.01, 0.01}};
    assert_int_equal(run(&stage, &play, 1000), 0);
    for (int i = 0; i < MOST_SERIES; i++) {
        assert_string_equal(stage.series[i].stop_reason, "converged");
        assert_int_equal(
            stage.series[i].count,
            26); /* the last one lost a sample to a low clock, and all others wait for it */
        for (int s = 0; s < stage.series[i].count; s++)
            assert_int_equal(stage.sample[i][s].round, s);
    }
    for (int s = 0; s < 26; s++) assert_int_equal(stage.sample[3][s].throttled, s == 5);
    assert_int_equal(stage.sample[0][5].throttled, 0);
    for (int s = 0; s < 26; s++) assert_int_equal(stage.sample[2][s].throttled, 0);
}

/* A restless series continues to the maximum number of samples, together with the steady ones. */
TEST(a_restless_series_keeps_all_in_the_rounds)
{
    static struct stage stage;
    struct play play = {.sample_seconds = {0.01, 0.01, 0.01, 0.01}, .scatter = {0, 0.2, 0, 0}};
    assert_int_equal(run(&stage, &play, 1000), 0);
    for (int i = 0; i < MOST_SERIES; i++) {
        assert_int_equal(stage.series[i].count, MOST_SAMPLES);
        assert_string_equal(stage.series[i].stop_reason, i == 1 ? "sample cap" : "converged");
    }
}

/* A slow series ends after its share of the time, but has at least six samples, and does not affect
 * the others. */
TEST(a_slow_series_takes_no_time_from_the_others)
{
    static struct stage stage;
    struct play play = {.sample_seconds = {3, 0.001, 0.5, 0.01}};
    assert_int_equal(run(&stage, &play, 16.01), 0);
    assert_int_equal(stage.series[0].count, LEAST_OF_SLOW);
    assert_string_equal(stage.series[0].stop_reason, "time cap");
    assert_int_equal(stage.series[2].count,
                     9); /* its share is 4.0025 s; the sample that reaches it is the last */
    assert_string_equal(stage.series[2].stop_reason, "time cap");
    assert_int_equal(stage.series[1].count, 26);
    assert_string_equal(stage.series[1].stop_reason, "converged");
    for (int s = 0; s < 9; s++) assert_int_equal(stage.sample[2][s].round, s);
}

/* A slow series that lost a sample to a low clock takes one more, for its interval; so does another
 * slow one, with which it is compared in the same rounds. */
TEST(a_slow_series_makes_up_for_throttled_samples)
{
    static struct stage stage;
    struct play play = {.sample_seconds = {0.001, 0.001, 3, 3}};
    assert_int_equal(run(&stage, &play, 16.01), 0);
    assert_int_equal(stage.sample[3][5].throttled, 1);
    assert_int_equal(stage.sample[2][5].throttled, 0);
    assert_int_equal(stage.series[2].count, LEAST_OF_SLOW + 1);
    assert_int_equal(stage.series[3].count, LEAST_OF_SLOW + 1);
    assert_string_equal(stage.series[3].stop_reason, "time cap");
}

TEST(a_failed_sample_ends_the_rounds)
{
    static struct stage stage;
    struct play play = {.sample_seconds = {0.1, 0.1, 0.1, 0.1}, .fails_at = 20};
    assert_int_equal(run(&stage, &play, 1000), FAIL_GPU);
    assert_int_equal(play.asked, 20);
}

TEST(no_series_ends_before_it_has_an_interval)
{
    assert_true(series_goes_on(0, 0, 0));
    assert_true(series_goes_on(LEAST_OF_SLOW - 1, 1e9, 1));
    assert_false(series_goes_on(LEAST_OF_SLOW, 1, 1));
    assert_true(series_goes_on(LEAST_OF_SLOW, 0.999, 1));
    assert_true(series_goes_on(1000000, 0.999, 1));
}

/* Counters are collected the requested number of times, unless that takes too long. */
TEST(slow_batches_are_repeated_less)
{
    assert_true(collect_goes_on(0, 3, 0));
    assert_true(collect_goes_on(2, 3, 1));
    assert_false(collect_goes_on(3, 3, 1));
    assert_true(collect_goes_on(0, 1, 1e9)); /* at least once */
    assert_true(collect_goes_on(1, 3, REPEATED_S));
    assert_false(collect_goes_on(1, 3, REPEATED_S + 0.5));
}

static unsigned launch_twice(const struct point *point)
{
    return 2;
}

static void on_cpu(const struct work *work)
{
}

/* Every series has a twin for the noise of a point's time; if there are several launches, they are
 * timed one by one. */
TEST(series_are_planned_by_what_runs)
{
    const struct variant once = {0}, twice = {.launch_count = launch_twice}, cpu = {.host = on_cpu};
    const struct point point = {.shape = {1, {64}}};
    int count;
    const struct series_kind *plan = series_plan(&once, &point, &count);
    assert_int_equal(count, 3);
    assert_true(plan[0].l2 == L2_COLD && plan[0].copy == 'a' && plan[1].l2 == L2_COLD &&
                plan[1].copy == 'b' && plan[2].l2 == L2_WARM);
    plan = series_plan(&twice, &point, &count);
    assert_int_equal(count, 4);
    assert_true(plan[0].kind == TIME_END_TO_END && plan[3].kind == TIME_KERNELS &&
                plan[3].l2 == L2_COLD);
    plan = series_plan(&cpu, &point, &count);
    assert_int_equal(count, 2);
    assert_true(plan[0].l2 == L2_WARM && plan[0].copy == 'a' && plan[1].l2 == L2_WARM &&
                plan[1].copy == 'b');
}

RUN_TESTS(NULL, NULL)
