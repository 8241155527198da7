/*
 * Defines the reduction family: the sum of n 32-bit integers, modulo 2^32.
 */
#include "cub_sum.h"
#include "catalog/integer_sum.h"
#include "reduce.h"

static size_t scratch_bytes(const struct shape *shape)
{
    const size_t own = reduce_scratch_words(shape->dim[0]) * sizeof(uint32_t);
    return own > CUB_SCRATCH_BYTES ? own : CUB_SCRATCH_BYTES;
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Sum of 32-bit integers",
    .problem = "Add up n integers. Each is read once and used once, so the time is at best the "
               "time to read them from device memory: a rung is judged by how close it comes to "
               "the bandwidth of the memory.",
    .rank = 1,
    .sizes = {"65536", "4194304", "16777216", "67108864", "134217728", "536870912"},
    .primary_size = "134217728",
    .blocks = {128, 256},
    .block_preset = 256,
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .operations_per_lane = 2,
    .useful_bytes_text = "4 bytes for each element, read once, and 4 bytes for the sum",
    .input_bytes = integer_sum_input_bytes,
    .output_bytes = integer_sum_output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = integer_sum_useful_bytes,
    .useful_operations = integer_sum_useful_operations,
    .fill = integer_sum_fill,
    .reference = integer_sum_reference,
};
