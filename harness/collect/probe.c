/*
 * Runs probes: processes of their own in which CUPTI looks at single instructions, because it
 * counts one kernel per process and must sample before anything else has run
 * (collect/collector.h). A probe prints CSV on stdout, and on stderr the reason of a
 * failure; collect/collect_lines.c starts probes. Nothing is owned.
 *
 *   counts    one row per instruction of one launch: symbol, pc, and the columns of
 *             instruction_count_name
 *   samples   rows that begin with the key of the point, launch, symbol, name for every launch of
 *             every point, the points in any order:
 *               one without pc for each total: "launches" that were sampled, "period" in cycles,
 *               and "total", "dropped", "elsewhere" of struct sample_totals;
 *               then one for each instruction and reason: pc, reason, samples, not_issued;
 *               or, if sampling failed, only the row "absent" with the reason in column `status`
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "machine_code/kernel_name.h"
#include "collect/collect_counters.h"
#include "collect/collector.h"
#include "cupti/pc_samples.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum {
    WANTED_SAMPLES = 100000, /* of a kernel: 1 % of them are then known within a tenth */
    MOST_LAUNCHES = 16,      /* of a kernel that is too short for as many samples */
    LEAST_EXPONENT = 8,      /* of the period: the hardware of an H200 drops no samples at 2^8
                                cycles, two of three at 2^5 */
    MOST_EXPONENT = 31
};

/* One launch of a point. */
struct probed_launch {
    struct workbench *bench;
    const struct selected *selected;
    unsigned index;
};

static int launch_index(const struct probed_launch *launch, unsigned index)
{
    nvtx_variant(launch->selected, -1, 0);
    const int result = launch_queue(launch->bench, launch->selected, index);
    nvtx_end();
    return result;
}

static int launch_one(void *context)
{
    const struct probed_launch *launch = context;
    return launch_index(launch, launch->index);
}

static int prepare(const struct probed_launch *launch)
{
    return launch_prepare(launch->bench, launch->selected, launch->index);
}

/* Launches once, so that the code is loaded. */
static int load(const struct probed_launch *launch)
{
    int result = prepare(launch);
    if (!result) result = launch_index(launch, launch->index);
    return result ? result : workbench_synchronize(launch->bench);
}

/* A library's first call does more than later ones: it creates a handle and a workspace, and may
 * try several kernels. So it comes before anything is listed, counted or sampled. */
static int warm_up(struct workbench *bench, const struct selected *selected)
{
    const struct probed_launch launch = {bench, selected, 0};
    return variant_kind(selected->variant) == KIND_LIBRARY ? load(&launch) : 0;
}

/* A device and a workbench, within the stages that announce them. */
struct session {
    struct device device;
    struct workbench bench;
    struct stage whole, stage;
};

static int session_open(struct session *session, const struct selected *first, uint64_t seed)
{
    int result = stage_begin(&session->whole, NULL, STAGE_PROBE, NULL);
    if (!result) result = stage_begin(&session->stage, NULL, STAGE_PROBE, first);
    return result ? result
                  : workbench_open(&session->bench, &session->device, first, seed, BENCH_UNCHECKED);
}

static int session_close(struct session *session, int result)
{
    workbench_close(&session->bench);
    return stage_end(&session->whole, stage_end(&session->stage, result));
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* CUPTI counts nothing in a kernel with large variables of the device if its code is loaded after
 * counting was enabled. */
static int count_launch(struct probed_launch *launch)
{
    char reason[REASON_BYTES] = "";
    struct csv_writer writer = {.file = stdout};
    struct counted_kernel kernel = {.count = 0};
    int result = load(launch);
    if (!result) result = prepare(launch);
    if (result) return result;
    struct cupti *cupti = cupti_open(CUPTI_INSTRUCTIONS, reason);
    result = cupti ? instructions_count(cupti, launch_one, launch, &kernel, reason) : FAIL_GPU;
    if (result == FAIL_GPU && reason[0]) error(FAIL_GPU, "%s", reason);
    if (!result) {
        CSV_TEXTS(&writer, "symbol", "pc");
        csv_texts(&writer, INSTRUCTION_COUNTS, instruction_count_name);
        csv_end(&writer);
    }
    for (int i = 0; i < kernel.count; i++) {
        csv_text(&writer, kernel.symbol);
        csv_integer(&writer, kernel.instruction[i].pc);
        csv_numbers(&writer, INSTRUCTION_COUNTS, kernel.instruction[i].count);
        csv_end(&writer);
    }
    counted_kernel_free(&kernel);
    cupti_close(cupti);
    return result;
}

int probe_counts(const struct selection *selection, uint64_t seed, unsigned index)
{
    struct session session = {0};
    const struct selected *selected = selection->points;
    if (selection->count != 1)
        return error(FAIL_USAGE, "counts need exactly one point; %d are selected",
                     selection->count);
    if (index >= variant_launches(selected->variant, &selected->point))
        return error(FAIL_USAGE, "%s/%s has no launch %u at this point", selected->family->name,
                     selected->variant->name, index);
    int result = device_open(&session.device);
    if (result) return result;
    struct probed_launch launch = {&session.bench, selected, index};
    result = session_open(&session, selected, seed);
    if (!result) result = count_launch(&launch);
    result = session_close(&session, result);
    device_close(&session.device);
    return result;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct sampling {
    struct session session;
    struct cupti *cupti;
    struct pc_sampler *sampler;
    char reason[REASON_BYTES]; /* why there is no sampler */
    struct csv_writer writer;
    struct probed_launch launch; /* the launch that is sampled, and its kernel */
    const char *symbol, *name;
    unsigned exponent; /* of the period */
    int launches;
};

static void write_key(struct sampling *sampling)
{
    const struct selected *selected = sampling->launch.selected;
    point_write(&sampling->writer, selected->variant, &selected->point);
    csv_integer(&sampling->writer, sampling->launch.index);
    CSV_TEXTS(&sampling->writer, sampling->symbol, sampling->name);
}

static void write_total(struct sampling *sampling, const char *what, double value,
                        const char *status)
{
    write_key(sampling);
    CSV_TEXTS(&sampling->writer, NULL, what);
    csv_number(&sampling->writer, value);
    CSV_TEXTS(&sampling->writer, NULL, status);
    csv_end(&sampling->writer);
}

static void write_stall(void *context, const struct stall *stall)
{
    struct sampling *sampling = context;
    write_key(sampling);
    csv_integer(&sampling->writer, stall->pc);
    csv_text(&sampling->writer, stall->reason);
    CSV_INTEGERS(&sampling->writer, (int64_t)stall->samples, (int64_t)stall->not_issued);
    csv_text(&sampling->writer, "ok");
    csv_end(&sampling->writer);
}

/* Times the second of two launches by events, in cycles of all SMs: in the first, modules are
 * loaded and clocks rise. */
static int measure_cycles(struct sampling *sampling, double *cycles)
{
    cudaEvent_t event[2] = {NULL};
    cudaStream_t stream = sampling->session.device.stream;
    float milliseconds = 0;
    int khz = 0, result = prepare(&sampling->launch);
    if (!result) result = launch_one(&sampling->launch);
    if (!result) result = prepare(&sampling->launch);
    if (!result &&
        !(CUDA_OK(cudaEventCreate(&event[0])) && CUDA_OK(cudaEventCreate(&event[1])) &&
          CUDA_OK(cudaEventRecord(event[0], stream)) && !launch_one(&sampling->launch) &&
          CUDA_OK(cudaEventRecord(event[1], stream)) && CUDA_OK(cudaEventSynchronize(event[1])) &&
          CUDA_OK(cudaEventElapsedTime(&milliseconds, event[0], event[1])) &&
          CUDA_OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0))))
        result = FAIL_GPU;
    for (int i = 0; i < 2; i++)
        if (event[i]) CUDA_RELEASE(cudaEventDestroy(event[i]));
    *cycles = (double)milliseconds * khz * sampling->session.device.sm_count;
    return result;
}

/* Returns the exponent of the period with which one launch gives about as many samples as wanted:
 * each SM gives one per period. */
static unsigned period_for(double cycles)
{
    const double wanted = floor(log2(cycles / WANTED_SAMPLES));
    return (unsigned)fmin(fmax(wanted, LEAST_EXPONENT), MOST_EXPONENT);
}

/* Takes more than one launch if the shortest period is too long for it. */
static int take_samples(struct sampling *sampling, double cycles)
{
    sampling->exponent = period_for(cycles);
    sampling->launches =
        (int)fmin(ceil(WANTED_SAMPLES * exp2(sampling->exponent) / fmax(cycles, 1)), MOST_LAUNCHES);
    int result = 0;
    pc_samples_clear(pc_sampler_samples(sampling->sampler), sampling->symbol);
    result = pc_sampler_period(sampling->sampler, sampling->exponent, sampling->reason);
    for (int i = 0; i < sampling->launches && !result; i++) {
        if (interrupted()) return FAIL_INTERRUPTED;
        result = prepare(&sampling->launch);
        if (!result)
            result =
                pc_sampler_add(sampling->sampler, launch_one, &sampling->launch, sampling->reason);
    }
    return result;
}

static int sample_launch(struct sampling *sampling, double cycles)
{
    const int result = sampling->sampler ? take_samples(sampling, cycles) : FAIL_GPU;
    if (result && (result != FAIL_GPU || !sampling->reason[0])) return result;
    if (result) return write_total(sampling, "absent", NAN, sampling->reason), 0;
    const struct sample_totals totals = pc_sampler_samples(sampling->sampler)->totals;
    const double total[PROBE_TOTALS] = {sampling->launches, exp2(sampling->exponent),
                                        (double)totals.total, (double)totals.dropped,
                                        (double)totals.elsewhere};
    for (int i = 0; i < PROBE_TOTALS; i++)
        write_total(sampling, probe_total_name[i], total[i], "ok");
    pc_samples_each(pc_sampler_samples(sampling->sampler), write_stall, sampling);
    return 0;
}

/* Returns 1 if an earlier launch of the point ran the same kernel. */
static int is_repeated(const struct listed_kernel *kernels, unsigned index, const char *symbol)
{
    struct kernel_facts facts;
    for (unsigned i = 0; i < index; i++)
        if (!kernel_facts(&kernels[i], &facts) && !strcmp(facts.symbol, symbol)) return 1;
    return 0;
}

/* A point, and the cycles of its first launch. */
struct sampled_point {
    const struct selected *selected;
    double cycles;
    int at; /* in the selection */
};

/* Samples the kernels of one point. Those inside a library's call are launched together, by launch
 * 0. */
static int sample_point(struct sampling *sampling, const struct sampled_point *point)
{
    struct workbench *bench = &sampling->session.bench;
    const struct selected *selected = point->selected;
    const int calls = variant_kind(selected->variant) == KIND_LIBRARY;
    struct listed_kernel *kernels = NULL;
    struct kernel_facts facts;
    unsigned count = 0;
    int result = launch_kernels(bench, selected, &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) {
        double cycles = point->cycles;
        result = kernel_facts(&kernels[i], &facts);
        if (result || is_repeated(kernels, i, facts.symbol)) continue;
        char *name = kernel_name(facts.symbol);
        if (!name) result = FAIL_OUTPUT;
        sampling->launch = (struct probed_launch){bench, selected, calls ? 0 : i};
        sampling->symbol = facts.symbol;
        sampling->name = name;
        if (!result && i > 0 && !calls) result = measure_cycles(sampling, &cycles);
        if (!result) result = sample_launch(sampling, cycles);
        free(name);
    }
    free(kernels);
    return result;
}

/* By the period of the samples, a change of which costs a third of a second. */
static int by_period(const void *a, const void *b)
{
    const struct sampled_point *first = a, *second = b;
    const unsigned one = period_for(first->cycles), other = period_for(second->cycles);
    return one != other ? (one > other) - (one < other) : first->at - second->at;
}

static int time_points(struct sampling *sampling, const struct selection *selection,
                       struct sampled_point *point, int *count)
{
    struct workbench *bench = &sampling->session.bench;
    int result = 0;
    for (int i = 0; i < selection->count && !result; i++) {
        const struct selected *selected = &selection->points[i];
        char reason[160];
        if (variant_kind(selected->variant) == KIND_CPU) continue;
        result = launch_refused(bench, selected, reason);
        if (result || *reason) continue;
        point[*count] = (struct sampled_point){selected, 0, i};
        sampling->launch = (struct probed_launch){bench, selected, 0};
        result = warm_up(bench, selected);
        if (!result && sampling->sampler) result = measure_cycles(sampling, &point[*count].cycles);
        ++*count;
    }
    return result;
}

static int sample_points(struct sampling *sampling, const struct selection *selection)
{
    struct sampled_point *point = calloc((size_t)selection->count + 1, sizeof *point);
    int count = 0, result = point ? 0 : error_memory();
    puts(POINT_KEY_CSV ",launch,symbol,name,pc,reason,samples,not_issued,status");
    if (!result) result = time_points(sampling, selection, point, &count);
    if (!result) qsort(point, (size_t)count, sizeof *point, by_period);
    for (int i = 0; i < count && !result; i++) result = sample_point(sampling, &point[i]);
    free(point);
    return result;
}

int probe_samples(const struct selection *selection, uint64_t seed)
{
    struct sampling sampling = {.writer = {.file = stdout}};
    if (selection->count == 0 || selection_group_end(selection, 0) != selection->count)
        return error(FAIL_USAGE, "samples need points of one family and size");
    int result = device_open(&sampling.session.device);
    if (result) return result;
    sampling.cupti = cupti_open(CUPTI_SAMPLES, sampling.reason);
    if (sampling.cupti)
        result = pc_sampler_open(&sampling.sampler, sampling.cupti, sampling.reason);
    if (result == FAIL_GPU && sampling.reason[0]) result = 0; /* the rows say so */
    if (!result) {
        result = session_open(&sampling.session, selection->points, seed);
        if (!result) result = sample_points(&sampling, selection);
        result = session_close(&sampling.session, result);
    }
    pc_sampler_close(sampling.sampler);
    cupti_close(sampling.cupti);
    device_close(&sampling.session.device);
    return result;
}
