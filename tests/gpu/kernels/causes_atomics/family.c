/*
 * Defines a family for tests: a sum by atomic additions. Rungs come in pairs that differ in the
 * addresses of these.
 */
#include "atomics.h"
#include "words.h"

static size_t scratch_bytes(const struct shape *shape)
{
    return (size_t)atomics_targets(shape->dim[0]) * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)words_input_bytes(shape, 0) + (double)word_output_bytes(shape);
}

/* Eight additions for each word, and seven multiplications and additions for the numbers. */
static double useful_operations(const struct shape *shape)
{
    return (3.0 * ATOMICS_NUMBERS - 2) * (double)shape->dim[0];
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) {
        uint32_t number = word[i];
        for (int j = 0; j < ATOMICS_NUMBERS; j++) {
            sum += number;
            number = ATOMICS_NEXT(number);
        }
    }
    *(uint32_t *)output = sum;
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Planted causes: atomic additions",
    .problem = "The sum, modulo 2^32, of all words and of seven further numbers that a random "
               "number generator makes of each. Rungs come in pairs that differ in the addresses "
               "of atomic additions, and are named after the effect.",
    .sizes = {"16777216"},
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes written",
    .input_bytes = words_input_bytes,
    .output_bytes = word_output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .fill = words_fill,
};
