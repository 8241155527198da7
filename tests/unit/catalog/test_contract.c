/*
 * Tests that a family or variant that lacks a field gives the sentence that says how to mend it,
 * and that a complete one gives none.
 */
#include "fixture.h"

#include "catalog/registry.h"

static size_t some_bytes(const struct shape *shape)
{
    return (size_t)shape->dim[0];
}

static size_t input_bytes(const struct shape *shape, int index)
{
    return (size_t)shape->dim[0] + (size_t)index;
}

static double amount(const struct shape *shape)
{
    return (double)shape->dim[0];
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
}

static void host(const struct work *work)
{
}

static const struct family whole = {
    .name = "mine",
    .title = "Mine",
    .problem = "A problem.",
    .rank = 1,
    .sizes = {"1024", "2^20"},
    .input_count = 1,
    .comparison = COMPARE_FLOAT_FROBENIUS,
    .useful_bytes_text = "4 bytes",
    .input_bytes = input_bytes,
    .output_bytes = some_bytes,
    .useful_bytes = amount,
    .useful_operations = amount,
    .tolerance = amount,
    .fill = fill,
    .reference = reference,
};

static const struct variant first = {.family = "mine",
                                     .name = "01_first",
                                     .file = "elsewhere/mine/01_first.cu",
                                     .title = "First",
                                     .plan = plan};

static int check(const struct family *family, const struct variant *variant)
{
    const struct family *const families[] = {family, NULL};
    const struct variant *const variants[] = {&first, variant, NULL};
    return contract_check(families, variants);
}

/* The build counts the variants of a grid by their names in the file. */
TEST(a_cell_that_the_build_has_missed)
{
    struct variant grid[3] = {first, first};
    const struct family *const families[] = {&whole, NULL};
    const struct variant *const one[] = {&grid[0], NULL}, *const both[] = {&grid[0], &grid[1],
                                                                           NULL};
    grid[1].name = "02_second";
    grid[0].file = grid[1].file = "kernels/mine/grid.cu";
    FAILS(contract_check(families, one), FAIL_INPUT,
          "kernels/mine/grid.cu: 02_second is not found; write each name once");
    SUCCEEDS(contract_check(families, both), "");
}

TEST(a_whole_family_has_no_fault)
{
    const struct variant second = {.family = "mine",
                                   .name = "02_second",
                                   .file = "elsewhere/mine/02_second.cu",
                                   .title = "Second",
                                   .after = "01_first",
                                   .plan = plan};
    SUCCEEDS(check(&whole, NULL), "");
    SUCCEEDS(check(&whole, &second), "");
    SUCCEEDS(contract_check(registry_families, registry_variants), "");
}

/* Leaves out each field that a family needs. */
#define FORGETS(field, words)                                                                      \
    do {                                                                                           \
        struct family lacking = whole;                                                             \
        memset(&lacking.field, 0, sizeof lacking.field);                                           \
        FAILS(check(&lacking, NULL), FAIL_INPUT, "elsewhere/mine/family.c: ." words);              \
    } while (0)

TEST(a_forgotten_field_of_a_family_is_named)
{
    FORGETS(title, "title is missing; add a few words");
    FORGETS(problem, "problem is missing");
    FORGETS(rank, "rank must be 1, 2 or 3");
    FORGETS(sizes, "sizes is missing");
    FORGETS(comparison, "comparison is missing; add a value of enum comparison");
    FORGETS(useful_bytes_text, "useful_bytes_text is missing");
    FORGETS(input_bytes, "input_bytes is missing");
    FORGETS(output_bytes, "output_bytes is missing");
    FORGETS(useful_bytes, "useful_bytes is missing");
    FORGETS(useful_operations, "useful_operations is missing; add the function");
    FORGETS(tolerance, "tolerance is missing");
    FORGETS(fill, "fill is missing");
    FORGETS(reference, "reference is missing");
}

#define WRONG(change, words)                                                                       \
    do {                                                                                           \
        struct family wrong = whole;                                                               \
        wrong.change;                                                                              \
        FAILS(check(&wrong, NULL), FAIL_INPUT, words);                                             \
    } while (0)

TEST(a_wrong_field_of_a_family_is_named)
{
    WRONG(sizes[1] = "12y", ".sizes holds \"12y\"; expected 1 whole numbers");
    WRONG(primary_size = "4096", ".primary_size is \"4096\", which is not one of .sizes");
    WRONG(blocks[0] = 128, ".block_preset is not one of .blocks");
    WRONG(input_count = 4, ".input_count must be at most 3");
    WRONG(comparison = (enum comparison)77, ".comparison is not a value of enum comparison");
    WRONG(unit = (enum compute_unit)77, ".unit is not a value of enum compute_unit");
    struct family by_bytes = whole;
    by_bytes.unit = UNIT_TENSOR_BF16;
    by_bytes.rate = RATE_BYTES;
    FAILS(check(&by_bytes, NULL), FAIL_INPUT, "expected .rate to be RATE_OPERATIONS");
    WRONG(comparison = COMPARE_INT32_EXACT, ".tolerance is for approximate comparisons");
}

TEST(every_fault_is_told)
{
    struct family lacking = whole;
    lacking.title = lacking.problem = NULL;
    FAILS(check(&lacking, NULL), FAIL_INPUT, ".title is missing");
    FAILS(check(&lacking, NULL), FAIL_INPUT, ".problem is missing");
}

/* A variant with one more designator, which may override one. */
#define WITH(...)                                                                                  \
    &(const struct variant)                                                                        \
    {                                                                                              \
        .family = "mine", .name = "02_second", .file = "elsewhere/mine/02_second.cu", __VA_ARGS__  \
    }

TEST(a_fault_of_a_variant_is_named)
{
    FAILS(check(&whole, WITH(.plan = plan)), FAIL_INPUT,
          "elsewhere/mine/02_second.cu: .title is missing");
    FAILS(check(&whole, WITH(.title = "T")), FAIL_INPUT, "02_second.cu: .plan is missing; add");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .host = host)), FAIL_INPUT,
          "a variant must have only one of .plan, .call and .host");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .after = "01_frist")), FAIL_INPUT,
          ".after names \"01_frist\", which is not a variant of family mine; did you mean "
          "\"01_first\"?");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .after = "02_second")), FAIL_INPUT,
          ".after leads back to this variant");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .sweep_name = "loads")), FAIL_INPUT,
          ".sweep_values is missing");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .sweep_values = {1, 2})), FAIL_INPUT,
          ".sweep_name is missing");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .claims = {{.says = "It is fast."}})),
          FAIL_INPUT, "claim number 1 in .claims lacks a source");
    FAILS(
        check(&whole,
              WITH(.title = "T", .plan = plan,
                   .published = {{.source = "Book", .device = "A", .size = "1x2", .time_ns = 1}})),
        FAIL_INPUT, "result number 1 in .published needs a device, a time, and a size");
    FAILS(check(&whole, WITH(.title = "T", .plan = plan, .fails = "It may.", .sweep_name = "loads",
                             .sweep_text = "loads", .sweep_values = {1})),
          FAIL_INPUT, ".fails is for kernels without a setting");
}

TEST(a_variant_has_a_bound_of_its_own_if_errors_are_measured)
{
    struct family exact = whole;
    exact.comparison = COMPARE_INT32_EXACT;
    exact.tolerance = NULL;
    SUCCEEDS(check(&whole, WITH(.title = "T", .plan = plan, .tolerance = amount)), "");
    FAILS(check(&exact, WITH(.title = "T", .plan = plan, .tolerance = amount)), FAIL_INPUT,
          "02_second.cu: .tolerance is for approximate comparisons; that of family mine is exact");
}

TEST(nothing_improves_on_a_rung_that_fails)
{
    static const struct variant failing = {.family = "mine",
                                           .name = "01_first",
                                           .file = "kernels/mine/01_first.cu",
                                           .title = "T",
                                           .plan = plan,
                                           .fails = "It may."},
                                next = {.family = "mine",
                                        .name = "02_second",
                                        .file = "kernels/mine/02_second.cu",
                                        .title = "T",
                                        .plan = plan,
                                        .after = "01_first"};
    const struct family *const families[] = {&whole, NULL};
    const struct variant *const variants[] = {&failing, &next, NULL};
    FAILS(contract_check(families, variants), FAIL_INPUT,
          "02_second.cu: .after names \"01_first\", which is expected to fail and so has no time "
          "to compare");
}

TEST(a_variant_without_its_family_is_told)
{
    const struct family *const families[] = {NULL};
    const struct variant *const variants[] = {&first, NULL};
    FAILS(contract_check(families, variants), FAIL_INPUT,
          "elsewhere/mine/01_first.cu: there is no family mine; write its family.c");
}

RUN_TESTS(fixture_open, fixture_close)
