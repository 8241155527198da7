/*
 * Rung 2: the same array with every loop over it unrolled.
 *
 * Once all loops over the array are unrolled, each element has a constant index and can be a
 * register. Only the pragmas change, except for arrays of 88 words: their kernel is limited to 150
 * registers, the source's example, because the compiler would take 168. A thread has at most 255
 * registers, so part of an array of 192 words stays in local memory.
 *
 * Remaining cost: registers. The more a thread has, the fewer threads fit on an SM.
 */
#include "storage.h"

enum { LIMITED_WORDS = 88, LIMITED_REGISTERS = 150 };

template <unsigned WORDS>
static __device__ inline void work_in_registers(const uint32_t *in, uint32_t *out, uint64_t n,
                                                int rounds)
{
    const uint64_t first = (uint64_t)blockIdx.x * STORAGE_BLOCK * WORDS + threadIdx.x;
    uint32_t word[WORDS];
#pragma unroll
    for (unsigned k = 0; k < WORDS; k++)
        word[k] = first + k * STORAGE_BLOCK < n ? in[first + k * STORAGE_BLOCK] : 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (unsigned k = 0; k < WORDS; k++) word[k] = storage_step(word[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < WORDS; k++)
        if (first + k * STORAGE_BLOCK < n) out[first + k * STORAGE_BLOCK] = word[k];
}

template <unsigned WORDS>
static __global__ void storage_registers(const uint32_t *in, uint32_t *out, uint64_t n, int rounds)
{
    work_in_registers<WORDS>(in, out, n, rounds);
}

static __global__ void __maxnreg__(LIMITED_REGISTERS)
    storage_limited_registers(const uint32_t *in, uint32_t *out, uint64_t n, int rounds)
{
    work_in_registers<LIMITED_WORDS>(in, out, n, rounds);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    storage_plan(work, launch,
                 work->point.sweep == LIMITED_WORDS
                     ? (const void *)storage_limited_registers
                     : STORAGE_KERNEL(storage_registers, work->point.sweep));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Array in registers",
    .after = "01_local_memory",
    .suffers = "Every step loads from local memory and stores to it.",
    .changes = "Every loop over the array is unrolled, so each element becomes a register.",
    .pays =
        "The kernel needs more registers: the longer the array, the fewer threads fit on an SM.",
    STORAGE_SWEEP,
    .claims =
        {
            {"Only with every loop unrolled does the array stay in registers (here: the "
             "fastest setting has no local memory, and that of rung 1 has).",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "local_bytes = 0 AND prev_local_bytes > 0"},
            {"The register file is larger than shared memory.",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "register_file_kib > shared_memory_kib"},
            {"A block can have 1024 threads, which leaves 64 registers for each: a kernel that "
             "needs no more can be launched with 1024.",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "CASE WHEN registers <= 64 THEN max_block_threads = 1024 END", 24},
            {"Fewer threads can have more registers each: with 150 registers 65536 / 150 = 436 "
             "threads fit (416 in whole warps).",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "CASE WHEN registers = 150 THEN max_block_threads = 416 END", 88},
            {"Registers are faster than ordinary memory (here: than local memory; rung 3 compares "
             "shared memory).",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "faster = 1"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
