/*
 * What the device can do at most, measured in the same run by the method of measure/measure_run.h:
 * the stream held by the gate, the SM clock read with each sample, series that take turns in random
 * order until the median is known to 1 %, throttled samples set aside, medians with 95 % intervals.
 *
 * - A rate is what a kernel does over its clean time less that of an empty kernel: what every
 * launch costs is a ceiling of its own (launch_ns), and a
 *   kernel that does more work per launch than those here must not seem to beat them.
 * - DRAM: 1 GiB once, and the fastest of a few shapes of the launch. Reading starts with a cold L2
 * cache; writing and copying right after a launch
 *   of the same kernel, so that as much is left in the cache at the end as at the start, and all
 *     that is counted is written to memory.
 * - All others run once right before, too: what they read lies in the L2 cache or in shared memory,
 * and the clock is that of their load. - Every kernel is verified before and after it is timed. Of
 * the empty one only that it can be launched.
 */
#include "measure/device_ceilings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/progress.h"
#include "base/stats.h"
#include "gpu/device.h"
#include "gpu/other_profilers.h"
#include "gpu/stream_gate.h"
#include "measure/ceiling_kernels.h"
#include "measure/ceiling_values.h"
#include "measure/sampling_rounds.h"
#include "run/run_stages.h"

enum { MOST_SAMPLES = 50, LEAST_KEPT = 15, TRIAL_SAMPLES = 5, FURTHER_LAUNCHES = 4, L2_SHARE = 3 };

static const size_t DRAM_BYTES =
    (size_t)1 << 30; /* of each buffer; as a power of two it is made of whole tiles */
static const double MOST_SECONDS =
    10; /* of the series that take turns: there to end what hangs, not to cut short */

/* What is timed, in the order of table ceilings. Those that take turns stand together. */
enum probe_id { READ, WRITE, COPY, LAUNCH, LAUNCHES, L2, SHARED, FMA, ADD, PROBE_COUNT };

/* Where each group of those begins. */
static const enum probe_id groups[] = {READ, L2, FMA, ADD, PROBE_COUNT};

static const struct plan {
    const char *ceiling, *title, *unit;
    enum ceiling_kernel kernel;
    uint32_t loops; /* of the kernels that go on without memory behind them */
    unsigned launches;
    int cold;
} plans[PROBE_COUNT] = {
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

/* How memory is walked through. `tiles`: of threads * unroll elements that a block takes; 0: one
 * wave of blocks shares them. */
struct shape_of_launch {
    unsigned threads, unroll, tiles;
};

static const struct shape_of_launch dram_shapes[] = {
    {512, 4, 5}, {512, 4, 1},  {512, 4, 16}, {256, 4, 5},
    {512, 8, 4}, {1024, 2, 5}, {512, 4, 0},  {1024, 4, 0},
};

static const struct shape_of_launch l2_shapes[] = {
    {512, 4, 0}, {1024, 4, 0}, {512, 2, 0}, {1024, 2, 0}, {512, 1, 0}};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

struct probe {
    struct ceiling_launch launch;
    uint32_t expected; /* sum, once it is known */
    int is_expected;
    char reason[160]; /* why it has no value; "" while nothing speaks against it */
    int count;
    int round[MOST_SAMPLES];
    double time_ns[MOST_SAMPLES], clock_mhz[MOST_SAMPLES];
    unsigned char throttled[MOST_SAMPLES];
};

struct ceilings {
    struct device device;
    struct stream_gate gate;
    cudaEvent_t event[2];
    void *from, *to, *l2; /* device */
    size_t dram_bytes;    /* of from and of to; 0: there is no memory for them */
    uint32_t *sums, *host_sums;
    size_t most_blocks;
    uint32_t *wrong_elements; /* device */
    int wrong;                /* kernels that gave a wrong result */
    uint64_t random;
    struct probe probe[PROBE_COUNT];
};

/* The series of one group, for the rounds. */
struct group {
    struct ceilings *ceilings;
    int count;
    enum probe_id id[PROBE_COUNT];
    struct series series[PROBE_COUNT];
};

/* ---- one sample ------------------------------------------------------------------------------ */

static int queue(const struct ceilings *c, enum probe_id id)
{
    int result = 0;
    for (unsigned i = 0; i < plans[id].launches && !result; i++)
        result = ceiling_launch(&c->probe[id].launch);
    return result;
}

static int take_sample(struct ceilings *c, enum probe_id id, double *time_ns, double *clock_mhz)
{
    const cudaStream_t stream = c->device.stream;
    float milliseconds = 0;
    int result = plans[id].cold ? stream_gate_flush_l2(&c->gate) : queue(c, id);
    if (!result) result = stream_gate_hold(&c->gate);
    if (result) return result;
    result = stream_gate_mark(&c->gate, 0);
    if (!result && !CUDA_OK(cudaEventRecord(c->event[0], stream))) result = FAIL_GPU;
    if (!result) result = queue(c, id);
    if (!result && !CUDA_OK(cudaEventRecord(c->event[1], stream))) result = FAIL_GPU;
    if (!result) result = stream_gate_mark(&c->gate, 1);
    stream_gate_release(&c->gate); /* also after a failure: the stream must not stay held */
    if (!CUDA_OK(cudaStreamSynchronize(stream))) return FAIL_GPU;
    if (result) return result;
    result = stream_gate_judge(&c->gate);
    if (result == OUTSIDE_AGAIN)
        return take_sample(c, id, time_ns, clock_mhz); /* at most once in a process */
    if (result) return result;
    if (!CUDA_OK(cudaEventElapsedTime(&milliseconds, c->event[0], c->event[1]))) return FAIL_GPU;
    *time_ns = 1e6 * (double)milliseconds;
    *clock_mhz = stream_gate_clock_mhz(&c->gate);
    return 0;
}

/* ---- verification ---------------------------------------------------------------------------- */

/* Poisons, launches, fetches what says how it went: elements that are wrong, or the sum. */
static int run_once(struct ceilings *c, enum probe_id id, uint32_t *found)
{
    struct ceiling_launch *launch = &c->probe[id].launch;
    const int writes = launch->kernel == CEILING_WRITE || launch->kernel == CEILING_COPY,
              sums = !writes && launch->kernel != CEILING_EMPTY;
    const size_t bytes = writes ? sizeof *found : launch->blocks * sizeof *found;
    int result = 0;
    *found = 0;
    if (writes && !CUDA_OK(cudaMemsetAsync(launch->to, 0, 16 * launch->count, c->device.stream)))
        return FAIL_GPU;
    if (sums && !CUDA_OK(cudaMemsetAsync(launch->sums, 0xFF, bytes, c->device.stream)))
        return FAIL_GPU;
    result = ceiling_launch(launch);
    if (!result && writes) result = ceiling_count_wrong(launch, c->wrong_elements);
    if (result || !CUDA_OK(cudaStreamSynchronize(c->device.stream))) return FAIL_GPU;
    if ((writes || sums) &&
        !CUDA_OK(cudaMemcpy(c->host_sums, writes ? c->wrong_elements : launch->sums, bytes,
                            cudaMemcpyDeviceToHost)))
        return FAIL_GPU;
    for (size_t i = 0; (writes || sums) && i < bytes / sizeof *found; i++)
        *found += c->host_sums[i];
    return 0;
}

/* 0 also where the result is wrong: then the probe has a reason. */
static int verify(struct ceilings *c, enum probe_id id, const char *when)
{
    struct probe *probe = &c->probe[id];
    uint32_t found = 0;
    if (*probe->reason) return 0;
    if (!probe->is_expected) probe->expected = ceiling_sum(&probe->launch);
    probe->is_expected = 1;
    const int result = run_once(c, id, &found);
    if (result || found == probe->expected) return result;
    c->wrong++;
    if (probe->expected)
        snprintf(probe->reason, sizeof probe->reason,
                 "failed: %s timing: the sum is %u; expected %u", when, found, probe->expected);
    else
        snprintf(probe->reason, sizeof probe->reason, "failed: %s timing: %u elements are wrong",
                 when, found);
    error(FAIL_CHECK, "ceiling %s: wrong result: %s", plans[id].ceiling, probe->reason);
    return 0;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* One wave: as many blocks as the device holds at once. */
static int set_wave(struct ceilings *c, struct ceiling_launch *launch)
{
    int blocks = 0;
    const int result = ceiling_blocks_per_sm(launch, &blocks);
    launch->blocks = (unsigned)(c->device.sm_count * blocks);
    return result;
}

/* *fits: there is room for the sums, and for the elements in the L2 cache. */
static int set_shape(struct ceilings *c, enum probe_id id, const struct shape_of_launch *shape,
                     int *fits)
{
    struct ceiling_launch *launch = &c->probe[id].launch;
    launch->threads = shape->threads;
    launch->unroll = shape->unroll;
    const size_t tile = (size_t)shape->threads * shape->unroll;
    int result = set_wave(c, launch);
    if (id == L2 && launch->blocks) {
        const size_t wave = launch->blocks * tile, wanted = c->device.l2_bytes / L2_SHARE / 16;
        launch->count = (wanted > wave ? wanted / wave : 1) * wave;
        launch->loops = (uint32_t)(DRAM_BYTES / 16 / launch->count) + 1;
        *fits = 16 * launch->count <= c->device.l2_bytes / 2;
    } else {
        const size_t tiles = launch->count / tile;
        if (shape->tiles) launch->blocks = (unsigned)((tiles + shape->tiles - 1) / shape->tiles);
        *fits = 1;
    }
    *fits &= launch->blocks > 0 && launch->blocks <= c->most_blocks;
    return result;
}

/* Tries the shapes for a few samples each and keeps the one with the best rate. */
static int choose_shape(struct ceilings *c, enum probe_id id, const struct shape_of_launch *shapes,
                        int count)
{
    struct ceiling_launch *launch = &c->probe[id].launch, best = {.kernel = CEILING_KERNEL_COUNT};
    double best_rate = 0;
    int result = 0;
    for (int s = 0; s < count && !result; s++) {
        double time_ns[TRIAL_SAMPLES], clock_mhz;
        int fits = 0;
        result = interrupted() ? FAIL_INTERRUPTED : set_shape(c, id, &shapes[s], &fits);
        if (result || !fits) continue;
        for (int i = 0; i < TRIAL_SAMPLES && !result; i++)
            result = take_sample(c, id, &time_ns[i], &clock_mhz);
        if (result) break;
        stats_sort(time_ns, TRIAL_SAMPLES);
        const double rate = ceiling_amount(launch) / stats_quantile(time_ns, TRIAL_SAMPLES, 0.5);
        detail("ceiling %s: %u blocks of %u threads, %u elements in flight: %.0f",
               plans[id].ceiling, launch->blocks, launch->threads, launch->unroll, rate);
        if (rate <= best_rate) continue;
        best_rate = rate;
        best = *launch;
    }
    if (best_rate > 0)
        *launch = best;
    else if (!result)
        snprintf(c->probe[id].reason, sizeof c->probe[id].reason,
                 "absent: no launch of its kernel fits this device");
    return result;
}

/* Fills a buffer with ceiling_words. */
static int fill(struct ceilings *c, void *to, size_t count)
{
    const struct ceiling_launch launch = {.kernel = CEILING_WRITE,
                                          .blocks = 1024,
                                          .threads = CEILING_THREADS,
                                          .unroll = 1,
                                          .to = to,
                                          .count = count,
                                          .stream = c->device.stream};
    return ceiling_launch(&launch);
}

/* What is left is to find out by trying: the shapes of those that walk through memory. */
static int set_launches(struct ceilings *c)
{
    int result = 0;
    for (enum probe_id id = 0; id < PROBE_COUNT && !result; id++) {
        const int empty = plans[id].kernel == CEILING_EMPTY;
        c->probe[id].launch = (struct ceiling_launch){.kernel = plans[id].kernel,
                                                      .threads = CEILING_THREADS,
                                                      .blocks = (unsigned)c->device.sm_count,
                                                      .unroll = 1,
                                                      .from = id == L2 ? c->l2 : c->from,
                                                      .to = c->to,
                                                      .count = c->dram_bytes / 16,
                                                      .loops = plans[id].loops,
                                                      .sums = c->sums,
                                                      .stream = c->device.stream};
        if (empty || id > LAUNCHES)
            result = set_wave(
                c, &c->probe[id]
                        .launch); /* kernels fill the device, and that is part of launching them */
    }
    if (!result && c->dram_bytes) result = fill(c, c->from, c->dram_bytes / 16);
    if (!result) result = fill(c, c->l2, c->device.l2_bytes / 2 / 16);
    for (enum probe_id id = READ; id <= COPY && !result; id++)
        if (!*c->probe[id].reason) result = choose_shape(c, id, dram_shapes, COUNT_OF(dram_shapes));
    return result ? result : choose_shape(c, L2, l2_shapes, COUNT_OF(l2_shapes));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* NULL where there is no room, which is no failure. */
static int allocate_if_room(void **buffer, size_t bytes)
{
    const cudaError_t status = cudaMalloc(buffer, bytes);
    if (status == cudaErrorMemoryAllocation) {
        *buffer = NULL;
        cudaGetLastError(); /* else the next launch would be blamed for it */
        return 0;
    }
    return CUDA_OK(status) ? 0 : FAIL_GPU;
}

/* Two buffers for the DRAM: as large as there is room for, but so large that little of one stays
 * in the L2 cache. */
static int allocate_dram(struct ceilings *c)
{
    const size_t least = 4 * c->device.l2_bytes;
    int result = 0;
    for (size_t bytes = DRAM_BYTES; bytes >= least && !c->to && !result; bytes /= 2) {
        result = allocate_if_room(&c->from, bytes);
        if (!result && c->from) result = allocate_if_room(&c->to, bytes);
        c->dram_bytes = c->to ? bytes : 0;
        if (!c->to && c->from) CUDA_RELEASE(cudaFree(c->from));
        if (!c->to) c->from = NULL;
    }
    for (enum probe_id id = READ; id <= COPY && !c->dram_bytes; id++)
        snprintf(
            c->probe[id].reason, sizeof c->probe[id].reason,
            "absent: there is no room for two buffers of four times the L2 cache, %zu MiB each",
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
    c->most_blocks = DRAM_BYTES / 16 / 1024; /* the smallest tile; more than any wave has */
    if (!CUDA_OK(cudaEventCreate(&c->event[0])) || !CUDA_OK(cudaEventCreate(&c->event[1])) ||
        !CUDA_OK(cudaMalloc(&c->l2, c->device.l2_bytes / 2)) ||
        !CUDA_OK(cudaMalloc((void **)&c->sums, c->most_blocks * sizeof *c->sums)) ||
        !CUDA_OK(cudaMalloc((void **)&c->wrong_elements, sizeof *c->wrong_elements)))
        return FAIL_GPU;
    c->host_sums = malloc(c->most_blocks * sizeof *c->host_sums);
    return c->host_sums ? allocate_dram(c)
                        : error_memory(); /* last: it may take all that is left */
}

static void close_ceilings(struct ceilings *c)
{
    free(c->host_sums);
    void *const buffers[] = {c->wrong_elements, c->sums, c->l2, c->to, c->from};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]) CUDA_RELEASE(cudaFree(buffers[i]));
    for (int i = 0; i < 2; i++)
        if (c->event[i]) CUDA_RELEASE(cudaEventDestroy(c->event[i]));
    if (c->gate.open) stream_gate_close(&c->gate);
    device_close(&c->device);
}

/* ---- timing ---------------------------------------------------------------------------------- */

static int sample_series(void *context, const struct series *series, double *time_ns,
                         double *clock_mhz)
{
    struct group *group = context;
    return take_sample(group->ceilings, group->id[series - group->series], time_ns, clock_mhz);
}

static double now(void *context)
{
    (void)context;
    return seconds_now();
}

static int time_group(struct ceilings *c, enum probe_id first, enum probe_id end)
{
    struct group group = {.ceilings = c};
    const struct sampler sampler = {sample_series, now, &group};
    int result = 0;
    for (enum probe_id id = first; id < end && !result; id++) {
        struct probe *probe = &c->probe[id];
        result = verify(c, id, "before");
        if (result || *probe->reason) continue;
        group.series[group.count] = (struct series){.capacity = MOST_SAMPLES,
                                                    .copy = 'a',
                                                    .round = probe->round,
                                                    .time_ns = probe->time_ns,
                                                    .clock_mhz = probe->clock_mhz,
                                                    .throttled = probe->throttled};
        group.id[group.count++] = id;
    }
    if (!result && group.count)
        result = sampling_rounds_run(group.series, group.count, MOST_SAMPLES, MOST_SECONDS,
                                     &c->random, &sampler);
    for (int i = 0; i < group.count && !result; i++) {
        c->probe[group.id[i]].count = group.series[i].count;
        result = verify(c, group.id[i], "after");
    }
    return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

static struct ceiling_samples samples_of(const struct probe *probe)
{
    return (struct ceiling_samples){probe->count, probe->round, probe->time_ns, probe->clock_mhz,
                                    probe->throttled};
}

static int value_of(const struct ceilings *c, enum probe_id id, struct ceiling_value *value)
{
    const struct ceiling_samples samples = samples_of(&c->probe[id]),
                                 launch = samples_of(&c->probe[LAUNCH]);
    struct ceiling_value empty;
    const int result = ceiling_value_time(&launch, &empty);
    if (result) return result;
    *value = empty;
    if (id == LAUNCH) return 0;
    if (id == LAUNCHES) return ceiling_value_next(&launch, &samples, FURTHER_LAUNCHES, value);
    return ceiling_value_rate(&samples, ceiling_amount(&c->probe[id].launch), empty.value, value);
}

static int write_ceiling(const struct ceilings *c, enum probe_id id, struct csv_writer *writer)
{
    struct ceiling_value value = {NAN, NAN, NAN, NAN, 0};
    char reason[sizeof c->probe[id].reason];
    snprintf(reason, sizeof reason, "%s", c->probe[id].reason);
    /* They are differences between launches: the host's latency, which is in both, can be more
     * than what they differ by. */
    if (!*reason && other_profilers_unheld())
        snprintf(reason, sizeof reason, "absent: times are not clean: %s",
                 other_profilers_unheld());
    const int result = *reason ? 0 : value_of(c, id, &value);
    if (result) return result;
    if (!*reason && value.samples < LEAST_KEPT)
        snprintf(reason, sizeof reason,
                 "absent: %d of %d samples had the SM clock of the others; expected %d",
                 value.samples, c->probe[id].count, LEAST_KEPT);
    if (!*reason && !isfinite(value.value))
        snprintf(reason, sizeof reason, "absent: it took no longer than an empty kernel");
    if (*reason) value.value = value.low = value.high = value.sm_clock_mhz = NAN;
    csv_text(writer, plans[id].ceiling);
    csv_text(writer, plans[id].title);
    csv_text(writer, plans[id].unit);
    csv_number(writer, value.value);
    csv_number(writer, value.low);
    csv_number(writer, value.high);
    csv_integer(writer, value.samples);
    csv_number(writer, value.sm_clock_mhz);
    csv_text(writer, *reason ? reason : "ok");
    csv_end(writer);
    return 0;
}

static int write_ceilings(const struct ceilings *c, struct run *run)
{
    struct csv_writer *writer = run_writer(run, TABLE_CEILINGS);
    const char *before = run_fact(run, "wrong_results");
    int result = writer ? 0 : FAIL_OUTPUT;
    for (enum probe_id id = 0; id < PROBE_COUNT && !result; id++)
        result = write_ceiling(c, id, writer);
    if (!result && c->wrong)
        result = run_fact_set(run, "wrong_results", "%ld",
                              (before ? strtol(before, NULL, 10) : 0) + c->wrong);
    if (!result && other_profilers_unheld())
        result = run_fact_set(run, "timing", "not clean: %s", other_profilers_unheld());
    return result;
}

int ceilings_run(struct run *run, const struct measure_options *options)
{
    static const char unit[] = STAGE_CEILINGS;
    if (run_unit_done(run, unit)) return 0;
    struct stage stage;
    struct ceilings *c = calloc(1, sizeof *c);
    if (!c) return error_memory();
    progress_begin(unit, "kernels", PROBE_COUNT);
    c->random = options->seed;
    int result = stage_begin(&stage, run, unit, NULL);
    if (!result) result = open_ceilings(c);
    if (!result) result = set_launches(c);
    for (int g = 0; groups[g] < PROBE_COUNT && !result && !other_profilers_unheld(); g++) {
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
