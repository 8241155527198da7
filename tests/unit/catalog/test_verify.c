#include "fixture.h"

#include <math.h>

#include "catalog/registry.h"
#include "catalog/verify.h"

static double bound(const struct shape *shape)
{
    return 1e-3;
}

static double wide_bound(const struct shape *shape)
{
    return 2e-3;
}

static const struct family integers = {.name = "integers", .comparison = COMPARE_INT32_EXACT};
static const struct family floats = {
    .name = "floats", .comparison = COMPARE_FLOAT_FROBENIUS, .tolerance = bound};
static const struct shape shape = {1, {4}};

TEST(integers_are_equal_or_wrong)
{
    const uint32_t reference[] = {1, 2, 3, 0xFFFFFFFF};
    char reason[160] = "";
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

TEST(floats_keep_the_bound)
{
    const double reference[] = {3, 4, 0, 0}; /* norm 5 */
    float result[] = {3, 4, 0.004f, 0};
    char reason[160] = "";
    assert_true(verify(&floats, &shape, result, reference, sizeof result, reason));
    result[2] = 0.006f;
    assert_false(verify(&floats, &shape, result, reference, sizeof result, reason));
    holds(reason, "relative Frobenius error 0.0012; the bound is 0.001");
}

/* The error is told whether it passes or not, and a variant may have a bound of its own. */
TEST(the_error_is_measured)
{
    const double reference[] = {3, 4, 0, 0}; /* norm 5 */
    const float result[] = {3, 4, 0.006f, 0};
    const uint32_t whole[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 5};
    static const struct variant own = {.tolerance = wide_bound}, plain = {.name = "plain"};
    const struct selected wide = {&floats, &own, {.shape = shape}},
                          narrow = {&floats, &plain, {.shape = shape}},
                          whole_numbers = {&integers, &plain, {.shape = shape}};
    struct verified within = {.bound = selected_tolerance(&wide)},
                    beyond = {.bound = selected_tolerance(&narrow)},
                    exact = {.bound = selected_tolerance(&whole_numbers)};
    char reason[160] = "";
    assert_true(within.bound == 2e-3 && beyond.bound == 1e-3 && exact.bound == 0);
    assert_true(verify_within(&floats, result, reference, sizeof result, &within, reason));
    assert_false(verify_within(&floats, result, reference, sizeof result, &beyond, reason));
    assert_true(fabs(within.error - 0.0012) < 1e-9 && beyond.error == within.error);
    assert_true(verify_within(&integers, whole, whole, sizeof whole, &exact, reason));
    assert_true(exact.error == 0);
    assert_false(verify_within(&integers, other, whole, sizeof whole, &exact, reason));
    assert_true(isnan(exact.error));
}

TEST(nothing_that_is_no_number_passes)
{
    const double reference[] = {3, 4, 0, 0}, zeros[4] = {0};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    char reason[160] = "";
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

TEST(bytes_and_bits_are_equal_or_wrong)
{
    static const struct family bytes = {.name = "bytes", .comparison = COMPARE_BYTES_EXACT},
                               bits = {.name = "bits", .comparison = COMPARE_BITS_EXACT};
    const unsigned char reference[] = {1, 2, 255}, wrong[] = {1, 2, 254};
    const double zero = 0, negative = -0.0;
    char reason[160] = "";
    assert_true(verify(&bytes, &shape, reference, reference, 3, reason));
    assert_false(verify(&bytes, &shape, wrong, reference, 3, reason));
    assert_string_equal(reason, "element 2 is 254; expected 255");
    assert_true(verify(&bits, &shape, &zero, &zero, sizeof zero, reason));
    assert_false(verify(&bits, &shape, &negative, &zero, sizeof zero, reason));
    assert_string_equal(reason, "byte 7 is 0x80; expected 0x00");
    assert_int_equal(reference_bytes(&bytes, 12), 12);
}

/* 1, -2, the largest half and the smallest; the same in bfloat16 if it can hold them. */
TEST(other_floats_keep_the_bound)
{
    static const struct family half = {.name = "half",
                                       .comparison = COMPARE_HALF_FROBENIUS,
                                       .tolerance = bound},
                               bfloat16 = {.name = "bfloat16",
                                           .comparison = COMPARE_BFLOAT16_FROBENIUS,
                                           .tolerance = bound},
                               doubles = {.name = "double",
                                          .comparison = COMPARE_DOUBLE_FROBENIUS,
                                          .tolerance = bound};
    const uint16_t halves[] = {0x3C00, 0xC000, 0x7BFF, 0x0001}, infinite[] = {0x7C00, 0, 0, 0},
                   none[] = {0x7E00, 0, 0, 0}, brains[] = {0x3F80, 0xC000, 0x4780, 0};
    const double of_halves[] = {1, -2, 65504, 0x1p-24}, of_brains[] = {1, -2, 65536, 0},
                 zeros[4] = {0};
    char reason[160] = "";
    assert_true(verify(&half, &shape, halves, of_halves, sizeof halves, reason));
    assert_false(verify(&half, &shape, infinite, of_halves, sizeof infinite, reason));
    assert_false(verify(&half, &shape, none, of_halves, sizeof none, reason));
    assert_true(verify(&bfloat16, &shape, brains, of_brains, sizeof brains, reason));
    assert_false(verify(&bfloat16, &shape, halves, of_brains, sizeof halves, reason));
    assert_true(verify(&doubles, &shape, of_brains, of_brains, sizeof of_brains, reason));
    assert_false(verify(&doubles, &shape, zeros, of_brains, sizeof of_brains, reason));
    assert_int_equal(reference_bytes(&half, 8), 32);
    assert_int_equal(reference_bytes(&floats, 8), 16);
    assert_int_equal(reference_bytes(&doubles, 8), 8);
}

TEST(a_comparison_that_there_is_not_passes_nothing)
{
    const struct family neither = {.name = "neither", .comparison = (enum comparison)77};
    const uint32_t reference[] = {1, 2, 3, 4};
    char reason[160] = "";
    assert_false(verify(&neither, &shape, reference, reference, sizeof reference, reason));
    assert_string_equal(reason, "the family sets no .comparison");
}

RUN_TESTS(NULL, NULL)
