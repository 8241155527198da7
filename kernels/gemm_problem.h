/*
 * Defines the problem of every family that multiplies matrices of floats: C = A B, row-major, A of
 * M x K floats, B of K x N, in shapes M x N x K. Provides the sizes, useful traffic, inputs and CPU
 * reference that struct family asks for; the reference also takes bfloat16 (tensor_problem.h).
 * Nothing is owned. C11, for the families' family.c.
 */
#ifndef KERNELS_GEMM_PROBLEM_H
#define KERNELS_GEMM_PROBLEM_H

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "catalog/random.h"
#include "catalog/variant.h"

static inline size_t gemm_rows(const struct shape *shape)
{
    return (size_t)shape->dim[0];
}
static inline size_t gemm_columns(const struct shape *shape)
{
    return (size_t)shape->dim[1];
}
static inline size_t gemm_depth(const struct shape *shape)
{
    return (size_t)shape->dim[2];
}

static inline size_t gemm_input_bytes(const struct shape *shape, int index)
{
    return gemm_depth(shape) * (index == 0 ? gemm_rows(shape) : gemm_columns(shape)) *
           sizeof(float);
}

static inline size_t gemm_output_bytes(const struct shape *shape)
{
    return gemm_rows(shape) * gemm_columns(shape) * sizeof(float);
}

/* Each matrix moves once. */
static inline double gemm_useful_bytes(const struct shape *shape)
{
    return (double)gemm_input_bytes(shape, 0) + (double)gemm_input_bytes(shape, 1) +
           (double)gemm_output_bytes(shape);
}

/* A multiplication and an addition for each of the M N K products; the first addition to each
 * element counts too, as is customary. */
static inline double gemm_useful_operations(const struct shape *shape)
{
    return 2 * (double)gemm_rows(shape) * (double)gemm_columns(shape) * (double)gemm_depth(shape);
}

/* Products have both signs, so the sum and the rounding errors both grow as random walks: the
 * average relative error of a float32 sum, in any order of its K terms, is below 2^-24 sqrt(K);
 * this bound is three times that. A single element missing from a product of 8192 x 8192, on
 * average 1.2e-4 of the norm, exceeds it by far. */
static inline double gemm_tolerance(const struct shape *shape)
{
    return 2e-7 * sqrt((double)gemm_depth(shape));
}

/* Uniform in [-1, 1), multiples of 2^-23. */
static inline void gemm_fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    float *a = input[0], *b = input[1];
    const uint64_t count_a = gemm_input_bytes(shape, 0) / sizeof *a,
                   count_b = gemm_input_bytes(shape, 1) / sizeof *b;
    for (uint64_t i = 0; i < count_a; i++) a[i] = 2 * random_fraction(seed, i) - 1;
    for (uint64_t i = 0; i < count_b; i++) b[i] = 2 * random_fraction(~seed, i) - 1;
}

/* Normally distributed numbers with variance 1, by Box and Muller's method with 4096 radii and 4096
 * angles: between 1e-5 and 4.3 in absolute value, so none is 0. */
enum { GEMM_NORMAL_STEPS = 4096 };

struct gemm_normals {
    float radius[GEMM_NORMAL_STEPS], cosine[GEMM_NORMAL_STEPS];
};

static inline void gemm_normals_make(struct gemm_normals *normals)
{
    for (int i = 0; i < GEMM_NORMAL_STEPS; i++) {
        const double middle = (i + 0.5) / GEMM_NORMAL_STEPS;
        normals->radius[i] = (float)sqrt(-2 * log(middle));
        normals->cosine[i] = (float)cos(2 * 3.14159265358979324 * middle);
    }
}

static inline float gemm_normal(const struct gemm_normals *normals, uint32_t word)
{
    return normals->radius[word >> 20] * normals->cosine[word >> 8 & (GEMM_NORMAL_STEPS - 1)];
}

static inline void gemm_fill_normal(const struct shape *shape, uint64_t seed, void *const *input)
{
    struct gemm_normals normals;
    gemm_normals_make(&normals);
    for (int which = 0; which < 2; which++) {
        float *to = input[which];
        const uint64_t count = gemm_input_bytes(shape, which) / sizeof *to;
        for (uint64_t i = 0; i < count; i++)
            to[i] = gemm_normal(&normals, random_word(which ? ~seed : seed, i));
    }
}

/* The fields of struct family that all products of floats have in common. */
#define GEMM_PROBLEM                                                                               \
    .rank = 3, .input_count = 2, .comparison = COMPARE_FLOAT_FROBENIUS, .rate = RATE_OPERATIONS,   \
    .useful_bytes_text = "4 bytes for each element of A and B, read once, and of C, written once", \
    .input_bytes = gemm_input_bytes, .output_bytes = gemm_output_bytes,                            \
    .useful_bytes = gemm_useful_bytes, .useful_operations = gemm_useful_operations,                \
    .reference = gemm_reference

/* ---- the reference, in float64, whose products of floats are exact --------------------------- */

/* The elements of A and B. */
enum gemm_element { GEMM_FLOAT, GEMM_BFLOAT16 };

enum {
    GEMM_TILE_ROWS = 4,
    GEMM_TILE_COLUMNS = 32, /* 4 x 32 sums fill 16 of the 32 registers of AVX-512 */
    GEMM_PANEL_DEPTH = 512, /* a panel of B, 128 KiB as double, stays in the L2 cache while all rows
                               of A are processed */
    GEMM_MOST_THREADS = 256
};

/* Eight doubles; the compiler splits them into vectors that the processor has. */
typedef double gemm_vector __attribute__((vector_size(64)));

enum {
    GEMM_LANES = sizeof(gemm_vector) / sizeof(double),
    GEMM_TILE_VECTORS = GEMM_TILE_COLUMNS / GEMM_LANES
};

typedef gemm_vector gemm_panel[GEMM_PANEL_DEPTH][GEMM_TILE_VECTORS];

/* Builds one program for every x86-64: the loader selects the version that the processor can run.
 * This needs glibc's indirect functions. Clang (14) exports the resolver from the file, where it
 * clashes with that of another family: there, one version has to suffice. */
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__ &&           \
    __GNUC__ >= 12
#define GEMM_FOR_EVERY_PROCESSOR                                                                   \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif defined __x86_64__ && defined __GLIBC__ && !defined __clang__
#define GEMM_FOR_EVERY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GEMM_FOR_EVERY_PROCESSOR
#endif

/* sum[r] = row[r] times the panel. */
GEMM_FOR_EVERY_PROCESSOR
static void gemm_tile(const float *const row[GEMM_TILE_ROWS], const gemm_panel *panel, size_t depth,
                      gemm_vector sum[GEMM_TILE_ROWS][GEMM_TILE_VECTORS])
{
    const float *row0 = row[0], *row1 = row[1], *row2 = row[2], *row3 = row[3];
    gemm_vector total[GEMM_TILE_ROWS][GEMM_TILE_VECTORS] = {{{0}}};
    for (size_t k = 0; k < depth; k++) {
        const gemm_vector *b = (*panel)[k];
        const double a[GEMM_TILE_ROWS] = {(double)row0[k], (double)row1[k], (double)row2[k],
                                          (double)row3[k]};
        for (int r = 0; r < GEMM_TILE_ROWS; r++)
            for (int v = 0; v < GEMM_TILE_VECTORS; v++) total[r][v] += a[r] * b[v];
    }
    for (int r = 0; r < GEMM_TILE_ROWS; r++)
        for (int v = 0; v < GEMM_TILE_VECTORS; v++) sum[r][v] = total[r][v];
}

/* One thread's share: every step-th panel, beginning with the first. */
struct gemm_share {
    enum gemm_element element;
    const void *a, *b;
    double *c;
    size_t rows, columns, depth;
    size_t first, step;
};

/* Returns `count` elements of A or B as floats: in place, or in the buffer. A bfloat16 is the upper
 * half of a float. */
static inline const float *gemm_floats(const struct gemm_share *share, const void *matrix,
                                       size_t at, size_t count, float *buffer)
{
    if (share->element == GEMM_FLOAT) return (const float *)matrix + at;
    const uint16_t *from = (const uint16_t *)matrix + at;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(&buffer[i], &bits, sizeof bits);
    }
    return buffer;
}

/* Rows k.. and columns j.. of B as double; elements outside the matrix are 0. */
static inline void gemm_pack(const struct gemm_share *share, size_t k, size_t depth, size_t j,
                             gemm_panel *panel)
{
    const size_t columns =
        share->columns - j < GEMM_TILE_COLUMNS ? share->columns - j : GEMM_TILE_COLUMNS;
    for (size_t i = 0; i < depth; i++) {
        float buffer[GEMM_TILE_COLUMNS];
        const float *from =
            gemm_floats(share, share->b, (k + i) * share->columns + j, columns, buffer);
        for (size_t c = 0; c < GEMM_TILE_COLUMNS; c++)
            (*panel)[i][c / GEMM_LANES][c % GEMM_LANES] = c < columns ? (double)from[c] : 0;
    }
}

/* C[.., j..] += A[.., k..] times the panel; for the first panel = instead of +=. */
static inline void gemm_multiply_panel(const struct gemm_share *share, size_t k, size_t depth,
                                       size_t j, const gemm_panel *panel)
{
    const size_t columns =
        share->columns - j < GEMM_TILE_COLUMNS ? share->columns - j : GEMM_TILE_COLUMNS;
    for (size_t i = 0; i < share->rows; i += GEMM_TILE_ROWS) {
        const float *row[GEMM_TILE_ROWS];
        float buffer[GEMM_TILE_ROWS][GEMM_PANEL_DEPTH];
        gemm_vector sum[GEMM_TILE_ROWS][GEMM_TILE_VECTORS];
        const size_t rows = share->rows - i < GEMM_TILE_ROWS ? share->rows - i : GEMM_TILE_ROWS;
        for (size_t r = 0; r < GEMM_TILE_ROWS; r++)
            row[r] = gemm_floats(share, share->a, (i + (r < rows ? r : 0)) * share->depth + k,
                                 depth, buffer[r]);
        gemm_tile(row, panel, depth, sum);
        for (size_t r = 0; r < rows; r++) {
            double *to = share->c + (i + r) * share->columns + j;
            for (size_t c = 0; c < columns; c++)
                to[c] = (k ? to[c] : 0) + sum[r][c / GEMM_LANES][c % GEMM_LANES];
        }
    }
}

static inline void *gemm_run_share(void *argument)
{
    static _Thread_local gemm_panel panel;
    const struct gemm_share *share = argument;
    /* Threads proceed along K side by side, so that their part of A is in the shared cache. */
    for (size_t k = 0; k < share->depth; k += GEMM_PANEL_DEPTH) {
        const size_t depth =
            share->depth - k < GEMM_PANEL_DEPTH ? share->depth - k : GEMM_PANEL_DEPTH;
        for (size_t j = share->first * GEMM_TILE_COLUMNS; j < share->columns;
             j += share->step * GEMM_TILE_COLUMNS) {
            gemm_pack(share, k, depth, j, &panel);
            gemm_multiply_panel(share, k, depth, j, (const gemm_panel *)&panel);
        }
    }
    return NULL;
}

static inline void gemm_multiply(const struct shape *shape, enum gemm_element element,
                                 void *const *input, void *output)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = cores < 1                   ? 1
                           : cores > GEMM_MOST_THREADS ? GEMM_MOST_THREADS
                                                       : (size_t)cores;
    struct gemm_share share[GEMM_MOST_THREADS];
    pthread_t thread[GEMM_MOST_THREADS];
    int started[GEMM_MOST_THREADS];
    for (size_t t = 0; t < threads; t++) {
        share[t] = (struct gemm_share){.element = element,
                                       .a = input[0],
                                       .b = input[1],
                                       .c = output,
                                       .rows = gemm_rows(shape),
                                       .columns = gemm_columns(shape),
                                       .depth = gemm_depth(shape),
                                       .first = t,
                                       .step = threads};
        started[t] = pthread_create(&thread[t], NULL, gemm_run_share, &share[t]) == 0;
        if (!started[t]) gemm_run_share(&share[t]); /* no new thread: run it here */
    }
    for (size_t t = 0; t < threads; t++)
        if (started[t]) pthread_join(thread[t], NULL);
}

static inline void gemm_reference(const struct shape *shape, void *const *input, void *output)
{
    gemm_multiply(shape, GEMM_FLOAT, input, output);
}

#endif
