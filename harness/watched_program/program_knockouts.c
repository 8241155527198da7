#include "watched_program/program_knockouts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/message.h"
#include "knockout/twin_rounds.h"
#include "run/run_stages.h"
#include "watched_program/program_pairs.h"

/* Columns of the file of the library. */
enum { KERNEL, WHAT, KNOCKOUT, STATUS, SAMPLES, TIME, SAVED, LOW, HIGH, COLUMNS };

static const struct program_kernel *kernel_of(const struct program_knockouts *knockouts, int k)
{
    return knockouts->lines->record->choice->kernel[k];
}

static int kernel_count(const struct program_knockouts *knockouts)
{
    return knockouts->lines->record->choice->count;
}

static void refuse(struct knocked_kernel *kernel, const char *reason)
{
    snprintf(kernel->reason, sizeof kernel->reason, "%s", reason);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Returns why a kernel is not patched, or NULL. */
static const char *obstacle(const struct program_knockouts *knockouts, int k,
                            const struct probe_result *counts)
{
    const struct program_kernel *kernel = kernel_of(knockouts, k);
    if (!(knockouts->wanted >> k & 1)) return program_pairs_other;
    if (kernel->is_graph_node) return "a CUDA graph launched the kernel";
    if (!*kernel->cubin) return "its machine code was not found";
    return strcmp(counts->counts_status, "ok") ? counts->counts_status + strlen(ABSENT) : NULL;
}

static int plan_twins(struct program_knockouts *knockouts, int k, const struct cubin *cubin)
{
    const struct program_lines *lines = knockouts->lines;
    const struct program_kernel *of = kernel_of(knockouts, k);
    struct knocked_kernel *kernel = &knockouts->kernel[k];
    const int owner = program_lines_owner(lines->record->choice, k);
    const struct twin_request request = {
        .cubin = cubin,
        .symbol = of->symbol,
        .architecture = cubin_architecture(cubin),
        .listing = &lines->listing[k],
        .counts = &lines->kernels.kernel[owner],
        .wanted = (1u << KNOCKOUTS) - 1,
        .shared_bytes =
            (unsigned)(of->dynamic_shared + (isnan(of->static_shared) ? 0 : of->static_shared))};
    char reason[TWIN_PLANS_REASON];
    const int result = twin_plans_make(&kernel->plans, &request, reason);
    if (result == FAIL_GPU) refuse(kernel, reason);
    for (int t = 0; t < KNOCKOUTS && !result; t++)
        if (t == KNOCKOUT_NOTHING || kernel->plans.twin[t].patched) kernel->timed |= 1u << t;
    return result == FAIL_GPU ? 0 : result;
}

static int plan_kernel(struct program_knockouts *knockouts, int k)
{
    const struct program_lines *lines = knockouts->lines;
    const int owner = program_lines_owner(lines->record->choice, k);
    const char *reason = obstacle(knockouts, k, &lines->kernels.kernel[owner]);
    size_t size = 0;
    struct cubin cubin;
    int result = 0;
    if (reason) return refuse(&knockouts->kernel[k], reason), 0;
    char *data = text_read_file(lines->request[k].file, &size);
    if (data && cubin_open(&cubin, (const unsigned char *)data, size))
        result = plan_twins(knockouts, k, &cubin);
    else
        refuse(&knockouts->kernel[k], "its machine code cannot be read");
    free(data);
    return result;
}

int program_knockouts_plan(struct program_knockouts *knockouts, const struct program_lines *lines,
                           const struct program_plan *plan, unsigned wanted)
{
    *knockouts = (struct program_knockouts){.lines = lines, .plan = plan, .wanted = wanted};
    const int count = kernel_count(knockouts);
    knockouts->kernel = calloc((size_t)count + 1, sizeof *knockouts->kernel);
    int result = knockouts->kernel ? 0 : error_memory();
    for (int k = 0; k < count && !result; k++) result = plan_kernel(knockouts, k);
    return result;
}

void program_knockouts_free(struct program_knockouts *knockouts)
{
    for (int k = 0; knockouts->kernel && k < kernel_count(knockouts); k++)
        twin_plans_free(&knockouts->kernel[k].plans);
    free(knockouts->kernel);
    *knockouts = (struct program_knockouts){0};
}

static int is_open(const struct knocked_kernel *kernel)
{
    return !*kernel->reason && !kernel->is_done;
}

int program_knockouts_append(struct text *text, struct program_knockouts *knockouts)
{
    int count = 0, process = -1;
    program_plan_knockouts(text);
    for (int k = 0; k < kernel_count(knockouts); k++) {
        struct knocked_kernel *kernel = &knockouts->kernel[k];
        if (is_open(kernel) && process < 0) process = kernel_of(knockouts, k)->process;
        kernel->is_planned = is_open(kernel) && kernel_of(knockouts, k)->process == process;
        if (!kernel->is_planned) continue;
        program_plan_twins(text, knockouts->plan, k, kernel->plans.twin, kernel->timed);
        count++;
    }
    return count;
}

/* ---- what a start has left ------------------------------------------------------------------- */

/* What a kernel was at when its process ended. */
struct last_event {
    int twin; /* enum knockout, or ORIGINAL */
    int is_begun;
    char fault[120];
};

static void take_row(struct knocked_kernel *kernel, struct last_event *last, char *const *cell)
{
    const int twin = knockout_find(cell[KNOCKOUT]);
    if (!strcmp(cell[WHAT], "done")) {
        kernel->is_done = 1;
    } else if (strcmp(cell[WHAT], "result")) {
        last->is_begun = 1;
        last->twin = twin < 0 ? ORIGINAL : twin;
        snprintf(last->fault, sizeof last->fault, "%s", cell[STATUS]);
    } else if (twin >= 0) {
        struct twin_row *row = &kernel->row[twin];
        snprintf(row->status, sizeof row->status, "%s", cell[STATUS]);
        row->has_figures = *cell[SAVED] != 0;
        row->samples = strtod(cell[SAMPLES], NULL);
        row->time_ns = strtod(cell[TIME], NULL);
        row->saved_ns = strtod(cell[SAVED], NULL);
        row->low_ns = strtod(cell[LOW], NULL);
        row->high_ns = strtod(cell[HIGH], NULL);
    }
}

struct taking {
    struct program_knockouts *knockouts;
    struct last_event *last;
};

static int take_any(void *context, int process, char *const *cell)
{
    const struct taking *taking = context;
    const long k = strtol(cell[KERNEL], NULL, 10);
    (void)process;
    if (k >= 0 && k < kernel_count(taking->knockouts))
        take_row(&taking->knockouts->kernel[k], &taking->last[k], cell);
    return 0;
}

/* Leaves out what ended the process of a kernel. */
static void leave_out(struct program_knockouts *knockouts, int k, const struct last_event *last)
{
    struct knocked_kernel *kernel = &knockouts->kernel[k];
    const char *fault = *last->fault ? last->fault : "the process ended";
    if (last->twin < 0) {
        snprintf(kernel->reason, sizeof kernel->reason,
                 "a further launch of it with the same parameters failed: %s", fault);
        return;
    }
    kernel->timed &= ~(1u << last->twin);
    snprintf(kernel->row[last->twin].status, STATUS_BYTES, ABSENT "the twin failed: %s", fault);
    warning("%s without %s: the twin failed: %s",
            program_names_chosen(knockouts->lines->record->names, k)->variant,
            knockout_kinds[last->twin].title, fault);
    if (last->twin == KNOCKOUT_NOTHING) refuse(kernel, "its unchanged copy failed");
}

/* Sees to a kernel that was planned and is not done. One that comes after what ended the process is
 * planned again. */
static void see_to(struct program_knockouts *knockouts, int k, const struct program_parts *start,
                   const struct last_event *last, int has_ended, int is_late)
{
    struct knocked_kernel *kernel = &knockouts->kernel[k];
    const char *why =
        program_problem_find(start, STAGE_KNOCKOUTS, kernel_of(knockouts, k)->process, k);
    if (why)
        refuse(kernel, why);
    else if (last->is_begun)
        leave_out(knockouts, k, last);
    else if (is_late)
        refuse(kernel, "the program did not end in time, nor come to this kernel");
    else if (!has_ended)
        refuse(kernel, "the start did not launch the kernel");
}

void program_knockouts_take(struct program_knockouts *knockouts, const struct program_parts *start,
                            int is_late)
{
    static const struct part_table table = {"knockouts.csv", COLUMNS, take_any};
    int has_ended = 0;
    const int count = kernel_count(knockouts);
    struct last_event *last = calloc((size_t)count + 1, sizeof *last);
    for (int p = 0; last && p < start->process_count; p++)
        program_rows_read(start->directory, start->process[p].number, &table,
                          &(struct taking){knockouts, last});
    for (int k = 0; last && k < count; k++)
        has_ended |=
            knockouts->kernel[k].is_planned && is_open(&knockouts->kernel[k]) && last[k].is_begun;
    for (int k = 0; k < count; k++) {
        const struct last_event none = {0};
        if (knockouts->kernel[k].is_planned && is_open(&knockouts->kernel[k]))
            see_to(knockouts, k, start, last ? &last[k] : &none, has_ended, is_late);
    }
    free(last);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void write_row(struct csv_writer *writer, const struct program_point *point, int knockout,
                      const char *status, const struct twin *twin, const struct twin_row *row)
{
    const int has_figures = row && row->has_figures;
    CSV_TEXTS(writer, point->family, point->variant, point->size, "0", "0");
    csv_integer(writer, point->kernel->device);
    csv_integer(writer, 0);
    CSV_TEXTS(writer, point->kernel->symbol, knockout_kinds[knockout].name, status);
    CSV_INTEGERS(writer, twin ? twin->patched : 0, twin ? twin->left : 0);
    csv_text(writer, has_figures && twin ? twin->reason : NULL);
    csv_integer(writer, has_figures ? (long)row->samples : 0);
    if (has_figures)
        CSV_NUMBERS(writer, row->time_ns, row->saved_ns, row->low_ns, row->high_ns);
    else
        CSV_NUMBERS(writer, NAN, NAN, NAN, NAN);
    csv_end(writer);
}

static void write_kernel(struct csv_writer *writer, const struct program_point *point,
                         const struct knocked_kernel *kernel)
{
    char status[STATUS_BYTES + 16];
    const char *reason = *kernel->reason   ? kernel->reason
                         : kernel->is_done ? NULL
                                           : "the program would have to be started too often";
    if (reason) {
        snprintf(status, sizeof status, ABSENT "%s", reason);
        write_row(writer, point, KNOCKOUT_NOTHING, status, NULL, NULL);
        return;
    }
    for (int t = 0; t < KNOCKOUTS; t++) {
        const struct twin *twin = &kernel->plans.twin[t];
        const struct twin_row *row = &kernel->row[t];
        snprintf(status, sizeof status, "%s", row->status);
        if (!*status) twin_status(twin, status, sizeof status);
        write_row(writer, point, t, status, twin, row);
    }
}

int program_knockouts_write(struct run *run, const struct program_knockouts *knockouts)
{
    struct csv_writer *writer = run_writer(run, TABLE_KNOCKOUTS);
    if (!writer) return FAIL_OUTPUT;
    for (int k = 0; k < kernel_count(knockouts); k++)
        write_kernel(writer, program_names_chosen(knockouts->lines->record->names, k),
                     &knockouts->kernel[k]);
    return run_unit_finish(run, STAGE_KNOCKOUTS);
}
