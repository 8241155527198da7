/*
 * Shares code between the kernels that multiply bfloat16 by mma.sync from shared memory: the rungs
 * of gemm_tensor from the third on, and the grids gemm_tensor_ablation and gemm_tensor_stages. A
 * block of eight warps computes a tile of 128 x 256 of C in slices of 64 along K; a warp computes
 * 64 x 64 as 4 x 8 products of 16 x 8 elements in registers. The kernels differ in their scheme:
 * how rows lie in shared memory, how fragments are read from there, how slices get there, and how
 * many of them fit. Nothing is owned.
 *
 * A row of a slice is 128 bytes of A or 512 of B, in pieces of 16 bytes. A piece is what a copy
 * moves, and what ldmatrix takes as a row of a matrix. The eight rows of a matrix are in the same
 * four banks if rows are stored as they are, so that it takes eight wavefronts instead of one.
 */
#ifndef KERNELS_MMA_TILE_H
#define KERNELS_MMA_TILE_H

#include "mma.h"
#include "tensor.h"

enum {
    TILE_M = 128,
    TILE_N = 256,
    TILE_K = 64,
    WARP_TILE = 64,
    WARPS_N = TILE_N / WARP_TILE,
    WARPS = TILE_M / WARP_TILE * WARPS_N,
    THREADS = WARPS * 32,
    STEPS = TILE_K / 16,         /* of a slice along K, one instruction deep */
    MATRICES_M = WARP_TILE / 16, /* products of a warp at each step */
    MATRICES_N = WARP_TILE / 8,
    PIECE = 8, /* elements */
    PIECE_BYTES = 16,
    PIECES_A = TILE_K / PIECE, /* of a row */
    PIECES_B = TILE_N / PIECE,
    ROWS_A = THREADS / PIECES_A, /* that the block copies at once */
    ROWS_B = THREADS / PIECES_B,
    COPIES_A = TILE_M / ROWS_A, /* of a thread, for a slice */
    COPIES_B = TILE_K / ROWS_B
};

/* Padding moves each row by a piece against the row before. The swizzle permutes the pieces of a
 * row by its number instead, which takes no space. */
enum rows { ROWS_PLAIN, ROWS_PADDED, ROWS_SWIZZLED };

/* A warp reads its fragments by ldmatrix, or lane by lane: words of A, and halves of words of B,
 * whose pairs come from two rows. */
enum reads { READ_LANES, READ_MATRICES };

/* Slices are copied through registers or, by cp.async, past them. */
enum copies { COPY_LOADS, COPY_ASYNC };

template <enum rows ROWS, enum reads READS, enum copies COPIES, int STAGES> struct mma_scheme {
    enum {
        swizzled = ROWS == ROWS_SWIZZLED,
        matrices = READS == READ_MATRICES,
        async = COPIES == COPY_ASYNC,
        stages = STAGES,
        pitch_a = (PIECES_A + (ROWS == ROWS_PADDED)) * PIECE_BYTES,
        pitch_b = (PIECES_B + (ROWS == ROWS_PADDED)) * PIECE_BYTES,
        a_bytes = TILE_M * pitch_a,
        stage_bytes = a_bytes + TILE_K * pitch_b,
        shared_bytes = STAGES * stage_bytes
    };
};

/* ---- places in a stage, in bytes ------------------------------------------------------------- */

template <typename S>
static inline __host__ __device__ unsigned place_in_row(unsigned row, unsigned piece)
{
    return (S::swizzled ? piece ^ row % PIECE : piece) * PIECE_BYTES;
}

template <typename S>
static inline __host__ __device__ unsigned place_in_a(unsigned row, unsigned piece)
{
    return row * S::pitch_a + place_in_row<S>(row, piece);
}

template <typename S>
static inline __host__ __device__ unsigned place_in_b(unsigned row, unsigned piece)
{
    return S::a_bytes + row * S::pitch_b + place_in_row<S>(row, piece);
}

/* Copy i of a thread: its row and piece. Neighbouring threads copy neighbouring pieces. */
struct piece_place {
    unsigned row, piece;
};

static inline __host__ __device__ struct piece_place copied_a(unsigned thread, unsigned i)
{
    return {thread / PIECES_A + i * ROWS_A, thread % PIECES_A};
}

static inline __host__ __device__ struct piece_place copied_b(unsigned thread, unsigned i)
{
    return {thread / PIECES_B + i * ROWS_B, thread % PIECES_B};
}

/* First row and column of a warp's part of the tile of C. */
static inline __host__ __device__ unsigned warp_row(unsigned warp)
{
    return warp / WARPS_N * WARP_TILE;
}

static inline __host__ __device__ unsigned warp_column(unsigned warp)
{
    return warp % WARPS_N * WARP_TILE;
}

/* The row that a lane names to ldmatrix: of four matrices that are 16 x 16 elements of A, or of B.
 * `i` and `j` count such squares. */
template <typename S>
static inline __host__ __device__ unsigned matrix_of_a(unsigned thread, unsigned i, unsigned step)
{
    const unsigned lane = thread % 32;
    return place_in_a<S>(warp_row(thread / 32) + 16 * i + lane % 16, 2 * step + lane / 16);
}

template <typename S>
static inline __host__ __device__ unsigned matrix_of_b(unsigned thread, unsigned j, unsigned step)
{
    const unsigned lane = thread % 32;
    return place_in_b<S>(16 * step + lane % 16,
                         warp_column(thread / 32) / PIECE + 2 * j + lane / 16);
}

/* The word that a lane reads for a[part] of product i. */
template <typename S>
static inline __host__ __device__ unsigned word_of_a(unsigned thread, unsigned i, unsigned step,
                                                     unsigned part)
{
    const unsigned lane = thread % 32;
    return place_in_a<S>(warp_row(thread / 32) + 16 * i + part % 2 * 8 + lane / 4,
                         2 * step + part / 2) +
           lane % 4 * 4;
}

/* The halves of a word that a lane reads for b0 (0, 1) and b1 (2, 3) of product j. */
template <typename S>
static inline __host__ __device__ unsigned half_of_b(unsigned thread, unsigned j, unsigned step,
                                                     unsigned half)
{
    const unsigned lane = thread % 32;
    return place_in_b<S>(16 * step + half / 2 * 8 + lane % 4 * 2 + half % 2,
                         warp_column(thread / 32) / PIECE + j) +
           lane / 4 * 2;
}

/* ---- copies of slices ------------------------------------------------------------------------ */

/* The matrices. Rows of A and columns of B beyond the borders repeat the last ones, because no
 * result of theirs is stored; beyond K, zeros take their place. */
struct factors {
    const bfloat16 *a, *b;
    unsigned m, n, k;
};

static __device__ inline const bfloat16 *piece_of_a(const struct factors &from, unsigned slice,
                                                    const struct piece_place &at)
{
    const unsigned row = min(blockIdx.y * TILE_M + at.row, from.m - 1);
    return from.a + (row * from.k + slice * TILE_K + at.piece * PIECE);
}

static __device__ inline const bfloat16 *piece_of_b(const struct factors &from, unsigned slice,
                                                    const struct piece_place &at)
{
    const unsigned column = min(blockIdx.x * TILE_N + at.piece * PIECE, from.n - PIECE);
    return from.b + ((slice * TILE_K + at.row) * from.n + column);
}

static __device__ inline bool is_in_a(const struct factors &from, unsigned slice,
                                      const struct piece_place &at)
{
    return slice * TILE_K + at.piece * PIECE < from.k;
}

static __device__ inline bool is_in_b(const struct factors &from, unsigned slice,
                                      const struct piece_place &at)
{
    return slice * TILE_K + at.row < from.k;
}

/* A thread's pieces on their way through registers. */
struct staged {
    uint4 a[COPIES_A], b[COPIES_B];
};

static __device__ inline uint4 load_piece(const bfloat16 *from, bool is_in)
{
    return is_in ? __ldg(reinterpret_cast<const uint4 *>(from)) : make_uint4(0, 0, 0, 0);
}

/* The first half of bringing a slice to a stage: its pieces are then in flight. */
template <typename S>
static __device__ inline void start_slice(uint32_t stage, struct staged *staged,
                                          const struct factors &from, unsigned slice)
{
#pragma unroll
    for (int i = 0; i < COPIES_A; i++) {
        const struct piece_place at = copied_a(threadIdx.x, i);
        const bfloat16 *piece = piece_of_a(from, slice, at);
        const bool is_in = is_in_a(from, slice, at);
        if (S::async)
            copy_piece(stage + place_in_a<S>(at.row, at.piece), piece, is_in ? PIECE_BYTES : 0);
        else
            staged->a[i] = load_piece(piece, is_in);
    }
#pragma unroll
    for (int i = 0; i < COPIES_B; i++) {
        const struct piece_place at = copied_b(threadIdx.x, i);
        const bfloat16 *piece = piece_of_b(from, slice, at);
        const bool is_in = is_in_b(from, slice, at);
        if (S::async)
            copy_piece(stage + place_in_b<S>(at.row, at.piece), piece, is_in ? PIECE_BYTES : 0);
        else
            staged->b[i] = load_piece(piece, is_in);
    }
}

/* The second half, if the pieces are in registers. */
template <typename S>
static __device__ inline void store_slice(uint32_t stage, const struct staged &staged)
{
#pragma unroll
    for (int i = 0; i < COPIES_A; i++) {
        const struct piece_place at = copied_a(threadIdx.x, i);
        store_piece(stage + place_in_a<S>(at.row, at.piece), staged.a[i]);
    }
#pragma unroll
    for (int i = 0; i < COPIES_B; i++) {
        const struct piece_place at = copied_b(threadIdx.x, i);
        store_piece(stage + place_in_b<S>(at.row, at.piece), staged.b[i]);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

/* A warp's factors at one step, as the tensor cores take them: b[j] has two products, for columns
 * 16 j and 16 j + 8. */
struct fragments {
    uint32_t a[MATRICES_M][4], b[MATRICES_N / 2][4];
};

struct sums {
    float of[MATRICES_M][MATRICES_N][4];
};

template <typename S>
static __device__ inline void read_by_lanes(struct fragments *to, uint32_t stage, unsigned step)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int part = 0; part < 4; part++)
            to->a[i][part] = read_word(stage + word_of_a<S>(threadIdx.x, i, step, part));
#pragma unroll
    for (int j = 0; j < MATRICES_N; j++)
#pragma unroll
        for (int pair = 0; pair < 2; pair++) {
            const uint32_t low = read_half(stage + half_of_b<S>(threadIdx.x, j, step, 2 * pair)),
                           high =
                               read_half(stage + half_of_b<S>(threadIdx.x, j, step, 2 * pair + 1));
            to->b[j / 2][j % 2 * 2 + pair] = low | high << 16;
        }
}

template <typename S>
static __device__ inline void read_matrices(struct fragments *to, uint32_t stage, unsigned step)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
        load_matrices(to->a[i], stage + matrix_of_a<S>(threadIdx.x, i, step));
#pragma unroll
    for (int j = 0; j < MATRICES_N / 2; j++)
        load_matrices_transposed(to->b[j], stage + matrix_of_b<S>(threadIdx.x, j, step));
}

template <typename S>
static __device__ inline void read_fragments(struct fragments *to, uint32_t stage, unsigned step)
{
    if constexpr (S::matrices)
        read_matrices<S>(to, stage, step);
    else
        read_by_lanes<S>(to, stage, step);
}

static __device__ inline void clear_sums(struct sums *sums)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int j = 0; j < MATRICES_N; j++)
#pragma unroll
            for (int part = 0; part < 4; part++) sums->of[i][j][part] = 0;
}

static __device__ inline void multiply_fragments(struct sums *sums, const struct fragments &f)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int j = 0; j < MATRICES_N; j++)
            multiply_matrices(sums->of[i][j], f.a[i], f.b[j / 2][j % 2 * 2],
                              f.b[j / 2][j % 2 * 2 + 1]);
}

/* A loop, so that the compiler does not read the fragments of a step ahead. */
template <typename S>
static __device__ inline void multiply_slice(struct sums *sums, uint32_t stage)
{
#pragma unroll 1
    for (unsigned step = 0; step < STEPS; step++) {
        struct fragments f;
        read_fragments<S>(&f, stage, step);
        multiply_fragments(sums, f);
    }
}

/* ---- whole products -------------------------------------------------------------------------- */

static __device__ inline unsigned slices_of(unsigned k)
{
    return (k + TILE_K - 1) / TILE_K;
}

/* One stage: bring a slice, barrier, multiply, barrier. */
template <typename S>
static __device__ inline void multiply_in_turn(struct sums *sums, uint32_t memory,
                                               const struct factors &from)
{
    for (unsigned slice = 0; slice < slices_of(from.k); slice++) {
        struct staged staged;
        start_slice<S>(memory, &staged, from, slice);
        if (S::async) {
            close_copies();
            wait_for_copies<0>();
        } else {
            store_slice<S>(memory, staged);
        }
        __syncthreads();
        multiply_slice<S>(sums, memory);
        __syncthreads();
    }
}

/* The stage after this one, in a ring. */
template <typename S> static __device__ inline uint32_t next_stage(uint32_t stage, uint32_t memory)
{
    return stage + S::stage_bytes == memory + S::shared_bytes ? memory : stage + S::stage_bytes;
}

/* Several stages: while a slice is multiplied, the following ones are in flight. One barrier per
 * slice publishes it, and tells that all warps have read the slice before, whose stage is filled
 * next. A group of copies is closed for every slice, even if none is left to copy, so that their
 * number tells which have arrived. In registers only one slice can be in flight. */
template <typename S>
static __device__ inline void multiply_in_ring(struct sums *sums, uint32_t memory,
                                               const struct factors &from)
{
    constexpr int AHEAD = S::stages - 1;
    static_assert(S::async || AHEAD == 1, "registers hold one slice");
    const unsigned slices = slices_of(from.k);
    struct staged staged;
    uint32_t read = memory, written = memory;
#pragma unroll
    for (int slice = 0; slice < AHEAD; slice++, written = next_stage<S>(written, memory)) {
        if (slice < slices) start_slice<S>(written, &staged, from, slice);
        if (S::async)
            close_copies();
        else
            store_slice<S>(written, staged);
    }
    for (unsigned slice = 0; slice < slices; slice++) {
        const bool more = slice + AHEAD < slices;
        if (S::async) wait_for_copies<AHEAD - 1>();
        __syncthreads();
        if (more) start_slice<S>(written, &staged, from, slice + AHEAD);
        if (S::async) close_copies();
        multiply_slice<S>(sums, read);
        if (!S::async && more) store_slice<S>(written, staged);
        read = next_stage<S>(read, memory);
        written = next_stage<S>(written, memory);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static __device__ inline void store_sums(float *c, unsigned m, unsigned n, const struct sums &sums)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned first_row = blockIdx.y * TILE_M + warp_row(warp) + lane / 4,
                   first_column = blockIdx.x * TILE_N + warp_column(warp) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < MATRICES_M * 2; i++) {
        const unsigned row = first_row + 8 * i;
        if (row >= m) continue;
#pragma unroll
        for (int j = 0; j < MATRICES_N; j++) {
            const unsigned column = first_column + 8 * j;
            const float *sum = &sums.of[i / 2][j][i % 2 * 2];
            if (column < n)
                *reinterpret_cast<float2 *>(c + (row * n + column)) = make_float2(sum[0], sum[1]);
        }
    }
}

typedef void multiply_function(struct sums *, uint32_t, const struct factors &);

/* The body of the kernels: MULTIPLY forms the sums of the block's tile from stages in dynamic
 * shared memory. */
template <multiply_function *MULTIPLY>
static __device__ inline void compute_tile(const struct factors &factors, float *c)
{
    extern __shared__ __align__(128) unsigned char stages[];
    struct sums sums;
    clear_sums(&sums);
    MULTIPLY(&sums, shared_address(stages), factors);
    store_sums(c, factors.m, factors.n, sums);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* For variant.refuses. */
static inline const char *refuse_mma(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_bfloat16(compute_capability);
    return reason ? reason : refuse_unaligned(point);
}

/* Launches a kernel (a, b, c, m, n, k). */
template <typename S>
static inline void plan_mma(const struct work *work, struct launch *launch, const void *function)
{
    gemm_plan(work, launch, function, TILE_M, TILE_N, THREADS);
    launch->dynamic_shared = S::shared_bytes;
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

/* The accesses of the first warp, at the first step of a slice and to the first of its fragments:
 * the others differ by rows in whole eights and by pieces, which preserves the conflicts. Copies
 * past the registers are neither loads nor stores: they are not described. */
template <typename S>
static inline int describe_mma(const struct work *work, struct shared_access *list)
{
    const struct point *point = &work->point;
    const double slices =
                     (double)(divide_up(gemm_m(point), TILE_M) * divide_up(gemm_n(point), TILE_N) *
                              divide_up(gemm_k(point), TILE_K) * WARPS),
                 products_a = slices * STEPS * MATRICES_M, products_b = slices * STEPS * MATRICES_N;
    if (S::matrices) {
        list[0] = {"reads of A", ACCESS_MATRIX_LOAD, 16, {0}, products_a};
        list[1] = {"reads of B", ACCESS_MATRIX_LOAD, 16, {0}, products_b / 2};
    } else {
        list[0] = {"reads of A", ACCESS_LOAD, 4, {0}, 4 * products_a};
        list[1] = {"reads of B", ACCESS_LOAD, 2, {0}, 4 * products_b};
    }
    list[2] = {"writes of A", ACCESS_STORE, 16, {0}, slices * COPIES_A};
    list[3] = {"writes of B", ACCESS_STORE, 16, {0}, slices * COPIES_B};
    for (int lane = 0; lane < 32; lane++) {
        const struct piece_place a = copied_a(lane, 0), b = copied_b(lane, 0);
        list[0].address[lane] =
            (int)(S::matrices ? matrix_of_a<S>(lane, 0, 0) : word_of_a<S>(lane, 0, 0, 0));
        list[1].address[lane] =
            (int)(S::matrices ? matrix_of_b<S>(lane, 0, 0) : half_of_b<S>(lane, 0, 0, 0));
        list[2].address[lane] = (int)place_in_a<S>(a.row, a.piece);
        list[3].address[lane] = (int)place_in_b<S>(b.row, b.piece);
    }
    return S::async ? 2 : 4;
}

#endif
