/*
 * Rung 2: each operation on an element has a thread of its own.
 *
 * Each row of the grid performs one of the eight operations, so that eight threads, each in another
 * block, load the same word. Their loads and stores are coalesced as in rung 1.
 *
 * Remaining cost: each word is loaded eight times, and there are eight times as many blocks.
 */
#include "operations.h"

static __global__ void operations_per_thread(const uint32_t *in, uint32_t *out, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * OPERATIONS_BLOCK + threadIdx.x;
    if (i < n) out[blockIdx.y * n + i] = operation(blockIdx.y, in[i]);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One thread per operation",
    .after = "01_one_thread_per_element",
    .suffers = "There are only as many threads as elements, and each works for a long time.",
    .changes = "Each operation has a thread of its own; eight threads load the same word.",
    .pays = "Each word is loaded eight times, and there are eight times as many blocks.",
    .full_only = 1,
    .claims =
        {
            {"One thread for each non-trivial operation is better than one thread that performs "
             "several, even though the threads load the same data (here against operations that "
             "are not interleaved).",
             "Skarupke, CUDA performance surprises", "Parallelism first", NULL, "faster = 1"},
        },
    .plan = plan_by<operations_plan, operations_per_thread, OPERATIONS>,
    .excess_wavefronts = no_excess_wavefronts,
};
