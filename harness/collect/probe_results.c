#include "collect/probe_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"

/* Columns of "probe samples". */
enum {
    KEY = 0,
    LAUNCH = KEYS,
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
        if (!grown) {
            error_memory();
            return NULL;
        }
        memset(grown + kernel->capacity, 0, (size_t)(capacity - kernel->capacity) * sizeof *grown);
        kernel->instruction = grown;
        kernel->capacity = capacity;
    }
    if (at >= kernel->count) kernel->count = at + 1;
    return &kernel->instruction[at];
}

static int is_about(const struct probe_result *kernel, const struct csv_reader *row)
{
    for (int i = 0; i < KEYS; i++)
        if (strcmp(kernel->key[i], row->cell[KEY + i])) return 0;
    return kernel->launch == strtoul(row->cell[LAUNCH], NULL, 10) &&
           !strcmp(kernel->symbol, row->cell[SYMBOL]);
}

/* Counts the earlier kernels of the same launch. */
static int kernels_of_launch(const struct probe_results *kernels, const struct probe_result *kernel)
{
    int count = 0;
    for (int i = 0; i < kernels->count; i++) {
        const struct probe_result *other = &kernels->kernel[i];
        int same = other->launch == kernel->launch;
        for (int k = 0; k < KEYS; k++) same &= !strcmp(other->key[k], kernel->key[k]);
        count += same;
    }
    return count;
}

static struct probe_result *add_kernel(struct probe_results *kernels, const struct csv_reader *row)
{
    struct probe_result *grown =
        realloc(kernels->kernel, (size_t)(kernels->count + 1) * sizeof *grown);
    if (!grown) return error_memory(), NULL;
    kernels->kernel = grown;
    struct probe_result *kernel = &grown[kernels->count];
    memset(kernel, 0, sizeof *kernel);
    int complete = 1;
    for (int i = 0; i < KEYS; i++)
        complete &= (kernel->key[i] = strdup(row->cell[KEY + i])) != NULL;
    kernel->launch = (unsigned)strtoul(row->cell[LAUNCH], NULL, 10);
    complete &= (kernel->symbol = strdup(row->cell[SYMBOL])) != NULL;
    complete &= (kernel->name = strdup(row->cell[NAME])) != NULL;
    snprintf(kernel->samples_status, sizeof kernel->samples_status, "ok");
    snprintf(kernel->counts_status, sizeof kernel->counts_status, ABSENT "not counted");
    kernel->launches = kernel->period = kernel->total = kernel->dropped = kernel->elsewhere = NAN;
    if (complete) kernel->in_call = kernels_of_launch(kernels, kernel);
    kernels->count++;
    if (!complete) return error_memory(), NULL;
    return kernel;
}

static int read_total(struct probe_result *kernel, const struct csv_reader *row)
{
    const struct {
        const char *name;
        double *value;
    } totals[] = {{"launches", &kernel->launches},
                  {"period", &kernel->period},
                  {"total", &kernel->total},
                  {"dropped", &kernel->dropped},
                  {"elsewhere", &kernel->elsewhere}};
    if (!strcmp(row->cell[REASON], "absent")) {
        snprintf(kernel->samples_status, sizeof kernel->samples_status, ABSENT "%.*s",
                 STATUS_BYTES - 16, row->cell[STATUS]);
        return 0;
    }
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        if (strcmp(row->cell[REASON], totals[i].name)) continue;
        *totals[i].value = strtod(row->cell[SAMPLES], NULL);
        return 0;
    }
    return damaged(row);
}

static int read_stall(struct probe_result *kernel, const struct csv_reader *row)
{
    unsigned pc;
    if (!read_pc(row->cell[PC], &pc)) return damaged(row);
    struct line_instruction *at = instruction_at(kernel, pc);
    if (!at) return FAIL_OUTPUT;
    at->samples += strtod(row->cell[SAMPLES], NULL);
    at->not_issued += strtod(row->cell[NOT_ISSUED], NULL);
    text_format(&at->stalls, "%s%s=%s/%s", at->stalls.length ? " " : "", row->cell[REASON],
                row->cell[SAMPLES], row->cell[NOT_ISSUED]);
    return at->stalls.failed ? error_memory() : 0;
}

int probe_results_add(struct probe_results *kernels, const char *path)
{
    struct csv_reader row;
    struct probe_result *kernel = NULL;
    int result = csv_open(&row, path);
    if (result) return result;
    int more = csv_next(&row); /* the header */
    while (!result && more > 0 && (more = csv_next(&row)) > 0) {
        if (row.count != SAMPLE_COLUMNS) {
            result = damaged(&row);
            break;
        }
        if (!kernel || !is_about(kernel, &row)) kernel = add_kernel(kernels, &row);
        if (!kernel)
            result = FAIL_OUTPUT;
        else
            result = *row.cell[PC] ? read_stall(kernel, &row) : read_total(kernel, &row);
    }
    csv_close(&row);
    return result ? result : more;
}

int probe_result_counts(struct probe_result *kernel, const char *path)
{
    struct csv_reader row;
    int result = csv_open(&row, path);
    if (result) return result;
    unsigned pc;
    int more = csv_next(&row); /* the header */
    while (!result && more > 0 && (more = csv_next(&row)) > 0) {
        if (row.count != 2 + INSTRUCTION_COUNTS || !read_pc(row.cell[1], &pc)) {
            result = damaged(&row);
        } else if (strcmp(row.cell[0], kernel->symbol)) {
            snprintf(kernel->counts_status, sizeof kernel->counts_status,
                     ABSENT "CUPTI counted another kernel of the launch");
            break;
        } else {
            struct line_instruction *at = instruction_at(kernel, pc);
            if (!at) result = FAIL_OUTPUT;
            if (at) at->counted = 1;
            for (int m = 0; m < INSTRUCTION_COUNTS && at; m++)
                at->count[m] = *row.cell[2 + m] ? strtod(row.cell[2 + m], NULL) : NAN;
            snprintf(kernel->counts_status, sizeof kernel->counts_status, "ok");
        }
    }
    csv_close(&row);
    return result ? result : more < 0 ? more : 0;
}

void probe_results_free(struct probe_results *kernels)
{
    for (int i = 0; i < kernels->count; i++) {
        struct probe_result *kernel = &kernels->kernel[i];
        for (int k = 0; k < KEYS; k++) free(kernel->key[k]);
        for (int at = 0; at < kernel->count; at++) text_free(&kernel->instruction[at].stalls);
        free(kernel->symbol);
        free(kernel->name);
        free(kernel->instruction);
    }
    free(kernels->kernel);
    memset(kernels, 0, sizeof *kernels);
}
