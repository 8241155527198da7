/*
 * Tests how the top rungs of the matrix product on tensor cores distribute their work, without a
 * GPU: what rung 16 shares, and which tiles and copies rung 17 chooses for classes of shapes.
 */
#include "planned.h"

#include "catalog/bank_model.h"

enum { SMS = 132, PARTIAL_TILES = 64 << 20 };

/* The launch that multiplies: the last one. */
static struct launch product(const struct work *work)
{
    return planned(rung_of("gemm_tensor", "17_best"), work,
                   rung_of("gemm_tensor", "17_best")->launch_count(&work->point) - 1);
}

/* A tile is recognised by the boxes of A, which are as high as the tile, or half of it if two
 * blocks share them, by the threads of a block and by its shared memory: stages, room for staged
 * results, and 1 KiB to align them. */
struct tile {
    unsigned rows, threads, cluster, shared_kib;
};

static const struct tile turns_128 = {128, 384, 0, 6 * 32 + 32 + 1},
                         turns_192 = {128, 384, 0, 5 * 40 + 16 + 1},
                         wide = {128, 384, 2, 4 * 48 + 32 + 1},
                         narrow = {64, 256, 0, 8 * 24 + 16 + 1},
                         small = {64, 256, 0, 12 * 16 + 16 + 1},
                         slices = {64 / 2, 384, 2, 10 * 16 + 32 + 1},
                         turns_112_rows = {112, 384, 0, 6 * 30 + 32 + 1},
                         of_72_rows = {72, 384, 0, 7 * 25 + 32 + 1},
                         of_104_rows = {104, 384, 0, 6 * 29 + 32 + 1},
                         of_144_rows = {144, 384, 0, 5 * 34 + 32 + 1};

static int is_tile(const struct launch *launch, const struct tile *tile)
{
    return launch->tensor_map[0].box_rows == tile->rows && launch->block[0] == tile->threads &&
           launch->cluster == tile->cluster && launch->dynamic_shared == tile->shared_kib << 10;
}

TEST(equal_shares_where_they_pay)
{
    /* 1024 pairs of tiles on 66 clusters: 15 rounds, and 34 pairs for all of them */
    const struct work large = product_on(SMS, 8192, 8192, 8192);
    struct launch launch = planned(rung_of("gemm_tensor", "16_equal_shares"), &large, 0);
    assert_int_equal(launch.grid[0], 132);
    assert_true(launch.cooperative && launch.clear_scratch == 0 && launch.cluster == 2);
    assert_int_equal(launch.argument[launch.argument_count - 2], 15);
    assert_int_equal(launch.argument[launch.argument_count - 1], 66);
    /* 256 pairs: the fourth round has 58 of 66, so nothing is shared */
    const struct work full = product_on(SMS, 4096, 4096, 4096);
    launch = planned(rung_of("gemm_tensor", "16_equal_shares"), &full, 0);
    assert_int_equal(launch.grid[0], 132);
    assert_true(!launch.cooperative);
    assert_int_equal(launch.argument[launch.argument_count - 2], 4);
    /* One pair of tiles, 1024 slices: several pieces of it */
    const struct work deep = product_on(SMS, 256, 256, 65536);
    launch = planned(rung_of("gemm_tensor", "16_equal_shares"), &deep, 0);
    assert_true(launch.cooperative && launch.grid[0] > 2 && launch.grid[0] <= 132);
    assert_int_equal(launch.argument[launch.argument_count - 2], 0);
    assert_int_equal(launch.argument[launch.argument_count - 1] * 2, launch.grid[0]);
    /* One pair, one slice: nothing to divide */
    const struct work flat = product_on(SMS, 256, 256, 8);
    launch = planned(rung_of("gemm_tensor", "16_equal_shares"), &flat, 0);
    assert_true(!launch.cooperative && launch.grid[0] == 2);
}

TEST(the_tile_suits_the_shape)
{
    static const struct {
        uint64_t m, n, k;
        const struct tile *tile;
        const char *choice, *why;
    } rows[] = {
        {1024, 1024, 1024, &narrow, "64 x 128", "a tile for each SM"},
        {2048, 2048, 2048, &turns_128, "128 x 128 by turns",
         "two rounds of 128 x 128 are nearly full"},
        {4096, 4096, 4096, &turns_112_rows, "112 x 128 by turns", "nine rounds are nearly full"},
        {1536, 1536, 1536, &of_144_rows, "144 x 128", "one full round; of 128 x 128 two"},
        {1280, 1280, 1280, &of_104_rows, "104 x 128", "130 tiles instead of 100"},
        {1728, 640, 3648, &of_72_rows, "72 x 128", "120 tiles, 72 of them instead of 70"},
        {8192, 8192, 8192, &turns_192, "128 x 192 by turns", "21 rounds are nearly full"},
        {256, 512, 8192, &small, "64 x 64; shared", "few tiles, many slices"},
        {1984, 256, 3008, &slices, "64 x 64 by slices in clusters", "few columns and deep"},
        {1024, 512, 4096, &small, "64 x 64", "the same number of tiles, but more columns"},
        {128, 128, 64, &small, "64 x 64", "four blocks instead of one"},
        {2000, 2000, 2000, &wide, "128 x 256 in clusters",
         "the fewest bytes of rows that are not aligned"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct work work = product_on(SMS, rows[i].m, rows[i].n, rows[i].k);
        const struct launch launch = product(&work);
        assert_int_equal(rung_of("gemm_tensor", "17_best")->launch_count(&work.point), 1);
        assert_string_equal(rung_of("gemm_tensor", "17_best")->choice(&work), rows[i].choice);
        if (!is_tile(&launch, rows[i].tile))
            fail_msg("%d x %d x %d: %s, but the boxes have %u rows, blocks %u threads, clusters "
                     "%u, %zu bytes",
                     (int)rows[i].m, (int)rows[i].n, (int)rows[i].k, rows[i].why,
                     launch.tensor_map[0].box_rows, launch.block[0], launch.cluster,
                     launch.dynamic_shared);
    }
}

/* Where a tile of exchanged operands fills the device once, each block has one tile, and the boxes
 * of A cover all rows. */
TEST(one_round_where_a_width_fits)
{
    static const struct {
        uint64_t m, n, k;
        unsigned rows, blocks;
    } shapes[] = {{1536, 1536, 1536, 144, 11 * 12}, {1280, 1280, 1280, 104, 13 * 10},
                  {896, 2688, 1344, 152, 6 * 21},   {1728, 640, 3648, 72, 24 * 5},
                  {1408, 1408, 1984, 120, 12 * 11}, {768, 768, 768, 72, 11 * 12}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct work work = product_on(SMS, shapes[i].m, shapes[i].n, shapes[i].k);
        const struct launch launch = product(&work);
        const unsigned box = launch.tensor_map[0].box_rows;
        assert_int_equal(box, shapes[i].rows);
        assert_int_equal(launch.grid[0], shapes[i].blocks);
        assert_int_equal(launch.argument[launch.argument_count - 2], 1);
        assert_int_equal(launch.argument[launch.argument_count - 1], 1);
        assert_true(launch.grid[0] % ((shapes[i].m + box - 1) / box) == 0);
    }
}

/* Whatever the shape and the device: valid maps, shares only for blocks that are resident together,
 * pads within their part of the scratch buffer. */
TEST(every_shape_has_a_plan)
{
    static const uint64_t sides[] = {1, 7, 8, 63, 64, 65, 100, 129, 1000, 1023, 4096, 5003};
    static const int sm_counts[] = {1, 2, 78, 132, 600};
    enum { SIDES = sizeof sides / sizeof *sides };
    for (int i = 0; i < SIDES * SIDES * SIDES; i++) {
        const uint64_t m = sides[i % SIDES], n = sides[i / SIDES % SIDES],
                       k = sides[i / SIDES / SIDES];
        for (size_t j = 0; j < sizeof sm_counts / sizeof *sm_counts; j++) {
            const struct work work = product_on(sm_counts[j], m, n, k);
            const struct launch launch = product(&work);
            const unsigned count = rung_of("gemm_tensor", "17_best")->launch_count(&work.point);
            assert_null(rung_of("gemm_tensor", "17_best")->refuses(&work.point, 90));
            assert_int_equal(launch.tensor_map_count, 3);
            assert_true(launch.grid[0] >= 1 && launch.grid[0] <= (unsigned)sm_counts[j] + 1);
            assert_int_equal(launch.cooperative, launch.argument[launch.argument_count - 1] > 1);
            assert_int_equal(launch.clear_scratch, 0);
            if (launch.cluster) assert_int_equal(launch.grid[0] % launch.cluster, 0);
            if (k % 8 || n % 8) assert_int_equal(count, 2);
            for (int map = 0; map < 3; map++) {
                assert_int_equal(launch.tensor_map[map].pitch % 16, 0);
                assert_true((uintptr_t)launch.tensor_map[map].base % 16 == 0);
            }
            assert_true(launch.tensor_map[0].element == ELEMENT_BFLOAT16 &&
                        launch.tensor_map[0].columns == k && launch.tensor_map[1].columns == n);
            if (n % 4 == 0) assert_ptr_equal(launch.tensor_map[2].base, OUTPUT);
        }
    }
}

TEST(copies_are_made_where_rows_need_them)
{
    /* Rows of A are too short by one element, those of B are whole lines. */
    const struct work odd_k = product_on(SMS, 512, 1024, 1023);
    struct launch copy = planned(rung_of("gemm_tensor", "17_best"), &odd_k, 0),
                  launch = product(&odd_k);
    assert_int_equal(rung_of("gemm_tensor", "17_best")->launch_count(&odd_k.point), 2);
    assert_int_equal(copy.grid[0], 512 * 128 / 1024);
    assert_int_equal(copy.tensor_map_count, 0);
    assert_ptr_equal(launch.tensor_map[0].base, WORKSPACE + PARTIAL_TILES);
    assert_int_equal(launch.tensor_map[0].pitch, 2 * 1024);
    assert_ptr_equal(launch.tensor_map[1].base, INPUT_B);
    /* The other way round. */
    const struct work odd_n = product_on(SMS, 512, 1001, 1024);
    copy = planned(rung_of("gemm_tensor", "17_best"), &odd_n, 0);
    launch = product(&odd_n);
    assert_int_equal(copy.grid[0], 1024 * 126 / 1024);
    assert_ptr_equal(launch.tensor_map[0].base, INPUT_A);
    assert_int_equal(launch.tensor_map[1].pitch, 2 * 1024);
    /* Rows of multiples of 16 bytes, but of no whole lines: copied only if the product is large. */
    const struct work tiny = product_on(SMS, 104, 264, 72),
                      large = product_on(SMS, 3000, 3000, 3000);
    assert_int_equal(rung_of("gemm_tensor", "17_best")->launch_count(&tiny.point), 1);
    assert_int_equal(rung_of("gemm_tensor", "17_best")->launch_count(&large.point), 2);
    launch = product(&large);
    assert_int_equal(launch.tensor_map[0].pitch, 2 * 3008);
    assert_ptr_equal(launch.tensor_map[2].base, OUTPUT);
}

/* A warp writes eight rows of 16 bytes and eight below, without conflicts; a tile has as many such
 * writes as its size asks for. */
TEST(staging_has_no_conflicts)
{
    const struct work work = product_on(SMS, 256, 256, 64), rows = product_on(SMS, 256, 255, 64);
    struct access_sums sums;
    assert_true(shared_accesses_sum(rung_of("gemm_tensor", "15_epilogue"), &work, 0, &sums));
    /* two wavefronts for each of 8 writes, for each of 256 x 256 / (16 x 32) pieces */
    assert_true(sums.store_wavefronts == 128 * 8 * 2 && sums.store_ideal == sums.store_wavefronts);
    assert_true(sums.load_wavefronts == 0);
    assert_true(shared_accesses_sum(rung_of("gemm_tensor", "17_best"), &rows, 1, &sums));
    assert_true(sums.store_ideal == sums.store_wavefronts && sums.store_wavefronts >= 128 * 8 * 2);
    assert_true(sums.load_ideal == sums.load_wavefronts && sums.load_wavefronts >= 128 * 16);
    /* With exchanged operands: 13 tiles of 104 rows, each as 7 pieces of 16 rows, the last of which
     * overlaps; 40 strips of 32 columns; 16 words of each lane of two warps. */
    const struct work exchanged = product_on(SMS, 1280, 1280, 1280);
    assert_string_equal(rung_of("gemm_tensor", "17_best")->choice(&exchanged), "104 x 128");
    assert_true(shared_accesses_sum(rung_of("gemm_tensor", "17_best"), &exchanged, 0, &sums));
    assert_true(sums.store_wavefronts == 13 * 7 * 40 * 16);
    assert_true(sums.store_ideal == sums.store_wavefronts && sums.load_wavefronts == 0);
    /* By slices: 31 x 4 tiles of 8 pieces, and 4096 sums that are handed over, 32 in a wavefront.
     */
    const struct work deep = product_on(SMS, 1984, 256, 3008);
    assert_true(shared_accesses_sum(rung_of("gemm_tensor", "17_best"), &deep, 0, &sums));
    assert_true(sums.store_wavefronts == 31 * 4 * (8 * 8 * 2 + 4096 / 32));
    assert_true(sums.load_wavefronts == 31 * 4 * 4096 / 32);
    assert_true(sums.store_ideal == sums.store_wavefronts &&
                sums.load_ideal == sums.load_wavefronts);
}

RUN_TESTS(NULL, NULL)
