#include "knockout/knockout_run.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/message.h"
#include "base/process.h"
#include "catalog/knockout.h"
#include "catalog/point_key.h"
#include "catalog/thresholds.h"
#include "collect/collect_counters.h"
#include "collect/kernel_points.h"
#include "knockout/twin_times.h"
#include "machine_code/machine_code.h"
#include "query/query.h"
#include "run/run_stages.h"

/* Processes that run at once, which share the device in turn (knockout/twin_times.h); and kernels
 * that were begun, whose processes may have ended before that of the first one. */
enum { AT_ONCE = 8, BEGUN = 32 };

/* The counts of a kernel, which its process inherits. */
struct counts_file {
    FILE *file;
    char path[PROCESS_PATH];
    struct csv_writer writer;
};

/* A kernel whose twins are timed, by a process unless there is a reason why not. */
struct kernel_work {
    struct point_key key;
    int launch;
    char *number, *symbol; /* of the run */
    struct counts_file counts;
    unsigned wanted;
    const char *reason;
    char last[32], fault[120]; /* what the process was at when it ended */
};

struct run_work {
    const struct knockout_options *options;
    struct run *run;
    struct query query;
    struct csv_writer *writer;
    FILE *lock;
    char lock_path[PROCESS_PATH];
    struct kernel_work work[BEGUN]; /* a ring: those that were begun, the first one first */
    struct process child[BEGUN];
    int first, count;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_row(struct csv_writer *writer, const struct kernel_work *work,
                    const char *const *cell)
{
    point_key_write(writer, &work->key);
    csv_integer(writer, work->launch);
    CSV_TEXTS(writer, cell[TWIN_SYMBOL], cell[TWIN_KNOCKOUT]);
    csv_texts(writer, TWIN_COLUMNS - TWIN_STATUS, cell + TWIN_STATUS);
    csv_end(writer);
}

struct reading {
    struct csv_writer *writer; /* NULL: the process failed, and its rows are not taken */
    struct kernel_work *work;
};

static int read_row(void *context, const struct csv_reader *row)
{
    const struct reading *reading = context;
    struct kernel_work *work = reading->work;
    if (row->count != TWIN_COLUMNS)
        return error(FAIL_INPUT, "%s:%d: unexpected output of a probe", row->path, row->line);
    if (!strcmp(row->cell[TWIN_WHAT], "result")) {
        if (reading->writer) add_row(reading->writer, work, (const char *const *)row->cell);
        return 0;
    }
    snprintf(work->last, sizeof work->last, "%s", row->cell[TWIN_KNOCKOUT]);
    snprintf(work->fault, sizeof work->fault, "%s", row->cell[TWIN_STATUS]);
    return 0;
}

static void add_absent(struct csv_writer *writer, const struct kernel_work *work, int knockout,
                       const char *why)
{
    const char *cell[TWIN_COLUMNS] = {[TWIN_KNOCKOUT] = knockout_kinds[knockout].name,
                                      [TWIN_SYMBOL] = work->symbol,
                                      [TWIN_PATCHED] = "0",
                                      [TWIN_LEFT] = "0",
                                      [TWIN_LEFT_REASON] = "",
                                      [TWIN_SAMPLES] = "0"};
    char status[200];
    snprintf(status, sizeof status, ABSENT "%s", why);
    cell[TWIN_STATUS] = status;
    add_row(writer, work, cell);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Waits until fewer processes run than may at once. */
static void wait_for_place(struct run_work *all)
{
    int running;
    do {
        running = 0;
        for (int slot = 0; slot < BEGUN; slot++) running += all->child[slot].pid > 0;
    } while (running >= AT_ONCE && process_wait(all->child, BEGUN) >= 0);
}

/* Starts a process for the twins of a kernel. */
static int start(struct run_work *all, int slot)
{
    const struct kernel_work *work = &all->work[slot];
    char wanted[400] = "";
    for (int k = 0; k < KNOCKOUTS; k++)
        if (work->wanted >> k & 1)
            snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s",
                     *wanted ? "," : "", knockout_kinds[k].name);
    const char *const line = all->options->line;
    const char *const words[] = {"twins",   "--from", work->counts.path,
                                 "--cause", wanted,   line ? "--line" : NULL,
                                 line,      NULL};
    const struct probe_request request = {all->options->program, words, all->options->seed,
                                          work->launch};
    wait_for_place(all);
    if (interrupted()) return FAIL_INTERRUPTED;
    return probe_start(&request, (const struct point_key *[]){&work->key}, 1, &all->child[slot]);
}

/* Takes the output of a process that has ended. A kernel of which nothing can be knocked out has
 * one row. Returns 1 if the process must be started again, without the twin that ended it. */
static int judge(struct run_work *all, int slot, int *result)
{
    struct kernel_work *work = &all->work[slot];
    const int has_succeeded = process_succeeded(&all->child[slot]);
    struct reading reading = {has_succeeded ? all->writer : NULL, work};
    char path[PROCESS_PATH], reason[200];
    *work->last = *work->fault = 0;
    *result = csv_each(process_path(all->child[slot].output, path), read_row, &reading);
    if (*result || has_succeeded) return 0;
    process_reason(&all->child[slot], reason, sizeof reason);
    const int culprit = knockout_find(work->last);
    if (culprit <= KNOCKOUT_NOTHING || !(work->wanted >> culprit & 1)) {
        add_absent(all->writer, work, KNOCKOUT_NOTHING, reason);
        return 0;
    }
    work->wanted &= ~(1u << culprit);
    snprintf(reason, sizeof reason, "the twin failed: %.100s",
             *work->fault ? work->fault : "the process ended");
    warning("%s/%s without %s: %s", work->key.family, work->key.variant,
            knockout_kinds[culprit].title, reason);
    add_absent(all->writer, work, culprit, reason);
    return 1;
}

static void unit_of(const struct kernel_work *work, char unit[64])
{
    snprintf(unit, 64, "knockouts of kernel %s", work->number);
}

static void work_free(struct kernel_work *work)
{
    if (work->counts.file) fclose(work->counts.file);
    point_key_free(&work->key);
    free(work->number);
    free(work->symbol);
    memset(work, 0, sizeof *work);
}

/* Waits for the first kernel that was begun, so that the rows keep the order of the run. */
static int finish_first(struct run_work *all)
{
    const int slot = all->first;
    struct kernel_work *work = &all->work[slot];
    struct process *child = &all->child[slot];
    char unit[64];
    int result = 0, again = !work->reason;
    if (work->reason) add_absent(all->writer, work, KNOCKOUT_NOTHING, work->reason);
    while (again && !result) {
        while (child->pid > 0 && process_wait(all->child, BEGUN) >= 0) continue;
        again = 0;
        if (interrupted())
            result = FAIL_INTERRUPTED;
        else
            again = judge(all, slot, &result);
        process_free(child);
        if (again && !result) result = start(all, slot);
    }
    unit_of(work, unit);
    if (!result) result = run_unit_finish(all->run, unit);
    work_free(work);
    all->first = (slot + 1) % BEGUN;
    all->count--;
    progress_next(1, "knocked out");
    return result;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Opens a file in memory that processes inherit. */
static FILE *shared_file(const char *name, char path[PROCESS_PATH])
{
    const int descriptor = memfd_create(name, 0);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) error_memory();
    process_path(descriptor, path);
    return file;
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

/* Writes the task, and the counts of the kernel. */
static int write_counts(struct run_work *all, struct kernel_work *work, const char *shared_bytes,
                        int architecture)
{
    const struct scope scope = SCOPE_OF(STRINGS("kernel"), STRINGS(work->number));
    struct counts_file *counts = &work->counts;
    counts->file = shared_file("counts", counts->path);
    if (!counts->file) return FAIL_OUTPUT;
    counts->writer = (struct csv_writer){.file = counts->file};
    CSV_TEXTS(&counts->writer, work->symbol, shared_bytes);
    csv_integer(&counts->writer, architecture);
    CSV_TEXTS(&counts->writer, all->options->quick ? "0" : "1.5", all->lock_path);
    csv_end(&counts->writer);
    const int result = query_each(&all->query, NULL, counts_of_kernel, &scope, copy_count, counts);
    return result || !fflush(counts->file) ? result : error_memory();
}

/* ---- the kernels of a run -------------------------------------------------------------------- */

/* Columns of the statement, after those of the point. */
enum { KERNEL = POINT_KEY_COLUMNS, LAUNCH, SYMBOL, SHARED, SOURCE, FACTORS, HASH, TIME };

#define COUNTED                                                                                    \
    " FROM kernels k JOIN variants v USING (family, variant)"                                      \
    " JOIN chosen c USING (" POINT_KEY ") LEFT JOIN launches l USING (" POINT_KEY ", launch)"      \
    " WHERE v.kind = 'kernel' AND k.counts_status = 'ok'"

/* Counts of other machine code would tell nothing of this one. */
static int is_same_code(const struct scope *row, int architecture)
{
    const char *factors = row->value[FACTORS] && *row->value[FACTORS] ? row->value[FACTORS] : NULL;
    char hash[17], reason[120];
    return architecture && row->value[HASH] &&
           sass_hash(row->value[SOURCE], factors, architecture, hash, reason) &&
           !strcmp(hash, row->value[HASH]);
}

/* Begins the work on a kernel, and finishes that on those which have ended. */
static int begin(void *context, const struct scope *row)
{
    struct run_work *all = context;
    const char *capability = run_fact(all->run, "device_compute_capability");
    const int architecture = capability ? (int)(10 * strtod(capability, NULL) + 0.5) : 0;
    const int slot = (all->first + all->count) % BEGUN;
    struct kernel_work *work = &all->work[slot];
    char unit[64];
    int result = 0;
    while (!result && (all->count == BEGUN || (all->count && all->child[all->first].pid <= 0)))
        result = finish_first(all);
    if (result) return result;
    memset(work, 0, sizeof *work);
    work->number = strdup(row->value[KERNEL]);
    work->symbol = strdup(row->value[SYMBOL]);
    work->launch = (int)row_integer(row, LAUNCH);
    work->wanted = all->options->wanted;
    result = work->number && work->symbol ? point_key_copy(&work->key, row->value) : error_memory();
    all->count++;
    if (result) return result;
    unit_of(work, unit);
    if (run_unit_done(all->run, unit)) {
        all->count--;
        work_free(work);
        progress_next(1, "knocked out");
        return 0;
    }
    if (!is_same_code(row, architecture))
        work->reason = "the machine code of this build differs from that of the run";
    else if (all->options->quick && row_number(row, TIME) > 1e6 * KNOCKOUT_LONG_MS)
        work->reason = "it takes more than " KNOCKOUT_LONG_TEXT
                       " ms, too long for a quick report (--full measures it)";
    if (!work->reason) result = write_counts(all, work, row->value[SHARED], architecture);
    return result || work->reason ? result : start(all, slot);
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
static int choose(struct run_work *all)
{
    /* Families of up to three rungs are left out where there are many others. */
    static const char of_quick[] =
        "DELETE FROM chosen WHERE rowid NOT IN (WITH times AS ("
        "  SELECT rowid AS point, family, time_ns, lag(rowid) OVER ladder AS before,"
        "    lag(time_ns) OVER ladder / time_ns AS speedup FROM chosen"
        "  WHERE family IN (SELECT family FROM chosen GROUP BY family HAVING count(*) > 3"
        "    OR (SELECT count(*) FROM chosen) <= 32)"
        "  WINDOW ladder AS (PARTITION BY family ORDER BY variant)),"
        " steps AS (SELECT *, row_number() OVER (PARTITION BY family ORDER BY speedup DESC)"
        "  AS place FROM times WHERE speedup IS NOT NULL)"
        " SELECT point FROM steps WHERE place <= 2 UNION SELECT before FROM steps WHERE place <= 2"
        " UNION SELECT point FROM times t"
        "  WHERE time_ns = (SELECT min(time_ns) FROM times WHERE family = t.family))";
    const struct selection *selection = all->options->selection;
    struct kernel_points points;
    int result = query_write(&all->query, "CREATE TABLE chosen (%s, time_ns REAL)", POINT_KEY);
    if (!result) result = kernel_points_choose(&points, all->run, selection != NULL);
    if (result) return result;
    for (int i = 0; i < points.count && !result; i++) {
        const struct point_key *key = &points.point[i].key;
        if (points.point[i].is_primary && is_selected(selection, key))
            result = query_write(&all->query,
                                 "INSERT INTO chosen SELECT %Q,%Q,%Q,%Q,%Q,%Q,nullif(%g, 0)"
                                 " FROM variants WHERE (family, variant, kind) = (%Q,%Q,'kernel')",
                                 key->family, key->variant, key->size, key->block, key->sweep,
                                 key->device,
                                 isnan(points.point[i].time_ns) ? 0 : points.point[i].time_ns,
                                 key->family, key->variant);
    }
    kernel_points_free(&points);
    return result || !all->options->quick ? result : query_write(&all->query, "%s", of_quick);
}

static int work_on_chosen(struct run_work *all)
{
    static const char kernels[] = "SELECT " POINT_KEY_OF(
        "k.") ", k.kernel, k.launch, k.symbol,"
              "  coalesce(l.static_shared_bytes, 0) + coalesce(l.dynamic_shared_bytes, 0), v.file,"
              "  v.factors, v.sass_hash, c.time_ns" COUNTED " ORDER BY k.kernel";
    char *count = NULL;
    int result = query_text(&all->query, NULL, "SELECT count(*)" COUNTED, NULL, &count);
    progress_begin(STAGE_KNOCKOUTS, "kernels", count ? (int)strtol(count, NULL, 10) : 0);
    all->lock = shared_file("lock", all->lock_path);
    if (!result && !all->lock) result = FAIL_OUTPUT;
    if (!result) result = query_each(&all->query, NULL, kernels, NULL, begin, all);
    while (all->count && !result) result = finish_first(all);
    for (int slot = 0; slot < BEGUN; slot++) {
        if (all->child[slot].pid > 0) kill(all->child[slot].pid, SIGTERM);
        while (all->child[slot].pid > 0 && process_wait(all->child, BEGUN) >= 0) continue;
        process_free(&all->child[slot]);
        work_free(&all->work[slot]);
    }
    if (all->lock) fclose(all->lock);
    free(count);
    return progress_end(result);
}

static int work_on_run(struct run_work *all)
{
    int result = query_open(&all->query, all->run);
    if (result) return result;
    result = QUERY_LOAD(&all->query, TABLE_VARIANTS, TABLE_KERNELS, TABLE_LAUNCHES, TABLE_LINES);
    if (!result) result = choose(all);
    if (!result) result = work_on_chosen(all);
    query_close(&all->query);
    return result;
}

int knockouts_run(struct run *run, const struct knockout_options *options)
{
    struct run_work all = {.run = run, .options = options};
    struct stage stage;
    if (run_unit_done(run, STAGE_KNOCKOUTS)) return 0;
    all.writer = run_writer(run, TABLE_KNOCKOUTS);
    if (!all.writer) return FAIL_OUTPUT;
    int result = stage_begin(&stage, run, STAGE_KNOCKOUTS, NULL);
    if (!result) result = work_on_run(&all);
    result = stage_end(&stage, result);
    return result ? result : run_unit_finish(run, STAGE_KNOCKOUTS);
}
