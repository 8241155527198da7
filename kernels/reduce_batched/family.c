/*
 * Defines the batched float32 reduction: the sums of B batches of L floats in [0, 1), one after
 * another in memory; the problem, its inputs, its float64 reference and its useful traffic.
 */
#include <math.h>

#include "cub_sum.h"
#include "cublas.h"
#include "catalog/random.h"
#include "catalog/variant.h"

_Static_assert(CUB_SCRATCH_BYTES <= CUBLAS_WORKSPACE_BYTES,
               "the scratch buffer serves either library");

static size_t elements(const struct shape *shape)
{
    return (size_t)(shape->dim[0] * shape->dim[1]);
}

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return elements(shape) * sizeof(float);
}

static size_t output_bytes(const struct shape *shape)
{
    return (size_t)shape->dim[0] * sizeof(float);
}

static size_t scratch_bytes(const struct shape *shape)
{
    (void)shape;
    return CUBLAS_WORKSPACE_BYTES;
}

static double useful_bytes(const struct shape *shape)
{
    return ((double)elements(shape) + (double)shape->dim[0]) * sizeof(float);
}

static double useful_operations(const struct shape *shape)
{
    return (double)elements(shape) - (double)shape->dim[0];
}

/* Same bound as for one sum of L floats: twice u log2 L, u = 2^-24 (N. Higham, The Accuracy of
 * Floating Point Summation, 1993). */
static double tolerance(const struct shape *shape)
{
    return 0x1p-23 * (1 + log2((double)shape->dim[1]));
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    float *value = input[0];
    const uint64_t count = elements(shape);
    for (uint64_t i = 0; i < count; i++)
        value[i] = seed == SEED_OF_ONES ? 1 : random_fraction(seed, i);
}

/* A float holds integers up to 2^24. */
static int ones_are_exact(const struct shape *shape)
{
    return shape->dim[1] <= 1 << 24;
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const float *value = input[0];
    double *sum = output;
    for (uint64_t b = 0; b < shape->dim[0]; b++) {
        sum[b] = 0;
        for (uint64_t i = 0; i < shape->dim[1]; i++) sum[b] += (double)value[b * shape->dim[1] + i];
    }
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Batched sums of 32-bit floats",
    .problem = "Add up each of B batches of L floats; a size is written BxL. Batches are "
               "independent, so a block can take one and never waits for another block. A result "
               "is right within 2^-23 (1 + log2 L) of the float64 sums.",
    .rank = 2,
    .sizes = {"2048x262144"},
    .blocks = {256},
    .block_preset = 256,
    .input_count = 1,
    .comparison = COMPARE_FLOAT_FROBENIUS,
    .useful_bytes_text = "4 bytes for each element, read once, and 4 bytes for each sum",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
    .ones_are_exact = ones_are_exact,
};
