/*
 * Opens the run that the tests read, unpacked and with all its tables: the one under
 * reports/recorded/ of the data directory TEST_DATA, build/test-data if that is not set. It is
 * tests/fixture/, a slice of a recorded run; for make check-record it is a whole one. The run is
 * the fixture's until fixture_run_close.
 */
#ifndef TESTS_UNIT_FIXTURE_RUN_H
#define TESTS_UNIT_FIXTURE_RUN_H

#include "fixture.h"

#include "run/run.h"

static struct run fixture_run;

/* Opens the one run whose run.txt matches the pattern. Returns 0, or -1. */
UNUSED_IS_FINE static int run_open_one(struct run *run, const char *pattern)
{
    glob_t found;
    int result = -1;
    if (glob(pattern, 0, NULL, &found)) return -1;
    if (found.gl_pathc == 1) {
        *strrchr(found.gl_pathv[0], '/') = 0;
        result = run_open(run, found.gl_pathv[0]);
    }
    globfree(&found);
    return result;
}

/* Whether the run is a slice, which lacks families, sizes and kernels of the whole one. */
UNUSED_IS_FINE static int is_slice(void)
{
    return run_fact(&fixture_run, "slice_of") != NULL;
}

/* The least number of things that a test must find: in the slice, and in a whole run. */
UNUSED_IS_FINE static double at_least(double in_slice, double in_whole)
{
    return is_slice() ? in_slice : in_whole;
}

/* Group setup and teardown; they also open and close the fixture. */
UNUSED_IS_FINE static int fixture_run_open(void **state)
{
    char pattern[1024];
    const char *data = getenv("TEST_DATA");
    if (data)
        snprintf(pattern, sizeof pattern, "%s/reports/recorded/*/run.txt", data);
    else
        snprintf(pattern, sizeof pattern, "%s/build/test-data/reports/recorded/*/run.txt", root());
    return fixture_open(state) ? -1 : run_open_one(&fixture_run, pattern);
}

UNUSED_IS_FINE static int fixture_run_close(void **state)
{
    run_close(&fixture_run);
    return fixture_close(state);
}

#endif
