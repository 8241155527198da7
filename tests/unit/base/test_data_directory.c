/*
 * Tests where the program looks for its data: in the given place, beside the program, in an
 * installation.
 */
#include "fixture.h"

#include "base/atomic_file.h"

TEST(where_it_is_told)
{
    make_data("");
    char *found = data_directory();
    assert_non_null(found);
    assert_string_equal(found, place("data"));
    free(found);
    setenv("WHYFAST_DATA", place("nowhere"), 1);
    FAILS(!(found = data_directory()), 1,
          "cannot find the directory with metrics/, plots/ and reports/; name it in WHYFAST_DATA; "
          "it is now ");
    assert_null(found); /* a wrong given place is not replaced by another */
}

/* A copy of a program that prints the directory it finds: this one, with an argument. */
static void copy_program(const char *directory)
{
    char program[4096], target[600];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = 0;
    make_directory(directory);
    snprintf(target, sizeof target, "%s", place(directory));
    assert_int_equal(file_copy(program, target, "finds_data"), 0);
    snprintf(target, sizeof target, "%s/finds_data", place(directory));
    assert_int_equal(chmod(target, 0700), 0);
}

/* Returns the output of the copy; "" if it finds nothing. */
static const char *found_from(const char *directory)
{
    static char text[4096];
    char command[1200];
    snprintf(command, sizeof command, "unset WHYFAST_DATA; '%s/finds_data' find 2>/dev/null",
             place(directory));
    FILE *output = popen(command, "r");
    assert_non_null(output);
    const size_t length = fread(text, 1, sizeof text - 1, output);
    text[length] = 0;
    pclose(output);
    return text;
}

TEST(beside_the_program)
{
    char expected[700];
    copy_program("tree/build");
    make_directory("tree/metrics");
    write_text("tree/metrics/sets.metric", "");
    snprintf(expected, sizeof expected, "%s/..", place("tree/build"));
    assert_string_equal(found_from("tree/build"), expected);
    copy_program("installed/bin");
    make_directory("installed/share/whyfast/metrics");
    write_text("installed/share/whyfast/metrics/sets.metric", "");
    snprintf(expected, sizeof expected, "%s/../share/whyfast", place("installed/bin"));
    assert_string_equal(found_from("installed/bin"), expected);
}

/* Called by itself, the program says what it finds. */
int main(int count, char **words)
{
    if (count == 2 && !strcmp(words[1], "find")) {
        char *found = data_directory();
        printf("%s", found ? found : "");
        free(found);
        return !found;
    }
    return run_listed_tests(fixture_open, fixture_close);
}
