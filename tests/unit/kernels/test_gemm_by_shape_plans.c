/*
 * Tests that the top rung of the matrix product has a valid plan for every shape on every device,
 * without a GPU.
 */
#include "planned.h"

#include <string.h>

#include "../../kernels/gemm/by_shape.h"

enum { SCRATCH = 128 << 20 };

static struct by_shape_choice chosen(uint64_t m, uint64_t n, uint64_t k)
{
    return by_shape_choose((struct by_shape_sides){m, n, k}, NOMINAL_SMS);
}

static const struct variant *top_rung(void)
{
    return rung_of("gemm", "22_by_shape");
}

/* A launch that computes a thin product covers the result and k, within the limits of its kernel.
 */
static void check_thin_plan(const struct by_shape_choice *choice, const struct launch *launch,
                            uint64_t m, uint64_t n, uint64_t k)
{
    const unsigned cluster = (unsigned)choice->cluster;
    const uint64_t shares = (uint64_t)cluster * choice->parts, strips = launch->grid[0] / cluster,
                   depth = launch->argument[launch->argument_count - 1];
    assert_true(cluster >= 1 && cluster <= 8 && (cluster & (cluster - 1)) == 0);
    assert_int_equal(launch->cluster, cluster > 1 ? cluster : 0);
    assert_int_equal(launch->grid[0] % cluster, 0);
    assert_true(launch->grid[1] <= 65535 && launch->block[0] == 256);
    assert_int_equal(launch->clear_scratch, 0);
    assert_true(choice->parts == 1 || 4 * (uint64_t)choice->parts * m * n <= MOST_PARTS_BYTES);
    assert_true(launch->dynamic_shared <= 113 << 10); /* two blocks on an SM */
    if (choice->kernel == BY_CORNER) {
        const struct thin_size *tile = &thin_corner_tiles[choice->tile];
        const uint64_t values = (uint64_t)tile->rows * tile->columns;
        assert_true(m <= (uint64_t)tile->rows && n <= (uint64_t)tile->columns);
        assert_true(strips * values <= CORNER_MAIL_WORDS);
        assert_int_equal(depth % CORNER_SHARE_UNIT, 0);
        assert_true(launch->grid[0] * depth >= k && (launch->grid[0] - cluster) * depth < k);
        return;
    }
    /* Block i of the shares has k from i * depth on. */
    assert_true(depth * shares >= k && depth >= 1);
    assert_int_equal(launch->grid[1], choice->parts);
    if (choice->kernel == BY_ROWS) {
        const struct thin_rows_tile *tile = &thin_rows_tiles[choice->tile];
        assert_true(m <= (uint64_t)tile->rows && (tile->width == 1 || n % 4 == 0));
        assert_true(strips * tile->columns >= n && (strips - 1) * tile->columns < n);
        assert_true(depth * shares < k + shares);
    } else {
        assert_true(thin_columns_tiles[choice->tile].width == 1 || k % 4 == 0);
        assert_int_equal(thin_columns_tiles[choice->tile].columns, n);
        assert_true(strips * COLUMNS_BLOCK_ROWS >= m && (strips - 1) * COLUMNS_BLOCK_ROWS < m);
        assert_int_equal(depth % 128, 0);
        assert_true(depth * shares < k + shares * 129);
    }
}

/* The first launch copies B to where the second one expects it. */
static void check_padding(const struct work *work, const struct launch *product)
{
    const uint64_t n = work->point.shape.dim[1], k = work->point.shape.dim[2];
    const struct launch padding = planned(top_rung(), work, 0);
    const struct tensor_map *map = &product->tensor_map[0];
    const char *copy = map->base;
    assert_true(n % 4 != 0);
    assert_int_equal(padding.argument[0], (uint64_t)(uintptr_t)INPUT_B);
    assert_int_equal(padding.argument[1], (uint64_t)(uintptr_t)copy);
    assert_true((uint64_t)padding.grid[0] * padding.block[0] * 4 >= n);
    assert_true((uint64_t)padding.grid[1] * 8 >= k);
    assert_int_equal(map->rows, k);
    assert_int_equal(map->columns, n);
    assert_int_equal(map->pitch, (n + 3) / 4 * 16);
    assert_true(copy + map->pitch * k <= WORKSPACE + SCRATCH);
    /* Behind the partial tiles of all blocks. */
    if (product->cooperative)
        assert_true(copy >= WORKSPACE + (size_t)product->grid[0] * 128 * 256 * 4);
}

/* A block for each tile and part; its columns of A and rows of B fit into shared memory. Parts are
 * whole slices but for the last one, which has one at least. */
static void check_few_steps_plan(const struct by_shape_choice *choice, const struct launch *launch,
                                 uint64_t m, uint64_t n, uint64_t k)
{
    const struct few_steps_tile *tile = &few_steps_tiles[choice->tile];
    const uint64_t down = by_shape_up(m, tile->m), across = by_shape_up(n, tile->n);
    assert_int_equal(choice->cluster, 1);
    if (choice->parts == 1) {
        assert_true(k <= FEW_STEPS_MOST_K);
        assert_int_equal(launch->argument[6], k);
    } else {
        const uint64_t depth = launch->argument[6], parts = (uint64_t)choice->parts;
        assert_true(!tile->at_once && depth % FEW_STEPS_SLICE == 0);
        assert_true(depth * parts >= k && depth * (parts - 1) + FEW_STEPS_SLICE <= k);
    }
    if (!tile->at_once) assert_true(k >= FEW_STEPS_SLICE);
    assert_int_equal(launch->grid[0], down * across);
    assert_true(down * tile->m >= m && across * tile->n >= n);
    assert_true(launch->block[0] == 32u * (unsigned)tile->warps && tile->warps <= 8);
    assert_true(launch->block[0] * tile->resident <= 2048);
    assert_int_equal(launch->dynamic_shared, few_steps_bytes(tile, k));
    assert_true(launch->dynamic_shared + BLOCK_SHARED_BYTES <= SM_SHARED_BYTES);
    assert_int_equal(launch->cluster, 0);
    assert_int_equal(launch->clear_scratch, 0);
    assert_int_equal(launch->tensor_map_count, 0);
    if (choice->parts == 1) assert_int_equal(launch->argument[2], (uint64_t)(uintptr_t)OUTPUT);
    assert_int_equal(launch->argument[3], m);
    assert_int_equal(launch->argument[4], n);
    assert_int_equal(launch->argument[5], k);
}

static void check_plan(int sm_count, uint64_t m, uint64_t n, uint64_t k)
{
    const struct work work = product_on(sm_count, m, n, k);
    const struct by_shape_choice choice =
        by_shape_choose((struct by_shape_sides){m, n, k}, sm_count);
    const unsigned launches = top_rung()->launch_count(&work.point);
    const struct launch product = planned(top_rung(), &work, choice.padded ? 1 : 0);
    assert_null(top_rung()->refuses(&work.point, 90));
    assert_int_equal(launches, choice.parts > 1 || choice.padded ? 2 : 1);
    assert_int_equal(product.grid[1], choice.parts);
    assert_true(product.grid[0] >= 1 && product.dynamic_shared <= 227 << 10);
    assert_int_equal(product.cooperative, choice.split);
    assert_int_equal(product.clear_scratch, 0);
    if (product.cooperative)
        assert_true(product.grid[0] <= (unsigned)sm_count && product.grid[0] <= MOST_STREAM_BLOCKS);
    if (product.cluster) assert_int_equal(product.grid[0] % product.cluster, 0);
    if (choice.kernel == BY_SHARE) {
        const struct share_tile *tile = &share_tiles[choice.tile];
        const uint64_t tiles = share_tile_count(tile, (struct by_shape_sides){m, n, k});
        assert_true(product.cluster <= MOST_CLUSTER);
        if (choice.split)
            assert_true(product.grid[0] == (unsigned)choice.blocks &&
                        product.grid[0] <= tiles * by_shape_up(k, tile->stage));
        else
            assert_int_equal(product.grid[0], (unsigned)choice.cluster * tiles);
    }
    if (choice.kernel == BY_FEW_STEPS) check_few_steps_plan(&choice, &product, m, n, k);
    if (choice.kernel >= BY_ROWS) check_thin_plan(&choice, &product, m, n, k);
    if (choice.padded) check_padding(&work, &product);
    if (choice.parts == 1) return;
    const struct launch sum = planned(top_rung(), &work, 1);
    assert_true(4 * (uint64_t)choice.parts * m * n <= SCRATCH);
    const uint64_t quads = m * n % 4 == 0 ? 4 : 1;
    assert_int_equal(sum.argument[2] * quads, m * n);
    assert_true((uint64_t)sum.grid[0] * sum.block[0] >= m * n / quads * sum.argument[4]);
    assert_true(sum.argument[4] <= (uint64_t)choice.parts && sum.block[0] % sum.argument[4] == 0);
    /* From the scratch buffer, where the product left its parts, to C. */
    assert_int_equal(product.argument[2], (uint64_t)(uintptr_t)WORKSPACE);
    assert_int_equal(sum.argument[0], (uint64_t)(uintptr_t)WORKSPACE);
    assert_int_equal(sum.argument[1], (uint64_t)(uintptr_t)OUTPUT);
    assert_int_equal(sum.argument[3], choice.parts);
}

TEST(every_shape_has_a_plan)
{
    static const uint64_t sides[] = {1, 7, 8, 16, 63, 65, 100, 129, 1000, 1023, 4096, 5003};
    static const int sm_counts[] = {1, 78, 132, 600};
    enum { SIDES = sizeof sides / sizeof *sides };
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

static uint64_t up_to(uint64_t *state, uint64_t most)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % most + 1;
}

/* All random shapes with DEEP=1, else a part of them; a small part under valgrind, which looks at
 * memory, not at choices. */
static int tried(int shapes)
{
    return shapes / (getenv("MEMCHECK") ? 50 : getenv("DEEP") ? 1 : 10);
}

/* Thin products of all kinds, and products at the borders of thin kernels. */
TEST(every_thin_shape_has_a_plan)
{
    static const uint64_t lengths[] = {20, 300, 5000, 100000, 2097120};
    uint64_t random = 1;
    for (int i = 0; i < tried(100000); i++) {
        uint64_t side[3];
        for (int j = 0; j < 3; j++) side[j] = up_to(&random, lengths[up_to(&random, 5) - 1]);
        const uint64_t kind = up_to(&random, 4);
        if (kind != 2) side[0] = up_to(&random, 18);
        if (kind >= 2) side[1] = up_to(&random, 10);
        if (side[0] * side[1] >> 31 || side[0] * side[2] >> 31 || side[1] * side[2] >> 31) continue;
        check_plan(NOMINAL_SMS, side[0], side[1], side[2]);
    }
}

/* Products with a small K, whose other sides are not small. */
TEST(every_shallow_shape_has_a_plan)
{
    uint64_t random = 1;
    int count = 0;
    for (int i = 0; i < tried(20000); i++) {
        const uint64_t m = up_to(&random, 4096), n = up_to(&random, 4096), k = up_to(&random, 140);
        count += chosen(m, n, k).kernel == BY_FEW_STEPS;
        check_plan(NOMINAL_SMS, m, n, k);
    }
    assert_true(count > tried(20000) / 2);
    check_plan(NOMINAL_SMS, 2097120, 1023, 3);
    check_plan(NOMINAL_SMS, 1023, 2097120, 3);
}

/* The text says what the host chose. */
TEST(choices_have_names)
{
    static const struct {
        uint64_t m, n, k;
        const char *name;
    } rows[] = {{64, 64, 64, "split 16 x 16"},
                {1, 4096, 4096, "rows 1 x 32"},
                {5, 333, 777, "rows 8 x 32 in clusters"},
                {5, 40, 100000, "rows 8 x 32; parts"},
                {4096, 3, 4096, "columns 16 x 3"},
                {3, 5, 100000, "corner 4 x 8"},
                {2048, 2048, 2048, "stream 128 x 256"},
                {2047, 2047, 2047, "stream 128 x 256"},
                {3072, 2815, 4000, "stream 128 x 256 of padded rows"},
                {4095, 4095, 4095, "stream 128 x 256 of padded rows; shared"},
                {4096, 4096, 4096, "stream 128 x 256; shared"},
                {969, 787, 38, "few steps 64 x 128"},
                {300, 300, 6000, "few steps 64 x 64; parts"},
                {1819, 295, 3163, "share 64 x 64; shared"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct work work = product_on(NOMINAL_SMS, rows[i].m, rows[i].n, rows[i].k);
        assert_string_equal(top_rung()->choice(&work), rows[i].name);
    }
}

/* Every block has whole slices, and all of them together cover k. */
TEST(the_shares_cover_k)
{
    static const uint64_t shapes[][3] = {{16, 300, 4000}, {16, 16, 1000000}, {300, 12, 4000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *s = shapes[i];
        const struct work work = product_on(NOMINAL_SMS, s[0], s[1], s[2]);
        const struct by_shape_choice choice = chosen(s[0], s[1], s[2]);
        assert_int_equal(choice.kernel, BY_SPLIT_TILE);
        const struct launch product = planned(top_rung(), &work, 0);
        const uint64_t depth = product.argument[6],
                       shares = (uint64_t)choice.cluster * choice.parts;
        assert_int_equal(depth % split_tiles[choice.tile].slice, 0);
        assert_true(shares > 1 && depth * shares >= s[2]);
        assert_true(depth * shares < s[2] + shares * split_tiles[choice.tile].slice);
    }
}

RUN_TESTS(NULL, NULL)
