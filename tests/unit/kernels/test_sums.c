/*
 * Tests the families that add up floats, share out elements or work, or store data somewhere:
 * references, bounds, and the launches that their rungs plan.
 */
#include "planned.h"

#include "prepared.h"

#include "base/stats.h"
#include "catalog/verify.h"

TEST(float_references_are_sums_in_double)
{
    static const char *const names[] = {"reduce_float", "reduce_batched", "dot"};
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const struct family *family = registry_family(names[f]);
        const struct shape shape =
            family->rank == 2 ? (struct shape){2, {7, 1003}} : (struct shape){1, {7021}};
        const uint64_t batches = family->rank == 2 ? 7 : 1, length = 7021 / batches;
        void *input[INPUT_COUNT], *reference;
        assert_int_equal(family->comparison, COMPARE_FLOAT_FROBENIUS);
        assert_int_equal(family->output_bytes(&shape), 4 * batches);
        reference = prepare(family, &shape, input);
        const float *a = input[0], *b = input[1];
        for (uint64_t batch = 0; batch < batches; batch++) {
            long double sum = 0; /* from the back, and wider */
            for (uint64_t i = length; i-- > 0;) {
                const float x = a[batch * length + i];
                assert_true(x >= 0 && x < 1);
                sum += (long double)x * (b ? (long double)b[i] : 1);
            }
            assert_true(fabsl(sum - (long double)((double *)reference)[batch]) < 1e-9L);
        }
        if (b) assert_memory_not_equal(a, b, 4 * length);
        discard(input, reference);
    }
}

/* For SEED_OF_ONES the inputs are 1 where their sum must be exact. */
TEST(sums_of_ones_are_exact)
{
    static const struct {
        const char *family;
        struct shape shape;
        int exact;
    } rows[] = {
        {"reduce_float", {1, {1000}}, 1},          {"reduce_float", {1, {1 << 24}}, 1},
        {"reduce_float", {1, {(1 << 24) + 1}}, 0}, {"reduce_float", {1, {1 << 29}}, 1},
        {"reduce_batched", {2, {3, 1000}}, 1},     {"reduce_batched", {2, {2, (1 << 24) + 1}}, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct family *family = registry_family(rows[i].family);
        const struct shape *shape = &rows[i].shape;
        assert_int_equal(family->ones_are_exact(shape), rows[i].exact);
        if (shape->dim[0] * (shape->rank > 1 ? shape->dim[1] : 1) > 3000) continue;
        float in[3000];
        double sum[3];
        void *input[INPUT_COUNT] = {in};
        family->fill(shape, SEED_OF_ONES, input);
        family->reference(shape, input, sum);
        assert_true(in[0] == 1 && in[999] == 1 && sum[0] == 1000);
    }
}

/* The bound is loose enough for any sensible order of additions, and tight enough to notice any
 * missing element of a thousand. */
TEST(float_bounds_catch_a_missing_element)
{
    const struct family *family = registry_family("reduce_float");
    const struct shape shape = {1, {1000}};
    void *input[INPUT_COUNT], *reference;
    char reason[160];
    reference = prepare(family, &shape, input);
    const float *x = input[0];
    float forward = 0, backward = 0;
    for (int i = 0; i < 1000; i++) forward += x[i];
    for (int i = 999; i >= 0; i--) backward += x[i];
    assert_true(verify(family, &shape, &forward, reference, 4, reason));
    assert_true(verify(family, &shape, &backward, reference, 4, reason));
    const float without = (float)(*(double *)reference - (double)x[17]),
                twice = (float)(*(double *)reference + (double)x[999]);
    assert_false(verify(family, &shape, &without, reference, 4, reason));
    assert_false(verify(family, &shape, &twice, reference, 4, reason));
    discard(input, reference);
    const struct shape one = {1, {1}}, large = {1, {UINT64_C(1) << 29}};
    assert_true(fabs(family->tolerance(&one) / 0x1p-23 - 1) < 1e-12);
    assert_true(fabs(family->tolerance(&large) / 0x1p-23 - 30) < 1e-12);
}

/* Atomics add up the sums of a device's warps in any order, so they round in any way: none of many
 * orders is wrong, but no warp may be missing. */
TEST(bound_of_a_dot_product_takes_any_order_of_warps)
{
    enum { WARPS = 8448, ORDERS = 500 };
    const struct family *family = registry_family("dot");
    const struct shape shape = {1, {UINT64_C(1) << 22}};
    static double exact[WARPS];
    static float sum[WARPS];
    void *input[INPUT_COUNT], *reference;
    double squares = 0;
    uint64_t random = 8;
    char reason[160];
    reference = prepare(family, &shape, input);
    const float *a = input[0], *b = input[1];
    const double whole = *(double *)reference;
    for (uint64_t i = 0; i < shape.dim[0]; i++)
        exact[i / 32 % WARPS] += (double)a[i] * (double)b[i];
    for (int w = 0; w < WARPS; w++) sum[w] = (float)exact[w];
    for (int order = 0; order < ORDERS; order++) {
        float result = 0;
        for (uint64_t w = WARPS; w > 1; w--) {
            const uint64_t other = stats_random(&random) % w;
            const float last = sum[w - 1];
            sum[w - 1] = sum[other];
            sum[other] = last;
        }
        for (int w = 0; w < WARPS; w++) result += sum[w];
        if (!verify(family, &shape, &result, reference, 4, reason))
            fail_msg("order %d: %s", order, reason);
        squares += pow(((double)result - whole) / whole, 2);
    }
    /* The orders round differently, but all stay far within the bound. */
    const double error = sqrt(squares / ORDERS);
    if (!(error > 0.15 * 0x1p-24 * sqrt(WARPS) && error < family->tolerance(&shape) / 5))
        fail_msg("the error is %g", error);
    for (int w = 0; w < WARPS; w++) {
        const float without = (float)(whole - (double)sum[w]);
        assert_false(verify(family, &shape, &without, reference, 4, reason));
    }
    discard(input, reference);
    const struct shape one = {1, {1}}, large = {1, {UINT64_C(1) << 30}};
    assert_true(fabs(family->tolerance(&one) / 0x1p-23 - 2.5) < 1e-12);
    assert_true(fabs(family->tolerance(&large) / 0x1p-23 - (2 + 30 + 64)) < 1e-12);
}

/* Sixty-four steps of a generator are one step of another: x a^64 + c (a^63 + ... + 1). */
TEST(storage_reference_is_the_generator)
{
    const struct family *family = registry_family("storage");
    const struct shape shape = {1, {1001}};
    void *input[INPUT_COUNT], *reference;
    uint32_t power = 1, series = 0;
    for (int i = 0; i < 64; i++) {
        series = series * 1664525u + 1013904223u;
        power *= 1664525u;
    }
    reference = prepare(family, &shape, input);
    for (int i = 0; i < 1001; i++)
        assert_int_equal(((uint32_t *)reference)[i], ((uint32_t *)input[0])[i] * power + series);
    assert_true(family->useful_bytes(&shape) == 8008);
    assert_true(family->useful_operations(&shape) == 128 * 1001);
    discard(input, reference);
}

/* Each operation is a generator of its own, and the results of one operation are adjacent. */
TEST(operations_reference_is_eight_generators)
{
    const struct family *family = registry_family("operations");
    const struct shape shape = {1, {301}};
    void *input[INPUT_COUNT], *reference;
    assert_int_equal(family->output_bytes(&shape), 8 * 301 * 4);
    assert_true(family->useful_operations(&shape) == 4.0 * 8 * 64 * 301);
    reference = prepare(family, &shape, input);
    const uint32_t *in = input[0], *out = reference;
    for (uint32_t k = 0; k < 8; k++)
        for (int i = 0; i < 301; i++) {
            uint32_t x = in[i];
            for (int round = 0; round < 64; round++) {
                x = x * (1664525u + 8 * k) + 1013904223u;
                x ^= x >> (9 + k);
            }
            assert_int_equal(out[k * 301 + (uint32_t)i], x);
        }
    discard(input, reference);
}

static uint32_t after_rounds(uint32_t word, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        word = word * 1664525u + 1013904223u;
        word ^= word >> 15;
    }
    return word;
}

/* A chain folds every 512th word in order; chains beyond the words stay 0. */
TEST(split_reference_is_chains_in_order)
{
    const struct family *family = registry_family("split");
    const struct shape few = {2, {3, 64}};
    void *input[INPUT_COUNT], *reference;
    assert_int_equal(family->output_bytes(&few), 512 * 4);
    for (int rounds = 1; rounds <= 64; rounds *= 8) {
        const struct shape shape = {2, {1025, (uint64_t)rounds}};
        reference = prepare(family, &shape, input);
        const uint32_t *in = input[0];
        for (int c = 0; c < 512; c++) {
            uint32_t chain = 0;
            for (int i = c; i < 1025; i += 512)
                chain = after_rounds(chain ^ after_rounds(in[i], rounds), 1);
            assert_int_equal(((uint32_t *)reference)[c], chain);
        }
        assert_true(family->useful_operations(&shape) == 1025.0 * (4 * rounds + 5));
        discard(input, reference);
    }
    reference = prepare(family, &few, input);
    assert_int_not_equal(((uint32_t *)reference)[2], 0);
    for (int c = 3; c < 512; c++) assert_int_equal(((uint32_t *)reference)[c], 0);
    discard(input, reference);
}

TEST(useful_traffic_of_each_family)
{
    static const struct {
        const char *family;
        struct shape shape;
        double bytes;
    } rows[] = {{"reduce_float", {1, {1000}}, 4004}, {"reduce_batched", {2, {10, 100}}, 4040},
                {"dot", {1, {1000}}, 8004},          {"parallelism", {1, {1000}}, 4004},
                {"operations", {1, {1000}}, 36000},  {"split", {2, {1000, 64}}, 4000 + 2048}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(registry_family(rows[i].family)->useful_bytes(&rows[i].shape) == rows[i].bytes);
}

static struct launch planned_for(const struct variant *variant, uint64_t n, int sweep,
                                 unsigned index)
{
    static char input, output, partial;
    struct work work = {.point = {.shape = {1, {n}}, .block = 256, .sweep = sweep},
                        .sm_count = 132,
                        .compute_capability = 90,
                        .input = {&input, &input},
                        .output = &output,
                        .scratch = &partial};
    return planned(variant, &work, index);
}

TEST(grids)
{
    static const struct {
        const char *family, *variant;
        uint64_t n;
        int sweep;
        unsigned blocks, threads;
    } rows[] = {
        /* five tiles of 8192 elements each if that makes four waves of three blocks per SM, else
         * one wave */
        {"reduce", "15_few_tiles", UINT64_C(1) << 29, 0, 13108, 512},
        {"reduce", "15_few_tiles", 1 << 26, 0, 1639, 512},
        {"reduce", "15_few_tiles", 1 << 24, 0, 396, 512},
        {"reduce", "15_few_tiles", 1 << 16, 0, 64, 256},
        {"reduce", "15_few_tiles", 1, 0, 1, 256},
        {"reduce", "13_wide_loads", 1 << 24, 4, 132, 256},
        {"reduce", "13_wide_loads", 1 << 24, 96, 792, 256},
        {"reduce", "13_wide_loads", 1000, 4, 1, 256},
        {"reduce", "14_bulk_copies", 1 << 24, 64, 264, 256},
        {"reduce", "08_atomic_per_block", 8193, 16, 2, 256},
        {"reduce_float", "05_bulk_copies", UINT64_C(1) << 29, 0, 264, 512},
        {"reduce_float", "05_bulk_copies", (UINT64_C(1) << 28) - 1, 0, 528, 512},
        {"reduce_float", "05_bulk_copies", 1, 0, 1, 256},
        {"reduce_float", "03_grid_sync", 1 << 24, 2, 264, 256},
        {"reduce_float", "08_plain_loop_grid", 1 << 24, 0, 132, 256},
        {"dot", "01_slice_per_thread", 1 << 22, 0, 1056, 256},
        {"dot", "04_coalesced_wide", 255, 0, 1, 256},
        {"storage", "02_registers", 1 << 24, 64, 1024, 256},
        {"storage", "02_registers", (1 << 24) + 1, 64, 1025, 256},
        {"parallelism", "01_threads", 1 << 24, 512, 2, 256},
        {"operations", "01_one_thread_per_element", 257, 0, 2, 256},
        {"split", "01_one_kernel", 1, 0, 16, 32},
        {"split", "02_two_kernels", 257, 0, 2, 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *variant = registry_variant(rows[i].family, rows[i].variant);
        assert_non_null(variant);
        const struct launch launch = planned_for(variant, rows[i].n, rows[i].sweep, 0);
        if (launch.grid[0] != rows[i].blocks || launch.block[0] != rows[i].threads)
            fail_msg("%s/%s, n = %llu, sweep %d: %u blocks of %u", rows[i].family, rows[i].variant,
                     (unsigned long long)rows[i].n, rows[i].sweep, launch.grid[0], launch.block[0]);
    }
}

TEST(launches_ask_for_what_they_need)
{
    assert_true(
        planned_for(registry_variant("reduce_float", "03_grid_sync"), 1 << 24, 1, 0).cooperative);
    assert_true(planned_for(registry_variant("reduce_float", "08_plain_loop_grid"), 1 << 24, 0, 0)
                    .cooperative);
    assert_true(
        planned_for(registry_variant("reduce", "08_atomic_per_block"), 1 << 24, 1, 0).clear_output);
    assert_true(planned_for(registry_variant("dot", "02_coalesced"), 1 << 24, 0, 0).clear_output);
    assert_false(
        planned_for(registry_variant("reduce", "15_few_tiles"), 1 << 24, 0, 0).clear_output);
    assert_int_equal(
        planned_for(registry_variant("reduce", "14_bulk_copies"), 1 << 24, 192, 0).dynamic_shared,
        6 * 16384);
    assert_int_equal(
        planned_for(registry_variant("reduce_float", "05_bulk_copies"), UINT64_C(1) << 29, 0, 0)
            .dynamic_shared,
        3 * 32768);
    assert_int_equal(planned_for(registry_variant("storage", "03_shared_memory"), 1 << 24, 192, 0)
                         .dynamic_shared,
                     192 * 256 * 4);
}

/* Eight rows of the grid share the words; the narrow kernel reads what the wide one wrote. */
TEST(parts_of_the_work)
{
    const struct variant *split = registry_variant("split", "02_two_kernels");
    const struct point point = {.shape = {2, {1000, 64}}, .block = 256};
    assert_int_equal(
        planned_for(registry_variant("operations", "01_one_thread_per_element"), 257, 0, 0).grid[1],
        1);
    assert_int_equal(
        planned_for(registry_variant("operations", "02_one_thread_per_operation"), 257, 0, 0)
            .grid[1],
        8);
    assert_int_equal(split->launch_count(&point), 2);
    const struct launch wide = planned_for(split, 1000, 0, 0),
                        narrow = planned_for(split, 1000, 0, 1);
    assert_true(wide.argument[1] == narrow.argument[0] && wide.function != narrow.function);
    assert_int_equal(narrow.grid[0] * narrow.block[0], 512);
}

/* Each launch reads the output of the previous one; the last writes the result. */
TEST(float_relaunches_form_a_chain)
{
    static const struct {
        uint64_t n;
        unsigned launches;
    } rows[] = {
        {1, 1}, {262144, 1}, {262145, 2}, {UINT64_C(1) << 29, 2}, {(UINT64_C(1) << 36) + 1, 3}};
    const struct variant *tree = registry_variant("reduce_float", "01_shared_tree");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct point point = {.shape = {1, {rows[i].n}}, .block = 256};
        uint64_t length = rows[i].n;
        assert_int_equal(tree->launch_count(&point), rows[i].launches);
        for (unsigned k = 0; k < rows[i].launches; k++) {
            const struct launch launch = planned_for(tree, rows[i].n, 0, k);
            assert_int_equal(launch.argument[2], length);
            length = (length + 262143) / 262144;
            assert_int_equal(launch.grid[0], length);
            if (k > 0)
                assert_int_equal(launch.argument[0],
                                 planned_for(tree, rows[i].n, 0, k - 1).argument[1]);
        }
        assert_int_equal(length, 1);
    }
}

TEST(what_is_refused)
{
    const struct variant *bulk = registry_variant("reduce", "14_bulk_copies"),
                         *redux = registry_variant("reduce", "12_warp_reduction"),
                         *batched = registry_variant("reduce_batched", "01_shared_tree");
    const struct point point = {.shape = {1, {1000}}, .block = 256},
                       many = {.shape = {2, {UINT64_C(1) << 31, 1}}, .block = 256};
    assert_non_null(bulk->refuses(&point, 89));
    assert_null(bulk->refuses(&point, 90));
    assert_non_null(redux->refuses(&point, 75));
    assert_null(redux->refuses(&point, 80));
    assert_non_null(batched->refuses(&many, 90));
}

TEST(cpu_sums)
{
    static const uint64_t sizes[] = {1, 2, 15, 16, 17, 1000, 100003};
    const struct variant *one = registry_variant("reduce", "91_cpu_one_thread"),
                         *all = registry_variant("reduce", "92_cpu_all_threads");
    const struct family *family = registry_family("reduce");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const struct shape shape = {1, {sizes[s]}};
        void *input[INPUT_COUNT], *reference;
        reference = prepare(family, &shape, input);
        uint32_t first = 0, second = 0;
        struct work work = {
            .point = {.shape = shape, .block = 256}, .input = {input[0]}, .output = &first};
        one->host(&work);
        work.output = &second;
        all->host(&work);
        assert_int_equal(first, *(uint32_t *)reference);
        assert_int_equal(second, *(uint32_t *)reference);
        discard(input, reference);
    }
}

RUN_TESTS(NULL, NULL)
