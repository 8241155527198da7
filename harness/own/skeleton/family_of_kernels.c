/*
 * The problem that the kernels solve, and how their results are checked. A sentence with TODO says
 * where your problem must be described; until then the results count as wrong. kernel.cuh is a copy
 * of @FILE@; edit the kernels there. kernels/README.md of whyfast explains every field, also the
 * optional ones.
 */
#include "catalog/random.h"
#include "catalog/variant.h"

enum { INPUTS = @INPUTS@ };

/* TODO: the number of elements; MxN has dim[0] and dim[1], MxNxK also dim[2]. */
static uint64_t elements(const struct shape *shape)
{
    return shape->dim[0];
}

/* TODO: the bytes of input 0, 1 or 2. */
static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return elements(shape) * sizeof(float);
}

/* TODO: the bytes of the output. */
static size_t output_bytes(const struct shape *shape)
{
    return elements(shape) * sizeof(float);
}

/* TODO: the bytes of a further array that kernels write, or 0. */
static size_t scratch_bytes(const struct shape *shape)
{
    return elements(shape) * sizeof(float);
}

/* TODO: the least traffic that the problem needs, in bytes. */
static double useful_bytes(const struct shape *shape)
{
    return (INPUTS + 1.0) * sizeof(float) * (double)elements(shape);
}

/* TODO: the least arithmetic that the problem needs, in operations. */
static double useful_operations(const struct shape *shape)
{
    return (double)elements(shape);
}

/* TODO: random inputs of your types. */
static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    for (int k = 0; k < INPUTS; k++)
        for (uint64_t i = 0; i < elements(shape); i++)
            ((float *)input[k])[i] = random_fraction(seed + (uint64_t)k, i);
}

/* TODO: compute the expected output on the CPU: doubles for the approximate comparisons, else the
 * output's own type. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    double *expected = output;
    (void)input;
    for (uint64_t i = 0; i < elements(shape); i++) expected[i] = 0;
}

/* TODO: the relative error to accept. */
static double tolerance(const struct shape *shape)
{
    (void)shape;
    return 1e-5;
}

/* The comparisons (enum comparison in catalog/variant.h):
 *   COMPARE_BYTES_EXACT, COMPARE_INT32_EXACT, COMPARE_BITS_EXACT (any type, byte by byte): the
 *     reference has the output's type, and .tolerance is not needed.
 *   COMPARE_HALF_FROBENIUS, COMPARE_BFLOAT16_FROBENIUS, COMPARE_FLOAT_FROBENIUS,
 *   COMPARE_DOUBLE_FROBENIUS: the reference is in doubles, and .tolerance is the relative error. */
const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "@FAMILY@",                           /* TODO: a few words for headings */
    .problem = "The problem of @FILE@.",           /* TODO: one or two sentences */
    .rank = 1,                                     /* TODO: the dimensions of a size */
    .sizes = {"1048576", "16777216"},              /* TODO: the sizes to be measured */
    .input_count = INPUTS,                         /* TODO: the input arrays, at most 3 */
    .comparison = COMPARE_FLOAT_FROBENIUS,         /* TODO: one of those above */
    .useful_bytes_text = "each array passed once", /* TODO: useful_bytes in words */
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
};
