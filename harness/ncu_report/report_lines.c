#include "ncu_report/report_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/instruction_counts.h"

/* More than any kernel and any GPU has: a report may be made to do harm. */
enum { MOST_INSTRUCTIONS = 1 << 20, MOST_REASONS = 64 };

/* The instructions of a launch, by their place in the kernel. Addresses in a report are absolute,
 * and it tells where the launched functions begin. */
struct instructions {
    uint64_t base;
    size_t count; /* at most a few times as many as the report has values */
    double (*value)[INSTRUCTION_COUNTS];
    int column; /* that is read */
};

static void count_one(void *context, uint64_t at, double value)
{
    (void)at;
    (void)value;
    ++*(size_t *)context;
}

static void take_one(void *context, uint64_t at, double value)
{
    struct instructions *code = context;
    const uint64_t place = (at - code->base) / SASS_BYTES;
    if (at >= code->base && place < code->count) code->value[place][code->column] = value;
}

/* The first metric with values of instructions that a column is made from. */
static const struct report_metric *metric_of(const struct records *records,
                                             const struct report_result *result, const char *column)
{
    const char *from = report_map_find(records, "lines", column);
    while (from && *from) {
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, " |\n"), from);
        const struct report_metric *metric = report_result_find(result, name);
        if (metric) return metric;
        from += strcspn(from, "|");
        from += strspn(from, "| \n");
    }
    return NULL;
}

/* ---- where the kernel begins ----------------------------------------------------------------- */

enum { MOST_FUNCTIONS = 64 };

struct search {
    const struct report_metric *executed;
    struct instructions *code;
    uint64_t base;       /* that is tried */
    size_t inside, most; /* instructions */
    int functions;
};

/* The first instruction of a kernel is executed, which tells it from a function before it. */
static void count_inside(void *context, uint64_t at, double value)
{
    struct search *search = context;
    const int is_inside =
        at >= search->base && (at - search->base) / SASS_BYTES < search->code->count;
    search->inside += at == search->base && value > 0 ? MOST_INSTRUCTIONS : is_inside;
}

static void try_base(void *context, uint64_t of, double value)
{
    struct search *search = context;
    (void)of;
    if (!(value > 0 && value < 1e18) || search->functions++ == MOST_FUNCTIONS) return;
    search->base = (uint64_t)value;
    search->inside = 0;
    report_metric_each(search->executed, count_inside, search);
    if (search->inside <= search->most) return;
    search->most = search->inside;
    search->code->base = search->base;
}

/* Older versions of ncu write the address of the function as the value of a metric, newer ones one
 * for each function as instances: the kernel begins where most of its instructions follow. */
static int find_base(struct instructions *code, const struct records *records,
                     const struct report_result *result, const struct report_metric *executed)
{
    const struct report_metric *begins = metric_of(records, result, "code");
    struct search search = {.executed = executed, .code = code};
    if (!begins) return 0;
    try_base(&search, 0, report_result_number(result, begins->name));
    report_metric_each(begins, try_base, &search);
    return search.most > 0;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static int write_counts(const struct instructions *code, struct probe_result *kernel)
{
    char cell[2 + INSTRUCTION_COUNTS][32];
    char *cells[2 + INSTRUCTION_COUNTS] = {kernel->symbol};
    int result = 0;
    for (int i = 1; i < 2 + INSTRUCTION_COUNTS; i++) cells[i] = cell[i];
    for (size_t at = 0; at < code->count && !result; at++) {
        if (!isfinite(code->value[at][COUNT_EXECUTED])) continue;
        snprintf(cell[1], sizeof cell[1], "%zu", at * SASS_BYTES);
        for (int m = 0; m < INSTRUCTION_COUNTS; m++)
            csv_format_number(cell[2 + m], code->value[at][m]);
        result = probe_result_count(kernel, cells);
    }
    return result == FAIL_INPUT ? 0 : result;
}

static int take_counts(struct instructions *code, const struct records *records,
                       const struct report_result *result, struct probe_result *kernel)
{
    for (int m = 0; m < INSTRUCTION_COUNTS; m++) {
        const struct report_metric *metric = metric_of(records, result, instruction_count_name[m]);
        code->column = m;
        if (metric) report_metric_each(metric, take_one, code);
    }
    return write_counts(code, kernel);
}

/* ---- samples --------------------------------------------------------------------------------- */

static int write_samples(const struct instructions *code, struct probe_result *kernel,
                         const char *reason)
{
    enum { SAMPLES, NOT_ISSUED };
    char pc[32], name[64], samples[32], not_issued[32];
    char *cells[] = {pc, name, samples, not_issued};
    int result = 0;
    snprintf(name, sizeof name, "%s", reason);
    for (size_t at = 0; at < code->count && !result; at++) {
        const double *value = code->value[at];
        if (!(value[SAMPLES] > 0)) continue;
        snprintf(pc, sizeof pc, "%zu", at * SASS_BYTES);
        snprintf(samples, sizeof samples, "%.0f", value[SAMPLES]);
        snprintf(not_issued, sizeof not_issued, "%.0f",
                 value[NOT_ISSUED] > 0 ? value[NOT_ISSUED] : 0);
        kernel->total[2] += value[SAMPLES];
        result = probe_result_samples(kernel, cells);
    }
    return result == FAIL_INPUT ? 0 : result;
}

static void clear(struct instructions *code)
{
    for (size_t i = 0; i < code->count; i++)
        for (int m = 0; m < INSTRUCTION_COUNTS; m++) code->value[i][m] = NAN;
}

static int take_samples(struct instructions *code, const struct records *records,
                        const struct report_result *result, struct probe_result *kernel)
{
    static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_", suffix[] = "_not_issued";
    enum { LAUNCHES, PERIOD, TOTAL };
    int failure = 0, seen = 0, reasons = 0;
    kernel->total[LAUNCHES] = 1;
    kernel->total[PERIOD] = report_map_value(records, result, "kernels", "period_cycles").number;
    kernel->total[TOTAL] = 0;
    for (size_t i = 0; i < result->count && !failure; i++) {
        const char *name = result->metric[i].name, *reason = name + sizeof prefix - 1;
        char twin[200];
        if (strncmp(name, prefix, sizeof prefix - 1) || strstr(reason, suffix) ||
            reason[strspn(reason, "abcdefghijklmnopqrstuvwxyz_")])
            continue;
        if (interrupted()) return FAIL_INTERRUPTED;
        if (seen++ == MOST_REASONS)
            return error(FAIL_INPUT, "%s: the report has more than %d reasons of stalls",
                         kernel->name, MOST_REASONS);
        snprintf(twin, sizeof twin, "%s%s", name, suffix);
        const struct report_metric *not_issued = report_result_find(result, twin);
        clear(code);
        code->column = 0;
        reasons += report_metric_each(&result->metric[i], take_one, code) > 0;
        code->column = 1;
        if (not_issued) report_metric_each(not_issued, take_one, code);
        failure = write_samples(code, kernel, reason);
    }
    if (!reasons)
        snprintf(kernel->samples_status, STATUS_BYTES,
                 ABSENT "the report has no stall samples (ncu --section SourceCounters)");
    return failure;
}

int report_lines_take(const struct records *records, const struct report_result *result,
                      struct probe_result *kernel)
{
    const struct report_metric *executed = metric_of(records, result, "executed");
    struct instructions code = {0};
    const char *lacking = NULL;
    if (!strcmp(kernel->counts_status, "ok")) return 0;
    if (executed) report_metric_each(executed, count_one, &code.count);
    if (!code.count) lacking = "has no values of instructions (ncu --section SourceCounters)";
    if (code.count > MOST_INSTRUCTIONS)
        lacking = "has values of more instructions than a kernel has";
    code.count = 2 * code.count + 64;
    if (!lacking && !find_base(&code, records, result, executed))
        lacking = "does not tell at which address the kernel begins (launch__function_pcs)";
    if (lacking) {
        for (int i = 0; i < 2; i++)
            snprintf(i ? kernel->samples_status : kernel->counts_status, STATUS_BYTES,
                     ABSENT "the report %s", lacking);
        return 0;
    }
    code.value = calloc(code.count, sizeof *code.value);
    if (!code.value) return error_memory();
    clear(&code);
    snprintf(kernel->samples_status, STATUS_BYTES, "ok");
    int failure = take_counts(&code, records, result, kernel);
    if (!failure) failure = take_samples(&code, records, result, kernel);
    free(code.value);
    return failure;
}
