#include "expected_time.h"

#include <stdio.h>

/* What a stage costs: for each problem size, for each point, and for its problem's useful bytes or
 * operations, whichever its speed is given in. */
struct cost {
    double size, point, byte, operation;
};

static const struct cost measuring = {0.8, 0.05, 7e-11, 4e-12},
                         collecting = {0.6, 0.05, 1.2e-10, 9e-12}, /* three repeats */
    tracing = {0.1, 0.02, 4e-11, 7e-13};

enum { REPEATS = 3 };
static const double SECONDS_PER_KERNEL = 0.65, SECONDS_OF_REPORT = 15;

static double point_seconds(const struct selected *selected, const struct cost *cost)
{
    const struct family *family = selected->family;
    const struct shape *shape = &selected->point.shape;
    return cost->point + (family->rate == RATE_OPERATIONS
                              ? family->useful_operations(shape) * cost->operation
                              : family->useful_bytes(shape) * cost->byte);
}

static double stage_seconds(const struct selection *selection, const struct cost *cost)
{
    double seconds = 0;
    for (int start = 0, end; start < selection->count; start = end) {
        end = selection_group_end(selection, start);
        seconds += cost->size;
        for (int i = start; i < end; i++) seconds += point_seconds(&selection->points[i], cost);
    }
    return seconds;
}

/* Single instructions are counted at one size of each family, in one setting of each variant. */
static int count_kernels(const struct selection *selection)
{
    int count = 0;
    for (int i = 0; i < selection->count; i++) {
        int seen = variant_kind(selection->points[i].variant) == KIND_CPU;
        for (int j = 0; j < i && !seen; j++)
            seen = selection->points[j].variant == selection->points[i].variant;
        count += !seen;
    }
    return count;
}

double expected_seconds(const struct selection *selection, const struct collect_asked *asked,
                        int repeats)
{
    double seconds = SECONDS_OF_REPORT + stage_seconds(selection, &measuring);
    if (asked->counters) seconds += stage_seconds(selection, &collecting) * repeats / REPEATS;
    if (asked->lines) seconds += SECONDS_PER_KERNEL * count_kernels(selection);
    if (asked->timeline) seconds += stage_seconds(selection, &tracing);
    return seconds;
}

const char *expected_text(double seconds, char text[32])
{
    if (seconds < 90)
        snprintf(text, 32, "about %.0f s", 10 * (double)(int)(seconds / 10 + 1));
    else
        snprintf(text, 32, "about %.0f min", (double)(int)(seconds / 60 + 0.5));
    return text;
}
