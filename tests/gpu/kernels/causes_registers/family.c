/*
 * Defines a family for tests: repeated multiply-adds of small whole numbers. The rungs differ in
 * the registers of the operands.
 */
#include "multiply_adds.h"

#include "words.h"

static double useful_bytes(const struct shape *shape)
{
    return 4.0 * (double)words_input_bytes(shape, 0);
}

static double useful_operations(const struct shape *shape)
{
    return 2.0 * ADDS_ROUNDS * (double)shape->dim[0];
}

/* Sums stay below 2^20 + 4096 x 15 x 15 < 2^24. */
static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    float *start = input[0], *first = input[1], *second = input[2];
    const uint64_t n = shape->dim[0];
    for (uint64_t i = 0; i < n; i++) {
        start[i] = (float)(random_word(seed, i) >> 12);
        first[i] = (float)(random_word(seed, n + i) >> 28);
        second[i] = (float)(random_word(seed, 2 * n + i / 2) >> 28);
    }
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const float *start = input[0], *first = input[1], *second = input[2];
    float *out = output;
    for (uint64_t i = 0; i < shape->dim[0]; i++)
        out[i] = start[i] + ADDS_ROUNDS / 2 * (first[i & ~1ull] + first[i | 1]) * second[i];
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Planted causes: registers",
    .problem = "To each sum two products of small whole numbers are added in turn, each 2048 "
               "times, in single precision. The second rung differs from the first in the "
               "registers of the operands, and is named after its effect.",
    .rank = 1,
    .sizes = {"4194304"},
    .input_count = 3,
    .comparison = COMPARE_BITS_EXACT,
    .rate = RATE_OPERATIONS,
    .operations_per_lane = 2,
    .useful_bytes_text = "12 bytes for each sum, read once, and 4 bytes written",
    .input_bytes = words_input_bytes,
    .output_bytes = words_output_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = fill,
    .reference = reference,
};
