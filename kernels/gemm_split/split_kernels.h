/*
 * Splits the floats of both matrices into pieces of 16 bits. Nothing is owned.
 *
 * A float x is the sum of its pieces: the first is x rounded to so many bits, the next is the rest
 * of x, rounded again. Three bfloat16 hold all 24 bits of a float, two halves 22. Halves have fewer
 * exponents, so each row of A and each column of B is scaled by its largest element.
 */
#ifndef KERNELS_GEMM_SPLIT_SPLIT_KERNELS_H
#define KERNELS_GEMM_SPLIT_SPLIT_KERNELS_H

#include "split.h"
#include "wgmma.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum {
    EIGHT = 8, /* elements of a piece that a thread stores at once */
    SPLIT_THREADS = 256
};

/* Four elements of a row; those beyond its end are 0. */
static __device__ inline float4 load_four(const float *row, unsigned column, unsigned columns)
{
    if (columns % 4 == 0)
        return column < columns ? __ldg(reinterpret_cast<const float4 *>(row + column))
                                : make_float4(0, 0, 0, 0);
    return make_float4(
        column < columns ? row[column] : 0, column + 1 < columns ? row[column + 1] : 0,
        column + 2 < columns ? row[column + 2] : 0, column + 3 < columns ? row[column + 3] : 0);
}

static __device__ inline unsigned peak_of(unsigned peak, float x)
{
    return max(peak, __float_as_uint(x) & 0x7fffffff);
}

/* Raises the peaks of the rows of A, one warp for each, and of the columns of B, a block for 128
 * columns and 256 rows. Bits of positive floats are ordered as the floats are; those of infinity
 * and NaN come last. */
enum { PEAK_COLUMNS = 128, PEAK_ROWS = 256, PEAK_WARPS = SPLIT_THREADS / 32 };

static __device__ inline void find_peaks_a(const float *a, unsigned *peaks, unsigned m, unsigned k,
                                           unsigned block)
{
    const unsigned row = block * PEAK_WARPS + threadIdx.x / 32;
    unsigned peak = 0;
    if (row >= m) return;
    for (unsigned column = threadIdx.x % 32 * 4; column < k; column += PEAK_COLUMNS) {
        const float4 x = load_four(a + (size_t)row * k, column, k);
        peak = peak_of(peak_of(peak_of(peak_of(peak, x.x), x.y), x.z), x.w);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        peak = max(peak, __shfl_xor_sync(~0u, peak, distance));
    if (threadIdx.x % 32 == 0) peaks[row] = peak;
}

static __device__ inline void find_peaks_b(const float *b, unsigned *peaks, unsigned n, unsigned k,
                                           unsigned block)
{
    __shared__ uint4 shared[PEAK_WARPS][PEAK_COLUMNS / 4];
    const unsigned strips = (n + PEAK_COLUMNS - 1) / PEAK_COLUMNS,
                   first = block % strips * PEAK_COLUMNS, top = block / strips * PEAK_ROWS,
                   lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 peak = make_uint4(0, 0, 0, 0);
    for (unsigned row = top + warp; row < min(top + PEAK_ROWS, k); row += PEAK_WARPS) {
        const float4 x = load_four(b + (size_t)row * n, first + lane * 4, n);
        peak = make_uint4(peak_of(peak.x, x.x), peak_of(peak.y, x.y), peak_of(peak.z, x.z),
                          peak_of(peak.w, x.w));
    }
    shared[warp][lane] = peak;
    __syncthreads();
    const unsigned column = threadIdx.x;
    if (column >= PEAK_COLUMNS || first + column >= n) return;
    unsigned whole = 0;
#pragma unroll
    for (int w = 0; w < PEAK_WARPS; w++)
        whole = max(whole, reinterpret_cast<const unsigned *>(shared[w])[column]);
    atomicMax(&peaks[first + column], whole);
}

static __global__ void __launch_bounds__(SPLIT_THREADS)
    gemm_split_find_peaks(const float *a, const float *b, unsigned *peaks_a, unsigned *peaks_b,
                          unsigned m, unsigned n, unsigned k)
{
    const unsigned blocks_a = (m + PEAK_WARPS - 1) / PEAK_WARPS;
    if (blockIdx.x < blocks_a)
        find_peaks_a(a, peaks_a, m, k, blockIdx.x);
    else
        find_peaks_b(b, peaks_b, n, k, blockIdx.x - blocks_a);
}

/* 2^exponent, for -126 to 127. */
static __device__ inline float power_of_two(int exponent)
{
    return __int_as_float((exponent + 127) << 23);
}

/* The exponent of the power of two that brings the peak of a row or column to between 2^14 and
 * 2^15: the largest half is 65504. Peaks below 2^-112 get 2^126, so that the power is a float. */
static __device__ inline int scale_of(unsigned peak)
{
    return peak == 0 ? 0 : min(14 + 127 - max((int)(peak >> 23), 1), 126);
}

/* Rounds to the piece's type, and takes what is left. Numbers too large for bfloat16 by less than
 * half a unit are cut to the largest. */
template <int TYPE> static __device__ inline uint16_t take_piece(float *x)
{
    if constexpr (TYPE == WGMMA_BFLOAT16) {
        const float largest = __uint_as_float(0x7f7f0000);
        const __nv_bfloat16 piece = __float2bfloat16_rn(fminf(fmaxf(*x, -largest), largest));
        *x -= __bfloat162float(piece);
        return __bfloat16_as_ushort(piece);
    } else {
        const __half piece = __float2half_rn(*x);
        *x -= __half2float(piece);
        return __half_as_ushort(piece);
    }
}

/* A matrix and its pieces, which have `filled` rows each. Peaks are those of its rows, or of its
 * columns, up to the pitch. */
struct splitting {
    const float *from;
    uint16_t *to;
    const unsigned *peaks;
    unsigned rows, filled, columns, pitch;
    bool by_rows;
};

static __device__ inline void scale_eight(float (&x)[EIGHT], const struct splitting &s,
                                          unsigned row, unsigned column)
{
    unsigned peak[EIGHT];
    if (s.by_rows) {
#pragma unroll
        for (int i = 0; i < EIGHT; i++) peak[i] = s.peaks[row];
    } else {
        *reinterpret_cast<uint4 *>(&peak[0]) =
            __ldg(reinterpret_cast<const uint4 *>(s.peaks + column));
        *reinterpret_cast<uint4 *>(&peak[4]) =
            __ldg(reinterpret_cast<const uint4 *>(s.peaks + column + 4));
    }
#pragma unroll
    for (int i = 0; i < EIGHT; i++) x[i] *= power_of_two(scale_of(peak[i]));
}

/* Splits eight elements of a row. */
template <int TYPE, int PIECES>
static __device__ inline void split_eight(const struct splitting &s, unsigned index)
{
    const unsigned row = index / (s.pitch / EIGHT), column = index % (s.pitch / EIGHT) * EIGHT;
    const float *from = s.from + (size_t)row * s.columns;
    float x[EIGHT] = {0};
    uint16_t piece[PIECES][EIGHT];
    if (row < s.rows) {
        *reinterpret_cast<float4 *>(&x[0]) = load_four(from, column, s.columns);
        *reinterpret_cast<float4 *>(&x[4]) = load_four(from, column + 4, s.columns);
    }
    if (TYPE == WGMMA_HALF) scale_eight(x, s, row, column);
#pragma unroll
    for (int i = 0; i < EIGHT; i++)
#pragma unroll
        for (int p = 0; p < PIECES; p++) piece[p][i] = take_piece<TYPE>(&x[i]);
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        uint4 words;
        words.x = piece[p][0] | (unsigned)piece[p][1] << 16;
        words.y = piece[p][2] | (unsigned)piece[p][3] << 16;
        words.z = piece[p][4] | (unsigned)piece[p][5] << 16;
        words.w = piece[p][6] | (unsigned)piece[p][7] << 16;
        *reinterpret_cast<uint4 *>(s.to + ((size_t)p * s.filled + row) * s.pitch + column) = words;
    }
}

template <int TYPE, int PIECES>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    gemm_split_pieces(const float *a, const float *b, uint16_t *to_a, uint16_t *to_b,
                      const unsigned *peaks_a, const unsigned *peaks_b, unsigned m, unsigned n,
                      unsigned k, unsigned pitch_a, unsigned pitch_b, unsigned rows_b)
{
    const unsigned count_a = m * (pitch_a / EIGHT), count_b = rows_b * (pitch_b / EIGHT),
                   index = blockIdx.x * SPLIT_THREADS + threadIdx.x;
    if (index < count_a)
        split_eight<TYPE, PIECES>({a, to_a, peaks_a, m, m, k, pitch_a, true}, index);
    else if (index - count_a < count_b)
        split_eight<TYPE, PIECES>({b, to_b, peaks_b, k, rows_b, n, pitch_b, false},
                                  index - count_a);
}

/* ---- launches -------------------------------------------------------------------------------- */

static inline void *in_scratch(const struct work *work, size_t at)
{
    return static_cast<unsigned char *>(work->scratch) + at;
}

static inline void plan_peaks(const struct work *work, const struct split_layout &at,
                              struct launch *launch)
{
    const struct point *point = &work->point;
    launch->grid[0] =
        (unsigned)(divide_up(gemm_m(point), PEAK_WARPS) +
                   divide_up(gemm_n(point), PEAK_COLUMNS) * divide_up(gemm_k(point), PEAK_ROWS));
    launch->block[0] = SPLIT_THREADS;
    launch->clear_scratch = at.a;
    launch_kernel(launch, gemm_split_find_peaks, work->input[0], work->input[1], work->scratch,
                  in_scratch(work, at.peaks_b), gemm_m(point), gemm_n(point), gemm_k(point));
}

template <int TYPE, int PIECES>
static inline void plan_splitting(const struct work *work, const struct split_layout &at,
                                  struct launch *launch)
{
    const struct point *point = &work->point;
    const uint64_t count = (gemm_m(point) * at.pitch_a + at.rows_b * at.pitch_b) / EIGHT;
    launch->grid[0] = (unsigned)divide_up(count, SPLIT_THREADS);
    launch->block[0] = SPLIT_THREADS;
    launch_kernel(launch, gemm_split_pieces<TYPE, PIECES>, work->input[0], work->input[1],
                  in_scratch(work, at.a), in_scratch(work, at.b), work->scratch,
                  in_scratch(work, at.peaks_b), gemm_m(point), gemm_n(point), gemm_k(point),
                  at.pitch_a, at.pitch_b, at.rows_b);
}

#endif
