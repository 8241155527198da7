/*
 * Measures the most that the device can do, bandwidths, arithmetic and launches, and its least
 * latencies. Writes table ceilings; a ceiling that cannot be measured is absent, with the reason.
 *
 * Method, beside that of measure/gpu_timer.h:
 *   - A rate is the amount of a kernel over its clean time less that of an empty kernel. The cost
 *     of a launch is a ceiling of its own (launch_ns): a kernel that does more per launch than
 *     those here must not seem to beat them.
 *   - DRAM: 1 GiB once, with the fastest of a few shapes of the launch. Reading starts with a cold
 *     L2 cache. Writing and copying start right after a launch of the same kernel, so that the
 *     cache holds as much at the end as at the start and everything that is counted is written to
 *     memory.
 *   - A latency is the clean time of a kernel less that of an empty kernel, divided by the hops,
 *     barriers or atomic additions that it does. One thread makes the hops, from line to line, with
 *     a cold L2 cache; the address of each load depends on the word that the last one brought. One
 *     block passes the barriers. One lane of each warp of a full device adds to the same word.
 *   - A further launch and a clear cost the difference between two samples of one round, with and
 *     without them.
 *   - All others run once right before, too: their data lie in the L2 cache or in shared memory,
 *     and the clock is that of their load.
 *   - The two of tensor cores multiply random numbers, because zeros need less power and so leave a
 *     higher clock. Nothing takes turns with them. Their results are held against a
 * double-precision product.
 *   - On the host's clock, a sample is a loop of launches up to the end of the last kernel, with or
 *     without memory that is allocated before each and freed behind it.
 *   - Every kernel is verified before and after it is timed; the empty one can only be launched.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/text.h"
#include "gpu/launch_variant.h"
#include "driver/other_profilers.h"
#include "measure/ceiling_cache.h"
#include "measure/ceiling_launches.h"
#include "measure/measure_run.h"
#include "run/run_stages.h"

enum {
    LEAST_KEPT = 15,
    MOST_SECONDS = 10 /* for series that take turns: ends what hangs and cuts nothing short */
};

/* The first of each group that takes turns. */
static const enum ceiling_id groups[] = {READ,   L2,  FMA,   ADD,  BARRIER,
                                         ATOMIC, MMA, WGMMA, HOST, CEILING_COUNT};

/* The series of one group, for the rounds. */
struct group {
    int count;
    struct ceiling *ceiling[CEILING_COUNT];
    struct series series[CEILING_COUNT];
};

/* Its result is the buffer `to`. */
static int is_writer(const struct ceiling_launch *launch)
{
    return launch->kernel == CEILING_WRITE || launch->kernel == CEILING_COPY;
}

/* Poisons the output, launches, and fetches the number of wrong elements or of wrong sums of
 * blocks, or the sum. */
static int run_once(struct ceilings *c, const struct ceiling_launch *launch, uint32_t *found)
{
    const int writes = is_writer(launch), poison = launch->kernel == CEILING_ATOMIC ? 0 : 0xFF;
    const size_t sums = ceiling_sum_words(launch), count = writes ? 1 : sums,
                 bytes = count * sizeof *found;
    cudaStream_t stream = c->device.stream;
    *found = 0;
    if (writes && !CUDA_OK(cudaMemsetAsync(launch->to, 0, 16 * launch->count, stream)))
        return FAIL_GPU;
    if (sums && !CUDA_OK(cudaMemsetAsync(launch->sums, poison, bytes, stream))) return FAIL_GPU;
    int result = ceiling_launch(launch);
    if (!result && writes) result = ceiling_count_wrong(launch, c->wrong_elements);
    if (result || !CUDA_OK(cudaStreamSynchronize(stream))) return FAIL_GPU;
    if (count && !CUDA_OK(cudaMemcpy(c->host_sums, writes ? c->wrong_elements : launch->sums, bytes,
                                     cudaMemcpyDeviceToHost)))
        return FAIL_GPU;
    if (ceiling_is_product(launch->kernel))
        return ceiling_wrong_products(launch, c->host_sums, found);
    for (size_t i = 0; i < count; i++) *found += c->host_sums[i];
    return 0;
}

/* Returns 0 also if the result is wrong: then the ceiling has a reason. */
static int verify_ceiling(struct ceiling *ceiling, const char *when)
{
    uint32_t found = 0;
    const int result = run_once(ceiling->all, &ceiling->launch, &found);
    if (result || found == ceiling->expected) return result;
    if (ceiling_is_product(ceiling->launch.kernel) &&
        ceiling->all->host_sums[0] == CEILING_NOT_HERE) {
        snprintf(ceiling->reason, LONGEST_REASON,
                 ABSENT "this program has no code for the instruction; build it with ARCH=native");
        return 0;
    }
    ceiling->all->wrong++;
    if (ceiling_is_product(ceiling->launch.kernel))
        snprintf(ceiling->reason, LONGEST_REASON, "failed: %s timing: %u of %u sums are wrong",
                 when, found, ceiling->launch.blocks);
    else if (is_writer(&ceiling->launch))
        snprintf(ceiling->reason, LONGEST_REASON, "failed: %s timing: %u elements are wrong", when,
                 found);
    else
        snprintf(ceiling->reason, LONGEST_REASON, "failed: %s timing: the sum is %u; expected %u",
                 when, found, ceiling->expected);
    error(FAIL_CHECK, "ceiling %s: wrong result: %s", ceiling->plan->ceiling, ceiling->reason);
    return 0;
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
    return ceiling_allocate(c);
}

static void close_ceilings(struct ceilings *c)
{
    ceiling_free(c);
    timer_close(&c->timer);
    if (c->gate.open) stream_gate_close(&c->gate);
    device_close(&c->device);
}

static int sample_series(void *context, const struct series *series, struct sample *sample)
{
    struct group *group = context;
    return ceiling_take_sample(group->ceiling[series - group->series], sample);
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
    const double amount = ceiling_amount(&this->launch);
    switch (id) {
    case LAUNCH: return empty;
    case HOST:
    case MALLOC:
    case POOL: return ceiling_value_time(&samples);
    case LAUNCHES: return ceiling_value_next(&launch, &samples, FURTHER_LAUNCHES);
    case CLEAR: return ceiling_value_next(&launch, &samples, 1);
    case MEMORY:
    case BARRIER:
    case ATOMIC: return ceiling_value_each(&samples, amount, empty.value);
    default: return ceiling_value_rate(&samples, amount, empty.value);
    }
}

/* Returns a ceiling, or why it has no value. *is_passing is set if another run may measure it. */
static struct kept_ceiling result_of(struct ceilings *c, enum ceiling_id id, int *is_passing)
{
    struct kept_ceiling kept = {.value = {NAN, NAN, NAN, NAN, 0}};
    char *reason = c->ceiling[id].reason;
    /* Ceilings are differences between launches, which the host's latency can exceed. */
    if (!*reason && other_profilers_unheld())
        snprintf(reason, LONGEST_REASON, ABSENT "times are not clean: %s",
                 other_profilers_unheld());
    const int is_measured = !*reason;
    if (is_measured) kept.value = value_of(c, id);
    if (is_measured && kept.value.samples < LEAST_KEPT)
        snprintf(reason, LONGEST_REASON,
                 ABSENT "%d of %d samples had the SM clock of the others; expected %d",
                 kept.value.samples, c->ceiling[id].count, LEAST_KEPT);
    if (!*reason && !isfinite(kept.value.value))
        snprintf(reason, LONGEST_REASON, ABSENT "it was as fast as an empty kernel");
    *is_passing |= is_measured && *reason;
    if (*reason)
        kept.value.value = kept.value.low = kept.value.high = kept.value.sm_clock_mhz = NAN;
    snprintf(kept.status, sizeof kept.status, "%s", *reason ? reason : "ok");
    return kept;
}

static int write_ceilings(struct run *run, const struct kept_ceiling kept[CEILING_COUNT])
{
    struct csv_writer *writer = run_writer(run, TABLE_CEILINGS);
    if (!writer) return FAIL_OUTPUT;
    for (enum ceiling_id id = 0; id < CEILING_COUNT; id++) {
        const struct ceiling_plan *plan = &ceiling_plans[id];
        const struct ceiling_value *value = &kept[id].value;
        CSV_TEXTS(writer, plan->ceiling, plan->title, plan->unit);
        CSV_NUMBERS(writer, value->value, value->low, value->high);
        csv_integer(writer, value->samples);
        csv_number(writer, value->sm_clock_mhz);
        csv_text(writer, kept[id].status);
        csv_end(writer);
    }
    return 0;
}

/* Writes the ceilings, and keeps them unless something disturbed them. */
static int finish_ceilings(struct ceilings *c, struct run *run, int keeps)
{
    struct kept_ceiling kept[CEILING_COUNT];
    int is_passing = c->wrong > 0 || other_profilers_unheld();
    for (enum ceiling_id id = 0; id < CEILING_COUNT; id++) kept[id] = result_of(c, id, &is_passing);
    int result = write_ceilings(run, kept);
    if (!result) result = verify_count_wrong(run, c->wrong);
    if (!result && keeps && !is_passing) ceiling_cache_write(run, kept);
    if (result || !other_profilers_unheld()) return result;
    return run_fact_set(run, "timing", "not clean: %s", other_profilers_unheld());
}

int ceilings_run(struct run *run, const struct measure_options *options)
{
    const char *unit = STAGE_CEILINGS;
    if (run_unit_done(run, unit)) return 0;
    struct stage stage;
    struct kept_ceiling kept[CEILING_COUNT];
    if (options->keeps_ceilings && !other_profilers_unheld() && ceiling_cache_read(run, kept)) {
        const int failed = write_ceilings(run, kept);
        return failed ? failed : run_unit_finish(run, unit);
    }
    struct ceilings *c = calloc(1, sizeof *c);
    if (!c) return error_memory();
    progress_begin(unit, "kernels", CEILING_COUNT);
    c->random = options->seed;
    int result = stage_begin(&stage, run, unit, NULL);
    if (!result) result = open_ceilings(c);
    if (!result) result = ceiling_set_launches(c);
    for (int g = 0; groups[g] < CEILING_COUNT && !result && !other_profilers_unheld(); g++) {
        progress_next(groups[g + 1] - groups[g], NULL);
        result = time_group(c, groups[g], groups[g + 1]);
    }
    if (!result) result = finish_ceilings(c, run, options->keeps_ceilings);
    result = progress_end(stage_end(&stage, result));
    if (!result) result = run_unit_finish(run, unit);
    close_ceilings(c);
    free(c);
    return result;
}
