/*
 * Defines the sum of n 32-bit integers again, with the number of threads as the setting.
 */
#include "catalog/integer_sum.h"

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "How many threads",
    .problem = "Add up n integers with P threads: each first sums n / P integers one after the "
               "other, then a tree sums the threads. Brent's theorem bounds the time by "
               "log2 n + (n - log2 n) / P steps; this family measures how the device follows that "
               "bound, from one block to one thread per element.",
    .rank = 1,
    .sizes = {"16777216"},
    .blocks = {256},
    .block_preset = 256,
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .operations_per_lane = 2,
    .useful_bytes_text = "4 bytes for each element, read once, and 4 bytes for the sum",
    .input_bytes = integer_sum_input_bytes,
    .output_bytes = integer_sum_output_bytes,
    .useful_bytes = integer_sum_useful_bytes,
    .useful_operations = integer_sum_useful_operations,
    .fill = integer_sum_fill,
    .reference = integer_sum_reference,
};
