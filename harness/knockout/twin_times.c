#include "knockout/twin_times.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/message.h"
#include "driver/other_profilers.h"
#include "gpu/launch_variant.h"
#include "knockout/twin_code.h"
#include "knockout/twin_plans.h"
#include "knockout/twin_rounds.h"
#include "measure/gpu_timer.h"

enum { MOST_SECONDS_OF_A_LAUNCH = 20 };

struct loaded_twin {
    CUlibrary library;
    const void *function; /* NULL: there is none to time */
};

struct twins {
    const struct twin_options *options;
    const struct selected *selected;
    struct device device;
    struct workbench bench;
    struct timer timer;
    char *task[TASK_COLUMNS];
    struct executable executable;
    struct cubin cubin;
    struct listing listing;
    struct probe_result counts;
    struct twin_plans plans;
    struct twin_driver driver;
    struct loaded_twin loaded[KNOCKOUTS];
    struct twin_rounds rounds;
    const void *function; /* that the next window launches */
    int lock;             /* -1: this process may not use the device */
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* The name of the twin that runs now, for the handler of the alarm. */
static const char *volatile running = "";

static void write_row(const char *what, const char *knockout, const char *status)
{
    printf("%s,%s,,\"%s\",,,,,,,,\n", what, knockout, status);
    fflush(stdout);
}

static void on_alarm(int signal)
{
    char row[128];
    (void)signal;
    const int length = snprintf(row, sizeof row, "fault,%s,,did not end,,,,,,,,\n", running);
    if (write(STDOUT_FILENO, row, (size_t)length) < 0) _exit(2);
    _exit(1);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static int take_task(void *context, const struct csv_reader *row)
{
    struct twins *twins = context;
    for (int i = 0; row->line == 1 && i < row->count && i < TASK_COLUMNS; i++)
        if (!(twins->task[i] = strdup(row->cell[i]))) return error_memory();
    return 0;
}

/* Finds the machine code of the task. */
static int find_code(struct twins *twins)
{
    const char *file = twins->selected->variant->file;
    int result = csv_each(twins->options->counts, take_task, twins);
    if (!result && !twins->task[TASK_COLUMNS - 1])
        result = error(FAIL_INPUT, "%s: has no task for twins", twins->options->counts);
    if (result) return result;
    const int architecture = (int)strtol(twins->task[TASK_ARCHITECTURE], NULL, 10);
    if (!executable_open(&twins->executable))
        return error(FAIL_GPU, "the machine code of this program cannot be read");
    if (!cubin_find(&twins->executable, file, twins->task[TASK_SYMBOL], architecture,
                    &twins->cubin))
        return error(FAIL_GPU,
                     "%s: this program has no machine code of it for compute capability %d.%d",
                     twins->task[TASK_SYMBOL], architecture / 10, architecture % 10);
    const struct listing_request request = {file, twins->task[TASK_SYMBOL]};
    return listings_make(&twins->listing, &request, 1, architecture);
}

static int plan_twins(struct twins *twins)
{
    const struct twin_request request = {
        .cubin = &twins->cubin,
        .symbol = twins->task[TASK_SYMBOL],
        .architecture = (int)strtol(twins->task[TASK_ARCHITECTURE], NULL, 10),
        .listing = &twins->listing,
        .counts = &twins->counts,
        .wanted = twins->options->wanted,
        .line = twins->options->line,
        .shared_bytes = (unsigned)strtol(twins->task[TASK_SHARED], NULL, 10)};
    char reason[TWIN_PLANS_REASON];
    twins->counts.symbol = twins->task[TASK_SYMBOL];
    int result = probe_result_counts(&twins->counts, twins->options->counts);
    if (!result && strcmp(twins->counts.counts_status, "ok"))
        result = error(FAIL_GPU, "%s", twins->counts.counts_status);
    if (result) return result;
    result = twin_plans_make(&twins->plans, &request, reason);
    return result == FAIL_GPU ? error(FAIL_GPU, "%s", reason) : result;
}

/* ---- loading --------------------------------------------------------------------------------- */

static int find_driver(struct twin_driver *driver)
{
#define TWIN_DRIVER_FIND(member, function, version)                                                \
    if (driver_find(#function, version, &driver->member)) return FAIL_GPU;
    TWIN_DRIVER(TWIN_DRIVER_FIND)
    return 0;
}

/* Waits until no other process times. The lock ends with this process at the latest. */
static int lock_device(struct twins *twins)
{
    const char *path = twins->task[TASK_LOCK];
    twins->lock = open(path, O_RDWR | O_CLOEXEC);
    while (twins->lock >= 0 && flock(twins->lock, LOCK_EX))
        if (errno != EINTR || interrupted())
            return interrupted() ? FAIL_INTERRUPTED : error(FAIL_OUTPUT, "%s: cannot lock", path);
    return twins->lock < 0 ? error(FAIL_OUTPUT, "%s: %s", path, strerror(errno)) : 0;
}

static void unlock_device(struct twins *twins)
{
    if (twins->lock >= 0) close(twins->lock);
    twins->lock = -1;
}

/* Tells whether eight processes (knockout_run.c) can keep such data in half of the memory. */
static int is_small(const struct selected *selected)
{
    const struct shape *shape = &selected->point.shape;
    const struct family *family = selected->family;
    size_t bytes = family->output_bytes(shape) + family_scratch_bytes(family, shape), left, all;
    for (int i = 0; i < family->input_count; i++) bytes += family->input_bytes(shape, i);
    return CUDA_OK(cudaMemGetInfo(&left, &all)) && bytes < all / 16;
}

/* Fills the inputs while another process times, if both have memory enough. */
static int open_bench(struct twins *twins)
{
    int result = device_open(&twins->device);
    if (!result && !is_small(twins->selected)) result = lock_device(twins);
    if (!result)
        result = workbench_open(&twins->bench, &twins->device, twins->selected,
                                twins->options->seed, BENCH_UNCHECKED);
    return result ? result : timer_open(&twins->timer, &twins->bench.gate, &twins->bench);
}

static int load_twins(struct twins *twins)
{
    struct listed_kernel launched = {{0}, NULL};
    struct kernel_facts facts;
    launch_plan(&twins->bench, twins->selected, twins->options->launch, &launched.launch);
    int result = kernel_facts(&launched, &facts);
    if (!result) result = find_driver(&twins->driver);
    if (result) return result;
    if (strcmp(facts.symbol, twins->task[TASK_SYMBOL]))
        return error(FAIL_GPU, "the launch is one of %s", facts.symbol);
    const struct twin_original original = {&twins->cubin, facts.symbol, facts.function};
    for (int k = 0; k < KNOCKOUTS && !result; k++) {
        const struct twin *twin = &twins->plans.twin[k];
        struct loaded_twin *loaded = &twins->loaded[k];
        const char *reason;
        CUkernel kernel;
        if (!twin->patched && k != KNOCKOUT_NOTHING) continue;
        if (!twin_load(&twins->driver, &original, twin, &loaded->library, &kernel, &reason))
            result = error(FAIL_GPU, "%s", reason);
        else
            loaded->function = kernel;
        twins->rounds.timed |= 1u << k;
    }
    return result || CUDA_OK(cudaDeviceSynchronize()) ? result : FAIL_GPU; /* variables are there */
}

/* ---- timing ---------------------------------------------------------------------------------- */

static int queue(void *context)
{
    struct twins *twins = context;
    int result = timer_record(&twins->timer, 0);
    if (!result)
        result = launch_queue_as(&twins->bench, twins->selected, twins->options->launch,
                                 twins->function);
    return result ? result : timer_record(&twins->timer, 1);
}

/* Launches without a gate: code that is loaded by its first launch would wait for it. */
static int launch_once(struct twins *twins)
{
    int result =
        launch_queue_as(&twins->bench, twins->selected, twins->options->launch, twins->function);
    return result ? result : workbench_synchronize(&twins->bench);
}

static int time_once(struct twins *twins, double *time_ns)
{
    const int result = timer_window(&twins->timer, queue, twins);
    return result ? result : timer_elapsed(&twins->timer, 1, time_ns);
}

/* Times a twin, or ORIGINAL; launches it only if `time_ns` is NULL. */
static int take(void *context, int twin, double *time_ns)
{
    struct twins *twins = context;
    int result = interrupted() ? FAIL_INTERRUPTED : 0;
    running = twin == ORIGINAL ? "original" : knockout_kinds[twin].name;
    twins->function = twin == ORIGINAL ? NULL : twins->loaded[twin].function;
    if (result) return result;
    alarm(MOST_SECONDS_OF_A_LAUNCH);
    do {
        result = launch_prepare(&twins->bench, twins->selected, twins->options->launch);
        if (!result) result = time_ns ? time_once(twins, time_ns) : launch_once(twins);
    } while (result == OUTSIDE_AGAIN);
    alarm(0);
    if (result) write_row("fault", running, cudaGetErrorString(cudaPeekAtLastError()));
    return result;
}

static int take_first(struct twins *twins)
{
    int result = take(twins, ORIGINAL, NULL);
    for (int k = 0; k < KNOCKOUTS && !result; k++) {
        if (!twins->loaded[k].function) continue;
        write_row("begun", knockout_kinds[k].name, "");
        result = take(twins, k, NULL);
    }
    write_row("begun", "original", ""); /* no twin is to blame for what comes now */
    return result;
}

static void write_result(struct twins *twins, int k)
{
    const struct twin *twin = &twins->plans.twin[k];
    struct csv_writer writer = {.file = stdout};
    struct twin_figures figures = {NULL, 0, NAN, NAN, NAN, NAN};
    char status[TWIN_REASON + 16];
    if (twin->knockout == KNOCKOUTS) return;
    if (twins->loaded[k].function)
        figures = twin_rounds_figures(&twins->rounds, k);
    else
        twin_status(twin, status, sizeof status);
    CSV_TEXTS(&writer, "result", knockout_kinds[k].name, twins->task[TASK_SYMBOL],
              figures.status ? figures.status : status);
    CSV_INTEGERS(&writer, twin->patched, twin->left);
    csv_text(&writer, figures.status ? twin->reason : NULL);
    csv_integer(&writer, figures.samples);
    CSV_NUMBERS(&writer, figures.time_ns, figures.saved_ns, figures.low_ns, figures.high_ns);
    csv_end(&writer);
}

static int time_twins(struct twins *twins)
{
    twins->rounds.seed = twins->options->seed;
    twins->rounds.most_seconds = strtod(twins->task[TASK_SECONDS], NULL);
    twins->rounds.take = take;
    twins->rounds.context = twins;
    const int result = take_first(twins);
    return result ? result : twin_rounds_run(&twins->rounds);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The unchanged copy alone would tell nothing. The times of several launches are summed. */
static int has_copies(const struct twins *twins)
{
    for (int k = KNOCKOUT_NOTHING + 1; k < KNOCKOUTS; k++)
        if (twins->plans.twin[k].patched) return 1;
    return variant_launches(twins->selected->variant, &twins->selected->point) > 1;
}

static int work_on_device(struct twins *twins)
{
    int result = open_bench(twins);
    if (!result) result = load_twins(twins);
    if (!result && twins->lock < 0) result = lock_device(twins);
    if (!result) result = time_twins(twins);
    unlock_device(twins);
    return result;
}

static int work_on(struct twins *twins)
{
    struct twin *unchanged = &twins->plans.twin[KNOCKOUT_NOTHING];
    int result = find_code(twins);
    if (!result) result = plan_twins(twins);
    if (!result && has_copies(twins))
        result = work_on_device(twins);
    else if (!result)
        snprintf(unchanged->reason, sizeof unchanged->reason, TWIN_HAS_NONE);
    for (int k = 0; k < KNOCKOUTS && !result; k++) write_result(twins, k);
    return result;
}

static void clean_up(struct twins *twins)
{
    for (int k = 0; k < KNOCKOUTS; k++)
        if (twins->loaded[k].library)
            driver_ok(twins->driver.unload(twins->loaded[k].library), "cuLibraryUnload");
    twin_plans_free(&twins->plans);
    timer_close(&twins->timer);
    workbench_close(&twins->bench);
    device_close(&twins->device);
    listing_free(&twins->listing);
    executable_close(&twins->executable);
    for (int i = 0; i < TASK_COLUMNS; i++) free(twins->task[i]);
    free(twins->counts.instruction);
    free(twins);
}

int twin_times(const struct selection *selection, const struct twin_options *options)
{
    const struct selected *selected = selection->points;
    if (selection->count != 1 || variant_kind(selected->variant) != KIND_KERNEL)
        return error(FAIL_USAGE, "twins need exactly one point of a kernel of the registry");
    struct twins *twins = calloc(1, sizeof *twins);
    if (!twins) return error_memory();
    *twins = (struct twins){.options = options, .selected = selected, .lock = -1};
    signal(SIGALRM, on_alarm);
    const int result = work_on(twins);
    clean_up(twins);
    return result;
}
