#include "fixture.h"

#include <math.h>

#include "accesses.h"

/* Two launches: the first stores rows, loads a column and a broadcast; the second stores alone, with every second lane. */
static int describe(const struct work *work, unsigned index, struct shared_access *list)
{
    if (index == 1) {
        list[0] = (struct shared_access){.name = "writes of A", .kind = ACCESS_STORE, .width = 8, .executions = 3};
        for (int lane = 0; lane < 32; lane++) list[0].address[lane] = lane % 2 ? LANE_IDLE : 8 * lane;
        return 1;
    }
    list[0] = (struct shared_access){.name = "writes of A", .kind = ACCESS_STORE, .width = 4, .executions = 10};
    list[1] = (struct shared_access){.name = "reads of A", .kind = ACCESS_LOAD, .width = 4, .executions = (double)work->point.shape.dim[0]};
    list[2] = (struct shared_access){.name = "reads, \"B\"", .kind = ACCESS_LOAD, .width = 16, .executions = 5};
    for (int lane = 0; lane < 32; lane++) {
        list[0].address[lane] = 4 * lane;
        list[1].address[lane] = 256 * lane;
    }
    return 3;
}

static int describe_none(const struct work *work, unsigned index, struct shared_access *list)
{
    (void)work;
    (void)index;
    (void)list;
    return 0;
}

static double forty(const struct point *point, unsigned index)
{
    (void)point;
    return 40 + index;
}

static unsigned two_launches(const struct point *point)
{
    (void)point;
    return 2;
}

static const struct variant described = {.family = "f", .name = "01_a", .launch_count = two_launches, .shared_accesses = describe},
                            closed = {.family = "f", .name = "02_b", .launch_count = two_launches, .excess_wavefronts = forty},
                            silent = {.family = "f", .name = "03_c", .launch_count = two_launches},
                            without = {.family = "f", .name = "04_d", .launch_count = two_launches, .shared_accesses = describe_none};
static const struct work work = {.point = {.shape = {1, {100}}, .block = 64, .sweep = 2}};

static void sums_over_the_accesses_of_a_launch(void **state)
{
    struct access_sums sums;
    (void)state;
    assert_true(accesses_sum(&described, &work, 0, &sums));
    assert_true(sums.load_wavefronts == 100 * 32 + 5 * 2); /* 32 rows on one bank; one address for 16 bytes */
    assert_true(sums.load_ideal == 100 * 1 + 5 * 2);
    assert_true(sums.store_wavefronts == 10 && sums.store_ideal == 10);
    assert_true(accesses_excess(&described, &work, 0) == 3100);
    assert_true(accesses_sum(&described, &work, 1, &sums));
    assert_true(sums.load_wavefronts == 0 && sums.load_ideal == 0);
    assert_true(sums.store_wavefronts == 3 * 2 && sums.store_ideal == 3 * 2);
    assert_true(accesses_excess(&described, &work, 1) == 0);
}

static void what_is_not_described_is_absent(void **state)
{
    struct access_sums sums;
    (void)state;
    assert_false(accesses_sum(&silent, &work, 0, &sums));
    assert_true(isnan(sums.load_wavefronts) && isnan(sums.store_wavefronts) && isnan(sums.load_ideal) && isnan(sums.store_ideal));
    assert_true(isnan(accesses_excess(&silent, &work, 0)));
    assert_false(accesses_sum(&closed, &work, 0, &sums));
    assert_true(accesses_excess(&closed, &work, 1) == 41); /* by its own formula */
    assert_true(accesses_sum(&without, &work, 0, &sums));   /* a kernel that says it makes none */
    assert_true(sums.load_wavefronts == 0 && accesses_excess(&without, &work, 0) == 0);
}

static void rows_of_the_table(void **state)
{
    static const char stored[] = "f,01_a,100,64,2,1,0,writes of A,store,8,3,2,2,0 - 16 - 32 - 48 - 64 - 80 - 96 - 112 - 128 - 144 - 160 - 176 - "
                                 "192 - 208 - 224 - 240 -\n";
    (void)state;
    struct csv_writer writer = {.file = fopen(place("rows.csv"), "wb")};
    assert_non_null(writer.file);
    accesses_write(&writer, &described, &work);
    accesses_write(&writer, &closed, &work);
    accesses_write(&writer, &silent, &work);
    accesses_write(&writer, &without, &work);
    fclose(writer.file);
    const char *rows = read_text("rows.csv");
    assert_non_null(strstr(rows, "f,01_a,100,64,2,0,0,writes of A,store,4,10,1,1,0 4 8 12 16 "));
    assert_non_null(strstr(rows, "\nf,01_a,100,64,2,0,1,reads of A,load,4,100,32,1,0 256 512 "));
    assert_non_null(strstr(rows, "\nf,01_a,100,64,2,0,2,\"reads, \"\"B\"\"\",load,16,5,2,2,0 0 0 0 "));
    assert_string_equal(rows + strlen(rows) - strlen(stored), stored);
    int lines = 0, cells = 1;
    for (const char *p = rows; *p; p++) lines += *p == '\n';
    assert_int_equal(lines, 4);
    for (const char *p = stored; *p; p++) cells += *p == ',';
    assert_int_equal(cells, table_width(&tables[TABLE_ACCESSES]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_over_the_accesses_of_a_launch),
        cmocka_unit_test(what_is_not_described_is_absent),
        cmocka_unit_test(rows_of_the_table),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
