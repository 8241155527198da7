/*
 * Tests the wavefronts of address maps against numbers counted by hand.
 */
#include "fixture.h"

#include "address_maps.h"
#include "bank_counts.h"

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
} patterns[] = {
    {"4 bytes, one address", one, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, one address, stored", one, ACCESS_STORE, 4, 1, 1},
    {"4 bytes, neighbours", words, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, neighbours past the last bank", words_from_20, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, pairs at one word", words_in_pairs, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, rows of 32 words", rows, ACCESS_LOAD, 4, 32, 1},
    {"4 bytes, rows of 33 words", rows_of_33, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, stride of 8 bytes", eights, ACCESS_LOAD, 4, 2, 1},
    {"4 bytes, half a warp", halves_idle, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, odd lanes", even_idle, ACCESS_LOAD, 4, 1, 1},
    {"4 bytes, one lane", only_lane_31, ACCESS_STORE, 4, 1, 1},
    {"4 bytes, nobody", none, ACCESS_LOAD, 4, 0, 0},
    {"4 bytes, two words of a bank", two_words_of_a_bank, ACCESS_LOAD, 4, 2, 1},
    {"4 bytes, two words of a bank, stored", two_words_of_a_bank, ACCESS_STORE, 4, 2, 1},

    {"8 bytes, neighbours", eights, ACCESS_LOAD, 8, 2, 2},
    {"8 bytes, neighbours, stored", eights, ACCESS_STORE, 8, 2, 2},
    {"8 bytes, one address", one, ACCESS_LOAD, 8, 1, 1},
    {"8 bytes, one address, stored", one, ACCESS_STORE, 8, 2,
     2}, /* stores are not served together */
    {"8 bytes, pairs at one address", eights_in_pairs, ACCESS_LOAD, 8, 1, 1},
    {"8 bytes, pairs at one address, stored", eights_in_pairs, ACCESS_STORE, 8, 2, 2},
    {"8 bytes, half a warp", eights_half, ACCESS_LOAD, 8, 1, 1},
    {"8 bytes, one lane", only_lane_31, ACCESS_LOAD, 8, 1, 1},
    {"8 bytes, nobody", none, ACCESS_STORE, 8, 0, 0},
    {"8 bytes, lane % 4 selects the address", eights_by_4, ACCESS_LOAD, 8, 2,
     2}, /* neither i ^ 1 nor i ^ 2 has the same address */
    {"8 bytes, lane % 2 selects the address", eights_by_2, ACCESS_LOAD, 8, 1, 1}, /* i ^ 2 has */
    {"8 bytes, a word of one bank per half", eight_per_half, ACCESS_LOAD, 8, 2,
     1}, /* together, with a conflict */
    {"8 bytes, a word of one bank per half, stored", eight_per_half, ACCESS_STORE, 8, 2, 2},
    {"8 bytes, one lane differs", one_pair_differs, ACCESS_LOAD, 8, 2, 2},
    {"8 bytes, stride of 16 bytes", sixteens, ACCESS_LOAD, 8, 4,
     2}, /* 16 lanes on 16 banks, two words deep */
    {"8 bytes, rows of 32 words", rows, ACCESS_LOAD, 8, 32, 2},
    {"8 bytes, rows of 32 words and 16 bytes", rows_padded_by_16, ACCESS_LOAD, 8, 4, 2},

    {"16 bytes, neighbours", sixteens, ACCESS_LOAD, 16, 4, 4},
    {"16 bytes, neighbours, stored", sixteens, ACCESS_STORE, 16, 4, 4},
    {"16 bytes, neighbours backwards", sixteens_reversed, ACCESS_LOAD, 16, 4, 4},
    {"16 bytes, one address", one, ACCESS_LOAD, 16, 2,
     2}, /* quarters are together, halves are not */
    {"16 bytes, one address, stored", one, ACCESS_STORE, 16, 4, 4},
    {"16 bytes, pairs at one address", sixteens_in_pairs, ACCESS_LOAD, 16, 2, 2},
    {"16 bytes, pairs at one address, stored", sixteens_in_pairs, ACCESS_STORE, 16, 4, 4},
    {"16 bytes, pairs two lanes apart", sixteens_two_apart, ACCESS_LOAD, 16, 2, 2},
    {"16 bytes, half a warp", sixteens_half, ACCESS_LOAD, 16, 2, 2},
    {"16 bytes, one lane", only_lane_31, ACCESS_LOAD, 16, 1, 1},
    {"16 bytes, nobody", none, ACCESS_LOAD, 16, 0, 0},
    {"16 bytes, lane % 4 selects the address", sixteens_by_4, ACCESS_LOAD, 16, 4, 4},
    {"16 bytes, lane % 8 selects the address", sixteens_by_8, ACCESS_LOAD, 16, 4, 4},
    {"16 bytes, lane / 8 selects the address", sixteen_per_quarter, ACCESS_LOAD, 16, 2, 2},
    {"16 bytes, lane / 8 selects a row", row_per_quarter, ACCESS_LOAD, 16, 4,
     2}, /* quarters together, on the same banks */
    {"16 bytes, lane % 2 selects a row", row_per_lane_of_2, ACCESS_LOAD, 16, 4, 2},
    {"16 bytes, lane % 2 selects a row, stored", row_per_lane_of_2, ACCESS_STORE, 16, 8, 4},
    {"16 bytes, stride of 32 bytes", thirty_twos, ACCESS_LOAD, 16, 8, 4},
    {"16 bytes, stride of 32 bytes, stored", thirty_twos, ACCESS_STORE, 16, 8, 4},
    {"16 bytes, stride of 64 bytes", sixty_fours, ACCESS_LOAD, 16, 16, 4},
    {"16 bytes, rows of 32 words", rows, ACCESS_LOAD, 16, 32, 4},
    {"16 bytes, rows of 32 words and 16 bytes", rows_padded_by_16, ACCESS_LOAD, 16, 4, 4},
    {"16 bytes, even lanes alone", only_even_lanes, ACCESS_LOAD, 16, 4,
     2}, /* idle lanes match: 8 pieces of 32 bytes apart, 2 deep */
    {"16 bytes, even lanes alone, stored", only_even_lanes, ACCESS_STORE, 16, 4,
     4}, /* 4 such pieces in each quarter */
    {"16 bytes, pairs in the first half alone", first_half_in_pairs, ACCESS_LOAD, 16, 3, 3},
    {"16 bytes, paired one way in a quarter, the other way in the rest",
     pairs_one_way_then_the_other, ACCESS_LOAD, 16, 3, 3},

    {"2 bytes, neighbours", halves, ACCESS_LOAD, 2, 1, 1},
    {"2 bytes, one address", one, ACCESS_LOAD, 2, 1, 1},
    {"2 bytes, eight of each of four rows", halves_of_four_rows, ACCESS_LOAD, 2, 4, 1},
    {"2 bytes, the same, the rows exchanged", halves_of_four_rows_exchanged, ACCESS_LOAD, 2, 1, 1},

    {"four matrices, one after the other", sixteens, ACCESS_MATRIX_LOAD, 16, 4, 4},
    {"four matrices, one row", one, ACCESS_MATRIX_LOAD, 16, 4, 4}, /* no pair of matrices */
    {"four matrices, rows of 64 bytes", sixty_fours, ACCESS_MATRIX_LOAD, 16, 16, 4},
    {"four matrices, rows of 32 words", rows, ACCESS_MATRIX_LOAD, 16, 32, 4},
    {"four matrices, rows of 32 words and 16 bytes", rows_padded_by_16, ACCESS_MATRIX_LOAD, 16, 4,
     4},
    {"two matrices", sixteens_half, ACCESS_MATRIX_LOAD, 16, 2, 2},
    {"four matrices, rows exchanged", column_exchanged, ACCESS_MATRIX_LOAD, 16, 4, 4},

    {"a column of 16-byte pieces", column_of_pieces, ACCESS_LOAD, 16, 32, 4},
    {"a column of 16-byte pieces, exchanged by row", column_exchanged, ACCESS_LOAD, 16, 4, 4},
    {"a column of 16-byte pieces, exchanged by two rows", column_exchanged_by_half, ACCESS_STORE,
     16, 8, 4},
    {"two pieces of a row, the first of each thread", row_of_b_two_pieces, ACCESS_LOAD, 16, 8, 4},
    {"a row, piece by piece", row_of_b_piece_by_piece, ACCESS_LOAD, 16, 4, 4},
    {"a column, one address per row of threads", column_of_a, ACCESS_LOAD, 16, 2, 2},
};

TEST(patterns_of_access)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct shared_access access =
            make(patterns[i].kind, patterns[i].width, patterns[i].map);
        check(patterns[i].what, &access, patterns[i].wavefronts, patterns[i].ideal);
        check_service(&access);
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
