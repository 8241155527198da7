/*
 * Tests which kernel the top rung of the matrix product chooses for classes of shapes, without a
 * GPU, and that it has a valid plan for every shape on every device.
 */
#include "fixture.h"

#include <string.h>

#include "../../kernels/gemm/by_shape.h"
#include "../../kernels/gemm/line_exchange.h"
#include "catalog/registry.h"

enum { SCRATCH = 128 << 20 };

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

/* The same for a share tile. */
static int is_share(const struct by_shape_choice *choice, int m, int n)
{
    return choice->kernel == BY_SHARE && share_tiles[choice->tile].m == m &&
           share_tiles[choice->tile].n == n;
}

static int is_stream(const struct by_shape_choice *choice, const char *name, int split)
{
    return choice->kernel == BY_STREAM && !strcmp(stream_tiles[choice->tile].name, name) &&
           choice->split == split;
}

static void small_products_get_small_tiles(void **state)
{
    (void)state;
    for (uint64_t side = 12; side <= 512; side += 4) {
        const struct by_shape_choice cube = chosen(side, side, side);
        if (cube.kernel == BY_STREAM || cube.parts != 1)
            fail_msg("%d: expected a split or a share tile in one launch", (int)side);
        const int shared = cube.kernel == BY_SHARE;
        assert_true((shared ? share_tiles[cube.tile].m : split_tiles[cube.tile].m) <= 64);
        assert_true((shared ? share_tiles[cube.tile].n : split_tiles[cube.tile].n) <= 64);
        assert_true(side > 256 || !shared);
    }
    const struct by_shape_choice tiny = chosen(64, 64, 64), small = chosen(512, 512, 512);
    assert_true(is_tile(&tiny, 16, 16) && tiny.cluster == 1);
    assert_true(is_share(&small, 32, 64) && small.cluster == 1); /* a tile for nearly every SM */
    for (uint64_t side = 9; side <= 256; side++)
        assert_int_equal(chosen(side, side, side).kernel, BY_SPLIT_TILE);
}

/* A tile is no wider than a narrow result needs, up to the narrowest that there is. */
static void skinny_products_get_skinny_tiles(void **state)
{
    (void)state;
    for (uint64_t thin = 9; thin <= 16; thin++) {
        const struct by_shape_choice upright = chosen(4096, thin, 4096);
        assert_int_equal(upright.kernel, BY_SPLIT_TILE);
        assert_true(split_tiles[upright.tile].n <= 16);
    }
}

/* Up to eight rows or columns have kernels of their own, and so have 16 rows of a wide result. */
static void thin_products_get_thin_kernels(void **state)
{
    static const uint64_t lengths[] = {64, 333, 1000, 2777, 4096, 16384};
    (void)state;
    for (uint64_t thin = 1; thin <= 8; thin++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const uint64_t length = lengths[i];
            const struct by_shape_choice flat = chosen(thin, length, length),
                                         upright = chosen(length, thin, length),
                                         corner = chosen(thin, 9 - thin, length);
            if (flat.kernel != BY_ROWS || upright.kernel != BY_COLUMNS ||
                corner.kernel != BY_CORNER)
                fail_msg("%d and %d: expected a kernel for thin products", (int)thin, (int)length);
            /* No tile has more rows than needed, as far as there are smaller ones. */
            const int rows = thin_rows_tiles[flat.tile].rows;
            assert_int_equal(rows, thin == 1 ? 1 : thin <= 4 ? 4 : 8);
            assert_int_equal(thin_columns_tiles[upright.tile].columns, thin);
        }
    for (uint64_t thin = 9; thin <= 16; thin++)
        assert_int_equal(chosen(thin, 4096, 4096).kernel, BY_ROWS);
    assert_int_equal(chosen(12, 3001, 3000).kernel, BY_ROWS);
    assert_true(chosen(17, 4096, 4096).kernel < BY_ROWS);
    assert_int_equal(chosen(12, 40, 64).kernel, BY_SPLIT_TILE);
}

/* A single launch as long as the strips, or clusters, keep the memory busy; parts for few strips
 * with a large K. Wide strips if there are enough of them. */
static void thin_products_keep_the_memory_busy(void **state)
{
    (void)state;
    const struct by_shape_choice row = chosen(1, 4096, 4096), small = chosen(5, 333, 777),
                                 wide = chosen(1, 16384, 16384), deep = chosen(5, 40, 100000),
                                 column = chosen(4096, 1, 4096), far = chosen(16, 1, 1000000),
                                 dot = chosen(1, 1, 1000000), full = chosen(8, 8, 1000000);
    assert_true(row.cluster == 1 && row.parts == 1 && thin_rows_tiles[row.tile].columns == 32);
    assert_true(wide.cluster == 1 && wide.parts == 1 && thin_rows_tiles[wide.tile].columns == 64);
    assert_true(small.cluster == 8 && small.parts == 1);
    assert_true(deep.cluster == 1 && deep.parts == 132);
    assert_true(column.cluster == 1 && column.parts == 1);
    assert_true(far.cluster == 1 && far.parts == 264);
    assert_true(dot.cluster == 1 && dot.blocks == 264);
    /* The sums of all blocks would not fit into the mail. */
    assert_true(full.cluster == 2);
}

/* Few tiles and a large K: the shares of k occupy the SMs that the tiles do not. */
static void deep_products_share_k(void **state)
{
    static const uint64_t shapes[][3] = {
        {64, 64, 65536},   {128, 128, 16384}, {256, 256, 8192}, {17, 33, 100001}, {300, 20, 40000},
        {512, 512, 4096},  {384, 384, 3000},  {256, 256, 2048}, {40, 2000, 4000}, {63, 3000, 3000},
        {1024, 128, 4096}, {700, 700, 1000},  {500, 400, 2000}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *s = shapes[i];
        const struct by_shape_choice choice = chosen(s[0], s[1], s[2]);
        const struct by_shape_sides sides = {s[0], s[1], s[2]};
        if (choice.kernel == BY_SPLIT_TILE) {
            const struct split_tile *tile = &split_tiles[choice.tile];
            assert_true(by_shape_up(s[0], tile->m) * by_shape_up(s[1], tile->n) * choice.parts *
                            choice.cluster >=
                        96);
            continue;
        }
        if (choice.kernel != BY_SHARE)
            fail_msg("%d x %d x %d: expected shares of k", (int)s[0], (int)s[1], (int)s[2]);
        const struct share_tile *tile = &share_tiles[choice.tile];
        const uint64_t clusters = share_tile_count(tile, sides) * choice.parts;
        assert_true(clusters * choice.cluster >= 96);
        assert_true(clusters <= (uint64_t)clusters_that_fit[choice.cluster]);
    }
    /* Six blocks of a cluster for each of 16 tiles; several parts of 25 larger ones. */
    const struct by_shape_choice medium = chosen(256, 256, 2048), deep = chosen(300, 300, 6000);
    assert_true(is_share(&medium, 32, 128) && medium.cluster == 6 && medium.parts == 1);
    assert_true(is_share(&deep, 64, 64) && deep.cluster == 1 && deep.parts == 5);
    /* One small tile is shared by clusters, too; a short sum is not shared at all. */
    const struct by_shape_choice tile = chosen(16, 16, 1000000), brief = chosen(16, 16, 64);
    assert_true(is_tile(&tile, 16, 16) && tile.cluster == EIGHT && tile.parts >= 8);
    assert_true(brief.cluster == 1 && brief.parts == 1);
}

/* A result that is large compared with K is computed by tiles that take all of K at once. */
static void shallow_products_have_few_steps(void **state)
{
    static const uint64_t shapes[][3] = {{4096, 4096, 1},  {4096, 4096, 16},  {2619, 2570, 50},
                                         {2708, 3482, 4},  {2954, 1250, 19},  {3200, 452, 40},
                                         {969, 787, 38},   {1087, 3603, 16},  {600, 1001, 33},
                                         {2001, 3001, 60}, {1000, 1002, 100}, {4095, 4097, 64}};
    static const uint64_t others[][3] = {{4096, 4096, 257}, {1500, 1501, 300},  {64, 64, 64},
                                         {256, 256, 64},    {8, 4096, 4},       {4096, 8, 4},
                                         {16, 4096, 64},    {4096, 16, 64},     {1, 4096, 1},
                                         {4096, 1, 1},      {2048, 2048, 2048}, {40, 40, 128}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct by_shape_choice choice = chosen(shapes[i][0], shapes[i][1], shapes[i][2]);
        if (choice.kernel != BY_FEW_STEPS)
            fail_msg("%d x %d x %d: expected few steps", (int)shapes[i][0], (int)shapes[i][1],
                     (int)shapes[i][2]);
        assert_true(choice.cluster == 1 && choice.parts == 1 && !choice.padded && !choice.split);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (chosen(others[i][0], others[i][1], others[i][2]).kernel == BY_FEW_STEPS)
            fail_msg("%d x %d x %d: expected other tiles", (int)others[i][0], (int)others[i][1],
                     (int)others[i][2]);
}

/* Half a warp stores a row from its pairs of words: each word once, and those of a line together.
 * Words outside of the row are not stored. */
static void lanes_exchange_words_for_lines(void **state)
{
    enum { PAIRS = 4, WORDS = 32 * PAIRS };
    (void)state;
    for (int shift = 0; shift < 32; shift++)
        for (int j = 0; j <= PAIRS; j++)
            for (int lane = 0; lane < 32; lane++) {
                const struct line_exchange x = exchange_for_lines(shift, lane);
                const int at = x.at + 32 * j, first = x.place >= x.up ? j : j - 1,
                          second = x.place >= x.down ? j : j - 1;
                assert_int_equal((at + shift) % 2, 0); /* a pair of the line */
                assert_int_equal((at + shift) / 32, j);
                assert_int_equal(x.first_lane % 2, lane % 2);
                assert_int_equal(x.second_lane % 2, lane % 2);
                /* The stretch, the lane and the place in its pair from which the words come. */
                if (at >= 0 && at < WORDS)
                    assert_int_equal(32 * first + x.first_lane / 2 * 2 + shift % 2, at);
                if (at + 1 >= 0 && at + 1 < WORDS)
                    assert_int_equal(32 * second + x.second_lane / 2 * 2 + 1 - shift % 2, at + 1);
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
        {1280, 1280, 1280, "middle", 1, "100 tiles of 128 x 128 are too few for 132 SMs"},
        {1536, 1536, 1536, "large", 1, "72 tiles of 128 x 256 are, too"},
        {2048, 2048, 2048, "large", 0, "one round of 128 tiles is nearly full"},
        {4096, 4096, 4096, "large", 1, "the last of four rounds has 116 tiles"},
        {8192, 8192, 8192, "large", 1, "the last of 16 rounds has 68 tiles"},
        {2047, 2047, 2047, "large", 0, "so it is where a launch before copies B"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct by_shape_choice choice = chosen(rows[i].m, rows[i].n, rows[i].k);
        if (!is_stream(&choice, rows[i].tile, rows[i].split))
            fail_msg("%d x %d x %d: %s", (int)rows[i].m, (int)rows[i].n, (int)rows[i].k,
                     rows[i].why);
    }
    /* One round of 128 tiles is nearly full, and nothing is shared. */
    const struct by_shape_choice round = chosen(1024, 1024, 1024);
    assert_true(is_share(&round, 64, 128) && round.cluster == 1 && round.parts == 1);
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

/* If rows of B are not aligned, a tile is narrower; so a slightly larger N may have more tiles. */
static void ragged_tiles_are_narrower(void **state)
{
    (void)state;
    for (int i = 0; i < SHARE_TILE_COUNT; i++) {
        const struct share_tile *tile = &share_tiles[i];
        const uint64_t width = (uint64_t)tile->n, narrow = tile->ragged == RAGGED_SHIFTED ? 4 : 0;
        const struct by_shape_sides even = {1, 3 * width, 64}, odd = {1, 3 * width - 1, 64},
                                    fits = {1, 3 * (width - narrow) - 1, 64};
        assert_int_equal(share_tile_count(tile, even), 3);
        assert_int_equal(share_tile_count(tile, odd), narrow ? 4 : 3);
        assert_int_equal(share_tile_count(tile, fits), 3);
        assert_true(share_tile_time(tile, odd, 1, 1) > share_tile_time(tile, even, 1, 1) - 0.1);
    }
}

struct visits {
    struct by_shape_choice wanted;
    int count, found, better; /* better: of the same kernel, by the estimate */
};

static void count_visit(const struct by_shape_choice *choice, double memory_us, void *context)
{
    struct visits *visits = context;
    const struct by_shape_choice *wanted = &visits->wanted;
    assert_true(choice->time_us > 0 && memory_us < choice->time_us);
    visits->count++;
    visits->better += choice->kernel == wanted->kernel && choice->time_us < wanted->time_us;
    visits->found += choice->kernel == wanted->kernel && choice->tile == wanted->tile &&
                     choice->cluster == wanted->cluster && choice->parts == wanted->parts &&
                     choice->split == wanted->split && choice->blocks == wanted->blocks &&
                     choice->padded == wanted->padded;
}

/* The choice is one of those that the rules allow, and the best of its kernel. */
static void the_choice_is_visited_once(void **state)
{
    static const uint64_t sides[] = {1, 5, 8, 12, 100, 1001, 4096};
    enum { SIDES = sizeof sides / sizeof *sides };
    (void)state;
    for (int i = 0; i < SIDES * SIDES * SIDES; i++) {
        const struct by_shape_sides s = {sides[i % SIDES], sides[i / SIDES % SIDES],
                                         sides[i / SIDES / SIDES]};
        struct visits visits = {by_shape_choose(s, NOMINAL_SMS), 0, 0, 0};
        by_shape_visit(s, count_visit, &visits);
        assert_true(visits.count > STREAM_TILE_COUNT);
        assert_int_equal(visits.found, 1);
        assert_int_equal(visits.better, 0);
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
    const struct launch padding = planned(work, 0);
    const struct tensor_map *map = &product->tensor_map[0];
    const char *copy = map->base;
    assert_true(n % 4 != 0);
    assert_int_equal(padding.argument[0], (uint64_t)(uintptr_t)input_b);
    assert_int_equal(padding.argument[1], (uint64_t)(uintptr_t)copy);
    assert_true((uint64_t)padding.grid[0] * padding.block[0] * 4 >= n);
    assert_true((uint64_t)padding.grid[1] * 8 >= k);
    assert_int_equal(map->rows, k);
    assert_int_equal(map->columns, n);
    assert_int_equal(map->pitch, (n + 3) / 4 * 16);
    assert_true(copy + map->pitch * k <= workspace + SCRATCH);
    /* Behind the partial tiles of all blocks. */
    if (product->cooperative)
        assert_true(copy >= workspace + (size_t)product->grid[0] * 128 * 256 * 4);
}

/* A block for each tile; its columns of A and rows of B fit into shared memory. */
static void check_few_steps_plan(const struct by_shape_choice *choice, const struct launch *launch,
                                 uint64_t m, uint64_t n, uint64_t k)
{
    const struct few_steps_tile *tile = &few_steps_tiles[choice->tile];
    const uint64_t down = by_shape_up(m, tile->m), across = by_shape_up(n, tile->n);
    assert_true(k <= FEW_STEPS_MOST_K && choice->cluster == 1 && choice->parts == 1);
    assert_int_equal(launch->grid[0], down * across);
    assert_true(down * tile->m >= m && across * tile->n >= n);
    assert_true(launch->block[0] >= 128 && launch->block[0] <= 256);
    assert_true(launch->block[0] * tile->resident <= 2048);
    assert_int_equal(launch->dynamic_shared, few_steps_bytes(tile, k));
    assert_true(launch->dynamic_shared + BLOCK_SHARED_BYTES <= SM_SHARED_BYTES);
    assert_int_equal(launch->cluster, 0);
    assert_int_equal(launch->clear_scratch, 0);
    assert_int_equal(launch->tensor_map_count, 0);
    assert_int_equal(launch->argument[2], (uint64_t)(uintptr_t)output);
    assert_int_equal(launch->argument[3], m);
    assert_int_equal(launch->argument[4], n);
    assert_int_equal(launch->argument[5], k);
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
    const struct launch product = planned(&work, choice.padded ? 1 : 0);
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
        assert_true(product.cluster <= MOST_CLUSTER);
        assert_int_equal(product.grid[0], (unsigned)choice.cluster *
                                              share_tile_count(&share_tiles[choice.tile],
                                                               (struct by_shape_sides){m, n, k}));
    }
    if (choice.kernel == BY_FEW_STEPS) check_few_steps_plan(&choice, &product, m, n, k);
    if (choice.kernel >= BY_ROWS) check_thin_plan(&choice, &product, m, n, k);
    if (choice.padded) check_padding(&work, &product);
    if (choice.parts == 1) return;
    const struct launch sum = planned(&work, 1);
    assert_true(4 * (uint64_t)choice.parts * m * n <= SCRATCH);
    const uint64_t quads = m * n % 4 == 0 ? 4 : 1;
    assert_int_equal(sum.argument[2] * quads, m * n);
    assert_true((uint64_t)sum.grid[0] * sum.block[0] >= m * n / quads * sum.argument[4]);
    assert_true(sum.argument[4] <= (uint64_t)choice.parts && sum.block[0] % sum.argument[4] == 0);
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

static uint64_t up_to(uint64_t *state, uint64_t most)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % most + 1;
}

/* Under valgrind a part of the random shapes is enough: it looks at memory, not at choices. */
static int tried(int shapes)
{
    return getenv("MEMCHECK") ? shapes / 50 : shapes;
}

/* Thin products of all kinds, and products at the borders of thin kernels. */
static void every_thin_shape_has_a_plan(void **state)
{
    static const uint64_t lengths[] = {20, 300, 5000, 100000, 2097120};
    uint64_t random = 1;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
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
static void every_shallow_shape_has_a_plan(void **state)
{
    uint64_t random = 1;
    int count = 0;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
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
static void choices_have_names(void **state)
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
                {2047, 2047, 2047, "stream 128 x 256 of padded rows"},
                {4095, 4095, 4095, "stream 128 x 256 of padded rows; shared"},
                {4096, 4096, 4096, "stream 128 x 256; shared"},
                {969, 787, 38, "few steps 64 x 128"}};
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct work work = {.point = {.shape = {3, {rows[i].m, rows[i].n, rows[i].k}}},
                                  .sm_count = NOMINAL_SMS,
                                  .compute_capability = 90};
        assert_string_equal(top_rung()->choice(&work), rows[i].name);
    }
}

/* Every block has whole slices, and all of them together cover k. */
static void the_shares_cover_k(void **state)
{
    static const uint64_t shapes[][3] = {{16, 300, 4000}, {16, 16, 1000000}, {300, 12, 4000}};
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *s = shapes[i];
        const struct work work = {.point = {.shape = {3, {s[0], s[1], s[2]}}, .block = 256},
                                  .sm_count = NOMINAL_SMS,
                                  .compute_capability = 90};
        const struct by_shape_choice choice = chosen(s[0], s[1], s[2]);
        assert_int_equal(choice.kernel, BY_SPLIT_TILE);
        const struct launch product = planned(&work, 0);
        const uint64_t depth = product.argument[6],
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
        cmocka_unit_test(thin_products_get_thin_kernels),
        cmocka_unit_test(thin_products_keep_the_memory_busy),
        cmocka_unit_test(deep_products_share_k),
        cmocka_unit_test(shallow_products_have_few_steps),
        cmocka_unit_test(lanes_exchange_words_for_lines),
        cmocka_unit_test(large_products_get_large_tiles),
        cmocka_unit_test(alignment_is_no_loss),
        cmocka_unit_test(ragged_tiles_are_narrower),
        cmocka_unit_test(the_choice_is_visited_once),
        cmocka_unit_test(every_shape_has_a_plan),
        cmocka_unit_test(every_thin_shape_has_a_plan),
        cmocka_unit_test(every_shallow_shape_has_a_plan),
        cmocka_unit_test(choices_have_names),
        cmocka_unit_test(the_shares_cover_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
