/*
 * Defines rungs that come in pairs: kernels that differ in one thing, which costs time. Nothing is
 * owned.
 */
#ifndef TESTS_GPU_PLANTED_H
#define TESTS_GPU_PLANTED_H

#include "catalog/variant.h"

/* The fields that nearly all families share. */
#define PLANTED_FAMILY                                                                             \
    .name = FAMILY_NAME, .rank = 1, .input_count = 1, .comparison = COMPARE_INT32_EXACT,           \
    .useful_operations = useful_operations, .reference = reference

/* The first fields of VARIANT_DEFINITION: of the first rung of a pair, and of one that is compared
 * with it. Tests read no more of their texts. */
#define FIRST_OF_PAIR(TITLE, CHANGES) PLANTED(TITLE, NULL, CHANGES)
#define PLANTED(TITLE, AFTER, CHANGES)                                                             \
    VARIANT_IDENTITY, .title = TITLE, .after = AFTER,                                              \
                      .suffers = "A test needs a pair of kernels that differ in one thing.",       \
                      .changes = CHANGES, .pays = "It costs what was planted."

#define CLAIM(SAYS, EXPECTED)                                                                      \
    {                                                                                              \
        SAYS, "planted", VARIANT_FILE, NULL, EXPECTED                                              \
    }
#define TIMES_AS_LONG(FACTOR)                                                                      \
    CLAIM("It takes at least " #FACTOR " times as long.", "speedup_prev_high < 1 / " #FACTOR)
#define NOTHING_ELSE_DIFFERS                                                                       \
    CLAIM("Nothing else differs: the instructions and the threads on an SM are as many.",          \
          "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "         \
          "blocks_per_sm = prev_blocks_per_sm")

#endif
