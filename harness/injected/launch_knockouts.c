/*
 * Times the twins of a kernel at a launch of the program and writes knockouts.csv: a row "begun"
 * before the first launch of a twin, "fault" if it ends the process, "result" with its figures.
 *
 * Method: in rounds (knockout/twin_rounds.h). Before each launch the memory that its parameters
 * point to is given back (saved_memory.h), so that original and twins read the same, and caches are
 * as if the program had just written it. A value in host memory holds the stream until the launch
 * and the events around it are queued. The program's own launch follows with its own data, unless
 * this kernel was the last: the process ends then, without its exit handlers, and what the program
 * was about to write is not written.
 *
 * Wrong results can lead a twin anywhere. A launch that does not end, or that faults, ends the
 * process; whyfast starts the program again without that twin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "injected/code_origin.h"
#include "injected/part_files.h"
#include "injected/saved_memory.h"
#include "injected/watch.h"
#include "knockout/twin_rounds.h"

static const double MOST_SECONDS_OF_A_LAUNCH = 10, MOST_SECONDS_OF_ALL = 7,
                    MOST_SECONDS_OF_ROUNDS = 0.6;
static const char what[] = "knockouts",
                  no_time[] = "there was no time left for it (--kernel can choose it alone)";

struct kept_code {
    uint64_t crc;
    void *bytes;
    size_t size;
    struct kept_code *next;
};

struct timed_kernel {
    const struct twin_functions *driver;
    const struct planned_kernel *planned;
    int number; /* of the plan */
    const struct watched_launch *launch;
    struct twin_original original;
    CUfunction function[KNOCKOUTS]; /* NULL: not timed */
    CUlibrary library[KNOCKOUTS];
    CUlaunchAttribute *attribute;
    unsigned attribute_count;
    struct saved_memory saved;
    struct twin_rounds rounds;
};

static struct kept_code *kept;
static struct {
    CUcontext context; /* in which they were made */
    CUstream stream;
    CUevent begin, end;
    volatile uint32_t *gate;
    CUdeviceptr gate_address;
} tools;
static double seconds_spent;
static int kernels_done;

static double now(void)
{
    return 1e-9 * (double)watch_clock();
}

/* ---- machine code ---------------------------------------------------------------------------- */

void knockouts_keep(uint64_t crc, const void *cubin, size_t bytes)
{
    char name[24];
    int is_wanted = 0;
    snprintf(name, sizeof name, "%llx", (unsigned long long)crc);
    for (int k = 0; k < watch.plan.kernel_count; k++)
        is_wanted |= watch.plan.kernel[k].cubin && !strcmp(watch.plan.kernel[k].cubin, name);
    for (const struct kept_code *code = kept; code; code = code->next)
        is_wanted &= code->crc != crc;
    struct kept_code *code = is_wanted ? calloc(1, sizeof *code) : NULL;
    if (!code) return;
    *code = (struct kept_code){crc, malloc(bytes), bytes, kept};
    if (!code->bytes) {
        free(code);
        return;
    }
    memcpy(code->bytes, cubin, bytes);
    kept = code;
}

/* Returns 1 if the machine code of the kernel was kept. */
static int find_code(const struct planned_kernel *planned, struct cubin *cubin)
{
    const uint64_t crc = planned->cubin ? strtoull(planned->cubin, NULL, 16) : 0;
    watch_lock();
    const struct kept_code *code = kept;
    while (code && code->crc != crc) code = code->next;
    watch_unlock();
    return code && cubin_open(cubin, code->bytes, code->size);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_row(const struct timed_kernel *kernel, const char *kind, int twin,
                      const char *status, const struct twin_figures *figures)
{
    watch_lock();
    struct csv_writer *row = part_row(PART_KNOCKOUTS);
    if (row) {
        csv_integer(row, kernel->number);
        CSV_TEXTS(row, kind, twin == ORIGINAL ? "original" : knockout_kinds[twin].name, status);
        if (figures) {
            csv_integer(row, figures->samples);
            CSV_NUMBERS(row, figures->time_ns, figures->saved_ns, figures->low_ns,
                        figures->high_ns);
        } else
            csv_texts(row, 5, (const char *const[]){NULL, NULL, NULL, NULL, NULL});
        part_row_end(row);
        part_flush();
    }
    watch_unlock();
}

static void write_event(const struct timed_kernel *kernel, const char *kind, int twin,
                        const char *status)
{
    write_row(kernel, kind, twin, status, NULL);
}

static _Noreturn void end_process(int status)
{
    watch_lock();
    part_flush();
    part_fact("ended", what);
    _exit(status);
}

/* The context is lost, or a kernel still runs. */
static _Noreturn void fault(const struct timed_kernel *kernel, int twin, CUresult status)
{
    const char *text = NULL;
    if (status == CUDA_SUCCESS)
        text = "it did not end";
    else if (kernel->driver->error_text(status, &text) != CUDA_SUCCESS)
        text = "unknown error";
    write_event(kernel, "fault", twin, text);
    end_process(1);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Returns 1 if the stream, the events and the gate are those of the current context. */
static int make_tools(const struct twin_functions *functions)
{
    CUcontext context;
    void *memory;
    if (driver.current(&context) != CUDA_SUCCESS) return 0;
    if (context == tools.context) return 1;
    tools.context = NULL;
    if (functions->stream_create(&tools.stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        functions->event_create(&tools.begin, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
        functions->event_create(&tools.end, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
        functions->host_allocate(&memory, sizeof *tools.gate, CU_MEMHOSTALLOC_DEVICEMAP) !=
            CUDA_SUCCESS ||
        functions->host_address(&tools.gate_address, memory, 0) != CUDA_SUCCESS)
        return 0;
    tools.gate = memory;
    tools.context = context;
    return 1;
}

/* Ties to neighbours in the stream, which the launch does not have here. */
static int is_tie(CUlaunchAttributeID id)
{
    return id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
           id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
           id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT ||
           id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
}

static int take_attributes(struct timed_kernel *kernel)
{
    const CUlaunchConfig *config = &kernel->launch->config;
    kernel->attribute = calloc((size_t)config->numAttrs + 1, sizeof *kernel->attribute);
    if (!kernel->attribute) return 0;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (!is_tie(config->attrs[i].id))
            kernel->attribute[kernel->attribute_count++] = config->attrs[i];
    if (kernel->launch->is_cooperative)
        kernel->attribute[kernel->attribute_count++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    return 1;
}

static CUresult queue(const struct timed_kernel *kernel, CUfunction function)
{
    CUlaunchConfig config = kernel->launch->config;
    CUresult status =
        kernel->driver->stream_wait(tools.stream, tools.gate_address, 1, CU_STREAM_WAIT_VALUE_EQ);
    config.hStream = tools.stream;
    config.attrs = kernel->attribute;
    config.numAttrs = kernel->attribute_count;
    if (!status) status = kernel->driver->event_record(tools.begin, tools.stream);
    if (!status)
        status = kernel->driver->launch(&config, function, kernel->launch->parameters,
                                        kernel->launch->extra);
    return status ? status : kernel->driver->event_record(tools.end, tools.stream);
}

/* Gives memory and variables back what the program had in them. Copies of variables do not wait for
 * the stream, nor it for them. */
static int give_back(const struct timed_kernel *kernel, int twin)
{
    const struct twin_functions *functions = kernel->driver;
    if (!saved_memory_restore(&kernel->saved, tools.stream)) return 0;
    if (!kernel->saved.has_variables) return 1;
    return functions->synchronize() == CUDA_SUCCESS &&
           (twin == ORIGINAL ||
            twin_copy_variables(&functions->loading, &kernel->original, kernel->library[twin])) &&
           functions->synchronize() == CUDA_SUCCESS;
}

/* Launches do not return before they end. */
static int are_launches_blocking(void)
{
    const char *setting = getenv("CUDA_LAUNCH_BLOCKING");
    return setting && *setting && strcmp(setting, "0") != 0;
}

/* Launches a twin, or ORIGINAL, and times it. */
static int take(void *context, int twin, double *time_ns)
{
    const struct timed_kernel *kernel = context;
    const CUfunction function =
        twin == ORIGINAL ? kernel->original.function : kernel->function[twin];
    const struct timespec pause = {0, 20000};
    float milliseconds = 0;
    /* A first launch may load code, which would wait for the gate. */
    *tools.gate = !time_ns || are_launches_blocking();
    CUresult status = give_back(kernel, twin) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
    if (!status) status = queue(kernel, function);
    *tools.gate = 1;
    const double limit = now() + MOST_SECONDS_OF_A_LAUNCH;
    if (!status)
        while ((status = kernel->driver->stream_query(tools.stream)) == CUDA_ERROR_NOT_READY) {
            if (now() > limit) fault(kernel, twin, CUDA_SUCCESS);
            nanosleep(&pause, NULL);
        }
    if (!status) status = kernel->driver->event_elapsed(&milliseconds, tools.begin, tools.end);
    if (status) fault(kernel, twin, status);
    if (time_ns) *time_ns = 1e6 * (double)milliseconds;
    return 0;
}

/* ---- twins ----------------------------------------------------------------------------------- */

static void copy_attributes(const struct timed_kernel *kernel, CUfunction function)
{
    static const CUfunction_attribute attributes[] = {
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE};
    int value;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (kernel->driver->attribute(&value, attributes[i], kernel->original.function) ==
            CUDA_SUCCESS)
            kernel->driver->set_attribute(function, attributes[i], value);
}

/* Kernels of one name may have several machine codes: returns 1 if the copy has what the original
 * has. */
static int is_alike(const struct timed_kernel *kernel, CUfunction copy)
{
    static const CUfunction_attribute attributes[] = {
        CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int one, other;
        if (kernel->driver->attribute(&one, attributes[i], kernel->original.function) !=
                CUDA_SUCCESS ||
            kernel->driver->attribute(&other, attributes[i], copy) != CUDA_SUCCESS || one != other)
            return 0;
    }
    return 1;
}

static const char *load(struct timed_kernel *kernel)
{
    const char *reason = NULL;
    for (int k = 0; k < KNOCKOUTS; k++) {
        CUkernel copy;
        if (!(kernel->planned->twins >> k & 1)) continue;
        if (!twin_load(&kernel->driver->loading, &kernel->original, &kernel->planned->twin[k],
                       &kernel->library[k], &copy, &reason))
            return reason;
        if (kernel->driver->kernel_function(&kernel->function[k], copy) != CUDA_SUCCESS)
            return "the copy of its machine code cannot be loaded";
        copy_attributes(kernel, kernel->function[k]);
        if (!is_alike(kernel, kernel->function[k]))
            return "another kernel of its name has the machine code that was kept";
    }
    return kernel->driver->synchronize() == CUDA_SUCCESS ? NULL : "its variables were not copied";
}

/* Launches each once. The most important knock-outs come first, as long as there is time for them;
 * the rest say that there was none. Returns a reason if there is no time for any. */
static const char *take_first(struct timed_kernel *kernel)
{
    static const enum knockout first[] = {KNOCKOUT_NOTHING,      KNOCKOUT_BARRIERS,
                                          KNOCKOUT_CONFLICTS,    KNOCKOUT_BARRIERS_CONFLICTS,
                                          KNOCKOUT_GLOBAL_LOADS, KNOCKOUT_ALL};
    const int firsts = sizeof first / sizeof *first;
    unsigned chosen = 0, asked = 0;
    write_event(kernel, "begun", ORIGINAL, NULL);
    take(kernel, ORIGINAL, NULL);
    const double start = now();
    take(kernel, ORIGINAL, NULL);
    const double each = now() - start;
    double left = MOST_SECONDS_OF_ALL - seconds_spent - LEAST_ROUNDS * each;
    if (left < LEAST_ROUNDS * each) return no_time;
    for (int i = 0; i < firsts + KNOCKOUTS; i++) {
        const int twin = i < firsts ? (int)first[i] : i - firsts;
        if (!(kernel->planned->twins >> twin & 1) || (asked >> twin & 1)) continue;
        asked |= 1u << twin;
        left -= (LEAST_ROUNDS + 1) * each;
        if (left < 0 && twin != KNOCKOUT_NOTHING) {
            write_event(kernel, "result", twin, ABSENT "there was no time left for it");
            continue;
        }
        write_event(kernel, "begun", twin, NULL);
        take(kernel, twin, NULL);
        chosen |= 1u << twin;
    }
    write_event(kernel, "begun", ORIGINAL, NULL); /* no twin is to blame for what comes now */
    kernel->rounds.timed = chosen;
    return NULL;
}

static const char *time_twins(struct timed_kernel *kernel)
{
    kernel->rounds.seed = 1;
    kernel->rounds.most_seconds = MOST_SECONDS_OF_ROUNDS;
    kernel->rounds.take = take;
    kernel->rounds.context = kernel;
    const char *reason = take_first(kernel);
    if (reason) return reason;
    twin_rounds_run(&kernel->rounds);
    for (int k = 0; k < KNOCKOUTS; k++) {
        if (!(kernel->rounds.timed >> k & 1)) continue;
        const struct twin_figures figures = twin_rounds_figures(&kernel->rounds, k);
        write_row(kernel, "result", k, figures.status, &figures);
    }
    write_event(kernel, "done", ORIGINAL, NULL);
    return NULL;
}

/* Gives back what the program had, and what was taken for the twins. */
static void clean_up(struct timed_kernel *kernel)
{
    if (!saved_memory_restore(&kernel->saved, tools.stream) ||
        kernel->driver->synchronize() != CUDA_SUCCESS)
        fault(kernel, ORIGINAL, CUDA_ERROR_UNKNOWN);
    saved_memory_free(&kernel->saved);
    for (int k = 0; k < KNOCKOUTS; k++)
        if (kernel->library[k]) kernel->driver->loading.unload(kernel->library[k]);
    free(kernel->attribute);
}

/* Returns why the twins of the kernel cannot be timed, or NULL after they were. */
static const char *time_kernel(struct timed_kernel *kernel, const char *symbol)
{
    struct cubin cubin;
    CUfunction loaded;
    if (!kernel->driver) return "the driver is too old";
    if (seconds_spent > MOST_SECONDS_OF_ALL) return no_time;
    if (!find_code(kernel->planned, &cubin))
        return "its machine code is another one than in the starts before";
    if (kernel->driver->synchronize() != CUDA_SUCCESS)
        return "the work of the program before it failed";
    kernel->original = (struct twin_original){&cubin, symbol, kernel->launch->function};
    if (kernel->driver->kernel_function(&loaded, (CUkernel)kernel->launch->function) ==
        CUDA_SUCCESS)
        kernel->original.function = loaded;
    if (!make_tools(kernel->driver) || !take_attributes(kernel))
        return "the driver gave no stream or no memory to time it";
    const char *reason =
        saved_memory_save(&kernel->saved, kernel->driver, kernel->launch, &kernel->original);
    if (!reason) reason = load(kernel);
    if (!reason) reason = time_twins(kernel);
    clean_up(kernel);
    return reason;
}

void knockouts_forget(CUcontext context)
{
    if (tools.context == context) tools.context = NULL;
}

void knockouts_take(const struct watched_launch *launch, const struct launch_signature *signature,
                    int kernel)
{
    static struct timed_kernel timed;
    char origin[ORIGIN_REASON];
    int kernels = 0;
    const double start = now();
    const struct planned_kernel *planned = &watch.plan.kernel[kernel];
    for (int k = 0; k < watch.plan.kernel_count; k++)
        kernels += watch.plan.kernel[k].process == watch.process && watch.plan.kernel[k].twins;
    timed = (struct timed_kernel){
        .driver = twin_functions(), .planned = planned, .number = kernel, .launch = launch};
    const char *reason = code_origin_is_known(signature->symbol, origin)
                             ? time_kernel(&timed, signature->symbol)
                             : origin;
    watch_lock();
    if (reason) part_problem(what, kernel, reason);
    watch_unlock();
    seconds_spent += now() - start;
    if (++kernels_done == kernels) end_process(0);
}
