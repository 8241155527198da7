/*
 * Defines a family for tests: sums of matrices that warps read from shared memory. The rungs differ
 * in the distance of the rows there.
 */
#include "matrices.h"

#include "catalog/random.h"

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return (size_t)shape->dim[0] * MATRICES_WORDS * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    return (size_t)shape->dim[0] * MATRICES_BLOCK * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)input_bytes(shape, 0) + (double)output_bytes(shape);
}

/* Each warp of a block sums all words in each round. */
static double useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0] * MATRICES_WORDS * (MATRICES_BLOCK / 32) * MATRICES_ROUNDS;
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < shape->dim[0] * MATRICES_WORDS; i++) word[i] = random_word(seed, i);
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    for (uint64_t block = 0; block < shape->dim[0]; block++) {
        const uint32_t *word = (const uint32_t *)input[0] + block * MATRICES_WORDS;
        uint32_t *out = (uint32_t *)output + block * MATRICES_BLOCK, sum[32] = {0};
        for (int row = 0; row < MATRICES_ROWS; row++)
            for (int column = 0; column < MATRICES_COLUMNS; column++)
                sum[row % 8 * 4 + column % 4] += word[row * MATRICES_COLUMNS + column];
        for (int t = 0; t < MATRICES_BLOCK; t++) out[t] = MATRICES_ROUNDS * sum[t % 32];
    }
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Planted causes: matrices",
    .problem = "Each warp of a block sums the block's 2048 words 16 times; a lane sums every "
               "eighth row and every fourth column. The second rung differs from the first in one "
               "thing that costs time, and is named after it.",
    .sizes = {"4096"},
    .useful_bytes_text =
        "8192 bytes for each block, read once, and 4 bytes for each of its 256 threads",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .useful_bytes = useful_bytes,
    .fill = fill,
};
