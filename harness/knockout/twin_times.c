#include "knockout/twin_times.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/message.h"
#include "base/stats.h"
#include "collect/probe_results.h"
#include "driver/other_profilers.h"
#include "gpu/launch_variant.h"
#include "knockout/twin.h"
#include "machine_code/cubin.h"
#include "machine_code/kernel_listing.h"
#include "measure/gpu_timer.h"

static const double MOST_SECONDS = 1.5; /* of the rounds, unless there are too few */

enum { LEAST_ROUNDS = 15, MOST_ROUNDS = 41, MOST_SECONDS_OF_A_LAUNCH = 20 };

struct timed_twin {
    struct twin twin;
    cudaLibrary_t library;
    const void *function; /* NULL: there is none to time */
    double time[MOST_ROUNDS], saved[MOST_ROUNDS];
};

struct twins {
    const struct twin_options *options;
    const struct selected *selected;
    struct device device;
    struct workbench bench;
    struct timer timer;
    struct kernel_facts facts;
    unsigned shared_bytes; /* of a block, static and dynamic */
    struct executable executable;
    struct cubin cubin;
    struct listing listing;
    struct probe_result counts;
    struct sass *sass;
    struct control_flow flow;
    struct counted_instruction *counted;
    unsigned char *is_chosen;
    struct timed_twin twin[KNOCKOUTS];
    double original[MOST_ROUNDS];
    const void *function; /* that the next window launches */
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

static int find_kernel(struct twins *twins)
{
    struct listed_kernel kernel = {{0}, NULL};
    const struct variant *variant = twins->selected->variant;
    launch_plan(&twins->bench, twins->selected, twins->options->launch, &kernel.launch);
    const int result = kernel_facts(&kernel, &twins->facts);
    if (result) return result;
    twins->shared_bytes =
        (unsigned)twins->facts.static_shared + (unsigned)kernel.launch.dynamic_shared;
    if (!executable_open(&twins->executable))
        return error(FAIL_GPU, "the machine code of this program cannot be read");
    if (!cubin_find(&twins->executable, variant->file, twins->facts.symbol,
                    twins->device.compute_capability, &twins->cubin))
        return error(FAIL_GPU,
                     "%s: this program has no machine code of it for compute capability "
                     "%d.%d",
                     twins->facts.symbol, twins->device.compute_capability / 10,
                     twins->device.compute_capability % 10);
    const struct listing_request request = {variant->file, twins->facts.symbol};
    return listings_make(&twins->listing, &request, 1, twins->device.compute_capability);
}

static int is_of_line(const struct listing_instruction *instruction, long line)
{
    for (int i = 0; i < instruction->location_count; i++)
        if (instruction->location[i].line == line) return 1;
    return 0;
}

/* Reads the text and the counts of each instruction. */
static int read_code(struct twins *twins)
{
    const int count = twins->listing.count;
    twins->sass = calloc((size_t)count + 1, sizeof *twins->sass);
    twins->counted = calloc((size_t)count + 1, sizeof *twins->counted);
    twins->is_chosen = calloc((size_t)count + 1, 1);
    if (!twins->sass || !twins->counted || !twins->is_chosen) return error_memory();
    twins->counts.symbol = (char *)(uintptr_t)twins->facts.symbol;
    int result = probe_result_counts(&twins->counts, twins->options->counts);
    if (!result && strcmp(twins->counts.counts_status, "ok"))
        result = error(FAIL_GPU, "%s", twins->counts.counts_status);
    for (int i = 0; i < count && !result; i++) {
        const struct listing_instruction *instruction = &twins->listing.instruction[i];
        if (!instruction->sass)
            return error(FAIL_GPU, "%s", twins->listing.sass_status + strlen(ABSENT));
        const double *values = i < twins->counts.count && twins->counts.instruction[i].counted
                                   ? twins->counts.instruction[i].count
                                   : NULL;
        twins->sass[i] = sass_read(instruction->sass);
        twins->counted[i] = (struct counted_instruction){
            values ? values[COUNT_EXECUTED] : 0, values ? values[COUNT_SHARED_WAVEFRONTS] : NAN,
            values ? values[COUNT_SHARED_IDEAL] : NAN};
        twins->is_chosen[i] =
            !twins->options->line || is_of_line(instruction, twins->options->line);
    }
    return result ? result : control_flow_make(&twins->flow, twins->sass, count);
}

static int plan_twins(struct twins *twins, const struct twin_kernel *kernel)
{
    struct twin twin[KNOCKOUTS];
    int result = 0;
    memset(twin, 0, sizeof twin);
    for (int k = 0; k < KNOCKOUTS && !result; k++) {
        if (k == KNOCKOUT_NOTHING || (twins->options->wanted >> k & 1))
            result = twin_plan(&twin[k], (enum knockout)k, kernel);
        else
            twin[k].knockout = KNOCKOUTS;
    }
    if (!result) result = twins_check(twin, KNOCKOUTS, kernel);
    for (int k = 0; k < KNOCKOUTS; k++) twins->twin[k].twin = twin[k];
    return result;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Variables of the kernel's module have values that the copy needs, too. */
static int copy_variable(const struct twins *twins, cudaLibrary_t library, const char *name)
{
    PFN_cuFuncGetModule_v11000 get_module;
    PFN_cuModuleGetGlobal_v3020 get_global;
    CUmodule module;
    CUdeviceptr from;
    void *to;
    size_t from_bytes, bytes;
    if (driver_find("cuFuncGetModule", 11000, &get_module) ||
        driver_find("cuModuleGetGlobal", 3020, &get_global) ||
        !driver_ok(get_module(&module, twins->facts.function), "cuFuncGetModule") ||
        !driver_ok(get_global(&from, &from_bytes, module, name), "cuModuleGetGlobal") ||
        !CUDA_OK(cudaLibraryGetGlobal(&to, &bytes, library, name)) ||
        !CUDA_OK(cudaMemcpy(to, (void *)(uintptr_t)from, bytes, cudaMemcpyDeviceToDevice)))
        return FAIL_GPU;
    return 0;
}

static int copy_variables(const struct twins *twins, cudaLibrary_t library)
{
    Elf64_Shdr symbols, names;
    int result = 0;
    if (!cubin_section_find(&twins->cubin, ".symtab", &symbols) ||
        !cubin_section(&twins->cubin, symbols.sh_link, &names))
        return error(FAIL_GPU, "the cubin has no symbols");
    const unsigned char *data = cubin_section_data(&twins->cubin, &symbols);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size && !result;
         at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, data + at, sizeof symbol);
        const char *place = cubin_section_name_at(&twins->cubin, symbol.st_shndx);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_name < names.sh_size &&
            (!strncmp(place, ".nv.global", 10) || !strncmp(place, ".nv.constant", 12)))
            result = copy_variable(twins, library,
                                   (const char *)cubin_section_data(&twins->cubin, &names) +
                                       symbol.st_name);
    }
    return result;
}

/* Loads the patched copy, which exists in memory alone. */
static int load_twin(struct twins *twins, struct timed_twin *twin)
{
    const size_t bytes = cubin_bytes(&twins->cubin);
    unsigned char *image = malloc(bytes + 1);
    Elf64_Shdr section;
    cudaKernel_t kernel;
    if (!image) return error_memory();
    memcpy(image, twins->cubin.data, bytes);
    cubin_kernel_find(&twins->cubin, twins->facts.symbol, &section);
    twin_apply(&twin->twin, image + section.sh_offset);
    int result =
        CUDA_OK(cudaLibraryLoadData(&twin->library, image, NULL, NULL, 0, NULL, NULL, 0)) &&
                CUDA_OK(cudaLibraryGetKernel(&kernel, twin->library, twins->facts.symbol))
            ? 0
            : FAIL_GPU;
    free(image);
    if (!result) result = copy_variables(twins, twin->library);
    if (!result) twin->function = kernel;
    return result;
}

static int load_twins(struct twins *twins)
{
    int result = 0;
    for (int k = 0; k < KNOCKOUTS && !result; k++) {
        struct timed_twin *twin = &twins->twin[k];
        if (twin->twin.patched || k == KNOCKOUT_NOTHING) result = load_twin(twins, twin);
    }
    return result;
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

/* Times the twin, or the original for NULL; launches it only if `time_ns` is NULL. */
static int take(struct twins *twins, const struct timed_twin *twin, double *time_ns)
{
    int result;
    running = twin ? knockout_kinds[twin->twin.knockout].name : "original";
    twins->function = twin ? twin->function : NULL;
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
    int result = take(twins, NULL, NULL);
    for (int k = 0; k < KNOCKOUTS && !result; k++) {
        if (!twins->twin[k].function) continue;
        write_row("begun", knockout_kinds[k].name, "");
        result = take(twins, &twins->twin[k], NULL);
    }
    return result;
}

static int run_round(struct twins *twins, int round, uint64_t *random)
{
    int order[KNOCKOUTS + 1], count = 0, result = 0;
    for (int k = -1; k < KNOCKOUTS; k++)
        if (k < 0 || twins->twin[k].function) order[count++] = k;
    for (int i = 0; i < count && !result; i++) {
        const int j = i + (int)stats_draw(random, (size_t)(count - i)), k = order[j];
        order[j] = order[i];
        result = take(twins, k < 0 ? NULL : &twins->twin[k],
                      k < 0 ? &twins->original[round] : &twins->twin[k].time[round]);
    }
    for (int k = 0; k < KNOCKOUTS; k++)
        twins->twin[k].saved[round] = twins->original[round] - twins->twin[k].time[round];
    return result;
}

/* The largest saving that the unchanged copy may have: below it there is no cost. */
static double noise_of(struct twins *twins, int rounds)
{
    double low, high;
    struct timed_twin *unchanged = &twins->twin[KNOCKOUT_NOTHING];
    stats_sort(unchanged->saved, (size_t)rounds);
    stats_median_interval(unchanged->saved, (size_t)rounds, &low, &high);
    return fmax(fabs(low), fabs(high));
}

static void write_result(struct twins *twins, struct timed_twin *twin, int rounds, double noise)
{
    struct csv_writer writer = {.file = stdout};
    double low = NAN, high = NAN, time = NAN, saved = NAN;
    char status[TWIN_REASON + 16] = "ok";
    if (twin->function) {
        stats_sort(twin->saved, (size_t)rounds);
        saved = stats_quantile(twin->saved, (size_t)rounds, 0.5);
        time = stats_quantile(twins->original, (size_t)rounds, 0.5);
        stats_median_interval(twin->saved, (size_t)rounds, &low, &high);
        if (saved <= noise) snprintf(status, sizeof status, TWIN_NO_COST);
    } else {
        const int has_none = !strcmp(twin->twin.reason, TWIN_HAS_NONE);
        snprintf(status, sizeof status, "%s%s", has_none ? TWIN_NONE : ABSENT,
                 has_none ? "" : twin->twin.reason);
    }
    CSV_TEXTS(&writer, "result", knockout_kinds[twin->twin.knockout].name, twins->facts.symbol,
              status);
    CSV_INTEGERS(&writer, twin->twin.patched, twin->twin.left);
    csv_text(&writer, twin->function ? twin->twin.reason : NULL);
    csv_integer(&writer, twin->function ? rounds : 0);
    CSV_NUMBERS(&writer, time, saved, low, high);
    csv_end(&writer);
}

static int time_twins(struct twins *twins)
{
    uint64_t random = twins->options->seed;
    int round = 0, result = take_first(twins);
    const double start = seconds_now();
    while (!result && round < MOST_ROUNDS &&
           (round < LEAST_ROUNDS || seconds_now() - start < MOST_SECONDS))
        result = interrupted() ? FAIL_INTERRUPTED : run_round(twins, round++, &random);
    if (result) return result;
    stats_sort(twins->original, (size_t)round);
    const double noise = noise_of(twins, round);
    for (int k = 0; k < KNOCKOUTS; k++)
        if (twins->twin[k].twin.knockout != KNOCKOUTS)
            write_result(twins, &twins->twin[k], round, noise);
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int work_on(struct twins *twins)
{
    int result = find_kernel(twins);
    if (!result) result = read_code(twins);
    if (result) return result;
    Elf64_Shdr section;
    cubin_kernel_find(&twins->cubin, twins->facts.symbol, &section);
    const struct twin_kernel kernel = {.code = cubin_section_data(&twins->cubin, &section),
                                       .count = twins->listing.count,
                                       .architecture = twins->device.compute_capability,
                                       .sass = twins->sass,
                                       .flow = &twins->flow,
                                       .counted = twins->counted,
                                       .is_chosen = twins->options->line ? twins->is_chosen : NULL,
                                       .shared_bytes = twins->shared_bytes};
    result = plan_twins(twins, &kernel);
    if (!result) result = load_twins(twins);
    return result ? result : time_twins(twins);
}

static void clean_up(struct twins *twins)
{
    for (int k = 0; k < KNOCKOUTS; k++) {
        if (twins->twin[k].library) CUDA_RELEASE(cudaLibraryUnload(twins->twin[k].library));
        twin_free(&twins->twin[k].twin);
    }
    timer_close(&twins->timer);
    workbench_close(&twins->bench);
    device_close(&twins->device);
    control_flow_free(&twins->flow);
    listing_free(&twins->listing);
    executable_close(&twins->executable);
    free(twins->counts.instruction);
    free(twins->sass);
    free(twins->counted);
    free(twins->is_chosen);
    free(twins);
}

int twin_times(const struct selection *selection, const struct twin_options *options)
{
    const struct selected *selected = selection->points;
    if (selection->count != 1 || variant_kind(selected->variant) != KIND_KERNEL)
        return error(FAIL_USAGE, "twins need exactly one point of a kernel of the registry");
    struct twins *twins = calloc(1, sizeof *twins);
    if (!twins) return error_memory();
    twins->options = options;
    twins->selected = selected;
    signal(SIGALRM, on_alarm);
    int result = device_open(&twins->device);
    if (!result)
        result =
            workbench_open(&twins->bench, &twins->device, selected, options->seed, BENCH_UNCHECKED);
    if (!result) result = timer_open(&twins->timer, &twins->bench.gate, &twins->bench);
    if (!result) result = work_on(twins);
    clean_up(twins);
    return result;
}
