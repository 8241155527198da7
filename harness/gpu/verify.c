#include "gpu/verify.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static int verify_int32(const uint32_t *result, const uint32_t *reference, size_t count,
                        char reason[160])
{
    for (size_t i = 0; i < count; i++) {
        if (result[i] == reference[i]) continue;
        snprintf(reason, 160, "element %zu is %u; expected %u", i, result[i], reference[i]);
        return 0;
    }
    return 1;
}

static int verify_frobenius(const float *result, const double *reference, size_t count,
                            double bound, char reason[160])
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)result[i] - reference[i];
        difference += d * d;
        norm += reference[i] * reference[i];
    }
    const double relative = sqrt(difference) / sqrt(norm);
    if (relative <= bound) return 1; /* false for NaN */
    snprintf(reason, 160, "relative Frobenius error %.3g; the bound is %.3g", relative, bound);
    return 0;
}

int verify(const struct family *family, const struct shape *shape, const void *result,
           const void *reference, size_t bytes, char reason[160])
{
    switch (family->comparison) {
    case COMPARE_INT32_EXACT:
        return verify_int32(result, reference, bytes / sizeof(uint32_t), reason);
    case COMPARE_FLOAT_FROBENIUS:
        return verify_frobenius(result, reference, bytes / sizeof(float), family->tolerance(shape),
                                reason);
    }
    snprintf(reason, 160, "the family names no comparison");
    return 0;
}
