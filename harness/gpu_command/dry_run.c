#include "gpu_command/dry_run.h"

#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "catalog/registry.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* How a stage treats its points. */
struct plan {
    const char *stage;
    int on_cpu;  /* it runs what runs on the CPU, too */
    int timed;   /* it takes series of samples */
    int in_best; /* it runs a swept variant in its fastest setting alone */
    int repeats; /* of counters; 0: it collects none */
    int hides;   /* 1: without rows, for other tools alone */
};

static const char header[] = "stage," POINT_KEY_CSV ",launches,series,repeats";

/* `settings` is how many of a swept variant are selected. */
static void write_point(const struct plan *plan, const struct selected *selected, int settings,
                        unsigned launches)
{
    struct csv_writer writer = {.file = stdout};
    char size[72];
    int series;
    series_plan(selected->variant, &selected->point, &series);
    CSV_TEXTS(&writer, plan->stage, selected->variant->family, selected->variant->name,
              shape_text(&selected->point.shape, size));
    csv_integer(&writer, selected->point.block);
    if (settings > 1)
        csv_text(&writer, NULL);
    else
        csv_integer(&writer, selected->point.sweep);
    csv_integer(&writer, selected->point.device);
    const int counts[] = {(int)launches, plan->timed ? series : 0, plan->repeats};
    for (int i = 0; i < 3; i++) csv_number(&writer, counts[i] ? counts[i] : NAN);
    csv_end(&writer);
}

static void plan_point(const struct plan *plan, const struct selected *selected, int settings)
{
    struct selected announced = *selected;
    if (settings > 1) announced.point.sweep = 0;
    const unsigned launches =
        settings > 1 ? 0 : variant_launches(selected->variant, &selected->point);
    if (!plan->hides) write_point(plan, selected, settings, launches);
    nvtx_variant(&announced, -1, 0);
    for (unsigned i = 0; i < launches; i++) {
        nvtx_launch(selected->variant, i, NULL);
        nvtx_end();
    }
    nvtx_end();
}

/* The points of one family and size; those of a swept variant lie together. */
static int plan_group(const struct plan *plan, const struct selected *first, int count)
{
    struct stage stage;
    const int result = stage_begin(&stage, NULL, plan->stage, first);
    for (int i = 0, settings; i < count && !result; i += settings) {
        settings = 1;
        while (plan->in_best && i + settings < count &&
               first[i + settings].variant == first[i].variant)
            settings++;
        const int has_counters = !first[i].variant->fails || !(plan->repeats || plan->in_best);
        if (has_counters && (plan->on_cpu || variant_kind(first[i].variant) != KIND_CPU))
            plan_point(plan, &first[i], settings);
    }
    return stage_end(&stage, result);
}

static int plan_points(const struct plan *plan, const struct selection *selection)
{
    struct stage whole;
    int result = stage_begin(&whole, NULL, plan->stage, NULL);
    for (int start = 0, end; start < selection->count && !result; start = end) {
        end = selection_group_end(selection, start);
        result = plan_group(plan, &selection->points[start], end - start);
    }
    return stage_end(&whole, result);
}

static int plan_stage(const char *name, int hides)
{
    struct stage stage;
    if (!hides) printf("%s,,,,,,,,,\n", name);
    return stage_end(&stage, stage_begin(&stage, NULL, name, NULL));
}

/* ---- expected time --------------------------------------------------------------------------- */

/* The cost of a stage: for each problem size, for each point, and for its problem's useful bytes or
 * operations, whichever its speed is given in. */
struct cost {
    double size, point, byte, operation;
};

static const struct cost measuring = {0.8, 0.05, 7e-11, 4e-12},
                         collecting = {0.6, 0.05, 1.2e-10, 9e-12}, /* three repeats */
    tracing = {0.1, 0.02, 4e-11, 7e-13};

enum { REPEATS = 3, TENSOR_SPEED = 8 /* operations on tensor cores for one on CUDA cores */ };
static const double SECONDS_PER_KERNEL = 0.65, SECONDS_PER_KNOCKOUT = 1.6,
                    SECONDS_OF_FEW_KNOCKOUTS = 10, SECONDS_OF_REPORT = 15;

static double point_seconds(const struct selected *selected, const struct cost *cost)
{
    const struct family *family = selected->family;
    const struct shape *shape = &selected->point.shape;
    const double each =
        family->unit == UNIT_FP32 ? cost->operation : cost->operation / TENSOR_SPEED;
    return cost->point + (family->rate == RATE_OPERATIONS
                              ? family->useful_operations(shape) * each
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

/* The stages, their work and their time. */
enum { STAGES = 6 };
struct expected {
    const char *what;
    int count; /* of points or kernels; 0: none are counted */
    double seconds;
};

static void expect_stages(const struct selection *selection, const struct collect_asked *asked,
                          int repeats, struct expected expected[STAGES])
{
    const int points = selection->count, kernels = count_kernels(selection);
    const double of_knockouts =
        asked->few_knockouts ? SECONDS_OF_FEW_KNOCKOUTS : SECONDS_PER_KNOCKOUT * kernels;
    const struct expected all[STAGES] = {
        {"times of points", points, stage_seconds(selection, &measuring)},
        {"counters of points", points, stage_seconds(selection, &collecting) * repeats / REPEATS},
        {"instructions of kernels", kernels, SECONDS_PER_KERNEL * kernels},
        {"timelines of points", points, stage_seconds(selection, &tracing)},
        {"costs that are knocked out", 0, of_knockouts},
        {"the report", 0, SECONDS_OF_REPORT}};
    const int is_asked[STAGES] = {
        1, asked->counters, asked->lines, asked->timeline, asked->knockouts, 1};
    for (int i = 0; i < STAGES; i++)
        expected[i] = is_asked[i] ? all[i] : (struct expected){NULL, 0, 0};
}

double expected_seconds(const struct selection *selection, const struct collect_asked *asked,
                        int repeats)
{
    struct expected expected[STAGES];
    double seconds = 0;
    expect_stages(selection, asked, repeats, expected);
    for (int i = 0; i < STAGES; i++) seconds += expected[i].seconds;
    return seconds;
}

const char *expected_text(double seconds, char text[32])
{
    if (seconds < 90)
        snprintf(text, 32, "about %.0f s", seconds < 10 ? ceil(seconds) : 5 * ceil(seconds / 5));
    else
        snprintf(text, 32, "about %.0f min", (double)(int)(seconds / 60 + 0.5));
    return text;
}

/* The recorded run of 907 points takes this much for tables and pages. */
static const double BYTES_PER_POINT = 0.12e6;

static void print_summary(const struct selection *selection, const struct collect_asked *asked,
                          int repeats)
{
    struct expected expected[STAGES];
    char text[32], size[72];
    const struct selected *largest = &selection->points[0];
    double most = 0;
    expect_stages(selection, asked, repeats, expected);
    puts("On a GPU like an H200, within about a third:");
    for (int i = 0; i < STAGES; i++) {
        if (!expected[i].what) continue;
        printf("  %-28s%6.0d  %s\n", expected[i].what, expected[i].count, /* 0: blanks */
               expected_text(expected[i].seconds, text));
    }
    for (int i = 0; i < selection->count; i++) {
        const struct selected *point = &selection->points[i];
        const double bytes = family_array_bytes(point->family, &point->point.shape);
        if (bytes > most) largest = point, most = bytes;
    }
    printf("  %-34s  %s\n", "in all",
           expected_text(expected_seconds(selection, asked, repeats), text));
    printf("GPU memory: %.0f MB for %s at %s. Disk: about %.0f MB. --csv lists all points.\n",
           ceil(most / 1e6), largest->variant->family, shape_text(&largest->point.shape, size),
           ceil(selection->count * BYTES_PER_POINT / 1e6));
}

/* Refuses what the run would refuse after it has begun. The buffers are nowhere. */
static int check_launches(const struct selection *selection)
{
    enum { SMS = 132, CAPABILITY = 90 };
    char *const nowhere = (char *)0x100000000000;
    for (int i = 0; i < selection->count; i++) {
        const struct selected *selected = &selection->points[i];
        const struct variant *variant = selected->variant;
        const struct work work = {.point = selected->point,
                                  .sm_count = SMS,
                                  .compute_capability = CAPABILITY,
                                  .input = {nowhere, nowhere, nowhere},
                                  .output = nowhere,
                                  .scratch = nowhere};
        if (variant_kind(variant) != KIND_KERNEL ||
            (variant->refuses && variant->refuses(&selected->point, CAPABILITY)))
            continue;
        for (unsigned k = 0; k < variant_launches(variant, &selected->point); k++) {
            struct launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
            variant->plan(&work, k, &launch);
            if (launch_check(selected, &launch)) return FAIL_INPUT;
        }
    }
    return 0;
}

/* ---- plans ----------------------------------------------------------------------------------- */

int dry_run_measure(const struct selection *selection, const struct collect_asked *asked,
                    int repeats, int csv)
{
    const int hides = !csv;
    const struct plan measure = {.stage = STAGE_MEASURE, .on_cpu = 1, .timed = 1, .hides = hides},
                      collect = {.stage = STAGE_COLLECT, .repeats = repeats, .hides = hides},
                      timeline = {.stage = STAGE_TIMELINE, .in_best = 1, .hides = hides};
    int result = check_launches(selection);
    if (result) return result;
    if (csv)
        puts(header);
    else
        print_summary(selection, asked, repeats);
    result = plan_points(&measure, selection);
    if (!result) result = plan_stage(STAGE_CEILINGS, hides);
    if (!result && asked->counters) result = plan_points(&collect, selection);
    if (!result && asked->lines) result = plan_stage(STAGE_LINES, hides);
    if (!result && asked->timeline) result = plan_points(&timeline, selection);
    if (!result && asked->knockouts) result = plan_stage(STAGE_KNOCKOUTS, hides);
    return result;
}

int dry_run_launch(const struct selection *selection)
{
    const int result = check_launches(selection);
    if (result) return result;
    puts(header);
    return plan_points(&(struct plan){.stage = STAGE_LAUNCH}, selection);
}
