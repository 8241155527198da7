/*
 * Tests how sums and batches of sums are divided among blocks and threads: a class of lengths at a
 * time on an H200, and what must hold for every length on every device.
 */
#include "planned.h"

#include "../../kernels/sum_tiles.h"
#include "base/stats.h"

enum { H200 = 132, LEAST = SUM_LEAST_TILE, MOST = SUM_MOST_TILE };

TEST(classes_of_lengths)
{
    static const struct {
        uint64_t n;
        unsigned tile, blocks;
    } rows[] = {
        /* one tile for each block, at most two blocks for each SM, in ever larger tiles */
        {1, 1024, 1},
        {1024, 1024, 1},
        {1025, 1024, 2},
        {1 << 16, 1024, 64},
        {1 << 18, 1024, 256},
        {264 * 1024, 1024, 264},
        {264 * 1024 + 1, 2048, 133},
        {1 << 19, 2048, 256},
        {1 << 20, 4096, 256},
        {1000003, 4096, 245},
        {1 << 21, 8192, 256},
        /* up to four tiles, the same number for each */
        {264 * 8192, 8192, 264},
        {264 * 8192 + 1, 8192, 133},
        {1 << 22, 8192, 256},
        {1 << 23, 8192, 256},
        {4 * 264 * 8192, 8192, 264},
        /* one wave */
        {4 * 264 * 8192 + 1, 8192, 396},
        {1 << 24, 8192, 396},
        {1 << 25, 8192, 396},
        {UINT64_C(8192) * 6335, 8192, 396},
        /* blocks of four tiles, in at least four waves */
        {UINT64_C(8192) * 6335 + 1, 8192, 1584},
        {1 << 26, 8192, 2048},
        {UINT64_C(1) << 29, 8192, 16384},
        {(UINT64_C(1) << 29) + 1, 8192, 16385},
        {UINT64_C(1) << 30, 8192, 32768},
        /* as many blocks as the first one can hear */
        {(UINT64_C(1) << 30) + 1, 8192, 26215},
        {UINT64_C(1) << 34, 8192, 32768},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sum_division division = sum_divide(rows[i].n, LEAST, MOST, H200);
        if (division.tile != rows[i].tile || division.blocks != rows[i].blocks)
            fail_msg("n = %llu: %u blocks, tiles of %u", (unsigned long long)rows[i].n,
                     division.blocks, division.tile);
    }
}

/* No block is without a tile, the first block can hear all of them, and a short sum is not divided
 * further than into two blocks for each SM. */
TEST(every_block_has_a_tile)
{
    uint64_t random = 29;
    for (int i = 0; i < 200000; i++) {
        const unsigned most = i % 2 ? MOST : MOST / 2;
        const int sms = 1 + (int)(stats_random(&random) % 256);
        const uint64_t n = 1 + (stats_random(&random) >> (stats_random(&random) % 40 + 24));
        const struct sum_division division = sum_divide(n, LEAST, most, sms);
        const uint64_t tiles = (n + division.tile - 1) / division.tile, pairs = 2 * (uint64_t)sms;
        const int right = division.tile >= LEAST && division.tile <= most &&
                          !(division.tile & (division.tile - 1)) && division.blocks >= 1 &&
                          division.blocks <= SUM_MOST_BLOCKS && division.blocks <= tiles &&
                          (division.blocks <= pairs || tiles > 4 * pairs) &&
                          (division.blocks == tiles || division.tile == most);
        if (!right)
            fail_msg("n = %llu, %d SMs: %u blocks, tiles of %u", (unsigned long long)n, sms,
                     division.blocks, division.tile);
    }
}

/* ---- the rungs that divide so ---------------------------------------------------------------- */

static struct launch planned_for(const struct variant *variant, struct shape shape, int sms)
{
    static char input, output, partial;
    const struct work work = {.point = {.shape = shape, .block = 256},
                              .sm_count = sms,
                              .compute_capability = 90,
                              .input = {&input, &input},
                              .output = &output,
                              .scratch = &partial};
    return planned(variant, &work, 0);
}

/* Every size of tiles has a kernel of its own; those of the dot product end at half the size. */
TEST(rungs_of_one_sum)
{
    static const struct {
        const char *family, *variant;
        unsigned most, blocks[4]; /* threads, by tiles */
    } rows[] = {{"reduce", "21_sized_tiles", MOST, {128, 128, 256, 512}},
                {"reduce_float", "06_first_block", MOST, {128, 128, 256, 512}},
                {"dot", "06_first_block", MOST / 2, {256, 512, 512, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variant *rung = rung_of(rows[i].family, rows[i].variant);
        const void *kernel[4] = {NULL, NULL, NULL, NULL};
        for (int k = 0; k <= 30; k++) {
            const struct shape shape = {1, {UINT64_C(1) << k}};
            const struct sum_division division =
                sum_divide(shape.dim[0], LEAST, rows[i].most, H200);
            const struct launch launch = planned_for(rung, shape, H200);
            int size = 0;
            while ((unsigned)LEAST << size < division.tile) size++;
            assert_int_equal(launch.block[0], rows[i].blocks[size]);
            assert_int_equal(launch.grid[0], division.blocks);
            assert_false(launch.clear_output);
            if (kernel[size]) assert_ptr_equal(kernel[size], launch.function);
            kernel[size] = launch.function;
        }
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++) assert_true(!kernel[a] || kernel[a] != kernel[b]);
    }
}

TEST(classes_of_batches)
{
    static const struct {
        uint64_t batches, length;
        unsigned parts, rows, block; /* of the grid */
    } rows[] = {
        /* 4, 8, 16 or 32 lanes for each batch, in blocks of 256 threads */
        {1000, 1, 16, 1, 256},
        {1000, 31, 16, 1, 256},
        {65536, 32, 2048, 1, 256},
        {65536, 128, 2048, 1, 256},
        {65536, 129, 4096, 1, 256},
        {65536, 257, 8192, 1, 256},
        {65536, 1024, 8192, 1, 256},
        {1, 512, 1, 1, 256},
        /* a block */
        {65536, 1025, 65536, 1, 128},
        {1, 2048, 1, 1, 128},
        {10, 4095, 10, 1, 256},
        {10, 4096, 10, 1, 512},
        {2048, 12288, 2048, 1, 512},
        {10, 8192, 10, 1, 512},
        {264, 1 << 20, 264, 1, 512},
        {2048, 1 << 17, 2048, 1, 512},
        {2048, 1 << 18, 2048, 1, 1024},
        {2048, (1 << 18) + 4096, 2048, 1, 256},
        {1055, 1 << 18, 1055, 1, 512},
        /* several blocks */
        {16, 8193, 9, 16, 128},
        {263, 8193, 2, 263, 512},
        {16, 1 << 16, 16, 16, 256},
        {16, 1 << 24, 512, 16, 512},
        {1, 1 << 24, 342, 1, 512},
    };
    const struct variant *rung;
    rung = rung_of("reduce_batched", "05_sized_groups");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct shape shape = {2, {rows[i].batches, rows[i].length}};
        const struct launch launch = planned_for(rung, shape, H200);
        if (launch.grid[0] != rows[i].parts || launch.grid[1] != rows[i].rows ||
            launch.block[0] != rows[i].block)
            fail_msg("%llu x %llu: %u x %u blocks of %u", (unsigned long long)rows[i].batches,
                     (unsigned long long)rows[i].length, launch.grid[0], launch.grid[1],
                     launch.block[0]);
    }
}

/* Whatever the shape, the batches have room in the grid, and their parts in the mail. */
TEST(batches_fit)
{
    uint64_t random = 5;
    const struct variant *rung;
    rung = rung_of("reduce_batched", "05_sized_groups");
    for (int i = 0; i < 100000; i++) {
        const int sms = 1 + (int)(stats_random(&random) % 256);
        const struct shape shape = {
            2,
            {1 + (stats_random(&random) >> (stats_random(&random) % 28 + 36)),
             1 + (stats_random(&random) >> (stats_random(&random) % 28 + 36))}};
        const struct launch launch = planned_for(rung, shape, sms);
        const uint64_t blocks = (uint64_t)launch.grid[0] * launch.grid[1];
        const int right = launch.grid[1] > 1
                              ? launch.grid[1] == shape.dim[0] && blocks <= SUM_MOST_BLOCKS &&
                                    launch.grid[1] < SUM_PAIR * (unsigned)sms
                              : launch.grid[0] >= 1;
        if (!right || launch.grid[1] > 65535)
            fail_msg("%llu x %llu, %d SMs: %u x %u blocks of %u", (unsigned long long)shape.dim[0],
                     (unsigned long long)shape.dim[1], sms, launch.grid[0], launch.grid[1],
                     launch.block[0]);
    }
}

RUN_TESTS(NULL, NULL)
