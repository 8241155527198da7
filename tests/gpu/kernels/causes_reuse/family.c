/*
 * Defines a family for tests: sums of words that do not fit into the L2 cache, each read twice. The
 * rungs differ in the order of the reads.
 */
#include "reuse.h"
#include "words.h"

enum { THREADS = 1 << REUSE_LOG2_THREADS };

static size_t output_bytes(const struct shape *shape)
{
    (void)shape;
    return THREADS * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)words_input_bytes(shape, 0) + (double)output_bytes(shape);
}

static double useful_operations(const struct shape *shape)
{
    return 2.0 * (double)shape->dim[0];
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t *sum = output;
    for (uint64_t t = 0; t < THREADS; t++) sum[t] = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum[i % THREADS] += 2 * word[i];
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Planted causes: reuse",
    .problem = "Each of 262144 threads sums its words, and each word twice. The second rung "
               "differs from the first in the order of the reads, and is named after its effect.",
    .sizes = {"134217728"},
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes for each sum",
    .input_bytes = words_input_bytes,
    .output_bytes = output_bytes,
    .useful_bytes = useful_bytes,
    .fill = words_fill,
};
