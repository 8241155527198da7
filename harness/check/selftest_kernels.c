#include "check/selftest_kernels.h"

#include "catalog/integer_sum.h"

static size_t no_scratch(const struct shape *shape)
{
    (void)shape;
    return sizeof(uint64_t); /* for blocks that end together */
}

static size_t whole_scratch(const struct shape *shape)
{
    return (size_t)shape->dim[0] * sizeof(uint32_t);
}

#define PROBLEM                                                                                    \
    .rank = 1, .input_count = 1, .comparison = COMPARE_INT32_EXACT, .rate = RATE_BYTES,            \
    .operations_per_lane = 1,                                                                      \
    .useful_bytes_text = "4 bytes for each word, read once, and 4 bytes for the sum",              \
    .input_bytes = integer_sum_input_bytes, .output_bytes = integer_sum_output_bytes,              \
    .useful_bytes = integer_sum_useful_bytes, .useful_operations = integer_sum_useful_operations,  \
    .fill = integer_sum_fill, .reference = integer_sum_reference

const struct family selftest_family = {
    .name = "selftest",
    .title = "Self-test",
    .problem = "Kernels whose counts are known by construction; the counters must match them.",
    .sizes = {"1048576"},
    .scratch_bytes = no_scratch,
    PROBLEM,
};

const struct family selftest_memory_family = {
    .name = "selftest_memory",
    .title = "Self-test of device memory",
    .problem = "Streams far beyond the L2 cache, with known traffic of device memory.",
    .sizes = {"268435456"},
    .scratch_bytes = whole_scratch,
    PROBLEM,
};

/* Each of these is defined beside its kernel. */
extern const struct variant selftest_shared_load_4, selftest_shared_load_8, selftest_shared_load_16,
    selftest_shared_store_4, selftest_shared_store_8, selftest_shared_store_16,
    selftest_shared_broadcast, selftest_shared_matrix, selftest_shared_async,
    selftest_global_stride, selftest_global_offset, selftest_global_local, selftest_l2_reuse,
    selftest_fma, selftest_fma_twice, selftest_add, selftest_multiply, selftest_double,
    selftest_half, selftest_tensor, selftest_alu, selftest_alu_twice, selftest_branch,
    selftest_predicate, selftest_hold_blocks, selftest_hold_shared, selftest_hold_registers,
    selftest_spin, selftest_memory_read, selftest_memory_write, selftest_memory_copy;

const struct variant *const selftest_variants[] = {
    &selftest_shared_load_4,
    &selftest_shared_load_8,
    &selftest_shared_load_16,
    &selftest_shared_store_4,
    &selftest_shared_store_8,
    &selftest_shared_store_16,
    &selftest_shared_broadcast,
    &selftest_shared_matrix,
    &selftest_shared_async,
    &selftest_global_stride,
    &selftest_global_offset,
    &selftest_global_local,
    &selftest_l2_reuse,
    &selftest_fma,
    &selftest_fma_twice,
    &selftest_add,
    &selftest_multiply,
    &selftest_double,
    &selftest_half,
    &selftest_tensor,
    &selftest_alu,
    &selftest_alu_twice,
    &selftest_branch,
    &selftest_predicate,
    &selftest_hold_blocks,
    &selftest_hold_shared,
    &selftest_hold_registers,
    &selftest_spin,
    &selftest_memory_read,
    &selftest_memory_write,
    &selftest_memory_copy,
    0,
};
