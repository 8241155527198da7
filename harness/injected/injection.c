/*
 * Watches the CUDA program into which it is loaded: the driver loads this library by the variable
 * CUDA_INJECTION64_PATH and calls InitializeInjection. The variable WHYFAST_WATCH names a
 * directory: its plan.txt says what to watch, and the library writes its files there
 * (part_files.h). It writes nothing elsewhere, prints nothing and changes no result of the program.
 * After a failure the program goes on, and problems.csv has the reason.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "injected/needed_libraries.h"
#include "injected/nvtx_ranges.h"
#include "injected/part_files.h"
#include "injected/watch.h"

struct watch watch = {.patience_s = 5, .most_s = 20, .most_images = 24};

static CUpti_SubscriberHandle subscriber;
static pthread_mutex_t lock;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* of a launch whose twins are timed */
static _Atomic int is_on; /* cleared at the end, and in a forked child */
static int captures;      /* streams that record a graph now */
/* The launch of this thread that is being profiled, between its callbacks. */
static _Thread_local struct {
    int is_on;
    int kernel; /* of the plan */
    unsigned ordinal;
} profiled;
static _Thread_local int is_own; /* callbacks of our own calls are ignored */

void watch_lock(void)
{
    pthread_mutex_lock(&lock);
}

void watch_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

uint64_t watch_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define CUPTI_LINKED(function) .function = function,
const struct cupti linked_cupti = {CUPTI_SHARED_FUNCTIONS(CUPTI_LINKED)};

int watch_ok(CUptiResult status, const char *call, const char *what, int kernel)
{
    char reason[REASON_BYTES];
    if (cupti_ok(&linked_cupti, status, call, reason)) return 1;
    part_problem(what, kernel, reason);
    return 0;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The arguments of cuLaunchKernel and cuLaunchCooperativeKernel, which has no `extra`, and of
 * cuLaunchKernelEx, as CUPTI gives them (generated_cuda_meta.h, which declares more types than
 * cuda.h has). */
struct launch_arguments {
    CUfunction function;
    unsigned grid[3], block[3];
    unsigned dynamic_shared;
    CUstream stream;
    void **parameters, **extra;
};
struct extended_launch_arguments {
    const CUlaunchConfig *config;
    CUfunction function;
    void **parameters, **extra;
};

/* Reads a launch. Returns 1, or 0 for other functions of the driver. */
static int read_launch(const CUpti_CallbackData *data, CUpti_CallbackId id,
                       struct watched_launch *launch)
{
    const struct launch_arguments *plain = data->functionParams;
    const struct extended_launch_arguments *extended = data->functionParams;
    *launch = (struct watched_launch){0};
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: launch->is_cooperative = 1; break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
        launch->function = extended->function;
        launch->config = *extended->config;
        launch->parameters = extended->parameters;
        launch->extra = extended->extra;
        return 1;
    default: return 0;
    }
    launch->function = plain->function;
    launch->config = (CUlaunchConfig){plain->grid[0],
                                      plain->grid[1],
                                      plain->grid[2],
                                      plain->block[0],
                                      plain->block[1],
                                      plain->block[2],
                                      plain->dynamic_shared,
                                      plain->stream,
                                      NULL,
                                      0};
    launch->parameters = plain->parameters;
    launch->extra = launch->is_cooperative ? NULL : plain->extra;
    return 1;
}

static struct launch_signature signature_of(const CUpti_CallbackData *data,
                                            const CUlaunchConfig *config, const char *range)
{
    struct launch_signature signature = {
        .symbol = data->symbolName ? data->symbolName : "",
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .dynamic_shared = config->sharedMemBytes,
        .range = range};
    uint32_t device = 0;
    cuptiGetDeviceId(data->context, &device);
    signature.device = (int)device;
    return signature;
}

/* Returns 1 if the launch is recorded into a graph instead of being run. The legacy default stream
 * cannot be captured, and to ask about it would disturb a capture. */
static int is_captured(CUstream stream, CUpti_CallbackId id)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const int per_thread = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
                           id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
                           id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
    if (!stream && per_thread) stream = CU_STREAM_PER_THREAD;
    if (!stream || stream == CU_STREAM_LEGACY) return 0;
    return driver.is_capturing(stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Returns 1 if the plan wants the launch to be profiled. A profiled launch waits for the GPU, which
 * would spoil a graph that another stream records meanwhile. */
static int is_wanted(const struct planned_kernel *planned, int number, unsigned ordinal)
{
    const int counters = watch.plan.mode == WATCH_COUNTERS;
    if (counters && ((int)ordinal < planned->first || (int)ordinal > planned->last)) return 0;
    if (!counters && (int)ordinal != planned->count) return 0;
    if (captures)
        part_problem(watch_mode_name(watch.plan.mode), number,
                     "the program recorded a CUDA graph in another stream meanwhile");
    return !captures;
}

/* Profiles the launch. The lock is kept until its end. */
static void profile(const CUpti_CallbackData *data, const struct known_kernel *kernel,
                    unsigned ordinal)
{
    is_own = 1;
    profiled.kernel = kernel->planned;
    profiled.ordinal = ordinal;
    profiled.is_on = watch.plan.mode == WATCH_COUNTERS
                         ? counters_begin(data->context, kernel->planned, ordinal)
                         : counts_begin(data->context, kernel->planned);
    is_own = 0;
    if (profiled.is_on) watch_lock();
}

static int is_cooperative(const struct watched_launch *launch)
{
    int is = launch->is_cooperative;
    for (unsigned i = 0; i < launch->config.numAttrs; i++)
        is |= launch->config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
              launch->config.attrs[i].value.cooperative;
    return is;
}

/* Counts the launch, and times or profiles it. Returns the kernel if its twins are to be timed. */
static const struct known_kernel *count_launch(const CUpti_CallbackData *data,
                                               const struct watched_launch *launch,
                                               struct known_kernel *kernel)
{
    const unsigned ordinal = kernel->launches++;
    if (watch.plan.mode == WATCH_TIMES) {
        times_launched(data->correlationId, kernel, ordinal);
        return NULL;
    }
    if (kernel->planned < 0 ||
        !is_wanted(&watch.plan.kernel[kernel->planned], kernel->planned, ordinal))
        return NULL;
    if (watch.plan.mode == WATCH_KNOCKOUTS) return kernel;
    if (watch.plan.replays && is_cooperative(launch)) {
        part_problem(watch_mode_name(watch.plan.mode), kernel->planned,
                     "a cooperative launch is not replayed");
        return NULL;
    }
    profile(data, kernel, ordinal);
    return NULL;
}

static void see_launch(const CUpti_CallbackData *data, const struct watched_launch *launch)
{
    char range[RANGE_BYTES];
    const struct known_kernel *wanted = NULL;
    nvtx_ranges_here(watch.plan.by, range);
    const struct launch_signature signature = signature_of(data, &launch->config, range);
    watch_lock();
    struct known_kernel *kernel = kernel_find(&signature);
    watch_unlock();
    const struct kernel_attributes attributes =
        kernel ? (struct kernel_attributes){0} : kernel_attributes(launch->function, &signature);
    watch_lock();
    if (!kernel) kernel = kernel_find(&signature); /* another thread may have added it */
    if (!kernel) kernel = kernel_add(&signature, &attributes);
    if (kernel) wanted = count_launch(data, launch, kernel);
    watch_unlock();
    if (!wanted) return;
    is_own = 1;
    knockouts_take(launch, &wanted->signature, wanted->planned);
    is_own = 0;
}

/* While twins are timed, launches of other threads wait here, where they hold no lock of the
 * driver. */
static void launch_begins(const CUpti_CallbackData *data, CUpti_CallbackId id)
{
    struct watched_launch launch;
    if (!read_launch(data, id, &launch) || is_captured(launch.config.hStream, id)) return;
    const int in_turn = watch.plan.mode == WATCH_KNOCKOUTS;
    if (in_turn) pthread_mutex_lock(&turn);
    see_launch(data, &launch);
    if (in_turn) pthread_mutex_unlock(&turn);
}

static void launch_ends(const CUpti_CallbackData *data)
{
    if (!profiled.is_on) return;
    profiled.is_on = 0;
    is_own = 1;
    if (watch.plan.mode == WATCH_COUNTERS)
        counters_end(data->context, profiled.kernel, profiled.ordinal,
                     *(const CUresult *)data->functionReturnValue == CUDA_SUCCESS);
    else
        counts_end(data->context);
    is_own = 0;
    watch_unlock();
}

static void graph_launched(void)
{
    static int is_known;
    watch_lock();
    if (!is_known) part_fact("graph", "1");
    is_known = 1;
    watch_unlock();
}

/* Counts the streams that record a graph, from the beginning of the call on: a launch that is being
 * profiled ends first. */
static void capture_changes(const CUpti_CallbackData *data, int begins)
{
    const int is_over = data->callbackSite == CUPTI_API_EXIT;
    const CUresult status = is_over ? *(const CUresult *)data->functionReturnValue : CUDA_SUCCESS;
    const int has_ended = status == CUDA_SUCCESS ||
                          status == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                          status == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    const int in_turn = begins && !is_over && watch.plan.mode == WATCH_KNOCKOUTS;
    if (in_turn) pthread_mutex_lock(&turn);
    watch_lock();
    if (begins)
        captures += !is_over ? 1 : status == CUDA_SUCCESS ? 0 : -1;
    else if (is_over && has_ended && captures > 0)
        captures--;
    watch_unlock();
    if (in_turn) pthread_mutex_unlock(&turn);
}

static void driver_called(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: graph_launched(); return;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz: capture_changes(data, 0); return;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz: capture_changes(data, 1); return;
    default: break;
    }
    if (data->callbackSite == CUPTI_API_ENTER)
        launch_begins(data, id);
    else
        launch_ends(data);
}

/* ---- contexts and modules -------------------------------------------------------------------- */

static void keep_module(const CUpti_ModuleResourceData *module)
{
    CUpti_GetCubinCrcParams crc = {.size = CUpti_GetCubinCrcParamsSize,
                                   .cubinSize = module->cubinSize,
                                   .cubin = module->pCubin};
    if (!WATCH_OK(cuptiGetCubinCrc(&crc), "cubins", -1)) return;
    if (watch.plan.mode == WATCH_KNOCKOUTS)
        knockouts_keep(crc.cubinCrc, module->pCubin, module->cubinSize);
    else
        part_cubin(crc.cubinCrc, module->pCubin, module->cubinSize);
}

static void resource_changed(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
    const int times = watch.plan.mode == WATCH_TIMES, samples = times && watch.plan.samples,
              counters = watch.plan.mode == WATCH_COUNTERS,
              knockouts = watch.plan.mode == WATCH_KNOCKOUTS;
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && times) times_flush(1);
    watch_lock();
    is_own = 1;
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
        process_describe_chip(data->context);
        if (samples) stalls_open(data->context);
    } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        if (samples) stalls_close(data->context);
        if (counters) counters_forget(data->context);
        if (knockouts) knockouts_forget(data->context);
    } else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED && (samples || knockouts)) {
        if (samples) stalls_drain();
        keep_module(data->resourceDescriptor);
    }
    is_own = 0;
    watch_unlock();
}

static void CUPTIAPI called(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *data)
{
    (void)context;
    if (!is_on || is_own) return;
    const int error = errno;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        driver_called(id, data);
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
        resource_changed(id, data);
    else if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE)
        times_flush(0); /* the program may end without calling `finish` */
    errno = error;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void finish_samples(void)
{
    if (watch.has_left_work)
        stalls_drain();
    else
        stalls_close(NULL);
    stalls_write();
}

/* Runs when the program exits; a program that ends by _exit or a signal leaves what was written. */
static void finish(int status, void *unused)
{
    (void)unused;
    if (!is_on) return;
    is_own = 1;
    work_finish(status);
    if (watch.plan.mode == WATCH_TIMES) times_flush(1);
    watch_lock();
    if (watch.plan.mode == WATCH_TIMES && watch.plan.samples) finish_samples();
    if (watch.plan.mode == WATCH_COUNTERS) counters_finish();
    part_flush();
    part_fact("ended", "exit");
    is_on = 0;
    watch_unlock();
}

static void forget_in_child(void)
{
    is_on = 0;
}

static int enable(void)
{
    static const CUpti_CallbackId launches[] = {
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
    static const CUpti_CallbackId recordings[] = {
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
        CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz};
    static const CUpti_CallbackId resources[] = {CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
                                                 CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                                                 CUPTI_CBID_RESOURCE_MODULE_LOADED};
    int ok = 1;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        ok &= WATCH_OK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launches[i]),
                       "launches", -1);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        if (watch.plan.mode != WATCH_TIMES)
            ok &= WATCH_OK(
                cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, recordings[i]),
                "launches", -1);
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        if (watch.plan.mode == WATCH_TIMES || watch.plan.mode == WATCH_KNOCKOUTS ||
            resources[i] != CUPTI_CBID_RESOURCE_MODULE_LOADED)
            ok &=
                WATCH_OK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, resources[i]),
                         "launches", -1);
    if (watch.plan.mode == WATCH_TIMES)
        ok &=
            WATCH_OK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE), "times", -1) &&
            times_open();
    return ok;
}

/* CUPTI has one subscriber, and its results mix up two users. Returns 1 if it is ours now. */
static int subscribe(void)
{
    if (program_needs("libcupti")) {
        part_problem("launches", -1,
                     "the program was linked with CUPTI, which serves one profiler at a time");
        return 0;
    }
    const CUptiResult status = cuptiSubscribe(&subscriber, called, NULL);
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        part_problem("launches", -1, "another profiler in the program uses CUPTI already");
    return status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
               ? 0
               : watch_ok(status, "cuptiSubscribe", "launches", -1);
}

static void begin(const char *directory)
{
    const char *reason;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    if (strlen(directory) >= sizeof watch.directory) return;
    strcpy(watch.directory, directory);
    const int has_plan = watch_plan_read(&watch.plan, directory, &reason);
    watch.process = process_open(directory);
    if (watch.process < 0) return;
    if (!driver_load()) {
        part_problem("launches", -1, "the driver is too old: CUDA 13 is needed");
        return;
    }
    process_describe();
    if (!has_plan) {
        part_problem("launches", -1, reason);
        return;
    }
    if (!subscribe()) return;
    is_on = enable();
    if (!is_on) return;
    pthread_atfork(NULL, NULL, forget_in_child);
    on_exit(finish, NULL);
}

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    static int begun;
    const char *directory = getenv("WHYFAST_WATCH");
    const int error = errno;
    if (!begun && directory && *directory == '/' && !getauxval(AT_SECURE)) begin(directory);
    begun = 1;
    errno = error;
    return 1;
}
