#include "injected/needed_libraries.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "injected/needed_libraries.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

#include <dlfcn.h>

TEST(the_program_needs_its_c_library)
{
    assert_int_equal(program_needs("libc.so"), 1);
}

TEST(a_library_that_is_not_linked_is_not_needed)
{
    assert_int_equal(program_needs("libno-such-library"), 0);
}

/* A library may load others with dlopen: PyTorch loads CUPTI so. */
TEST(a_library_that_is_loaded_later_is_not_needed)
{
    void *loaded = dlopen("libutil.so.1", RTLD_NOW);
    assert_non_null(loaded);
    assert_int_equal(program_needs("libutil"), 0);
    dlclose(loaded);
}

RUN_TESTS(NULL, NULL)
