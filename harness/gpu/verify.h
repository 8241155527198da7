/*
 * Compares a result with its reference. Nothing is owned.
 */
#ifndef WHYFAST_VERIFY_H
#define WHYFAST_VERIFY_H

#include <stddef.h>

#include "catalog/variant.h"

/* Returns the size of the reference for an output of `output_bytes` bytes. */
size_t reference_bytes(const struct family *family, size_t output_bytes);

/* Compares `bytes` bytes of result and reference by the family's comparison
 * (catalog/variant.h). Returns 1 if the result is right, else 0 with the reason in `reason`. Errors
 * are accumulated in double; NaN never passes. */
int verify(const struct family *family, const struct shape *shape, const void *result,
           const void *reference, size_t bytes, char reason[160]);

#endif
