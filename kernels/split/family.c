/*
 * Defines the family that compares one kernel with two for work whose parts differ in parallelism:
 * n words are advanced independently, and then folded into 512 chains. This file holds the
 * problem, its inputs, the CPU reference and the useful traffic.
 */
#include "split.h"
#include "words.h"

static size_t words(const struct shape *shape)
{
    return (size_t)shape->dim[0] * sizeof(uint32_t);
}

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return words(shape);
}

static size_t output_bytes(const struct shape *shape)
{
    (void)shape;
    return SPLIT_CHAINS * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)words(shape) + (double)output_bytes(shape);
}

/* A step has a multiplication, an addition, a shift and an exclusive or; a fold has one more. */
static double useful_operations(const struct shape *shape)
{
    return (4 * (double)shape->dim[1] + 5) * (double)shape->dim[0];
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *in = input[0];
    uint32_t *chain = output;
    for (int c = 0; c < SPLIT_CHAINS; c++) chain[c] = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++)
        chain[i % SPLIT_CHAINS] =
            split_fold(chain[i % SPLIT_CHAINS], split_advance(in[i], (unsigned)shape->dim[1]));
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "A wide and a narrow part",
    .problem =
        "Each of n words goes through r rounds of a generator, independently of the others; a size "
        "is n x r. Then chain c of 512 combines words c, c + 512, c + 1024 and so on, in this "
        "order, and each step needs the result of the step before (modulo 2^32). The first part "
        "can use as many threads as there are words, the second only 512.",
    .rank = 2,
    .sizes = {"1048576x1", "1048576x2", "1048576x64"},
    .primary_size = "1048576x64",
    .blocks = {SPLIT_WIDE_BLOCK},
    .block_preset = SPLIT_WIDE_BLOCK,
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .operations_per_lane = 2,
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes for each chain",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = words,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = words_fill,
    .reference = reference,
};
