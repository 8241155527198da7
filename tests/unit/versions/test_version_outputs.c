#include <math.h>

#include "base/atomic_file.h"
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

/* Writes arrays of one number each: "KERNEL ARGUMENT NUMBER;...". */
static void write_arrays(int side, const char *words)
{
    OWNED_BY(text_free) struct text bytes = {0};
    char kernel[16];
    int argument, length;
    double number;
    for (; sscanf(words, "%15s %d %lf;%n", kernel, &argument, &number, &length) == 3;
         words += length) {
        text_format(&bytes, "%s\t%d\tfloat\t1\n", kernel, argument);
        text_append_bytes(&bytes, (const char *)&number, sizeof number);
    }
    write_output(0, side ? "b.data" : "a.data", text_string(&bytes), bytes.length);
}

static int compared;

static int compare(int writes_outputs, struct text *wrong)
{
    const struct version version[2] = {{.writes_outputs = writes_outputs}, {NULL}};
    text_free(wrong);
    return version_outputs_compare(&script, version, wrong, &compared);
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
    OWNED_BY(text_free) struct text wrong = {0};
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
}

TEST(arrays_of_other_sizes_are_other_problems)
{
    const double number[] = {1, 2, 3};
    OWNED_BY(text_free) struct text wrong = {0};
    prepare();
    write_array(0, "float", number, 3);
    write_array(1, "float", number, 2);
    FAILS(compare(1, &wrong), FAIL_COMPARE, "3 elements in A and 2 in B: the problem sizes differ");
    assert_false(file_exists(path_in(script.first.at, "a.data").at));
    write_array(0, "float", number, 3);
    write_output(0, "b.data", "", 0);
    FAILS(compare(1, &wrong), FAIL_COMPARE, "no array that a kernel of A writes has a counterpart");
    write_output(0, "b.data", "f\t1\tfloat\t99999999\n", 19);
    FAILS(compare(1, &wrong), FAIL_COMPARE, "the arrays that B wrote are damaged");
}

TEST(arrays_are_paired_by_kernel_and_argument)
{
    static const struct {
        const char *a, *b;
        int compared;
        const char *wrong; /* or NULL */
    } cases[] = {
        {"f 1 5;g 1 6;", "g 1 6;f 1 5;", 2, NULL},
        {"f 1 5;g 1 6;", "g 1 6;f 1 7;", 2, "argument 1 of f differs"},
        {"f 1 5;f 2 6;", "f 2 6;f 3 7;", 1, NULL},
        {"f 1 5;f 2 6;", "f 2 7;", 1, "argument 2 of f differs"},
        {"old 1 5;f 1 6;", "f 1 6;new 1 5;", 2, NULL},
        {"old 1 5;f 1 6;", "f 1 6;new 1 4;", 2, "argument 1 of old differs"},
        {"f 1 5;f 1 6;", "f 1 5;f 1 7;", 2, "argument 1 of f differs"},
        {"f 1 5;", "f 1 5;g 1 6;", 1, NULL},
        {"", "", 0, NULL},
    };
    OWNED_BY(text_free) struct text wrong = {0};
    prepare();
    unlink(path_in(script.first.at, "a.data").at);
    unlink(path_in(script.first.at, "b.data").at);
    assert_int_equal(compare(1, &wrong), 0);
    assert_int_equal(compared, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expected = cases[i].wrong ? cases[i].wrong : "";
        write_arrays(0, cases[i].a);
        write_arrays(1, cases[i].b);
        assert_int_equal(compare(1, &wrong), 0);
        assert_int_equal(compared, cases[i].compared);
        assert_int_equal(wrong.length > 0, cases[i].wrong != NULL);
        assert_int_equal(strncmp(text_string(&wrong), expected, strlen(expected)), 0);
    }
    write_arrays(0, "f 1 5;");
    write_arrays(1, "f 2 5;");
    FAILS(compare(1, &wrong), FAIL_COMPARE, "no array that a kernel of A writes has a counterpart");
}

TEST(names_of_kernels_may_be_long)
{
    char bytes[1100];
    OWNED_BY(text_free) struct text wrong = {0};
    prepare();
    memset(bytes, 'k', 1000);
    const int head = snprintf(bytes + 1000, sizeof bytes - 1000, "\t1\tfloat\t1\n");
    memset(bytes + 1000 + head, 0, sizeof(double));
    for (int side = 0; side < 2; side++)
        write_output(0, side ? "b.data" : "a.data", bytes, 1000 + (size_t)head + sizeof(double));
    assert_int_equal(compare(1, &wrong), 0);
    assert_int_equal(compared, 1);
}

TEST(lines_count_that_are_the_same_in_all_starts)
{
    static const struct {
        const char *a, *later_a, *b, *later_b;
        int line; /* that differs, or 0 */
        int compared;
    } cases[] = {
        {"x\n", "x\n", "x\n", "x\n", 0, 1},
        {"x\n", "x\n", "y\n", "y\n", 1, 1},
        {"x\n1\n", "x\n2\n", "x\n3\n", "x\n3\n", 0, 1},
        {"x\nsum 1\n", "x\nsum 1\n", "x\nsum 2\n", "x\nsum 2\n", 2, 2},
        {"sum 1.00001", "sum 1.00001", "sum 1.00002", "sum 1.00002", 0, 1},
        {"sum 100001", "sum 100001", "sum 100002", "sum 100002", 1, 1},
        {"sum 0x100001", "sum 0x100001", "sum 0x100002", "sum 0x100002", 1, 1},
        {"9007199254740993", "9007199254740993", "9007199254740992", "9007199254740992", 1, 1},
        {"sum  -7", "sum  -7", "sum -7", "sum -7", 0, 1},
        {"1e5 nan x", "1e5 nan x", "1.00001e5 nan x", "1.00001e5 nan x", 0, 1},
        {"nan", "nan", "inf", "inf", 1, 1},
        {"100000 inf", "100000 inf", "100000.1 inf", "100000.1 inf", 0, 1},
        {"5 GB/s\n", "5 GB/s\n", "6 GB/s\n", "6 GB/s\n", 0, 0},
        {"took 5ms\n", "took 5ms\n", "took 6ms\n", "took 6ms\n", 0, 0},
        {"x\n", "x\n", "x\nFAILED\n", "x\nFAILED\n", 2, 2},
        {"PASSED\n", "PASSED\n", "", "", 1, 1},
        {"", "", "", "", 0, 0},
        {"\n", "\n", "\n", "\n", 0, 0},
    };
    OWNED_BY(text_free) struct text wrong = {0};
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
        assert_int_equal(wrong.length > 0, cases[i].line > 0);
        assert_int_equal(compared, cases[i].compared);
    }
}

RUN_TESTS(fixture_open, fixture_close)
