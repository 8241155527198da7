/*
 * Measures the most that the device can do: bandwidths, arithmetic and launches. Writes table
 * ceilings; a ceiling that cannot be measured is absent, with the reason.
 *
 * Method, beside that of measure/gpu_timer.h:
 *   - A rate is the amount of a kernel over its clean time less that of an empty kernel. The cost
 * of a launch is a ceiling of its own (launch_ns): a kernel that does more per launch than those
 *     here must not seem to beat them.
 *   - DRAM: 1 GiB once, with the fastest of a few shapes of the launch. Reading starts with a cold
 * L2 cache. Writing and copying start right after a launch of the same kernel, so that the cache
 *     holds as much at the end as at the start and everything that is counted is written to memory.
 *   - All others run once right before, too: their data lie in the L2 cache or in shared memory,
 * and the clock is that of their load.
 *   - Every kernel is verified before and after it is timed; the empty one can only be launched.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"
#include "base/text.h"
#include "gpu/device.h"
#include "gpu/launch_variant.h"
#include "gpu/other_profilers.h"
#include "gpu/stream_gate.h"
#include "measure/ceiling_kernels.h"
#include "measure/measure_run.h"
#include "measure/gpu_timer.h"
#include "run/run_stages.h"

enum {
    LEAST_KEPT = 15,
    TRIAL_SAMPLES = 5,
    FURTHER_LAUNCHES = 4,
    L2_SHARE = 3,
    LONGEST_REASON = 160,
    DRAM_BYTES = 1 << 30, /* of each buffer; a power of two is made of whole tiles */
    MOST_BLOCKS = DRAM_BYTES / 16 / 1024, /* of the smallest tile; more than any wave has */
    MOST_SECONDS = 10 /* for series that take turns: ends what hangs and cuts nothing short */
};

/* In the order of table ceilings. Those that take turns stand together. */
enum ceiling_id { READ, WRITE, COPY, LAUNCH, LAUNCHES, L2, SHARED, FMA, ADD, CEILING_COUNT };

/* The first of each group that takes turns. */
static const enum ceiling_id groups[] = {READ, L2, FMA, ADD, CEILING_COUNT};

static const struct plan {
    const char *ceiling, *title, *unit;
    enum ceiling_kernel kernel;
    uint32_t loops; /* for the kernels that do not walk through memory */
    unsigned launches;
    int cold;
} plans[CEILING_COUNT] = {
    [READ] = {"read_gbs", "DRAM, read", "GB/s", CEILING_READ, 0, 1, 1},
    [WRITE] = {"write_gbs", "DRAM, written", "GB/s", CEILING_WRITE, 0, 1, 0},
    [COPY] = {"copy_gbs", "DRAM, read and written in a copy", "GB/s", CEILING_COPY, 0, 1, 0},
    [LAUNCH] = {"launch_ns", "Launch of an empty kernel that fills the device once", "ns",
                CEILING_EMPTY, 0, 1, 1},
    [LAUNCHES] = {"next_launch_ns", "Each further launch in a row", "ns", CEILING_EMPTY, 0,
                  1 + FURTHER_LAUNCHES, 1},
    [L2] = {"l2_read_gbs", "L2 cache, read", "GB/s", CEILING_READ_L2, 0, 1, 0},
    [SHARED] = {"shared_read_gbs", "Shared memory, read", "GB/s", CEILING_READ_SHARED, 400, 1, 0},
    [FMA] = {"fma_tflops", "Single-precision multiply-adds (FFMA)", "TFLOP/s", CEILING_FMA, 4096, 1,
             0},
    [ADD] = {"integer_gops", "32-bit integer additions of three numbers (IADD3)", "Gop/s",
             CEILING_ADD, 2048, 1, 0},
};

/* How a kernel walks through memory. A block takes `tiles` tiles of threads * unroll elements; 0:
 * one wave of blocks shares them. */
struct shape_of_launch {
    unsigned threads, unroll, tiles;
};

static const struct shape_of_launch dram_shapes[] = {
    {512, 4, 5}, {512, 4, 1},  {512, 4, 16}, {256, 4, 5},
    {512, 8, 4}, {1024, 2, 5}, {512, 4, 0},  {1024, 4, 0},
};

static const struct shape_of_launch l2_shapes[] = {
    {512, 4, 0}, {1024, 4, 0}, {512, 2, 0}, {1024, 2, 0}, {512, 1, 0}};

struct ceiling {
    struct ceilings *all;
    const struct plan *plan;
    struct ceiling_launch launch;
    uint32_t expected;           /* sum */
    char reason[LONGEST_REASON]; /* the status if it has no value, else "" */
    int count;
    struct sample sample[CEILING_SAMPLES];
};

struct ceilings {
    struct device device;
    struct stream_gate gate;
    struct timer timer;
    void *from, *to, *l2; /* device */
    size_t dram_bytes;    /* of from and of to; 0: no memory */
    uint32_t *sums, *host_sums;
    uint32_t *wrong_elements; /* device */
    int wrong;                /* kernels that gave a wrong result */
    uint64_t random;
    struct ceiling ceiling[CEILING_COUNT];
};

/* The series of one group, for the rounds. */
struct group {
    int count;
    struct ceiling *ceiling[CEILING_COUNT];
    struct series series[CEILING_COUNT];
};

static int queue_kernels(void *context)
{
    const struct ceiling *ceiling = context;
    int result = 0;
    for (unsigned i = 0; i < ceiling->plan->launches && !result; i++)
        result = ceiling_launch(&ceiling->launch);
    return result;
}

static int queue_timed(void *context)
{
    struct timer *timer = &((struct ceiling *)context)->all->timer;
    int result = timer_record(timer, 0);
    if (!result) result = queue_kernels(context);
    return result ? result : timer_record(timer, 1);
}

static int take_sample(struct ceiling *ceiling, struct sample *sample)
{
    struct ceilings *all = ceiling->all;
    int result;
    do {
        result = ceiling->plan->cold ? stream_gate_flush_l2(&all->gate) : queue_kernels(ceiling);
        if (!result) result = timer_window(&all->timer, queue_timed, ceiling);
    } while (result == OUTSIDE_AGAIN);
    if (!result) result = timer_elapsed(&all->timer, 1, &sample->time_ns);
    sample->clock_mhz = stream_gate_clock_mhz(&all->gate);
    return result;
}

/* Poisons the output, launches, and fetches the number of wrong elements, or the sum. */
static int run_once(struct ceilings *c, const struct ceiling_launch *launch, uint32_t *found)
{
    const int writes = launch->kernel == CEILING_WRITE || launch->kernel == CEILING_COPY,
              sums = !writes && launch->kernel != CEILING_EMPTY;
    const size_t count = writes ? 1 : sums ? launch->blocks : 0, bytes = count * sizeof *found;
    cudaStream_t stream = c->device.stream;
    *found = 0;
    if (writes && !CUDA_OK(cudaMemsetAsync(launch->to, 0, 16 * launch->count, stream)))
        return FAIL_GPU;
    if (sums && !CUDA_OK(cudaMemsetAsync(launch->sums, 0xFF, bytes, stream))) return FAIL_GPU;
    int result = ceiling_launch(launch);
    if (!result && writes) result = ceiling_count_wrong(launch, c->wrong_elements);
    if (result || !CUDA_OK(cudaStreamSynchronize(stream))) return FAIL_GPU;
    if (count && !CUDA_OK(cudaMemcpy(c->host_sums, writes ? c->wrong_elements : launch->sums, bytes,
                                     cudaMemcpyDeviceToHost)))
        return FAIL_GPU;
    for (size_t i = 0; i < count; i++) *found += c->host_sums[i];
    return 0;
}

/* Returns 0 also if the result is wrong: then the ceiling has a reason. */
static int verify_ceiling(struct ceiling *ceiling, const char *when)
{
    uint32_t found = 0;
    const int result = run_once(ceiling->all, &ceiling->launch, &found);
    if (result || found == ceiling->expected) return result;
    ceiling->all->wrong++;
    if (ceiling->expected)
        snprintf(ceiling->reason, LONGEST_REASON, "failed: %s timing: the sum is %u; expected %u",
                 when, found, ceiling->expected);
    else
        snprintf(ceiling->reason, LONGEST_REASON, "failed: %s timing: %u elements are wrong", when,
                 found);
    error(FAIL_CHECK, "ceiling %s: wrong result: %s", ceiling->plan->ceiling, ceiling->reason);
    return 0;
}

/* ---- launches and memory --------------------------------------------------------------------- */

/* One wave: as many blocks as the device holds at once. */
static int set_wave(struct ceilings *c, struct ceiling_launch *launch)
{
    int blocks = 0;
    const int result = ceiling_blocks_per_sm(launch, &blocks);
    launch->blocks = (unsigned)(c->device.sm_count * blocks);
    return result;
}

/* *fits if there is room for the sums, and in the L2 cache for its elements. */
static int set_shape(struct ceilings *c, struct ceiling_launch *launch,
                     const struct shape_of_launch *shape, int *fits)
{
    launch->threads = shape->threads;
    launch->unroll = shape->unroll;
    const size_t tile = (size_t)shape->threads * shape->unroll;
    int result = set_wave(c, launch);
    if (launch->kernel == CEILING_READ_L2 && launch->blocks) {
        const size_t wave = launch->blocks * tile, wanted = c->device.l2_bytes / L2_SHARE / 16;
        launch->count = (wanted > wave ? wanted / wave : 1) * wave;
        launch->loops = (uint32_t)(DRAM_BYTES / 16 / launch->count) + 1;
        *fits = 16 * launch->count <= c->device.l2_bytes / 2;
    } else {
        *fits = 1;
        if (shape->tiles)
            launch->blocks = (unsigned)((launch->count / tile + shape->tiles - 1) / shape->tiles);
    }
    *fits &= launch->blocks > 0 && launch->blocks <= MOST_BLOCKS;
    return result;
}

/* Tries the shapes for a few samples each and keeps the one with the best rate. */
static int choose_shape(struct ceiling *ceiling, const struct shape_of_launch *shapes, size_t count)
{
    struct ceiling_launch *launch = &ceiling->launch, best = *launch;
    double best_rate = 0;
    int result = 0;
    for (size_t s = 0; s < count && !result; s++) {
        double time_ns[TRIAL_SAMPLES];
        struct sample sample;
        int fits = 0;
        if (interrupted()) return FAIL_INTERRUPTED;
        result = set_shape(ceiling->all, launch, &shapes[s], &fits);
        if (result || !fits) continue;
        for (int i = 0; i < TRIAL_SAMPLES && !result; i++) {
            result = take_sample(ceiling, &sample);
            time_ns[i] = sample.time_ns;
        }
        if (result) break;
        stats_sort(time_ns, TRIAL_SAMPLES);
        const double rate = ceiling_amount(launch) / stats_quantile(time_ns, TRIAL_SAMPLES, 0.5);
        detail("ceiling %s: %u blocks of %u threads, %u elements in flight: %.0f",
               ceiling->plan->ceiling, launch->blocks, launch->threads, launch->unroll, rate);
        if (rate <= best_rate) continue;
        best_rate = rate;
        best = *launch;
    }
    if (best_rate > 0)
        *launch = best;
    else if (!result)
        snprintf(ceiling->reason, LONGEST_REASON,
                 ABSENT "no launch of its kernel fits this device");
    return result;
}

/* Fills a buffer with ceiling_words. */
static int fill(struct ceilings *c, void *to, size_t count)
{
    struct ceiling_launch launch = c->ceiling[WRITE].launch;
    launch.to = to;
    launch.count = count;
    launch.blocks = 1024;
    return ceiling_launch(&launch);
}

/* The shapes of kernels that walk through memory are found by trying. */
static int set_launches(struct ceilings *c)
{
    int result = 0;
    for (enum ceiling_id id = 0; id < CEILING_COUNT && !result; id++) {
        const struct plan *plan = &plans[id];
        struct ceiling_launch *launch = &c->ceiling[id].launch;
        c->ceiling[id].all = c;
        c->ceiling[id].plan = plan;
        *launch = (struct ceiling_launch){.kernel = plan->kernel,
                                          .threads = CEILING_THREADS,
                                          .blocks = (unsigned)c->device.sm_count,
                                          .unroll = 1,
                                          .from = id == L2 ? c->l2 : c->from,
                                          .to = c->to,
                                          .count = c->dram_bytes / 16,
                                          .loops = plan->loops,
                                          .sums = c->sums,
                                          .stream = c->device.stream};
        /* Kernels fill the device: that is part of launching them. */
        if (plan->kernel == CEILING_EMPTY || id > LAUNCHES) result = set_wave(c, launch);
    }
    if (!result && c->dram_bytes) result = fill(c, c->from, c->dram_bytes / 16);
    if (!result) result = fill(c, c->l2, c->device.l2_bytes / 2 / 16);
    for (enum ceiling_id id = READ; id <= COPY && !result; id++)
        if (!*c->ceiling[id].reason)
            result = choose_shape(&c->ceiling[id], dram_shapes,
                                  sizeof dram_shapes / sizeof *dram_shapes);
    return result ? result
                  : choose_shape(&c->ceiling[L2], l2_shapes, sizeof l2_shapes / sizeof *l2_shapes);
}

/* Two buffers for the DRAM: as large as there is room for, and so large that little of one stays in
 * the L2 cache. That there is no room is no failure. */
static int allocate_dram(struct ceilings *c)
{
    const size_t least = 4 * c->device.l2_bytes;
    cudaError_t status = cudaErrorMemoryAllocation;
    for (size_t bytes = DRAM_BYTES; bytes >= least && status == cudaErrorMemoryAllocation;
         bytes /= 2) {
        status = cudaMalloc(&c->from, bytes);
        if (status == cudaSuccess) {
            status = cudaMalloc(&c->to, bytes);
            if (status != cudaSuccess) CUDA_RELEASE(cudaFree(c->from));
        }
        if (status != cudaSuccess) {
            c->from = c->to = NULL;
            cudaGetLastError(); /* so that the next launch is not blamed for it */
        }
        c->dram_bytes = c->to ? bytes : 0;
    }
    const int result = status == cudaErrorMemoryAllocation || CUDA_OK(status) ? 0 : FAIL_GPU;
    for (enum ceiling_id id = READ; id <= COPY && !c->dram_bytes; id++)
        snprintf(c->ceiling[id].reason, LONGEST_REASON,
                 ABSENT
                 "not enough memory for two buffers of four times the L2 cache, %zu MiB each",
                 least >> 20);
    return result;
}

static int open_ceilings(struct ceilings *c)
{
    int result = device_open(&c->device);
    if (result) return result;
    if (!CUDA_OK(cudaCtxResetPersistingL2Cache())) return FAIL_GPU;
    result = stream_gate_open(&c->gate, c->device.stream, c->device.l2_bytes);
    if (result) return result;
    result = timer_open(&c->timer, &c->gate, NULL);
    if (result) return result;
    if (!CUDA_OK(cudaMalloc(&c->l2, c->device.l2_bytes / 2)) ||
        !CUDA_OK(cudaMalloc((void **)&c->sums, MOST_BLOCKS * sizeof *c->sums)) ||
        !CUDA_OK(cudaMalloc((void **)&c->wrong_elements, sizeof *c->wrong_elements)))
        return FAIL_GPU;
    c->host_sums = malloc(MOST_BLOCKS * sizeof *c->host_sums);
    /* The DRAM's buffers come last: they may take all memory that is left. */
    return c->host_sums ? allocate_dram(c) : error_memory();
}

static void close_ceilings(struct ceilings *c)
{
    free(c->host_sums);
    void *const buffers[] = {c->wrong_elements, c->sums, c->l2, c->to, c->from};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]) CUDA_RELEASE(cudaFree(buffers[i]));
    timer_close(&c->timer);
    if (c->gate.open) stream_gate_close(&c->gate);
    device_close(&c->device);
}

static int sample_series(void *context, const struct series *series, struct sample *sample)
{
    struct group *group = context;
    return take_sample(group->ceiling[series - group->series], sample);
}

static int time_group(struct ceilings *c, enum ceiling_id first, enum ceiling_id end)
{
    struct group group = {0};
    int result = 0;
    for (enum ceiling_id id = first; id < end && !result; id++) {
        struct ceiling *ceiling = &c->ceiling[id];
        if (*ceiling->reason) continue;
        ceiling->expected = ceiling_sum(&ceiling->launch);
        result = verify_ceiling(ceiling, "before");
        if (*ceiling->reason) continue;
        group.ceiling[group.count] = ceiling;
        group.series[group.count++] =
            (struct series){.capacity = CEILING_SAMPLES, .copy = 'a', .sample = ceiling->sample};
    }
    if (!result && group.count)
        result = sampling_rounds_run(&(struct rounds){group.series, group.count, CEILING_SAMPLES,
                                                      MOST_SECONDS, &c->random, sample_series, NULL,
                                                      &group});
    for (int i = 0; i < group.count && !result; i++) {
        group.ceiling[i]->count = group.series[i].count;
        result = verify_ceiling(group.ceiling[i], "after");
    }
    return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

static struct ceiling_value value_of(const struct ceilings *c, enum ceiling_id id)
{
    const struct ceiling *one = &c->ceiling[LAUNCH], *this = &c->ceiling[id];
    const struct ceiling_samples launch = {one->count, one->sample},
                                 samples = {this->count, this->sample};
    const struct ceiling_value empty = ceiling_value_time(&launch);
    if (id == LAUNCHES) return ceiling_value_next(&launch, &samples, FURTHER_LAUNCHES);
    if (id == LAUNCH) return empty;
    return ceiling_value_rate(&samples, ceiling_amount(&this->launch), empty.value);
}

static void write_ceiling(struct ceilings *c, enum ceiling_id id, struct csv_writer *writer)
{
    struct ceiling_value value = {NAN, NAN, NAN, NAN, 0};
    char *reason = c->ceiling[id].reason;
    /* Ceilings are differences between launches, which the host's latency can exceed. */
    if (!*reason && other_profilers_unheld())
        snprintf(reason, LONGEST_REASON, ABSENT "times are not clean: %s",
                 other_profilers_unheld());
    if (!*reason) value = value_of(c, id);
    if (!*reason && value.samples < LEAST_KEPT)
        snprintf(reason, LONGEST_REASON,
                 ABSENT "%d of %d samples had the SM clock of the others; expected %d",
                 value.samples, c->ceiling[id].count, LEAST_KEPT);
    if (!*reason && !isfinite(value.value))
        snprintf(reason, LONGEST_REASON, ABSENT "it was as fast as an empty kernel");
    if (*reason) value.value = value.low = value.high = value.sm_clock_mhz = NAN;
    CSV_TEXTS(writer, plans[id].ceiling, plans[id].title, plans[id].unit);
    CSV_NUMBERS(writer, value.value, value.low, value.high);
    csv_integer(writer, value.samples);
    csv_number(writer, value.sm_clock_mhz);
    csv_text(writer, *reason ? reason : "ok");
    csv_end(writer);
}

static int write_ceilings(struct ceilings *c, struct run *run)
{
    struct csv_writer *writer = run_writer(run, TABLE_CEILINGS);
    if (!writer) return FAIL_OUTPUT;
    for (enum ceiling_id id = 0; id < CEILING_COUNT; id++) write_ceiling(c, id, writer);
    const int result = verify_count_wrong(run, c->wrong);
    if (result || !other_profilers_unheld()) return result;
    return run_fact_set(run, "timing", "not clean: %s", other_profilers_unheld());
}

int ceilings_run(struct run *run, const struct measure_options *options)
{
    const char *unit = STAGE_CEILINGS;
    if (run_unit_done(run, unit)) return 0;
    struct stage stage;
    struct ceilings *c = calloc(1, sizeof *c);
    if (!c) return error_memory();
    progress_begin(unit, "kernels", CEILING_COUNT);
    c->random = options->seed;
    int result = stage_begin(&stage, run, unit, NULL);
    if (!result) result = open_ceilings(c);
    if (!result) result = set_launches(c);
    for (int g = 0; groups[g] < CEILING_COUNT && !result && !other_profilers_unheld(); g++) {
        progress_next(groups[g + 1] - groups[g], NULL);
        result = time_group(c, groups[g], groups[g + 1]);
    }
    if (!result) result = write_ceilings(c, run);
    result = progress_end(stage_end(&stage, result));
    if (!result) result = run_unit_finish(run, unit);
    close_ceilings(c);
    free(c);
    return result;
}
