/*
 * Defines the family that compares places to store data: n words are each advanced by 64 steps of
 * a linear congruential generator. This file holds the problem, its inputs, the CPU reference
 * and the useful traffic.
 */
#include "storage.h"
#include "words.h"

/* A multiplication and an addition per word and step. */
static double useful_operations(const struct shape *shape)
{
    return 2.0 * STORAGE_ROUNDS * (double)shape->dim[0];
}

/* Modulo 2^32, as unsigned arithmetic is. */
static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *in = input[0];
    uint32_t *out = output;
    for (uint64_t i = 0; i < shape->dim[0]; i++) out[i] = in[i];
    for (int round = 0; round < STORAGE_ROUNDS; round++)
        for (uint64_t i = 0; i < shape->dim[0]; i++) out[i] = storage_step(out[i]);
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Where data are stored",
    .problem =
        "Each thread keeps an array of words and works through all of it 64 times; a step is one "
        "multiplication and one addition (modulo 2^32). This stands for every kernel that keeps "
        "state per thread: the time depends on where the compiler puts that array: in local "
        "memory, in registers or in shared memory. The length of the array is the setting.",
    .rank = 1,
    .sizes = {"16777216"},
    .blocks = {256},
    .block_preset = 256,
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .operations_per_lane = 2,
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes written",
    .input_bytes = words_input_bytes,
    .output_bytes = words_output_bytes,
    .useful_bytes = words_useful_bytes,
    .useful_operations = useful_operations,
    .fill = words_fill,
    .reference = reference,
};
