/*
 * How many threads: the sum of n 32-bit integers again, by a number of threads that is the setting. The problem, its inputs, its CPU reference and what
 * traffic is useful.
 */
#include "random.h"
#include "variant.h"

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return (size_t)shape->dim[0] * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    (void)shape;
    return sizeof(uint32_t);
}

static size_t scratch_bytes(const struct shape *shape)
{
    (void)shape;
    return 0;
}

static double useful_bytes(const struct shape *shape)
{
    return ((double)shape->dim[0] + 1) * sizeof(uint32_t);
}

static double useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0] - 1;
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < shape->dim[0]; i++) word[i] = random_word(seed, i);
}

/* Unsigned, because the sum wraps around and that must be defined. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += word[i];
    *(uint32_t *)output = sum;
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "How many threads",
    .problem = "Add up n integers with P threads: each first sums n / P of them one after the other, then the threads are summed in a tree. Brent's "
               "theorem bounds the time by n / P + log2 n steps; the question is what the device makes of it, from one block to one thread per element.",
    .rank = 1,
    .sizes = {"16777216"},
    .blocks = {256},
    .block_preset = 256,
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .useful_bytes_text = "4 bytes for each element, read once, and 4 bytes for the sum",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = fill,
    .reference = reference,
};
