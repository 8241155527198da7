#include "fixture.h"

#include <math.h>

#include "explain/ablation_effects.h"
#include "base/stats.h"

static int near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* Every factor multiplies the speed by its own number, independently of the others: logarithms add
 * up. */
static void independent_factors(void **state)
{
    static const double speedup[3] = {2, 1.5, 0.5};
    double value[8], share[3];
    struct factorial_effect effect;
    (void)state;
    for (unsigned cell = 0; cell < 8; cell++) {
        value[cell] = -log(7);
        for (int f = 0; f < 3; f++) value[cell] += cell >> f & 1 ? log(speedup[f]) : 0;
    }
    factorial_shapley(value, 3, share);
    for (int f = 0; f < 3; f++) {
        factorial_effect(value, 3, 1u << f, &effect);
        assert_int_equal(effect.settings, 4);
        assert_true(near(effect.mean, log(speedup[f])) && near(effect.least, effect.mean) &&
                    near(effect.most, effect.mean));
        assert_true(near(share[f], log(speedup[f])));
    }
    for (unsigned of = 1; of < 8; of++) {
        factorial_effect(value, 3, of, &effect);
        if (__builtin_popcount(of) > 1)
            assert_true(near(effect.mean, 0) && near(effect.least, 0) && near(effect.most, 0));
    }
}

/* Neither does anything alone: their common effect is shared equally. */
static void all_or_nothing_is_shared_equally(void **state)
{
    static const double two[4] = {0, 0, 0, 1}, three[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    double share[3];
    struct factorial_effect effect;
    (void)state;
    factorial_shapley(two, 2, share);
    assert_true(share[0] == 0.5 && share[1] == 0.5);
    factorial_effect(two, 2, 1, &effect);
    assert_true(effect.mean == 0.5 && effect.least == 0 && effect.most == 1);
    assert_int_equal(effect.least_at, 0);
    assert_int_equal(effect.most_at, 2);
    factorial_effect(two, 2, 3, &effect);
    assert_true(effect.mean == 1);
    assert_int_equal(effect.settings, 1);
    factorial_shapley(three, 3, share);
    for (int f = 0; f < 3; f++) assert_true(near(share[f], 1.0 / 3));
    factorial_effect(three, 3, 7, &effect);
    assert_true(effect.mean == 1);
}

/* The gloves: a left one is worth something with either of two right ones. In four of six orders
 * the left one completes a pair. */
static void shares_of_the_gloves(void **state)
{
    static const double value[8] = {0, 0, 0, 1, 0, 1, 0, 1}; /* bit 0: left; bits 1 and 2: right */
    double share[3];
    (void)state;
    factorial_shapley(value, 3, share);
    assert_true(near(share[0], 2.0 / 3) && near(share[1], 1.0 / 6) && near(share[2], 1.0 / 6));
}

/* The pilot plant of Box, Hunter and Hunter (1978), table 10.1: temperature, concentration,
 * catalyst. Their effects are 23, -5, 1.5; TC 1.5, TK 10, CK 0, TCK 0.5; ours of n factors are
 * 2^(n - 1) times as large. */
static void the_pilot_plant(void **state)
{
    static const double yield[8] = {60, 72, 54, 68, 52, 83, 45, 80};
    static const double effects[8] = {0, 23, -5, 1.5, 1.5, 10, 0, 0.5};
    struct factorial_effect effect;
    (void)state;
    for (unsigned of = 1; of < 8; of++) {
        factorial_effect(yield, 3, of, &effect);
        assert_true(effect.mean == effects[of] * (1 << (__builtin_popcount(of) - 1)));
    }
    factorial_effect(yield, 3, 1, &effect); /* 12, 14, 31, 35 */
    assert_true(effect.least == 12 && effect.most == 35);
    assert_int_equal(effect.least_at, 0);
    assert_int_equal(effect.most_at, 6);
}

/* For all values, the shares add up to the whole, and a factor's name does not matter. */
static void shares_add_up_and_are_symmetric(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int factors = 1; factors <= FACTORIAL_MOST; factors++) {
        const unsigned cells = 1u << factors;
        double value[FACTORIAL_CELLS], turned[FACTORIAL_CELLS], share[FACTORIAL_MOST],
            other[FACTORIAL_MOST], sum = 0;
        for (unsigned cell = 0; cell < cells; cell++)
            value[cell] = (double)(stats_random(&random) >> 11) / 9007199254740992.0;
        for (unsigned cell = 0; cell < cells; cell++)
            turned[(cell << 1 | cell >> (factors - 1)) & (cells - 1)] = value[cell];
        factorial_shapley(value, factors, share);
        factorial_shapley(turned, factors, other);
        for (int f = 0; f < factors; f++) {
            sum += share[f];
            assert_true(near(share[f], other[(f + 1) % factors]));
        }
        assert_true(near(sum, value[cells - 1] - value[0]));
    }
}

/* A missing cell removes its pair from each effect, and all shares. */
static void missing_cells(void **state)
{
    static const double value[4] = {0, 1, 2, NAN}, ends[4] = {0, NAN, NAN, 3};
    double share[2];
    struct factorial_effect effect;
    (void)state;
    factorial_effect(value, 2, 1, &effect);
    assert_true(effect.mean == 1 && effect.least == 1 && effect.most == 1);
    assert_int_equal(effect.settings, 1);
    factorial_effect(value, 2, 3, &effect);
    assert_true(isnan(effect.mean) && isnan(effect.least) && isnan(effect.most));
    assert_int_equal(effect.settings, 0);
    factorial_shapley(value, 2, share);
    assert_true(isnan(share[0]) && isnan(share[1]));
    factorial_effect(ends, 2, 1, &effect);
    assert_true(isnan(effect.mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_factors),
        cmocka_unit_test(all_or_nothing_is_shared_equally),
        cmocka_unit_test(shares_of_the_gloves),
        cmocka_unit_test(the_pilot_plant),
        cmocka_unit_test(shares_add_up_and_are_symmetric),
        cmocka_unit_test(missing_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
