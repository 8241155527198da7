#include "fixture.h"

#include <stdlib.h>

#include "run/named_kernels.h"

/* Kernels that differ in nothing but their places have numbers in their order, however many there
 * are, and none that another one has. */
TEST(kernels_that_are_alike_have_numbers)
{
    enum { COUNT = 3000, OTHER = 5 };
    struct named_kernel *kernels = calloc(COUNT, sizeof *kernels);
    assert_non_null(kernels);
    for (int i = 0; i < COUNT; i++) {
        kernels[i].range = "";
        kernels[i].label = i == OTHER ? "b" : "a";
    }
    assert_int_equal(named_kernels_make(kernels, COUNT), 0);
    assert_string_equal(kernels[0].variant, "a");
    assert_string_equal(kernels[1].variant, "a.2");
    assert_string_equal(kernels[OTHER].variant, "b");
    assert_string_equal(kernels[OTHER + 1].variant, "a.6");
    assert_string_equal(kernels[COUNT - 1].variant, "a.2999");
    assert_string_equal(kernels[COUNT - 1].title, "a.2999");
    free(kernels);
}

/* A mark may give a kernel the name that another one would have by its number. */
TEST(a_number_is_not_anothers_name)
{
    static const char *const range[] = {"whyfast|a|8|", "whyfast|a.2|8|", "whyfast|a|8|",
                                        "whyfast|a|8|"};
    static const char *const expected[] = {"a", "a.2", "a.3", "a.4"};
    struct named_kernel kernels[4] = {
        {.label = "k"}, {.label = "k"}, {.label = "k"}, {.label = "k"}};
    for (int i = 0; i < 4; i++) kernels[i].range = range[i];
    assert_int_equal(named_kernels_make(kernels, 4), 0);
    for (int i = 0; i < 4; i++) assert_string_equal(kernels[i].variant, expected[i]);
}

RUN_TESTS(fixture_open, fixture_close)
