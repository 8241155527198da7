/*
 * Defines pairs of kernels that differ in one thing, and pairs that do not differ. Nothing is
 * owned.
 *
 * Each output is a hash of its word of the input. What a kernel does beside that has no effect: it
 * is combined with `none`, an argument that is 0, which no compiler knows. An argument or the size
 * of the grid makes the difference of a pair, so that both run the same code, unless the code
 * itself is the difference.
 */
#ifndef TESTS_GPU_CAUSES_OTHERS_H
#define TESTS_GPU_CAUSES_OTHERS_H

#include "../planted.h"

enum {
    OTHERS_WORDS_EACH = 16, /* words of the scratch memory for each output */
    OTHERS_BLOCK = 256,
    OTHERS_WIDE_BLOCK = 1024,
    OTHERS_FEW = 128,
    OTHERS_BLOCKS = 128,          /* no more than the GPU has SMs */
    OTHERS_ONE_BLOCK = 116 << 10, /* so much shared memory keeps a second block off the SM */
    OTHERS_SUMS = 1 << 20         /* words */
};
#define OTHERS_HASH(word) ((word)*2654435761u + 12345u)

#ifdef __CUDACC__

__constant__ unsigned others_table[2048];

/* The lanes of a warp read constants that are so far apart. */
static __global__ void others_constant(const uint32_t *in, uint32_t *out, unsigned none,
                                       unsigned lanes_apart)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned k = 0; k < 64; k++) sum += others_table[(i % 32 * lanes_apart + k) % 2048];
    out[i] = OTHERS_HASH(in[i]) + (sum & none);
}

template <typename NUMBER>
static __global__ void others_precision(const uint32_t *in, uint32_t *out, unsigned none,
                                        unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const NUMBER factor = static_cast<NUMBER>(none + 1) / 2;
    NUMBER x = static_cast<NUMBER>(i);
#pragma unroll 4
    for (unsigned k = 0; k < steps; k++) x = x * factor + 1;
    out[i] = OTHERS_HASH(in[i]) + (x < 0);
}

/* A block reads the same words again and again; 32 parts of the memory serve all blocks. */
static __global__ void others_reuse(const uint32_t *in, uint32_t *out, unsigned none,
                                    unsigned words, const unsigned *scratch)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *const part = &scratch[blockIdx.x % 32 * 16384];
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned k = 0; k < 128; k++) sum += part[(k * OTHERS_BLOCK + threadIdx.x) & (words - 1)];
    out[i] = OTHERS_HASH(in[i]) + (sum & none);
}

static __device__ inline unsigned others_advance(unsigned word, unsigned steps)
{
#pragma unroll 4
    for (unsigned k = 0; k < steps; k++) word = word * 1664525u + 1013904223u;
    return word;
}

/* The threads of the grid share the outputs. */
static __global__ void others_share(const uint32_t *in, uint32_t *out, unsigned none,
                                    unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = OTHERS_HASH(in[i]) + (others_advance(in[i], 256) & none);
}

/* The blocks take turns at outputs; after each turn all of them wait for each other, if asked. */
static __global__ void others_turns(const uint32_t *in, uint32_t *out, unsigned none,
                                    unsigned count, unsigned waits, unsigned *arrived)
{
    unsigned goal = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        out[i] = OTHERS_HASH(in[i]) + (others_advance(in[i], 256) & none);
        goal += gridDim.x;
        __syncthreads();
        if (waits && threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            while (*static_cast<volatile unsigned *>(arrived) < goal) continue;
        }
        __syncthreads();
    }
}

/* Multiply-adds by pieces of code of 2 KiB, of which there are 64; the pieces taken are so far
 * apart. */
static __global__ void others_code(const uint32_t *in, uint32_t *out, unsigned none, unsigned apart)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = static_cast<float>(none + 1) / 2;
    float x = static_cast<float>(i);
#pragma unroll 1
    for (unsigned k = 0; k < 128; k++) {
        switch (k * apart % 64) {
#define OTHERS_PIECE(NUMBER)                                                                       \
    case NUMBER:                                                                                   \
        _Pragma("unroll") for (int j = 0; j < 128; j++) x = x * factor + (NUMBER + 1);             \
        break;
#define OTHERS_PIECES_4(N)                                                                         \
    OTHERS_PIECE(N) OTHERS_PIECE(N + 1) OTHERS_PIECE(N + 2) OTHERS_PIECE(N + 3)
#define OTHERS_PIECES_16(N)                                                                        \
    OTHERS_PIECES_4(N) OTHERS_PIECES_4(N + 4) OTHERS_PIECES_4(N + 8) OTHERS_PIECES_4(N + 12)
#define OTHERS_PIECES_64(N)                                                                        \
    OTHERS_PIECES_16(N) OTHERS_PIECES_16(N + 16) OTHERS_PIECES_16(N + 32) OTHERS_PIECES_16(N + 48)
            OTHERS_PIECES_64(0)
        }
    }
    out[i] = OTHERS_HASH(in[i]) + (x < 0);
}

/* The same by one piece of code. */
static __global__ void others_loop(const uint32_t *in, uint32_t *out, unsigned none, unsigned times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = static_cast<float>(none + 1) / 2;
    float x = static_cast<float>(i);
#pragma unroll 1
    for (unsigned k = 0; k < times; k++) {
#pragma unroll
        for (int j = 0; j < 128; j++) x = x * factor + 1;
    }
    out[i] = OTHERS_HASH(in[i]) + (x < 0);
}

/* Products of so many columns, of which 64 are asked for. */
static __global__ void others_columns(const uint32_t *in, uint32_t *out, unsigned none,
                                      unsigned columns)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = static_cast<float>(none + 1) / 2;
    float sum = 0;
    for (unsigned column = 0; column < columns; column += 4) {
        float x[4] = {0, 1, 2, static_cast<float>(column)};
#pragma unroll
        for (int k = 0; k < 32; k++)
#pragma unroll
            for (int j = 0; j < 4; j++) x[j] = x[j] * factor + 1;
        sum += x[0] + x[1] + x[2] + x[3];
    }
    out[i] = OTHERS_HASH(in[i]) + (sum < 0);
}

/* Each warp adds to words that are so far apart, in turn. */
static __global__ void others_add(const uint32_t *in, uint32_t *out, unsigned none, unsigned apart,
                                  unsigned mask, unsigned *sums)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 == 0)
        for (unsigned k = 0; k < 8; k++) atomicAdd(&sums[((i / 32 + k * 5) * apart) & mask], none);
    out[i] = OTHERS_HASH(in[i]);
}

/* Reads all of the scratch memory. BACKWARD and XOR change the code, not what it needs. */
template <int BACKWARD, int XOR>
static __global__ void others_stream(const uint32_t *in, uint32_t *out, unsigned none,
                                     unsigned count, const unsigned *scratch)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < OTHERS_WORDS_EACH; k++) {
        const unsigned word = scratch[(BACKWARD ? OTHERS_WORDS_EACH - 1 - k : k) * count + i];
        sum = XOR ? sum ^ word : sum + word;
    }
    out[i] = OTHERS_HASH(in[i]) + (sum & none);
}

static __global__ void others_clear(unsigned *words)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    words[i] = others_advance(i, 2048);
}

/* Arguments of a launch; OTHERS_CLEARED is none, but clears the first word of the scratch memory.
 */
enum others_state { OTHERS_CLEARED };
static inline void others_add_argument(struct launch *launch, uint64_t integer)
{
    launch_integer(launch, integer);
}
static inline void others_add_argument(struct launch *launch, void *pointer)
{
    launch_pointer(launch, pointer);
}
static inline void others_add_argument(struct launch *launch, enum others_state)
{
    launch->clear_scratch = sizeof(unsigned);
}

/* A launch of one of these kernels with input, output, 0, and further arguments. A grid of 0 blocks
 * has a thread for each output; wide blocks have an SM for themselves. */
template <typename KERNEL, typename... ARGUMENTS>
static void others_launch(const struct work *work, struct launch *launch, KERNEL *kernel,
                          unsigned blocks, unsigned block, ARGUMENTS... arguments)
{
    const uint64_t outputs = work->point.shape.dim[0];
    launch->function = (const void *)kernel;
    launch->grid[0] = blocks ? blocks : (unsigned)(outputs / block);
    launch->block[0] = block;
    launch->dynamic_shared = block == OTHERS_WIDE_BLOCK ? OTHERS_ONE_BLOCK : 0;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, 0);
    (others_add_argument(launch, arguments), ...);
}

/* A rung: AFTER is the one that it is compared with, or NULL; PLAN fills `launch` by `work` and
 * `index`, and may use `outputs`. Those with one launch name its kernel, blocks, threads and
 * further arguments. */
#define OTHERS_RUNG(TITLE, AFTER, LAUNCHES, CLAIM, EXPECTED, PLAN)                                 \
    static unsigned count_launches(const struct point *point)                                      \
    {                                                                                              \
        (void)point;                                                                               \
        return LAUNCHES;                                                                           \
    }                                                                                              \
    static void plan(const struct work *work, unsigned index, struct launch *launch)               \
    {                                                                                              \
        const uint64_t outputs = work->point.shape.dim[0];                                         \
        (void)index;                                                                               \
        (void)outputs;                                                                             \
        PLAN;                                                                                      \
    }                                                                                              \
    VARIANT_DEFINITION = {                                                                         \
        VARIANT_IDENTITY,                                                                          \
        .title = TITLE,                                                                            \
        .after = AFTER,                                                                            \
        .suffers = "A test needs pairs that differ in one thing, or in nothing.",                  \
        .changes = "One thing differs, or nothing.",                                               \
        .pays = "It costs what was planted.",                                                      \
        .claims = {{CLAIM, "planted", "others.h", NULL, EXPECTED}},                                \
        .launch_count = count_launches,                                                            \
        .plan = plan,                                                                              \
    };
#define OTHERS_LAUNCHED(TITLE, AFTER, CLAIM, EXPECTED, ...)                                        \
    OTHERS_RUNG(TITLE, AFTER, 1, CLAIM, EXPECTED, others_launch(work, launch, __VA_ARGS__))
#define OTHERS_BASE(TITLE, ...)                                                                    \
    OTHERS_LAUNCHED(TITLE, NULL, "The kernel runs.", "time_ns > 0", __VA_ARGS__)
#define OTHERS_PLANTED(TITLE, AFTER, ...)                                                          \
    OTHERS_LAUNCHED(TITLE, AFTER, "It takes at least a tenth longer.",                             \
                    "speedup_prev_high < 1 / 1.1", __VA_ARGS__)
#define OTHERS_NOTHING(TITLE, AFTER, ...)                                                          \
    OTHERS_LAUNCHED(TITLE, AFTER, "Both are equally fast.", "abs(speedup_prev - 1) < 0.05",        \
                    __VA_ARGS__)

#endif
#endif
