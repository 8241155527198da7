/*
 * Computes the value of a ceiling, and the sum that its kernel must give; on the host alone.
 */
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "catalog/registry.h"
#include "measure/ceiling_kernels.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* Times and clocks that count. */
struct kept {
    double time[CEILING_SAMPLES], clock[CEILING_SAMPLES];
    size_t times, clocks;
};

static void keep(struct kept *kept, double time_ns, double clock_mhz)
{
    kept->time[kept->times++] = time_ns;
    if (isfinite(clock_mhz)) kept->clock[kept->clocks++] = clock_mhz;
}

static struct ceiling_value median(struct kept *kept)
{
    struct ceiling_value value = {.samples = (int)kept->times};
    stats_sort(kept->time, kept->times);
    stats_sort(kept->clock, kept->clocks);
    value.value = stats_quantile(kept->time, kept->times, 0.5);
    stats_median_interval(kept->time, kept->times, &value.low, &value.high);
    value.sm_clock_mhz = stats_quantile(kept->clock, kept->clocks, 0.5);
    return value;
}

struct ceiling_value ceiling_value_time(const struct ceiling_samples *samples)
{
    struct kept kept = {.times = 0};
    for (int i = 0; i < samples->count; i++)
        if (!samples->sample[i].throttled)
            keep(&kept, samples->sample[i].time_ns, samples->sample[i].clock_mhz);
    return median(&kept);
}

static double rate(double amount, double time_ns)
{
    return time_ns > 0 ? amount / time_ns : NAN; /* NAN is not above 0 */
}

struct ceiling_value ceiling_value_rate(const struct ceiling_samples *samples, double amount,
                                        double empty_ns)
{
    struct ceiling_value value = ceiling_value_time(samples);
    const double low_ns = value.low;
    value.value = rate(amount, value.value - empty_ns);
    value.low = rate(amount, value.high - empty_ns);
    value.high = rate(amount, low_ns - empty_ns);
    return value;
}

static double each(double amount, double time_ns)
{
    return time_ns > 0 && amount > 0 ? time_ns / amount : NAN;
}

struct ceiling_value ceiling_value_each(const struct ceiling_samples *samples, double amount,
                                        double empty_ns)
{
    struct ceiling_value value = ceiling_value_time(samples);
    value.value = each(amount, value.value - empty_ns);
    value.low = each(amount, value.low - empty_ns);
    value.high = each(amount, value.high - empty_ns);
    return value;
}

struct ceiling_value ceiling_value_next(const struct ceiling_samples *one,
                                        const struct ceiling_samples *many, int further)
{
    struct kept kept = {.times = 0};
    for (int i = 0, j = 0; j < many->count; j++) {
        const struct sample *first = &one->sample[i], *second = &many->sample[j];
        while (i < one->count && first->round < second->round) first = &one->sample[++i];
        if (i < one->count && first->round == second->round && !first->throttled &&
            !second->throttled)
            keep(&kept, (second->time_ns - first->time_ns) / further, second->clock_mhz);
    }
    return median(&kept);
}

/* ---- amounts and sums ------------------------------------------------------------------------ */

double ceiling_amount(const struct ceiling_launch *launch)
{
    const double bytes = 16 * (double)launch->count, loops = launch->loops, blocks = launch->blocks,
                 steps = blocks * launch->threads * CEILING_CHAINS * loops;
    switch (launch->kernel) {
    case CEILING_READ:
    case CEILING_WRITE: return bytes;
    case CEILING_COPY: return 2 * bytes;
    case CEILING_READ_L2: return bytes * loops;
    case CEILING_READ_SHARED: return 16.0 * CEILING_TILE * blocks * loops;
    case CEILING_FMA: return 2 * steps / 1e3;
    case CEILING_ADD: return steps;
    case CEILING_CHASE:
    case CEILING_BARRIER: return loops;
    case CEILING_ATOMIC: return blocks * (launch->threads / 32) * loops;
    default: return 0;
    }
}

static uint32_t sum_of_elements(size_t count)
{
    struct ceiling_words sum = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const struct ceiling_words words = ceiling_words((uint32_t)i);
        sum.x += words.x;
        sum.y += words.y;
        sum.z += words.z;
        sum.w += words.w;
    }
    return ceiling_weigh(sum);
}

/* The sum of one warp. fmaf: nothing may be rounded between the product and the sum. */
static uint32_t sum_of_fma(uint32_t loops)
{
    uint32_t sum = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        const float factor = ceiling_fma_factor(lane), addend = ceiling_fma_addend(lane);
        for (unsigned k = 0; k < CEILING_CHAINS; k++) {
            float chain = ceiling_fma_start(lane, k);
            uint32_t bits;
            for (uint32_t step = 0; step < loops; step++) chain = fmaf(chain, factor, addend);
            memcpy(&bits, &chain, sizeof bits);
            sum += (2 * k + 1) * bits;
        }
    }
    return sum;
}

/* The sum of one block. */
static uint32_t sum_of_add(unsigned threads, uint32_t loops)
{
    uint32_t sum = 0;
    for (unsigned thread = 0; thread < threads; thread++) {
        const struct ceiling_words seed = ceiling_words(thread);
        for (unsigned k = 0; k < CEILING_CHAINS; k += 2) {
            uint32_t a = seed.x + k, b = seed.x + k + 1;
            for (uint32_t step = 0; step < loops; step++) {
                a += b + seed.y;
                b += a + seed.z;
            }
            sum += (2 * k + 1) * a + (2 * k + 3) * b;
        }
    }
    return sum;
}

static uint32_t sum_of_hops(uint32_t loops)
{
    uint32_t sum = 0;
    for (uint32_t hop = 0; hop < loops; hop++) sum += ceiling_words(hop * CEILING_HOP).x;
    return sum;
}

static uint32_t sum_of_barriers(unsigned threads, uint32_t loops)
{
    uint32_t sum = threads * loops;
    for (unsigned thread = 0; thread < threads; thread++) sum += ceiling_words(thread).x;
    return sum;
}

uint32_t ceiling_sum(const struct ceiling_launch *launch)
{
    switch (launch->kernel) {
    case CEILING_READ: return sum_of_elements(launch->count);
    case CEILING_READ_L2: return sum_of_elements(launch->count) * launch->loops;
    case CEILING_READ_SHARED: return sum_of_elements(CEILING_TILE) * launch->loops * launch->blocks;
    case CEILING_FMA: return sum_of_fma(launch->loops) * (launch->threads / 32) * launch->blocks;
    case CEILING_ADD: return sum_of_add(launch->threads, launch->loops) * launch->blocks;
    case CEILING_CHASE: return sum_of_hops(launch->loops);
    case CEILING_BARRIER: return sum_of_barriers(launch->threads, launch->loops);
    case CEILING_ATOMIC: return launch->blocks * (launch->threads / 32) * launch->loops;
    default: return 0;
    }
}

size_t ceiling_sum_words(const struct ceiling_launch *launch)
{
    switch (launch->kernel) {
    case CEILING_EMPTY:
    case CEILING_WRITE:
    case CEILING_COPY: return 0;
    case CEILING_ATOMIC:
    case CEILING_CLEAR: return 1;
    default: return launch->blocks;
    }
}
