#include "fixture.h"

#include <math.h>

#include "gpu/verify.h"

static double bound(const struct shape *shape)
{
    (void)shape;
    return 1e-3;
}

static const struct family integers = {.name = "integers", .comparison = COMPARE_INT32_EXACT};
static const struct family floats = {
    .name = "floats", .comparison = COMPARE_FLOAT_FROBENIUS, .tolerance = bound};
static const struct shape shape = {1, {4}};

static void integers_are_equal_or_wrong(void **state)
{
    const uint32_t reference[] = {1, 2, 3, 0xFFFFFFFF};
    char reason[160] = "";
    (void)state;
    assert_true(verify(&integers, &shape, reference, reference, sizeof reference, reason));
    for (int i = 0; i < 4; i++) {
        uint32_t result[4];
        char expected[64];
        memcpy(result, reference, sizeof result);
        result[i] ^= 1u << (8 * i);
        assert_false(verify(&integers, &shape, result, reference, sizeof reference, reason));
        snprintf(expected, sizeof expected, "element %d is %u; expected %u", i, result[i],
                 reference[i]);
        assert_string_equal(reason, expected);
    }
}

static void floats_keep_the_bound(void **state)
{
    const double reference[] = {3, 4, 0, 0}; /* norm 5 */
    float result[] = {3, 4, 0.004f, 0};
    char reason[160] = "";
    (void)state;
    assert_true(verify(&floats, &shape, result, reference, sizeof result, reason));
    result[2] = 0.006f;
    assert_false(verify(&floats, &shape, result, reference, sizeof result, reason));
    assert_non_null(strstr(reason, "relative Frobenius error 0.0012; the bound is 0.001"));
}

static void nothing_that_is_no_number_passes(void **state)
{
    const double reference[] = {3, 4, 0, 0}, zeros[4] = {0};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    char reason[160] = "";
    (void)state;
    for (int v = 0; v < 3; v++) {
        for (int i = 0; i < 4; i++) {
            float result[] = {3, 4, 0, 0};
            result[i] = values[v];
            assert_false(verify(&floats, &shape, result, reference, sizeof result, reason));
        }
    }
    const float wrong[4] = {1, 0, 0, 0};
    assert_false(verify(&floats, &shape, wrong, zeros, sizeof wrong,
                        reason)); /* nothing to be relative to */
}

static void a_comparison_that_there_is_not_passes_nothing(void **state)
{
    const struct family neither = {.name = "neither", .comparison = (enum comparison)7};
    const uint32_t reference[] = {1, 2, 3, 4};
    char reason[160] = "";
    (void)state;
    assert_false(verify(&neither, &shape, reference, reference, sizeof reference, reason));
    assert_string_equal(reason, "the family names no comparison");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_equal_or_wrong), cmocka_unit_test(floats_keep_the_bound),
        cmocka_unit_test(nothing_that_is_no_number_passes),
        cmocka_unit_test(a_comparison_that_there_is_not_passes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
