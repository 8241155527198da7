#include "watched_program/program_lines.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/message.h"
#include "machine_code/source_file.h"
#include "machine_code/probe_tables.h"

/* Columns of the files of the library. */
enum { SAMPLE_SYMBOL, SAMPLE_CUBIN, SAMPLE_PC, SAMPLE_COLUMNS = 6 };
enum { COUNT_SYMBOL = 1, COUNT_COLUMNS = 3 + INSTRUCTION_COUNTS };

/* Returns the start that was sampled: the second one, unless the program was started once. */
static const struct program_parts *sampled_start(const struct program_record *record)
{
    return record->second ? record->second : record->first;
}

int program_lines_owner(const struct program_choice *choice, int k)
{
    int owner = 0;
    while (choice->kernel[owner]->process != choice->kernel[k]->process ||
           strcmp(choice->kernel[owner]->symbol, choice->kernel[k]->symbol))
        owner++;
    return owner;
}

static int add_kernel(struct program_lines *lines, int k)
{
    const struct program_choice *choice = lines->record->choice;
    const struct program_point *point = program_names_chosen(lines->record->names, k),
                               *owner = program_names_chosen(lines->record->names,
                                                             program_lines_owner(choice, k));
    char device[16];
    snprintf(device, sizeof device, "%d", point->kernel->device);
    const char *const key[] = {point->family, point->variant, point->size, "0", "0", device};
    struct probe_result *kernel =
        probe_results_new(&lines->kernels, key, point->kernel->symbol, point->kernel->name);
    if (!kernel) return FAIL_OUTPUT;
    if (owner == point) return 0;
    kernel->is_sampled_only = 1; /* its code is listed once, at the owner */
    snprintf(kernel->samples_status, STATUS_BYTES, ABSENT "the samples of this function are at %s",
             owner->variant);
    snprintf(kernel->counts_status, STATUS_BYTES, ABSENT "the counts of this function are at %s",
             owner->variant);
    return 0;
}

/* Returns the kernel that has the samples and counts of a function of a process, or NULL. */
static struct probe_result *find(struct program_lines *lines, int process, const char *symbol)
{
    const struct program_choice *choice = lines->record->choice;
    for (int k = 0; k < choice->count; k++)
        if (choice->kernel[k]->process == process && !strcmp(choice->kernel[k]->symbol, symbol))
            return &lines->kernels.kernel[k];
    return NULL;
}

/* ---- the files of the library ---------------------------------------------------------------- */

static int take_samples(void *lines, int process, char *const *cell)
{
    struct probe_result *kernel = find(lines, process, cell[SAMPLE_SYMBOL]);
    const int result = kernel ? probe_result_samples(kernel, cell + SAMPLE_PC) : 0;
    return result == FAIL_INPUT ? 0 : result;
}

static int take_counts(void *lines, int process, char *const *cell)
{
    struct probe_result *kernel = find(lines, process, cell[COUNT_SYMBOL]);
    const int result = kernel ? probe_result_count(kernel, cell + COUNT_SYMBOL) : 0;
    return result == FAIL_INPUT ? 0 : result;
}

/* The totals are of the whole process. */
static int take_total(void *context, int process, char *const *cell)
{
    struct program_lines *lines = context;
    for (int k = 0; k < lines->kernels.count; k++) {
        if (lines->record->choice->kernel[k]->process != process) continue;
        for (int i = 0; i < PROBE_TOTALS; i++)
            if (!strcmp(cell[0], probe_total_name[i]))
                lines->kernels.kernel[k].total[i] = strtod(cell[1], NULL);
    }
    return 0;
}

static int read_rows(struct program_lines *lines, const struct program_parts *parts,
                     const struct part_table *table)
{
    int result = 0;
    for (int p = 0; p < parts->process_count && !result; p++)
        result = program_rows_read(parts->directory, parts->process[p].number, table, lines);
    return result;
}

/* ---- why something is missing ---------------------------------------------------------------- */

static void explain_samples(const struct program_lines *lines, int k)
{
    const struct program_record *record = lines->record;
    struct probe_result *kernel = &lines->kernels.kernel[k];
    const char *why = program_problem_find(sampled_start(record), "samples",
                                           record->choice->kernel[k]->process, k);
    if (strcmp(kernel->samples_status, "ok") || kernel->count) return;
    snprintf(kernel->samples_status, STATUS_BYTES, ABSENT "%s",
             why ? why : "no sample fell into the kernel");
}

static void explain_counts(const struct program_lines *lines, int k)
{
    const struct program_record *record = lines->record;
    const struct program_kernel *of = record->choice->kernel[k];
    struct probe_result *kernel = &lines->kernels.kernel[k];
    const char *why = record->no_counters;
    if (strcmp(kernel->counts_status, ABSENT "not counted")) return;
    if (!why && of->is_graph_node) why = "a CUDA graph launched the kernel";
    if (!why && program_choice_is_minor_function(record->choice, k)) why = program_choice_minor;
    for (int s = 0; s < record->count_starts && !why; s++)
        if (record->counted[s] == k)
            why = program_problem_find(&record->counts[s], "counts", of->process, 0);
    snprintf(kernel->counts_status, STATUS_BYTES, ABSENT "%s", why ? why : record->few_counts);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The launches and samples of one kernel; what was dropped is of the whole process. */
static void set_totals(struct probe_result *kernel, const struct program_kernel *of)
{
    enum { LAUNCHES, PERIOD, TOTAL, DROPPED, ELSEWHERE };
    double samples = 0;
    for (int i = 0; i < kernel->count; i++) samples += kernel->instruction[i].samples;
    kernel->total[LAUNCHES] = (double)of->launch_count;
    kernel->total[TOTAL] = samples;
    kernel->total[ELSEWHERE] = NAN;
}

int program_lines_begin(struct program_lines *lines, const struct program_choice *choice,
                        const struct program_parts *sampled)
{
    int result = 0;
    lines->request = calloc((size_t)choice->count + 1, sizeof *lines->request);
    if (!lines->request) return error_memory();
    for (int k = 0; k < choice->count && !result; k++) {
        const struct program_kernel *kernel = choice->kernel[k];
        struct listing_request *request = &lines->request[k];
        request->symbol = kernel->symbol;
        request->file =
            text_new("%s/%d/cubins/%s.cubin", sampled->directory, kernel->process, kernel->cubin);
        if (!request->file) result = error_memory();
    }
    if (!result) lines->tools = listings_begin(lines->request, choice->count);
    return result;
}

static int list(struct program_lines *lines)
{
    struct listing_tools *tools = lines->tools;
    lines->listing = calloc((size_t)lines->kernels.count + 1, sizeof *lines->listing);
    if (!lines->listing) return error_memory();
    lines->tools = NULL;
    return listings_of_cubins(lines->listing, lines->request, lines->kernels.count, tools);
}

static int write_fact(struct run *run, const struct program_lines *lines)
{
    int counted = 0, sampled = 0;
    for (int k = 0; k < lines->kernels.count; k++) {
        counted += !strcmp(lines->kernels.kernel[k].counts_status, "ok");
        sampled += !strcmp(lines->kernels.kernel[k].samples_status, "ok");
    }
    return run_fact_set(run, "counters_lines", "instructions of %d kernels, %d counted, %d sampled",
                        lines->kernels.count, counted, sampled);
}

int program_lines_read(struct program_lines *lines, const struct program_record *record)
{
    static const struct part_table samples = {"samples.csv", SAMPLE_COLUMNS, take_samples},
                                   totals = {"totals.csv", 2, take_total},
                                   counts = {"counts.csv", COUNT_COLUMNS, take_counts};
    int result = 0;
    lines->record = record;
    for (int k = 0; k < record->choice->count && !result; k++) result = add_kernel(lines, k);
    if (!result) result = read_rows(lines, sampled_start(record), &samples);
    if (!result) result = read_rows(lines, sampled_start(record), &totals);
    for (int k = 0; k < lines->kernels.count && !result; k++) {
        explain_samples(lines, k);
        set_totals(&lines->kernels.kernel[k], record->choice->kernel[k]);
    }
    for (int s = 0; s < record->count_starts && !result; s++)
        result = read_rows(lines, &record->counts[s], &counts);
    for (int k = 0; k < lines->kernels.count && !result; k++) explain_counts(lines, k);
    return result ? result : list(lines);
}

int program_lines_write(struct run *run, const struct program_lines *lines)
{
    const int result =
        probe_tables_write(run, &lines->kernels, lines->listing, source_read_of_program, 0);
    return result ? result : write_fact(run, lines);
}

void program_lines_free(struct program_lines *lines)
{
    listings_give_up(lines->tools);
    for (int k = 0; k < lines->kernels.count && lines->listing; k++)
        listing_free(&lines->listing[k]);
    for (int k = 0; lines->request && lines->request[k].file; k++)
        free((char *)(uintptr_t)lines->request[k].file);
    free(lines->listing);
    free(lines->request);
    probe_results_free(&lines->kernels);
    *lines = (struct program_lines){0};
}
