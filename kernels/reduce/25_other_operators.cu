/*
 * Rung 25: operators other than the sum.
 *
 * Any associative operator with a neutral element can take the place of the addition. One template
 * has the operator as an argument, and the setting chooses it: sum, maximum, minimum, bitwise and,
 * bitwise or, product. The reference of a setting is its own, computed on the CPU.
 *
 * Random words have the product 0, the and 0 and the or -1, whatever a kernel leaves out. The
 * product is therefore of odd numbers. The or is of words of which some 8 to 16 have one bit set,
 * and the others none; the and is of their complements.
 *
 * Remaining cost: that of rung 7, and the bounds of each load.
 */
#include "reduce.h"

enum { SUM = 1, MAXIMUM, MINIMUM, BITWISE_AND, BITWISE_OR, PRODUCT };
enum { LOADS = 16 };

#ifdef __CUDACC__
#define EVERYWHERE static __host__ __device__ inline
#else
#define EVERYWHERE static inline
#endif

EVERYWHERE unsigned neutral(int op)
{
    return op == MINIMUM || op == BITWISE_AND ? ~0u : op == PRODUCT ? 1u : 0u;
}

EVERYWHERE unsigned combined(int op, unsigned a, unsigned b)
{
    switch (op) {
    case MAXIMUM: return a > b ? a : b;
    case MINIMUM: return a < b ? a : b;
    case BITWISE_AND: return a & b;
    case BITWISE_OR: return a | b;
    case PRODUCT: return a * b;
    }
    return a + b;
}

/* What an operator takes of an element; `mask` has the bits of the number of elements less one. */
EVERYWHERE unsigned taken(int op, unsigned element, unsigned mask)
{
    const unsigned rare = (element & mask) < 16 ? 1u << (element >> 27) : 0;
    switch (op) {
    case BITWISE_AND: return ~rare;
    case BITWISE_OR: return rare;
    case PRODUCT: return element | 1;
    }
    return element;
}

static unsigned mask_of(uint64_t n)
{
    unsigned mask = 0;
    while (mask < n - 1 && ~mask) mask = mask << 1 | 1;
    return mask;
}

static void reference(const struct point *point, void *const *input, void *output)
{
    const unsigned *element = (const unsigned *)input[0], mask = mask_of(point->shape.dim[0]);
    unsigned result = neutral(point->sweep);
    for (uint64_t i = 0; i < point->shape.dim[0]; i++)
        result = combined(point->sweep, result, taken(point->sweep, element[i], mask));
    *(unsigned *)output = result;
}

/* The launches after the first combine results, which they take as they are. */
template <int OP, bool FIRST>
static __device__ inline unsigned loaded(const unsigned *in, uint64_t i, uint64_t n, unsigned mask)
{
    if (i >= n) return neutral(OP);
    return FIRST ? taken(OP, in[i], mask) : in[i];
}

template <int OP, bool FIRST>
static __global__ void reduce_other_operators(const unsigned *in, unsigned *out, uint64_t n,
                                              unsigned mask)
{
    extern __shared__ unsigned word[];
    const unsigned t = threadIdx.x;
    const uint64_t start = (uint64_t)blockIdx.x * blockDim.x + t,
                   step = (uint64_t)gridDim.x * blockDim.x;
    unsigned result = neutral(OP);
#pragma unroll 8
    for (unsigned k = 0; k < 2 * LOADS; k++)
        result = combined(OP, result, loaded<OP, FIRST>(in, start + k * step, n, mask));
    word[t] = result;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) word[t] = combined(OP, word[t], word[t + half]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = word[0];
}

template <bool FIRST> static const void *kernel_of(int op)
{
    switch (op) {
    case SUM: return (const void *)reduce_other_operators<SUM, FIRST>;
    case MAXIMUM: return (const void *)reduce_other_operators<MAXIMUM, FIRST>;
    case MINIMUM: return (const void *)reduce_other_operators<MINIMUM, FIRST>;
    case BITWISE_AND: return (const void *)reduce_other_operators<BITWISE_AND, FIRST>;
    case BITWISE_OR: return (const void *)reduce_other_operators<BITWISE_OR, FIRST>;
    case PRODUCT: return (const void *)reduce_other_operators<PRODUCT, FIRST>;
    }
    return NULL;
}

static uint64_t per_block(const struct point *point)
{
    return 2 * LOADS * (uint64_t)point->block;
}

static unsigned launch_count(const struct point *point)
{
    return reduce_level_count(point->shape.dim[0], per_block(point));
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct reduce_level level = reduce_level(work, per_block(point), index);
    reduce_plan(launch, index == 0 ? kernel_of<true>(point->sweep) : kernel_of<false>(point->sweep),
                &level, point->block, (size_t)point->block * sizeof(unsigned));
    launch_integer(launch, mask_of(point->shape.dim[0]));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Other operators",
    .after = "07_many_per_thread",
    .suffers = "The operator is the addition.",
    .changes = "The operator is a template argument: sum, maximum, minimum, and, or, product.",
    .pays = "The result is finished by a relaunch; each load tests its bounds and moves 4 bytes.",
    .full_only = 1,
    .sweep_name = "operator",
    .sweep_text =
        "the operator: 1 sum, 2 maximum, 3 minimum, 4 bitwise and, 5 bitwise or, 6 product",
    .sweep_values = {SUM, MAXIMUM, MINIMUM, BITWISE_AND, BITWISE_OR, PRODUCT},
    .reference = reference,
    .launch_count = launch_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
