/*
 * Makes accesses to shared memory from maps of addresses: the byte address of each lane.
 */
#ifndef TESTS_UNIT_ADDRESS_MAPS_H
#define TESTS_UNIT_ADDRESS_MAPS_H

#include "catalog/bank_model.h"

/* Byte address of a lane. */
typedef int address_map(int lane);

static inline struct shared_access make(enum access_kind kind, int width, address_map *map)
{
    struct shared_access access = {.name = "x", .kind = kind, .width = width, .executions = 1};
    for (int lane = 0; lane < 32; lane++) access.address[lane] = map(lane);
    return access;
}

static inline int one(int lane)
{
    return 0 * lane;
}
static inline int halves(int lane)
{
    return 2 * lane;
}
/* Eight halves of each of four rows, as a product's fragment of B. */
static inline int halves_of_four_rows(int lane)
{
    return 2 * 512 * (lane % 4) + 2 * (lane / 4);
}
static inline int halves_of_four_rows_exchanged(int lane)
{
    return 2 * 512 * (lane % 4) + 16 * (2 * (lane % 4)) + 2 * (lane / 4);
}
static inline int words(int lane)
{
    return 4 * lane;
}
static inline int words_from_20(int lane)
{
    return 4 * (lane + 20);
}
static inline int words_in_pairs(int lane)
{
    return 4 * (lane / 2);
}
static inline int eights(int lane)
{
    return 8 * lane;
}
static inline int sixteens(int lane)
{
    return 16 * lane;
}
static inline int sixteens_reversed(int lane)
{
    return 16 * (31 - lane);
}
static inline int thirty_twos(int lane)
{
    return 32 * lane;
}
static inline int sixty_fours(int lane)
{
    return 64 * lane;
}
static inline int rows(int lane)
{
    return 128 * lane;
}
static inline int rows_of_33(int lane)
{
    return 4 * 33 * lane;
}
static inline int rows_padded_by_16(int lane)
{
    return (128 + 16) * lane;
}
static inline int halves_idle(int lane)
{
    return lane < 16 ? 4 * lane : LANE_IDLE;
}
static inline int even_idle(int lane)
{
    return lane % 2 ? 4 * lane : LANE_IDLE;
}
static inline int only_lane_31(int lane)
{
    return lane == 31 ? 64 : LANE_IDLE;
}
static inline int none(int lane)
{
    return LANE_IDLE + 0 * lane;
}
static inline int two_words_of_a_bank(int lane)
{
    return 128 * (lane % 2);
}
static inline int eights_in_pairs(int lane)
{
    return 8 * (lane / 2);
}
static inline int eights_half(int lane)
{
    return lane < 16 ? 8 * lane : LANE_IDLE;
}
static inline int eights_by_4(int lane)
{
    return 8 * (lane % 4);
}
static inline int eights_by_2(int lane)
{
    return 8 * (lane % 2);
}
static inline int eight_per_half(int lane)
{
    return 128 * (lane / 16);
}
static inline int one_pair_differs(int lane)
{
    return lane == 17 ? 8 : 0;
}
static inline int sixteens_in_pairs(int lane)
{
    return 16 * (lane / 2);
}
static inline int sixteens_two_apart(int lane)
{
    return 16 * (lane % 2 + 2 * (lane / 4));
}
static inline int sixteens_half(int lane)
{
    return lane < 16 ? 16 * lane : LANE_IDLE;
}
static inline int sixteens_by_4(int lane)
{
    return 16 * (lane % 4);
}
static inline int sixteens_by_8(int lane)
{
    return 16 * (lane % 8);
}
static inline int sixteen_per_quarter(int lane)
{
    return 16 * (lane / 8);
}
static inline int row_per_quarter(int lane)
{
    return 128 * (lane / 8);
}
static inline int row_per_lane_of_2(int lane)
{
    return 128 * (lane % 2);
}
static inline int only_even_lanes(int lane)
{
    return lane % 2 ? LANE_IDLE : 16 * lane;
}
static inline int first_half_in_pairs(int lane)
{
    return lane < 16 ? 16 * (lane / 2) : 16 * lane;
}
static inline int pairs_one_way_then_the_other(int lane)
{
    return lane < 8 ? 16 * (lane / 2) : 16 * (lane % 2 + 2 * (lane / 4));
}
/* A column of 16-byte pieces in a tile with rows of 128 bytes: piece 3 of each row, swizzled by the
 * row's number or not. */
static inline int column_of_pieces(int lane)
{
    return 128 * (lane % 8) + 16 * 3;
}
static inline int column_exchanged(int lane)
{
    return 128 * (lane % 8) + 16 * (3 ^ lane % 8);
}
static inline int column_exchanged_by_half(int lane)
{
    return 128 * (lane % 8) + 16 * (3 ^ lane % 8 / 2);
}
/* 8 x 8 outputs per thread, with the threads of a warp in 8 columns and 4 rows: their reads of a
 * row of B and of a column of A. */
static inline int row_of_b_two_pieces(int lane)
{
    return 32 * (lane % 8);
}
static inline int row_of_b_piece_by_piece(int lane)
{
    return 16 * (lane % 8);
}
static inline int column_of_a(int lane)
{
    return 32 * (lane / 8);
}

#endif
