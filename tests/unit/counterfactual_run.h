/*
 * Compares points that a test made by hand, by the project's records. The result is the header's
 * and holds until the next comparison.
 */
#ifndef TESTS_UNIT_COUNTERFACTUAL_RUN_H
#define TESTS_UNIT_COUNTERFACTUAL_RUN_H

#include "time_points.h"

#include "base/message.h"
#include "explain/counterfactual.h"

static struct records records;
static struct counterfactual result;

UNUSED_IS_FINE static int records_open(void **state)
{
    setenv("WHYFAST_DATA", root(), 1);
    return fixture_open(state) || records_read_own(&records);
}

UNUSED_IS_FINE static int records_close(void **state)
{
    records_free(&records);
    return fixture_close(state);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns the saving of a cause; 0 if it has no row. */
UNUSED_IS_FINE static double saved(const char *cause)
{
    for (int i = 0; i < result.count; i++)
        if (!strcmp(result.row[i].cause->name, cause)) return result.row[i].saved_ns;
    return 0;
}

UNUSED_IS_FINE static int has_row(const char *cause)
{
    for (int i = 0; i < result.count; i++)
        if (!strcmp(result.row[i].cause->name, cause)) return 1;
    return 0;
}

/* Asserts that the causes that are no details, the interaction and the residual add up. */
UNUSED_IS_FINE static void sums_close(const struct time_point *before,
                                      const struct time_point *after)
{
    double sum = 0;
    for (int i = 0; i < result.count; i++)
        if (!result.row[i].within) sum += result.row[i].saved_ns;
    const double change = before->time_ns - after->time_ns;
    if (!(fabs(sum - change) <= 1e-9 * (before->time_ns + after->time_ns)))
        fail_msg("the causes sum to %.15g instead of %.15g", sum, change);
    assert_in_range(result.count, 2, COUNTERFACTUAL_ROWS);
    assert_string_equal(result.row[result.count - 2].cause->name, "interaction");
    assert_string_equal(result.row[result.count - 1].cause->name, "residual");
}

UNUSED_IS_FINE static void compare(const struct time_point *before, const struct time_point *after)
{
    counterfactual_make(&result, &records, before, after);
    sums_close(before, after);
}

/* Asserts that causes save this much, and that all other rows save nothing: "cause=ns ...". */
UNUSED_IS_FINE static void saves(const char *words)
{
    for (int i = 0; i < result.count; i++) {
        const struct counterfactual_row *row = &result.row[i];
        const char *name = row->cause->name, *word = words;
        const size_t length = strlen(name);
        while ((word = strstr(word, name)) &&
               ((word != words && word[-1] != ' ') || word[length] != '='))
            word++;
        const double expected = word ? strtod(word + length + 1, NULL) : 0;
        if (!(fabs(row->saved_ns - expected) <= 1e-8 * (1 + fabs(expected))))
            fail_msg("%s saves %.15g instead of %.15g", name, row->saved_ns, expected);
    }
    for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        if (!has_row(name)) fail_msg("%s has no row", name);
    }
}

#endif
