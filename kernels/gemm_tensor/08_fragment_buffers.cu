/*
 * Rung 8: two buffers for fragments, too.
 *
 * There are two sets of fragments in registers: while the tensor cores multiply one, the next is
 * read from shared memory. At the last step of a slice the first fragments of the next slice are
 * read, so that the barrier between them falls among products. There are three stages, as in rung
 * 7.
 *
 * Remaining cost: all 255 registers of a thread, and one block of eight warps per SM. The factors
 * pass through the registers of the warps: each element of A is read from shared memory four times,
 * and each of B twice.
 */
#include "mma_tile.h"

typedef mma_scheme<ROWS_SWIZZLED, READ_MATRICES, COPY_ASYNC, 3> scheme;

/* multiply_in_ring with two sets of fragments. After the barrier of a slice's last step its
 * fragments are in registers, and the stage is free. */
template <typename S>
static __device__ inline void multiply_ahead(struct sums *sums, uint32_t memory,
                                             const struct factors &from)
{
    constexpr int AHEAD = S::stages - 1;
    static_assert(STEPS % 2 == 0, "each slice begins with the first set");
    const unsigned slices = slices_of(from.k);
    struct fragments f[2];
    uint32_t read = memory, written = memory;
#pragma unroll
    for (int slice = 0; slice < AHEAD; slice++, written = next_stage<S>(written, memory)) {
        if (slice < slices) start_slice<S>(written, NULL, from, slice);
        close_copies();
    }
    wait_for_copies<AHEAD - 1>();
    __syncthreads();
    read_fragments<S>(&f[0], read, 0);
    for (unsigned slice = 0; slice < slices; slice++) {
        if (slice + AHEAD < slices) start_slice<S>(written, NULL, from, slice + AHEAD);
        close_copies();
#pragma unroll
        for (unsigned step = 0; step < STEPS - 1; step++) {
            read_fragments<S>(&f[(step + 1) % 2], read, step + 1);
            multiply_fragments(sums, f[step % 2]);
        }
        read = next_stage<S>(read, memory);
        written = next_stage<S>(written, memory);
        wait_for_copies<AHEAD - 1>();
        __syncthreads();
        if (slice + 1 < slices) read_fragments<S>(&f[0], read, 0);
        multiply_fragments(sums, f[(STEPS - 1) % 2]);
    }
}

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_fragment_buffers(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m,
                                 unsigned n, unsigned k)
{
    compute_tile<multiply_ahead<scheme>>({a, b, m, n, k}, c);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Two sets of fragments",
    .after = "07_more_stages",
    .suffers = "At each step the products wait for their fragments from shared memory.",
    .changes = "There are two sets of fragments: the next step's are read while this step's are "
               "multiplied, across slices too.",
    .pays = "All registers of an SM. Factors pass through registers on their way to the tensor "
            "cores: each element of A is read from shared memory four times, each of B twice.",
    .claims =
        {
            {"Two fragments in registers hide the latency of shared memory: warps wait less for "
             "it, per instruction (short scoreboard).",
             "NVIDIA, CUTLASS, Efficient GEMM in CUDA", "Pipelining", NULL, SHARED_LATENCY_HIDDEN},
            {"The tensor cores are busy for more of the time.", "whyfast", "Aim of this rung", NULL,
             "tensor_pipe_pct > prev_tensor_pipe_pct"},
            {"The kernel is faster.", "whyfast", "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuse_mma,
    .plan = plan_by<plan_mma<scheme>, gemm_tensor_fragment_buffers>,
    .shared_accesses = list_by<describe_mma<scheme>>,
};
