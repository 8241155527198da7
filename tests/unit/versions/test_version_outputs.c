#include <math.h>

#include "fixture.h"
#include "versions/version_outputs.h"

static struct version_script script;

static void write_output(int is_later, const char *name, const void *bytes, size_t count)
{
    const struct path *start = is_later ? &script.later : &script.first;
    FILE *file = fopen(path_in(start->at, name).at, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* What an array of a side holds, of this kind. */
static void write_array(int side, const char *kind, const double *number, size_t count)
{
    char bytes[512];
    const int head = snprintf(bytes, sizeof bytes, "f<int, 2>\t%d\t%s\t%zu\n", 1, kind, count);
    memcpy(bytes + head, number, count * sizeof *number);
    write_output(0, side ? "b.data" : "a.data", bytes, (size_t)head + count * sizeof *number);
}

static int compare(int writes_outputs, struct text *wrong)
{
    const struct version version[2] = {{.writes_outputs = writes_outputs}, {NULL}};
    text_free(wrong);
    return version_outputs_compare(&script, version, wrong);
}

static void prepare(void)
{
    script = (struct version_script){path_in(place("."), "both"),
                                     path_in(place("."), "first"),
                                     path_in(place("."), "later"),
                                     {NULL}};
    assert_int_equal(directory_make(script.first.at), 0);
    assert_int_equal(directory_make(script.later.at), 0);
}

TEST(numbers_may_differ_by_a_share_of_the_largest)
{
    static const struct {
        const char *kind;
        double a, b;
        int differ;
    } cases[] = {
        {"integer", 5, 5, 0},   {"integer", 5, 6, 1},     {"float", 5, 5.009, 0},
        {"float", 5, 5.011, 1}, {"half", 5, 5.9, 0},      {"half", 5, 6.1, 1},
        {"double", 5, 5, 0},    {"double", 5, 5.0001, 1}, {"float", NAN, NAN, 0},
        {"float", 5, NAN, 1},   {"bytes", 1, 2, 1},
    };
    struct text wrong = {0};
    prepare();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double a[] = {100, cases[i].a, -3}, b[] = {100, cases[i].b, -3};
        write_array(0, cases[i].kind, a, 3);
        write_array(1, cases[i].kind, b, 3);
        assert_int_equal(compare(1, &wrong), 0);
        assert_int_equal(wrong.length > 0, cases[i].differ);
    }
    assert_string_equal(text_string(&wrong), "argument 1 of f<int, 2> differs at 1 of 3 elements: "
                                             "element 1 is 1 in A and 2 in B");
    text_free(&wrong);
}

TEST(arrays_of_other_sizes_are_other_problems)
{
    const double number[] = {1, 2, 3};
    struct text wrong = {0};
    prepare();
    write_array(0, "float", number, 3);
    write_array(1, "float", number, 2);
    FAILS(compare(1, &wrong), FAIL_COMPARE, "3 elements in A and 2 in B: the problem sizes differ");
    write_output(0, "b.data", "", 0);
    FAILS(compare(1, &wrong), FAIL_COMPARE, "the kernels of A write more arrays");
    write_output(0, "b.data", "f\t1\tfloat\t99999999\n", 21);
    FAILS(compare(1, &wrong), FAIL_COMPARE, "the kernels of A write more arrays");
    text_free(&wrong);
}

TEST(lines_count_that_are_the_same_in_all_starts)
{
    static const struct {
        const char *a, *later_a, *b, *later_b;
        int line; /* that differs, or 0 */
    } cases[] = {
        {"x\n", "x\n", "x\n", "x\n", 0},
        {"x\n", "x\n", "y\n", "y\n", 1},
        {"x\n1\n", "x\n2\n", "x\n3\n", "x\n3\n", 0},
        {"x\nsum 1\n", "x\nsum 1\n", "x\nsum 2\n", "x\nsum 2\n", 2},
        {"sum 1.00001", "sum 1.00001", "sum 1.00002", "sum 1.00002", 0},
        {"5 GB/s\n", "5 GB/s\n", "6 GB/s\n", "6 GB/s\n", 0},
        {"took 5ms\n", "took 5ms\n", "took 6ms\n", "took 6ms\n", 0},
        {"x\n", "x\n", "x\nFAILED\n", "x\nFAILED\n", 2},
        {"PASSED\n", "PASSED\n", "", "", 1},
        {"", "", "", "", 0},
    };
    struct text wrong = {0};
    prepare();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[32];
        write_output(0, "a.out", cases[i].a, strlen(cases[i].a));
        write_output(1, "a.out", cases[i].later_a, strlen(cases[i].later_a));
        write_output(0, "b.out", cases[i].b, strlen(cases[i].b));
        write_output(1, "b.out", cases[i].later_b, strlen(cases[i].later_b));
        assert_int_equal(compare(0, &wrong), 0);
        snprintf(words, sizeof words, "line %d of", cases[i].line);
        assert_int_equal(!strncmp(text_string(&wrong), words, strlen(words)), cases[i].line > 0);
    }
    text_free(&wrong);
}

RUN_TESTS(fixture_open, fixture_close)
