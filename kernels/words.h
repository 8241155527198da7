/*
 * Provides functions of struct family for problems with n words of four bytes, integers or floats.
 * Nothing is owned. C11, for the families' family.c.
 */
#ifndef KERNELS_WORDS_H
#define KERNELS_WORDS_H

#include "catalog/random.h"
#include "catalog/variant.h"

/* n words, in each input and in the output. */
static inline size_t words_output_bytes(const struct shape *shape)
{
    return (size_t)shape->dim[0] * sizeof(uint32_t);
}

static inline size_t words_input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return words_output_bytes(shape);
}

/* n words are read once and written once. */
static inline double words_useful_bytes(const struct shape *shape)
{
    return 2.0 * (double)words_output_bytes(shape);
}

/* One word. */
static inline size_t word_output_bytes(const struct shape *shape)
{
    (void)shape;
    return sizeof(uint32_t);
}

/* Random integers in the first input. */
static inline void words_fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < shape->dim[0]; i++) word[i] = random_word(seed, i);
}

#endif
