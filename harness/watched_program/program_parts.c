#include "watched_program/program_parts.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/message.h"
#include "machine_code/kernel_name.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static double number_of(const char *cell)
{
    double value;
    return csv_parse_number(cell, &value) ? value : NAN;
}

static int integer_of(const char *cell)
{
    return (int)strtol(cell, NULL, 10);
}

/* Returns a zeroed element at the end of an array, or NULL, with a message, if memory is short. */
static void *add(void *array, int *count, size_t size)
{
    if (!array_grows(array, (size_t)*count, size)) return error_memory(), NULL;
    return memset(*(char **)array + (size_t)(*count)++ * size, 0, size);
}

static int add_kernel(void *context, int process, char *const *cell)
{
    struct program_parts *parts = context;
    struct program_kernel *kernel = add(&parts->kernel, &parts->kernel_count, sizeof *kernel);
    if (!kernel) return FAIL_OUTPUT;
    *kernel = (struct program_kernel){
        .process = process,
        .number = integer_of(cell[0]),
        .symbol = strdup(cell[1]),
        .name = kernel_name(cell[1]),
        .device = integer_of(cell[2]),
        .dynamic_shared = number_of(cell[9]),
        .static_shared = number_of(cell[10]),
        .registers = number_of(cell[11]),
        .local_bytes = number_of(cell[12]),
        .max_block_threads = number_of(cell[13]),
        .blocks_per_sm = number_of(cell[14]),
        .range = strdup(cell[15]),
        .cubin = strdup(cell[16]),
        .is_graph_node = integer_of(cell[17]),
    };
    for (int i = 0; i < 3; i++) {
        kernel->grid[i] = (unsigned)strtoul(cell[3 + i], NULL, 10);
        kernel->block[i] = (unsigned)strtoul(cell[6 + i], NULL, 10);
    }
    return kernel->symbol && kernel->name && kernel->range && kernel->cubin ? 0 : error_memory();
}

/* The library numbers the kernels of a process from 0 on. */
static struct program_kernel *kernel_numbered(struct program_parts *parts, int process, int number)
{
    for (int i = parts->kernel_count - 1; i >= 0; i--)
        if (parts->kernel[i].process == process && parts->kernel[i].number == number)
            return &parts->kernel[i];
    return NULL;
}

static int add_launch(void *context, int process, char *const *cell)
{
    struct program_parts *parts = context;
    struct program_kernel *kernel = kernel_numbered(parts, process, integer_of(cell[0]));
    const struct program_launch launch = {integer_of(cell[1]), strtod(cell[2], NULL),
                                          strtod(cell[3], NULL), integer_of(cell[4])};
    if (!kernel || launch.end_ns <= launch.begin_ns) return 0;
    if (!ARRAY_GROWS(kernel->launch, kernel->launch_count)) return error_memory();
    kernel->launch[kernel->launch_count++] = launch;
    kernel->total_ns += launch.end_ns - launch.begin_ns;
    return 0;
}

static int add_counter(void *context, int process, char *const *cell)
{
    struct program_parts *parts = context;
    if (!ARRAY_GROWS(parts->counter, parts->counter_count)) return error_memory();
    parts->counter[parts->counter_count] =
        (struct program_counter){process, integer_of(cell[0]), strdup(cell[1]), number_of(cell[2])};
    return parts->counter[parts->counter_count++].metric ? 0 : error_memory();
}

static int add_problem(void *context, int process, char *const *cell)
{
    struct program_parts *parts = context;
    struct program_problem *problem = add(&parts->problem, &parts->problem_count, sizeof *problem);
    if (!problem) return FAIL_OUTPUT;
    *problem = (struct program_problem){.process = process,
                                        .kernel = *cell[1] ? integer_of(cell[1]) : -1,
                                        .what = strdup(cell[0]),
                                        .reason = strdup(cell[2])};
    return problem->what && problem->reason ? 0 : error_memory();
}

static const struct part_table part_tables[] = {
    {"kernels.csv", 18, add_kernel},
    {"launches.csv", 5, add_launch},
    {"counters.csv", 3, add_counter},
    {"problems.csv", 3, add_problem},
};

int program_rows_read(const char *directory, int process, const struct part_table *table,
                      void *context)
{
    const struct path path = path_of("%s/%d/%s", directory, process, table->name);
    struct csv_reader reader;
    int result = 0;
    if (!file_exists(path.at) || csv_open(&reader, path.at)) return 0;
    while (!result && csv_next(&reader) > 0)
        if (reader.line > 1 && reader.count == table->columns)
            result = table->row(context, process, reader.cell);
    csv_close(&reader);
    return result;
}

/* ---- processes ------------------------------------------------------------------------------- */

static const char *const facts[] = {"executable", "arguments", "chip",
                                    "cupti",      "driver",    "cupti_version"};
enum { FACTS = sizeof facts / sizeof *facts };

static char **fact_of(struct program_process *process, int fact)
{
    return (char **[FACTS]){
        &process->executable, &process->arguments, &process->chip,
        &process->cupti,      &process->driver,    &process->cupti_version}[fact];
}

static int set_fact(struct program_process *process, const char *key, const char *value)
{
    if (!strcmp(key, "ended")) process->has_ended = 1;
    if (!strcmp(key, "generation")) process->generation = integer_of(value);
    if (!strcmp(key, "graph")) process->has_graph = !strcmp(value, "1");
    for (int i = 0; i < FACTS; i++) {
        char **member = fact_of(process, i);
        if (strcmp(key, facts[i])) continue;
        free(*member);
        *member = strdup(value);
        if (!*member) return error_memory();
    }
    return 0;
}

/* A line of process.txt is "key: value"; a line without a line feed was cut off. */
static int read_process(struct program_process *process, const char *directory)
{
    char *text = text_read_file(path_in(directory, "process.txt").at, NULL);
    int result = 0;
    for (char *line = text, *end; line && (end = strchr(line, '\n')) && !result; line = end + 1) {
        *end = 0;
        char *value = strstr(line, ": ");
        if (!value) continue;
        *value = 0;
        result = set_fact(process, line, value + 2);
    }
    free(text);
    for (int i = 0; i < FACTS && !result; i++)
        if (!*fact_of(process, i)) result = set_fact(process, facts[i], "");
    return result;
}

/* Returns the number after the last one of a process. */
static int count_numbers(const char *directory)
{
    enum { MOST = 1 << 16 };
    DIR *list = opendir(directory);
    int count = 0;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        char *end;
        const long number = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && !*end && number >= count && number < MOST)
            count = (int)number + 1;
    }
    if (list) closedir(list);
    return count;
}

static int label_kernels(struct program_parts *parts)
{
    const size_t count = (size_t)parts->kernel_count + 1;
    const char **name = calloc(count, sizeof *name);
    char(*label)[KERNEL_LABEL] = calloc(count, sizeof *label);
    int result = name && label ? 0 : error_memory();
    for (int i = 0; i < parts->kernel_count && !result; i++) name[i] = parts->kernel[i].name;
    if (!result) result = kernel_labels_make(name, parts->kernel_count, label);
    for (int i = 0; i < parts->kernel_count && !result; i++)
        memcpy(parts->kernel[i].label, label[i], KERNEL_LABEL);
    free(name);
    free(label);
    return result;
}

int program_parts_read(struct program_parts *parts, const char *directory)
{
    const int numbers = count_numbers(directory);
    int result = 0;
    *parts = (struct program_parts){.directory = strdup(directory)};
    if (!parts->directory) return error_memory();
    for (int number = 0; number < numbers && !result; number++) {
        const struct path path = path_of("%s/%d", directory, number);
        if (!file_exists(path.at)) continue;
        struct program_process *process =
            add(&parts->process, &parts->process_count, sizeof *process);
        if (!process) return FAIL_OUTPUT;
        process->number = number;
        process->generation = -1;
        result = read_process(process, path.at);
        for (size_t i = 0; i < sizeof part_tables / sizeof *part_tables && !result; i++)
            result = program_rows_read(directory, number, &part_tables[i], parts);
    }
    return result ? result : label_kernels(parts);
}

void program_parts_free(struct program_parts *parts)
{
    for (int i = 0; i < parts->process_count; i++)
        for (int fact = 0; fact < FACTS; fact++) free(*fact_of(&parts->process[i], fact));
    for (int i = 0; i < parts->kernel_count; i++) {
        free(parts->kernel[i].symbol);
        free(parts->kernel[i].name);
        free(parts->kernel[i].range);
        free(parts->kernel[i].cubin);
        free(parts->kernel[i].launch);
    }
    for (size_t i = 0; i < parts->counter_count; i++) free(parts->counter[i].metric);
    for (int i = 0; i < parts->problem_count; i++) {
        free(parts->problem[i].what);
        free(parts->problem[i].reason);
    }
    free(parts->process);
    free(parts->kernel);
    free(parts->counter);
    free(parts->problem);
    free(parts->directory);
    memset(parts, 0, sizeof *parts);
}

/* ---- finding --------------------------------------------------------------------------------- */

const struct program_process *program_process_find(const struct program_parts *parts, int number)
{
    for (int i = 0; i < parts->process_count; i++)
        if (parts->process[i].number == number) return &parts->process[i];
    return NULL;
}

const struct program_kernel *program_kernel_find(const struct program_parts *parts,
                                                 const struct program_kernel *like)
{
    for (int i = 0; i < parts->kernel_count; i++) {
        const struct program_kernel *kernel = &parts->kernel[i];
        if (kernel->process == like->process && kernel->device == like->device &&
            kernel->dynamic_shared == like->dynamic_shared &&
            !memcmp(kernel->grid, like->grid, sizeof like->grid) &&
            !memcmp(kernel->block, like->block, sizeof like->block) &&
            !strcmp(kernel->symbol, like->symbol) && !strcmp(kernel->range, like->range))
            return kernel;
    }
    return NULL;
}

int program_passes(const struct program_parts *starts, int count, int process, int kernel)
{
    static const char passes[] = "passes"; /* of the library (injected/watch_plan.h) */
    double most = 0;
    for (int s = 0; s < count; s++)
        for (size_t i = 0; !starts[s].is_of_replay && i < starts[s].counter_count; i++) {
            const struct program_counter *counter = &starts[s].counter[i];
            if (counter->process == process && counter->kernel == kernel &&
                !strcmp(counter->metric, passes))
                most = fmax(most, counter->value);
        }
    return (int)most;
}

const char *program_problem_find(const struct program_parts *parts, const char *what, int process,
                                 int kernel)
{
    for (int i = 0; i < parts->problem_count; i++) {
        const struct program_problem *problem = &parts->problem[i];
        if (problem->process == process && !strcmp(problem->what, what) &&
            (problem->kernel < 0 || problem->kernel == kernel))
            return problem->reason;
    }
    return NULL;
}
