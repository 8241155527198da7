/*
 * Defines a family for tests: sums of words that are in the L2 cache. The rungs differ in the
 * alignment of the words.
 */
#include "alignment.h"

#include "catalog/random.h"

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return ((size_t)shape->dim[0] + 1) * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    return (size_t)alignment_threads(shape->dim[0]) * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)input_bytes(shape, 0) + (double)output_bytes(shape);
}

static double useful_operations(const struct shape *shape)
{
    return (double)ALIGNMENT_PASSES * (double)shape->dim[0];
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < shape->dim[0]; i++) word[i] = random_word(seed, i);
    word[shape->dim[0]] = word[0];
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t *sum = output;
    const uint64_t threads = alignment_threads(shape->dim[0]);
    for (uint64_t t = 0; t < threads; t++) {
        sum[t] = 0;
        for (uint64_t k = 0; k < ALIGNMENT_WORDS; k++)
            sum[t] += ALIGNMENT_PASSES * word[t + k * threads];
    }
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Planted causes: alignment",
    .problem = "Each thread sums 16 words 64 times. The second rung differs from the first in the "
               "alignment of the words, and is named after it.",
    .sizes = {"4194304"},
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes for each sum",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .useful_bytes = useful_bytes,
    .fill = fill,
};
