/*
 * Defines a family for tests: words of a symmetric matrix, each advanced by 128 steps of one of two
 * generators. Rungs come in pairs that differ in one thing.
 */
#include "causes.h"

#include "words.h"

/* One jump. */
static double useful_operations(const struct shape *shape)
{
    return 2.0 * (double)shape->dim[0];
}

/* Symmetric, with the highest bit as on a chessboard of tiles. If no rung can run because there is
 * no such matrix, the words are simply random. */
static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    const uint64_t n = shape->dim[0], side = causes_side(n);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t row = i / side, column = i % side;
        const uint64_t mirrored = column * side + row;
        const uint32_t odd = (uint32_t)(row / CAUSES_TILE + column / CAUSES_TILE) & 1;
        word[i] = random_word(seed, i < mirrored ? i : mirrored) >> 1 | odd << 31;
    }
}

/* Step by step, 32 words at a time. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    enum { GROUP = 32 };
    const uint32_t *in = input[0];
    uint32_t *out = output;
    const uint64_t n = shape->dim[0];
    for (uint64_t first = 0; first < n; first += GROUP) {
        const uint64_t count = n - first < GROUP ? n - first : GROUP;
        uint32_t word[GROUP] = {0}, increment[GROUP] = {0}, multiplier[GROUP] = {0};
        for (uint64_t i = 0; i < count; i++) {
            const struct causes_generator *generator = &causes_generators[in[first + i] >> 31];
            word[i] = in[first + i];
            increment[i] = generator->increment;
            multiplier[i] = generator->multiplier;
        }
        for (int step = 0; step < CAUSES_STEPS; step++)
            for (int i = 0; i < GROUP; i++) word[i] = word[i] * multiplier[i] + increment[i];
        for (uint64_t i = 0; i < count; i++) out[first + i] = word[i];
    }
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Planted causes",
    .problem =
        "Each word of a symmetric matrix is advanced by 128 steps of a random number generator, "
        "one of two according to the word's highest bit. The rungs come in pairs: the second "
        "differs from the first in one thing that costs time, and is named after it.",
    .sizes = {"16777216"},
    .primary_size = "16777216",
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes written",
    .input_bytes = words_input_bytes,
    .output_bytes = words_output_bytes,
    .useful_bytes = words_useful_bytes,
    .fill = fill,
};
