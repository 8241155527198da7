/*
 * The problem, and how its results are checked: here z = 2 x + y for n floats. For another
 * problem change what has a number. If its sizes have two or three dimensions, also change
 * elements(), .rank and .sizes. kernels/README.md of whyfast explains every field, also the
 * optional ones.
 */
#include "catalog/random.h"
#include "catalog/variant.h"

enum { INPUTS = 2 };   /* the arrays that kernels read, at most 3 */
typedef float element; /* 1: the type of what arrays hold; _Float16 for halves */

/* The n of a size such as "16777216"; MxN has dim[0] and dim[1], MxNxK also dim[2]. */
static uint64_t elements(const struct shape *shape)
{
    return shape->dim[0];
}

/* The bytes of input 0, 1 or 2. */
static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index; /* all inputs are equally long */
    return elements(shape) * sizeof(element);
}

static size_t output_bytes(const struct shape *shape)
{
    return elements(shape) * sizeof(element);
}

/* The bytes of work->scratch, for what kernels write besides the output, or 0. */
static size_t scratch_bytes(const struct shape *shape)
{
    return elements(shape) * sizeof(element);
}

/* The least traffic that the problem needs: speeds are given in useful bytes per second. */
static double useful_bytes(const struct shape *shape)
{
    return (INPUTS + 1.0) * sizeof(element) * (double)elements(shape);
}

/* The least arithmetic that the problem needs. */
static double useful_operations(const struct shape *shape)
{
    return 2.0 * (double)elements(shape); /* 2: the operations */
}

/* Fills the inputs with random values, which depend only on the seed. A bfloat16 is the upper 16
 * bits of a float. */
_Static_assert((element)0.5 != 0, "random_fraction is 0 in integers: use random_word below");
static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    for (int k = 0; k < INPUTS; k++)
        for (uint64_t i = 0; i < elements(shape); i++)
            ((element *)input[k])[i] = (element)random_fraction(seed + (uint64_t)k, i);
}

/* Computes the expected output on the CPU: doubles for the approximate comparisons, else the
 * output's own type. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    const element *x = input[0], *y = input[INPUTS - 1];
    double *z = output;
    for (uint64_t i = 0; i < elements(shape); i++) /* 3: the results */
        z[i] = 2.0 * (double)x[i] + (double)y[i];
}

/* The relative error to accept. */
static double tolerance(const struct shape *shape)
{
    (void)shape;
    return 1e-6;
}

/* The comparisons (enum comparison in catalog/variant.h):
 *   COMPARE_BYTES_EXACT, COMPARE_INT32_EXACT, COMPARE_BITS_EXACT (any type, byte by byte): the
 *     reference has the output's type, and .tolerance is not needed.
 *   COMPARE_HALF_FROBENIUS, COMPARE_BFLOAT16_FROBENIUS, COMPARE_FLOAT_FROBENIUS,
 *   COMPARE_DOUBLE_FROBENIUS: the reference is in doubles, and .tolerance is the relative error. */
const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Scaled sum of two vectors",
    .problem = "Compute z = 2 x + y for vectors of floats.",
    .rank = 1, /* dimensions of a size */
    .sizes = {"1048576", "16777216"},
    .input_count = INPUTS,
    .comparison = COMPARE_FLOAT_FROBENIUS, /* 4: one of those above; see also tolerance() */
    .useful_bytes_text = "each array passed once",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
};
