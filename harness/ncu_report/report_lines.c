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
 * and it tells where the kernel begins. */
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
    const double base = report_map_value(records, result, "lines", "code").number;
    struct instructions code = {.base = base > 0 && base < 1e18 ? (uint64_t)base : 0};
    if (!strcmp(kernel->counts_status, "ok")) return 0;
    if (executed) report_metric_each(executed, count_one, &code.count);
    const int are_too_many = code.count > MOST_INSTRUCTIONS;
    if (!code.count || !code.base || are_too_many) {
        for (int i = 0; i < 2; i++)
            snprintf(i ? kernel->samples_status : kernel->counts_status, STATUS_BYTES,
                     ABSENT "the report has %s",
                     are_too_many ? "values of more instructions than a kernel has"
                                  : "no values of instructions (ncu --section SourceCounters)");
        return 0;
    }
    code.count = 2 * code.count + 64;
    code.value = calloc(code.count, sizeof *code.value);
    if (!code.value) return error_memory();
    clear(&code);
    snprintf(kernel->samples_status, STATUS_BYTES, "ok");
    int failure = take_counts(&code, records, result, kernel);
    if (!failure) failure = take_samples(&code, records, result, kernel);
    free(code.value);
    return failure;
}
