/*
 * Tests the grid of the matrix product: the shapes that its cells refuse, and their accesses to
 * shared memory, against the addresses of all warps of a block that follow from the techniques.
 * test_mma_tiles.c tests the names and factors of the cells.
 */
#include "fixture.h"

#include "bank_counts.h"
#include "catalog/registry.h"

enum { CELLS = 16, WARPS = 8, DEPTH = 8, SIDE = 8, SHARE = 4 };

struct factors {
    int double_buffer, conflict_free, wide_loads, async;
};

/* Lists the cells in their order and returns their number. */
static int find_cells(const struct variant *cell[CELLS])
{
    int count = 0;
    for (int i = 0; registry_variants[i]; i++) {
        if (strcmp(registry_variants[i]->family, "gemm_ablation")) continue;
        assert_true(count < CELLS);
        cell[count++] = registry_variants[i];
    }
    return count;
}

static struct factors factors_of(const struct variant *cell)
{
    struct factors f;
    assert_int_equal(sscanf(cell->factors,
                            "double_buffer=%d conflict_free=%d wide_loads=%d async=%d",
                            &f.double_buffer, &f.conflict_free, &f.wide_loads, &f.async),
                     4);
    return f;
}

static struct point point_of(uint64_t m, uint64_t n, uint64_t k)
{
    return (struct point){.shape = {3, {m, n, k}}, .block = 256};
}

TEST(what_a_cell_cannot_do_is_refused)
{
    const struct variant *cell[CELLS];
    const struct point whole = point_of(128, 256, 8), rows = point_of(129, 128, 8),
                       columns = point_of(128, 64, 8), depth = point_of(128, 128, 12),
                       tall = point_of((uint64_t)65536 * 128, 128, 8),
                       most = point_of((uint64_t)65535 * 128, 128, 8),
                       large = point_of(128, (uint64_t)1 << 24, 8),
                       deep = point_of(128, 128, (uint64_t)1 << 62);
    static const char borders[] =
        "M and N must be multiples of 128, K of 8: there is no code for the borders";
    assert_int_equal(find_cells(cell), CELLS);
    for (int i = 0; i < CELLS; i++) {
        assert_null(cell[i]->refuses(&whole, 80));
        assert_null(cell[i]->refuses(&most, 80));
        assert_string_equal(cell[i]->refuses(&rows, 90), borders);
        assert_string_equal(cell[i]->refuses(&columns, 90), borders);
        assert_string_equal(cell[i]->refuses(&depth, 90), borders);
        assert_string_equal(cell[i]->refuses(&tall, 90),
                            "M is more than 65535 x 128, for which a grid has rows of blocks");
        assert_string_equal(cell[i]->refuses(&large, 90), "a matrix has 2^31 elements or more");
        assert_string_equal(cell[i]->refuses(&deep, 90), "a matrix has 2^31 elements or more");
        if (factors_of(cell[i]).async)
            assert_string_equal(cell[i]->refuses(&whole, 75),
                                "asynchronous copies to shared memory need compute capability 8.0");
        else
            assert_null(cell[i]->refuses(&whole, 75));
    }
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

static const struct shared_access *find_access(const struct shared_access *list, int count,
                                               const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(list[i].name, name)) return &list[i];
    return NULL;
}

static void check_access(const struct shared_access *access, enum access_kind kind, int width,
                         double executions, int wavefronts, int ideal)
{
    assert_non_null(access);
    assert_int_equal(access->kind, kind);
    assert_int_equal(access->width, width);
    assert_true(access->executions == executions);
    assert_int_equal(bank_model_wavefronts(access), wavefronts);
    assert_int_equal(bank_model_ideal(access), ideal);
}

/* 2 x 3 blocks of 8 warps, 5 tiles. Narrow reads of B take a word from every eighth bank, so
 * that 16 words meet in 4 banks. */
TEST(the_closed_forms_by_hand)
{
    const struct work work = {.point = point_of(256, 384, 40)};
    const double tiles = 2 * 3 * 8 * 5;
    const struct variant *cell[CELLS];
    assert_int_equal(find_cells(cell), CELLS);
    for (int i = 0; i < CELLS; i++) {
        const struct factors f = factors_of(cell[i]);
        const int width = f.wide_loads ? 16 : 4, ideal_a = f.wide_loads ? 2 : 1,
                  ideal_b = f.wide_loads ? 4 : 1;
        const double reads = tiles * (f.wide_loads ? 16 : 64);
        struct shared_access list[SHARED_ACCESSES];
        const int count = cell[i]->shared_accesses(&work, 0, list);
        assert_int_equal(count, f.async ? 2 : 4); /* copies are not stores */
        check_access(find_access(list, count, "reads of A"), ACCESS_LOAD, width, reads, ideal_a,
                     ideal_a);
        check_access(find_access(list, count, "reads of B"), ACCESS_LOAD, width, reads,
                     f.conflict_free ? ideal_b
                     : f.wide_loads  ? 8
                                     : 4,
                     ideal_b);
        if (f.async) continue;
        check_access(find_access(list, count, "writes of A"), ACCESS_STORE, 4, tiles * 4,
                     f.wide_loads ? 2 : 8, 1);
        check_access(find_access(list, count, "writes of B"), ACCESS_STORE, width,
                     tiles * (f.wide_loads ? 1 : 4), ideal_b, ideal_b);
    }
}

/* Returns the place in the tile of a thread's row i of C, or column i. */
static int row_of(const struct factors *f, int thread, int i)
{
    const int warp = thread / 32, lane = thread % 32;
    return f->conflict_free ? warp / 2 * 16 + lane / 8 * 4 + i / 4 * 64 + i % 4
                            : thread / 16 * 8 + i;
}

static int column_of(const struct factors *f, int thread, int i)
{
    const int warp = thread / 32, lane = thread % 32;
    return f->conflict_free ? warp % 2 * 32 + lane % 8 * 4 + i / 4 * 64 + i % 4
                            : thread % 16 * 8 + i;
}

/* Returns the place of element i of the elements of A, or of B, that a thread copies: 128 k +
 * place. */
static int brought_a(const struct factors *f, int thread, int i)
{
    return f->wide_loads ? 128 * (thread % 2 * 4 + i) + thread / 2
                         : 128 * (thread % 8) + thread / 8 + 32 * i;
}

static int brought_b(const struct factors *f, int thread, int i)
{
    return f->wide_loads ? 128 * (thread / 32) + thread % 32 * 4 + i
                         : 128 * (thread / 128 + 2 * i) + thread % 128;
}

/* Counts one execution of the access whose lanes take these words, in the order of the lanes. */
static void add_access(struct access_sums *sums, enum access_kind kind, int width, int warp, int i,
                       int (*word)(const struct factors *f, int thread, int i),
                       const struct factors *f)
{
    struct shared_access access = {.kind = kind, .width = width};
    for (int lane = 0; lane < 32; lane++) access.address[lane] = 4 * word(f, 32 * warp + lane, i);
    *(kind == ACCESS_LOAD ? &sums->load_wavefronts : &sums->store_wavefronts) +=
        bank_model_wavefronts(&access);
    *(kind == ACCESS_LOAD ? &sums->load_ideal : &sums->store_ideal) += bank_model_ideal(&access);
}

/* Counts every instruction of every warp for one block and one tile. The next k lies 128 words
 * further, in the same bank. */
static void add_tile(struct access_sums *sums, const struct factors *f)
{
    const int wide = f->wide_loads ? 4 : 1;
    for (int warp = 0; warp < WARPS; warp++) {
        for (int k = 0; k < DEPTH; k++) {
            for (int i = 0; i < SIDE; i += wide) {
                add_access(sums, ACCESS_LOAD, 4 * wide, warp, i, row_of, f);
                add_access(sums, ACCESS_LOAD, 4 * wide, warp, i, column_of, f);
            }
        }
        for (int i = 0; i < SHARE && !f->async; i++)
            add_access(sums, ACCESS_STORE, 4, warp, i, brought_a, f);
        for (int i = 0; i < SHARE && !f->async; i += wide)
            add_access(sums, ACCESS_STORE, 4 * wide, warp, i, brought_b, f);
    }
}

/* A cell describes one warp and one instruction of each kind: the others have the same
 * conflicts. */
TEST(all_warps_collide_alike)
{
    const struct work work = {.point = point_of(128, 128, 8)};
    const struct variant *cell[CELLS];
    assert_int_equal(find_cells(cell), CELLS);
    for (int i = 0; i < CELLS; i++) {
        const struct factors f = factors_of(cell[i]);
        struct access_sums told, sums = {0};
        add_tile(&sums, &f);
        assert_true(shared_accesses_sum(cell[i], &work, 0, &told));
        if (told.load_wavefronts != sums.load_wavefronts || told.load_ideal != sums.load_ideal ||
            told.store_wavefronts != sums.store_wavefronts || told.store_ideal != sums.store_ideal)
            fail_msg("%s: %g and %g wavefronts instead of %g and %g", cell[i]->file,
                     told.load_wavefronts, told.store_wavefronts, sums.load_wavefronts,
                     sums.store_wavefronts);
    }
}

/* Exactly one thread has each element of C, and each element of a tile is copied once. */
TEST(each_element_has_one_thread)
{
    static int in_c[128 * 128], in_a[DEPTH * 128], in_b[DEPTH * 128];
    for (int which = 0; which < 4; which++) {
        const struct factors f = {.conflict_free = which & 1, .wide_loads = which >> 1};
        memset(in_c, 0, sizeof in_c);
        memset(in_a, 0, sizeof in_a);
        memset(in_b, 0, sizeof in_b);
        for (int thread = 0; thread < 32 * WARPS; thread++) {
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    in_c[128 * row_of(&f, thread, i) + column_of(&f, thread, j)]++;
            for (int i = 0; i < SHARE; i++) {
                in_a[brought_a(&f, thread, i)]++;
                in_b[brought_b(&f, thread, i)]++;
            }
        }
        for (int i = 0; i < 128 * 128; i++) assert_int_equal(in_c[i], 1);
        for (int i = 0; i < DEPTH * 128; i++) assert_true(in_a[i] == 1 && in_b[i] == 1);
    }
}

RUN_TESTS(NULL, NULL)
