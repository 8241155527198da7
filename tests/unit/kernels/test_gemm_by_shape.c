/*
 * Tests which kernel the top rung of the matrix product chooses for classes of shapes, without a
 * GPU.
 */
#include "fixture.h"

#include <string.h>

#include "../../kernels/gemm/by_shape.h"
#include "../../kernels/gemm/22_by_shape/line_exchange.h"

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

TEST(small_products_get_small_tiles)
{
    for (uint64_t side = 12; side <= 512; side += 4) {
        const struct by_shape_choice cube = chosen(side, side, side);
        if (cube.kernel == BY_STREAM || cube.parts != 1)
            fail_msg("%d: expected a split or a share tile in one launch", (int)side);
        const int shared = cube.kernel == BY_SHARE;
        const int m = shared ? share_tiles[cube.tile].m : split_tiles[cube.tile].m,
                  n = shared ? share_tiles[cube.tile].n : split_tiles[cube.tile].n;
        assert_true(m * n <= 64 * 64);
        assert_true(side > 256 || !shared);
    }
    const struct by_shape_choice tiny = chosen(64, 64, 64), small = chosen(512, 512, 512);
    assert_true(is_tile(&tiny, 16, 16) && tiny.cluster == 1);
    assert_true(is_share(&small, 32, 64) && small.cluster == 1); /* a tile for nearly every SM */
    for (uint64_t side = 9; side <= 256; side++)
        assert_int_equal(chosen(side, side, side).kernel, BY_SPLIT_TILE);
}

/* A tile is no wider than a narrow result needs, up to the narrowest that there is. */
TEST(skinny_products_get_skinny_tiles)
{
    for (uint64_t thin = 9; thin <= 16; thin++) {
        const struct by_shape_choice upright = chosen(4096, thin, 4096);
        assert_int_equal(upright.kernel, BY_SPLIT_TILE);
        assert_true(split_tiles[upright.tile].n <= 16);
    }
}

/* Up to eight rows or columns have kernels of their own, and so have 16 rows of a wide result. */
TEST(thin_products_get_thin_kernels)
{
    static const uint64_t lengths[] = {64, 333, 1000, 2777, 4096, 16384};
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
TEST(thin_products_keep_the_memory_busy)
{
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
TEST(deep_products_share_k)
{
    static const uint64_t shapes[][3] = {
        {64, 64, 65536},   {128, 128, 16384}, {256, 256, 8192}, {17, 33, 100001}, {300, 20, 40000},
        {512, 512, 4096},  {384, 384, 3000},  {256, 256, 2048}, {40, 2000, 4000}, {63, 3000, 3000},
        {1024, 128, 4096}, {700, 700, 1000},  {500, 400, 2000}};
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
        if (choice.kernel == BY_FEW_STEPS) {
            const struct few_steps_tile *tile = &few_steps_tiles[choice.tile];
            assert_true(by_shape_up(s[0], tile->m) * by_shape_up(s[1], tile->n) * choice.parts >=
                        96);
            continue;
        }
        if (choice.kernel != BY_SHARE)
            fail_msg("%d x %d x %d: expected shares of k", (int)s[0], (int)s[1], (int)s[2]);
        const struct share_tile *tile = &share_tiles[choice.tile];
        const uint64_t clusters = share_tile_count(tile, sides) * choice.parts;
        assert_true(clusters * choice.cluster >= 96);
        if (choice.cluster * choice.parts > 1)
            assert_true(clusters <= (uint64_t)clusters_that_fit[choice.cluster]);
    }
    /* Six blocks of a cluster for each of 16 tiles; 21 parts of 25 larger ones. */
    const struct by_shape_choice medium = chosen(256, 256, 2048), deep = chosen(300, 300, 6000);
    assert_true(is_share(&medium, 32, 128) && medium.cluster == 6 && medium.parts == 1);
    assert_true(deep.kernel == BY_FEW_STEPS && few_steps_tiles[deep.tile].m == 64 &&
                few_steps_tiles[deep.tile].n == 64 && deep.parts == 21);
    /* One small tile is shared by clusters, too; a short sum is not shared at all. */
    const struct by_shape_choice tile = chosen(16, 16, 1000000), brief = chosen(16, 16, 64);
    assert_true(is_tile(&tile, 16, 16) && tile.cluster == EIGHT && tile.parts >= 8);
    assert_true(brief.cluster == 1 && brief.parts == 1);
}

/* A result that is large compared with K is computed by tiles that take all of K at once. */
TEST(shallow_products_have_few_steps)
{
    static const uint64_t shapes[][3] = {{4096, 4096, 1},  {4096, 4096, 16},  {2619, 2570, 50},
                                         {2708, 3482, 4},  {2954, 1250, 19},  {3200, 1452, 40},
                                         {969, 787, 38},   {1087, 3603, 16},  {600, 1001, 33},
                                         {2001, 3001, 60}, {1000, 1002, 100}, {4095, 4097, 64}};
    static const uint64_t others[][3] = {{4096, 4096, 257}, {1500, 1501, 300},  {64, 64, 64},
                                         {256, 256, 64},    {8, 4096, 4},       {4096, 8, 4},
                                         {16, 4096, 64},    {4096, 16, 64},     {1, 4096, 1},
                                         {4096, 1, 1},      {2048, 2048, 2048}, {40, 40, 128}};
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
TEST(lanes_exchange_words_for_lines)
{
    enum { PAIRS = 4, WORDS = 32 * PAIRS };
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

TEST(large_products_get_large_tiles)
{
    static const struct {
        uint64_t m, n, k;
        const char *tile;
        int split;
        const char *why;
    } rows[] = {
        {1280, 1280, 1280, "middle", 1, "100 tiles of 128 x 128 are too few for 132 SMs"},
        {1536, 1536, 1536, "large", 1, "72 tiles of 128 x 256 are, too"},
        {163, 2863, 3566, "high", 1, "one row of tiles holds all rows"},
        {2864, 164, 3566, "wide", 1, "one column of tiles holds all columns"},
        {2048, 2048, 2048, "large", 0, "one round of 128 tiles is nearly full"},
        {4096, 4096, 4096, "large", 1, "the last of four rounds has 116 tiles"},
        {8192, 8192, 8192, "large", 1, "the last of 16 rounds has 68 tiles"},
        {2047, 2047, 2047, "large", 0, "so it is where words of B are copied one by one"},
    };
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
TEST(alignment_is_no_loss)
{
    for (uint64_t side = 4; side <= 4096; side += 44) {
        const double aligned = chosen(side, side, side).time_us,
                     columns = chosen(side, side + 1, side).time_us,
                     depth = chosen(side, side, side + 1).time_us;
        assert_true(columns >= aligned && depth >= aligned);
    }
}

/* If rows of B are not aligned, a tile is narrower; so a slightly larger N may have more tiles. */
TEST(ragged_tiles_are_narrower)
{
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

/* Narrower tiles would need another column of tiles for the last three columns of these results. */
TEST(full_width_is_copied_word_by_word)
{
    static const uint64_t shapes[][3] = {{2700, 189, 1121}, {2580, 63, 553}, {2479, 63, 768}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *s = shapes[i];
        const struct by_shape_choice choice = chosen(s[0], s[1], s[2]);
        const struct by_shape_sides sides = {s[0], s[1], s[2]};
        assert_int_equal(choice.kernel, BY_SHARE);
        const struct share_tile *tile = &share_tiles[choice.tile];
        assert_int_equal(tile->ragged, RAGGED_WORDS);
        assert_int_equal(share_tile_count(tile, sides),
                         by_shape_up(s[0], tile->m) * by_shape_up(s[1], tile->n));
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
TEST(the_choice_is_visited_once)
{
    static const uint64_t sides[] = {1, 5, 8, 12, 100, 1001, 4096};
    enum { SIDES = sizeof sides / sizeof *sides };
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

RUN_TESTS(NULL, NULL)
