/*
 * Defines a family for tests: pairs of kernels that differ in one thing, and pairs that do not.
 */
#include "others.h"

#include "catalog/random.h"

static uint64_t outputs_of(const struct shape *shape)
{
    return shape->dim[0];
}

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return shape->dim[0] * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    return outputs_of(shape) * sizeof(uint32_t);
}

static size_t scratch_bytes(const struct shape *shape)
{
    return outputs_of(shape) * OTHERS_WORDS_EACH * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return 2.0 * (double)output_bytes(shape);
}

/* The products of 64 columns of 32 (others_columns). */
static double useful_operations(const struct shape *shape)
{
    return (double)outputs_of(shape) * 64 * 32 * 2;
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0];
    for (uint64_t i = 0; i < outputs_of(shape); i++) word[i] = random_word(seed, i);
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *in = input[0];
    uint32_t *out = output;
    for (uint64_t i = 0; i < outputs_of(shape); i++) out[i] = OTHERS_HASH(in[i]);
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Other planted causes",
    .problem = "A hash of each word. The rungs come in pairs: the second "
               "differs from the first in one thing, after which it is named, or in nothing.",
    .rank = 1,
    .sizes = {"1048576"},
    .primary_size = "1048576",
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .useful_bytes_text = "4 bytes for each output, read once, and 4 bytes written",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = fill,
    .reference = reference,
};
