/*
 * Defines the problem of families that add up n random 32-bit integers modulo 2^32: sizes, useful
 * traffic, inputs and CPU reference for struct family. Nothing is owned.
 */
#ifndef WHYFAST_INTEGER_SUM_H
#define WHYFAST_INTEGER_SUM_H

#include "catalog/random.h"
#include "catalog/variant.h"

static inline size_t integer_sum_input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return (size_t)shape->dim[0] * sizeof(uint32_t);
}

static inline size_t integer_sum_output_bytes(const struct shape *shape)
{
    (void)shape;
    return sizeof(uint32_t);
}

/* Each element is read once and one sum is written; partial sums do not count. */
static inline double integer_sum_useful_bytes(const struct shape *shape)
{
    return ((double)shape->dim[0] + 1) * sizeof(uint32_t);
}

static inline double integer_sum_useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0] - 1;
}

static inline void integer_sum_fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < shape->dim[0]; i++) word[i] = random_word(seed, i);
}

/* Unsigned, because the sum wraps around. */
static inline void integer_sum_reference(const struct shape *shape, void *const *input,
                                         void *output)
{
    const uint32_t *word = input[0];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += word[i];
    *(uint32_t *)output = sum;
}

#endif
