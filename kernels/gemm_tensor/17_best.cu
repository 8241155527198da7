/*
 * Rung 17: the best of the rungs before, for any shape.
 *
 * No tile is best for all shapes, so the host chooses among those below by an estimate. Its
 * figures were measured on an H200, in cycles of an SM:
 *   - The tensor cores multiply 2048 elements per cycle, so a slice of 128 x 256 takes 1024. Slices
 *     also have to come from the L2 cache, from which an SM gets 80 bytes per cycle while all ask.
 *     Slices of one warpgroup alone take at least 300, or 220 if they are 64 x 64.
 *   - A row of a box is 128 bytes. If rows of a matrix do not begin with a cache line, it lies in
 *     two lines, and an SM gets 27 bytes per cycle; then the other matrix is taken for 62, which
 *     chooses better tiles.
 *   - All SMs together store 26 bytes each per cycle. Consumers that take turns hide this
 *     (rung 15), except for the last tile, but each turn takes a while; consumers that share a tile
 *     do not hide it.
 *   - Partial tiles are left, announced by a flag and added (rung 16).
 * Then the time is that of the rounds of tiles that the busiest SM computes. Thus
 *   - 128 x 192 by turns is the best where its rounds are full: it needs the fewest bytes from L2
 *     of the tiles whose stores are hidden. With 132 SMs this holds at 8192, not at 4096;
 *   - 128 x 128 by turns has finer rounds;
 *   - 128 x 256 for clusters of two needs the fewest bytes from L2 of all, which pays where the
 *     rows of the inputs are not aligned. Its last round can be shared;
 *   - 64 x 128 and 64 x 64 give every SM a tile of a small product, or a share of the slices of one
 *     that has few tiles and is deep. They are not launched in clusters, which take 0.7 us longer;
 *   - 64 x 64 for clusters of two that share rows of A, with two consumers that take every other
 *     slice each, for deep products of few columns. At 1984 x 256 x 3008 they are 1.10 times as
 *     fast as 64 x 64 alone, at 3904 x 128 x 3904 1.02 times, but at 1024 x 512 x 4096 only 0.93
 *     times. So the host takes them only if M is at least 4 N.
 *
 * Sides that are multiples of 64 leave gaps: of 1536 x 1536, 144 tiles of 128 x 128 take two rounds
 * on 132 SMs. The second operand of wgmma may have any multiple of 8 as its width, but B cannot use
 * that, because it lies in strips of 64 columns. So the other tiles exchange the operands: the
 * first one is a strip of B, the second one any multiple of 8 rows of A, and the sums are those of
 * the transposed product. At 1536, 132 tiles of 144 x 128 take 0.82 of the time. Over 12 squares
 * and 25 other shapes these tiles save 5 %, and up to 28 %. A lane then holds pairs of a column,
 * and stages single words instead of pairs: twice as many instructions, as many wavefronts. Where
 * rows do not begin with cache lines the estimate is too coarse for the choice among so many, and
 * they are not taken: at 3000 x 3000 x 3000 and 2500 x 1000 x 3000 its choices cost 8 and 18 %.
 *
 * Tensor copies need rows of A and B that are multiples of 16 bytes long. If they are not, a launch
 * before copies that matrix to rows of whole cache lines. The same is done with aligned rows if the
 * estimate says that the product gains more than the copy costs. The number of launches may depend
 * on the shape alone, so this is estimated for 132 SMs. Rows of C that are not multiples of 16
 * bytes long are stored word by word, 32 neighbouring columns at a time.
 *
 * In a bench that times the tiles in turn with cuBLAS and cublasLt, over 25 shapes whose sides are
 * multiples of 64, the choice has on average 1.05 times the speed of the better of both, and at
 * least 0.93 times. Tiles of multiples of 64 alone, with an estimate that took shares for cheaper
 * than they are, have 0.97 and 0.67.
 *
 * Remaining cost: copies of inputs, and rounds that do not fill the device. Large products are
 * limited by the power of the device, which lowers its clock. There the tensor cores themselves
 * seem to need most of the energy: none of these was faster at 4096 or 8192 by more than 0.3 %,
 * though some halve the bytes from L2: the tiles by turns in clusters of two (of four they are
 * slower); 256 x 128, 256 x 192, 192 x 192 or 64 x 256 instead of them; groups of 4 or 16 rows of
 * tiles; stores of C that leave the L2 cache first; inputs that stay in it longest; and the
 * products of a slice in the order of B instead of A. Exchanged tiles gained nothing in clusters of
 * two or from shares of their slices.
 */
#include "pad.h"
#include "wgmma_ring.h"

template <int STORE> using turns_128 = ring_shape<2, 2, 128, 6, 1, 1, STORE, 2, 0, BY_TURNS>;
template <int STORE> using turns_192 = ring_shape<2, 2, 192, 5, 1, 1, STORE, 1, 0, BY_TURNS>;
template <int STORE> using wide = ring_shape<2, 1, 256, 4, 2, 1, STORE, 2>;
template <int STORE> using wide_shared = ring_shape<2, 1, 256, 4, 2, 1, STORE, 2, 1>;
template <int STORE> using narrow = ring_shape<1, 1, 128, 8, 1, 1, STORE, 2>;
template <int STORE> using narrow_shared = ring_shape<1, 1, 128, 8, 1, 1, STORE, 2, 1>;
template <int STORE> using small_tile = ring_shape<1, 1, 64, 12, 1, 1, STORE, 2>;
template <int STORE> using small_shared = ring_shape<1, 1, 64, 12, 1, 1, STORE, 2, 1>;

/* Two consumers keep two slices of a small tile in flight. */
using small_slices = ring_shape<2, 1, 64, 10, 1, 2, STORE_TENSOR, 2, 0, BY_SLICES>;

/* With exchanged operands, of any multiple of 8 rows. */
constexpr int stages_that_fit(int rows, int columns, int consumers)
{
    const int staged = consumers * 4 * 2 * PIECE_BYTES, all = 227 << 10,
              fit = (all - SWIZZLE_BLOCK - staged) / ((rows + columns) * SWIZZLE);
    return fit < 12 ? fit : 12;
}
template <int ROWS>
using exchanged_turns = ring_shape<2, 2, ROWS, stages_that_fit(ROWS, 128, 2), 1, 1, STORE_TENSOR, 2,
                                   0, BY_TURNS, WGMMA_K_MAJOR_SECOND>;
template <int ROWS>
using exchanged = ring_shape<2, 1, ROWS, stages_that_fit(ROWS, 128, 2), 1, 1, STORE_TENSOR, 2, 0,
                             TOGETHER, WGMMA_K_MAJOR_SECOND>;
template <int ROWS>
using exchanged_narrow = ring_shape<1, 1, ROWS, stages_that_fit(ROWS, 64, 1), 1, 1, STORE_TENSOR, 2,
                                    0, TOGETHER, WGMMA_K_MAJOR_SECOND>;

/* ---- kernels --------------------------------------------------------------------------------- */

template <typename S>
static __global__ void __launch_bounds__(S::threads, 1)
    gemm_tensor_best(const __grid_constant__ CUtensorMap map_a,
                     const __grid_constant__ CUtensorMap map_b,
                     const __grid_constant__ CUtensorMap map_c, float *c, float *partial, int m,
                     int n, int k, int waves, int sharers)
{
    const struct problem p = {c, partial, m, n, k, waves, sharers, GROUP};
    if (threadIdx.x == S::consumers * WARPGROUP) {
        tensor_map_prefetch(&map_a);
        tensor_map_prefetch(&map_b);
    }
    multiply_tiles<S>(p, &map_a, &map_b, &map_c);
}

static __global__ void __launch_bounds__(PAD_THREADS)
    gemm_tensor_pad(const bfloat16 *a, uint4 *to_a, unsigned rows_a, unsigned columns_a,
                    const bfloat16 *b, uint4 *to_b, unsigned rows_b, unsigned columns_b,
                    unsigned blocks_a)
{
    const bool is_a = blockIdx.x < blocks_a;
    const unsigned columns = is_a ? columns_a : columns_b;
    const struct pad_matrix x = {(const unsigned char *)(is_a ? a : b),
                                 is_a ? to_a : to_b,
                                 is_a ? rows_a : rows_b,
                                 columns,
                                 (columns + 7) / 8,
                                 (columns + 63) / 64 * 8};
    pad_share(x, is_a ? blockIdx.x : blockIdx.x - blocks_a);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* The operands that are copied: bits. */
enum { COPY_A = 1, COPY_B = 2 };

enum { NOMINAL_SMS = 132, CYCLES_PER_US = 1600 };

/* Bytes of such rows that come from the L2 cache in a cycle. */
static double l2_rate(const struct point *point, uint64_t columns, int copied)
{
    return has_whole_lines(point) ? 80 : copied || columns == tensor_pitch(columns) ? 62 : 27;
}

template <typename S> static struct share_plan estimate(const struct work *work, int copies)
{
    const struct point *point = &work->point;
    const double a = (double)S::a_bytes / S::cluster_n, b = (double)S::b_bytes / S::cluster_m,
                 from_l2 = a / l2_rate(point, gemm_k(point), copies & COPY_A) +
                           b / l2_rate(point, gemm_n(point), copies & COPY_B),
                 products = S::consumers > 1                     ? S::block_m * S::block_n / 32
                            : S::block_m * S::block_n <= 64 * 64 ? 220
                                                                 : 300;
    struct share_plan shares = plan_shares<S>(work, from_l2 > products ? from_l2 : products);
    if ((S::by_slices && gemm_m(point) < 4 * gemm_n(point)) ||
        ((S::exchanged || S::by_slices) && !has_whole_lines(point)))
        shares.cycles = INFINITY;
    return shares;
}

template <typename S>
static void plan_product(const struct work *work, int copies, const struct share_plan *shares,
                         struct launch *launch)
{
    const struct point *point = &work->point;
    const struct shape *shape = &point->shape;
    const char *scratch = (const char *)work->scratch;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    plan_ring<S>(work, launch);
    map_factors(launch, point, copies & COPY_A ? scratch + TENSOR_COPY_A_AT(shape) : work->input[0],
                copies & COPY_A ? tensor_pitch(k) : k, S::block_m / S::cluster_n,
                copies & COPY_B ? scratch + TENSOR_COPY_B_AT(shape) : work->input[1],
                copies & COPY_B ? tensor_pitch(n) : n);
    if ((int)S::epilogue == STORE_TENSOR) {
        map_result(launch, work);
    } else { /* unused; but it is an argument and must be a valid map */
        launch->tensor_map[2] = launch->tensor_map[1];
        launch->tensor_map_count = 3;
    }
    plan_grid(shares, launch);
    launch_kernel(launch, gemm_tensor_best<S>, work->output, work->scratch, m, n, k, shares->waves,
                  shares->sharers);
}

template <typename S>
static int describe_product(const struct work *work, struct shared_access *list)
{
    return describe_staged<S>(list, ring_tiles<S>(&work->point));
}

struct candidate {
    const char *name;
    struct share_plan (*estimate)(const struct work *work, int copies);
    void (*plan)(const struct work *work, int copies, const struct share_plan *shares,
                 struct launch *launch);
    int (*describe)(const struct work *work, struct shared_access *list);
};

#define CANDIDATE(name, shape)                                                                     \
    {                                                                                              \
        name, estimate<shape>, plan_product<shape>, describe_product<shape>                        \
    }

#define TURNS_128 "128 x 128 by turns"
#define TURNS_192 "128 x 192 by turns"
#define WIDE "128 x 256 in clusters"
#define WIDE_SHARED "128 x 256 in clusters; shared"
#define NARROW "64 x 128"
#define NARROW_SHARED "64 x 128; shared"
#define SMALL "64 x 64"
#define SMALL_SHARED "64 x 64; shared"

static const struct candidate by_tensor[] = {
    CANDIDATE(TURNS_128, turns_128<STORE_TENSOR>),
    CANDIDATE(TURNS_192, turns_192<STORE_TENSOR>),
    CANDIDATE(WIDE, wide<STORE_TENSOR>),
    CANDIDATE(WIDE_SHARED, wide_shared<STORE_TENSOR>),
    CANDIDATE(NARROW, narrow<STORE_TENSOR>),
    CANDIDATE(NARROW_SHARED, narrow_shared<STORE_TENSOR>),
    CANDIDATE(SMALL, small_tile<STORE_TENSOR>),
    CANDIDATE(SMALL_SHARED, small_shared<STORE_TENSOR>),
    CANDIDATE("96 x 128 by turns", exchanged_turns<96>),
    CANDIDATE("104 x 128 by turns", exchanged_turns<104>),
    CANDIDATE("112 x 128 by turns", exchanged_turns<112>),
    CANDIDATE("120 x 128 by turns", exchanged_turns<120>),
    CANDIDATE("136 x 128 by turns", exchanged_turns<136>),
    CANDIDATE("72 x 128", exchanged<72>),
    CANDIDATE("80 x 128", exchanged<80>),
    CANDIDATE("96 x 128", exchanged<96>),
    CANDIDATE("104 x 128", exchanged<104>),
    CANDIDATE("112 x 128", exchanged<112>),
    CANDIDATE("120 x 128", exchanged<120>),
    CANDIDATE("144 x 128", exchanged<144>),
    CANDIDATE("152 x 128", exchanged<152>),
    CANDIDATE("72 x 64", exchanged_narrow<72>),
    CANDIDATE("80 x 64", exchanged_narrow<80>),
    CANDIDATE("64 x 64 by slices in clusters", small_slices),
};

/* Without the two whose sums leave too few registers for these stores. */
static const struct candidate by_rows[] = {
    CANDIDATE(TURNS_128, turns_128<STORE_ROWS>),
    CANDIDATE(WIDE, wide<STORE_ROWS>),
    CANDIDATE(NARROW, narrow<STORE_ROWS>),
    CANDIDATE(NARROW_SHARED, narrow_shared<STORE_ROWS>),
    CANDIDATE(SMALL, small_tile<STORE_ROWS>),
    CANDIDATE(SMALL_SHARED, small_shared<STORE_ROWS>),
};

struct choice {
    const struct candidate *candidate;
    int copies;
    struct share_plan shares;
};

static struct choice choose_tile(const struct work *work, int copies)
{
    const int tensor = gemm_n(&work->point) % 4 == 0;
    const struct candidate *list = tensor ? by_tensor : by_rows;
    const size_t count =
        tensor ? sizeof by_tensor / sizeof *by_tensor : sizeof by_rows / sizeof *by_rows;
    struct choice best = {list, copies, list->estimate(work, copies)};
    for (size_t i = 1; i < count; i++) {
        const struct share_plan shares = list[i].estimate(work, copies);
        if (shares.cycles < best.shares.cycles) best = {&list[i], copies, shares};
    }
    return best;
}

/* Cycles of a launch that copies: 4.4 bytes per ps, read and written, and 1.5 us between both
 * launches. */
static double copy_cycles(const struct point *point, int copies)
{
    const double a = 2.0 * gemm_m(point) * gemm_k(point), b = 2.0 * gemm_k(point) * gemm_n(point),
                 bytes = 2 * ((copies & COPY_A ? a : 0) + (copies & COPY_B ? b : 0));
    return copies ? (bytes / 4.4e6 + 1.5) * CYCLES_PER_US : 0;
}

static int choose_copies(const struct point *point)
{
    const uint64_t n = gemm_n(point), k = gemm_k(point);
    const int needed = (k % 8 ? COPY_A : 0) | (n % 8 ? COPY_B : 0),
              useful = (k % 64 ? COPY_A : 0) | (n % 64 ? COPY_B : 0);
    struct work nominal = {};
    int best = needed;
    double least = 0;
    nominal.point = *point;
    nominal.sm_count = NOMINAL_SMS;
    for (int copies = needed; copies <= useful; copies++) {
        if ((copies & needed) != needed || (copies & useful) != copies) continue;
        const double cycles =
            copy_cycles(point, copies) + choose_tile(&nominal, copies).shares.cycles;
        if (copies != needed && cycles >= least) continue;
        best = copies;
        least = cycles;
    }
    return best;
}

/* ---- launches -------------------------------------------------------------------------------- */

static unsigned launches(const struct point *point)
{
    return choose_copies(point) ? 2 : 1;
}

static void plan_copies(const struct work *work, int copies, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct shape *shape = &point->shape;
    char *scratch = (char *)work->scratch;
    const uint64_t m = gemm_m(point), n = gemm_n(point), k = gemm_k(point);
    const unsigned blocks_a = copies & COPY_A ? pad_blocks(m, k) : 0,
                   blocks_b = copies & COPY_B ? pad_blocks(k, n) : 0;
    launch->grid[0] = blocks_a + blocks_b;
    launch->block[0] = PAD_THREADS;
    launch_kernel(launch, gemm_tensor_pad, work->input[0],
                  (void *)(scratch + TENSOR_COPY_A_AT(shape)), m, k, work->input[1],
                  (void *)(scratch + TENSOR_COPY_B_AT(shape)), k, n, blocks_a);
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const int copies = choose_copies(&work->point);
    if (copies && index == 0) {
        plan_copies(work, copies, launch);
        return;
    }
    const struct choice choice = choose_tile(work, copies);
    choice.candidate->plan(work, copies, &choice.shares, launch);
}

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    const int copies = choose_copies(&work->point);
    if (copies && index == 0) return 0;
    return choose_tile(work, copies).candidate->describe(work, list);
}

static const char *choice_name(const struct work *work)
{
    return choose_tile(work, choose_copies(&work->point)).candidate->name;
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_wgmma(compute_capability);
    return reason ? reason : refuse_large(point);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Best tile for each shape",
    .after = "15_epilogue",
    .suffers = "One size of tiles fills the last round of some shapes only, and rows must be "
               "multiples of 16 bytes long.",
    .changes = "The host estimates the time of 24 kernels, with and without shares, and takes the "
               "best; a launch before copies inputs whose rows are not aligned.",
    .pays = "Copies of inputs, and rounds that do not fill the device; large products are limited "
            "by its power.",
    .claims =
        {
            {"The kernel is no slower than the library at 2048.", "whyfast", "Aim of the top rung",
             "2048x2048x2048", "NOT slower_than_library"},
            {"The kernel is no slower than the library at 4096.", "whyfast", "Aim of the top rung",
             "4096x4096x4096", "NOT slower_than_library"},
            {"The kernel is at least 1.05 times as fast as the library at 8192.", "whyfast",
             "Aim of the top rung", "8192x8192x8192", TIMES_LIBRARY(1.05)},
            {"The kernel reaches 0.95 of the library's speed at 1024.", "whyfast",
             "Aim of the top rung", "1024x1024x1024", TIMES_LIBRARY(0.95)},
            {"The kernel is more than ten times as fast as the peak of the CUDA cores.", "whyfast",
             "Aim of the top rung", "4096x4096x4096",
             "CASE WHEN tflops_low > 10 * fp32_peak_tflops THEN 1 WHEN tflops_high <= 10 * "
             "fp32_peak_tflops THEN 0 END"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 179894, 746.1, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuses,
    .launch_count = launches,
    .plan = plan,
    .shared_accesses = accesses,
    .choice = choice_name,
};
