/*
 * Shares code between the rungs that multiply by mma.sync of TF32, the floats whose last 13 bits
 * tensor cores leave out. A block of eight warps computes a tile of C in slices of 32 along K,
 * which a ring of stages in shared memory brings closer (cp.async); a warp computes 64 rows as
 * products of 16 x 8 elements. Nothing is owned.
 *
 * A row of A in shared memory is 4 floats longer than a slice, and a row of B 8 floats longer than
 * the tile, so that the rows that a warp reads together lie in different banks. A's fragments come
 * by ldmatrix, which takes a float as a pair of 16-bit elements; B's, which would have to be
 * transposed, lane by lane.
 */
#ifndef KERNELS_GEMM_SPLIT_TF32_H
#define KERNELS_GEMM_SPLIT_TF32_H

#include "mma.h"
#include "split.h"
#include "tile_ring.h"

enum {
    SLICE = SPLIT_SLICE,
    DEPTH = 8, /* of an instruction */
    TILE_M = SPLIT_TILE_M,
    WARP_M = 64,
    WARPS_N = 4,
    THREADS = 256,
    MATRICES_M = WARP_M / 16,
    PITCH_A = SLICE + 4,
    QUAD = 4, /* floats of a copy */
    GROUP = 8 /* rows of tiles: tile_in_groups */
};

/* PIECES is 1 or 2; WARP_N columns belong to a warp. */
template <int PIECES, int WARP_N, int STAGES> struct tf32_shape {
    enum {
        pieces = PIECES,
        warp_n = WARP_N,
        tile_n = WARPS_N * WARP_N,
        matrices_n = WARP_N / 8,
        stages = STAGES,
        pitch_b = tile_n + 8,
        a_bytes = TILE_M * PITCH_A * 4,
        stage_bytes = a_bytes + SLICE * pitch_b * 4,
        shared_bytes = STAGES * stage_bytes
    };
};

/* Copy i of a thread: row and first column within the slice. */
struct quad_place {
    unsigned row, column;
};

static __device__ inline struct quad_place copied_a(unsigned thread, unsigned i)
{
    const unsigned index = thread + i * THREADS;
    return {index / (SLICE / QUAD), index % (SLICE / QUAD) * QUAD};
}

template <typename S>
static __device__ inline struct quad_place copied_b(unsigned thread, unsigned i)
{
    const unsigned index = thread + i * THREADS;
    return {index / (S::tile_n / QUAD), index % (S::tile_n / QUAD) * QUAD};
}

static inline __host__ __device__ unsigned place_in_a(unsigned row, unsigned column)
{
    return (row * PITCH_A + column) * 4;
}

template <typename S>
static inline __host__ __device__ unsigned place_in_b(unsigned row, unsigned column)
{
    return S::a_bytes + (row * S::pitch_b + column) * 4;
}

/* The row that a lane names to ldmatrix: of the four matrices that are 16 x 8 floats of A. */
static inline __host__ __device__ unsigned matrix_of_a(unsigned thread, unsigned i, unsigned step)
{
    const unsigned lane = thread % 32;
    return place_in_a(thread / 32 / WARPS_N * WARP_M + 16 * i + lane % 16,
                      DEPTH * step + lane / 16 * 4);
}

/* The float that a lane reads for b[part] of product j. */
template <typename S>
static inline __host__ __device__ unsigned word_of_b(unsigned thread, unsigned j, unsigned step,
                                                     unsigned part)
{
    const unsigned lane = thread % 32;
    return place_in_b<S>(DEPTH * step + part * 4 + lane % 4,
                         thread / 32 % WARPS_N * S::warp_n + 8 * j + lane / 4);
}

/* ---- slices ---------------------------------------------------------------------------------- */

struct product {
    const float *a, *b;
    float *c;
    unsigned m, n, k;
    unsigned row, column; /* of the block's tile */
};

/* Elements outside of a matrix arrive as 0. */
template <typename S>
static __device__ inline void copy_slice(const struct product &p, uint32_t stage, unsigned slice)
{
#pragma unroll
    for (unsigned i = 0; i < TILE_M * SLICE / QUAD / THREADS; i++) {
        const struct quad_place at = copied_a(threadIdx.x, i);
        const unsigned row = p.row + at.row, column = slice * SLICE + at.column;
        const bool there = row < p.m && column < p.k;
        copy_piece(stage + place_in_a(at.row, at.column),
                   there ? p.a + (size_t)row * p.k + column : p.a, there ? 16 : 0);
    }
#pragma unroll
    for (unsigned i = 0; i < SLICE * S::tile_n / QUAD / THREADS; i++) {
        const struct quad_place at = copied_b<S>(threadIdx.x, i);
        const unsigned row = slice * SLICE + at.row, column = p.column + at.column;
        const bool there = row < p.k && column < p.n;
        copy_piece(stage + place_in_b<S>(at.row, at.column),
                   there ? p.b + (size_t)row * p.n + column : p.b, there ? 16 : 0);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

/* Rounds to the nearest TF32. */
static __device__ inline uint32_t tf32_of(uint32_t bits)
{
    uint32_t rounded = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
#elif defined(MMA_HERE)
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
#endif
    return rounded;
}

/* Splits a float, bit by bit, into a TF32 and the remainder, which is rounded too. */
template <int PIECES>
static __device__ inline void split_float(uint32_t bits, uint32_t (&piece)[PIECES])
{
    piece[0] = tf32_of(bits);
    if constexpr (PIECES == 2)
        piece[1] = tf32_of(__float_as_uint(__uint_as_float(bits) - __uint_as_float(piece[0])));
}

/* Adds to 16 x 8 sums the product of 16 x 8 TF32 of A and 8 x 8 of B. With g = lane / 4 and t =
 * lane % 4 a lane holds
 *   a     column t of rows g and g + 8, then column t + 4 of the same
 *   b     column g of rows t and t + 4
 *   sum   columns 2t and 2t + 1 of row g, then of row g + 8 */
static __device__ inline void multiply_tf32(float (&sum)[4], const uint32_t (&a)[4],
                                            const uint32_t (&b)[2])
{
#ifdef MMA_HERE
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

template <typename S> struct fragments {
    uint32_t a[S::pieces][MATRICES_M][4], b[S::pieces][S::matrices_n][2];
};

template <typename S> struct tile_sums {
    float of[MATRICES_M][S::matrices_n][4];
};

template <typename S>
static __device__ inline void read_fragments(struct fragments<S> *to, uint32_t stage, unsigned step)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++) {
        uint32_t whole[4];
        load_matrices(whole, stage + matrix_of_a(threadIdx.x, i, step));
#pragma unroll
        for (int part = 0; part < 4; part++) {
            uint32_t piece[S::pieces];
            split_float<S::pieces>(whole[part], piece);
#pragma unroll
            for (int p = 0; p < S::pieces; p++) to->a[p][i][part] = piece[p];
        }
    }
#pragma unroll
    for (int j = 0; j < S::matrices_n; j++)
#pragma unroll
        for (int part = 0; part < 2; part++) {
            uint32_t piece[S::pieces];
            split_float<S::pieces>(read_word(stage + word_of_b<S>(threadIdx.x, j, step, part)),
                                   piece);
#pragma unroll
            for (int p = 0; p < S::pieces; p++) to->b[p][j][part] = piece[p];
        }
}

template <typename S, int A, int B>
static __device__ inline void multiply_pieces(struct tile_sums<S> *sums,
                                              const struct fragments<S> &f)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int j = 0; j < S::matrices_n; j++) multiply_tf32(sums->of[i][j], f.a[A][i], f.b[B][j]);
}

/* The product of the remainders is below the last bit of the sum. */
template <typename S>
static __device__ inline void multiply_slice(struct tile_sums<S> *sums, uint32_t stage)
{
#pragma unroll
    for (unsigned step = 0; step < SLICE / DEPTH; step++) {
        struct fragments<S> f;
        read_fragments<S>(&f, stage, step);
        if constexpr (S::pieces == 2) {
            multiply_pieces<S, 1, 0>(sums, f);
            multiply_pieces<S, 0, 1>(sums, f);
        }
        multiply_pieces<S, 0, 0>(sums, f);
    }
}

template <typename S> static __device__ inline void clear_sums(struct tile_sums<S> *sums)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int j = 0; j < S::matrices_n; j++)
#pragma unroll
            for (int part = 0; part < 4; part++) sums->of[i][j][part] = 0;
}

template <typename S>
static __device__ inline void add_sums(struct tile_sums<S> *to, const struct tile_sums<S> &from)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int j = 0; j < S::matrices_n; j++)
#pragma unroll
            for (int part = 0; part < 4; part++) to->of[i][j][part] += from.of[i][j][part];
}

template <typename S>
static __device__ inline void store_sums(const struct product &p, const struct tile_sums<S> &sums)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned first_row = p.row + warp / WARPS_N * WARP_M + lane / 4,
                   first_column = p.column + warp % WARPS_N * S::warp_n + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < MATRICES_M * 2; i++) {
        const unsigned row = first_row + 8 * i;
        if (row >= p.m) continue;
#pragma unroll
        for (int j = 0; j < S::matrices_n; j++) {
            const unsigned column = first_column + 8 * j;
            const float *sum = &sums.of[i / 2][j][i % 2 * 2];
            if (column < p.n)
                *reinterpret_cast<float2 *>(p.c + (size_t)row * p.n + column) =
                    make_float2(sum[0], sum[1]);
        }
    }
}

/* ---- the block ------------------------------------------------------------------------------- */

template <typename S> static __device__ inline void place_block(struct product *p)
{
    const struct tile_place tile = tile_in_groups(blockIdx.x, (p->m + TILE_M - 1) / TILE_M,
                                                  (p->n + S::tile_n - 1) / S::tile_n, GROUP);
    p->row = tile.m * TILE_M;
    p->column = tile.n * S::tile_n;
}

/* While a slice is multiplied, the following ones are in flight. One barrier per slice publishes
 * it, and tells that all warps have left the slice before, whose stage is filled next. With two
 * pieces the tensor cores add the products of one slice only, starting from 0, and the CUDA cores
 * add the slices up: they round to nearest, and tensor cores truncate. */
template <typename S> static __device__ inline void multiply_tile(struct product p)
{
    extern __shared__ __align__(16) unsigned char dynamic[];
    const uint32_t memory = shared_address(dynamic);
    const unsigned slices = (p.k + SLICE - 1) / SLICE;
    struct tile_sums<S> sums;
    place_block<S>(&p);
    clear_sums<S>(&sums);
#pragma unroll
    for (unsigned slice = 0; slice + 1 < S::stages; slice++) {
        if (slice < slices) copy_slice<S>(p, memory + slice * S::stage_bytes, slice);
        close_copies();
    }
    for (unsigned slice = 0; slice < slices; slice++) {
        const unsigned ahead = slice + S::stages - 1;
        const uint32_t stage = memory + slice % S::stages * S::stage_bytes;
        wait_for_copies<S::stages - 2>();
        __syncthreads();
        if (ahead < slices) copy_slice<S>(p, memory + ahead % S::stages * S::stage_bytes, ahead);
        close_copies();
        if constexpr (S::pieces == 1) {
            multiply_slice<S>(&sums, stage);
        } else {
            struct tile_sums<S> part;
            clear_sums<S>(&part);
            multiply_slice<S>(&part, stage);
            add_sums<S>(&sums, part);
        }
    }
    store_sums<S>(p, sums);
}

/* ---- launches -------------------------------------------------------------------------------- */

static inline const char *refuse_tf32(const struct point *point, int compute_capability)
{
    if (compute_capability < 80) return "tensor cores take TF32 from compute capability 8.0 on";
    if (gemm_n(point) % QUAD || gemm_k(point) % QUAD)
        return "N and K must be multiples of 4: copies of 16 bytes ask for rows that are multiples "
               "of 16 bytes long";
    return refuse_large(point);
}

template <typename S> static inline unsigned tf32_tiles(const struct point *point)
{
    return (unsigned)(divide_up(gemm_m(point), TILE_M) * divide_up(gemm_n(point), S::tile_n));
}

template <typename S>
static inline void plan_tf32(const struct work *work, struct launch *launch,
                             void (*kernel)(const float *, const float *, float *, unsigned,
                                            unsigned, unsigned))
{
    const uint64_t *dim = work->point.shape.dim;
    launch->grid[0] = tf32_tiles<S>(&work->point);
    launch->block[0] = THREADS;
    launch->dynamic_shared = S::shared_bytes;
    launch_kernel(launch, kernel, work->input[0], work->input[1], work->output, dim[0], dim[1],
                  dim[2]);
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

/* Each function gives the first access of a warp, the first of the block. ldmatrix takes 16 bytes
 * of each lane. Copies past the registers are neither loads nor stores: they are not described. */
static inline int address_matrix_of_a(int lane)
{
    return (int)matrix_of_a((unsigned)lane, 0, 0);
}

template <typename S> static inline int address_word_of_b(int lane)
{
    return (int)word_of_b<S>((unsigned)lane, 0, 0, 0);
}

template <typename S>
static inline int describe_tf32(const struct work *work, struct shared_access *list)
{
    const double steps = (double)tf32_tiles<S>(&work->point) *
                         (double)divide_up(gemm_k(&work->point), SLICE) * (THREADS / 32) *
                         (SLICE / DEPTH);
    const int count = describe(list, 0, "reads of A", ACCESS_MATRIX_LOAD, 16, steps * MATRICES_M,
                               address_matrix_of_a);
    return describe(list, count, "reads of B", ACCESS_LOAD, 4, steps * S::matrices_n * 2,
                    address_word_of_b<S>);
}

#endif
