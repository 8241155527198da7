/*
 * Tests the wavefronts of address maps, and which of them serves each lane, against numbers counted
 * by hand.
 */
#include "fixture.h"

#include "bank_counts.h"

/* ---- address maps ---------------------------------------------------------------------------- */

/* The byte address of a lane. */
typedef int address_map(int lane);
#define MAP(name, address)                                                                         \
    static int name(int lane)                                                                      \
    {                                                                                              \
        return address;                                                                            \
    }

MAP(one, 0 * lane)
MAP(halves, 2 * lane)
/* Eight halves of each of four rows, as a product's fragment of B. */
MAP(halves_of_four_rows, 2 * 512 * (lane % 4) + 2 * (lane / 4))
MAP(halves_of_four_rows_exchanged, 2 * 512 * (lane % 4) + 16 * (2 * (lane % 4)) + 2 * (lane / 4))
MAP(words, 4 * lane)
MAP(words_from_20, 4 * (lane + 20))
MAP(words_in_pairs, 4 * (lane / 2))
MAP(eights, 8 * lane)
MAP(sixteens, 16 * lane)
MAP(sixteens_reversed, 16 * (31 - lane))
MAP(thirty_twos, 32 * lane)
MAP(sixty_fours, 64 * lane)
MAP(rows, 128 * lane)
MAP(rows_of_33, 4 * 33 * lane)
MAP(rows_padded_by_16, (128 + 16) * lane)
MAP(halves_idle, lane < 16 ? 4 * lane : LANE_IDLE)
MAP(even_idle, lane % 2 ? 4 * lane : LANE_IDLE)
MAP(only_lane_31, lane == 31 ? 64 : LANE_IDLE)
MAP(none, LANE_IDLE + 0 * lane)
MAP(two_words_of_a_bank, 128 * (lane % 2))
MAP(eights_in_pairs, 8 * (lane / 2))
MAP(eights_half, lane < 16 ? 8 * lane : LANE_IDLE)
MAP(eights_by_4, 8 * (lane % 4))
MAP(eights_by_2, 8 * (lane % 2))
MAP(eight_per_half, 128 * (lane / 16))
MAP(one_pair_differs, lane == 17 ? 8 : 0)
MAP(sixteens_in_pairs, 16 * (lane / 2))
MAP(sixteens_two_apart, 16 * (lane % 2 + 2 * (lane / 4)))
MAP(sixteens_half, lane < 16 ? 16 * lane : LANE_IDLE)
MAP(sixteens_by_4, 16 * (lane % 4))
MAP(sixteens_by_8, 16 * (lane % 8))
MAP(sixteen_per_quarter, 16 * (lane / 8))
MAP(row_per_quarter, 128 * (lane / 8))
MAP(row_per_lane_of_2, 128 * (lane % 2))
MAP(only_even_lanes, lane % 2 ? LANE_IDLE : 16 * lane)
MAP(first_half_in_pairs, lane < 16 ? 16 * (lane / 2) : 16 * lane)
MAP(pairs_one_way_then_the_other, lane < 8 ? 16 * (lane / 2) : 16 * (lane % 2 + 2 * (lane / 4)))
/* A column of 16-byte pieces in a tile with rows of 128 bytes: piece 3 of each row, swizzled by the
 * row's number or not. */
MAP(column_of_pieces, 128 * (lane % 8) + 16 * 3)
MAP(column_exchanged, 128 * (lane % 8) + 16 * (3 ^ lane % 8))
MAP(column_exchanged_by_half, 128 * (lane % 8) + 16 * (3 ^ lane % 8 / 2))
/* 8 x 8 outputs per thread, with the threads of a warp in 8 columns and 4 rows: their reads of a
 * row of B and of a column of A. */
MAP(row_of_b_two_pieces, 32 * (lane % 8))
MAP(row_of_b_piece_by_piece, 16 * (lane % 8))
MAP(column_of_a, 32 * (lane / 8))
MAP(strided_by_2, 4 * 2 * lane)
MAP(strided_by_4, 4 * 4 * lane)
MAP(strided_by_8, 4 * 8 * lane)
MAP(strided_by_16, 4 * 16 * lane)
MAP(strided_by_8_from_16_lanes, lane < 16 ? 4 * 8 * lane : LANE_IDLE)
MAP(one_of_two_rows_backwards, 128 * ((31 - lane) % 2))
MAP(long_and_short_queue, lane < 3 ? 128 * lane : 4 * lane)

static struct shared_access make(enum access_kind kind, int width, address_map *map)
{
    struct shared_access access = {.name = "x", .kind = kind, .width = width, .executions = 1};
    for (int lane = 0; lane < 32; lane++) access.address[lane] = map(lane);
    return access;
}

/* ---- their service --------------------------------------------------------------------------- */

static void check(const char *what, const struct shared_access *access, int wavefronts, int ideal)
{
    const int found = bank_model_wavefronts(access), best = bank_model_ideal(access);
    if (found != wavefronts || best != ideal)
        fail_msg("%s: %d wavefronts, ideal %d; expected %d, ideal %d", what, found, best,
                 wavefronts, ideal);
}

/* Checks the properties that every service must have. */
static void check_service(const struct shared_access *access)
{
    struct bank_service service;
    int word_of[32][32], last = -1, first = 0, turns = 0;
    memset(word_of, -1, sizeof word_of);
    bank_model_serve(access, &service);
    for (int lane = 0; lane < 32; lane++) {
        const int idle = access->address[lane] == LANE_IDLE;
        assert_int_equal(service.turn[lane] == -1, idle);
        if (service.turn[lane] ==
            turns) { /* the first lane of the next turn, whose wavefronts follow all others */
            turns++;
            first = last + 1;
        }
        assert_int_equal(service.turn[lane], idle ? -1 : turns - 1);
        for (int i = 0; i < 4; i++) {
            const int wavefront = service.wavefront[lane][i], word = access->address[lane] / 4 + i;
            if (idle || 4 * i >= access->width) {
                assert_true(wavefront == -1 && service.delay[lane][i] == -1);
                continue;
            }
            assert_in_range(wavefront, first, service.wavefronts - 1);
            assert_int_equal(service.delay[lane][i], wavefront - first);
            /* Aligned as they are, words of a lane come together. */
            assert_int_equal(wavefront, service.wavefront[lane][0]);
            int *given = &word_of[wavefront][word % 32];
            assert_true(*given == -1 || *given == word); /* a bank gives one word per wavefront */
            *given = word;
            for (int w = first; w < wavefront; w++) /* once in a turn, and no bank pauses */
                assert_true(word_of[w][word % 32] != -1 && word_of[w][word % 32] != word);
            if (wavefront > last) last = wavefront;
        }
    }
    assert_int_equal(service.wavefronts, last + 1);
    assert_int_equal(service.turns, turns);
    assert_int_equal(bank_model_wavefronts(access), last + 1);
    assert_int_equal(bank_model_ideal(access), turns);
}

/* If lanes are `apart` words apart, gcd(apart, 32) of them share a bank. */
TEST(strides_of_words)
{
    static const int ways[33] = {0, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16,
                                 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 32};
    for (int stride = 1; stride <= 32; stride++) {
        for (int kind = ACCESS_LOAD; kind <= ACCESS_STORE; kind++) {
            struct shared_access access = {.kind = (enum access_kind)kind, .width = 4};
            char what[64];
            for (int lane = 0; lane < 32; lane++) access.address[lane] = 4 * stride * lane;
            snprintf(what, sizeof what, "stride of %d words, kind %d", stride, kind);
            check(what, &access, ways[stride], 1);
        }
    }
}

static const struct {
    const char *what;
    address_map *map;
    enum access_kind kind;
    int width, wavefronts, ideal;
    /* The wavefront of each lane, 0 to 9 and then a to v, "-" for an idle lane; "|" before the
     * first lane of the next turn. NULL: not counted by hand. */
    const char *lanes;
} patterns[] = {
    {"4 bytes, one address", one, ACCESS_LOAD, 4, 1, 1, "00000000000000000000000000000000"},
    {"4 bytes, one address, stored", one, ACCESS_STORE, 4, 1, 1,
     "00000000000000000000000000000000"},
    {"4 bytes, neighbours", words, ACCESS_LOAD, 4, 1, 1, "00000000000000000000000000000000"},
    {"4 bytes, neighbours past the last bank", words_from_20, ACCESS_LOAD, 4, 1, 1, NULL},
    {"4 bytes, pairs at one word", words_in_pairs, ACCESS_LOAD, 4, 1, 1,
     "00000000000000000000000000000000"},
    {"4 bytes, rows of 32 words", rows, ACCESS_LOAD, 4, 32, 1, "0123456789abcdefghijklmnopqrstuv"},
    {"4 bytes, rows of 33 words", rows_of_33, ACCESS_LOAD, 4, 1, 1, NULL},
    {"4 bytes, stride of 8 bytes", eights, ACCESS_LOAD, 4, 2, 1, NULL},
    {"4 bytes, half a warp", halves_idle, ACCESS_LOAD, 4, 1, 1, NULL},
    {"4 bytes, odd lanes", even_idle, ACCESS_LOAD, 4, 1, 1, "-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0"},
    {"4 bytes, one lane", only_lane_31, ACCESS_STORE, 4, 1, 1, NULL},
    {"4 bytes, nobody", none, ACCESS_LOAD, 4, 0, 0, "--------------------------------"},
    {"4 bytes, two words of a bank", two_words_of_a_bank, ACCESS_LOAD, 4, 2, 1, NULL},
    {"4 bytes, two words of a bank, stored", two_words_of_a_bank, ACCESS_STORE, 4, 2, 1, NULL},

    {"8 bytes, neighbours", eights, ACCESS_LOAD, 8, 2, 2, "0000000000000000|1111111111111111"},
    {"8 bytes, neighbours, stored", eights, ACCESS_STORE, 8, 2, 2, NULL},
    {"8 bytes, one address", one, ACCESS_LOAD, 8, 1, 1, NULL},
    {"8 bytes, one address, stored", one, ACCESS_STORE, 8, 2, 2,
     NULL}, /* stores are not served together */
    {"8 bytes, pairs at one address", eights_in_pairs, ACCESS_LOAD, 8, 1, 1,
     "00000000000000000000000000000000"},
    {"8 bytes, pairs at one address, stored", eights_in_pairs, ACCESS_STORE, 8, 2, 2,
     "0000000000000000|1111111111111111"},
    {"8 bytes, half a warp", eights_half, ACCESS_LOAD, 8, 1, 1, NULL},
    {"8 bytes, one lane", only_lane_31, ACCESS_LOAD, 8, 1, 1, NULL},
    {"8 bytes, nobody", none, ACCESS_STORE, 8, 0, 0, NULL},
    {"8 bytes, lane % 4 selects the address", eights_by_4, ACCESS_LOAD, 8, 2, 2,
     NULL}, /* neither i ^ 1 nor i ^ 2 has the same address */
    {"8 bytes, lane % 2 selects the address", eights_by_2, ACCESS_LOAD, 8, 1, 1,
     NULL}, /* i ^ 2 has */
    {"8 bytes, a word of one bank per half", eight_per_half, ACCESS_LOAD, 8, 2, 1,
     "00000000000000001111111111111111"}, /* together, with a conflict */
    {"8 bytes, a word of one bank per half, stored", eight_per_half, ACCESS_STORE, 8, 2, 2,
     "0000000000000000|1111111111111111"},
    {"8 bytes, one lane differs", one_pair_differs, ACCESS_LOAD, 8, 2, 2, NULL},
    {"8 bytes, stride of 16 bytes", sixteens, ACCESS_LOAD, 8, 4, 2,
     "0000000011111111|2222222233333333"}, /* 16 lanes on 16 banks, two words deep */
    {"8 bytes, rows of 32 words", rows, ACCESS_LOAD, 8, 32, 2, NULL},
    {"8 bytes, rows of 32 words and 16 bytes", rows_padded_by_16, ACCESS_LOAD, 8, 4, 2, NULL},

    {"16 bytes, neighbours", sixteens, ACCESS_LOAD, 16, 4, 4,
     "00000000|11111111|22222222|33333333"},
    {"16 bytes, neighbours, stored", sixteens, ACCESS_STORE, 16, 4, 4, NULL},
    {"16 bytes, neighbours backwards", sixteens_reversed, ACCESS_LOAD, 16, 4, 4, NULL},
    {"16 bytes, one address", one, ACCESS_LOAD, 16, 2, 2,
     "0000000000000000|1111111111111111"}, /* quarters are together, halves are not */
    {"16 bytes, one address, stored", one, ACCESS_STORE, 16, 4, 4,
     "00000000|11111111|22222222|33333333"},
    {"16 bytes, pairs at one address", sixteens_in_pairs, ACCESS_LOAD, 16, 2, 2, NULL},
    {"16 bytes, pairs at one address, stored", sixteens_in_pairs, ACCESS_STORE, 16, 4, 4, NULL},
    {"16 bytes, pairs two lanes apart", sixteens_two_apart, ACCESS_LOAD, 16, 2, 2, NULL},
    {"16 bytes, half a warp", sixteens_half, ACCESS_LOAD, 16, 2, 2,
     "00000000|11111111----------------"},
    {"16 bytes, one lane", only_lane_31, ACCESS_LOAD, 16, 1, 1, "-------------------------------0"},
    {"16 bytes, nobody", none, ACCESS_LOAD, 16, 0, 0, NULL},
    {"16 bytes, lane % 4 selects the address", sixteens_by_4, ACCESS_LOAD, 16, 4, 4, NULL},
    {"16 bytes, lane % 8 selects the address", sixteens_by_8, ACCESS_LOAD, 16, 4, 4, NULL},
    {"16 bytes, lane / 8 selects the address", sixteen_per_quarter, ACCESS_LOAD, 16, 2, 2, NULL},
    {"16 bytes, lane / 8 selects a row", row_per_quarter, ACCESS_LOAD, 16, 4, 2,
     "0000000011111111|2222222233333333"}, /* quarters together, on the same banks */
    {"16 bytes, lane % 2 selects a row", row_per_lane_of_2, ACCESS_LOAD, 16, 4, 2, NULL},
    {"16 bytes, lane % 2 selects a row, stored", row_per_lane_of_2, ACCESS_STORE, 16, 8, 4, NULL},
    {"16 bytes, stride of 32 bytes", thirty_twos, ACCESS_LOAD, 16, 8, 4,
     "00001111|22223333|44445555|66667777"},
    {"16 bytes, stride of 32 bytes, stored", thirty_twos, ACCESS_STORE, 16, 8, 4, NULL},
    {"16 bytes, stride of 64 bytes", sixty_fours, ACCESS_LOAD, 16, 16, 4, NULL},
    {"16 bytes, rows of 32 words", rows, ACCESS_LOAD, 16, 32, 4, NULL},
    {"16 bytes, rows of 32 words and 16 bytes", rows_padded_by_16, ACCESS_LOAD, 16, 4, 4, NULL},
    {"16 bytes, even lanes alone", only_even_lanes, ACCESS_LOAD, 16, 4, 2,
     NULL}, /* idle lanes match: 8 pieces of 32 bytes apart, 2 deep */
    {"16 bytes, even lanes alone, stored", only_even_lanes, ACCESS_STORE, 16, 4, 4,
     NULL}, /* 4 such pieces in each quarter */
    {"16 bytes, pairs in the first half alone", first_half_in_pairs, ACCESS_LOAD, 16, 3, 3,
     "0000000000000000|11111111|22222222"},
    {"16 bytes, paired one way in a quarter, the other way in the rest",
     pairs_one_way_then_the_other, ACCESS_LOAD, 16, 3, 3, NULL},

    {"2 bytes, neighbours", halves, ACCESS_LOAD, 2, 1, 1, NULL},
    {"2 bytes, one address", one, ACCESS_LOAD, 2, 1, 1, NULL},
    {"2 bytes, eight of each of four rows", halves_of_four_rows, ACCESS_LOAD, 2, 4, 1, NULL},
    {"2 bytes, the same, the rows exchanged", halves_of_four_rows_exchanged, ACCESS_LOAD, 2, 1, 1,
     NULL},

    {"four matrices, one after the other", sixteens, ACCESS_MATRIX_LOAD, 16, 4, 4, NULL},
    {"four matrices, one row", one, ACCESS_MATRIX_LOAD, 16, 4, 4, NULL}, /* no pair of matrices */
    {"four matrices, rows of 64 bytes", sixty_fours, ACCESS_MATRIX_LOAD, 16, 16, 4, NULL},
    {"four matrices, rows of 32 words", rows, ACCESS_MATRIX_LOAD, 16, 32, 4, NULL},
    {"four matrices, rows of 32 words and 16 bytes", rows_padded_by_16, ACCESS_MATRIX_LOAD, 16, 4,
     4, NULL},
    {"two matrices", sixteens_half, ACCESS_MATRIX_LOAD, 16, 2, 2, NULL},
    {"four matrices, rows exchanged", column_exchanged, ACCESS_MATRIX_LOAD, 16, 4, 4, NULL},

    {"a column of 16-byte pieces", column_of_pieces, ACCESS_LOAD, 16, 32, 4, NULL},
    {"a column of 16-byte pieces, exchanged by row", column_exchanged, ACCESS_LOAD, 16, 4, 4, NULL},
    {"a column of 16-byte pieces, exchanged by two rows", column_exchanged_by_half, ACCESS_STORE,
     16, 8, 4, NULL},
    {"two pieces of a row, the first of each thread", row_of_b_two_pieces, ACCESS_LOAD, 16, 8, 4,
     NULL},
    {"a row, piece by piece", row_of_b_piece_by_piece, ACCESS_LOAD, 16, 4, 4, NULL},
    {"a column, one address per row of threads", column_of_a, ACCESS_LOAD, 16, 2, 2, NULL},

    {"2 ways", strided_by_2, ACCESS_LOAD, 4, 2, 1, "00000000000000001111111111111111"},
    {"2 ways, stored", strided_by_2, ACCESS_STORE, 4, 2, 1, "00000000000000001111111111111111"},
    {"4 ways", strided_by_4, ACCESS_LOAD, 4, 4, 1, "00000000111111112222222233333333"},
    {"8 ways", strided_by_8, ACCESS_STORE, 4, 8, 1, "00001111222233334444555566667777"},
    {"16 ways", strided_by_16, ACCESS_LOAD, 4, 16, 1, "00112233445566778899aabbccddeeff"},
    {"4 ways where half the warp works", strided_by_8_from_16_lanes, ACCESS_LOAD, 4, 4, 1,
     "0000111122223333----------------"},
    {"two words of a bank, the lanes in turn", one_of_two_rows_backwards, ACCESS_LOAD, 4, 2, 1,
     "01010101010101010101010101010101"},
    {"bank 0 thrice, the others at once", long_and_short_queue, ACCESS_LOAD, 4, 3, 1,
     "01200000000000000000000000000000"},
    {"16 bytes, stride of 64 bytes, stored", sixty_fours, ACCESS_STORE, 16, 16, 4,
     "00112233|44556677|8899aabb|ccddeeff"},
};

static void check_lanes(const char *what, const struct shared_access *access, const char *expected)
{
    static const char marks[] = "0123456789abcdefghijklmnopqrstuv";
    struct bank_service service;
    char found[48] = "";
    bank_model_serve(access, &service);
    for (int lane = 0, at = 0, turn = 0; lane < 32; lane++) {
        if (service.turn[lane] > turn) {
            found[at++] = '|';
            turn = service.turn[lane];
        }
        found[at++] = service.turn[lane] < 0 ? '-' : marks[service.wavefront[lane][0]];
    }
    if (strcmp(found, expected)) fail_msg("%s:\n%s; expected\n%s", what, found, expected);
}

TEST(patterns_of_access)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct shared_access access =
            make(patterns[i].kind, patterns[i].width, patterns[i].map);
        check(patterns[i].what, &access, patterns[i].wavefronts, patterns[i].ideal);
        check_service(&access);
        if (patterns[i].lanes) check_lanes(patterns[i].what, &access, patterns[i].lanes);
    }
}

/* For all addresses, there are no fewer wavefronts than without conflicts and no more than one per
 * word, and the place of the tile in its rows does not matter. */
TEST(bounds_and_shifts)
{
    static const int widths[] = {4, 8, 16};
    unsigned random = 1;
    for (int round = 0; round < 3000; round++) {
        struct shared_access access = {.kind = round % 2 ? ACCESS_LOAD : ACCESS_STORE,
                                       .width = widths[round % 3]};
        int active = 0;
        for (int lane = 0; lane < 32; lane++) {
            random = random * 1664525u + 1013904223u;
            access.address[lane] =
                random >> 29 ? (int)(random >> 16 & 127) * access.width : LANE_IDLE;
            active += access.address[lane] != LANE_IDLE;
        }
        check_service(&access);
        const int wavefronts = bank_model_wavefronts(&access), ideal = bank_model_ideal(&access);
        assert_true(ideal <= wavefronts && wavefronts <= active * access.width / 4);
        assert_true((active > 0) == (ideal > 0) && ideal <= access.width / 4);
        for (int lane = 0; lane < 32; lane++)
            if (access.address[lane] != LANE_IDLE) access.address[lane] += 3 * 128;
        check("the same three rows further", &access, wavefronts, ideal);
    }
}

RUN_TESTS(NULL, NULL)
