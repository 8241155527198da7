#include "watched_program/program_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

int program_plan_profiles(const struct program_kernel *kernel)
{
    return !kernel->is_graph_node;
}

int program_plan_times_alone(const struct program_kernel *kernel)
{
    const double least_blocks = 65536, block_ns = 0.08, share = 0.01;
    const double blocks = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    return !kernel->is_graph_node && blocks > least_blocks &&
           blocks * block_ns * (double)kernel->launch_count > share * kernel->total_ns;
}

/* Finds the launches of a kernel that may be profiled: their number, and the first of them. */
static int taken(const struct program_plan *plan, const struct program_kernel *kernel, int *first)
{
    int count = 0;
    *first = -1;
    for (size_t i = 0; i < kernel->launch_count; i++) {
        const int ordinal = kernel->launch[i].ordinal;
        if (!program_filter_takes(plan->filter, ordinal)) continue;
        if (*first < 0 || ordinal < *first) *first = ordinal;
        count++;
    }
    if (*first == 0 && count > plan->passes) {
        *first = 1;
        count--;
    }
    return count;
}

/* Returns the number of starts that a kernel needs at least with each launch in one pass, or 0 if
 * it is not profiled so. */
static int starts_of(const struct program_plan *plan, int k)
{
    int first;
    const struct program_kernel *kernel = plan->choice->kernel[k];
    const int launches = program_plan_profiles(kernel) && !(plan->replayed >> k & 1)
                             ? taken(plan, kernel, &first)
                             : 0;
    return launches ? (plan->passes + launches - 1) / launches : 0;
}

unsigned program_plan_replayed(const struct program_plan *plan, const struct program_parts *first,
                               int process)
{
    unsigned replayed = 0;
    int is_worth_it = 0;
    for (int i = 0; i < first->process_count; i++)
        if (first->process[i].number == process && first->process[i].has_graph) return 0;
    for (int k = 0; k < plan->choice->count; k++) {
        if (plan->choice->kernel[k]->process != process || starts_of(plan, k) <= REPLAY_STARTS)
            continue;
        replayed |= 1u << k;
        is_worth_it |= !program_choice_is_minor(plan->choice, k);
    }
    return is_worth_it ? replayed : 0;
}

int program_plan_starts(const struct program_plan *plan, const struct program_parts *first)
{
    int starts = 0;
    for (int i = 0; i < first->process_count; i++) {
        int most = 0;
        unsigned is_replayed = 0;
        for (int k = 0; k < plan->choice->count; k++) {
            if (plan->choice->kernel[k]->process != first->process[i].number) continue;
            is_replayed |= plan->replayed >> k & 1;
            const int needed = program_choice_is_minor(plan->choice, k) ? 0 : starts_of(plan, k);
            if (needed > most) most = needed;
        }
        starts += most + (is_replayed ? REPLAY_STARTS : 0);
    }
    return starts;
}

int program_plan_lacks(const struct program_plan *plan, int process,
                       const struct program_parts *starts, int count)
{
    int passes = 0;
    for (int k = 0; k < plan->choice->count; k++)
        if (plan->choice->kernel[k]->process == process && starts_of(plan, k) &&
            !program_choice_is_minor(plan->choice, k))
            passes += plan->passes - program_passes(starts, count, process, k);
    return passes;
}

void program_plan_processes(struct text *text, const struct program_parts *first)
{
    text_format(text, "starter\t%ld\n", (long)getpid());
    for (int i = 0; first && i < first->process_count; i++)
        text_format(text, "process\t%d\t%d\t%s\n", first->process[i].number,
                    first->process[i].generation, first->process[i].executable);
}

static void append_kernel(struct text *text, int k, const struct program_kernel *kernel)
{
    text_format(text, "kernel\t%d\t%d\t%s\t%d", k, kernel->process, kernel->symbol, kernel->device);
    for (int i = 0; i < 3; i++) text_format(text, "\t%u", kernel->grid[i]);
    for (int i = 0; i < 3; i++) text_format(text, "\t%u", kernel->block[i]);
    text_format(text, "\t%.0f\t%s\n", kernel->dynamic_shared, kernel->range);
}

void program_plan_times(struct text *text, unsigned period)
{
    text_append(text, "mode\ttimes\n");
    if (period) text_format(text, "samples\t1\nperiod\t%u\n", period);
}

void program_plan_alone(struct text *text)
{
    text_append(text, "mode\ttimes\nalone\t1\n");
}

static void append_metrics(struct text *text, const struct program_plan *plan)
{
    text_format(text, "mode\tcounters\npasses\t%d\nmetrics", plan->passes);
    for (const char *const *metric = plan->metric; *metric; metric++)
        text_format(text, "\t%s", *metric);
    text_append(text, "\n");
}

void program_plan_counters(struct text *text, const struct program_plan *plan, int process,
                           const struct program_parts *starts, int count)
{
    append_metrics(text, plan);
    for (int k = 0; k < plan->choice->count; k++) {
        const struct program_kernel *kernel = plan->choice->kernel[k];
        int first;
        const int launches = taken(plan, kernel, &first);
        if (kernel->process != process || !starts_of(plan, k) ||
            program_passes(starts, count, process, k) == plan->passes)
            continue;
        append_kernel(text, k, kernel);
        text_format(text, "take\t%d\t%d\t%d\n", k, first, first + launches - 1);
    }
}

void program_plan_one_launch(struct text *text, const struct program_plan *plan, int process,
                             int replays)
{
    append_metrics(text, plan);
    if (replays) text_append(text, "replays\t1\n");
    for (int k = 0; k < plan->choice->count; k++) {
        const struct program_kernel *kernel = plan->choice->kernel[k];
        int first;
        if (kernel->process != process || !(plan->replayed >> k & 1)) continue;
        if (taken(plan, kernel, &first) > 1) first++; /* code is loaded at the first one */
        append_kernel(text, k, kernel);
        text_format(text, "take\t%d\t%d\t%d\n", k, first, first);
    }
}

void program_plan_counts(struct text *text, const struct program_plan *plan, int index)
{
    int first;
    taken(plan, plan->choice->kernel[index], &first);
    text_append(text, "mode\tcounts\n");
    append_kernel(text, 0, plan->choice->kernel[index]);
    text_format(text, "count\t0\t%d\n", first);
}

void program_plan_knockouts(struct text *text)
{
    text_append(text, "mode\tknockouts\n");
}

void program_plan_twins(struct text *text, const struct program_plan *plan, int index,
                        const struct twin *twin, unsigned timed)
{
    const struct program_kernel *kernel = plan->choice->kernel[index];
    int first;
    taken(plan, kernel, &first);
    append_kernel(text, index, kernel);
    text_format(text, "count\t%d\t%d\ncode\t%d\t%s\n", index, first, index, kernel->cubin);
    for (int k = 0; k < KNOCKOUTS; k++) {
        if (!(timed >> k & 1)) continue;
        text_format(text, "twin\t%d\t%s\n", index, knockout_kinds[k].name);
        for (int p = 0; p < twin[k].patch_count; p++)
            text_format(text, "patch\t%d\t%s\t%d\t%" PRIx64 "\t%" PRIx64 "\n", index,
                        knockout_kinds[k].name, twin[k].patch[p].instruction,
                        twin[k].patch[p].word.low, twin[k].patch[p].word.high);
    }
}
