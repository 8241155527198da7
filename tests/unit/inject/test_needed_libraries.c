#include "inject/needed_libraries.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "inject/needed_libraries.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

#include <dlfcn.h>

static void the_program_needs_its_c_library(void **state)
{
    (void)state;
    assert_int_equal(program_needs("libc.so"), 1);
}

static void a_library_that_is_not_linked_is_not_needed(void **state)
{
    (void)state;
    assert_int_equal(program_needs("libno-such-library"), 0);
}

/* A library may load others with dlopen: PyTorch loads CUPTI so. */
static void a_library_that_is_loaded_later_is_not_needed(void **state)
{
    (void)state;
    void *loaded = dlopen("libutil.so.1", RTLD_NOW);
    assert_non_null(loaded);
    assert_int_equal(program_needs("libutil"), 0);
    dlclose(loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_needs_its_c_library),
        cmocka_unit_test(a_library_that_is_not_linked_is_not_needed),
        cmocka_unit_test(a_library_that_is_loaded_later_is_not_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
