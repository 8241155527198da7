#include "machine_code/probe_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"
#include "catalog/point_key.h"

const char *const probe_total_name[PROBE_TOTALS] = {"launches", "period", "total", "dropped",
                                                    "elsewhere"};

/* Columns of "probe samples", after those of the point. */
enum {
    LAUNCH = POINT_KEY_COLUMNS,
    SYMBOL,
    NAME,
    PC,
    REASON,
    SAMPLES,
    NOT_ISSUED,
    STATUS,
    SAMPLE_COLUMNS
};

static int damaged(const struct csv_reader *reader)
{
    return error(FAIL_INPUT, "%s:%d: unexpected output of a probe", reader->path, reader->line);
}

/* Returns 1 if the cell is an offset in code of plausible size, else 0. */
static int read_pc(const char *cell, unsigned *pc)
{
    enum { MOST = 1 << 26 };
    char *end;
    const unsigned long value = strtoul(cell, &end, 10);
    *pc = (unsigned)value;
    return *cell >= '0' && *cell <= '9' && !*end && value < MOST;
}

/* The kernel's instruction at pc, which is added if needed; NULL, with a message, if memory is
 * short. */
static struct line_instruction *instruction_at(struct probe_result *kernel, unsigned pc)
{
    const int at = (int)(pc / SASS_BYTES);
    if (at >= kernel->capacity) {
        const int capacity = 2 * at + 256;
        struct line_instruction *grown =
            realloc(kernel->instruction, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory(), NULL;
        memset(grown + kernel->capacity, 0, (size_t)(capacity - kernel->capacity) * sizeof *grown);
        kernel->instruction = grown;
        kernel->capacity = capacity;
    }
    if (at >= kernel->count) kernel->count = at + 1;
    return &kernel->instruction[at];
}

static unsigned launch_of(const struct csv_reader *row)
{
    return (unsigned)strtoul(row->cell[LAUNCH], NULL, 10);
}

static int is_of_launch(const struct probe_result *kernel, const struct csv_reader *row)
{
    return kernel->launch == launch_of(row) &&
           point_key_is(&kernel->key, (const char *const *)row->cell);
}

struct probe_result *probe_results_new(struct probe_results *kernels, const char *const *point,
                                       const char *symbol, const char *name)
{
    struct probe_result *grown =
        realloc(kernels->kernel, (size_t)(kernels->count + 1) * sizeof *grown);
    if (!grown) return error_memory(), NULL;
    kernels->kernel = grown;
    struct probe_result *kernel = &grown[kernels->count++];
    *kernel = (struct probe_result){.samples_status = "ok",
                                    .counts_status = ABSENT "not counted",
                                    .symbol = strdup(symbol),
                                    .name = strdup(name)};
    int result = kernel->symbol && kernel->name ? 0 : error_memory();
    if (!result) result = point_key_copy(&kernel->key, point);
    for (int i = 0; i < PROBE_TOTALS; i++) kernel->total[i] = NAN;
    return result ? NULL : kernel;
}

static struct probe_result *add_kernel(struct probe_results *kernels, const struct csv_reader *row)
{
    struct probe_result *kernel = probe_results_new(kernels, (const char *const *)row->cell,
                                                    row->cell[SYMBOL], row->cell[NAME]);
    if (!kernel) return NULL;
    kernel->launch = launch_of(row);
    for (const struct probe_result *other = kernels->kernel; other < kernel; other++)
        kernel->in_call |= is_of_launch(other, row);
    kernel->to_count = !kernel->in_call;
    if (kernel->in_call)
        snprintf(kernel->counts_status, STATUS_BYTES,
                 ABSENT "CUPTI counts the first kernel of a library's call only");
    return kernel;
}

static int read_total(struct probe_result *kernel, const struct csv_reader *row)
{
    if (!strcmp(row->cell[REASON], "absent")) {
        snprintf(kernel->samples_status, sizeof kernel->samples_status, ABSENT "%.*s",
                 STATUS_BYTES - 16, row->cell[STATUS]);
        return 0;
    }
    for (int i = 0; i < PROBE_TOTALS; i++) {
        if (strcmp(row->cell[REASON], probe_total_name[i])) continue;
        kernel->total[i] = strtod(row->cell[SAMPLES], NULL);
        return 0;
    }
    return damaged(row);
}

int probe_result_samples(struct probe_result *kernel, char *const *cell)
{
    enum { AT_PC, AT_REASON, AT_SAMPLES, AT_NOT_ISSUED };
    unsigned pc;
    if (!read_pc(cell[AT_PC], &pc)) return FAIL_INPUT;
    struct line_instruction *at = instruction_at(kernel, pc);
    if (!at) return FAIL_OUTPUT;
    at->samples += strtod(cell[AT_SAMPLES], NULL);
    at->not_issued += strtod(cell[AT_NOT_ISSUED], NULL);
    text_format(&at->stalls, "%s%s=%s/%s", at->stalls.length ? " " : "", cell[AT_REASON],
                cell[AT_SAMPLES], cell[AT_NOT_ISSUED]);
    return at->stalls.failed ? error_memory() : 0;
}

static int read_stall(struct probe_result *kernel, const struct csv_reader *row)
{
    const int result = probe_result_samples(kernel, row->cell + PC);
    return result == FAIL_INPUT ? damaged(row) : result;
}

struct reading {
    struct probe_results *kernels;
    struct probe_result *kernel; /* of the row before */
};

static int read_sample(void *context, const struct csv_reader *row)
{
    struct reading *reading = context;
    struct probe_result *kernel = reading->kernel;
    if (row->line == 1) return 0; /* the header */
    if (row->count != SAMPLE_COLUMNS) return damaged(row);
    if (!kernel || !is_of_launch(kernel, row) || strcmp(kernel->symbol, row->cell[SYMBOL]))
        reading->kernel = kernel = add_kernel(reading->kernels, row);
    if (!kernel) return FAIL_OUTPUT;
    return *row->cell[PC] ? read_stall(kernel, row) : read_total(kernel, row);
}

int probe_results_add(struct probe_results *kernels, const char *path)
{
    return csv_each(path, read_sample, &(struct reading){kernels, NULL});
}

int probe_result_count(struct probe_result *kernel, char *const *cell)
{
    unsigned pc;
    if (!read_pc(cell[1], &pc)) return FAIL_INPUT;
    const int is_other = strcmp(cell[0], kernel->symbol);
    snprintf(kernel->counts_status, sizeof kernel->counts_status, "%s",
             is_other ? ABSENT "CUPTI counted another kernel of the launch" : "ok");
    struct line_instruction *at = is_other ? NULL : instruction_at(kernel, pc);
    if (!at) return is_other ? 0 : FAIL_OUTPUT;
    at->counted = 1;
    for (int m = 0; m < INSTRUCTION_COUNTS; m++)
        at->count[m] = *cell[2 + m] ? strtod(cell[2 + m], NULL) : NAN;
    return 0;
}

static int read_counts(void *context, const struct csv_reader *row)
{
    if (row->line == 1) return 0; /* the header */
    if (row->count != 2 + INSTRUCTION_COUNTS) return damaged(row);
    const int result = probe_result_count(context, row->cell);
    return result == FAIL_INPUT ? damaged(row) : result;
}

int probe_result_counts(struct probe_result *kernel, const char *path)
{
    return csv_each(path, read_counts, kernel);
}

void probe_results_free(struct probe_results *kernels)
{
    for (int i = 0; i < kernels->count; i++) {
        struct probe_result *kernel = &kernels->kernel[i];
        point_key_free(&kernel->key);
        for (int at = 0; at < kernel->count; at++) text_free(&kernel->instruction[at].stalls);
        free(kernel->symbol);
        free(kernel->name);
        free(kernel->instruction);
    }
    free(kernels->kernel);
    memset(kernels, 0, sizeof *kernels);
}
