/*
 * Measures the cost of annotations: annotation_cost [ROUNDS [PATTERN...]]
 *
 * Times each rung of the reduction (or those that match a pattern) cold at 2^22, in three arms that
 * take turns in random order: twice by measure/gpu_timer.c and gpu/launch_variant.c with every
 * annotation compiled out (the A/A pair, whose ratio is the noise floor) and once as they are.
 * NVTX_INJECTION64_PATH decides whether a tool listens. Prints a row for each rung with the ratios
 * of the medians and their 95 % bootstrap intervals, and fails (exit 1) if the median over the
 * rungs of |ratio - 1| is 0.2 % or more.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/nvtx.h"
#include "gpu/launch_variant.h"
#include "measure/gpu_timer.h"
#include "base/message.h"
#include "base/stats.h"

/* The same sources again, under other names and without annotations. */
__typeof__(launch_check) silent_launch_check;
__typeof__(launch_refused) silent_launch_refused;
__typeof__(launch_plan) silent_launch_plan;
__typeof__(launch_clear) silent_launch_clear;
__typeof__(launch_queue) silent_launch_queue;
__typeof__(launch_queue_as) silent_launch_queue_as;
__typeof__(launch_prepare) silent_launch_prepare;
__typeof__(launch_all) silent_launch_all;
__typeof__(launch_kernels) silent_launch_kernels;
__typeof__(tensor_map_fault) silent_tensor_map_fault;
__typeof__(verify_run) silent_verify_run;
__typeof__(verify_point) silent_verify_point;
__typeof__(verify_trials) silent_verify_trials;
__typeof__(status_of_trials) silent_status_of_trials;
__typeof__(verify_count_wrong) silent_verify_count_wrong;
__typeof__(timer_cpu_samples) silent_timer_cpu_samples;
__typeof__(timer_open) silent_timer_open;
__typeof__(timer_close) silent_timer_close;
__typeof__(timer_sample) silent_timer_sample;
__typeof__(timer_overhead) silent_timer_overhead;
__typeof__(timer_elapsed) silent_timer_elapsed;
__typeof__(timer_record) silent_timer_record;
__typeof__(timer_window) silent_timer_window;
#define nvtx_variant(selected, sample, cold) ((void)0)
#define nvtx_launch(variant, index, launch) ((void)0)
#define nvtx_sample(time_ns, clock_mhz) ((void)0)
#define nvtx_end() ((void)0)
#define launch_check silent_launch_check
#define launch_refused silent_launch_refused
#define launch_plan silent_launch_plan
#define launch_clear silent_launch_clear
#define launch_queue silent_launch_queue
#define launch_queue_as silent_launch_queue_as
#define launch_prepare silent_launch_prepare
#define launch_all silent_launch_all
#define launch_kernels silent_launch_kernels
#define tensor_map_fault silent_tensor_map_fault
#define verify_run silent_verify_run
#define verify_point silent_verify_point
#define verify_trials silent_verify_trials
#define status_of_trials silent_status_of_trials
#define verify_count_wrong silent_verify_count_wrong
#define timer_open silent_timer_open
#define timer_close silent_timer_close
#define timer_sample silent_timer_sample
#define timer_overhead silent_timer_overhead
#define timer_elapsed silent_timer_elapsed
#define timer_record silent_timer_record
#define timer_window silent_timer_window
#define timer_cpu_samples silent_timer_cpu_samples
#include "gpu/launch_variant.c"
#include "measure/gpu_timer.c"
#undef launch_refused
#undef launch_all
#undef timer_open
#undef timer_close
#undef timer_sample

enum arm { PLAIN, PLAIN_AGAIN, ANNOTATED, ARMS };
enum {
    DEFAULT_ROUNDS = 1000,
    LEAST_ROUNDS = 10,
    MOST_ROUNDS = 100000,
    WARM_UP = 200,
    RESAMPLES = 2000,
    MOST_RUNGS = 128
};

static const double MOST_COST = 0.002;

struct ratio {
    double median, low, high;
};

struct cost {
    struct timer timer;
    int rounds;
    double *time_ns[ARMS];
    uint64_t random;
    double found[MOST_RUNGS]; /* |ratio - 1| of the rungs so far */
    int count;
};

/* ---- samples --------------------------------------------------------------------------------- */

static int sample(struct cost *cost, struct series *series, enum arm arm, double *time_ns)
{
    struct sample sample = {0};
    const int result = arm == ANNOTATED ? timer_sample(&cost->timer, series, &sample)
                                        : silent_timer_sample(&cost->timer, series, &sample);
    *time_ns = sample.time_ns;
    return result;
}

static int run_round(struct cost *cost, struct series *series, int round)
{
    enum arm order[ARMS] = {PLAIN, PLAIN_AGAIN, ANNOTATED};
    int result = interrupted() ? FAIL_INTERRUPTED : 0;
    for (size_t i = ARMS - 1; i > 0; i--) {
        const size_t j = stats_draw(&cost->random, i + 1);
        const enum arm other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
    series->count = round;
    for (int i = 0; i < ARMS && !result; i++)
        result = sample(cost, series, order[i], &cost->time_ns[order[i]][round]);
    return result;
}

static int run_rounds(struct cost *cost, const struct selected *selected)
{
    struct series series = {
        .selected = selected, .l2 = L2_COLD, .kind = TIME_END_TO_END, .copy = 'a'};
    double ignored;
    int result = launch_all(cost->timer.bench, selected); /* loads the kernels before a stream is
                                                             held */
    if (!result) result = workbench_synchronize(cost->timer.bench);
    for (int i = 0; i < WARM_UP && !result; i++)
        result = sample(cost, &series, i % 2 ? ANNOTATED : PLAIN, &ignored);
    for (int round = 0; round < cost->rounds && !result; round++)
        result = run_round(cost, &series, round);
    return result;
}

/* ---- ratios ---------------------------------------------------------------------------------- */

/* Returns the tick of the events' clock: the least distance of two times, or 0 if all are equal. */
static double tick_of(const struct cost *cost)
{
    double tick = INFINITY;
    for (int arm = 0; arm < ARMS; arm++)
        for (int i = 1; i < cost->rounds; i++) {
            const double distance = cost->time_ns[arm][i] - cost->time_ns[arm][i - 1];
            if (distance > 0.5 && distance < tick) tick = distance;
        }
    return isfinite(tick) ? tick : 0;
}

/* A tick is larger than the effect to be measured: each time is spread over its own tick, so that a
 * median can lie within a tick. */
static void spread(struct cost *cost)
{
    for (int arm = 0; arm < ARMS; arm++) stats_sort(cost->time_ns[arm], (size_t)cost->rounds);
    const double tick = tick_of(cost);
    for (int arm = 0; arm < ARMS; arm++) {
        for (int i = 0; i < cost->rounds; i++)
            cost->time_ns[arm][i] +=
                tick * ((double)(stats_random(&cost->random) >> 11) / 9007199254740992.0 - 0.5);
        stats_sort(cost->time_ns[arm], (size_t)cost->rounds);
    }
}

static struct ratio ratio_of(const struct cost *cost, enum arm arm)
{
    const size_t count = (size_t)cost->rounds;
    const double *plain = cost->time_ns[PLAIN], *other = cost->time_ns[arm];
    struct ratio ratio = {.median = stats_quantile(other, count, 0.5) /
                                    stats_quantile(plain, count, 0.5)};
    struct stats_resamples *drawn = stats_resamples_draw(count, count, RESAMPLES, cost->random);
    stats_resamples_interval(drawn, other, plain, &ratio.low, &ratio.high);
    free(drawn);
    return ratio;
}

static int measure_rung(struct cost *cost, const struct selected *selected)
{
    int result = run_rounds(cost, selected);
    if (result) return result;
    spread(cost);
    const struct ratio with = ratio_of(cost, ANNOTATED), floor = ratio_of(cost, PLAIN_AGAIN);
    printf("%s,%d,%.0f,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f\n", selected->variant->name,
           selected->point.sweep, stats_quantile(cost->time_ns[PLAIN], (size_t)cost->rounds, 0.5),
           with.median, with.low, with.high, floor.median, floor.low, floor.high);
    fflush(stdout);
    cost->found[cost->count++] = fabs(with.median - 1);
    return 0;
}

/* ---- rungs ----------------------------------------------------------------------------------- */

/* Returns the point in the middle of the variant's settings, which begin at `start`; *next is the
 * first point after them. */
static const struct selected *middle_setting(const struct selection *selection, int start,
                                             int *next)
{
    int end = start;
    while (end < selection->count &&
           selection->points[end].variant == selection->points[start].variant)
        end++;
    *next = end;
    return &selection->points[start + (end - start) / 2];
}

static int measure_rungs(struct cost *cost, const struct selection *selection)
{
    int result = 0;
    puts("variant,sweep,time_ns,annotated_ratio,low,high,floor_ratio,floor_low,floor_high");
    for (int start = 0, next; start < selection->count && !result; start = next) {
        const struct selected *selected = middle_setting(selection, start, &next);
        char reason[160];
        if (variant_kind(selected->variant) != KIND_KERNEL || cost->count == MOST_RUNGS) continue;
        result = launch_refused(cost->timer.bench, selected, reason);
        if (!result && *reason)
            printf("# %s: %s\n", selected->variant->name, reason);
        else if (!result)
            result = measure_rung(cost, selected);
    }
    return result;
}

static int judge(struct cost *cost)
{
    if (!cost->count) return error(FAIL_USAGE, "no rung is selected");
    stats_sort(cost->found, (size_t)cost->count);
    const double median = stats_quantile(cost->found, (size_t)cost->count, 0.5);
    printf("# %s tool, %d rungs, %d rounds: the median of |ratio - 1| is %.3f %%\n",
           nvtx_listening() ? "with a" : "without a", cost->count, cost->rounds, 100 * median);
    return median < MOST_COST ? 0
                              : error(FAIL_CHECK,
                                      "annotations change the times by %.3f %%, in the median over "
                                      "the rungs; the bound is %.1f %%",
                                      100 * median, 100 * MOST_COST);
}

static int measure_all(struct cost *cost, const struct selection *selection)
{
    struct device device;
    struct workbench bench;
    const struct selected *first = selection->points;
    int result = device_open(&device);
    if (result) return result;
    result = workbench_open(&bench, &device, first, 20, BENCH_UNCHECKED);
    if (!result) {
        result = timer_open(&cost->timer, &bench.gate, &bench);
        if (!result) {
            result = measure_rungs(cost, selection);
            timer_close(&cost->timer);
        }
        workbench_close(&bench);
    }
    device_close(&device);
    return result ? result : judge(cost);
}

int main(int count, char **words)
{
    static const char *const all[] = {"reduce/*"}, *const size[] = {"2^22"};
    const struct selection_options options = {
        .patterns = count > 2 ? (const char *const *)(words + 2) : all,
        .pattern_count = count > 2 ? count - 2 : 1,
        .sizes = size,
        .size_count = 1,
    };
    static struct cost cost = {.random = 20};
    struct selection selection;
    cost.rounds = count > 1 ? (int)strtol(words[1], NULL, 10) : DEFAULT_ROUNDS;
    if (cost.rounds < LEAST_ROUNDS || cost.rounds > MOST_ROUNDS)
        return -error(FAIL_USAGE, "expected from %d to %d rounds, found '%s'", LEAST_ROUNDS,
                      MOST_ROUNDS, count > 1 ? words[1] : "");
    interrupt_watch();
    int result = selection_make(&selection, &options);
    if (result) return -result;
    for (int arm = 0; arm < ARMS && !result; arm++) {
        cost.time_ns[arm] = calloc((size_t)cost.rounds, sizeof *cost.time_ns[arm]);
        if (!cost.time_ns[arm]) result = error_memory();
    }
    if (!result && (!selection.count || selection_group_end(&selection, 0) != selection.count))
        result = error(FAIL_USAGE, "expected rungs of one family");
    if (!result) result = measure_all(&cost, &selection);
    for (int arm = 0; arm < ARMS; arm++) free(cost.time_ns[arm]);
    selection_free(&selection);
    return -result;
}
