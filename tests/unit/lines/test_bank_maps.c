/*
 * Tests whole bank maps.
 */
#include "fixture.h"

#include "lines/bank_maps.h"

static const char *printed(const struct shared_access *access)
{
    FILE *file = fopen(place("map.txt"), "wb");
    assert_non_null(file);
    bank_map_print(file, access);
    assert_int_equal(fclose(file), 0);
    return read_text("map.txt");
}

static void check(const struct shared_access *access, const char *expected)
{
    const char *found = printed(access);
    if (strcmp(found, expected))
        fail_msg("%s: found\n%s\nexpected\n%s", access->name ? access->name : "without a name",
                 found, expected);
}

/* Five lanes, eight words apart: the fifth is on the first one's bank. */
TEST(lanes_in_conflict)
{
    struct shared_access access = {
        .name = "reads of sum[first], stride 8", .kind = ACCESS_LOAD, .width = 4};
    for (int lane = 0; lane < 32; lane++) access.address[lane] = lane < 5 ? 32 * lane : LANE_IDLE;
    check(&access, "reads of sum[first], stride 8\n"
                   "load, 4 bytes per lane: 2 wavefronts, ideal 1, 2-way conflict\n"
                   "bank     0       4       8       12      16      20      24      28\n"
                   "lane  0  0 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
                   "lane  1  . . . . . . . . 0 . . . . . . . . . . . . . . . . . . . . . . .\n"
                   "lane  2  . . . . . . . . . . . . . . . . 0 . . . . . . . . . . . . . . .\n"
                   "lane  3  . . . . . . . . . . . . . . . . . . . . . . . . 0 . . . . . . .\n"
                   "lane  4  1 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n");
}

/* 16-byte stores of the odd lanes of two quarters, of which the first has conflicts: 7 past the end
 * of the row is bank 0 to 3 again. */
TEST(turns_are_parted)
{
    struct shared_access access = {.kind = ACCESS_STORE, .width = 16};
    for (int lane = 0; lane < 32; lane++) access.address[lane] = LANE_IDLE;
    access.address[1] = 0;
    access.address[3] = 112;
    access.address[5] = 128;
    access.address[30] = 128;
    access.address[31] = 16;
    check(&access, "store, 16 bytes per lane: 3 wavefronts, ideal 2, 1.5-way conflict\n"
                   "bank     0       4       8       12      16      20      24      28\n"
                   "lane  1  0 0 0 0 . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
                   "lane  3  . . . . . . . . . . . . . . . . . . . . . . . . . . . . 0 0 0 0\n"
                   "lane  5  1 1 1 1 . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
                   "         ---------------------------------------------------------------\n"
                   "lane 30  2 2 2 2 . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
                   "lane 31  . . . . 2 2 2 2 . . . . . . . . . . . . . . . . . . . . . . . .\n");
}

/* Two words, one of them shared. */
TEST(a_shared_word_is_no_conflict)
{
    struct shared_access access = {.name = "reads of A", .kind = ACCESS_LOAD, .width = 4};
    for (int lane = 0; lane < 32; lane++) access.address[lane] = LANE_IDLE;
    access.address[7] = access.address[8] = 4 * 31;
    access.address[20] = 4 * 32;
    check(&access, "reads of A\n"
                   "load, 4 bytes per lane: 1 wavefront, ideal 1, no conflict\n"
                   "bank     0       4       8       12      16      20      24      28\n"
                   "lane  7  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . 0\n"
                   "lane  8  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . 0\n"
                   "lane 20  0 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n");
    access.address[7] = access.address[8] = access.address[20] = LANE_IDLE;
    check(&access, "reads of A\n"
                   "load, 4 bytes per lane: 0 wavefronts, ideal 0, no conflict\n"
                   "bank     0       4       8       12      16      20      24      28\n");
}

/* The most wavefronts possible, with the longest names: no line is wider than 80 columns, and no
 * mark is missing. */
TEST(nothing_is_too_wide)
{
    static const char marks[] = "0123456789abcdefghijklmnopqrstuv";
    char name[201];
    struct shared_access access = {.name = name, .kind = ACCESS_STORE, .width = 16};
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (int lane = 0; lane < 32; lane++) access.address[lane] = 128 * lane;
    const char *line = printed(&access);
    int lane = 0, parting = 0;
    for (int number = 1; *line; number++, line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        if (length > 80) fail_msg("line %d has %zu columns", number, length);
        if (number == 1) assert_memory_equal(line + 76, "x...\n", 5);
        if (number == 2)
            assert_memory_equal(
                line, "store, 16 bytes per lane: 32 wavefronts, ideal 4, 8-way conflict\n", 63);
        if (number > 3 && *line == 'l') assert_int_equal(line[9], marks[lane++]);
        parting += number > 3 && *line == ' ';
    }
    assert_int_equal(lane, 32);
    assert_int_equal(parting, 3);
    name[80] = 0;
    assert_memory_equal(printed(&access) + 76, "xxxx\n", 5); /* lines that fit are complete */
}

RUN_TESTS(fixture_open, fixture_close)
