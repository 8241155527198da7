#include "fixture.h"

#include "gpu/launch_variant.h"

/*
 * Tests how a variant is run, as far as that needs no GPU: with a hand-made workbench whose device
 * memory nobody touches, and variants that only record their arguments.
 */
static struct device device = {
    .compute_capability = 90, .sm_count = 10, .properties = {.sharedMemPerBlockOptin = 227 << 10}};
static char memory[4][3 * 4096]; /* stands for device memory; the guard is 4096 bytes */
static uint32_t input_on_host, result_on_host, reference;
static struct work seen; /* by the last plan or host */
static int asked;        /* number of calls to a variant's functions */

static uint32_t to_write; /* by the host */
static int writes;

static void host(const struct work *work)
{
    asked++;
    seen = *work;
    if (writes) *(uint32_t *)work->output = to_write;
}

static unsigned two(const struct point *point)
{
    return 2;
}

static const struct tensor_map good_map = {.base = (const void *)0x1000,
                                           .rows = 1000,
                                           .columns = 101,
                                           .pitch = 416,
                                           .box_rows = 64,
                                           .box_columns = 32,
                                           .swizzle = 128};

/* The sweep of the point selects the launch. */
enum {
    PLAIN,
    MUCH_SHARED,
    COOPERATIVE,
    CLEARED,
    SECOND_IS_LARGE,
    TENSOR_MAP,
    BAD_TENSOR_MAP,
    CLUSTERS,
    LARGE_BLOCK,
    DEEP_BLOCK
};

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    asked++;
    seen = *work;
    for (int i = 0; i < 3; i++)
        assert_true(launch->grid[i] == 1 && launch->block[i] == 1); /* optional fields of a plan */
    assert_true(launch->dynamic_shared == 0 && launch->argument_count == 0 &&
                !launch->cooperative && !launch->clear_output);
    launch->function = memory;
    launch->grid[0] = 100 + index;
    launch->block[0] = 64;
    launch_pointer(launch, work->output);
    launch_integer(launch, index);
    if (work->point.sweep == MUCH_SHARED || (work->point.sweep == SECOND_IS_LARGE && index == 1))
        launch->dynamic_shared = 300 << 10;
    if (work->point.sweep == COOPERATIVE) launch->cooperative = 1;
    if (work->point.sweep == CLEARED) launch->clear_output = 1;
    if (work->point.sweep == TENSOR_MAP || work->point.sweep == BAD_TENSOR_MAP) {
        launch->tensor_map_count = 1;
        launch->tensor_map[0] = good_map;
        if (work->point.sweep == BAD_TENSOR_MAP) launch->tensor_map[0].pitch = 404;
    }
    if (work->point.sweep == CLUSTERS) launch->cluster = 4;
    if (work->point.sweep == LARGE_BLOCK) launch->block[1] = 17;
    if (work->point.sweep == DEEP_BLOCK) launch->block[0] = 1, launch->block[2] = 65;
}

static int call(const struct work *work, void *stream)
{
    asked++;
    return 7;
}

static const char *refuses_odd_sizes(const struct point *point, int compute_capability)
{
    if (compute_capability < 90) return "it needs compute capability 9.0";
    return point->shape.dim[0] % 2 ? "the size is odd" : NULL;
}

static const struct variant kernel = {.family = "f",
                                      .name = "01_kernel",
                                      .launch_count = two,
                                      .plan = plan,
                                      .refuses = refuses_odd_sizes};
static const struct variant library = {
    .family = "f", .name = "90_library", .call = call, .refuses = refuses_odd_sizes};
static const struct variant cpu = {
    .family = "f", .name = "91_cpu", .host = host, .refuses = refuses_odd_sizes};

static int fills;

static void no_fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    fills++;
}

static void no_reference(const struct shape *shape, void *const *input, void *output)
{
    *(uint32_t *)output = 42;
}

static void reference_of_setting(const struct point *point, void *const *input, void *output)
{
    *(uint32_t *)output = 100 + (uint32_t)point->sweep;
}

static const struct variant own_reference = {
    .family = "f", .name = "92_own", .host = host, .reference = reference_of_setting};

static const struct family family = {.name = "f",
                                     .rank = 1,
                                     .comparison = COMPARE_INT32_EXACT,
                                     .fill = no_fill,
                                     .reference = no_reference};

static struct workbench bench;

static int make_bench(void **state)
{
    bench = (struct workbench){.device = &device,
                               .family = &family,
                               .shape = {1, {64}},
                               .output = {.bytes = 4},
                               .reference = &reference,
                               .result = &result_on_host};
    asked = 0;
    reference = 42;
    return 0;
}

/* A test with a bench of its own. */
#define BENCH_TEST(test) TEST_WITHIN(test, make_bench, NULL)

static const struct selected *of_size(const struct variant *variant, uint64_t n, int sweep)
{
    static struct selected selected;
    selected =
        (struct selected){&family, variant, {.shape = {1, {n}}, .block = 64, .sweep = sweep}};
    return &selected;
}

static const struct selected *of(const struct variant *variant, int sweep)
{
    return of_size(variant, 64, sweep);
}

/* Asserts that the point is refused with this reason; "" if it is not. */
static void refuses(const struct selected *selected, const char *expected)
{
    char reason[160];
    assert_int_equal(launch_refused(&bench, selected, reason), 0);
    assert_string_equal(reason, expected);
}

BENCH_TEST(a_view_is_of_device_or_host)
{
    bench.input[0] = (struct guarded){memory[0], 16};
    bench.output = (struct guarded){memory[1], 4};
    bench.scratch = (struct guarded){memory[2], 8};
    bench.host_input[0] = &input_on_host;
    struct work work = workbench_view(&bench, of(&kernel, 3));
    assert_ptr_equal(work.input[0], memory[0] + 4096);
    assert_null(work.input[1]);
    assert_ptr_equal(work.output, memory[1] + 4096);
    assert_ptr_equal(work.scratch, memory[2] + 4096);
    assert_int_equal(work.sm_count, 10);
    assert_int_equal(work.point.sweep, 3);
    work = workbench_view(&bench, of(&library, 3));
    assert_ptr_equal(work.output, memory[1] + 4096);
    work = workbench_view(&bench, of(&cpu, 3));
    assert_ptr_equal(work.input[0], &input_on_host);
    assert_ptr_equal(work.output, &result_on_host);
    assert_null(work.scratch);
}

BENCH_TEST(a_plan_begins_with_nothing)
{
    struct launch launch;
    memset(&launch, 0xFF, sizeof launch);
    launch_plan(&bench, of(&kernel, PLAIN), 1, &launch);
    assert_int_equal(launch.grid[0], 101);
    assert_int_equal(launch.grid[1], 1);
    assert_int_equal(launch.block[0], 64);
    assert_int_equal(launch.block[2], 1);
    assert_int_equal(launch.argument_count, 2);
    assert_int_equal(launch.argument[1], 1);
    assert_int_equal(seen.sm_count, 10);
    assert_int_equal(seen.point.shape.dim[0], 64);
}

BENCH_TEST(kernels_of_a_point)
{
    struct listed_kernel *list = NULL;
    unsigned count = 99;
    assert_int_equal(launch_kernels(&bench, of(&kernel, CLEARED), &list, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(list[0].launch.grid[0], 100);
    assert_int_equal(list[1].launch.grid[0], 101);
    assert_true(list[0].launch.clear_output && list[1].launch.clear_output);
    free(list);
    assert_int_equal(launch_kernels(&bench, of(&cpu, CLEARED), &list, &count), 0);
    assert_int_equal(count, 0);
    free(list);
}

BENCH_TEST(what_is_refused_has_a_reason)
{
    const struct variant *const all[] = {&kernel, &library, &cpu};
    for (int i = 0; i < 3; i++) {
        asked = 0;
        refuses(of_size(all[i], 65, PLAIN), "the size is odd");
        assert_int_equal(asked, 0); /* a refusal ends the questions */
        refuses(of(all[i], PLAIN), "");
        assert_int_equal(asked, all[i] == &kernel ? 2 : 0); /* nothing is run to find out */
    }
    refuses(of(&kernel, MUCH_SHARED),
            "it needs 307200 bytes of shared memory per block; the device has 232448");
    /* One launch of two is enough. */
    refuses(of(&kernel, SECOND_IS_LARGE),
            "it needs 307200 bytes of shared memory per block; the device has 232448");
    refuses(of(&kernel, COOPERATIVE), "the device has no cooperative launch");
    device.compute_capability = 80;
    refuses(of(&kernel, PLAIN), "it needs compute capability 9.0");
    device.compute_capability = 90;
}

/* Both need compute capability 9.0; the reason names the feature and the device's own
 * capability. */
BENCH_TEST(tensor_maps_and_clusters_are_refused_on_old_devices)
{
    struct variant old = kernel;
    old.refuses = NULL;
    refuses(of(&old, TENSOR_MAP), "");
    device.compute_capability = 89;
    refuses(of(&old, PLAIN), "");
    refuses(of(&old, TENSOR_MAP), "it copies by tensor maps, which needs compute capability 9.0 or "
                                  "more; the device has 8.9");
    refuses(of(&old, CLUSTERS),
            "it launches clusters of blocks, which needs compute capability 9.0 "
            "or more; the device has 8.9");
    device.compute_capability = 90;
}

BENCH_TEST(a_block_that_no_device_can_have_is_an_error)
{
    char reason[160];
    FAILS(launch_refused(&bench, of(&kernel, LARGE_BLOCK), reason), FAIL_INPUT,
          "launches blocks of 64 x 17 x 1 threads; a block has 1 to 1024, of them at most 64 along "
          "z");
    FAILS(launch_refused(&bench, of(&kernel, DEEP_BLOCK), reason), FAIL_INPUT,
          "launches blocks of 1 x 1 x 65 threads");
}

BENCH_TEST(a_bad_tensor_map_is_an_error)
{
    FAILS(launch_queue(&bench, of(&kernel, BAD_TENSOR_MAP), 0), FAIL_GPU,
          "a tensor map of 1000 x 101 elements of 4 bytes at 0x1000, pitch 404 bytes, box 64 x 32, "
          "swizzle 128: its pitch is not a multiple of 16 bytes");
}

TEST(what_a_tensor_map_cannot_be)
{
    static const struct {
        struct tensor_map map;
        const char *fault;
    } rows[] = {
        {{(const void *)0x1008, 8, 8, 32, 8, 8, 0, ELEMENT_FLOAT},
         "its base is not aligned to 16 bytes"},
        {{NULL, 8, 8, 32, 8, 8, 0, ELEMENT_FLOAT}, "its base is not aligned to 16 bytes"},
        {{(const void *)0x1000, 0, 8, 32, 8, 8, 0, ELEMENT_FLOAT}, "it has no elements"},
        {{(const void *)0x1000, (UINT64_C(1) << 32) + 1, 8, 32, 8, 8, 0, ELEMENT_FLOAT},
         "a side has more than 2^32 elements"},
        {{(const void *)0x1000, 8, 8, 36, 8, 8, 0, ELEMENT_FLOAT},
         "its pitch is not a multiple of 16 bytes"},
        {{(const void *)0x1000, 8, 9, 32, 8, 8, 0, ELEMENT_FLOAT},
         "its pitch is shorter than a row"},
        {{(const void *)0x1000, 8, 8, UINT64_C(1) << 40, 8, 8, 0, ELEMENT_FLOAT},
         "its pitch is 2^40 bytes or more"},
        {{(const void *)0x1000, 8, 8, 32, 257, 8, 0, ELEMENT_FLOAT},
         "a side of its box is not between 1 and 256 elements"},
        {{(const void *)0x1000, 8, 8, 32, 8, 0, 0, ELEMENT_FLOAT},
         "a side of its box is not between 1 and 256 elements"},
        {{(const void *)0x1000, 8, 8, 32, 8, 6, 0, ELEMENT_FLOAT},
         "a row of its box is not a multiple of 16 bytes"},
        {{(const void *)0x1000, 8, 8, 32, 8, 8, 16, ELEMENT_FLOAT},
         "its swizzle is not 0, 32, 64 or 128 bytes"},
        {{(const void *)0x1000, 8, 64, 256, 8, 64, 128, ELEMENT_FLOAT},
         "a row of its box is wider than its swizzle"},
        {{(const void *)0x1000, 8, 64, 256, 8, 64, 0, ELEMENT_FLOAT}, NULL},
        {{(const void *)0x1000, 1, 1, 16, 256, 256, 0, ELEMENT_FLOAT}, NULL},
        {{(const void *)0x1000, 8, 16, 64, 8, 16, 64, ELEMENT_FLOAT}, NULL},
        {{(const void *)0x1000, 8, 8, 32, 8, 8, 0, ELEMENT_COUNT},
         "its elements are of no known type"},
        /* Elements of two bytes: twice as many make a row of the same length. */
        {{(const void *)0x1000, 8, 17, 32, 8, 16, 0, ELEMENT_BFLOAT16},
         "its pitch is shorter than a row"},
        {{(const void *)0x1000, 8, 16, 32, 8, 12, 0, ELEMENT_BFLOAT16},
         "a row of its box is not a multiple of 16 bytes"},
        {{(const void *)0x1000, 8, 128, 256, 8, 128, 128, ELEMENT_BFLOAT16},
         "a row of its box is wider than its swizzle"},
        {{(const void *)0x1000, 8, 64, 128, 8, 64, 128, ELEMENT_BFLOAT16}, NULL},
    };
    assert_null(tensor_map_fault(&good_map));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *fault = tensor_map_fault(&rows[i].map);
        if (!rows[i].fault)
            assert_null(fault);
        else
            assert_string_equal(fault ? fault : "", rows[i].fault);
    }
}

BENCH_TEST(only_kernels_that_ask_have_their_output_cleared)
{
    WORKS(launch_clear(&bench, of(&kernel, PLAIN), 0)); /* no CUDA here: nothing was called */
    assert_int_equal(launch_clear(&bench, of(&library, CLEARED), 0), 0);
    assert_int_equal(launch_clear(&bench, of(&cpu, CLEARED), 0), 0);
    assert_int_equal(asked, 1);
}

BENCH_TEST(a_library_that_fails_is_named)
{
    FAILS(launch_queue(&bench, of(&library, PLAIN), 0), FAIL_GPU,
          "f/90_library: the library returned error 7");
    FAILS(launch_all(&bench, of(&library, PLAIN)), FAIL_GPU,
          "f/90_library: the library returned error 7");
    assert_int_equal(asked, 2);
}

BENCH_TEST(the_cpu_is_verified)
{
    char reason[160] = "";
    writes = 1;
    to_write = 42;
    assert_int_equal(verify_point(&bench, of(&cpu, PLAIN), reason), 0);
    assert_int_equal(asked, 1);
    to_write = 43;
    assert_int_equal(verify_point(&bench, of(&cpu, PLAIN), reason), FAIL_CHECK);
    assert_string_equal(reason, "element 0 is 43; expected 42");
    /* Results that a previous rung left there do not count as its own. */
    result_on_host = 42;
    writes = 0;
    assert_int_equal(verify_point(&bench, of(&cpu, PLAIN), reason), FAIL_CHECK);
}

BENCH_TEST(a_setting_may_have_a_reference_of_its_own)
{
    static const struct {
        const struct variant *variant;
        int sweep;
        uint32_t expected;
    } rows[] = {{&cpu, 0, 42}, {&own_reference, 1, 101}, {&own_reference, 2, 102}, {&cpu, 0, 42}};
    char reason[160] = "";
    writes = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct selected *selected = of(rows[i].variant, rows[i].sweep);
        to_write = rows[i].expected;
        assert_int_equal(verify_point(&bench, selected, reason), 0);
        to_write++;
        assert_int_equal(verify_point(&bench, selected, reason), FAIL_CHECK);
    }
}

BENCH_TEST(inputs_that_are_kept_are_not_filled_for_another_reference)
{
    fills = 0;
    bench.host_input[0] = &input_on_host;
    for (int sweep = 1; sweep <= 2; sweep++) {
        assert_int_equal(workbench_expect(&bench, of(&own_reference, sweep)), 0);
        assert_int_equal(reference, 100 + sweep);
    }
    assert_int_equal(workbench_expect(&bench, of(&cpu, 0)), 0);
    assert_int_equal(reference, 42);
    assert_int_equal(fills, 0);
}

RUN_TESTS(fixture_open, fixture_close)
