#include "selftest_kernels/selftest_kernels.h"

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

/* Each of these is defined beside its kernel. Kernels of one family are neighbours. */
#define KERNELS(USE)                                                                               \
    USE(shared_load_4), USE(shared_load_8), USE(shared_load_16), USE(shared_store_4),              \
        USE(shared_store_8), USE(shared_store_16), USE(shared_broadcast), USE(shared_matrix),      \
        USE(shared_async), USE(global_stride), USE(global_offset), USE(local), USE(l2_reuse),      \
        USE(fma), USE(fma_twice), USE(add), USE(multiply), USE(double), USE(half), USE(tensor),    \
        USE(alu), USE(alu_twice), USE(branch), USE(predicate), USE(occupancy_block),               \
        USE(occupancy_shared), USE(occupancy_registers), USE(spin), USE(shared_matrix_store),      \
        USE(shared_atomic), USE(shared_atomic_word), USE(shared_async_4), USE(shared_async_8),     \
        USE(shared_async_16), USE(tensor_group), USE(memory_read), USE(memory_write),              \
        USE(memory_copy)
#define SYMBOL(name) selftest_##name
#define ADDRESS(name) &selftest_##name

extern const struct variant KERNELS(SYMBOL);
const struct variant *const selftest_variants[] = {KERNELS(ADDRESS), 0};
