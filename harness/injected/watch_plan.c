#include "injected/watch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { KERNEL_CELLS = 13 };

static const char *const bys[WATCH_BYS] = {"shape", "range", "operator"};
static const char *const modes[WATCH_MODES] = {"times", "counters", "counts", "knockouts"};

const char *watch_mode_name(enum watch_mode mode)
{
    return modes[mode];
}

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
    if (!ARRAY_GROWS(plan->process, plan->process_count)) return 0;
    plan->process[plan->process_count++] = (struct planned_process){
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

/* Returns the kernel of a row, or NULL. */
static struct planned_kernel *kernel_of(const struct watch_plan *plan, char **cell, int cells,
                                        int expected)
{
    const int is_known = cells == expected && number(cell[1]) < (unsigned)plan->kernel_count;
    return is_known ? &plan->kernel[number(cell[1])] : NULL;
}

static int add_take(struct watch_plan *plan, char **cell, int cells)
{
    struct planned_kernel *kernel = kernel_of(plan, cell, cells, 4);
    if (!kernel) return 0;
    kernel->first = (int)number(cell[2]);
    kernel->last = (int)number(cell[3]);
    return kernel->first >= 0 && kernel->first <= kernel->last;
}

/* Adds a twin, or, with two words, a patch of it. */
static int add_twin(struct watch_plan *plan, char **cell, int cells)
{
    const int is_patch = !strcmp(cell[0], "patch");
    struct planned_kernel *kernel = kernel_of(plan, cell, cells, is_patch ? 6 : 3);
    const int knockout = kernel ? knockout_find(cell[2]) : -1;
    if (knockout < 0) return 0;
    if (!kernel->twin) kernel->twin = calloc(KNOCKOUTS, sizeof *kernel->twin);
    if (!kernel->twin) return 0;
    struct twin *twin = &kernel->twin[knockout];
    kernel->twins |= 1u << knockout;
    if (!is_patch) return 1;
    if (!ARRAY_GROWS(twin->patch, twin->patch_count)) return 0;
    twin->patch[twin->patch_count++] =
        (struct twin_patch){.instruction = (int)number(cell[3]),
                            .word = {strtoull(cell[4], NULL, 16), strtoull(cell[5], NULL, 16)}};
    return 1;
}

static int add_count(struct watch_plan *plan, char **cell, int cells)
{
    struct planned_kernel *kernel = kernel_of(plan, cell, cells, 3);
    if (kernel) kernel->count = (int)number(cell[2]);
    return kernel != NULL;
}

static int add_code(struct watch_plan *plan, char **cell, int cells)
{
    struct planned_kernel *kernel = kernel_of(plan, cell, cells, 3);
    if (kernel) kernel->cubin = cell[2];
    return kernel != NULL;
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
    if (!strcmp(cell[0], "count")) return add_count(plan, cell, cells);
    if (!strcmp(cell[0], "code")) return add_code(plan, cell, cells);
    if (!strcmp(cell[0], "twin") || !strcmp(cell[0], "patch")) return add_twin(plan, cell, cells);
    if (cells != 2) return 0;
    if (!strcmp(cell[0], "mode")) {
        for (int mode = 0; mode < WATCH_MODES; mode++)
            if (!strcmp(cell[1], modes[mode])) plan->mode = (enum watch_mode)mode;
        return 1;
    }
    for (int by = 0; by < WATCH_BYS && !strcmp(cell[0], "by"); by++)
        if (!strcmp(cell[1], bys[by])) return plan->by = (enum watch_by)by, 1;
    if (!strcmp(cell[0], "starter")) return plan->starter = (int)number(cell[1]), 1;
    if (!strcmp(cell[0], "samples")) return plan->samples = number(cell[1]) != 0, 1;
    if (!strcmp(cell[0], "alone")) return plan->alone = number(cell[1]) != 0, 1;
    if (!strcmp(cell[0], "period")) return plan->period = number(cell[1]), 1;
    if (!strcmp(cell[0], "replays")) return plan->replays = number(cell[1]) != 0, 1;
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
    for (int k = 0; k < plan->kernel_count; k++) {
        for (int t = 0; plan->kernel[k].twin && t < KNOCKOUTS; t++)
            free(plan->kernel[k].twin[t].patch);
        free(plan->kernel[k].twin);
    }
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
