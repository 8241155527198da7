/*
 * Compares a result with its reference. Nothing is owned.
 */
#ifndef WHYFAST_VERIFY_H
#define WHYFAST_VERIFY_H

#include <stddef.h>

#include "catalog/variant.h"

size_t reference_bytes(const struct family *family, size_t output_bytes);

/* The relative error of a result, and the largest one that is accepted: both 0 of a right result
 * if the comparison is exact. */
struct verified {
    double error, bound;
};

/* Compares `bytes` bytes of result and reference by the family's comparison
 * (catalog/variant.h), within verified->bound if it is approximate. Returns 1 if the result is
 * right, else 0 with the reason in `reason`. Errors are accumulated in double; NaN never passes.
 * Sets verified->error, to NaN if an exact comparison fails. */
int verify_within(const struct family *family, const void *result, const void *reference,
                  size_t bytes, struct verified *verified, char reason[160]);

/* The same within the family's own bound. */
int verify(const struct family *family, const struct shape *shape, const void *result,
           const void *reference, size_t bytes, char reason[160]);

#endif
