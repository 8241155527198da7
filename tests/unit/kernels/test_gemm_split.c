/*
 * Tests the family gemm_split without a GPU: its bounds tell arithmetic with fewer bits apart, the
 * pieces of both matrices have room in the scratch buffer, tiles are as wide as the matrix allows,
 * and the rungs by mma.sync access shared memory as they say.
 */
#include "planned.h"

#include <math.h>

#include "catalog/bank_model.h"
#include "catalog/verify.h"

/* Rounds to so many bits. */
static float shortened(float x, int bits)
{
    int exponent;
    const float fraction = frexpf(x, &exponent);
    return ldexpf(rintf(ldexpf(fraction, bits)), exponent - bits);
}

/* Adds 16 products to a sum, as a tensor core does: towards zero, to 24 bits. */
static float truncated(float sum, double products)
{
    const double exact = (double)sum + products;
    const float nearest = (float)exact;
    return fabs((double)nearest) > fabs(exact) ? nextafterf(nearest, 0) : nearest;
}

enum { SIDE = 24, DEPTH = 2048 };

/* The product with factors of so many bits; sums are rounded to nearest, or truncated for each of
 * `passes` groups of 16 products. */
static void multiply(const float *a, const float *b, int bits, int passes, float *c)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;
            double group = 0;
            for (int k = 0; k < DEPTH; k++) {
                const float x = shortened(a[i * DEPTH + k], bits),
                            y = shortened(b[k * SIDE + j], bits);
                if (!passes) sum = fmaf(x, y, sum);
                group += (double)x * (double)y;
                if (!passes || k % 16 < 15) continue;
                for (int pass = 0; pass < passes; pass++) sum = truncated(sum, group / passes);
                group = 0;
            }
            c[i * SIDE + j] = sum;
        }
}

TEST(bounds_tell_short_arithmetic_apart)
{
    static const struct {
        int bits, passes;
        int passes_family, passes_tf32, passes_truncated;
    } rows[] = {
        {24, 0, 1, 1, 1}, {22, 0, 1, 1, 1},
        {16, 0, 0, 1, 1}, {24, 6, 0, 1, 1}, /* six products, truncated */
        {11, 0, 0, 1, 0},                   /* TF32 */
        {8, 0, 0, 0, 0},                    /* bfloat16 */
    };
    const struct family *family = registry_family("gemm_split");
    const struct shape shape = {3, {SIDE, SIDE, DEPTH}};
    static float a[SIDE * DEPTH], b[SIDE * DEPTH], c[SIDE * SIDE];
    static double reference[SIDE * SIDE];
    void *input[INPUT_COUNT] = {a, b};
    char reason[160];
    family->fill(&shape, 7, input);
    family->reference(&shape, input, reference);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double bounds[] = {family->tolerance(&shape),
                                 rung_of("gemm_split", "01_tf32")->tolerance(&shape),
                                 rung_of("gemm_split", "03_bfloat16_pieces")->tolerance(&shape)};
        const int expected[] = {rows[i].passes_family, rows[i].passes_tf32,
                                rows[i].passes_truncated};
        multiply(a, b, rows[i].bits, rows[i].passes, c);
        for (int bound = 0; bound < 3; bound++) {
            struct verified verified = {.bound = bounds[bound]};
            if (verify_within(family, c, reference, sizeof c, &verified, reason) != expected[bound])
                fail_msg("%d bits, %d passes: error %g, bound %g", rows[i].bits, rows[i].passes,
                         verified.error, verified.bound);
        }
    }
}

/* The largest elements, the pieces of A and those of B lie behind one another. */
TEST(pieces_have_room)
{
    static const uint64_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {129, 257, 33}, {4096, 4096, 4096}};
    static const char *const names[] = {"03_bfloat16_pieces", "04_promoted", "05_half_pieces"};
    const struct family *family = registry_family("gemm_split");
    for (int i = 0; i < 12; i++) {
        const uint64_t *dim = shapes[i / 3], memory = UINT64_C(1) << 50;
        const struct variant *variant = rung_of("gemm_split", names[i % 3]);
        struct work work = product_on(132, dim[0], dim[1], dim[2]);
        work.scratch = (void *)(uintptr_t)memory;
        const struct launch launch =
            planned(variant, &work, variant_launches(variant, &work.point) - 1);
        const struct tensor_map *a = &launch.tensor_map[0], *b = &launch.tensor_map[1];
        const uint64_t at_a = (uint64_t)(uintptr_t)a->base, at_b = (uint64_t)(uintptr_t)b->base;
        assert_true(at_a >= memory + 4 * (dim[0] + dim[1]));
        assert_true(at_b >= at_a + a->rows * a->pitch);
        assert_true(memory + family->scratch_bytes(&work.point.shape) >= at_b + b->rows * b->pitch);
        assert_true(a->rows % dim[0] == 0 && a->columns == dim[2]);
        assert_true(b->rows / (a->rows / dim[0]) >= dim[2] && b->columns == dim[1]);
    }
}

static struct launch last_launch(const char *name, uint64_t m, uint64_t n)
{
    const struct work work = product_on(132, m, n, 256);
    const struct variant *variant = rung_of("gemm_split", name);
    return planned(variant, &work, variant_launches(variant, &work.point) - 1);
}

/* Large matrices have tiles of 256 columns, and small ones narrower tiles, so that more SMs have
 * one. A rung has a kernel for each width, and its stages fit into the shared memory of a block, of
 * which the barriers take up to a kilobyte. */
TEST(tiles_are_as_wide_as_the_matrix_allows)
{
    static const struct {
        uint64_t m, n;
        unsigned columns, blocks;
    } rows[] = {
        {1, 1, 64, 1},          {256, 256, 64, 8},      {1024, 1024, 64, 128},
        {64, 2048, 64, 32},     {1408, 1536, 128, 132}, /* 11 x 12 tiles of 128 columns */
        {2048, 2048, 256, 128}, {4096, 4096, 256, 132}, {8192, 8192, 256, 132},
        {100000, 64, 64, 132},
    };
    static const char *const names[] = {"03_bfloat16_pieces", "04_promoted", "05_half_pieces"};
    for (int r = 0; r < 3; r++) {
        const void *wide = last_launch(names[r], 4096, 4096).function,
                   *middle = last_launch(names[r], 1408, 1536).function,
                   *narrow = last_launch(names[r], 256, 256).function;
        assert_true(wide != middle && middle != narrow && wide != narrow);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const struct launch launch = last_launch(names[r], rows[i].m, rows[i].n);
            const void *expected = rows[i].columns == 256   ? wide
                                   : rows[i].columns == 128 ? middle
                                                            : narrow;
            assert_ptr_equal(launch.function, expected);
            assert_int_equal(launch.grid[0], rows[i].blocks);
            assert_true(launch.dynamic_shared <= (227 << 10) - 1024);
        }
    }
}

/* For one tile and one slice, by the block: eight warps read at each of four steps four matrices of
 * A four times, and words of B, without conflicts. Copies past the registers are no stores. */
TEST(wavefronts_of_tf32)
{
    static const struct {
        const char *name;
        uint64_t columns;
        double words; /* of B, for a warp at one step */
    } rows[] = {{"01_tf32", 256, 16}, {"02_tf32_split", 128, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct work work = product_on(132, 128, rows[i].columns, 32);
        struct access_sums sums;
        assert_true(shared_accesses_sum(rung_of("gemm_split", rows[i].name), &work, 0, &sums));
        assert_true(sums.matrix_wavefronts == 8 * 4 * 4 * 4);
        assert_true(sums.load_wavefronts == 8 * 4 * rows[i].words);
        assert_true(sums.store_wavefronts == 0);
        assert_true(sums.matrix_ideal == sums.matrix_wavefronts);
        assert_true(sums.load_ideal == sums.load_wavefronts);
    }
}

TEST(rungs_refuse_what_they_cannot)
{
    const struct point odd = {.shape = {3, {5, 6, 7}}}, whole = {.shape = {3, {4, 4, 4}}};
    assert_non_null(rung_of("gemm_split", "01_tf32")->refuses(&odd, 90));
    assert_null(rung_of("gemm_split", "01_tf32")->refuses(&whole, 80));
    assert_non_null(rung_of("gemm_split", "02_tf32_split")->refuses(&whole, 75));
    assert_null(rung_of("gemm_split", "04_promoted")->refuses(&odd, 90));
    assert_non_null(rung_of("gemm_split", "04_promoted")->refuses(&whole, 100));
}

RUN_TESTS(NULL, NULL)
