/*
 * Defines a family for tests: sums of remainders by powers of two. The rungs differ in how they
 * compute a remainder.
 */
#include "remainders.h"
#include "words.h"

/* A multiplication, an addition, a remainder and the sum. */
static double useful_operations(const struct shape *shape)
{
    return 4.0 * REMAINDERS_STEPS * (double)shape->dim[0];
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *in = input[0];
    uint32_t *out = output;
    for (uint64_t i = 0; i < shape->dim[0]; i++) {
        uint32_t word = in[i], sum = 0;
        for (int step = 1; step <= REMAINDERS_STEPS; step++) {
            word = REMAINDERS_NEXT(word);
            sum += word & ((1u << step) - 1);
        }
        out[i] = sum;
    }
}

const struct family FAMILY = {
    PLANTED_FAMILY,
    .title = "Planted causes: remainders",
    .problem = "Each word is advanced by 30 steps of a random number generator, and its remainders "
               "by growing powers of two are added up. The second rung differs from the first in "
               "how it computes a remainder, and is named after it.",
    .sizes = {"16777216"},
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes written",
    .input_bytes = words_input_bytes,
    .output_bytes = words_output_bytes,
    .useful_bytes = words_useful_bytes,
    .fill = words_fill,
};
