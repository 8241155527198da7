/*
 * Tests the contract of catalog/variant.h, so a new family or variant is checked automatically.
 */
#include "fixture.h"

#include "catalog/registry.h"

/* Test what contract_check does not, which test_contract.c applies to them. */
TEST(families_keep_the_contract)
{
    assert_non_null(registry_families[0]);
    for (int i = 0; registry_families[i]; i++) {
        const struct family *family = registry_families[i];
        if (i > 0) assert_true(strcmp(registry_families[i - 1]->name, family->name) < 0);
        for (int s = 0; family->sizes[s]; s++) {
            struct shape shape;
            char text[72];
            assert_in_range(s, 0, (int)(sizeof family->sizes / sizeof *family->sizes) - 2);
            assert_int_equal(shape_parse(&shape, family->sizes[s], family->rank), 0);
            assert_string_equal(
                shape_text(&shape, text),
                family->sizes[s]); /* runs and claims identify a size by these digits */
            for (int k = 0; k < family->input_count; k++)
                assert_true(family->input_bytes(&shape, k) > 0);
            assert_true(family->output_bytes(&shape) > 0 && family->useful_bytes(&shape) > 0 &&
                        family->useful_operations(&shape) >= 0);
        }
        for (int b = 0; family->blocks[b]; b++) {
            assert_in_range(b, 0, BLOCK_VALUES - 2);
            assert_in_range(family->blocks[b], 1, 1024);
        }
        assert_true(registry_matches(family->name) > 0);
    }
}

static void check_kind(const struct variant *variant)
{
    if (!variant->plan &&
        (variant->launch_count || variant->excess_wavefronts || variant->shared_accesses))
        fail_msg("%s: launches or a closed form without a kernel", variant->file);
    if (variant->excess_wavefronts && variant->shared_accesses)
        fail_msg("%s: two closed forms", variant->file);
}

/* A variant is a step from an earlier kernel of its family. */
static void check_step(const struct variant *variant)
{
    const struct variant *before =
        variant->after ? registry_variant(variant->family, variant->after) : NULL;
    if (before && (strcmp(before->name, variant->name) >= 0 || variant_kind(before) != KIND_KERNEL))
        fail_msg("%s: '%s' is no earlier kernel", variant->file, variant->after);
}

static int sweeps(const struct variant *variant, int value)
{
    int found = 0;
    for (int i = 0; i < SWEEP_VALUES && variant->sweep_values[i]; i++)
        found |= variant->sweep_values[i] == value;
    return found;
}

static void check_words(const struct variant *variant)
{
    const int rank = registry_family(variant->family)->rank;
    struct shape shape;
    char text[72];
    for (int c = 0; c < CLAIM_COUNT && variant->claims[c].says; c++) {
        const struct claim *claim = &variant->claims[c];
        if (claim->size) {
            if (shape_parse(&shape, claim->size, rank) ||
                strcmp(shape_text(&shape, text), claim->size))
                fail_msg("%s: claim %d speaks of the size '%s'", variant->file, c + 1, claim->size);
        }
        if (claim->sweep && !sweeps(variant, claim->sweep))
            fail_msg("%s: claim %d speaks of the setting %d", variant->file, c + 1, claim->sweep);
    }
    assert_null(variant->claims[CLAIM_COUNT - 1].says);
    assert_null(variant->published[PUBLISHED_COUNT - 1].source);
    for (int p = 0; variant->published[p].source; p++) {
        const struct published *published = &variant->published[p];
        assert_true(published->effective_gbs > 0 || published->row);
        if (published->sweep && !sweeps(variant, published->sweep))
            fail_msg("%s: %s, setting %d", variant->file, published->source, published->sweep);
    }
}

TEST(variants_keep_the_contract)
{
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        assert_true(variant->suffers && variant->changes && variant->pays);
        if (variant_rung(variant->name) < 1)
            fail_msg("%s: the name begins with no number", variant->file);
        const struct variant *before = i > 0 ? registry_variants[i - 1] : NULL;
        const int order = before ? strcmp(before->file, variant->file) : -1;
        assert_true(order < 0 || (order == 0 && strcmp(before->name, variant->name) < 0));
        assert_int_equal(variant->sweep_values[SWEEP_VALUES - 1], 0);
        for (int s = 1; s < SWEEP_VALUES && variant->sweep_values[s]; s++)
            assert_true(variant->sweep_values[s] > variant->sweep_values[s - 1]);
        check_kind(variant);
        check_step(variant);
        check_words(variant);
    }
}

/* ---- plans of kernels ------------------------------------------------------------------------ */

enum { BUFFERS = INPUT_COUNT + 2, MOST_SHARED = 227 << 10 };

/* The addresses of a point's buffers: far from each other and from every number that may be an
 * argument. */
struct buffers {
    uint64_t at[BUFFERS];
    uint64_t bytes[BUFFERS];
};

static struct work work_in(struct buffers *buffers, const struct family *family,
                           const struct point *point, int sm_count)
{
    struct work work = {.point = *point, .sm_count = sm_count};
    memset(buffers, 0, sizeof *buffers);
    for (int i = 0; i < BUFFERS; i++) buffers->at[i] = (uint64_t)(i + 1) << 50;
    for (int i = 0; i < family->input_count; i++)
        buffers->bytes[i] = family->input_bytes(&point->shape, i);
    buffers->bytes[INPUT_COUNT] = family->output_bytes(&point->shape);
    buffers->bytes[INPUT_COUNT + 1] = family_scratch_bytes(family, &point->shape);
    for (int i = 0; i < family->input_count; i++)
        work.input[i] = (const void *)(uintptr_t)buffers->at[i];
    work.output = (void *)(uintptr_t)buffers->at[INPUT_COUNT];
    if (buffers->bytes[INPUT_COUNT + 1])
        work.scratch = (void *)(uintptr_t)buffers->at[INPUT_COUNT + 1];
    return work;
}

/* Returns the buffer that an address lies in, or -1. */
static int buffer_of(const struct buffers *buffers, uint64_t address)
{
    for (int i = 0; i < BUFFERS; i++)
        if (address >= buffers->at[i] && address < buffers->at[i] + buffers->bytes[i]) return i;
    return -1;
}

/* Checks the launch against the limits of every device since compute capability 7.5, except shared
 * memory, whose limit is that of 9.0. Returns 1 if the output is among its arguments. */
static int check_launch(const struct launch *launch, const struct buffers *buffers,
                        const char *what)
{
    static const unsigned most_grid[] = {INT32_MAX, 65535, 65535}, most_block[] = {1024, 1024, 64};
    int writes = 0;
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] < 1 || launch->grid[i] > most_grid[i])
            fail_msg("%s: %u blocks along axis %d", what, launch->grid[i], i);
        if (launch->block[i] < 1 || launch->block[i] > most_block[i])
            fail_msg("%s: %u threads along axis %d", what, launch->block[i], i);
    }
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    if (threads > 1024) fail_msg("%s: %u threads in a block", what, (unsigned)threads);
    if (launch->dynamic_shared > MOST_SHARED)
        fail_msg("%s: %zu bytes of shared memory", what, launch->dynamic_shared);
    if (!launch->function) fail_msg("%s: no kernel", what);
    if (launch->clear_scratch > buffers->bytes[INPUT_COUNT + 1])
        fail_msg("%s: clears %zu bytes of scratch", what, launch->clear_scratch);
    if (launch->tensor_map_count < 0 || launch->tensor_map_count > TENSOR_MAPS)
        fail_msg("%s: %d tensor maps", what, launch->tensor_map_count);
    for (int i = 0; i < launch->tensor_map_count && i < TENSOR_MAPS; i++) {
        const struct tensor_map *map = &launch->tensor_map[i];
        const uint64_t first = (uint64_t)(uintptr_t)map->base,
                       last = first + (map->rows - 1) * map->pitch +
                              map->columns * tensor_map_element_bytes(map) - 1;
        const int buffer = buffer_of(buffers, first);
        if (buffer < 0 || buffer_of(buffers, last) != buffer)
            fail_msg("%s: tensor map %d leads outside of all buffers", what, i);
        if (map->pitch % 16 || first % 16) fail_msg("%s: tensor map %d is not aligned", what, i);
        writes |= buffer == INPUT_COUNT;
    }
    if (launch->cluster && launch->grid[0] % launch->cluster)
        fail_msg("%s: %u blocks do not make clusters of %u", what, launch->grid[0],
                 launch->cluster);
    if (launch->argument_count < 1 || launch->argument_count > LAUNCH_ARGUMENTS)
        fail_msg("%s: %d arguments", what, launch->argument_count);
    for (int i = 0; i < launch->argument_count && i < LAUNCH_ARGUMENTS; i++) {
        const uint64_t argument = launch->argument[i];
        const int buffer = buffer_of(buffers, argument);
        if (argument >= UINT64_C(1) << 50 && buffer < 0)
            fail_msg("%s: argument %d points outside of all buffers", what, i);
        writes |= buffer == INPUT_COUNT;
    }
    return writes;
}

/* Checks the conditions of harness/catalog/bank_model.h on an access. */
static void check_accesses(const struct variant *variant, const struct work *work, unsigned index,
                           const char *what)
{
    struct shared_access list[SHARED_ACCESSES];
    memset(list, 0, sizeof list);
    const int count = variant->shared_accesses(work, index, list);
    if (count < 0 || count > SHARED_ACCESSES) fail_msg("%s: %d accesses", what, count);
    for (int i = 0; i < count; i++) {
        const struct shared_access *access = &list[i];
        int active = 0;
        if (!access->name || !*access->name) fail_msg("%s: access %d has no name", what, i);
        if (access->kind > ACCESS_MATRIX_LOAD)
            fail_msg("%s: %s: kind %d", what, access->name, (int)access->kind);
        if (access->width != 16 &&
            (access->kind == ACCESS_MATRIX_LOAD ||
             (access->width != 2 && access->width != 4 && access->width != 8)))
            fail_msg("%s: %s: %d bytes", what, access->name, access->width);
        if (!(access->executions >= 0))
            fail_msg("%s: %s: %g executions", what, access->name, access->executions);
        for (int lane = 0; lane < 32; lane++) {
            const int address = access->address[lane];
            if (address == LANE_IDLE) continue;
            active++;
            if (address < 0 || address >= MOST_SHARED || address % access->width)
                fail_msg("%s: %s: address %d of lane %d", what, access->name, address, lane);
        }
        if (!active) fail_msg("%s: %s: no lane takes part", what, access->name);
    }
}

/* The pick of a variant is a few words, always the same object. */
static void check_choice(const struct variant *variant, const struct work *work, const char *what)
{
    const char *choice = variant->choice(work);
    if (!choice || !*choice || strlen(choice) > 40 || strchr(choice, ',') ||
        choice != variant->choice(work))
        fail_msg("%s: the choice is '%s'", what, choice ? choice : "(null)");
}

/* Checks all launches of a point, unless it is refused. */
static int check_point(const struct variant *variant, const struct family *family,
                       const struct point *point, int sm_count)
{
    struct buffers buffers;
    char size[72], what[256];
    const struct work work = work_in(&buffers, family, point, sm_count);
    int writes = 0;
    if (variant->refuses && variant->refuses(point, 90)) return 0;
    const unsigned count = variant_launches(variant, point);
    if (variant->launch_count) assert_int_equal(variant->launch_count(point), count);
    if (count < 1 || count > 64)
        fail_msg("%s, size %s: %u launches", variant->file, shape_text(&point->shape, size), count);
    for (unsigned i = 0; i < count; i++) {
        struct launch launch;
        memset(&launch, 0, sizeof launch);
        for (int k = 0; k < 3; k++) launch.grid[k] = launch.block[k] = 1; /* as the harness does */
        variant->plan(&work, i, &launch);
        snprintf(what, sizeof what, "%s, size %s, block %d, setting %d, %d SMs, launch %u",
                 variant->file, shape_text(&point->shape, size), point->block, point->sweep,
                 sm_count, i);
        writes |= check_launch(&launch, &buffers, what);
        if (variant->excess_wavefronts) assert_true(variant->excess_wavefronts(point, i) >= 0);
        if (variant->shared_accesses) check_accesses(variant, &work, i, what);
    }
    if (variant->choice) check_choice(variant, &work, what);
    if (!writes)
        fail_msg("%s, size %s: no launch is given the output", variant->file,
                 shape_text(&point->shape, size));
    return 1;
}

/* Sizes of a run, and small and odd sizes with equal dimensions. */
static int size_at(const struct family *family, int index, struct shape *shape)
{
    static const uint64_t all[] = {1, 2, 31, 33, 257, 1000, 4097};
    int sizes = 0;
    while (family->sizes[sizes]) sizes++;
    if (index < sizes) return shape_parse(shape, family->sizes[index], family->rank) == 0;
    if (index - sizes >= (int)(sizeof all / sizeof *all)) return 0;
    memset(shape, 0, sizeof *shape);
    shape->rank = family->rank;
    for (int i = 0; i < family->rank; i++) shape->dim[i] = all[index - sizes];
    return 1;
}

TEST(launches_keep_the_limits)
{
    static const int sm_counts[] = {1, 132, 1000};
    int kernels = 0;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        const struct family *family = registry_family(variant->family);
        struct shape shape;
        int runs = 0;
        if (variant_kind(variant) != KIND_KERNEL) continue;
        kernels++;
        for (int s = 0; size_at(family, s, &shape); s++) {
            for (int b = 0; b == 0 || family->blocks[b]; b++) {
                for (int w = 0; w == 0 || variant->sweep_values[w]; w++) {
                    const struct point point = {.shape = shape,
                                                .block = family->blocks[b],
                                                .sweep = variant->sweep_values[w]};
                    for (size_t m = 0; m < sizeof sm_counts / sizeof *sm_counts; m++)
                        runs += check_point(variant, family, &point, sm_counts[m]);
                }
            }
        }
        if (!runs) fail_msg("%s refuses everything", variant->file);
    }
    assert_true(kernels >= 7);
}

/* ---- the three kinds ------------------------------------------------------------------------- */

static unsigned five(const struct point *point)
{
    return point->sweep ? 1 : 5;
}

static void no_plan(const struct work *work, unsigned index, struct launch *launch)
{
}

static int no_call(const struct work *work, void *stream)
{
    return stream != NULL;
}

static void no_host(const struct work *work)
{
}

TEST(kinds_of_variants)
{
    const struct variant kernel = {.launch_count = five, .plan = no_plan},
                         library = {.call = no_call}, cpu = {.host = no_host};
    const struct point plain = {.sweep = 0}, swept = {.sweep = 3};
    assert_int_equal(variant_kind(&kernel), KIND_KERNEL);
    assert_int_equal(variant_kind(&library), KIND_LIBRARY);
    assert_int_equal(variant_kind(&cpu), KIND_CPU);
    assert_int_equal(variant_launches(&kernel, &plain), 5);
    assert_int_equal(variant_launches(&kernel, &swept), 1);
    assert_int_equal(variant_launches(&library, &plain), 1); /* one call, whatever it launches */
    assert_int_equal(variant_launches(&cpu, &plain), 0);
}

TEST(arguments_come_in_order)
{
    struct launch launch;
    memset(&launch, 0, sizeof launch);
    launch_pointer(&launch, &launch);
    launch_integer(&launch, UINT64_C(1) << 40);
    launch_pointer(&launch, NULL);
    assert_int_equal(launch.argument_count, 3);
    assert_int_equal(launch.argument[0], (uint64_t)(uintptr_t)&launch);
    assert_int_equal(launch.argument[1], UINT64_C(1) << 40);
    assert_int_equal(launch.argument[2], 0);
}

RUN_TESTS(fixture_open, fixture_close)
