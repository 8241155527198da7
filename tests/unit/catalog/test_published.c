/*
 * Compares the published figures of the variants, digit for digit, with the tables of the sources
 * as they print them: no figure is missing, and none was added.
 */
#include "fixture.h"

#include <math.h>

#include "catalog/registry.h"

#define LIU "Liu, Reduction slides (after Harris)"
#define YIKAI "Yikai, Reduction notes"
#define MAO "Mao, CUDA Cooperative Groups"
#define N22 "4194304"
#define N29 "536870912"

/* A row of a table: the time and the bandwidth as they are printed, and the nanoseconds of the unit
 * of the time. */
static const struct {
    const char *source, *family, *variant;
    int sweep, block;
    const char *size, *time;
    double unit_ns;
    const char *gbs;
} printed[] = {
    {LIU, "reduce", "01_interleaved_modulo", 0, 128, N22, "8.054", 1e6, "2.083"},
    {LIU, "reduce", "02_interleaved_strided", 0, 128, N22, "3.456", 1e6, "4.854"},
    {LIU, "reduce", "03_sequential", 0, 128, N22, "1.722", 1e6, "9.741"},
    {LIU, "reduce", "04_first_add_on_load", 0, 128, N22, "0.965", 1e6, "17.377"},
    {LIU, "reduce", "05_last_warp_unrolled", 0, 128, N22, "0.536", 1e6, "31.289"},
    {LIU, "reduce", "06_fully_unrolled", 0, 128, N22, "0.381", 1e6, "43.996"},
    {LIU, "reduce", "07_many_per_thread", 0, 128, N22, "0.268", 1e6, "62.671"},
    {YIKAI, "reduce", "91_cpu_one_thread", 0, 0, N29, "1.65679", 1e9, "1.29617"},
    {YIKAI, "reduce", "01_interleaved_modulo", 0, 0, N29, "0.015917", 1e9, "134.918"},
    {YIKAI, "reduce", "02_interleaved_strided", 0, 0, N29, "0.008949", 1e9, "239.969"},
    {YIKAI, "reduce", "03_sequential", 0, 0, N29, "0.007367", 1e9, "291.5"},
    {YIKAI, "reduce", "04_first_add_on_load", 0, 0, N29, "0.003993", 1e9, "537.812"},
    {YIKAI, "reduce", "04_first_add_on_load", 0, 0, N29, "0.003992", 1e9, "537.947"},
    {YIKAI, "reduce", "05_last_warp_unrolled", 0, 0, N29, "0.002918", 1e9, "735.944"},
    {YIKAI, "reduce", "06_fully_unrolled", 0, 0, N29, "0.002688", 1e9, "798.915"},
    {YIKAI, "reduce", "07_many_per_thread", 1, 0, N29, "0.002664", 1e9, "806.112"},
    {YIKAI, "reduce", "07_many_per_thread", 2, 0, N29, "0.001888", 1e9, "1137.44"},
    {YIKAI, "reduce", "07_many_per_thread", 4, 0, N29, "0.00158", 1e9, "1359.17"},
    {YIKAI, "reduce", "07_many_per_thread", 8, 0, N29, "0.001482", 1e9, "1449.04"},
    {YIKAI, "reduce", "07_many_per_thread", 16, 0, N29, "0.001477", 1e9, "1453.95"},
    {YIKAI, "reduce", "07_many_per_thread", 32, 0, N29, "0.001491", 1e9, "1440.3"},
    {YIKAI, "reduce", "07_many_per_thread", 64, 0, N29, "0.001507", 1e9, "1425.01"},
    {YIKAI, "reduce", "07_many_per_thread", 128, 0, N29, "0.001498", 1e9, "1433.57"},
    {YIKAI, "reduce", "07_many_per_thread", 256, 0, N29, "0.001515", 1e9, "1417.48"},
    {YIKAI, "reduce", "07_many_per_thread", 512, 0, N29, "0.001637", 1e9, "1311.84"},
    {YIKAI, "reduce", "07_many_per_thread", 1024, 0, N29, "0.001959", 1e9, "1096.21"},
    /* Milliseconds of 10 and of 100 sums. */
    {YIKAI, "reduce", "07_many_per_thread", 0, 0, N29, "29", 1e5, NULL},
    {YIKAI, "reduce", "07_many_per_thread", 0, 0, N29, "261", 1e4, NULL},
    {YIKAI, "reduce", "20_as_pytorch", 0, 0, N29, "40", 1e5, NULL},
    {YIKAI, "reduce", "20_as_pytorch", 0, 0, N29, "245", 1e4, NULL},
    {MAO, "reduce_batched", "06_plain_loop_tree", 0, 256, "2048x262144", "2.43301", 1e6, "882.649"},
    {MAO, "reduce_batched", "07_plain_loop_tiles", 0, 256, "2048x262144", "2.43445", 1e6,
     "882.126"},
    {MAO, "reduce_float", "08_plain_loop_grid", 0, 256, N29, "2.47788", 1e6, "866.663"},
};
enum { TABLE_ROWS = sizeof printed / sizeof *printed };

static int is_same(double number, double expected)
{
    return fabs(number - expected) <= 1e-12 * expected;
}

static int is_row(const struct published *published, int row)
{
    return !strcmp(published->source, printed[row].source) &&
           published->sweep == printed[row].sweep && published->block == printed[row].block &&
           !strcmp(published->size, printed[row].size) &&
           is_same(published->time_ns, strtod(printed[row].time, NULL) * printed[row].unit_ns) &&
           is_same(published->effective_gbs, printed[row].gbs ? strtod(printed[row].gbs, NULL) : 0);
}

TEST(every_printed_figure_is_there)
{
    for (int row = 0; row < TABLE_ROWS; row++) {
        const struct variant *variant = registry_variant(printed[row].family, printed[row].variant);
        int found = 0;
        assert_non_null(variant);
        for (int i = 0; variant->published[i].source; i++)
            found += is_row(&variant->published[i], row);
        if (found != 1)
            fail_msg("%s: %s of %s is there %d times", variant->file, printed[row].time,
                     printed[row].source, found);
    }
}

TEST(no_figure_of_these_sources_was_added)
{
    int count = 0;
    for (int v = 0; registry_variants[v]; v++)
        for (const struct published *p = registry_variants[v]->published; p->source; p++)
            count +=
                !strcmp(p->source, LIU) || !strcmp(p->source, YIKAI) || !strcmp(p->source, MAO);
    assert_int_equal(count, TABLE_ROWS);
}

RUN_TESTS(NULL, NULL)
