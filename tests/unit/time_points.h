/*
 * Makes points of the model of time by hand, for the tests about it. Inputs that a point does not
 * name are 0, or 1 if they are multiplied: at 1 cycle per ns, one warp per scheduler and nothing
 * else, the time is the sum of issue slots and waits.
 */
#ifndef TESTS_UNIT_TIME_POINTS_H
#define TESTS_UNIT_TIME_POINTS_H

#include "fixture.h"

#include <math.h>

#include "explain/time_model.h"

/* Returns a point with these features that took `time_ns`; 0 for as long as the model says. */
static struct time_point point_of(double time_ns, const struct time_feature *features, int count)
{
    struct time_point point = {.time_ns = time_ns, .count = count};
    assert_in_range(count, 0, TIME_FEATURES);
    memcpy(point.feature, features, (size_t)count * sizeof *features);
    if (time_ns == 0) point.time_ns = time_model_ns(&point, NULL, NULL, NULL);
    return point;
}

#define POINT(time_ns, ...)                                                                        \
    point_of(                                                                                      \
        time_ns, (const struct time_feature[]){__VA_ARGS__},                                       \
        (int)(sizeof((const struct time_feature[]){__VA_ARGS__}) / sizeof(struct time_feature)))

/* Asserts that two numbers are equal but for rounding. */
static void is_number(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.15g instead of %.15g", value, expected);
}

/* Asserts that a number is in a range. */
UNUSED_IS_FINE static void is_between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("%.15g is not between %.15g and %.15g", value, low, high);
}

#endif
