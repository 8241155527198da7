#include "dry_run.h"

#include <math.h>
#include <stdio.h>

#include "catalog/registry.h"
#include "report/gnuplot.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* What a stage does with its points. */
struct plan {
    const char *stage;
    int on_cpu;  /* it runs what runs on the CPU, too */
    int timed;   /* it takes series of samples */
    int in_best; /* it runs a swept variant in its fastest setting alone */
    int repeats; /* of counters; 0: it collects none */
};

void dry_run_header(void)
{
    puts("stage,family,variant,size,block,sweep,launches,series,repeats");
}

static void write_count(struct csv_writer *writer, int count)
{
    csv_number(writer, count ? count : NAN);
}

/* `settings` is how many of a swept variant are selected. */
static void write_point(const struct plan *plan, const struct selected *selected, int settings,
                        unsigned launches)
{
    struct csv_writer writer = {.file = stdout};
    char size[72];
    int series;
    series_plan(selected->variant, &selected->point, &series);
    csv_text(&writer, plan->stage);
    csv_text(&writer, selected->variant->family);
    csv_text(&writer, selected->variant->name);
    csv_text(&writer, shape_text(&selected->point.shape, size));
    csv_integer(&writer, selected->point.block);
    if (settings > 1)
        csv_text(&writer, NULL);
    else
        csv_integer(&writer, selected->point.sweep);
    write_count(&writer, (int)launches);
    write_count(&writer, plan->timed ? series : 0);
    write_count(&writer, plan->repeats);
    csv_end(&writer);
}

static void plan_point(const struct plan *plan, const struct selected *selected, int settings)
{
    struct selected announced = *selected;
    if (settings > 1) announced.point.sweep = 0;
    const unsigned launches =
        settings > 1 ? 0 : variant_launches(selected->variant, &selected->point);
    write_point(plan, selected, settings, launches);
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
        if (plan->on_cpu || variant_kind(first[i].variant) != KIND_CPU)
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

static int plan_whole(struct run *run)
{
    (void)run;
    return 0;
}

static int plan_stage(const char *name)
{
    printf("%s,,,,,,,,\n", name);
    return stage_work(name, plan_whole, NULL);
}

int dry_run_measure(const struct selection *selection, const struct collect_asked *asked,
                    int repeats)
{
    int result =
        plan_points(&(struct plan){.stage = STAGE_MEASURE, .on_cpu = 1, .timed = 1}, selection);
    if (!result) result = plan_stage(STAGE_CEILINGS);
    if (!result && asked->counters)
        result = plan_points(&(struct plan){.stage = STAGE_COLLECT, .repeats = repeats}, selection);
    if (!result && asked->lines) result = plan_stage(STAGE_LINES);
    if (!result && asked->timeline)
        result = plan_points(&(struct plan){.stage = STAGE_TIMELINE, .in_best = 1}, selection);
    return result;
}

int dry_run_launch(const struct selection *selection)
{
    return plan_points(&(struct plan){.stage = STAGE_LAUNCH}, selection);
}

int dry_run_analysis(void)
{
    int result = plan_stage(STAGE_EVALUATE);
    if (!result) result = plan_stage(STAGE_EXPLAIN);
    if (!result && gnuplot_available()) result = plan_stage(STAGE_PLOT);
    if (!result) result = plan_stage(STAGE_REPORT);
    return result;
}
