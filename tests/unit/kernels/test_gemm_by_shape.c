/*
 * Tests which kernel the top rung of the matrix product chooses for classes of shapes, without a
 * GPU, and that it has a valid plan for every shape on every device.
 */
#include "fixture.h"

#include <string.h>

#include "../../kernels/gemm/by_shape.h"
#include "catalog/registry.h"

enum { SCRATCH = 64 << 20 };

/* Addresses of buffers that nobody touches. */
static char *const input_a = (char *)0x100000000000, *const input_b = (char *)0x200000000000,
                   *const output = (char *)0x300000000000,
                   *const workspace = (char *)0x400000000000;

static struct by_shape_choice chosen(uint64_t m, uint64_t n, uint64_t k)
{
    return by_shape_choose((struct by_shape_sides){m, n, k}, NOMINAL_SMS);
}

/* Whether the choice is a split tile of these sizes. */
static int is_tile(const struct by_shape_choice *choice, int m, int n)
{
    return choice->kernel == BY_SPLIT_TILE && split_tiles[choice->tile].m == m &&
           split_tiles[choice->tile].n == n;
}

static int is_stream(const struct by_shape_choice *choice, const char *name, int split)
{
    return choice->kernel == BY_STREAM && !strcmp(stream_tiles[choice->tile].name, name) &&
           choice->split == split;
}

static void small_products_get_small_tiles(void **state)
{
    (void)state;
    for (uint64_t side = 4; side <= 512; side += 4) {
        const struct by_shape_choice cube = chosen(side, side, side);
        if (cube.kernel != BY_SPLIT_TILE || cube.parts != 1)
            fail_msg("%d: expected a split tile in one launch", (int)side);
        const struct split_tile *tile = &split_tiles[cube.tile];
        assert_true(tile->m <= 64 && tile->n <= 64);
    }
    const struct by_shape_choice tiny = chosen(64, 64, 64), small = chosen(512, 512, 512);
    assert_true(is_tile(&tiny, 16, 16) && tiny.cluster == 1);
    assert_true(is_tile(&small, 32, 32)); /* 256 tiles, two for nearly every SM */
    for (uint64_t side = 1; side <= 384; side++)
        assert_int_equal(chosen(side, side, side).kernel, BY_SPLIT_TILE);
}

/* A tile is no wider than a narrow result needs, up to the narrowest that there is. */
static void skinny_products_get_skinny_tiles(void **state)
{
    (void)state;
    for (uint64_t thin = 1; thin <= 16; thin++) {
        const struct by_shape_choice flat = chosen(thin, 4096, 4096),
                                     upright = chosen(4096, thin, 4096);
        assert_int_equal(flat.kernel, BY_SPLIT_TILE);
        assert_int_equal(upright.kernel, BY_SPLIT_TILE);
        assert_true(split_tiles[flat.tile].m <= 16);
        assert_true(split_tiles[upright.tile].n <= (thin <= 8 ? 8 : 16));
    }
    const struct by_shape_choice row = chosen(1, 4096, 4096), column = chosen(4096, 1, 4096);
    assert_true(is_tile(&row, 8, 128) && row.parts > 1);
    assert_true(is_tile(&column, 128, 8) && column.parts > 1);
}

/* Few tiles and a large K: the shares of k occupy the SMs that the tiles do not. */
static void deep_products_share_k(void **state)
{
    static const uint64_t shapes[][3] = {
        {64, 64, 65536}, {128, 128, 16384}, {256, 256, 8192}, {17, 33, 100001}, {300, 20, 40000}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *s = shapes[i];
        const struct by_shape_choice choice = chosen(s[0], s[1], s[2]);
        assert_int_equal(choice.kernel, BY_SPLIT_TILE);
        const struct split_tile *tile = &split_tiles[choice.tile];
        const uint64_t blocks =
            by_shape_up(s[0], tile->m) * by_shape_up(s[1], tile->n) * choice.parts * choice.cluster;
        assert_true(choice.parts > 1 && choice.cluster == 1 && blocks >= 128);
    }
    /* One small tile is shared by clusters, too; a short sum is not shared at all. */
    const struct by_shape_choice dot = chosen(1, 1, 1000000), brief = chosen(1, 1, 64);
    assert_true(is_tile(&dot, 16, 16) && dot.cluster == EIGHT && dot.parts >= 8);
    assert_true(brief.cluster == 1 && brief.parts == 1);
}

/* A result that is large compared with K is written by several blocks of an SM at a time. */
static void shallow_products_get_split_tiles(void **state)
{
    static const uint64_t depths[] = {1, 4, 8, 16};
    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        const struct by_shape_choice choice = chosen(4096, 4096, depths[i]);
        assert_true(is_tile(&choice, 64, 128) && choice.parts == 1);
    }
}

static void large_products_get_large_tiles(void **state)
{
    static const struct {
        uint64_t m, n, k;
        const char *tile;
        int split;
        const char *why;
    } rows[] = {
        {1024, 1024, 1024, "middle", 1, "64 tiles of 128 x 128 are too few for 132 SMs"},
        {1536, 1536, 1536, "large", 1, "72 tiles of 128 x 256 are, too"},
        {2048, 2048, 2048, "large", 0, "one round of 128 tiles is nearly full"},
        {4096, 4096, 4096, "large", 1, "the last of four rounds has 116 tiles"},
        {8192, 8192, 8192, "large", 1, "the last of 16 rounds has 68 tiles"},
        {2047, 2047, 2047, "large", 0, "rows that are not aligned change the time, not the tile"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct by_shape_choice choice = chosen(rows[i].m, rows[i].n, rows[i].k);
        if (!is_stream(&choice, rows[i].tile, rows[i].split))
            fail_msg("%d x %d x %d: %s", (int)rows[i].m, (int)rows[i].n, (int)rows[i].k,
                     rows[i].why);
    }
}

/* Words that are copied one by one make a product slower, never faster. */
static void alignment_is_no_loss(void **state)
{
    (void)state;
    for (uint64_t side = 4; side <= 4096; side += 44) {
        const double aligned = chosen(side, side, side).time_us,
                     columns = chosen(side, side + 1, side).time_us,
                     depth = chosen(side, side, side + 1).time_us;
        assert_true(columns >= aligned && depth >= aligned);
    }
}

static const struct variant *top_rung(void)
{
    for (int i = 0; registry_variants[i]; i++)
        if (!strcmp(registry_variants[i]->family, "gemm") &&
            !strcmp(registry_variants[i]->name, "22_by_shape"))
            return registry_variants[i];
    fail_msg("there is no gemm/22_by_shape");
    return NULL;
}

static struct launch planned(const struct work *work, unsigned index)
{
    struct launch launch;
    memset(&launch, 0, sizeof launch);
    for (int i = 0; i < 3; i++) launch.grid[i] = launch.block[i] = 1;
    top_rung()->plan(work, index, &launch);
    return launch;
}

static void check_plan(int sm_count, uint64_t m, uint64_t n, uint64_t k)
{
    const struct work work = {.point = {.shape = {3, {m, n, k}}, .block = 256},
                              .sm_count = sm_count,
                              .compute_capability = 90,
                              .input = {input_a, input_b},
                              .output = output,
                              .scratch = workspace};
    const struct by_shape_choice choice =
        by_shape_choose((struct by_shape_sides){m, n, k}, sm_count);
    const unsigned launches = top_rung()->launch_count(&work.point);
    const struct launch product = planned(&work, 0);
    assert_null(top_rung()->refuses(&work.point, 90));
    assert_int_equal(launches, choice.parts > 1 ? 2 : 1);
    assert_int_equal(product.grid[1], choice.parts);
    assert_true(product.grid[0] >= 1 && product.dynamic_shared <= 227 << 10);
    assert_int_equal(product.cooperative, product.clear_scratch > 0);
    if (product.cooperative)
        assert_true(product.grid[0] <= (unsigned)sm_count && product.grid[0] <= MOST_STREAM_BLOCKS);
    if (product.cluster) assert_int_equal(product.grid[0] % product.cluster, 0);
    if (launches == 1) return;
    const struct launch sum = planned(&work, 1);
    assert_true(4 * (uint64_t)choice.parts * m * n <= SCRATCH);
    assert_true((uint64_t)sum.grid[0] * sum.block[0] >= m * n);
    /* From the scratch buffer, where the product left its parts, to C. */
    assert_int_equal(product.argument[2], (uint64_t)(uintptr_t)workspace);
    assert_int_equal(sum.argument[0], (uint64_t)(uintptr_t)workspace);
    assert_int_equal(sum.argument[1], (uint64_t)(uintptr_t)output);
    assert_int_equal(sum.argument[3], choice.parts);
}

static void every_shape_has_a_plan(void **state)
{
    static const uint64_t sides[] = {1, 7, 8, 16, 63, 65, 100, 129, 1000, 1023, 4096, 5003};
    static const int sm_counts[] = {1, 78, 132, 600};
    enum { SIDES = sizeof sides / sizeof *sides };
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    for (size_t j = 0; j < sizeof sm_counts / sizeof *sm_counts; j++) {
        for (int i = 0; i < SIDES * SIDES * SIDES; i++)
            check_plan(sm_counts[j], sides[i % SIDES], sides[i / SIDES % SIDES],
                       sides[i / SIDES / SIDES]);
        check_plan(sm_counts[j], 2097120, 1, 1000);
        check_plan(sm_counts[j], 3, 2097120, 5);
        check_plan(sm_counts[j], 5, 1, 2097120);
        check_plan(sm_counts[j], 46000, 46000, 1);
    }
}

/* Every block has whole slices, and all of them together cover k. */
static void the_shares_cover_k(void **state)
{
    static const uint64_t shapes[][3] = {
        {64, 64, 65536}, {17, 33, 100001}, {1, 1, 1000000}, {3, 40, 500}};
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *s = shapes[i];
        const struct work work = {.point = {.shape = {3, {s[0], s[1], s[2]}}, .block = 256},
                                  .sm_count = NOMINAL_SMS,
                                  .compute_capability = 90};
        const struct by_shape_choice choice = chosen(s[0], s[1], s[2]);
        const struct launch product = planned(&work, 0);
        const uint64_t depth = product.argument[product.argument_count - 1],
                       shares = (uint64_t)choice.cluster * choice.parts;
        assert_int_equal(depth % split_tiles[choice.tile].slice, 0);
        assert_true(shares > 1 && depth * shares >= s[2]);
        assert_true(depth * shares < s[2] + shares * split_tiles[choice.tile].slice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_products_get_small_tiles),
        cmocka_unit_test(skinny_products_get_skinny_tiles),
        cmocka_unit_test(deep_products_share_k),
        cmocka_unit_test(shallow_products_get_split_tiles),
        cmocka_unit_test(large_products_get_large_tiles),
        cmocka_unit_test(alignment_is_no_loss),
        cmocka_unit_test(every_shape_has_a_plan),
        cmocka_unit_test(the_shares_cover_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
