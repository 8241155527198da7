/*
 * Rung 3: a thread performs all operations on its element, interleaved.
 *
 * This is rung 1 with the rounds of the eight operations side by side: a thread has eight
 * independent chains of instructions, so that one chain hides the latency of the others without
 * further threads.
 *
 * Remaining cost: there are only as many threads as elements.
 */
#include "operations.h"

static __global__ void operations_interleaved(const uint32_t *in, uint32_t *out, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * OPERATIONS_BLOCK + threadIdx.x;
    if (i >= n) return;
    uint32_t word[OPERATIONS];
#pragma unroll
    for (unsigned k = 0; k < OPERATIONS; k++) word[k] = in[i];
#pragma unroll 8
    for (int round = 0; round < OPERATION_ROUNDS; round++) {
#pragma unroll
        for (unsigned k = 0; k < OPERATIONS; k++) word[k] = operation_round(k, word[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < OPERATIONS; k++) out[k * n + i] = word[k];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Operations interleaved",
    .after = "02_one_thread_per_operation",
    .suffers = "Each word is loaded eight times, and there are eight times as many blocks.",
    .changes = "A thread loads its element once and performs all eight operations side by side.",
    .pays = "There are only as many threads as elements.",
    .full_only = 1,
    .claims =
        {
            {"One thread for each non-trivial operation is better than one thread that performs "
             "several (here against operations that are interleaved: this rung is the slower one).",
             "Skarupke, CUDA performance surprises", "Parallelism first", NULL, "slower"},
        },
    .plan = plan_by<operations_plan, operations_interleaved, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
