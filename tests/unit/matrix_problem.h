/*
 * Fills the inputs of a matrix product and computes its reference.
 */
#ifndef TESTS_UNIT_MATRIX_PROBLEM_H
#define TESTS_UNIT_MATRIX_PROBLEM_H

#include "fixture.h"

#include "catalog/registry.h"

static inline struct shape shape_of(uint64_t m, uint64_t n, uint64_t k)
{
    return (struct shape){3, {m, n, k}};
}

/* Computes inputs and reference; the caller frees all three. The reference is poisoned first, so
 * that no code can rely on old contents. */
static inline void prepare(const struct family *family, const struct shape *shape,
                           void *input[INPUT_COUNT], double **reference)
{
    const size_t bytes = 2 * family->output_bytes(shape);
    for (int i = 0; i < INPUT_COUNT; i++)
        input[i] = i < family->input_count ? malloc(family->input_bytes(shape, i)) : NULL;
    *reference = malloc(bytes);
    memset(*reference, 0xFF, bytes);
    family->fill(shape, 7, input);
    family->reference(shape, input, *reference);
}

static inline void discard(void *input[INPUT_COUNT], double *reference)
{
    for (int i = 0; i < INPUT_COUNT; i++) free(input[i]);
    free(reference);
}

#endif
