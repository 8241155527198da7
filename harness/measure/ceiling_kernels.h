/*
 * Launches the kernels that reach the device's ceilings, and computes their values from samples.
 * measure/ceiling_kernels.cu has the kernels, measure/ceiling_products.cu those of tensor cores;
 * measure/device_ceilings.c times them. Nothing is
 * owned: buffers and stream are the caller's. Valid C11 and C++17.
 */
#ifndef WHYFAST_CEILING_KERNELS_H
#define WHYFAST_CEILING_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An element has 16 bytes. A kernel with a sum writes ceiling_sum_words words to `sums`; they must
 * add up to ceiling_sum. */
enum ceiling_kernel {
    CEILING_EMPTY, /* nothing */
    CEILING_READ,  /* reads `count` elements of `from` once; sum of what was read */
    CEILING_WRITE, /* writes ceiling_words(i) to element i of `to` */
    CEILING_COPY,  /* copies `count` elements */
    /* reads `count` elements `loops` times, past L1, each time by other blocks; sum */
    CEILING_READ_L2,
    /* every block reads CEILING_TILE elements of shared memory `loops` times; sum */
    CEILING_READ_SHARED,
    CEILING_LDMATRIX, /* the same by matrix loads */
    /* every thread takes `loops` steps of CEILING_CHAINS chains of FFMA; sum of the bits */
    CEILING_FMA,
    CEILING_ADD, /* the same with IADD3 of three registers */
    /* one thread takes `loops` hops through `from`; sum of the words x that it read */
    CEILING_CHASE,
    /* one block passes `loops` barriers; sum of a word and the barriers of each thread */
    CEILING_BARRIER,
    /* every warp adds 1 to the first word of `sums` `loops` times, without reading it */
    CEILING_ATOMIC,
    CEILING_CLEAR, /* sets the first word of `sums` to 0 by a memset, then launches EMPTY */
    /* Tensor cores, on random numbers. A block leaves a sum of its products with signs of its own,
     * as the bits of a float (ceiling_product_sums). */
    CEILING_MMA,   /* every warp takes `loops` steps of CEILING_CHAINS chains of mma.sync */
    CEILING_WGMMA, /* two warpgroups multiply the same matrices `loops` times by wgmma */
    CEILING_KERNEL_COUNT
};

enum {
    CEILING_THREADS = 256, /* per block, of the kernels that do not say otherwise */
    CEILING_TILE = 1024,
    CEILING_CHAINS = 8,
    CEILING_UNROLLED = 64, /* FMA and ADD: `loops` must be a multiple */
    CEILING_MMA_A = 2,     /* MMA: matrices of a warp, 16 x 16 and 16 x 8 */
    CEILING_MMA_B = 4,
    CEILING_MMA_STEPS = 4, /* MMA: `loops` must be a multiple */
    CEILING_WGMMA_M = 128, /* WGMMA: C, M x N, adds up A, M x K, times B, K x N */
    CEILING_WGMMA_N = 256,
    CEILING_WGMMA_K = 64,
    /* CHASE: elements per hop, 16 KiB and a line. No line is read twice, and over a hundred hops
     * share a page of 2 MiB, so misses of the address translation are rare. */
    CEILING_HOP = 1024 + 8
};

/* The first of the `sums` of MMA and WGMMA if the program has no code for the instructions. */
#define CEILING_NOT_HERE 0x7FC0DEADu

struct ceiling_launch {
    enum ceiling_kernel kernel;
    unsigned blocks, threads;
    /* READ, WRITE, COPY, READ_L2: elements in flight per thread, 1, 2, 4 or 8; unroll * threads
     * must divide count */
    unsigned unroll;
    const void *from;
    void *to;
    size_t count;
    uint32_t loops;
    uint32_t *sums;
    void *stream; /* cudaStream_t */
};

/* Queues the kernel. This and the next two return FAIL_GPU, with a message, on failure. */
int ceiling_launch(const struct ceiling_launch *launch);

/* The blocks of this kernel that an SM holds at once; READ_SHARED gets all of its shared memory. */
int ceiling_blocks_per_sm(const struct ceiling_launch *launch, int *blocks);

/* Queues a count of the elements of launch->to that are not ceiling_words of their index, into
 * *wrong (device). */
int ceiling_count_wrong(const struct ceiling_launch *launch, uint32_t *wrong);

/* The functions of MMA and WGMMA, and their dynamic shared memory (measure/ceiling_products.cu). */
const void *ceiling_product_function(enum ceiling_kernel kernel, size_t *shared_bytes);

/* ---- values and sums, on the host alone (measure/ceiling_values.c) --------------------------- */

struct sample; /* catalog/registry.h */

enum { CEILING_SAMPLES = 50 /* at most */ };

struct ceiling_samples {
    int count;
    const struct sample *sample; /* by round */
};

struct ceiling_value {
    double value, low, high; /* median with its 95 % interval; NAN: unknown */
    double sm_clock_mhz;     /* median */
    int samples;             /* number of samples that were not set aside */
};

/* The median time of the samples. */
struct ceiling_value ceiling_value_time(const struct ceiling_samples *samples);

/* Computes amount / (time - empty_ns): the rate without the cost of a launch. */
struct ceiling_value ceiling_value_rate(const struct ceiling_samples *samples, double amount,
                                        double empty_ns);

/* Computes (time - empty_ns) / amount: the time of one operation of many in a row, without the cost
 * of a launch. */
struct ceiling_value ceiling_value_each(const struct ceiling_samples *samples, double amount,
                                        double empty_ns);

/* Computes the cost of each of `further` launches: the difference between two samples of one round,
 * neither of them set aside, divided by `further`. */
struct ceiling_value ceiling_value_next(const struct ceiling_samples *one,
                                        const struct ceiling_samples *many, int further);

/* The amount of a launch, in the unit of its ceiling times nanoseconds: bytes, thousands of
 * floating-point operations, or operations; hops, barriers of the block or atomic additions for a
 * latency; 0 for an empty kernel. */
double ceiling_amount(const struct ceiling_launch *launch);

/* The sum of a launch's results, modulo 2^32; 0 for kernels without a sum. */
uint32_t ceiling_sum(const struct ceiling_launch *launch);

/* The number of words of `sums` that the launch writes. */
size_t ceiling_sum_words(const struct ceiling_launch *launch);

/* Returns 1 for MMA and WGMMA. */
int ceiling_is_product(enum ceiling_kernel kernel);

/* Computes the sum of each block of MMA or WGMMA, and the norm of its products: a sum with random
 * signs is of this size. A right one is off by at most CEILING_PRODUCT_ERROR of it, because the
 * tensor cores round what they add up. Returns 0, or FAIL_OUTPUT if memory is short. */
#define CEILING_PRODUCT_ERROR 2e-3
int ceiling_product_sums(const struct ceiling_launch *launch, double *sums, double *norm);

/* Counts the words of `sums` that are off. Returns 0, or FAIL_OUTPUT if memory is short. */
int ceiling_wrong_products(const struct ceiling_launch *launch, const uint32_t *sums,
                           uint32_t *wrong);

/* ---- shared by host and device --------------------------------------------------------------- */

#ifdef __CUDACC__
#define CEILING_SHARED static inline __host__ __device__
#else
#define CEILING_SHARED static inline
#endif

struct ceiling_words {
    uint32_t x, y, z, w;
};

/* Returns the contents of element `index`: bits without a pattern, cheap enough to compute at the
 * rate of memory writes. Source of the constants: xxHash. */
CEILING_SHARED struct ceiling_words ceiling_words(uint32_t index)
{
    struct ceiling_words words;
    uint32_t hash = index * 0x9E3779B1u + 0x165667B1u;
    hash ^= hash >> 15;
    hash *= 0x85EBCA77u;
    hash ^= hash >> 13;
    words.x = hash;
    words.y = hash * 0xC2B2AE3Du;
    words.y ^= words.y >> 16;
    words.z = words.y * 0x27D4EB2Fu;
    words.z ^= words.z >> 15;
    words.w = words.z ^ (hash << 9 | hash >> 23);
    return words;
}

/* Linear, so that the four words can be summed separately; each has its own weight. */
CEILING_SHARED uint32_t ceiling_weigh(struct ceiling_words sum)
{
    return sum.x + 3 * sum.y + 5 * sum.z + 7 * sum.w;
}

/* Returns number `index` of a sequence of random numbers as bfloat16. They are nearly N(0, 1),
 * since each is a sum of sixteen bytes, and never 0. */
CEILING_SHARED uint16_t ceiling_bf16(uint32_t index)
{
    const struct ceiling_words words = ceiling_words(index);
    const uint32_t low = 0x00FF00FFu, pairs = (words.x & low) + (words.x >> 8 & low) +
                                              (words.y & low) + (words.y >> 8 & low) +
                                              (words.z & low) + (words.z >> 8 & low) +
                                              (words.w & low) + (words.w >> 8 & low);
    const int twice = 2 * (int)((pairs & 0xFFFF) + (pairs >> 16)) - 4079;
    const float value = (float)twice * (1 / 591.2f);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* Returns 1 or -1 for product `index` of a block. */
CEILING_SHARED float ceiling_sign(uint32_t block, uint32_t index)
{
    return ceiling_words(block * 0x10001u + index * 3u).x >> 31 ? -1.0f : 1.0f;
}

/* MMA: the numbers of elements of A and B, and of C; which matrices a chain multiplies in a step.
 */
CEILING_SHARED uint32_t ceiling_mma_a(uint32_t warp, uint32_t matrix, uint32_t row, uint32_t k)
{
    return ((warp * CEILING_MMA_A + matrix) * 16 + row) * 16 + k;
}

CEILING_SHARED uint32_t ceiling_mma_b(uint32_t warp, uint32_t matrix, uint32_t k, uint32_t column)
{
    return 0x10000u + ((warp * CEILING_MMA_B + matrix) * 8 + column) * 16 + k;
}

CEILING_SHARED uint32_t ceiling_mma_c(uint32_t warp, uint32_t chain, uint32_t row, uint32_t column)
{
    return ((warp * CEILING_CHAINS + chain) * 16 + row) * 8 + column;
}

CEILING_SHARED int ceiling_mma_first(int chain, int step)
{
    return (chain / CEILING_MMA_B + step) % CEILING_MMA_A;
}

CEILING_SHARED int ceiling_mma_second(int chain, int step)
{
    return (chain + step) % CEILING_MMA_B;
}

/* WGMMA: the same. */
CEILING_SHARED uint32_t ceiling_wgmma_a(uint32_t row, uint32_t k)
{
    return row * CEILING_WGMMA_K + k;
}

CEILING_SHARED uint32_t ceiling_wgmma_b(uint32_t k, uint32_t column)
{
    return 0x10000u + column * CEILING_WGMMA_K + k;
}

CEILING_SHARED uint32_t ceiling_wgmma_c(uint32_t row, uint32_t column)
{
    return row * CEILING_WGMMA_N + column;
}

/* FMA: a chain continues as a = a * factor + addend, from its start towards 1, which it does not
 * reach. All three values are exact. */
CEILING_SHARED float ceiling_fma_start(unsigned lane, unsigned chain)
{
    return 1 + (float)(lane * CEILING_CHAINS + chain + 1) / 512;
}

CEILING_SHARED float ceiling_fma_factor(unsigned lane)
{
    return 1 - (float)(lane + 1) / 65536;
}

CEILING_SHARED float ceiling_fma_addend(unsigned lane)
{
    return (float)(lane + 1) / 65536;
}

#ifdef __cplusplus
}
#endif
#endif
