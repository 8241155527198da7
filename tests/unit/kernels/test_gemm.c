/*
 * Tests the problem of the matrix product: its inputs, its float64 reference, its bound.
 */
#include "prepared.h"

#include "catalog/verify.h"

static const struct family *gemm(void)
{
    return registry_family("gemm");
}

static double float_at(const void *matrix, uint64_t at)
{
    return (double)((const float *)matrix)[at];
}

TEST(the_reference_is_the_product)
{
    check_products(gemm(), float_at, 1e-12L);
}

TEST(inputs_are_of_both_signs_and_the_same_every_time)
{
    const struct shape shape = shape_of(40, 50, 60);
    void *input[INPUT_COUNT], *again[INPUT_COUNT];
    double *reference = prepare(gemm(), &shape, input);
    void *unused = prepare(gemm(), &shape, again);
    for (int i = 0; i < 2; i++) {
        const float *value = input[i];
        const size_t count = gemm()->input_bytes(&shape, i) / sizeof *value;
        double sum = 0, squares = 0;
        for (size_t e = 0; e < count; e++) {
            assert_true(value[e] >= -1 && value[e] < 1);
            sum += (double)value[e];
            squares += (double)value[e] * (double)value[e];
        }
        assert_true(fabs(sum / (double)count) < 0.05);               /* uniform: mean 0 */
        assert_true(fabs(squares / (double)count - 1.0 / 3) < 0.03); /* and variance 1/3 */
        assert_memory_equal(input[i], again[i], gemm()->input_bytes(&shape, i));
    }
    assert_memory_not_equal(input[0], input[1], gemm()->input_bytes(&shape, 0));
    gemm()->fill(&shape, 8, again);
    assert_memory_not_equal(input[0], again[0], gemm()->input_bytes(&shape, 0));
    discard(input, reference);
    discard(again, unused);
}

/* A sum in float passes in either order; a product without its last step in K does not. */
TEST(the_bound_takes_rounding_and_no_missing_step)
{
    enum { SIDE = 64, DEPTH = 2000 };
    const struct shape shape = shape_of(SIDE, SIDE, DEPTH);
    void *input[INPUT_COUNT];
    static float forward[SIDE * SIDE], backward[SIDE * SIDE], shorter[SIDE * SIDE];
    char reason[160];
    double *reference = prepare(gemm(), &shape, input);
    const float *a = input[0], *b = input[1];
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            float up = 0, down = 0;
            for (int k = 0; k < DEPTH; k++) {
                if (k == DEPTH - 1) shorter[i * SIDE + j] = up;
                up += a[i * DEPTH + k] * b[k * SIDE + j];
                down += a[i * DEPTH + DEPTH - 1 - k] * b[(DEPTH - 1 - k) * SIDE + j];
            }
            forward[i * SIDE + j] = up;
            backward[i * SIDE + j] = down;
        }
    }
    assert_true(verify(gemm(), &shape, forward, reference, sizeof forward, reason));
    assert_true(verify(gemm(), &shape, backward, reference, sizeof backward, reason));
    assert_false(verify(gemm(), &shape, shorter, reference, sizeof shorter, reason));
    discard(input, reference);
}

TEST(useful_traffic_and_arithmetic)
{
    const struct shape shape = shape_of(10, 20, 30);
    assert_int_equal(gemm()->input_bytes(&shape, 0), 4 * 10 * 30);
    assert_int_equal(gemm()->input_bytes(&shape, 1), 4 * 30 * 20);
    assert_int_equal(gemm()->output_bytes(&shape), 4 * 10 * 20);
    assert_true(gemm()->useful_bytes(&shape) == 4 * (300 + 600 + 200));
    assert_true(gemm()->useful_operations(&shape) == 2 * 6000);
    assert_int_equal(gemm()->rate, RATE_OPERATIONS);
}

/* The libraries' sides are of type int; a longer one is refused before anything is loaded. */
TEST(libraries_refuse_what_they_cannot_count)
{
    const struct point point = {.shape = shape_of(8, UINT64_C(1) << 31, 8)};
    int libraries = 0;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        if (strcmp(variant->family, "gemm") || variant_kind(variant) != KIND_LIBRARY) continue;
        libraries++;
        assert_string_equal(
            variant->refuses(&point, 90),
            "a side of a matrix has more than 2^31 - 1 elements, which cuBLAS does not take");
    }
    assert_int_equal(libraries, 2);
}

RUN_TESTS(NULL, NULL)
