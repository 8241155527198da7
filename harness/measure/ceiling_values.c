#include "measure/ceiling_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* Sorts both. NANs among the clocks do not count. */
static void set_value(double *sorted, int count, double *clock, int clocks,
                      struct ceiling_value *value)
{
    stats_sort(sorted, (size_t)count);
    stats_sort(clock, (size_t)clocks);
    value->value = stats_quantile(sorted, (size_t)count, 0.5);
    stats_median_interval(sorted, (size_t)count, &value->low, &value->high);
    value->sm_clock_mhz = stats_quantile(clock, (size_t)clocks, 0.5);
    value->samples = count;
}

int ceiling_value_time(const struct ceiling_samples *samples, struct ceiling_value *value)
{
    double *time = malloc(((size_t)samples->count + 1) * sizeof *time),
           *clock = malloc(((size_t)samples->count + 1) * sizeof *clock);
    int count = 0, clocks = 0, result = time && clock ? 0 : error_memory();
    for (int i = 0; i < samples->count && !result; i++) {
        if (samples->throttled[i]) continue;
        time[count++] = samples->time_ns[i];
        if (isfinite(samples->clock_mhz[i])) clock[clocks++] = samples->clock_mhz[i];
    }
    if (!result) set_value(time, count, clock, clocks, value);
    free(clock);
    free(time);
    return result;
}

static double rate(double amount, double time_ns)
{
    return time_ns > 0 ? amount / time_ns : NAN; /* NAN is not above 0 */
}

int ceiling_value_rate(const struct ceiling_samples *samples, double amount, double empty_ns,
                       struct ceiling_value *value)
{
    struct ceiling_value time;
    const int result = ceiling_value_time(samples, &time);
    if (result) return result;
    *value = time;
    value->value = rate(amount, time.value - empty_ns);
    value->low = rate(amount, time.high - empty_ns);
    value->high = rate(amount, time.low - empty_ns);
    return 0;
}

int ceiling_value_next(const struct ceiling_samples *one, const struct ceiling_samples *many,
                       int further, struct ceiling_value *value)
{
    const size_t most = (size_t)many->count + 1;
    double *time = malloc(most * sizeof *time), *clock = malloc(most * sizeof *clock);
    int count = 0, clocks = 0, result = time && clock ? 0 : error_memory();
    for (int i = 0, j = 0; j < many->count && !result; j++) {
        while (i < one->count && one->round[i] < many->round[j]) i++;
        if (i == one->count || one->round[i] != many->round[j] || one->throttled[i] ||
            many->throttled[j])
            continue;
        time[count++] = (many->time_ns[j] - one->time_ns[i]) / further;
        if (isfinite(many->clock_mhz[j])) clock[clocks++] = many->clock_mhz[j];
    }
    if (!result) set_value(time, count, clock, clocks, value);
    free(clock);
    free(time);
    return result;
}

/* ---- what a launch does ---------------------------------------------------------------------- */

double ceiling_amount(const struct ceiling_launch *launch)
{
    const double element = 16, count = (double)launch->count, loops = launch->loops,
                 blocks = launch->blocks;
    const double steps = blocks * launch->threads * CEILING_CHAINS * loops;
    switch (launch->kernel) {
    case CEILING_READ:
    case CEILING_WRITE: return element * count;
    case CEILING_COPY: return 2 * element * count;
    case CEILING_READ_L2: return element * count * loops;
    case CEILING_READ_SHARED: return element * CEILING_TILE * blocks * loops;
    case CEILING_FMA: return 2 * steps / 1e3;
    case CEILING_ADD: return steps;
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

/* Of one warp. The compiler must not round between the product and the sum: fmaf. */
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

/* Of one block. */
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

uint32_t ceiling_sum(const struct ceiling_launch *launch)
{
    switch (launch->kernel) {
    case CEILING_READ: return sum_of_elements(launch->count);
    case CEILING_READ_L2: return sum_of_elements(launch->count) * launch->loops;
    case CEILING_READ_SHARED: return sum_of_elements(CEILING_TILE) * launch->loops * launch->blocks;
    case CEILING_FMA: return sum_of_fma(launch->loops) * (launch->threads / 32) * launch->blocks;
    case CEILING_ADD: return sum_of_add(launch->threads, launch->loops) * launch->blocks;
    default: return 0;
    }
}
