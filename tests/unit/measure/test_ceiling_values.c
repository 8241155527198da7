#include "fixture.h"

#include <math.h>

#include "catalog/registry.h"
#include "measure/ceiling_kernels.h"

enum { MOST = 32 };

struct made {
    struct sample sample[MOST];
    struct ceiling_samples samples;
};

/* Makes `count` samples, one per round, beginning at `from`, in steps of `step`. */
static void make(struct made *made, int count, double from, double step)
{
    memset(made, 0, sizeof *made);
    for (int i = 0; i < count; i++) {
        made->sample[i].round = i;
        made->sample[i].time_ns = from + step * i;
        made->sample[i].clock_mhz = 1980 + i;
    }
    made->samples = (struct ceiling_samples){count, made->sample};
}

TEST(times_without_those_set_aside)
{
    struct made made;
    struct ceiling_value value;
    make(&made, 9, 100, 1);
    made.sample[8].throttled = 1;
    made.sample[8].time_ns = 9999;
    made.sample[8].clock_mhz = 900;
    made.sample[0].clock_mhz = NAN; /* its time stamps were of two SMs */
    value = ceiling_value_time(&made.samples);
    assert_int_equal(value.samples, 8);
    assert_true(value.value == 103.5);
    assert_true(value.low == 100 && value.high == 107);
    assert_true(value.sm_clock_mhz == 1984);
    make(&made, 0, 0, 0);
    value = ceiling_value_time(&made.samples);
    assert_int_equal(value.samples, 0);
    assert_true(isnan(value.value) && isnan(value.low) && isnan(value.sm_clock_mhz));
}

/* The slow end of the times is the low end of the rate. */
TEST(rates_apart_from_the_launch)
{
    struct made made;
    struct ceiling_value value;
    make(&made, 7, 110, 10); /* 110 to 170, median 140 */
    value = ceiling_value_rate(&made.samples, 8000, 10);
    assert_true(fabs(value.value - 8000 / 130.0) < 1e-9);
    assert_true(fabs(value.low - 8000 / 160.0) < 1e-9);
    assert_true(fabs(value.high - 8000 / 100.0) < 1e-9);
    value = ceiling_value_rate(&made.samples, 8000, 140);
    assert_true(isnan(
        value.value)); /* no longer than an empty kernel: no rate instead of an infinite one */
}

/* The slow end of the times is the high end of the latency. */
TEST(latencies_apart_from_the_launch)
{
    struct made made;
    struct ceiling_value value;
    make(&made, 7, 110, 10); /* 110 to 170, median 140 */
    value = ceiling_value_each(&made.samples, 10, 10);
    assert_true(fabs(value.value - 13) < 1e-9);
    assert_true(fabs(value.low - 10) < 1e-9);
    assert_true(fabs(value.high - 16) < 1e-9);
    assert_int_equal(value.samples, 7);
    assert_true(isnan(ceiling_value_each(&made.samples, 10, 140).value)); /* as an empty kernel */
    assert_true(isnan(ceiling_value_each(&made.samples, 0, 10).value));
    assert_true(isnan(ceiling_value_each(&made.samples, 10, NAN).value));
}

TEST(what_a_further_launch_adds)
{
    struct made one, many;
    struct ceiling_value value;
    make(&one, 8, 1000, 100); /* drift that both share */
    make(&many, 8, 5000, 100);
    one.sample[2].throttled = many.sample[5].throttled = 1;
    one.sample[2].time_ns = many.sample[5].time_ns = 1e9;
    value = ceiling_value_next(&one.samples, &many.samples, 4);
    assert_int_equal(value.samples, 6);
    assert_true(value.value == 1000 && value.low == 1000 && value.high == 1000);
    for (int i = 0; i < 8; i++)
        many.sample[i].round = i + 4; /* `one` ends where `many` begins its fifth sample */
    value = ceiling_value_next(&one.samples, &many.samples, 4);
    assert_int_equal(value.samples, 4);
}

/* Launches so small that the sums can be computed in another way. */
TEST(sums_that_kernels_must_leave)
{
    struct ceiling_launch launch = {
        .kernel = CEILING_READ, .count = 3, .blocks = 2, .threads = 64, .loops = 2};
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct ceiling_words words = ceiling_words(i);
        sum += words.x + 3 * words.y + 5 * words.z + 7 * words.w;
    }
    assert_int_equal(ceiling_sum(&launch), sum);
    launch.kernel = CEILING_READ_L2;
    assert_int_equal(ceiling_sum(&launch), 2 * sum);
    launch.kernel = CEILING_ADD;
    launch.loops = 1;
    sum = 0;
    for (uint32_t thread = 0; thread < 64; thread++) {
        const struct ceiling_words seed = ceiling_words(thread);
        for (uint32_t pair = 0; pair < 4; pair++) {
            const uint32_t a = seed.x + 2 * pair, b = a + 1, a_next = a + b + seed.y,
                           b_next = b + a_next + seed.z;
            sum += (4 * pair + 1) * a_next + (4 * pair + 3) * b_next;
        }
    }
    assert_int_equal(ceiling_sum(&launch), 2 * sum);
    launch.kernel = CEILING_FMA;
    sum = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned k = 0; k < 8; k++) {
            /* Exact in double, and rounded once. */
            const float chain =
                (float)((1 + (lane * 8 + k + 1) / 512.0) * (1 - (lane + 1) / 65536.0) +
                        (lane + 1) / 65536.0);
            uint32_t bits;
            memcpy(&bits, &chain, sizeof bits);
            sum += (2 * k + 1) * bits;
        }
    assert_int_equal(ceiling_sum(&launch), 4 * sum); /* two warps of two blocks */
    launch.kernel = CEILING_COPY;
    assert_int_equal(ceiling_sum(&launch), 0);
    launch.kernel = CEILING_CLEAR;
    assert_int_equal(ceiling_sum(&launch), 0);
    launch.loops = 3;
    launch.kernel = CEILING_CHASE;
    assert_int_equal(ceiling_sum(&launch),
                     ceiling_words(0).x + ceiling_words(1032).x + ceiling_words(2064).x);
    launch.kernel = CEILING_BARRIER;
    sum = 0;
    for (uint32_t thread = 0; thread < 64; thread++) sum += ceiling_words(thread).x + 3;
    assert_int_equal(ceiling_sum(&launch), sum);
    launch.kernel = CEILING_ATOMIC;
    assert_int_equal(ceiling_sum(&launch), 2 * 2 * 3); /* blocks, warps, loops */
}

TEST(words_that_hold_the_sums)
{
    struct ceiling_launch launch = {.blocks = 5, .threads = 64};
    static const struct {
        enum ceiling_kernel kernel;
        size_t words;
    } rows[] = {{CEILING_EMPTY, 0}, {CEILING_WRITE, 0}, {CEILING_COPY, 0},   {CEILING_READ, 5},
                {CEILING_CHASE, 5}, {CEILING_ADD, 5},   {CEILING_ATOMIC, 1}, {CEILING_CLEAR, 1},
                {CEILING_MMA, 5},   {CEILING_WGMMA, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        launch.kernel = rows[i].kernel;
        assert_int_equal(ceiling_sum_words(&launch), rows[i].words);
    }
}

/* The chains end neither at their start nor at their limit, so a missing step would show. */
TEST(long_chains_keep_moving)
{
    struct ceiling_launch launch = {
        .kernel = CEILING_FMA, .blocks = 1, .threads = 32, .loops = 4096};
    const uint32_t all = ceiling_sum(&launch);
    launch.loops--;
    assert_int_not_equal(ceiling_sum(&launch), all);
    launch.kernel = CEILING_ADD;
    launch.loops = 2048;
    const uint32_t added = ceiling_sum(&launch);
    launch.loops--;
    assert_int_not_equal(ceiling_sum(&launch), added);
}

TEST(what_a_launch_does)
{
    struct ceiling_launch launch = {
        .kernel = CEILING_READ, .count = 100, .blocks = 2, .threads = 64, .loops = 10};
    static const struct {
        enum ceiling_kernel kernel;
        double amount;
    } rows[] = {{CEILING_EMPTY, 0},
                {CEILING_READ, 1600},
                {CEILING_WRITE, 1600},
                {CEILING_COPY, 3200},
                {CEILING_READ_L2, 16000},
                {CEILING_READ_SHARED, 16.0 * 1024 * 2 * 10},
                {CEILING_LDMATRIX, 16.0 * 1024 * 2 * 10},
                {CEILING_MMA, 2 * 2 * 8 * 10 * 4096 / 1e3}, /* blocks, warps, chains, loops */
                {CEILING_WGMMA, 2.0 * 10 * 2 * 128 * 256 * 64 / 1e3},
                {CEILING_FMA, 2 * 8 * 128 * 10 / 1e3},
                {CEILING_ADD, 8 * 128 * 10},
                {CEILING_CHASE, 10},
                {CEILING_BARRIER, 10},
                {CEILING_ATOMIC, 2 * 2 * 10},
                {CEILING_CLEAR, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        launch.kernel = rows[i].kernel;
        assert_true(fabs(ceiling_amount(&launch) - rows[i].amount) < 1e-9);
    }
}

/* The contents have no pattern: no two elements have the same word in the same place, and half of
 * the bits are set. */
TEST(contents_have_no_pattern)
{
    enum { COUNT = 1 << 16 };
    double bits = 0;
    uint32_t same = 0;
    struct ceiling_words last = ceiling_words(COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct ceiling_words words = ceiling_words(i);
        bits += __builtin_popcount(words.x) + __builtin_popcount(words.y) +
                __builtin_popcount(words.z) + __builtin_popcount(words.w);
        same += words.x == last.x || words.y == last.y || words.z == last.z || words.w == last.w ||
                words.x == words.y || words.z == words.w;
        last = words;
    }
    assert_true(fabs(bits / COUNT / 128 - 0.5) < 0.001);
    assert_true(same <= 2);
}

/* Nearly N(0, 1), with all bits of the mantissa in use. */
TEST(numbers_are_normal)
{
    enum { COUNT = 1 << 17 };
    double sum = 0, squares = 0, beyond = 0;
    int mantissas[128] = {0}, most = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t bits = (uint32_t)ceiling_bf16(i) << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        assert_true(value != 0);
        sum += (double)value;
        squares += (double)value * (double)value;
        beyond += fabsf(value) > 1.96f;
        mantissas[bits >> 16 & 127]++;
    }
    assert_true(fabs(sum / COUNT) < 0.01);
    assert_true(fabs(squares / COUNT - 1) < 0.02);
    assert_true(fabs(beyond / COUNT - 0.05) < 0.005);
    for (int i = 0; i < 128; i++) {
        assert_true(mantissas[i] > COUNT / 400);
        if (mantissas[i] > most) most = mantissas[i];
    }
    assert_true(most < COUNT / 50);
}

static double number_at(uint32_t index)
{
    const uint32_t bits = (uint32_t)ceiling_bf16(index) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The sum of a block of WGMMA in another order, and what a wrong sum is. */
TEST(products_are_checked)
{
    enum { BLOCKS = 4 };
    struct ceiling_launch launch = {
        .kernel = CEILING_WGMMA, .blocks = BLOCKS, .threads = CEILING_THREADS, .loops = 3};
    double sums[BLOCKS], twice[BLOCKS], norm, other, sum = 0;
    uint32_t words[BLOCKS], wrong;
    assert_int_equal(ceiling_product_sums(&launch, sums, &norm), 0);
    for (uint32_t k = 0; k < CEILING_WGMMA_K; k++)
        for (uint32_t row = 0; row < CEILING_WGMMA_M; row++)
            for (uint32_t column = 0; column < CEILING_WGMMA_N; column++)
                sum += (double)ceiling_sign(2, ceiling_wgmma_c(row, column)) *
                       number_at(ceiling_wgmma_a(row, k)) * number_at(ceiling_wgmma_b(k, column));
    assert_true(fabs(sums[2] - 3 * sum) < 1e-9 * norm);
    /* An element of N(0, K) for every row and column, three times. */
    assert_true(fabs(norm / (3 * sqrt(128 * 256 * 64.0)) - 1) < 0.05);
    for (int kernel = 0; kernel < 2; kernel++) {
        launch.kernel = kernel ? CEILING_MMA : CEILING_WGMMA;
        launch.loops = 4;
        assert_int_equal(ceiling_product_sums(&launch, sums, &norm), 0);
        launch.loops = 8;
        assert_int_equal(ceiling_product_sums(&launch, twice, &other), 0);
        for (int block = 0; block < BLOCKS; block++) {
            const float value = (float)twice[block];
            memcpy(&words[block], &value, sizeof value);
            assert_true(fabs(twice[block] - 2 * sums[block]) < 1e-9 * other);
            assert_true(fabs(sums[block]) < 5 * norm);
            for (int earlier = 0; earlier < block; earlier++) /* each has signs of its own */
                assert_true(fabs(sums[block] - sums[earlier]) > CEILING_PRODUCT_ERROR * norm);
        }
        assert_int_equal(ceiling_wrong_products(&launch, words, &wrong), 0);
        assert_int_equal(wrong, 0);
        words[1] = CEILING_NOT_HERE;
        words[3] = words[2];
        assert_int_equal(ceiling_wrong_products(&launch, words, &wrong), 0);
        assert_int_equal(wrong, 2);
    }
}

RUN_TESTS(fixture_open, fixture_close)
