/*
 * Tests the problem of the matrix product of bfloat16: its inputs, its float64 reference, its
 * bound.
 */
#include "prepared.h"

#include "catalog/verify.h"

static const struct family *tensor(void)
{
    return registry_family("gemm_tensor");
}

static double value_of(uint16_t bits)
{
    const uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static double bfloat16_at(const void *matrix, uint64_t at)
{
    return value_of(((const uint16_t *)matrix)[at]);
}

TEST(the_reference_is_the_product)
{
    check_products(tensor(), bfloat16_at, 1e-11L);
}

TEST(inputs_are_normal_and_the_same_every_time)
{
    const struct shape shape = shape_of(200, 300, 400);
    void *input[INPUT_COUNT], *again[INPUT_COUNT];
    double *reference = prepare(tensor(), &shape, input);
    void *unused = prepare(tensor(), &shape, again);
    for (int i = 0; i < 2; i++) {
        const uint16_t *bits = input[i];
        const size_t count = tensor()->input_bytes(&shape, i) / sizeof *bits;
        double sum = 0, squares = 0, fourths = 0, within = 0, beyond = 0;
        for (size_t e = 0; e < count; e++) {
            const double x = value_of(bits[e]);
            assert_true(fabs(x) > 1e-5 && fabs(x) < 4.3);
            sum += x;
            squares += x * x;
            fourths += x * x * x * x;
            within += fabs(x) < 0.6745;
            beyond += fabs(x) > 2;
        }
        const double all = (double)count;
        assert_true(fabs(sum / all) < 0.015);
        assert_true(fabs(squares / all - 1) < 0.02);
        assert_true(fabs(fourths / all - 3) < 0.15);
        assert_true(fabs(within / all - 0.5) < 0.01); /* the quartiles */
        assert_true(fabs(beyond / all - 0.0455) < 0.004);
        assert_memory_equal(input[i], again[i], tensor()->input_bytes(&shape, i));
    }
    assert_memory_not_equal(input[0], input[1], tensor()->input_bytes(&shape, 0));
    tensor()->fill(&shape, 8, again);
    assert_memory_not_equal(input[0], again[0], tensor()->input_bytes(&shape, 0));
    discard(input, reference);
    discard(again, unused);
}

/* The sum that a tensor core forms: the exact sum of 8 products is added, and truncated. */
static float truncated_sum(float sum, double products)
{
    const double exact = (double)sum + products;
    const float nearest = (float)exact;
    return fabs((double)nearest) > fabs(exact) ? nextafterf(nearest, 0) : nearest;
}

/* A sum in float passes, and one that is truncated after each group of 8; a product without its
 * last step in K does not. A single element that is missing from the largest product is 1 / 8192 of
 * its norm on average. */
TEST(the_bound_takes_truncation_and_no_missing_step)
{
    enum { SIDE = 64, DEPTH = 8192 };
    const struct shape shape = shape_of(SIDE, SIDE, DEPTH);
    void *input[INPUT_COUNT];
    static float rounded[SIDE * SIDE], truncated[SIDE * SIDE], shorter[SIDE * SIDE];
    char reason[160];
    double *reference = prepare(tensor(), &shape, input);
    const uint16_t *a = input[0], *b = input[1];
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            float sum = 0, cut = 0;
            double products = 0;
            for (int k = 0; k < DEPTH; k++) {
                const double product = value_of(a[i * DEPTH + k]) * value_of(b[k * SIDE + j]);
                if (k == DEPTH - 1) shorter[i * SIDE + j] = sum;
                sum += (float)product;
                products += product;
                if (k % 8 < 7) continue;
                cut = truncated_sum(cut, products);
                products = 0;
            }
            rounded[i * SIDE + j] = sum;
            truncated[i * SIDE + j] = cut;
        }
    }
    assert_true(verify(tensor(), &shape, rounded, reference, sizeof rounded, reason));
    assert_true(verify(tensor(), &shape, truncated, reference, sizeof truncated, reason));
    assert_false(verify(tensor(), &shape, shorter, reference, sizeof shorter, reason));
    const struct shape largest = shape_of(8192, 8192, 8192);
    assert_true(tensor()->tolerance(&largest) < 0.6 / 8192);
    discard(input, reference);
}

TEST(useful_traffic_and_arithmetic)
{
    const struct shape shape = shape_of(10, 20, 30);
    assert_int_equal(tensor()->input_bytes(&shape, 0), 2 * 10 * 30);
    assert_int_equal(tensor()->input_bytes(&shape, 1), 2 * 30 * 20);
    assert_int_equal(tensor()->output_bytes(&shape), 4 * 10 * 20);
    assert_true(tensor()->useful_bytes(&shape) == 2 * (300 + 600) + 4 * 200);
    assert_true(tensor()->useful_operations(&shape) == 2 * 6000);
    assert_int_equal(tensor()->rate, RATE_OPERATIONS);
    /* A workspace, then rows of A and of B of 64 elements, each copy in whole 256 bytes. */
    assert_int_equal(tensor()->scratch_bytes(&shape), (64 << 20) + 10 * 128 + 30 * 128);
}

RUN_TESTS(NULL, NULL)
