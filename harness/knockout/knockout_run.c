#include "knockout/knockout_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/message.h"
#include "base/process.h"
#include "catalog/knockout.h"
#include "catalog/point_key.h"
#include "collect/collect_counters.h"
#include "collect/kernel_points.h"
#include "knockout/twin_times.h"
#include "machine_code/machine_code.h"
#include "query/query.h"
#include "run/run_stages.h"

/* One kernel, and the table into which its rows go. */
struct kernel_work {
    const struct knockout_options *options;
    const struct point_key *key;
    int launch;
    const char *symbol;
    const char *counts; /* a file of "probe counts" */
    unsigned wanted;
    char last[32], fault[120]; /* what the process was at when it ended */
    struct csv_writer *writer;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_row(const struct kernel_work *work, const char *const *cell)
{
    point_key_write(work->writer, work->key);
    csv_integer(work->writer, work->launch);
    CSV_TEXTS(work->writer, cell[TWIN_SYMBOL], cell[TWIN_KNOCKOUT]);
    csv_texts(work->writer, TWIN_COLUMNS - TWIN_STATUS, cell + TWIN_STATUS);
    csv_end(work->writer);
}

static int read_row(void *context, const struct csv_reader *row)
{
    struct kernel_work *work = context;
    if (row->count != TWIN_COLUMNS)
        return error(FAIL_INPUT, "%s:%d: unexpected output of a probe", row->path, row->line);
    if (!strcmp(row->cell[TWIN_WHAT], "result")) {
        add_row(work, (const char *const *)row->cell);
        return 0;
    }
    snprintf(work->last, sizeof work->last, "%s", row->cell[TWIN_KNOCKOUT]);
    snprintf(work->fault, sizeof work->fault, "%s", row->cell[TWIN_STATUS]);
    return 0;
}

static void add_absent(const struct kernel_work *work, const char *knockout, const char *why)
{
    const char *cell[TWIN_COLUMNS] = {
        [TWIN_KNOCKOUT] = knockout, [TWIN_SYMBOL] = work->symbol, [TWIN_PATCHED] = "0",
        [TWIN_LEFT] = "0",          [TWIN_LEFT_REASON] = "",      [TWIN_SAMPLES] = "0"};
    char status[200];
    snprintf(status, sizeof status, ABSENT "%s", why);
    cell[TWIN_STATUS] = status;
    add_row(work, cell);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Takes the output of a process that has ended. A kernel of which nothing can be knocked out has
 * one row. Returns 1 if the process must be started again. */
static int judge(struct kernel_work *work, const struct process *child, int *result)
{
    char path[48], reason[200];
    *work->last = *work->fault = 0;
    *result = csv_each(process_output(child, path), read_row, work);
    if (*result || process_succeeded(child)) return 0;
    process_reason(child, reason, sizeof reason);
    const int culprit = knockout_find(work->last);
    if (culprit <= KNOCKOUT_NOTHING || !(work->wanted >> culprit & 1)) {
        add_absent(work, knockout_kinds[KNOCKOUT_NOTHING].name, reason);
        return 0;
    }
    work->wanted &= ~(1u << culprit);
    snprintf(reason, sizeof reason, "the twin failed: %.100s",
             *work->fault ? work->fault : "the process ended");
    warning("%s/%s without %s: %s", work->key->family, work->key->variant,
            knockout_kinds[culprit].title, reason);
    add_absent(work, knockout_kinds[culprit].name, reason);
    return 1;
}

static int time_twins(struct kernel_work *work)
{
    int again = 1, result = 0;
    while (again && !result) {
        char wanted[320] = "", line[24];
        struct process child;
        for (int k = 0; k < KNOCKOUTS; k++)
            if (work->wanted >> k & 1)
                snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s",
                         *wanted ? "," : "", knockout_kinds[k].name);
        snprintf(line, sizeof line, "%ld", work->options->line);
        const char *const words[] = {"twins", "--from", work->counts, "--cause",
                                     wanted,  "--line", line,         NULL};
        const struct probe_request request = {work->options->program, words, work->options->seed,
                                              work->launch};
        result = probe_start(&request, &work->key, 1, &child);
        if (result) break;
        process_wait(&child, 1);
        again = 0;
        if (interrupted())
            result = FAIL_INTERRUPTED;
        else
            again = judge(work, &child, &result);
        process_free(&child);
    }
    return result;
}

/* ---- counts ---------------------------------------------------------------------------------- */

struct counts_file {
    FILE *file;
    char path[32];
    struct csv_writer writer;
};

/* The processes inherit the file. */
static int counts_open(struct counts_file *counts)
{
    const int descriptor = memfd_create("counts", 0);
    counts->file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!counts->file) return error_memory();
    counts->writer = (struct csv_writer){.file = counts->file};
    snprintf(counts->path, sizeof counts->path, "/proc/self/fd/%d", descriptor);
    return 0;
}

static int copy_count(void *context, const struct scope *row)
{
    struct counts_file *counts = context;
    csv_texts(&counts->writer, row->count, row->value);
    csv_end(&counts->writer);
    return 0;
}

static const char counts_of_kernel[] =
    "SELECT k.symbol, l.pc, l.executed, l.threads, l.threads_on, l.branches_uniform,"
    "  l.branches_divergent, l.shared_wavefronts, l.shared_ideal, l.global_sectors, l.global_ideal,"
    "  l.local_sectors FROM lines l JOIN kernels k USING (kernel)"
    "  WHERE k.kernel = :kernel ORDER BY l.pc";

static int counts_of_run(struct query *query, const char *kernel, struct counts_file *counts)
{
    const char *name[] = {"kernel"};
    const struct scope scope = {NULL, 1, name, &kernel};
    int result = counts_open(counts);
    if (result) return result;
    fprintf(counts->file, "header\n");
    result = query_each(query, NULL, counts_of_kernel, &scope, copy_count, counts);
    return result || !fflush(counts->file) ? result : error_memory();
}

/* ---- the kernels of a run -------------------------------------------------------------------- */

struct run_work {
    struct run *run;
    struct query query;
    struct kernel_work kernel;
};

/* Columns of the statement, after those of the point. */
enum { KERNEL = POINT_KEY_COLUMNS, LAUNCH, SYMBOL, SOURCE, FACTORS, HASH };

#define COUNTED                                                                                    \
    " FROM kernels k JOIN variants v USING (family, variant)"                                      \
    " JOIN chosen c USING (" POINT_KEY ") WHERE v.kind = 'kernel' AND k.counts_status = 'ok'"

/* Counts of other machine code would tell nothing of this one. */
static int is_same_code(const struct run *run, const struct scope *row)
{
    const char *capability = run_fact(run, "device_compute_capability"),
               *factors = row->value[FACTORS] && *row->value[FACTORS] ? row->value[FACTORS] : NULL;
    char hash[17], reason[120];
    return capability && row->value[HASH] &&
           sass_hash(row->value[SOURCE], factors, (int)(10 * strtod(capability, NULL) + 0.5), hash,
                     reason) &&
           !strcmp(hash, row->value[HASH]);
}

static int knock_out(void *context, const struct scope *row)
{
    struct run_work *work = context;
    struct counts_file counts = {0};
    struct point_key key = {{{0}}};
    char unit[64];
    snprintf(unit, sizeof unit, "knockouts of kernel %s", row->value[KERNEL]);
    progress_next(1, "knocked out");
    if (run_unit_done(work->run, unit)) return 0;
    int result = point_key_copy(&key, row->value);
    if (!result) result = counts_of_run(&work->query, row->value[KERNEL], &counts);
    work->kernel.key = &key;
    work->kernel.launch = (int)row_integer(row, LAUNCH);
    work->kernel.symbol = row->value[SYMBOL];
    work->kernel.counts = counts.path;
    work->kernel.wanted = work->kernel.options->wanted;
    if (!result && !is_same_code(work->run, row))
        add_absent(&work->kernel, knockout_kinds[KNOCKOUT_NOTHING].name,
                   "this program has not the machine code that the run has counted");
    else if (!result)
        result = time_twins(&work->kernel);
    if (!result) result = run_unit_finish(work->run, unit);
    if (counts.file) fclose(counts.file);
    point_key_free(&key);
    return result;
}

static int is_selected(const struct selection *selection, const struct point_key *key)
{
    for (int i = 0; selection && i < selection->count; i++)
        if (!strcmp(selection->points[i].variant->family, key->family) &&
            !strcmp(selection->points[i].variant->name, key->variant))
            return 1;
    return !selection;
}

/* Makes the table of the points whose kernels are counted. */
static int choose(struct run_work *work)
{
    const struct selection *selection = work->kernel.options->selection;
    struct kernel_points points;
    int result = query_write(&work->query, "CREATE TABLE chosen (%s)", POINT_KEY);
    if (!result) result = kernel_points_choose(&points, work->run, selection != NULL);
    if (result) return result;
    for (int i = 0; i < points.count && !result; i++) {
        const struct point_key *key = &points.point[i].key;
        if (points.point[i].is_primary && is_selected(selection, key))
            result = query_write(&work->query, "INSERT INTO chosen VALUES (%Q,%Q,%Q,%Q,%Q,%Q)",
                                 key->family, key->variant, key->size, key->block, key->sweep,
                                 key->device);
    }
    kernel_points_free(&points);
    return result;
}

static int work_on_chosen(struct run_work *work)
{
    static const char kernels[] =
        "SELECT " POINT_KEY_OF("k.") ", kernel, launch, symbol, v.file, "
                                     "v.factors, v.sass_hash" COUNTED " ORDER BY kernel";
    char *count = NULL;
    int result = query_text(&work->query, NULL, "SELECT count(*)" COUNTED, NULL, &count);
    progress_begin(STAGE_KNOCKOUTS, "kernels", count ? (int)strtol(count, NULL, 10) : 0);
    if (!result) result = query_each(&work->query, NULL, kernels, NULL, knock_out, work);
    free(count);
    return progress_end(result);
}

static int work_on_run(struct run_work *work)
{
    int result = query_open(&work->query, work->run);
    if (result) return result;
    result = QUERY_LOAD(&work->query, TABLE_VARIANTS, TABLE_KERNELS, TABLE_LINES);
    if (!result) result = choose(work);
    if (!result) result = work_on_chosen(work);
    query_close(&work->query);
    return result;
}

int knockouts_run(struct run *run, const struct knockout_options *options)
{
    struct run_work work = {.run = run, .kernel = {.options = options}};
    struct stage stage;
    if (run_unit_done(run, STAGE_KNOCKOUTS)) return 0;
    work.kernel.writer = run_writer(run, TABLE_KNOCKOUTS);
    if (!work.kernel.writer) return FAIL_OUTPUT;
    int result = stage_begin(&stage, run, STAGE_KNOCKOUTS, NULL);
    if (!result) result = work_on_run(&work);
    result = stage_end(&stage, result);
    return result ? result : run_unit_finish(run, STAGE_KNOCKOUTS);
}
