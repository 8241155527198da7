/*
 * Computes the value of a ceiling, and the sum that its kernel must give; on the host alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
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
    case CEILING_READ_SHARED:
    case CEILING_LDMATRIX: return 16.0 * CEILING_TILE * blocks * loops;
    case CEILING_FMA: return 2 * steps / 1e3;
    case CEILING_ADD: return steps;
    case CEILING_MMA: return steps / 32 * (2 * 16 * 8 * 16) / 1e3;
    case CEILING_WGMMA:
        return 2.0 * CEILING_WGMMA_M * CEILING_WGMMA_N * CEILING_WGMMA_K * blocks * loops / 1e3;
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
    case CEILING_READ_SHARED:
    case CEILING_LDMATRIX: return sum_of_elements(CEILING_TILE) * launch->loops * launch->blocks;
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

/* ---- products of tensor cores ---------------------------------------------------------------- */

enum {
    MMA_PRODUCTS = CEILING_THREADS / 32 * CEILING_CHAINS * 16 * 8,
    WGMMA_PRODUCTS = CEILING_WGMMA_M * CEILING_WGMMA_N
};

int ceiling_is_product(enum ceiling_kernel kernel)
{
    return kernel == CEILING_MMA || kernel == CEILING_WGMMA;
}

static double number(uint32_t index)
{
    const uint32_t bits = (uint32_t)ceiling_bf16(index) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* One element of a chain of a warp, over CEILING_MMA_STEPS steps. */
static double mma_product(uint32_t warp, uint32_t chain, uint32_t row, uint32_t column)
{
    double sum = 0;
    for (int step = 0; step < CEILING_MMA_STEPS; step++) {
        const uint32_t a = (uint32_t)ceiling_mma_first((int)chain, step),
                       b = (uint32_t)ceiling_mma_second((int)chain, step);
        for (uint32_t k = 0; k < 16; k++)
            sum +=
                number(ceiling_mma_a(warp, a, row, k)) * number(ceiling_mma_b(warp, b, k, column));
    }
    return sum;
}

static void set_mma_products(double *product)
{
    for (uint32_t warp = 0; warp < CEILING_THREADS / 32; warp++)
        for (uint32_t chain = 0; chain < CEILING_CHAINS; chain++)
            for (uint32_t row = 0; row < 16; row++)
                for (uint32_t column = 0; column < 8; column++)
                    product[ceiling_mma_c(warp, chain, row, column)] =
                        mma_product(warp, chain, row, column);
}

static void set_wgmma_products(double *product)
{
    static double a[CEILING_WGMMA_M][CEILING_WGMMA_K], b[CEILING_WGMMA_N][CEILING_WGMMA_K];
    for (uint32_t k = 0; k < CEILING_WGMMA_K; k++) {
        for (uint32_t row = 0; row < CEILING_WGMMA_M; row++)
            a[row][k] = number(ceiling_wgmma_a(row, k));
        for (uint32_t column = 0; column < CEILING_WGMMA_N; column++)
            b[column][k] = number(ceiling_wgmma_b(k, column));
    }
    for (uint32_t row = 0; row < CEILING_WGMMA_M; row++)
        for (uint32_t column = 0; column < CEILING_WGMMA_N; column++) {
            double sum = 0;
            for (uint32_t k = 0; k < CEILING_WGMMA_K; k++) sum += a[row][k] * b[column][k];
            product[ceiling_wgmma_c(row, column)] = sum;
        }
}

int ceiling_product_sums(const struct ceiling_launch *launch, double *sums, double *norm)
{
    const int is_mma = launch->kernel == CEILING_MMA;
    const uint32_t count = is_mma ? MMA_PRODUCTS : WGMMA_PRODUCTS;
    const double times = is_mma ? launch->loops / CEILING_MMA_STEPS : launch->loops;
    double *product = malloc(count * sizeof *product), squares = 0;
    if (!product) return error_memory();
    if (is_mma)
        set_mma_products(product);
    else
        set_wgmma_products(product);
    for (uint32_t i = 0; i < count; i++) {
        product[i] *= times;
        squares += product[i] * product[i];
    }
    for (uint32_t block = 0; block < launch->blocks; block++) {
        sums[block] = 0;
        for (uint32_t i = 0; i < count; i++)
            sums[block] += (double)ceiling_sign(block, i) * product[i];
    }
    *norm = sqrt(squares);
    free(product);
    return 0;
}

int ceiling_wrong_products(const struct ceiling_launch *launch, const uint32_t *sums,
                           uint32_t *wrong)
{
    double *expected = calloc(launch->blocks + 1, sizeof *expected), norm;
    int result = expected ? ceiling_product_sums(launch, expected, &norm) : error_memory();
    *wrong = 0;
    for (unsigned block = 0; block < launch->blocks && !result; block++) {
        float sum;
        memcpy(&sum, &sums[block], sizeof sum);
        /* A NaN is wrong, too. */
        *wrong += !(fabs((double)sum - expected[block]) <= CEILING_PRODUCT_ERROR * norm);
    }
    free(expected);
    return result;
}
