#include "watched_program/parts.h"
#include "watched_program/program_choice.h"
#include "watched_program/program_names.h"

static struct program_choice choose(const char *kernel, const char *range)
{
    const struct program_filter filter = {.kernel = kernel, .range = range, .process = -1};
    struct program_choice choice;
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    return choice;
}

PARTS_TEST(kernels_with_most_of_the_time_are_chosen)
{
    OWNED_BY(program_choice_free) struct program_choice choice = choose(NULL, NULL);
    assert_int_equal(choice.count, 2); /* 2000 ns are less than 90 % of 2610 */
    assert_ptr_equal(choice.kernel[0], &parts.kernel[1]);
    assert_ptr_equal(choice.kernel[1], &parts.kernel[0]);
    assert_int_equal(choice.others, 1);
}

PARTS_TEST(kernels_are_chosen_by_name_and_range)
{
    struct program_choice choice = choose("^mul$", NULL);
    assert_int_equal(choice.count, 2);
    program_choice_free(&choice);
    choice = choose("^k-2$", NULL);
    assert_int_equal(choice.count, 0);
    program_choice_free(&choice);
    snprintf(parts.kernel[0].label, sizeof parts.kernel[0].label, "k<2>");
    choice = choose("^k-2$", NULL); /* as it is printed */
    assert_int_equal(choice.count, 1);
    program_choice_free(&choice);
    choice = choose(NULL, "^a");
    assert_int_equal(choice.count, 1);
    program_choice_free(&choice);
}

PARTS_TEST(each_process_has_its_most_time_if_that_is_asked_for)
{
    struct program_filter filter = {.process = -1};
    struct program_choice choice;
    write_part("pair/0", "kernels.csv", three_kernels);
    write_part("pair/0", "launches.csv", nine_launches);
    write_part("pair/1", "kernels.csv", PART_KERNELS "0,sub,0,4,1,1,256,1,1,0,0,32,0,1024,8,,,0\n");
    write_part("pair/1", "launches.csv", PART_LAUNCHES "0,0,0,10,7\n");
    read_from("pair");
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    assert_int_equal(choice.count, 2);
    program_choice_free(&choice);
    filter.each = 1;
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    assert_int_equal(choice.count, 3);
    assert_string_equal(choice.kernel[2]->symbol, "sub");
    assert_int_equal(program_choice_is_minor(&choice, 2), 0);
    choice.each = 0;
    assert_int_equal(program_choice_is_minor(&choice, 2), 1);
    assert_int_equal(choice.others, 1);
    program_choice_free(&choice);
}

TEST(a_damaged_expression_is_refused)
{
    const struct program_filter filter = {.range = "[", .process = -1};
    FAILS(program_filter_check(&filter), FAIL_USAGE, "--range '['");
}

PARTS_TEST(names_are_those_of_the_script_and_the_functions)
{
    OWNED_BY(program_choice_free) struct program_choice choice = choose(NULL, NULL);
    OWNED_BY(program_names_free) struct program_names names;
    assert_int_equal(program_names_make(&names, &parts, &choice), 0);
    assert_string_equal(names.point[0].family, "train");
    assert_string_equal(names.point[0].variant, "add");
    assert_int_equal(names.point[0].rung, 2);
    assert_string_equal(names.point[1].variant, "mul.g2x3");
    assert_string_equal(names.point[1].title, "mul.g2x3");
    assert_string_equal(names.point[2].variant, "mul.g2");
    assert_int_equal(names.point[2].rung, 0);
    assert_ptr_equal(program_names_chosen(&names, 0), &names.point[1]);
    assert_int_equal(program_names_set_bytes(&names, "mul*=4*2^20"), 0);
    assert_true(names.point[2].useful_bytes == 4 << 20);
    FAILS(program_bytes_check("mul=4*"), FAIL_USAGE, "mul=4*");
    FAILS(program_bytes_check("mul"), FAIL_USAGE, "mul");
}

/* Kernels of one function, in this order, with the names that they must have. */
struct expected_name {
    const char *symbol, *range;
    unsigned grid, block;
    double shared;
    int device;
    const char *variant, *title;
};

static void names_are(const struct expected_name *named, int count)
{
    struct program_kernel kernel[8] = {{0}};
    struct program_choice none = {0};
    OWNED_BY(program_names_free) struct program_names names;
    for (int i = 0; i < count; i++)
        kernel[i] = (struct program_kernel){.symbol = (char *)named[i].symbol,
                                            .name = (char *)named[i].symbol,
                                            .range = (char *)named[i].range,
                                            .device = named[i].device,
                                            .grid = {named[i].grid, 1, 1},
                                            .block = {named[i].block, 1, 1},
                                            .dynamic_shared = named[i].shared};
    const struct program_parts these = {.kernel_count = count, .kernel = kernel};
    for (int i = 0; i < count; i++)
        snprintf(kernel[i].label, sizeof kernel[i].label, "%s", named[i].symbol);
    assert_int_equal(program_names_make(&names, &these, &none), 0);
    for (int i = 0; i < count; i++) {
        assert_string_equal(names.point[i].variant, named[i].variant);
        assert_string_equal(names.point[i].title, named[i].title);
    }
}
#define NAMES(...)                                                                                 \
    names_are((const struct expected_name[]){__VA_ARGS__},                                         \
              sizeof((const struct expected_name[]){__VA_ARGS__}) / sizeof(struct expected_name))

TEST(names_tell_in_what_launches_differ)
{
    NAMES({"k<2>", "", 4, 32, 0, 0, "k-2", "k<2>"}, {"k<4>", "", 4, 32, 0, 0, "k-4", "k<4>"});
    NAMES({"k<2>", "", 4, 32, 0, 0, "k-2.b32", "k<2>.b32"},
          {"k<2>", "", 4, 64, 0, 0, "k-2.b64", "k<2>.b64"});
    NAMES({"k", "", 4, 32, 0, 0, "k.g4.b32", "k.g4.b32"},
          {"k", "", 8, 32, 0, 0, "k.g8.b32", "k.g8.b32"},
          {"k", "", 4, 64, 0, 0, "k.g4.b64", "k.g4.b64"});
    NAMES({"k", "step #", 4, 32, 0, 0, "k.step", "k.step"},
          {"k", "step #/aten::add", 8, 32, 0, 0, "k.aten__add", "k.aten__add"});
    NAMES({"k", "", 4, 32, 0, 0, "k.s0", "k.s0"}, {"k", "", 4, 32, 512, 0, "k.s512", "k.s512"});
    NAMES({"k", "", 4, 32, 0, 0, "k.d0", "k.d0"}, {"k", "", 4, 32, 0, 1, "k.d1", "k.d1"});
}

/* The same readable name can be that of two symbols. A mark may already be called like a number. */
TEST(names_that_nothing_tells_apart_are_numbered)
{
    NAMES({"k", "", 4, 32, 0, 0, "k", "k"}, {"k", "", 4, 32, 0, 0, "k.2", "k.2"},
          {"k", "", 4, 32, 0, 0, "k.3", "k.3"});
    NAMES({"a", "whyfast|k.2", 4, 32, 0, 0, "k.2", "k.2"}, {"k", "", 4, 32, 0, 0, "k", "k"},
          {"k", "", 4, 32, 0, 0, "k.3", "k.3"});
    NAMES({"a", "whyfast|k|8", 4, 32, 0, 0, "k", "k"},
          {"b", "whyfast|k|16", 4, 32, 0, 0, "k", "k"});
}

RUN_TESTS(fixture_open, fixture_close)
