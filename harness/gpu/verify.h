/*
 * Comparators: is a result right? Nothing is owned.
 */
#ifndef WHYFAST_VERIFY_H
#define WHYFAST_VERIFY_H

#include <stddef.h>

#include "catalog/variant.h"

/* Compares `bytes` bytes of result and reference by the family's rule. 1 when right; else 0 with
 * the reason in `reason`. Frobenius: ||result - reference|| / ||reference||, accumulated in
 * double over float32 results and double references; NaN never passes. */
int verify(const struct family *family, const struct shape *shape, const void *result,
           const void *reference, size_t bytes, char reason[160]);

#endif
