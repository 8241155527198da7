/*
 * Tests which wavefront serves each lane of an access to shared memory.
 */
#include "fixture.h"

#include "address_maps.h"

static int strided_by_2(int lane)
{
    return 4 * 2 * lane;
}
static int strided_by_4(int lane)
{
    return 4 * 4 * lane;
}
static int strided_by_8(int lane)
{
    return 4 * 8 * lane;
}
static int strided_by_16(int lane)
{
    return 4 * 16 * lane;
}
static int strided_by_8_from_16_lanes(int lane)
{
    return lane < 16 ? 4 * 8 * lane : LANE_IDLE;
}
static int one_of_two_rows_backwards(int lane)
{
    return 128 * ((31 - lane) % 2);
}
static int long_and_short_queue(int lane)
{
    return lane < 3 ? 128 * lane : 4 * lane;
}

/* Prints the wavefront of each lane, 0 to 9 and then a to v, "-" for an idle lane; "|" before the
 * first lane of the next turn. */
static const struct {
    const char *what;
    address_map *map;
    enum access_kind kind;
    int width;
    const char *wavefronts;
} services[] = {
    {"4 bytes, neighbours", words, ACCESS_LOAD, 4, "00000000000000000000000000000000"},
    {"4 bytes, one address", one, ACCESS_LOAD, 4, "00000000000000000000000000000000"},
    {"4 bytes, one address, stored", one, ACCESS_STORE, 4, "00000000000000000000000000000000"},
    {"4 bytes, pairs at one word", words_in_pairs, ACCESS_LOAD, 4,
     "00000000000000000000000000000000"},
    {"2 ways", strided_by_2, ACCESS_LOAD, 4, "00000000000000001111111111111111"},
    {"2 ways, stored", strided_by_2, ACCESS_STORE, 4, "00000000000000001111111111111111"},
    {"4 ways", strided_by_4, ACCESS_LOAD, 4, "00000000111111112222222233333333"},
    {"8 ways", strided_by_8, ACCESS_STORE, 4, "00001111222233334444555566667777"},
    {"16 ways", strided_by_16, ACCESS_LOAD, 4, "00112233445566778899aabbccddeeff"},
    {"32 ways", rows, ACCESS_LOAD, 4, "0123456789abcdefghijklmnopqrstuv"},
    {"4 ways where half the warp works", strided_by_8_from_16_lanes, ACCESS_LOAD, 4,
     "0000111122223333----------------"},
    {"odd lanes alone", even_idle, ACCESS_LOAD, 4, "-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0"},
    {"two words of a bank, the lanes in turn", one_of_two_rows_backwards, ACCESS_LOAD, 4,
     "01010101010101010101010101010101"},
    {"bank 0 thrice, the others at once", long_and_short_queue, ACCESS_LOAD, 4,
     "01200000000000000000000000000000"},
    {"nobody", none, ACCESS_LOAD, 4, "--------------------------------"},

    {"8 bytes, neighbours", eights, ACCESS_LOAD, 8, "0000000000000000|1111111111111111"},
    {"8 bytes, pairs at one address, together", eights_in_pairs, ACCESS_LOAD, 8,
     "00000000000000000000000000000000"},
    {"8 bytes, pairs at one address, stored", eights_in_pairs, ACCESS_STORE, 8,
     "0000000000000000|1111111111111111"},
    {"8 bytes, stride of 16 bytes", sixteens, ACCESS_LOAD, 8, "0000000011111111|2222222233333333"},
    {"8 bytes, a word of one bank per half, together", eight_per_half, ACCESS_LOAD, 8,
     "00000000000000001111111111111111"},
    {"8 bytes, a word of one bank per half, stored", eight_per_half, ACCESS_STORE, 8,
     "0000000000000000|1111111111111111"},

    {"16 bytes, neighbours", sixteens, ACCESS_LOAD, 16, "00000000|11111111|22222222|33333333"},
    {"16 bytes, one address", one, ACCESS_LOAD, 16, "0000000000000000|1111111111111111"},
    {"16 bytes, one address, stored", one, ACCESS_STORE, 16, "00000000|11111111|22222222|33333333"},
    {"16 bytes, stride of 32 bytes", thirty_twos, ACCESS_LOAD, 16,
     "00001111|22223333|44445555|66667777"},
    {"16 bytes, stride of 64 bytes, stored", sixty_fours, ACCESS_STORE, 16,
     "00112233|44556677|8899aabb|ccddeeff"},
    {"16 bytes, lane / 8 selects a row", row_per_quarter, ACCESS_LOAD, 16,
     "0000000011111111|2222222233333333"},
    {"16 bytes, pairs in the first half alone", first_half_in_pairs, ACCESS_LOAD, 16,
     "0000000000000000|11111111|22222222"},
    {"16 bytes, half a warp", sixteens_half, ACCESS_LOAD, 16, "00000000|11111111----------------"},
    {"16 bytes, one lane", only_lane_31, ACCESS_LOAD, 16, "-------------------------------0"},
};

TEST(wavefronts_of_the_lanes)
{
    static const char marks[] = "0123456789abcdefghijklmnopqrstuv";
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const struct shared_access access =
            make(services[i].kind, services[i].width, services[i].map);
        struct bank_service service;
        char found[48] = "";
        bank_model_serve(&access, &service);
        for (int lane = 0, at = 0, turn = 0; lane < 32; lane++) {
            if (service.turn[lane] > turn) {
                found[at++] = '|';
                turn = service.turn[lane];
            }
            found[at++] = service.turn[lane] < 0 ? '-' : marks[service.wavefront[lane][0]];
        }
        if (strcmp(found, services[i].wavefronts))
            fail_msg("%s:\n%s; expected\n%s", services[i].what, found, services[i].wavefronts);
    }
}

RUN_TESTS(NULL, NULL)
