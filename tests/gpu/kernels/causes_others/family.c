/*
 * Defines a family for tests: pairs of kernels that differ in one thing, and pairs that do not.
 */
#include "others.h"

#include "words.h"

static size_t scratch_bytes(const struct shape *shape)
{
    return shape->dim[0] * OTHERS_WORDS_EACH * sizeof(uint32_t);
}

/* The products of 64 columns of 32 (others_columns). */
static double useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0] * 64 * 32 * 2;
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *in = input[0];
    uint32_t *out = output;
    for (uint64_t i = 0; i < shape->dim[0]; i++) out[i] = OTHERS_HASH(in[i]);
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Other planted causes",
    .problem = "A hash of each word. The rungs come in pairs: the second "
               "differs from the first in one thing, after which it is named, or in nothing.",
    .sizes = {"1048576"},
    .primary_size = "1048576",
    .useful_bytes_text = "4 bytes for each output, read once, and 4 bytes written",
    .input_bytes = words_input_bytes,
    .output_bytes = words_output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = words_useful_bytes,
    .fill = words_fill,
};
