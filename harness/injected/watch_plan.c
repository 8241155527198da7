#include "injected/watch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { KERNEL_CELLS = 13 };

/* Replaces \t, \n and \\ in place. */
static char *unescape(char *cell)
{
    char *to = cell;
    for (const char *from = cell; *from; from++) {
        const int escaped = from[0] == '\\' && from[1];
        from += escaped;
        *to++ = escaped && *from == 't' ? '\t' : escaped && *from == 'n' ? '\n' : *from;
    }
    *to = 0;
    return cell;
}

static unsigned number(const char *cell)
{
    return (unsigned)strtoul(cell, NULL, 10);
}

static int add_metrics(struct watch_plan *plan, char **cell, int cells)
{
    if (cells < 2 || plan->metric) return 0;
    plan->metric = calloc((size_t)cells, sizeof *plan->metric);
    for (int i = 1; plan->metric && i < cells; i++) plan->metric[plan->metric_count++] = cell[i];
    return plan->metric != NULL;
}

static int add_process(struct watch_plan *plan, char **cell, int cells)
{
    if (cells != 4) return 0;
    struct planned_process *process =
        array_with_room(plan->process, (size_t)plan->process_count, sizeof *process);
    if (!process) return 0;
    plan->process = process;
    process[plan->process_count++] = (struct planned_process){
        (int)number(cell[1]), (int)strtol(cell[2], NULL, 10), unescape(cell[3])};
    return 1;
}

/* Numbers may be left out; their kernels belong to no process. */
static int add_kernel(struct watch_plan *plan, char **cell, int cells)
{
    enum { MOST_KERNELS = 1 << 20 };
    const unsigned k = cells == KERNEL_CELLS ? number(cell[1]) : MOST_KERNELS;
    if (k >= MOST_KERNELS || k < (unsigned)plan->kernel_count) return 0;
    struct planned_kernel *kernels = realloc(plan->kernel, (k + 1) * sizeof *kernels);
    if (!kernels) return 0;
    plan->kernel = kernels;
    while (plan->kernel_count < (int)k)
        kernels[plan->kernel_count++] =
            (struct planned_kernel){.process = -1, .first = -1, .last = -1, .count = -1};
    kernels[plan->kernel_count++] = (struct planned_kernel){
        .process = (int)number(cell[2]),
        .signature = {.symbol = unescape(cell[3]),
                      .device = (int)number(cell[4]),
                      .grid = {number(cell[5]), number(cell[6]), number(cell[7])},
                      .block = {number(cell[8]), number(cell[9]), number(cell[10])},
                      .dynamic_shared = number(cell[11]),
                      .range = unescape(cell[12])},
        .first = -1,
        .last = -1,
        .count = -1};
    return 1;
}

static int add_take(struct watch_plan *plan, char **cell, int cells)
{
    if (cells != 4 || number(cell[1]) >= (unsigned)plan->kernel_count) return 0;
    struct planned_kernel *kernel = &plan->kernel[number(cell[1])];
    kernel->first = (int)number(cell[2]);
    kernel->last = (int)number(cell[3]);
    return kernel->first >= 0 && kernel->first <= kernel->last;
}

static int read_line(struct watch_plan *plan, char *line)
{
    enum { MOST_CELLS = 512 };
    char *cell[MOST_CELLS];
    int cells = 0;
    char *rest = line;
    while (rest && cells < MOST_CELLS) cell[cells++] = strsep(&rest, "\t");
    if (rest) return 0;
    if (!strcmp(cell[0], "metrics")) return add_metrics(plan, cell, cells);
    if (!strcmp(cell[0], "process")) return add_process(plan, cell, cells);
    if (!strcmp(cell[0], "kernel")) return add_kernel(plan, cell, cells);
    if (!strcmp(cell[0], "take")) return add_take(plan, cell, cells);
    if (!strcmp(cell[0], "count") && cells == 3 && number(cell[1]) < (unsigned)plan->kernel_count)
        return plan->kernel[number(cell[1])].count = (int)number(cell[2]), 1;
    if (cells != 2) return 0;
    if (!strcmp(cell[0], "mode")) {
        plan->mode = !strcmp(cell[1], "counters") ? WATCH_COUNTERS
                     : !strcmp(cell[1], "counts") ? WATCH_COUNTS
                                                  : WATCH_TIMES;
        return 1;
    }
    if (!strcmp(cell[0], "starter")) return plan->starter = (int)number(cell[1]), 1;
    if (!strcmp(cell[0], "samples")) return plan->samples = number(cell[1]) != 0, 1;
    if (!strcmp(cell[0], "alone")) return plan->alone = number(cell[1]) != 0, 1;
    if (!strcmp(cell[0], "period")) return plan->period = number(cell[1]), 1;
    if (!strcmp(cell[0], "passes")) return plan->passes = (int)number(cell[1]), 1;
    return 0;
}

int watch_plan_read(struct watch_plan *plan, const char *directory, const char **reason)
{
    const struct path path = path_in(directory, "plan.txt");
    *plan = (struct watch_plan){.period = 12, .text = text_read_file(path.at, NULL)};
    *reason = "plan.txt cannot be read";
    if (!plan->text) return 0;
    *reason = "plan.txt is damaged";
    for (char *rest = plan->text; rest && *rest;) {
        char *line = strsep(&rest, "\n");
        if (*line && !read_line(plan, line)) {
            watch_plan_free(plan);
            return 0;
        }
    }
    return 1;
}

void watch_plan_free(struct watch_plan *plan)
{
    free(plan->kernel);
    free(plan->process);
    free(plan->metric);
    free(plan->text);
    *plan = (struct watch_plan){0};
}

int launch_signature_order(const struct launch_signature *a, const struct launch_signature *b)
{
    int order = strcmp(a->symbol, b->symbol);
    if (!order) order = strcmp(a->range, b->range);
    if (!order) order = memcmp(&a->device, &b->device, sizeof a->device);
    if (!order) order = memcmp(a->grid, b->grid, sizeof a->grid);
    if (!order) order = memcmp(a->block, b->block, sizeof a->block);
    return order ? order : memcmp(&a->dynamic_shared, &b->dynamic_shared, sizeof(unsigned));
}

int watch_plan_find(const struct watch_plan *plan, int process,
                    const struct launch_signature *signature)
{
    for (int k = 0; k < plan->kernel_count; k++)
        if (plan->kernel[k].process == process &&
            !launch_signature_order(&plan->kernel[k].signature, signature))
            return k;
    return -1;
}
