/*
 * Rung 1: a thread performs all operations on its element.
 *
 * A thread loads a word once and performs the eight operations one after the other. The loop over
 * them is not unrolled: otherwise the compiler could interleave the eight independent chains, and
 * one thread would hide latency as several threads do (rung 3).
 *
 * Remaining cost: there are only as many threads as elements, and each performs eight operations in
 * sequence.
 */
#include "operations.h"

static __global__ void operations_per_element(const uint32_t *in, uint32_t *out, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * OPERATIONS_BLOCK + threadIdx.x;
    if (i >= n) return;
    const uint32_t word = in[i];
#pragma unroll 1
    for (unsigned k = 0; k < OPERATIONS; k++) out[k * n + i] = operation(k, word);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One thread per element",
    .suffers = "Each element needs eight operations.",
    .changes = "A thread loads its element once and performs all eight, one after the other.",
    .pays = "There are only as many threads as elements, each with a long chain of instructions.",
    .full_only = 1,
    .plan = plan_by<operations_plan, operations_per_element, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
