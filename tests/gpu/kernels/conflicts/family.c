/*
 * Defines a family for tests: each thread of a block sums the same 1024 words of shared memory, in
 * an order with planted bank conflicts.
 */
#include "catalog/variant.h"

#include "conflicts.h"
#include "catalog/random.h"

static uint64_t blocks_of(const struct shape *shape)
{
    return shape->dim[0];
}

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return blocks_of(shape) * CONFLICT_WORDS * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    return blocks_of(shape) * CONFLICT_THREADS * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)input_bytes(shape, 0) + (double)output_bytes(shape);
}

static double useful_operations(const struct shape *shape)
{
    return (double)blocks_of(shape) * CONFLICT_WORDS * CONFLICT_THREADS;
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < blocks_of(shape) * CONFLICT_WORDS; i++) word[i] = random_word(seed, i);
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t *sum = output;
    for (uint64_t block = 0; block < blocks_of(shape); block++) {
        uint32_t total = 0;
        for (int i = 0; i < CONFLICT_WORDS; i++)
            total += word[block * CONFLICT_WORDS + (uint64_t)i];
        for (int t = 0; t < CONFLICT_THREADS; t++)
            sum[block * CONFLICT_THREADS + (uint64_t)t] = total;
    }
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Planted bank conflicts",
    .problem = "Every thread of a block sums the block's 1024 words, in an order in which the "
               "lanes of a warp conflict as often as the rung's name says.",
    .rank = 1,
    .sizes = {"4096"},
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .useful_bytes_text =
        "4096 bytes for each block, read once, and 4 bytes for each of its 256 threads",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = fill,
    .reference = reference,
};
