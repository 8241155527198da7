#include "fixture.h"

#include <math.h>

#include "catalog/bank_model.h"

/* Two launches: the first stores rows, loads a column and a broadcast; the second stores with every
 * second lane, and loads matrices. */
static int describe(const struct work *work, unsigned index, struct shared_access *list)
{
    if (index == 1) {
        list[0] = (struct shared_access){
            .name = "writes of A", .kind = ACCESS_STORE, .width = 8, .executions = 3};
        for (int lane = 0; lane < 32; lane++)
            list[0].address[lane] = lane % 2 ? LANE_IDLE : 8 * lane;
        list[1] = (struct shared_access){
            .name = "reads of B", .kind = ACCESS_MATRIX_LOAD, .width = 16, .executions = 7};
        for (int lane = 0; lane < 32; lane++) list[1].address[lane] = 64 * lane;
        return 2;
    }
    list[0] = (struct shared_access){
        .name = "writes of A", .kind = ACCESS_STORE, .width = 4, .executions = 10};
    list[1] = (struct shared_access){.name = "reads of A",
                                     .kind = ACCESS_LOAD,
                                     .width = 4,
                                     .executions = (double)work->point.shape.dim[0]};
    list[2] = (struct shared_access){
        .name = "reads, \"B\"", .kind = ACCESS_LOAD, .width = 16, .executions = 5};
    for (int lane = 0; lane < 32; lane++) {
        list[0].address[lane] = 4 * lane;
        list[1].address[lane] = 256 * lane;
    }
    return 3;
}

static int describe_none(const struct work *work, unsigned index, struct shared_access *list)
{
    return 0;
}

static double forty(const struct point *point, unsigned index)
{
    return 40 + index;
}

static unsigned two_launches(const struct point *point)
{
    return 2;
}

static const struct variant described = {.family = "f",
                                         .name = "01_a",
                                         .launch_count = two_launches,
                                         .shared_accesses = describe},
                            closed = {.family = "f",
                                      .name = "02_b",
                                      .launch_count = two_launches,
                                      .excess_wavefronts = forty},
                            silent = {.family = "f", .name = "03_c", .launch_count = two_launches},
                            without = {.family = "f",
                                       .name = "04_d",
                                       .launch_count = two_launches,
                                       .shared_accesses = describe_none};
static const struct work work = {.point = {.shape = {1, {100}}, .block = 64, .sweep = 2}};

TEST(sums_over_the_accesses_of_a_launch)
{
    struct access_sums sums;
    assert_true(shared_accesses_sum(&described, &work, 0, &sums));
    assert_true(sums.load_wavefronts ==
                100 * 32 + 5 * 2); /* 32 rows on one bank; one address for 16 bytes */
    assert_true(sums.load_ideal == 100 * 1 + 5 * 2);
    assert_true(sums.store_wavefronts == 10 && sums.store_ideal == 10);
    assert_true(sums.matrix_wavefronts == 0 && sums.matrix_ideal == 0);
    assert_true(shared_accesses_excess(&described, &work, 0) == 3100);
    assert_true(shared_accesses_sum(&described, &work, 1, &sums));
    assert_true(sums.load_wavefronts == 0 && sums.load_ideal == 0);
    assert_true(sums.store_wavefronts == 3 * 2 && sums.store_ideal == 3 * 2);
    assert_true(sums.matrix_wavefronts == 7 * 16 && sums.matrix_ideal == 7 * 4);
    assert_true(shared_accesses_excess(&described, &work, 1) == 7 * 12);
}

TEST(what_is_not_described_is_absent)
{
    struct access_sums sums;
    assert_false(shared_accesses_sum(&silent, &work, 0, &sums));
    assert_true(isnan(sums.load_wavefronts) && isnan(sums.store_wavefronts) &&
                isnan(sums.matrix_wavefronts) && isnan(sums.load_ideal) &&
                isnan(sums.store_ideal) && isnan(sums.matrix_ideal));
    assert_true(isnan(shared_accesses_excess(&silent, &work, 0)));
    assert_false(shared_accesses_sum(&closed, &work, 0, &sums));
    assert_true(shared_accesses_excess(&closed, &work, 1) == 41); /* by its own formula */
    assert_true(
        shared_accesses_sum(&without, &work, 0, &sums)); /* a kernel that declares no accesses */
    assert_true(sums.load_wavefronts == 0 && shared_accesses_excess(&without, &work, 0) == 0);
}

TEST(rows_of_the_table)
{
    static const char stored[] =
        "f,01_a,100,64,2,0,1,0,writes of A,store,8,3,2,2,0 - 16 - 32 - 48 - 64 - 80 - 96 - 112 - "
        "128 - 144 - 160 - 176 - 192 - 208 - 224 - 240 -\n"
        "f,01_a,100,64,2,0,1,1,reads of B,ldmatrix,16,7,16,4,0 64 128 192 256 320 384 448 512 576 "
        "640 704 768 832 896 960 1024 1088 1152 1216 1280 1344 1408 1472 1536 1600 1664 1728 1792 "
        "1856 1920 1984\n";
    struct csv_writer writer = {.file = fopen(place("rows.csv"), "wb")};
    assert_non_null(writer.file);
    shared_accesses_write(&writer, &described, &work);
    shared_accesses_write(&writer, &closed, &work);
    shared_accesses_write(&writer, &silent, &work);
    shared_accesses_write(&writer, &without, &work);
    fclose(writer.file);
    const char *rows = read_text("rows.csv");
    holds(rows, "f,01_a,100,64,2,0,0,0,writes of A,store,4,10,1,1,0 4 8 12 16 ");
    holds(rows, "\nf,01_a,100,64,2,0,0,1,reads of A,load,4,100,32,1,0 256 512 ");
    holds(rows, "\nf,01_a,100,64,2,0,0,2,\"reads, \"\"B\"\"\",load,16,5,2,2,0 0 0 0 ");
    assert_string_equal(rows + strlen(rows) - strlen(stored), stored);
    int lines = 0, cells = 1;
    for (const char *p = rows; *p; p++) lines += *p == '\n';
    assert_int_equal(lines, 5);
    for (const char *p = stored; *p != '\n'; p++) cells += *p == ',';
    assert_int_equal(cells, table_width(&tables[TABLE_ACCESSES]));
}

/* Returns the text after the address of lane 0. */
#define LANES_1_TO_31                                                                              \
    " 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 "  \
    "120 124"
#define IDLE_LANES_1_TO_31 " - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -"

/* Every kind and width is written and read back. */
TEST(addresses_are_read_back)
{
    static const int widths[] = {16, 8, 4, 2};
    for (int kind = ACCESS_LOAD; kind <= ACCESS_MATRIX_LOAD; kind++) {
        for (int w = 0; w < (kind == ACCESS_MATRIX_LOAD ? 1 : 4); w++) {
            struct shared_access access, again;
            OWNED_BY(text_free) struct text text = {0};
            const char *word = access_kind_name((enum access_kind)kind);
            for (int lane = 0; lane < 32; lane++) {
                access.address[lane] = lane % 5 == w ? LANE_IDLE : (31 - lane) * 7 * widths[w];
                if (lane) text_append(&text, " ");
                if (access.address[lane] == LANE_IDLE)
                    text_append(&text, "-");
                else
                    text_format(&text, "%d", access.address[lane]);
            }
            assert_int_equal(shared_accesses_parse(text_string(&text), word, widths[w], &again), 0);
            assert_memory_equal(again.address, access.address, sizeof access.address);
            assert_true(again.kind == (enum access_kind)kind && again.width == widths[w] &&
                        again.executions == 0 && !again.name);
        }
    }
    assert_string_equal(access_kind_name(ACCESS_LOAD), "load");
    assert_string_equal(access_kind_name(ACCESS_STORE), "store");
    assert_string_equal(access_kind_name(ACCESS_MATRIX_LOAD), "ldmatrix");
}

TEST(damaged_addresses_are_refused)
{
    static const struct {
        const char *addresses, *kind;
        int width, result;
    } rows[] = {
        {"0" LANES_1_TO_31, "load", 4, 0},
        {"-" LANES_1_TO_31, "store", 4, 0},
        {"-" IDLE_LANES_1_TO_31, "load", 16, 0},
        {"2147483600" IDLE_LANES_1_TO_31, "load", 16, 0},
        {"0" LANES_1_TO_31, "load", 8, FAIL_INPUT}, /* 4 is no multiple of 8 */
        {"0" LANES_1_TO_31, "load", 0, FAIL_INPUT},
        {"0" LANES_1_TO_31, "load", -4, FAIL_INPUT},
        {"0" LANES_1_TO_31, "load", 12, FAIL_INPUT},
        {"0" LANES_1_TO_31, "load", 2, 0},
        {"2" LANES_1_TO_31, "load", 2, 0},
        {"1" LANES_1_TO_31, "load", 2, FAIL_INPUT},
        {"16" IDLE_LANES_1_TO_31, "ldmatrix", 16, 0},
        {"0" LANES_1_TO_31, "ldmatrix", 4, FAIL_INPUT},
        {"0" LANES_1_TO_31, "matrix", 4, FAIL_INPUT},
        {"0" LANES_1_TO_31, "load", 32, FAIL_INPUT},
        {"0" LANES_1_TO_31, "loads", 4, FAIL_INPUT},
        {"0" LANES_1_TO_31, "", 4, FAIL_INPUT},
        {"0" LANES_1_TO_31, NULL, 4, FAIL_INPUT},
        {NULL, "load", 4, FAIL_INPUT},
        {"", "load", 4, FAIL_INPUT},
        {"0", "load", 4, FAIL_INPUT},
        {"0" LANES_1_TO_31 " ", "load", 4, FAIL_INPUT},    /* a blank at the end */
        {"0" LANES_1_TO_31 " 128", "load", 4, FAIL_INPUT}, /* 33 lanes */
        {" 0" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"0 " LANES_1_TO_31, "load", 4, FAIL_INPUT}, /* two blanks */
        {"0\t" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"x" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"0x10" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"4.0" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"-4" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"+4" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"--" LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"2" LANES_1_TO_31, "load", 4, FAIL_INPUT}, /* unaligned */
        {"2147483647" IDLE_LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"4294967296" IDLE_LANES_1_TO_31, "load", 4, FAIL_INPUT},
        {"99999999999999999999" IDLE_LANES_1_TO_31, "load", 4, FAIL_INPUT},
    };
    struct shared_access access;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int result =
            shared_accesses_parse(rows[i].addresses, rows[i].kind, rows[i].width, &access);
        if (result != rows[i].result)
            fail_msg("row %zu: %d; expected %d", i, result, rows[i].result);
    }
}

RUN_TESTS(fixture_open, fixture_close)
