/*
 * Sets up the launches of the ceilings: their plans, buffers, numbers of blocks and shapes. Takes
 * samples of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"
#include "base/text.h"
#include "gpu/launch_variant.h"
#include "driver/other_profilers.h"
#include "measure/ceiling_launches.h"

enum {
    TRIAL_SAMPLES = 5,
    L2_SHARE = 3,
    HOST_LAUNCHES = 20, /* of a sample */
    HOST_BYTES = 4096,
    DRAM_BYTES = 1 << 30,                /* of each buffer; a power of two is made of whole tiles */
    MOST_BLOCKS = DRAM_BYTES / 16 / 1024 /* of the smallest tile; more than any wave has */
};

const struct ceiling_plan ceiling_plans[CEILING_COUNT] = {
    [READ] = {"read_gbs", "DRAM, read", "GB/s", CEILING_READ, 0, 1, 1},
    [WRITE] = {"write_gbs", "DRAM, written", "GB/s", CEILING_WRITE, 0, 1, 0},
    [COPY] = {"copy_gbs", "DRAM, read and written in a copy", "GB/s", CEILING_COPY, 0, 1, 0},
    [MEMORY] = {"memory_latency_ns", "Load from DRAM on an idle device", "ns", CEILING_CHASE, 2048,
                1, 1, .blocks = 1},
    [LAUNCH] = {"launch_ns", "Launch of an empty kernel that fills the device once", "ns",
                CEILING_EMPTY, 0, 1, 1},
    [LAUNCHES] = {"next_launch_ns", "Each further launch in a row", "ns", CEILING_EMPTY, 0,
                  1 + FURTHER_LAUNCHES, 1},
    [CLEAR] = {"clear_ns", "Memset of a word ahead of a launch", "ns", CEILING_CLEAR, 0, 1, 1},
    [L2] = {"l2_read_gbs", "L2 cache, read", "GB/s", CEILING_READ_L2, 0, 1, 0},
    [SHARED] = {"shared_read_gbs", "Shared memory, read", "GB/s", CEILING_READ_SHARED, 400, 1, 0},
    [MATRICES] = {"ldmatrix_gbs", "Shared memory, read by matrix loads (ldmatrix)", "GB/s",
                  CEILING_LDMATRIX, 400, 1, 0, .least = 75},
    [FMA] = {"fma_tflops", "Single-precision multiply-adds (FFMA)", "TFLOP/s", CEILING_FMA, 4096, 1,
             0},
    [ADD] = {"integer_gops", "32-bit integer additions of three numbers (IADD3)", "Gop/s",
             CEILING_ADD, 2048, 1, 0},
    [BARRIER] = {"barrier_ns", "Barrier of a block of 256 threads", "ns", CEILING_BARRIER, 32768, 1,
                 0, .blocks = 1},
    [ATOMIC] = {"atomic_ns", "Atomic addition to a word to which all SMs add", "ns", CEILING_ATOMIC,
                64, 1, 0},
    [MMA] = {"mma_tflops", "bfloat16 products of warps (mma.sync m16n8k16)", "TFLOP/s", CEILING_MMA,
             4096, 1, 0, .least = 80},
    [WGMMA] = {"wgmma_tflops", "bfloat16 products of warpgroups (wgmma m64n256k16)", "TFLOP/s",
               CEILING_WGMMA, 2048, 1, 0, .least = 90, .most = 90},
    [HOST] = {"host_launch_ns", "Launch of an empty kernel, on the host's clock", "ns",
              CEILING_EMPTY, 0, 1, 0, .blocks = 1, .host = LAUNCHES_ALONE},
    [MALLOC] = {"malloc_ns", "The same between cudaMalloc and cudaFree", "ns", CEILING_EMPTY, 0, 1,
                0, .blocks = 1, .host = ALLOCATES},
    [POOL] = {"pool_malloc_ns", "The same between cudaMallocAsync and cudaFreeAsync", "ns",
              CEILING_EMPTY, 0, 1, 0, .blocks = 1, .host = ALLOCATES_FROM_POOL},
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

/* ---- samples --------------------------------------------------------------------------------- */

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

/* Allocates memory for the kernel, launches it and frees the memory. There may be none left. */
static int launch_with_memory(struct ceiling *ceiling)
{
    const enum host_work host = ceiling->plan->host;
    cudaStream_t stream = ceiling->all->device.stream;
    void *memory = NULL;
    cudaError_t status = cudaSuccess;
    if (host == ALLOCATES) status = cudaMalloc(&memory, HOST_BYTES);
    if (host == ALLOCATES_FROM_POOL) status = cudaMallocAsync(&memory, HOST_BYTES, stream);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* so that the next launch is not blamed for it */
        snprintf(ceiling->reason, LONGEST_REASON, ABSENT "no memory is left");
        return 0;
    }
    if (!CUDA_OK(status)) return FAIL_GPU;
    const int result = ceiling_launch(&ceiling->launch);
    if (host == ALLOCATES && !CUDA_OK(cudaFree(memory))) return FAIL_GPU;
    if (host == ALLOCATES_FROM_POOL && !CUDA_OK(cudaFreeAsync(memory, stream))) return FAIL_GPU;
    return result;
}

/* The first launch makes the pool large enough. */
static int take_sample_on_host(struct ceiling *ceiling, struct sample *sample)
{
    cudaStream_t stream = ceiling->all->device.stream;
    double start = 0;
    int result = 0;
    for (int i = -1; i < HOST_LAUNCHES && !result; i++) {
        result = launch_with_memory(ceiling);
        if (i < 0) start = seconds_now();
    }
    if (!result && !CUDA_OK(cudaStreamSynchronize(stream))) result = FAIL_GPU;
    sample->time_ns = 1e9 * (seconds_now() - start) / HOST_LAUNCHES;
    sample->clock_mhz = NAN;
    return result;
}

int ceiling_take_sample(struct ceiling *ceiling, struct sample *sample)
{
    struct ceilings *all = ceiling->all;
    int result;
    if (ceiling->plan->host) return take_sample_on_host(ceiling, sample);
    do {
        result = ceiling->plan->cold ? stream_gate_flush_l2(&all->gate) : queue_kernels(ceiling);
        if (!result) result = timer_window(&all->timer, queue_timed, ceiling);
    } while (result == OUTSIDE_AGAIN);
    if (!result) result = timer_elapsed(&all->timer, 1, &sample->time_ns);
    sample->clock_mhz = stream_gate_clock_mhz(&all->gate);
    return result;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Gives a ceiling a reason if the device lacks its instruction, or pools of memory. */
static void check_capability(struct ceilings *c, struct ceiling *ceiling)
{
    const struct ceiling_plan *plan = ceiling->plan;
    const int is = c->device.compute_capability;
    int has_pools = 0;
    if (plan->host == ALLOCATES_FROM_POOL &&
        (cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, c->device.index) ||
         !has_pools))
        snprintf(ceiling->reason, LONGEST_REASON, ABSENT "the device has no pools of memory");
    if (is >= plan->least && (!plan->most || is <= plan->most)) return;
    snprintf(ceiling->reason, LONGEST_REASON,
             ABSENT "compute capability %d.%d lacks the instruction; expected %d.%d%s", is / 10,
             is % 10, plan->least / 10, plan->least % 10, plan->most ? "" : " or higher");
}

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
            result = ceiling_take_sample(ceiling, &sample);
            time_ns[i] = sample.time_ns;
        }
        if (result) break;
        const double rate = ceiling_amount(launch) / stats_median(time_ns, TRIAL_SAMPLES);
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

static int fill(struct ceilings *c, void *to, size_t count)
{
    struct ceiling_launch launch = c->ceiling[WRITE].launch;
    launch.to = to;
    launch.count = count;
    launch.blocks = 1024;
    return ceiling_launch(&launch);
}

int ceiling_set_launches(struct ceilings *c)
{
    int result = 0;
    for (enum ceiling_id id = 0; id < CEILING_COUNT && !result; id++) {
        const struct ceiling_plan *plan = &ceiling_plans[id];
        struct ceiling_launch *launch = &c->ceiling[id].launch;
        c->ceiling[id].all = c;
        c->ceiling[id].plan = plan;
        *launch = (struct ceiling_launch){.kernel = plan->kernel,
                                          .threads = CEILING_THREADS,
                                          .blocks = plan->blocks,
                                          .unroll = 1,
                                          .from = id == L2 ? c->l2 : c->from,
                                          .to = c->to,
                                          .count = c->dram_bytes / 16,
                                          .loops = plan->loops,
                                          .sums = c->sums,
                                          .stream = c->device.stream};
        check_capability(c, &c->ceiling[id]);
        /* Kernels fill the device: that is part of launching them. */
        if (!plan->blocks && !*c->ceiling[id].reason) result = set_wave(c, launch);
    }
    const size_t most_hops = c->dram_bytes / 16 / CEILING_HOP;
    if (c->ceiling[MEMORY].launch.loops > most_hops)
        c->ceiling[MEMORY].launch.loops = (uint32_t)most_hops;
    if (!result && c->dram_bytes) result = fill(c, c->from, c->dram_bytes / 16);
    if (!result) result = fill(c, c->l2, c->device.l2_bytes / 2 / 16);
    for (enum ceiling_id id = READ; id <= COPY && !result; id++)
        if (!*c->ceiling[id].reason)
            result = choose_shape(&c->ceiling[id], dram_shapes,
                                  sizeof dram_shapes / sizeof *dram_shapes);
    return result ? result
                  : choose_shape(&c->ceiling[L2], l2_shapes, sizeof l2_shapes / sizeof *l2_shapes);
}

/* ---- memory ---------------------------------------------------------------------------------- */

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
    for (enum ceiling_id id = READ; id <= MEMORY && !c->dram_bytes; id++)
        snprintf(c->ceiling[id].reason, LONGEST_REASON,
                 ABSENT
                 "not enough memory for two buffers of four times the L2 cache, %zu MiB each",
                 least >> 20);
    return result;
}

int ceiling_allocate(struct ceilings *c)
{
    if (!CUDA_OK(cudaMalloc(&c->l2, c->device.l2_bytes / 2)) ||
        !CUDA_OK(cudaMalloc((void **)&c->sums, MOST_BLOCKS * sizeof *c->sums)) ||
        !CUDA_OK(cudaMalloc((void **)&c->wrong_elements, sizeof *c->wrong_elements)))
        return FAIL_GPU;
    c->host_sums = malloc(MOST_BLOCKS * sizeof *c->host_sums);
    /* The DRAM's buffers come last: they may take all memory that is left. */
    return c->host_sums ? allocate_dram(c) : error_memory();
}

void ceiling_free(struct ceilings *c)
{
    free(c->host_sums);
    void *const buffers[] = {c->wrong_elements, c->sums, c->l2, c->to, c->from};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]) CUDA_RELEASE(cudaFree(buffers[i]));
}
