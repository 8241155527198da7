/*
 * Defines a family for tests without a GPU: the sum of some words, by kernels that the CPU runs.
 */
#include <stdlib.h>
#include <string.h>

#include "sums.h"

static size_t input_bytes(const struct shape *shape, int index)
{
    return shape->dim[0] * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    return sizeof(uint32_t);
}

static size_t scratch_bytes(const struct shape *shape)
{
    return SUMS_BLOCKS * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)input_bytes(shape, 0);
}

static double useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0];
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0], state = (uint32_t)seed | 1;
    for (uint64_t i = 0; i < shape->dim[0]; i++) {
        state = state * 1664525u + 1013904223u;
        word[i] = state >> 8;
    }
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += word[i];
    memcpy(output, &sum, sizeof sum);
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Sum of words, on no GPU",
    .problem = "The sum of some words. The kernels run on the CPU and their times are made up: "
               "nothing here is a measurement.",
    .rank = 1,
    .sizes = {"16384", "65536"},
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .rate = RATE_BYTES,
    .useful_bytes_text = "4 bytes for each word",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = fill,
    .reference = reference,
};
