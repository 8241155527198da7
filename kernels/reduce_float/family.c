/*
 * Defines the float32 reduction, the sum of n floats in [0, 1): the problem, its inputs, its
 * float64 reference and its useful traffic.
 */
#include <math.h>

#include "cub_sum.h"
#include "words.h"
#include "reduce_float.h"

static size_t scratch_bytes(const struct shape *shape)
{
    const size_t own = 2 * reduce_float_partials(shape->dim[0]) * sizeof(float);
    return own > CUB_SCRATCH_BYTES ? own : CUB_SCRATCH_BYTES;
}

static double useful_bytes(const struct shape *shape)
{
    return ((double)shape->dim[0] + 1) * sizeof(float);
}

static double useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0] - 1;
}

/* Twice the error bound of a summation tree over n terms of one sign, u log2 n with u = 2^-24 (N.
 * Higham, The Accuracy of Floating Point Summation, 1993). The chains of many threads are longer,
 * but their errors have both signs and average out. */
static double tolerance(const struct shape *shape)
{
    return 0x1p-23 * (1 + log2((double)shape->dim[0]));
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    float *value = input[0];
    for (uint64_t i = 0; i < shape->dim[0]; i++)
        value[i] = seed == SEED_OF_ONES ? 1 : random_fraction(seed, i);
}

/* A float holds integers up to 2^24, and their multiples by a power of two. All rungs add up parts
 * of equal lengths, powers of two, of an input that is whole blocks of the source. */
static int ones_are_exact(const struct shape *shape)
{
    const uint64_t n = shape->dim[0];
    return n <= 1 << 24 || (n % GROUP_ELEMENTS == 0 && n <= 1 << 30);
}

/* Multiples of 2^-24 below 1: up to 2^29 of them add up in float64 without rounding. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    const float *value = input[0];
    double sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += (double)value[i];
    *(double *)output = sum;
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Sum of 32-bit floats",
    .problem = "Add up n floats. As with integers, the time is at best the time to read them; but "
               "float additions round, so their order matters, and no instruction sums a warp of "
               "floats. A result is right within twice the error bound of a summation tree, 2^-23 "
               "(1 + log2 n) of the float64 sum.",
    .rank = 1,
    .sizes = {"4194304", "16777216", "67108864", "134217728", "536870912"},
    .primary_size = "134217728",
    .blocks = {256},
    .block_preset = 256,
    .input_count = 1,
    .comparison = COMPARE_FLOAT_FROBENIUS,
    .useful_bytes_text = "4 bytes for each element, read once, and 4 bytes for the sum",
    .input_bytes = words_input_bytes,
    .output_bytes = word_output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
    .ones_are_exact = ones_are_exact,
};
