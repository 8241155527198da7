/*
 * Rung 6: tiles whose size suits n; the first block collects the partial sums.
 *
 * Rung 4 always has a full wave of blocks and one load from each vector in flight per thread, sets
 * the result to 0 beforehand and ends with an atomic for each block, all on one word. Here there
 * are three sizes of tiles, so that a short product has one for each block and at most two blocks
 * for each SM. Large inputs have two loads from each vector in flight per thread, and blocks of
 * four tiles that replace one another. The first block waits for the partial sums, each of which
 * arrives in one word together with the sign that it is there: there is no memset, and the order of
 * the additions is the same in every run.
 *
 * Remaining cost: up to 2^19 elements the launch of an empty grid is most of the time; large inputs
 * must be read once.
 */
#include "sum_tiles.h"

/* The products of two arrays as terms of a sum (sum_of_array). */
template <typename T> struct products {
    struct four {
        sum_vector<T> a, b;
    };
    struct one {
        T a, b;
    };
    const T *a, *b;

    __device__ four load(uint64_t i) const
    {
        return {sum_load(reinterpret_cast<const sum_vector<T> *>(a) + i),
                sum_load(reinterpret_cast<const sum_vector<T> *>(b) + i)};
    }
    __device__ one load_one(uint64_t i) const
    {
        return {a[i], b[i]};
    }
    static __device__ T add(T sum, const four &x)
    {
        return fmaf(x.a.w, x.b.w, fmaf(x.a.z, x.b.z, fmaf(x.a.y, x.b.y, fmaf(x.a.x, x.b.x, sum))));
    }
    static __device__ T add_one(T sum, const one &x)
    {
        return fmaf(x.a, x.b, sum);
    }
};

enum { LEAST_TILE = 1024, MOST_TILE = 4096 }; /* elements of each array */

template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    dot_first_block(const float *a, const float *b, uint64_t n, float *out)
{
    const products<float> terms = {a, b};
    const float sum = sum_block<SUM_XOR, BLOCK>(
        sum_of_tiles<BLOCK, VECTORS>(terms, 0, n, threadIdx.x, blockIdx.x, gridDim.x));
    sum_by_first_block<BLOCK>(sum, out);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    const struct sum_division division = sum_divide(n, LEAST_TILE, MOST_TILE, work->sm_count);
    const unsigned tile = division.tile;
    launch->grid[0] = division.blocks;
    launch->block[0] = tile == LEAST_TILE ? 256 : 512;
    launch_kernel(launch,
                  tile == LEAST_TILE  ? dot_first_block<256, 1>
                  : tile == MOST_TILE ? dot_first_block<512, 2>
                                      : dot_first_block<512, 1>,
                  work->input[0], work->input[1], n, work->output);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "First block collects",
    .after = "04_coalesced_wide",
    .suffers = "A thread has one load from each vector in flight; the result is cleared, and then "
               "every block adds to it by an atomic.",
    .changes = "Tiles get smaller with n, a thread has up to two loads from each vector in flight, "
               "and the first block collects the partial sums as they arrive.",
    .pays = "Up to 2^19 elements the launch of an empty grid is most of the time.",
    .claims =
        {
            {"The kernel is no slower than the library.", "whyfast", "Aim of the top rung", NULL,
             "NOT slower_than_library"},
            {"The kernel is at least 1.02 times as fast as the library at 2 GiB.", "whyfast",
             "Aim of the top rung", "268435456", TIMES_LIBRARY(1.02)},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
