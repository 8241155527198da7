#include "selftest_kernels/selftest_measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "selftest_kernels/selftest_kernels.h"
#include "collect/collect_counters.h"
#include "measure/measure_run.h"

/* Times matter for a few checks only: the fewest samples that give an interval. */
enum { SEED = 20, SAMPLES = 7, REPEATS = 3 };
static const double SECONDS = 0.5;

static int is_wanted(const struct selftest_options *options, const struct variant *variant)
{
    char name[160];
    variant_full_name(variant, name);
    for (int i = 0; i < options->pattern_count; i++)
        if (names_match(options->patterns[i], name)) return 1;
    return !options->pattern_count;
}

static int add_points(struct selection *selection, const struct variant *variant)
{
    const struct family *family =
        strcmp(variant->family, selftest_family.name) ? &selftest_memory_family : &selftest_family;
    for (int i = 0; i == 0 || variant->sweep_values[i]; i++) {
        struct selected selected = {
            .family = family, .variant = variant, .point = {.sweep = variant->sweep_values[i]}};
        const int result = shape_parse(&selected.point.shape, family->sizes[0], family->rank);
        struct selected *points =
            result ? NULL
                   : realloc(selection->points, (size_t)(selection->count + 1) * sizeof *points);
        if (!points) return result ? result : error_memory();
        selection->points = points;
        points[selection->count++] = selected;
        if (!variant->sweep_values[i]) break;
    }
    return 0;
}

int selftest_select(struct selection *selection, const struct selftest_options *options)
{
    int result = 0;
    memset(selection, 0, sizeof *selection);
    for (int i = 0; selftest_variants[i] && !result; i++)
        if (is_wanted(options, selftest_variants[i]))
            result = add_points(selection, selftest_variants[i]);
    if (!result && selection->count == 0)
        result = error(FAIL_USAGE,
                       "no kernel of the self-test matches '%s'; 'whyfast selftest' runs them all",
                       options->patterns[0]);
    if (result) selection_free(selection);
    return result;
}

int selftest_measure(struct run *run, const struct selection *selection,
                     const struct selftest_options *options)
{
    const uint64_t seed = options->seed >= 0 ? (uint64_t)options->seed : SEED;
    const struct measure_options measure = {
        .seed = seed, .most_samples = SAMPLES, .most_seconds = SECONDS};
    const struct collect_options collect = {
        .repeats = options->repeats ? options->repeats : REPEATS, .demand = 1};
    int result = run_fact_set(run, "command_line", "%s", options->command_line);
    if (!result) result = describe_run(run, selection, &measure);
    if (!result) result = run_fact_set(run, "selftest", "this run is one");
    if (!result) result = measure_run(run, selection, &measure);
    if (!result) result = collect_run(run, selection, seed, &collect);
    return result;
}
