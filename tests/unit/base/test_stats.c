#include "fixture.h"

#include <math.h>

#include "base/stats.h"

TEST(quantiles_of_type_7)
{
    /* R: quantile(c(1, 2, 4, 8), c(0, .25, .5, .75, 1)) */
    static const double values[] = {1, 2, 4, 8}, at[] = {0, 0.25, 0.5, 0.75, 1},
                        expected[] = {1, 1.75, 3, 5, 8};
    for (int i = 0; i < 5; i++) assert_true(stats_quantile(values, 4, at[i]) == expected[i]);
    assert_true(stats_quantile(values, 1, 0.5) == 1);
    assert_true(stats_quantile(values, 3, 0.5) == 2);
    assert_true(isnan(stats_quantile(values, 0, 0.5)));
}

TEST(sorts)
{
    double values[] = {3, -1, 2, 1e300, -1e300, 2};
    static const double sorted[] = {-1e300, -1, 2, 2, 3, 1e300};
    stats_sort(values, 6);
    assert_memory_equal(values, sorted, sizeof values);
    stats_sort(values, 0);
    assert_memory_equal(values, sorted, sizeof values);
    assert_true(stats_median((double[]){3, 1, 2}, 3) == 2);
    assert_true(isnan(stats_median(values, 0)));
}

TEST(equal_times_of_a_coarse_clock_are_spread)
{
    /* Seven of ten times are 27 ticks of 256 ns, and three are 28. */
    double times[] = {7168, 6912, 6912, 6912, 7168, 6912, 6912, 6912, 7168, 6912};
    stats_sort_times(times, 10);
    for (int i = 0; i < 7; i++) assert_float_equal(times[i], 256 * (26.5 + (i + 0.5) / 7), 1e-9);
    for (int i = 7; i < 10; i++) assert_float_equal(times[i], 256 * (27.5 + (i - 6.5) / 3), 1e-9);
    /* One tick is less than 2 %; or how long a tick is cannot be seen. */
    double fine[] = {13056, 13056, 13312}, equal[] = {6912, 6912, 6912};
    stats_sort_times(fine, 3);
    assert_true(fine[0] == 13056 && fine[1] == 13056 && fine[2] == 13312);
    stats_sort_times(equal, 3);
    assert_true(equal[0] == 6912 && equal[2] == 6912);
    /* A difference of less than a tick is seen. */
    double before[100], after[100];
    for (int i = 0; i < 100; i++) {
        const double begun = 256.0 * i / 100;
        before[i] = 256 * floor((begun + 5000) / 256);
        after[i] = 256 * floor((begun + 5100) / 256);
    }
    stats_sort_times(before, 100);
    stats_sort_times(after, 100);
    const double slower = stats_quantile(after, 100, 0.5) / stats_quantile(before, 100, 0.5);
    assert_true(slower > 1.015 && slower < 1.025);
    stats_sort_times(before, 0);
}

/* P(at most k heads of n fair coins), by Pascal's triangle, unlike the code under test. */
static long double tail(int n, int k)
{
    long double row[257] = {1};
    for (int i = 1; i <= n; i++)
        for (int j = i; j >= 0; j--) row[j] = ((j < i ? row[j] : 0) + (j > 0 ? row[j - 1] : 0)) / 2;
    long double sum = 0;
    for (int j = 0; j <= k; j++) sum += row[j];
    return sum;
}

TEST(median_interval_is_binomial)
{
    double values[5000], low, high;
    for (int i = 0; i < 5000; i++) values[i] = i + 1;
    stats_median_interval(values, 5, &low, &high);
    assert_true(isnan(low) && isnan(high));
    stats_median_interval(values, 6, &low, &high);
    assert_true(low == 1 && high == 6);
    stats_median_interval(values, 15, &low, &high);
    assert_true(low == 4 && high == 12);
    for (int n = 6; n <= 256; n++) {
        stats_median_interval(values, (size_t)n, &low, &high);
        const int k = (int)low - 1;
        assert_true(high == n - k);
        assert_true(tail(n, k) <= 0.025L);
        assert_true(tail(n, k + 1) > 0.025L);
    }
    /* Beyond the range of 2^-n in a double, compared with the normal approximation. */
    stats_median_interval(values, 5000, &low, &high);
    assert_true(fabs(low - (2500 - 0.98 * sqrt(5000))) < 2);
    assert_true(low + high == 5001);
}

static double uniform(uint64_t *state)
{
    return (double)(stats_random(state) >> 11) / 9007199254740992.0;
}

static void ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                           int resamples, uint64_t seed, double *low, double *high)
{
    struct stats_resamples *drawn = stats_resamples_draw(a_count, b_count, resamples, seed);
    stats_resamples_interval(drawn, a, b, low, high);
    free(drawn);
}

TEST(bootstrap_covers)
{
    enum { TRIALS = 300, COUNT = 25 };
    uint64_t random = 7;
    int covered = 0, width_seen = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double a[COUNT], b[COUNT], low, high;
        for (int i = 0; i < COUNT; i++) {
            a[i] = 2 * (10 + uniform(&random) + uniform(&random) + uniform(&random));
            b[i] = 10 + uniform(&random) + uniform(&random) + uniform(&random);
        }
        stats_sort(a, COUNT);
        stats_sort(b, COUNT);
        ratio_interval(a, COUNT, b, COUNT, 400, (uint64_t)trial, &low, &high);
        assert_true(low <= high);
        covered += low <= 2 && 2 <= high;
        width_seen += high - low < 0.3;
    }
    assert_in_range(covered, TRIALS * 88 / 100, TRIALS * 995 / 1000);
    assert_int_equal(width_seen, TRIALS);
}

TEST(bootstrap_is_reproducible)
{
    double a[12], b[9], low[3], high[3];
    for (int i = 0; i < 12; i++) a[i] = 5 + i * i * 0.01;
    for (int i = 0; i < 9; i++) b[i] = 3 + i * 0.1;
    for (int i = 0; i < 3; i++) ratio_interval(a, 12, b, 9, 200, i == 2 ? 2 : 1, &low[i], &high[i]);
    assert_true(low[0] == low[1] && high[0] == high[1]);
    assert_true(low[0] != low[2] || high[0] != high[2]);
    assert_true(low[0] < high[0]);
}

TEST(bootstrap_of_constants_and_of_too_little)
{
    double a[8], b[8], low, high;
    for (int i = 0; i < 8; i++) {
        a[i] = 2;
        b[i] = 4;
    }
    ratio_interval(a, 8, b, 8, 100, 1, &low, &high);
    assert_true(low == 0.5 && high == 0.5);
    ratio_interval(a, 7, b, 8, 100, 1, &low, &high); /* odd and even counts */
    assert_true(low == 0.5 && high == 0.5);
    ratio_interval(a, 5, b, 8, 100, 1, &low, &high);
    assert_true(isnan(low) && isnan(high));
    ratio_interval(a, 8, b, 5, 100, 1, &low, &high);
    assert_true(isnan(low) && isnan(high));
    ratio_interval(a, 8, b, 8, 39, 1, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

/* The bootstrap's medians lie between the extremes, and reach values between two samples, as
 * medians of even counts do. */
TEST(bootstrap_medians_are_medians)
{
    static const double one[] = {1, 1, 1, 1, 1, 1};
    static const double a[] = {1, 1, 1, 3, 3, 3};
    double low, high;
    ratio_interval(a, 6, one, 6, 2000, 3, &low, &high);
    assert_true(low == 1 && high == 3);
    static const double skewed[] = {1, 1, 1, 1, 1, 3};
    ratio_interval(skewed, 6, one, 6, 2000, 3, &low,
                   &high); /* P(median = 2) is 5 %, P(median = 3) is 1 % */
    assert_true(low == 1 && high == 2);
}

/* The ratio of the medians of one resample each. */
static double resampled_ratio(const double *a, size_t a_count, const double *b, size_t b_count,
                              uint64_t *random)
{
    unsigned short drawn[2][40] = {{0}};
    for (size_t i = 0; i < a_count; i++) drawn[0][stats_draw(random, a_count)]++;
    for (size_t i = 0; i < b_count; i++) drawn[1][stats_draw(random, b_count)]++;
    return stats_counted_median(a, drawn[0], a_count) / stats_counted_median(b, drawn[1], b_count);
}

/* The interval runs between quantiles of all ratios, drawn as the header says. */
TEST(bootstrap_ends_are_quantiles_of_all_ratios)
{
    enum { MOST = 1003 };
    static const size_t counts[][2] = {{6, 6}, {7, 12}, {20, 19}, {17, 17}, {40, 16}};
    static const int resamples[] = {40, 41, 199, 1000, MOST};
    uint64_t random = 5;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t r = 0; r < sizeof resamples / sizeof *resamples; r++) {
            double a[40], b[40], ratio[MOST], low, high;
            uint64_t drawing = 11;
            for (size_t i = 0; i < 40; i++) {
                a[i] = 100 + (double)(stats_random(&random) % (c + 3)); /* some are equal */
                b[i] = 50 + uniform(&random);
            }
            stats_sort(a, counts[c][0]);
            stats_sort(b, counts[c][1]);
            for (int i = 0; i < resamples[r]; i++)
                ratio[i] = resampled_ratio(a, counts[c][0], b, counts[c][1], &drawing);
            stats_sort(ratio, (size_t)resamples[r]);
            ratio_interval(a, counts[c][0], b, counts[c][1], resamples[r], 11, &low, &high);
            assert_true(low == stats_quantile(ratio, (size_t)resamples[r], 0.025));
            assert_true(fabs(high - stats_quantile(ratio, (size_t)resamples[r], 0.975)) <=
                        1e-15 * high);
        }
    }
}

TEST(splitmix64_by_its_reference)
{
    /* First outputs of Vigna's splitmix64.c for the state 1234567. */
    uint64_t random = 1234567;
    assert_int_equal(stats_random(&random), UINT64_C(6457827717110365317));
    assert_int_equal(stats_random(&random), UINT64_C(3203168211198807973));
    assert_int_equal(stats_random(&random), UINT64_C(9817491932198370423));
}

RUN_TESTS(NULL, NULL)
