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
    struct program_choice choice = choose(NULL, NULL);
    assert_int_equal(choice.count, 2); /* 2000 ns are less than 90 % of 2610 */
    assert_ptr_equal(choice.kernel[0], &parts.kernel[1]);
    assert_ptr_equal(choice.kernel[1], &parts.kernel[0]);
    assert_int_equal(choice.others, 1);
    program_choice_free(&choice);
}

PARTS_TEST(kernels_are_chosen_by_name_and_range)
{
    struct program_choice choice = choose("^mul$", NULL);
    assert_int_equal(choice.count, 2);
    program_choice_free(&choice);
    choice = choose(NULL, "^a");
    assert_int_equal(choice.count, 1);
    program_choice_free(&choice);
}

TEST(a_damaged_expression_is_refused)
{
    const struct program_filter filter = {.range = "[", .process = -1};
    FAILS(program_filter_check(&filter), FAIL_USAGE, "--range '['");
}

PARTS_TEST(names_are_those_of_the_script_and_the_functions)
{
    struct program_choice choice = choose(NULL, NULL);
    struct program_names names;
    assert_int_equal(program_names_make(&names, &parts, &choice), 0);
    assert_string_equal(names.point[0].family, "train");
    assert_string_equal(names.point[0].variant, "add");
    assert_int_equal(names.point[0].rung, 2);
    assert_string_equal(names.point[1].variant, "mul");
    assert_string_equal(names.point[2].variant, "mul.2");
    assert_int_equal(names.point[2].rung, 0);
    assert_ptr_equal(program_names_chosen(&names, 0), &names.point[1]);
    assert_int_equal(program_names_set_bytes(&names, "mul*=4*2^20"), 0);
    assert_true(names.point[2].useful_bytes == 4 << 20);
    FAILS(program_bytes_check("mul=4*"), FAIL_USAGE, "mul=4*");
    FAILS(program_bytes_check("mul"), FAIL_USAGE, "mul");
    program_names_free(&names);
    program_choice_free(&choice);
}

RUN_TESTS(fixture_open, fixture_close)
