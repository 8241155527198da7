#include "watched_program/parts.h"
#include "watched_program/program_pairs.h"

#define KERNEL(number, name) number "," name ",0,4,1,1,256,1,1,0,0,32,0,1024,8,,,0\n"

/* Writes a process with three kernels of one launch each. */
static void write_version(const char *directory, const char *third, int first_ns, int second_ns,
                          int third_ns)
{
    char text[512];
    snprintf(text, sizeof text,
             PART_KERNELS KERNEL("0", "most")
                 KERNEL("1", "changed") "2,%s,0,"
                                        "9,1,1,64,1,1,0,0,32,0,1024,8,,,0\n",
             third);
    write_part(directory, "kernels.csv", text);
    snprintf(text, sizeof text, PART_LAUNCHES "0,0,0,%d,7\n1,0,0,%d,7\n2,0,0,%d,7\n", first_ns,
             second_ns, third_ns);
    write_part(directory, "launches.csv", text);
}

/* Returns the symbols of the kernels that are chosen, each with a blank. The caller frees them. */
static char *chosen(const char *before, const char *after)
{
    const struct program_filter all = {.kernel = ".", .process = -1, .each = 1};
    const char *const named[] = {before, after};
    OWNED_BY(program_choice_free) struct program_choice choice;
    OWNED_BY(program_names_free) struct program_names names;
    struct text symbols = {0};
    unsigned bits;
    assert_int_equal(program_choice_make(&choice, &parts, &all), 0);
    assert_int_equal(program_names_make(&names, &parts, &choice), 0);
    assert_int_equal(program_pairs_choose(&bits, &names, &choice, named), 0);
    for (int k = 0; k < choice.count; k++)
        if (bits >> k & 1)
            text_format(&symbols, "%d%s ", choice.kernel[k]->process, choice.kernel[k]->symbol);
    return symbols.data ? symbols.data : strdup("");
}

static void chooses(const char *before, const char *after, const char *wanted)
{
    OWNED char *symbols = chosen(before, after);
    assert_string_equal(symbols, wanted);
}

TEST(the_longest_pair_and_the_one_that_changed_most_are_chosen)
{
    write_version("two/0", "other", 900, 500, 300);
    write_version("two/1", "other", 890, 100, 290);
    read_from("two");
    chooses(NULL, NULL, "0most 1most 0changed 1changed ");
    chooses("other", "other", "0other 1other ");
    chooses("most", "changed", "0most 1changed ");
    chooses("nothing", NULL, "");
}

TEST(kernels_of_other_names_are_a_pair)
{
    write_version("other/0", "old", 90, 50, 800);
    write_version("other/1", "new", 90, 50, 500);
    read_from("other");
    chooses(NULL, NULL, "0old 1new ");
}

TEST(one_process_has_no_pair)
{
    write_version("one/0", "other", 900, 500, 300);
    read_from("one");
    chooses(NULL, NULL, "");
}

static int close_all(void **state)
{
    return free_parts(state) | fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
