/*
 * Writes the comparison of two runs as a file of JUnit, which services for CI show as tests.
 * Nothing is owned.
 */
#ifndef WHYFAST_COMPARE_JUNIT_H
#define WHYFAST_COMPARE_JUNIT_H

#include "explain/compare_runs.h"

/* A test case for each point: a failure if it is slower or wrong, skipped if it was not measured in
 * both runs. To be called after compare_print or compare_print_data. */
int compare_junit_write(struct run_comparison *comparison, const char *path);

#endif
