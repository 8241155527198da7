/*
 * Fills the inputs of a family and computes its reference; checks that of a matrix product.
 */
#ifndef TESTS_UNIT_PREPARED_H
#define TESTS_UNIT_PREPARED_H

#include "fixture.h"

#include <math.h>

#include "catalog/registry.h"

static inline struct shape shape_of(uint64_t m, uint64_t n, uint64_t k)
{
    return (struct shape){3, {m, n, k}};
}

/* Computes the inputs and returns the reference; the caller discards them. The reference is
 * poisoned first, so that no code can rely on old contents. */
static inline void *prepare(const struct family *family, const struct shape *shape,
                            void *input[INPUT_COUNT])
{
    const size_t bytes = 2 * family->output_bytes(shape);
    void *reference = malloc(bytes);
    for (int i = 0; i < INPUT_COUNT; i++)
        input[i] = i < family->input_count ? malloc(family->input_bytes(shape, i)) : NULL;
    memset(reference, 0xFF, bytes);
    family->fill(shape, 7, input);
    family->reference(shape, input, reference);
    return reference;
}

static inline void discard(void *input[INPUT_COUNT], void *reference)
{
    for (int i = 0; i < INPUT_COUNT; i++) free(input[i]);
    free(reference);
}

/* Compares the reference of a matrix product with sums of the products of elements, from the back
 * and wider. */
static inline void check_products(const struct family *family,
                                  double (*element)(const void *matrix, uint64_t at),
                                  long double error)
{
    static const uint64_t shapes[][3] = {{1, 1, 1},      {3, 5, 7},      {33, 65, 129},
                                         {130, 70, 515}, {1, 100, 1025}, {100, 1, 512},
                                         {4, 32, 513},   {5, 33, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint64_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
        const struct shape shape = shape_of(m, n, k);
        void *input[INPUT_COUNT];
        double *reference = prepare(family, &shape, input);
        for (uint64_t i = 0; i < m; i++)
            for (uint64_t j = 0; j < n; j++) {
                long double sum = 0;
                for (uint64_t l = k; l-- > 0;)
                    sum += (long double)element(input[0], i * k + l) *
                           (long double)element(input[1], l * n + j);
                if (!(fabsl(sum - (long double)reference[i * n + j]) < error))
                    fail_msg("%d x %d x %d: element %d, %d", (int)m, (int)n, (int)k, (int)i,
                             (int)j);
            }
        discard(input, reference);
    }
}

#endif
