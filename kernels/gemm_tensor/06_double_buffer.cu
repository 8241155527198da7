/*
 * Rung 6: two buffers, filled past the registers.
 *
 * There are two stages: while the warps multiply one slice, the next one is in flight to the other.
 * The copies are asynchronous (cp.async): they go from the L2 cache to shared memory without
 * passing through registers or the L1 cache, and a thread waits for them before the barrier that
 * publishes the slice. So one barrier per slice is enough.
 *
 * Remaining cost: twice the shared memory. At each step the products wait for their fragments.
 */
#include "mma_tile.h"

typedef mma_scheme<ROWS_SWIZZLED, READ_MATRICES, COPY_ASYNC, 2> scheme;

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_double_buffer(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m,
                              unsigned n, unsigned k)
{
    compute_tile<multiply_in_ring<scheme>>({a, b, m, n, k}, c);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Two buffers",
    .after = "05_swizzled",
    .suffers = "While a slice is brought from global memory, no warp multiplies.",
    .changes = "The next slice is copied to a second buffer while this one is multiplied; the "
               "copies bypass the registers, and one barrier per slice is enough.",
    .pays = "Twice the shared memory. At each step the products wait for their fragments.",
    .claims =
        {
            {"Two buffers, here with copies that bypass the registers, hide the latency of global "
             "memory: warps wait less for it, per instruction (long scoreboard).",
             "NVIDIA, CUTLASS, Efficient GEMM in CUDA", "Pipelining", NULL,
             "stall_long_scoreboard < prev_stall_long_scoreboard"},
            {"There is one barrier per slice instead of two.", "whyfast", "Aim of this rung", NULL,
             "sass_loop_barriers = 1 AND prev_sass_loop_barriers = 2"},
            {"No load brings elements to registers.", "whyfast", "Aim of this rung", NULL,
             "shared_async_instructions > 0 AND global_load_instructions = 0"},
            {"The kernel is faster.", "whyfast", "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuse_mma,
    .plan = plan_by<plan_mma<scheme>, gemm_tensor_double_buffer>,
    .shared_accesses = list_by<describe_mma<scheme>>,
};
