#include "collect/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti_instructions.h"
#include "gpu/launch_variant.h"
#include "gpu/stream_gate.h"
#include "gpu/workbench.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum {
    WANTED_SAMPLES =
        100000,         /* of a kernel: enough for 1 % of them to be known within a tenth of it */
    MOST_LAUNCHES = 16, /* of a kernel that is too short for them */
    LEAST_EXPONENT = 8, /* of the period: at 2^5 cycles the hardware of an H200 drops two samples in
                           three, at 2^8 none */
    MOST_EXPONENT = 31
};

/* Where launches come from. */
struct place {
    struct workbench bench;
    struct stream_gate gate;
    struct device device;
};

static int place_open(struct place *place, const struct selected *first, uint64_t seed)
{
    memset(&place->bench, 0, sizeof place->bench);
    int result = work_open(&place->bench, &place->device, first->family, &first->point.shape, seed,
                           WORK_UNCHECKED);
    if (result) return result;
    result = stream_gate_open(&place->gate, place->device.stream, place->device.l2_bytes);
    if (result) work_close(&place->bench);
    return result;
}

static void place_close(struct place *place)
{
    stream_gate_close(&place->gate);
    work_close(&place->bench);
}

/* One launch of a point, ready to run. */
struct one_launch {
    struct place *place;
    const struct selected *selected;
    unsigned index;
};

static int launch_index(const struct one_launch *launch, unsigned index)
{
    nvtx_variant(launch->selected, -1, 0);
    const int result =
        invoke(&launch->place->bench, launch->selected->variant, &launch->selected->point, index);
    nvtx_end();
    return result;
}

static int launch_one(void *context)
{
    const struct one_launch *launch = context;
    return launch_index(launch, launch->index);
}

static int synchronized(const struct place *place)
{
    return CUDA_OK(cudaStreamSynchronize(place->device.stream)) ? 0 : FAIL_GPU;
}

/* All that comes before it, as in a run of the point; at the end the L2 cache is flushed. */
static int prepare(const struct one_launch *launch)
{
    struct place *place = launch->place;
    const struct selected *selected = launch->selected;
    int result = work_poison(&place->bench);
    for (unsigned i = 0; i < launch->index && !result; i++) {
        result = invoke_clear(&place->bench, selected->variant, &selected->point, i);
        if (!result) result = launch_index(launch, i);
    }
    if (!result) result = stream_gate_flush_l2(&place->gate);
    if (!result)
        result = invoke_clear(&place->bench, selected->variant, &selected->point, launch->index);
    return result ? result : synchronized(place);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void write_counts(const struct counted_kernel *kernel)
{
    struct csv_writer writer = {.file = stdout};
    csv_text(&writer, "symbol");
    csv_text(&writer, "pc");
    for (int i = 0; i < INSTRUCTION_COUNTS; i++) csv_text(&writer, instruction_count_name[i]);
    csv_end(&writer);
    for (int i = 0; i < kernel->count; i++) {
        csv_text(&writer, kernel->symbol);
        csv_integer(&writer, kernel->instruction[i].pc);
        for (int m = 0; m < INSTRUCTION_COUNTS; m++)
            csv_number(&writer, kernel->instruction[i].count[m]);
        csv_end(&writer);
    }
}

static int count_launch(struct place *place, const struct selected *selected, unsigned index)
{
    char reason[REASON_BYTES] = "";
    struct one_launch launch = {place, selected, index};
    struct counted_kernel kernel;
    int result = prepare(&launch);
    if (result) return result;
    struct cupti *cupti = cupti_open(CUPTI_INSTRUCTIONS, reason);
    result =
        cupti ? instructions_count(cupti, &(struct launcher){launch_one, &launch}, &kernel, reason)
              : FAIL_GPU;
    if (result == FAIL_GPU && reason[0]) error(FAIL_GPU, "%s", reason);
    if (!result) {
        write_counts(&kernel);
        counted_kernel_free(&kernel);
    }
    cupti_close(cupti);
    return result;
}

static int count_point(struct place *place, const struct selected *selected, uint64_t seed,
                       unsigned index)
{
    struct stage stage;
    int result = stage_begin(&stage, NULL, STAGE_PROBE, selected);
    if (!result) result = place_open(place, selected, seed);
    if (!result) {
        result = count_launch(place, selected, index);
        place_close(place);
    }
    return stage_end(&stage, result);
}

int probe_counts(const struct selection *selection, uint64_t seed, unsigned index)
{
    struct place place;
    struct stage whole;
    const struct selected *selected = selection->points;
    if (selection->count != 1)
        return error(FAIL_USAGE, "counts are of one point: %d are selected", selection->count);
    if (index >= variant_launches(selected->variant, &selected->point))
        return error(FAIL_USAGE, "%s/%s has no launch %u there", selected->family->name,
                     selected->variant->name, index);
    int result = device_open(&place.device);
    if (result) return result;
    result = stage_begin(&whole, NULL, STAGE_PROBE, NULL);
    if (!result) result = count_point(&place, selected, seed, index);
    result = stage_end(&whole, result);
    device_close(&place.device);
    return result;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct sampling {
    struct place place;
    struct cupti *cupti;
    struct pc_sampler *sampler;
    char reason[REASON_BYTES]; /* why there is no sampler */
    struct csv_writer writer;
    struct one_launch launch; /* what is sampled, and its kernel */
    const char *symbol;
    const char *name;
    uint64_t others; /* samples in other kernels of ours, by the launch of which they are */
};

/* The columns that open every row. */
static void write_key(struct sampling *sampling)
{
    point_write(&sampling->writer, sampling->launch.selected->variant,
                &sampling->launch.selected->point);
    csv_integer(&sampling->writer, sampling->launch.index);
    csv_text(&sampling->writer, sampling->symbol);
    csv_text(&sampling->writer, sampling->name);
}

static void write_total(struct sampling *sampling, const char *what, double value,
                        const char *status)
{
    write_key(sampling);
    csv_text(&sampling->writer, NULL);
    csv_text(&sampling->writer, what);
    csv_number(&sampling->writer, value);
    csv_text(&sampling->writer, NULL);
    csv_text(&sampling->writer, status);
    csv_end(&sampling->writer);
}

static int write_samples(void *context, const struct pc_samples *samples)
{
    struct sampling *sampling = context;
    if (strcmp(samples->symbol, sampling->symbol)) return 0;
    write_key(sampling);
    csv_integer(&sampling->writer, samples->pc);
    csv_text(&sampling->writer, samples->reason);
    csv_integer(&sampling->writer, (int64_t)samples->samples);
    csv_integer(&sampling->writer, (int64_t)samples->not_issued);
    csv_text(&sampling->writer, "ok");
    csv_end(&sampling->writer);
    return 0;
}

static int add_others(void *context, const struct pc_samples *samples)
{
    struct sampling *sampling = context;
    if (strcmp(samples->symbol, sampling->symbol)) sampling->others += samples->samples;
    return 0;
}

/* How long the launch takes, by events, after one to warm up: modules are loaded, and clocks rise.
 */
static int measure_cycles(struct sampling *sampling, double *cycles)
{
    cudaEvent_t start = NULL, stop = NULL;
    cudaStream_t stream = sampling->place.device.stream;
    float milliseconds = 0;
    int khz = 0, result = 0;
    for (int i = 0; i < 2 && !result; i++) {
        result = prepare(&sampling->launch);
        if (!result && i == 1 &&
            !(CUDA_OK(cudaEventCreate(&start)) && CUDA_OK(cudaEventCreate(&stop)) &&
              CUDA_OK(cudaEventRecord(start, stream))))
            result = FAIL_GPU;
        if (!result) result = launch_one(&sampling->launch);
    }
    if (!result &&
        !(CUDA_OK(cudaEventRecord(stop, stream)) && CUDA_OK(cudaEventSynchronize(stop)) &&
          CUDA_OK(cudaEventElapsedTime(&milliseconds, start, stop)) &&
          CUDA_OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0))))
        result = FAIL_GPU;
    if (start) CUDA_RELEASE(cudaEventDestroy(start));
    if (stop) CUDA_RELEASE(cudaEventDestroy(stop));
    *cycles = (double)milliseconds * khz;
    return result;
}

/* The period with which one launch gives about the samples that are wanted: each SM gives one
 * per period. And the launches for which it is too short. */
static unsigned choose_period(double sm_cycles, int *launches)
{
    const double wanted = log2(sm_cycles / WANTED_SAMPLES);
    const unsigned exponent = wanted < LEAST_EXPONENT  ? LEAST_EXPONENT
                              : wanted > MOST_EXPONENT ? MOST_EXPONENT
                                                       : (unsigned)wanted;
    const double count = ceil(WANTED_SAMPLES * exp2(exponent) / (sm_cycles > 1 ? sm_cycles : 1));
    *launches = count > MOST_LAUNCHES ? MOST_LAUNCHES : (int)count;
    return exponent;
}

static int take_samples(struct sampling *sampling, unsigned *exponent, int *launches)
{
    double cycles = 0;
    int result = measure_cycles(sampling, &cycles);
    if (result) return result;
    *exponent = choose_period(cycles * sampling->place.device.sm_count, launches);
    pc_sampler_clear(sampling->sampler);
    result = pc_sampler_period(sampling->sampler, *exponent, sampling->reason);
    for (int i = 0; i < *launches && !result; i++) {
        if (interrupted()) return FAIL_INTERRUPTED;
        result = prepare(&sampling->launch);
        if (!result)
            result =
                pc_sampler_add(sampling->sampler, &(struct launcher){launch_one, &sampling->launch},
                               sampling->reason);
    }
    return result;
}

static int write_launch(struct sampling *sampling, unsigned exponent, int launches)
{
    const struct sample_totals totals = pc_sampler_totals(sampling->sampler);
    sampling->others = 0;
    pc_sampler_each(sampling->sampler, add_others, sampling);
    write_total(sampling, "launches", launches, "ok");
    write_total(sampling, "period", exp2(exponent), "ok");
    write_total(sampling, "total", (double)totals.total, "ok");
    write_total(sampling, "dropped", (double)totals.dropped, "ok");
    write_total(sampling, "elsewhere", (double)(totals.elsewhere + sampling->others), "ok");
    return pc_sampler_each(sampling->sampler, write_samples, sampling);
}

static int sample_launch(struct sampling *sampling)
{
    unsigned exponent = 0;
    int launches = 0;
    int result = sampling->sampler ? take_samples(sampling, &exponent, &launches) : FAIL_GPU;
    if (!result) return write_launch(sampling, exponent, launches);
    if (result != FAIL_GPU || !sampling->reason[0]) return result;
    write_total(sampling, "absent", NAN, sampling->reason);
    return 0;
}

/* Does an earlier launch of the point run the same kernel? */
static int is_repeated(const struct listed_kernel *kernels, unsigned index, const char *symbol)
{
    struct kernel_facts facts;
    for (unsigned i = 0; i < index; i++)
        if (!kernel_facts(&kernels[i], &facts) && !strcmp(facts.symbol, symbol)) return 1;
    return 0;
}

/* A library makes its handle and its workspace in its first call, which must not be the one
 * whose kernels are listed. */
static int warm_up(struct sampling *sampling, const struct selected *selected)
{
    const struct one_launch launch = {&sampling->place, selected, 0};
    if (variant_kind(selected->variant) != KIND_LIBRARY) return 0;
    int result = prepare(&launch);
    if (!result) result = launch_index(&launch, 0);
    return result ? result : synchronized(&sampling->place);
}

/* The kernels of one point. Those inside a library's call are launched together, by launch 0. */
static int sample_point(struct sampling *sampling, const struct selected *selected)
{
    struct listed_kernel *kernels = NULL;
    struct kernel_facts facts;
    unsigned count = 0;
    int result = warm_up(sampling, selected);
    if (!result)
        result = invoke_kernels(&sampling->place.bench, selected->variant, &selected->point,
                                &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) {
        result = kernel_facts(&kernels[i], &facts);
        if (result || is_repeated(kernels, i, facts.symbol)) continue;
        char *name = kernel_name(facts.symbol);
        if (!name) result = FAIL_OUTPUT;
        sampling->launch = (struct one_launch){
            &sampling->place, selected, variant_kind(selected->variant) == KIND_LIBRARY ? 0 : i};
        sampling->symbol = facts.symbol;
        sampling->name = name;
        if (!result) result = sample_launch(sampling);
        free(name);
    }
    free(kernels);
    return result;
}

static int sample_points(struct sampling *sampling, const struct selection *selection)
{
    int result = 0;
    for (int i = 0; i < selection->count && !result; i++) {
        const struct selected *selected = &selection->points[i];
        char reason[160];
        int refused;
        if (variant_kind(selected->variant) == KIND_CPU) continue;
        result = invoke_refuses(&sampling->place.bench, selected->variant, &selected->point,
                                &refused, reason);
        if (!result && !refused) result = sample_point(sampling, selected);
    }
    return result;
}

static int sample_group(struct sampling *sampling, const struct selection *selection, uint64_t seed)
{
    struct stage stage;
    int result = stage_begin(&stage, NULL, STAGE_PROBE, selection->points);
    if (!result) result = place_open(&sampling->place, selection->points, seed);
    if (!result) {
        puts("family,variant,size,block,sweep,launch,symbol,name,pc,reason,samples,not_issued,"
             "status");
        result = sample_points(sampling, selection);
        place_close(&sampling->place);
    }
    return stage_end(&stage, result);
}

int probe_samples(const struct selection *selection, uint64_t seed)
{
    struct sampling sampling = {.writer = {.file = stdout}};
    struct stage whole;
    if (selection->count == 0 || selection_group_end(selection, 0) != selection->count)
        return error(FAIL_USAGE, "samples are of points of one family and size");
    int result = device_open(&sampling.place.device);
    if (result) return result;
    sampling.cupti = cupti_open(CUPTI_SAMPLES, sampling.reason);
    if (sampling.cupti)
        result = pc_sampler_open(&sampling.sampler, sampling.cupti, sampling.reason);
    if (result == FAIL_GPU && sampling.reason[0]) result = 0; /* said in the rows */
    if (!result) {
        result = stage_begin(&whole, NULL, STAGE_PROBE, NULL);
        if (!result) result = sample_group(&sampling, selection, seed);
        result = stage_end(&whole, result);
    }
    pc_sampler_close(sampling.sampler);
    cupti_close(sampling.cupti);
    device_close(&sampling.place.device);
    return result;
}
