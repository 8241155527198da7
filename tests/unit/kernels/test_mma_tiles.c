/*
 * Tests the kernels that multiply by mma.sync from shared memory: the cells of grids and their
 * factors, here for all grids, the shapes that are refused, and the accesses to shared memory of
 * the cells and of the ladder's rungs, against the addresses of all warps that follow from the
 * techniques.
 */
#include "planned.h"

#include "bank_counts.h"

enum {
    CELLS = 16,
    WARPS = 8,
    STEPS = 4,
    PRODUCTS_M = 4, /* of a warp, 16 x 8 elements each */
    PRODUCTS_N = 8,
    COPIES_A = 4, /* of a warp, for a slice */
    COPIES_B = 8
};

/* How a kernel keeps and moves its slices. */
struct scheme {
    int padded, swizzled, matrices, async, stages;
};

static struct point point_of(uint64_t m, uint64_t n, uint64_t k)
{
    return (struct point){.shape = {3, {m, n, k}}, .block = 256};
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* The factors of a grid, in the order of a cell's name and of the bits of its number. */
struct grid {
    const char *family, *factors[5];
};

static const struct grid grids[] = {
    {"gemm_tensor_ablation", {"double_buffer", "swizzle", "ldmatrix", "async", NULL}},
    {"gemm_tensor_stages", {"four_stages", "swizzle", NULL}},
    {"gemm_ablation", {"double_buffer", "conflict_free", "wide_loads", "async", NULL}}};

/* Returns the bits of the factors that are on, and checks that the cell names all of them in order
 * and nothing else. */
static int factors_of(const struct grid *grid, const struct variant *cell)
{
    OWNED_BY(text_free) struct text expected = {0};
    int on = 0;
    assert_non_null(cell->factors);
    for (int f = 0; grid->factors[f]; f++) {
        const char *factor = strstr(cell->factors, grid->factors[f]);
        assert_non_null(factor);
        const int value = factor[strlen(grid->factors[f]) + 1] == '1';
        text_format(&expected, "%s%s=%d", f ? " " : "", grid->factors[f], value);
        on |= value << f;
    }
    assert_string_equal(cell->factors, text_string(&expected));
    return on;
}

/* Checks that the name after the number lists the factors that are on; "base" and "all" stand for
 * none and all. */
static void check_name(const struct grid *grid, const struct variant *cell, int on, int all)
{
    OWNED_BY(text_free) struct text name = {0};
    for (int f = 0; grid->factors[f]; f++)
        if (on & 1 << f) text_format(&name, "_%s", grid->factors[f]);
    assert_string_equal(cell->name + 2, on == 0     ? "_base"
                                        : on == all ? "_all"
                                                    : text_string(&name));
}

TEST(every_combination_is_there_once)
{
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        int seen[CELLS] = {0}, cells = 0, all = 0;
        for (int f = 0; grids[g].factors[f]; f++) all |= 1 << f;
        for (int i = 0; registry_variants[i]; i++) {
            const struct variant *cell = registry_variants[i];
            if (strcmp(cell->family, grids[g].family)) continue;
            const int on = factors_of(&grids[g], cell);
            check_name(&grids[g], cell, on, all);
            seen[on]++;
            assert_int_equal(variant_rung(cell->name), ++cells);
            assert_int_equal(cell->full_only, strcmp(cell->family, "gemm_ablation") != 0);
            if (on)
                assert_string_equal(cell->after, "01_base");
            else
                assert_null(cell->after);
        }
        assert_int_equal(cells, all + 1);
        for (int i = 0; i <= all; i++) assert_int_equal(seen[i], 1);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Lists the schemes of a kernel; returns 0 if it has none. */
static int scheme_of(const struct variant *variant, struct scheme *scheme)
{
    static const struct {
        const char *name;
        struct scheme scheme;
    } rungs[] = {
        {"03_shared_rows", {0, 0, 1, 0, 1}}, {"04_padded", {1, 0, 1, 0, 1}},
        {"05_swizzled", {0, 1, 1, 0, 1}},    {"06_double_buffer", {0, 1, 1, 1, 2}},
        {"07_more_stages", {0, 1, 1, 1, 4}}, {"08_fragment_buffers", {0, 1, 1, 1, 3}},
    };
    if (!strcmp(variant->family, grids[0].family)) {
        const int on = factors_of(&grids[0], variant);
        *scheme = (struct scheme){0, on >> 1 & 1, on >> 2 & 1, on >> 3 & 1, on & 1 ? 2 : 1};
        return 1;
    }
    if (!strcmp(variant->family, grids[1].family)) {
        const int on = factors_of(&grids[1], variant);
        *scheme = (struct scheme){0, on >> 1, 1, 1, on & 1 ? 4 : 2};
        return 1;
    }
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        if (strcmp(variant->family, "gemm_tensor") || strcmp(variant->name, rungs[i].name))
            continue;
        *scheme = rungs[i].scheme;
        return 1;
    }
    return 0;
}

/* Calls `check` with every kernel that has a scheme. */
static void check_all(void (*check)(const struct variant *variant, const struct scheme *scheme))
{
    int kernels = 0;
    for (int i = 0; registry_variants[i]; i++) {
        struct scheme scheme;
        if (!scheme_of(registry_variants[i], &scheme)) continue;
        check(registry_variants[i], &scheme);
        kernels++;
    }
    assert_int_equal(kernels, 6 + 16 + 4);
}

static void check_refusals(const struct variant *variant, const struct scheme *scheme)
{
    static const char unaligned[] = "N and K must be multiples of 8: copies of 16 bytes ask for "
                                    "rows that are multiples of 16 bytes long";
    const struct point odd = point_of(1, 8, 8), whole = point_of(4096, 4096, 4096),
                       columns = point_of(128, 260, 64), depth = point_of(128, 256, 63),
                       large = point_of(1 << 16, 1 << 15, 8);
    assert_null(variant->refuses(&odd, 80));
    assert_null(variant->refuses(&whole, 90));
    assert_string_equal(variant->refuses(&columns, 90), unaligned);
    assert_string_equal(variant->refuses(&depth, 90), unaligned);
    assert_string_equal(variant->refuses(&large, 90), "a matrix has 2^31 elements or more");
    assert_string_equal(variant->refuses(&whole, 75),
                        "tensor cores take bfloat16 from compute capability 8.0 on");
}

TEST(what_a_kernel_cannot_do_is_refused)
{
    const struct point whole = point_of(64, 128, 32), ragged = point_of(64, 96, 32),
                       shallow = point_of(64, 64, 24);
    check_all(check_refusals);
    const struct variant *global = rung_of("gemm_tensor", "02_mma_global");
    assert_null(global->refuses(&whole, 80));
    assert_non_null(global->refuses(&whole, 75));
    assert_string_equal(
        global->refuses(&ragged, 90),
        "M and N must be multiples of 64, K of 16: this rung has no code for the borders");
    assert_non_null(global->refuses(&shallow, 90));
}

static void check_launch(const struct variant *variant, const struct scheme *scheme)
{
    const struct work work = {.point = {.shape = {3, {129, 520, 72}}, .sweep = 4}};
    const size_t padding = scheme->padded ? 16 * (128 + 64) : 0;
    const struct launch launch = planned(variant, &work, 0);
    assert_int_equal(launch.grid[0], 3);
    assert_int_equal(launch.grid[1], 2);
    assert_int_equal(launch.block[0], 32 * WARPS);
    assert_int_equal(launch.dynamic_shared,
                     (size_t)scheme->stages * (2 * (128 + 256) * 64 + padding));
}

TEST(stages_take_their_bytes)
{
    check_all(check_launch);
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

static void check_access(const struct shared_access *access, const char *name,
                         enum access_kind kind, int width, double executions, int wavefronts,
                         int ideal)
{
    assert_string_equal(access->name, name);
    assert_int_equal(access->kind, kind);
    assert_int_equal(access->width, width);
    assert_true(access->executions == executions);
    assert_int_equal(bank_model_wavefronts(access), wavefronts);
    assert_int_equal(bank_model_ideal(access), ideal);
}

/* 2 x 3 blocks of 8 warps, 2 slices. Rows as they are begin in the same bank: the eight rows of a
 * matrix, or of a read of words of A; and the four rows of a read of halves of words of B. */
static void check_by_hand(const struct variant *variant, const struct scheme *scheme)
{
    const struct work work = {.point = point_of(129, 520, 72)};
    const double slices = 2 * 3 * 8 * 2;
    const int ways = scheme->padded || scheme->swizzled ? 1 : 8;
    struct shared_access list[SHARED_ACCESSES];
    memset(list, 0, sizeof list);
    assert_int_equal(variant->shared_accesses(&work, 0, list), scheme->async ? 2 : 4);
    if (scheme->matrices) {
        check_access(&list[0], "reads of A", ACCESS_MATRIX_LOAD, 16, slices * 16, 4 * ways, 4);
        check_access(&list[1], "reads of B", ACCESS_MATRIX_LOAD, 16, slices * 16, 4 * ways, 4);
    } else {
        check_access(&list[0], "reads of A", ACCESS_LOAD, 4, slices * 64, ways, 1);
        check_access(&list[1], "reads of B", ACCESS_LOAD, 2, slices * 128, ways > 1 ? 4 : 1, 1);
    }
    if (scheme->async) return; /* copies are not stores */
    check_access(&list[2], "writes of A", ACCESS_STORE, 16, slices * 4, 4, 4);
    check_access(&list[3], "writes of B", ACCESS_STORE, 16, slices * 8, 4, 4);
}

TEST(the_closed_forms_by_hand)
{
    check_all(check_by_hand);
}

/* Returns the byte of piece `piece` of a row of A of 8 pieces, or of B of 32. */
static int byte_of(const struct scheme *scheme, int pieces, int row, int piece)
{
    return row * 16 * (pieces + scheme->padded) + 16 * (scheme->swizzled ? piece ^ row % 8 : piece);
}

/* Fills in the addresses of read `i` of A, or of B, by a warp at a step. */
static void address_matrix(const struct scheme *scheme, int of_b, int warp, int step, int i,
                           int address[32])
{
    for (int lane = 0; lane < 32; lane++)
        address[lane] =
            of_b ? byte_of(scheme, 32, 16 * step + lane % 16, warp % 4 * 8 + 2 * i + lane / 16)
                 : byte_of(scheme, 8, warp / 4 * 64 + 16 * i + lane % 16, 2 * step + lane / 16);
}

/* i counts products and the words, or the halves of words, of each. */
static void address_lanes(const struct scheme *scheme, int of_b, int warp, int step, int i,
                          int address[32])
{
    const int product = i / 4, part = i % 4;
    for (int lane = 0; lane < 32; lane++)
        address[lane] =
            of_b ? byte_of(scheme, 32, 16 * step + part / 2 * 8 + lane % 4 * 2 + part % 2,
                           warp % 4 * 8 + product) +
                       2 * (lane / 4)
                 : byte_of(scheme, 8, warp / 4 * 64 + 16 * product + part % 2 * 8 + lane / 4,
                           2 * step + part / 2) +
                       4 * (lane % 4);
}

/* Copy i of a warp: each row of A is copied by 8 threads, each of B by 32. */
static void address_copy(const struct scheme *scheme, int of_b, int warp, int step, int i,
                         int address[32])
{
    for (int lane = 0; lane < 32; lane++) {
        const int thread = 32 * warp + lane;
        address[lane] = of_b ? byte_of(scheme, 32, thread / 32 + 8 * i, thread % 32)
                             : byte_of(scheme, 8, thread / 8 + 32 * i, thread % 8);
    }
}

typedef void fill_addresses(const struct scheme *scheme, int of_b, int warp, int step, int i,
                            int address[32]);

/* Checks that each of `count` accesses of all warps and steps takes as many wavefronts as the
 * described one. */
static void check_alike(const struct variant *variant, const struct scheme *scheme,
                        const struct shared_access *described, fill_addresses *fill, int of_b,
                        int steps, int count)
{
    struct shared_access access = *described;
    for (int warp = 0; warp < WARPS; warp++)
        for (int step = 0; step < steps; step++)
            for (int i = 0; i < count; i++) {
                fill(scheme, of_b, warp, step, i, access.address);
                if (bank_model_wavefronts(&access) != bank_model_wavefronts(described) ||
                    bank_model_ideal(&access) != bank_model_ideal(described))
                    fail_msg("%s: %s, warp %d, step %d, number %d", variant->file, described->name,
                             warp, step, i);
            }
    assert_true(described->executions == (double)WARPS * steps * count);
}

static void check_all_warps(const struct variant *variant, const struct scheme *scheme)
{
    const struct work work = {.point = point_of(128, 256, 64)};
    fill_addresses *read = scheme->matrices ? address_matrix : address_lanes;
    struct shared_access list[SHARED_ACCESSES];
    memset(list, 0, sizeof list);
    const int count = variant->shared_accesses(&work, 0, list);
    check_alike(variant, scheme, &list[0], read, 0, STEPS,
                scheme->matrices ? PRODUCTS_M : 4 * PRODUCTS_M);
    check_alike(variant, scheme, &list[1], read, 1, STEPS,
                scheme->matrices ? PRODUCTS_N / 2 : 4 * PRODUCTS_N);
    if (count == 2) return;
    check_alike(variant, scheme, &list[2], address_copy, 0, 1, COPIES_A);
    check_alike(variant, scheme, &list[3], address_copy, 1, 1, COPIES_B);
}

/* A kernel describes one warp and one instruction of each kind: the others have the same
 * conflicts. */
TEST(all_warps_collide_alike)
{
    check_all(check_all_warps);
}

RUN_TESTS(NULL, NULL)
