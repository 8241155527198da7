/*
 * Who takes part in the next round of samples.
 */
#include "fixture.h"

#include "collect.h"
#include "measure.h"

/* Rounds of series that take so long a sample, as measure_run makes them; the samples that each has in the end. */
static void play(const double *sample_seconds, int count, double most_seconds, int most_samples, int *samples)
{
    double seconds[8] = {0};
    int dropped[8] = {0};
    for (int i = 0; i < count; i++) samples[i] = 0;
    for (int round = 0; round < most_samples; round++) {
        for (int i = 0; i < count; i++) {
            if (dropped[i]) continue;
            samples[i]++;
            seconds[i] += sample_seconds[i];
            dropped[i] = !series_goes_on(samples[i], seconds[i], most_seconds / count);
        }
    }
}

static void a_slow_series_takes_no_time_from_the_others(void **state)
{
    static const double slow_among_fast[] = {3, 0.001, 0.002, 0.01}, alike[] = {0.1, 0.1, 0.1, 0.1}, slow[] = {5, 5};
    int samples[8];
    (void)state;
    play(slow_among_fast, 4, 16, 100, samples);
    assert_int_equal(samples[0], LEAST_OF_SLOW); /* its share is 4 s */
    for (int i = 1; i < 4; i++) assert_int_equal(samples[i], 100);
    play(alike, 4, 16.02, 100, samples);
    for (int i = 0; i < 4; i++) assert_int_equal(samples[i], 41); /* the sample that reaches the share is the last */
    play(slow, 2, 1, 100, samples);
    for (int i = 0; i < 2; i++) assert_int_equal(samples[i], LEAST_OF_SLOW);
}

static void no_series_ends_before_it_has_an_interval(void **state)
{
    (void)state;
    assert_true(series_goes_on(0, 0, 0));
    assert_true(series_goes_on(LEAST_OF_SLOW - 1, 1e9, 1));
    assert_false(series_goes_on(LEAST_OF_SLOW, 1, 1));
    assert_true(series_goes_on(LEAST_OF_SLOW, 0.999, 1));
    assert_true(series_goes_on(1000000, 0.999, 1));
}

/* Counters are collected again as often as was asked for, unless that takes too long. */
static void slow_batches_are_repeated_less(void **state)
{
    (void)state;
    assert_true(collect_goes_on(0, 3, 0));
    assert_true(collect_goes_on(2, 3, 1));
    assert_false(collect_goes_on(3, 3, 1));
    assert_true(collect_goes_on(0, 1, 1e9)); /* once in any case */
    assert_true(collect_goes_on(1, 3, MOST_BATCH_SECONDS));
    assert_false(collect_goes_on(1, 3, MOST_BATCH_SECONDS + 0.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_series_takes_no_time_from_the_others),
        cmocka_unit_test(no_series_ends_before_it_has_an_interval),
        cmocka_unit_test(slow_batches_are_repeated_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
