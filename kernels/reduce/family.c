/*
 * The reduction family: the sum of n 32-bit integers, modulo 2^32. The problem, its inputs, its CPU reference and what traffic is useful.
 */
#include "random.h"
#include "reduce.h"

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
    const size_t own = 2 * (size_t)reduce_partials(shape->dim[0]) * sizeof(uint32_t);
    return own > REDUCE_LIBRARY_BYTES ? own : REDUCE_LIBRARY_BYTES;
}

/* Each element is read once and one sum is written; partial sums are an implementation's own traffic and count for nothing. */
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
    .title = "Sum of 32-bit integers",
    .problem = "Add up n integers. Each is read once and used once, so the time is at best the time to read them from device memory: "
               "the measure of a rung is how close it comes to the bandwidth of the memory.",
    .rank = 1,
    .sizes = {"65536", "4194304", "16777216", "67108864", "134217728", "536870912"},
    .blocks = {128, 256},
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
