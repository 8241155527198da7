/*
 * Tests the rungs of the matrix product without a GPU: the reads and writes of each in shared
 * memory, counted by hand for one tile, and the plan of the top rung.
 */
#include <string.h>

#include "catalog/bank_model.h"
#include "planned.h"

/* Wavefronts of loads and stores, with and without conflicts, that a warp needs for one tile of A
 * and of B. */
TEST(closed_forms)
{
    static const struct {
        const char *name;
        uint64_t m, n, k;
        double warps, loads, loads_ideal, stores, stores_ideal;
        int sweep;
    } rows[] = {
        /* 32 words of a broadcast row by four, in halves of 16 lanes; 32 words of B */
        {"03_shared_tiles", 32, 32, 32, 32, 8 * 2 + 32, 8 * 2 + 32, 2, 2, 0},
        {"04_thread_tile_1d", 64, 64, 8, 16, 16 * 2 + 8, 16 * 2 + 8, 2, 2, 0},
        /* two rows of A, 8 x 2 reads; of B 16 lanes 32 bytes apart, twice as many wavefronts as
         * groups of lanes */
        {"05_thread_tile_2d", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 + 4, 4 + 4, 0},
        /* stores of A: lanes in pairs four rows, or 512 words, apart */
        {"06_wide_loads", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4, 0},
        {"07_swizzled_b", 128, 128, 8, 8, 16 * 2 + 64, 16 * 2 + 64, 4 * 2 + 4 * 2, 4 + 4, 0},
        {"08_double_buffer", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4, 0},
        {"09_compute_first", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4, 0},
        /* four words of A for eight lanes each; eight times four words of B in every group of eight
         * lanes */
        {"10_warp_tiles", 128, 128, 8, 8, 16 * 2 + 16 * 4, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4, 0},
        /* neighbours share A; lanes two apart share B */
        {"11_zigzag", 128, 128, 8, 8, 16 * 2 + 16 * 2, 16 * 2 + 16 * 2, 4 * 2 + 4, 4 + 4, 0},
        {"12_warp_tiling", 64, 128, 16, 4, 32 * 2 + 32 * 4, 32 * 2 + 32 * 4, 8 * 4 + 4 * 4,
         8 + 4 * 4, 0},
        {"13_async_copies", 128, 128, 8, 8, 16 * 2 + 16 * 4, 16 * 2 + 16 * 4, 0, 0, 0},
        /* A by four k, eight rows at once; B at each k; and both once more in advance */
        {"14_tma_stages", 128, 256, 32, 8, 9 * 8 * 4 + 33 * 4 * 2, 9 * 8 * 4 + 33 * 4 * 2, 0, 0, 0},
        {"15_tma_cluster", 256, 256, 32, 16, 9 * 8 * 4 + 33 * 4 * 2, 9 * 8 * 4 + 33 * 4 * 2, 0, 0,
         0},
        {"16_producer_warps", 128, 256, 32, 8, 32 * (4 * 4 + 2 * 2), 32 * (4 * 4 + 2 * 2), 0, 0, 0},
        /* across: neighbours share A; down: neighbours share B */
        {"18_straight_8x4", 128, 128, 8, 8, 16 * 2 + 16 * 4, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4, 1},
        {"18_straight_8x4", 128, 128, 8, 8, 16 * 4 + 16 * 2, 16 * 4 + 16 * 2, 4 * 2 + 4, 4 + 4, 2},
        {"19_contiguous_warp_tiles", 128, 128, 8, 8, 16 * 2 + 16 * 4, 16 * 2 + 16 * 4, 4 * 2 + 4,
         4 + 4, 0},
        {"20_fragments_in_turn", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4,
         0},
        {"21_register_double_buffer", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 * 2 + 4,
         4 + 4, 0},
        /* half of the warps store, twice as often */
        {"23_halves_in_turn", 128, 128, 8, 8, 16 * 2 + 16 * 8, 16 * 2 + 16 * 4, 4 * 2 + 4, 4 + 4,
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct work work = product_on(132, rows[i].m, rows[i].n, rows[i].k);
        struct access_sums sums;
        work.point.sweep = rows[i].sweep;
        assert_true(shared_accesses_sum(rung_of("gemm", rows[i].name), &work, 0, &sums));
        const double found[] = {sums.load_wavefronts, sums.load_ideal, sums.store_wavefronts,
                                sums.store_ideal};
        const double wanted[] = {rows[i].loads, rows[i].loads_ideal, rows[i].stores,
                                 rows[i].stores_ideal};
        for (int j = 0; j < 4; j++)
            if (found[j] != rows[i].warps * wanted[j])
                fail_msg("%s, number %d: %g wavefronts per warp; expected %g", rows[i].name, j,
                         found[j] / rows[i].warps, wanted[j]);
    }
}

static struct launch streamed(const struct work *work)
{
    return planned(rung_of("gemm", "17_stream_k"), work, 0);
}

/* The top rung: whole tiles if they divide evenly, otherwise equal shares, and at most one block
 * per SM. */
TEST(top_rung)
{
    static const uint64_t shapes[][3] = {
        {1, 1, 1},          {128, 256, 32},     {1000, 1000, 1000},
        {4096, 4096, 4096}, {1419, 3594, 30},   {53, 997, 2498},
        {1 << 20, 3, 5},    {8192, 8192, 8192}, {128 * 12, 256 * 11, 4096}};
    static const int sm_counts[] = {1, 2, 132, 400, 600};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof sm_counts / sizeof *sm_counts; j++) {
            const struct work work =
                product_on(sm_counts[j], shapes[i][0], shapes[i][1], shapes[i][2]);
            const struct launch launch = streamed(&work);
            assert_null(rung_of("gemm", "17_stream_k")->refuses(&work.point, 90));
            assert_true(launch.grid[0] >= 1 && launch.tensor_map_count == 1);
            assert_int_equal(launch.clear_scratch, 0);
            if (launch.cooperative)
                assert_true(launch.grid[0] <= (unsigned)sm_counts[j] && launch.grid[0] <= 508);
        }
    const struct work even = product_on(132, 128 * 12, 256 * 11, 4096),
                      square = product_on(132, 4096, 4096, 4096), one = product_on(132, 1, 1, 1);
    assert_true(streamed(&even).grid[0] == 132 && !streamed(&even).cooperative);
    assert_true(streamed(&square).grid[0] == 132 && streamed(&square).cooperative);
    assert_true(streamed(&one).grid[0] == 1 && !streamed(&one).cooperative);
    assert_true(streamed(&even).function == streamed(&square).function);
    assert_true(streamed(&one).function !=
                streamed(&square).function); /* smaller tiles, and B word by word */
}

/* The fragments of 17 over all pieces: each step once. Each piece beyond the first of a tile is
 * added to it: four sums per lane and read. */
TEST(pieces_of_the_top_rung)
{
    struct shared_access list[SHARED_ACCESSES];
    const struct work even = product_on(132, 128 * 12, 256 * 11, 4096),
                      ragged = product_on(132, 1000, 1001, 1000);
    memset(list, 0, sizeof list);
    assert_int_equal(rung_of("gemm", "17_stream_k")->shared_accesses(&even, 0, list), 2);
    assert_true(list[0].executions == 8.0 * 4 * 132 * 4096);
    assert_true(list[1].executions == 8.0 * 2 * 132 * 4096);
    /* 4 x 2 tiles of 128 x 256, 512 steps each, on three SMs: two whole tiles each, minus one
     * round, which leaves five tiles for equal shares of 853 or 854 steps. The second share begins
     * in the second of the five tiles, the third in the fourth, so there are ten pieces. */
    const struct work split = product_on(3, 512, 512, 4096);
    assert_true(streamed(&split).cooperative && streamed(&split).grid[0] == 3);
    assert_int_equal(rung_of("gemm", "17_stream_k")->shared_accesses(&split, 0, list), 3);
    assert_true(list[0].executions == 8.0 * 4 * 8 * 4096);
    assert_string_equal(list[2].name, "reads of partial tiles");
    assert_true(list[2].executions == 2.0 * 128 * 256 / (32 * 4));
    assert_int_equal(rung_of("gemm", "17_stream_k")->shared_accesses(&ragged, 0, list), 5);
    assert_string_equal(list[4].name, "reads of staged results");
}

RUN_TESTS(NULL, NULL)
