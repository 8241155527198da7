#include "catalog/verify.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t element_bytes(enum comparison comparison)
{
    switch (comparison) {
    case COMPARE_HALF_FROBENIUS:
    case COMPARE_BFLOAT16_FROBENIUS: return 2;
    case COMPARE_INT32_EXACT:
    case COMPARE_FLOAT_FROBENIUS: return 4;
    case COMPARE_DOUBLE_FROBENIUS: return 8;
    default: return 1;
    }
}

size_t reference_bytes(const struct family *family, size_t output_bytes)
{
    if (!comparison_is_approximate(family->comparison)) return output_bytes;
    return output_bytes / element_bytes(family->comparison) * sizeof(double);
}

static int verify_exact(const void *result, const void *reference, size_t count, size_t bytes,
                        const char *format, char reason[160])
{
    const unsigned char *got = result, *expected = reference;
    if (!memcmp(result, reference, count * bytes)) return 1;
    for (size_t i = 0; i < count; i++, got += bytes, expected += bytes) {
        uint32_t x = *got, y = *expected;
        if (!memcmp(got, expected, bytes)) continue;
        if (bytes == sizeof x) memcpy(&x, got, bytes), memcpy(&y, expected, bytes);
        snprintf(reason, 160, format, i, x, y);
        return 0;
    }
    return 1;
}

/* IEEE 754 binary16: 5 bits of exponent, 10 of mantissa. */
static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double magnitude = exponent == 31 ? mantissa ? NAN : INFINITY
                             : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                            : ldexp(mantissa, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

/* The upper half of a float. */
static double bfloat16_value(uint16_t bits)
{
    const uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double element_value(enum comparison comparison, const void *result, size_t i)
{
    switch (comparison) {
    case COMPARE_HALF_FROBENIUS: return half_value(((const uint16_t *)result)[i]);
    case COMPARE_BFLOAT16_FROBENIUS: return bfloat16_value(((const uint16_t *)result)[i]);
    case COMPARE_DOUBLE_FROBENIUS: return ((const double *)result)[i];
    default: return ((const float *)result)[i];
    }
}

static int verify_frobenius(enum comparison comparison, const void *result, const double *reference,
                            size_t count, struct verified *verified, char reason[160])
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = element_value(comparison, result, i) - reference[i];
        difference += d * d;
        norm += reference[i] * reference[i];
    }
    verified->error = sqrt(difference) / sqrt(norm);
    if (verified->error <= verified->bound) return 1; /* false for NaN */
    snprintf(reason, 160, "relative Frobenius error %.3g; the bound is %.3g", verified->error,
             verified->bound);
    return 0;
}

int verify_within(const struct family *family, const void *result, const void *reference,
                  size_t bytes, struct verified *verified, char reason[160])
{
    const enum comparison comparison = family->comparison;
    const size_t element = element_bytes(comparison), count = bytes / element;
    const char *format = comparison == COMPARE_BITS_EXACT ? "byte %zu is 0x%02x; expected 0x%02x"
                                                          : "element %zu is %u; expected %u";
    if (comparison_is_approximate(comparison) && comparison < COMPARISON_COUNT)
        return verify_frobenius(comparison, result, reference, count, verified, reason);
    int right = 0;
    if (comparison == COMPARE_BITS_EXACT || comparison == COMPARE_BYTES_EXACT ||
        comparison == COMPARE_INT32_EXACT)
        right = verify_exact(result, reference, count, element, format, reason);
    else
        snprintf(reason, 160, "the family sets no .comparison");
    verified->error = right ? 0 : NAN;
    return right;
}

int verify(const struct family *family, const struct shape *shape, const void *result,
           const void *reference, size_t bytes, char reason[160])
{
    struct verified verified = {0};
    if (family->tolerance) verified.bound = family->tolerance(shape);
    return verify_within(family, result, reference, bytes, &verified, reason);
}
