/*
 * Defines the dot product of two vectors of n floats in [0, 1): the problem, its inputs, its
 * float64 reference and its useful traffic.
 */
#include <math.h>

#include "cublas.h"
#include "words.h"
#include "catalog/variant.h"

static size_t scratch_bytes(const struct shape *shape)
{
    (void)shape;
    return CUBLAS_WORKSPACE_BYTES;
}

static double useful_bytes(const struct shape *shape)
{
    return (2 * (double)shape->dim[0] + 1) * sizeof(float);
}

static double useful_operations(const struct shape *shape)
{
    return 2 * (double)shape->dim[0] - 1;
}

/* Twice the error bound of a summation tree over n terms of one sign, u log2 n with u = 2^-24 (N.
 * Higham, The Accuracy of Floating Point Summation, 1993); each product adds one rounding, or none
 * with a fused multiply-add. The second term, u sqrt(m), is for m additions in a row in any order,
 * as when atomics add each warp's sum: their roundings are nearly independent, so the error grows
 * with the square root of their number (N. Higham and T. Mary, A New Approach to Probabilistic
 * Rounding Error Analysis, 2019); for terms of similar size it is about 0.25 u sqrt(m). */
static double tolerance(const struct shape *shape)
{
    const double most_warps = 16384; /* resident on a device at a time: 256 SMs of 64 */
    const double n = (double)shape->dim[0];
    return 0x1p-23 * (2 + log2(n)) + 0x1p-24 * sqrt(fmin(ceil(n / 32), most_warps));
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    float *a = input[0], *b = input[1];
    for (uint64_t i = 0; i < shape->dim[0]; i++) a[i] = random_fraction(seed, i);
    for (uint64_t i = 0; i < shape->dim[0]; i++) b[i] = random_fraction(~seed, i);
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const float *a = input[0], *b = input[1];
    double sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += (double)a[i] * (double)b[i];
    *(double *)output = sum;
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Dot product",
    .problem = "Multiply two vectors of n floats element by element and add up the products. The "
               "loop body is tiny and every byte is used once, so performance depends on how "
               "threads divide the elements. A result is right within 2^-23 (2 + log2 n) + 2^-24 "
               "sqrt(m) of the float64 product; m is the number of sums that atomics may add in a "
               "row: one for each warp, n / 32, and at most 16384.",
    .rank = 1,
    .sizes = {"4194304", "268435456"},
    .blocks = {256},
    .block_preset = 256,
    .input_count = 2,
    .comparison = COMPARE_FLOAT_FROBENIUS,
    .operations_per_lane = 2,
    .useful_bytes_text =
        "4 bytes for each element of both vectors, read once, and 4 bytes for the result",
    .input_bytes = words_input_bytes,
    .output_bytes = word_output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
};
