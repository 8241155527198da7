/*
 * Defines the family that compares ways to assign several operations on the same data to threads:
 * each of n words goes through eight independent generators. This file holds the problem, its
 * inputs, the CPU reference and the useful traffic.
 */
#include <string.h>

#include "operations.h"
#include "words.h"

static size_t output_bytes(const struct shape *shape)
{
    return OPERATIONS * (size_t)shape->dim[0] * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (1 + OPERATIONS) * sizeof(uint32_t) * (double)shape->dim[0];
}

/* A multiplication, an addition, a shift and an exclusive or per round. */
static double useful_operations(const struct shape *shape)
{
    return 4.0 * OPERATIONS * OPERATION_ROUNDS * (double)shape->dim[0];
}

/* The results of each operation are adjacent. The rounds of a part of them that fits into a cache
 * are the outer loop, so that the compiler can use vector instructions. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint64_t n = shape->dim[0], part = 4096;
    for (unsigned k = 0; k < OPERATIONS; k++)
        for (uint64_t first = 0; first < n; first += part) {
            const uint64_t count = n - first < part ? n - first : part;
            uint32_t *out = (uint32_t *)output + k * n + first;
            memcpy(out, (const uint32_t *)input[0] + first, count * sizeof *out);
            for (int round = 0; round < OPERATION_ROUNDS; round++)
                for (uint64_t i = 0; i < count; i++) out[i] = operation_round(k, out[i]);
        }
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "One thread for each operation",
    .problem =
        "Each of n words is the input of eight independent operations. An operation is 64 rounds "
        "of a generator of its own; a round is a multiplication, an addition, a shift and an "
        "exclusive or (modulo 2^32). A thread that has loaded a word can perform all eight, or "
        "eight threads can load it and perform one each. If there are few words, the first way has "
        "too few threads to fill the GPU.",
    .rank = 1,
    .sizes = {"16384", "65536", "4194304"},
    .primary_size = "16384",
    .blocks = {OPERATIONS_BLOCK},
    .block_preset = OPERATIONS_BLOCK,
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .operations_per_lane = 2,
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes for each of its results",
    .input_bytes = words_input_bytes,
    .output_bytes = output_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = words_fill,
    .reference = reference,
};
