/*
 * Tests how far ahead loops read, in planted listings. test_own_kernels has those of the build.
 */
#include "sass_code.h"

#include <math.h>

#include "machine_code/read_distance.h"

static struct read_distances of(const char *listing)
{
    struct read_distances found;
    read_code(listing);
    assert_int_equal(read_distances_find(&found, code, code_length), 0);
    return found;
}

static void reads(const char *listing, double expected)
{
    const double found = of(listing).read;
    if (!(found == expected) && !(isnan(found) && isnan(expected)))
        fail_msg("%g in place of %g:\n%s", found, expected, listing);
}

static void copies(const char *listing, double expected)
{
    const double found = of(listing).copy;
    if (!(found == expected) && !(isnan(found) && isnan(expected)))
        fail_msg("%g in place of %g:\n%s", found, expected, listing);
}

#define FFMA "FFMA R10, R11, R12, R10\n"
#define FFMAS FFMA FFMA FFMA
#define BACK "@P0 BRA 0x10\nEXIT\n"

TEST(only_arithmetic_up_to_the_first_use_counts)
{
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMAS "IADD3 R2, R2, 0x4, RZ\n@!PT FFMA R8, R8, R8, R8\n"
          "HFMA2.MMA R9, -RZ, RZ, 0, 0\nFADD R5, R4, R5\nFADD R6, R4, R6\n" BACK,
          3);
    reads("MOV R0, RZ\nLDSM.16.M88.4 R4, [R2]\nHMMA.16816.F32 R20, R16, R18, R20\n"
          "HMMA.16816.F32 R24, R4, R18, R24\n" BACK,
          1);
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMA "STS [R3], R4\n" BACK, 1);
}

TEST(reads_without_a_loop_with_arithmetic_have_none)
{
    reads("LDS R4, [R2]\n" FFMA "FADD R5, R4, R5\nEXIT\n", NAN);
    reads("MOV R0, RZ\nLDS R4, [R2]\nIADD3 R5, R4, R5, RZ\n" BACK, NAN);
    reads("MOV R0, RZ\nLDG.E R4, desc[UR4][R2.64]\nFADD R5, R4, R5\n" BACK, NAN);
    reads("", NAN);
}

TEST(uses_may_follow_the_jump_back)
{
    reads("MOV R0, RZ\nFADD R5, R4, R5\n" FFMAS "LDS R4, [R2]\n" FFMA BACK, 1);
    /* The use lies before the loop, too, or behind it: that is none of the loop. */
    reads("FADD R5, R4, R5\nLDS R4, [R2]\n" FFMA "@P0 BRA 0x10\nFADD R5, R4, R5\nEXIT\n", NAN);
}

TEST(a_register_that_is_overwritten_is_not_used)
{
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMA "MOV R4, RZ\n" FFMA "FADD R5, R4, R5\n" BACK, NAN);
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMA "@P1 MOV R4, RZ\n" FFMA "FADD R5, R4, R5\n" BACK, 2);
    /* The next round reads anew: the word of this one is lost. */
    reads("FADD R5, R4, R5\nLDS R4, [R2]\n" FFMA "LDS R6, [R3]\nFADD R7, R6, R7\n@P0 BRA 0x10\n"
          "EXIT\n",
          0);
    /* An address is read before the result is written. */
    reads("MOV R0, RZ\nLDS R4, [R4]\n" FFMA BACK, 1);
}

TEST(wide_reads_are_used_by_their_first_register)
{
    reads("MOV R0, RZ\nLDS.128 R4, [R2]\n" FFMA "FADD R20, R7, R20\n" FFMA
          "FADD R21, R4, R21\n" BACK,
          1);
    /* Three of four are overwritten. */
    reads("MOV R0, RZ\nLDS.128 R4, [R2]\nCS2R R4, SRZ\nMOV R6, RZ\n" FFMA "FADD R20, R5, R20\n" FFMA
          "FADD R21, R7, R21\n" BACK,
          3);
    reads("MOV R0, RZ\nLDS.64 R4, [R2]\n" FFMA "FADD R20, R6, R20\n" FFMA
          "FADD R21, R5, R21\n" BACK,
          3);
}

TEST(a_use_under_a_predicate_is_one)
{
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMA "@P1 FADD R5, R4, R5\n" FFMA "FADD R5, R4, R5\n" BACK,
          1);
    reads("MOV R0, RZ\n@P1 LDS R4, [R2]\n" FFMA "FADD R5, R4, R5\n" BACK, 1);
}

TEST(the_shortest_way_counts)
{
    /* The jump passes over two products. */
    reads("MOV R0, RZ\nLDS R4, [R2]\n@P1 BRA 0x60\n" FFMAS "FADD R5, R4, R5\n" BACK, 0);
}

TEST(the_loop_is_the_one_with_most_arithmetic_of_its_own)
{
    /* 0x10 to 0x90 with an inner loop from 0x30, and a smaller one behind. */
    reads("MOV R0, RZ\nLDS R4, [R2]\nFADD R5, R4, R5\n"
          "LDS R6, [R2]\n" FFMAS "FADD R7, R6, R7\n@P0 BRA 0x30\n@P1 BRA 0x10\n"
          "LDS R6, [R2]\nFADD R7, R6, R7\n@P0 BRA 0xa0\nEXIT\n",
          3);
    /* The inner loop, from 0x70, has less. */
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMAS "FADD R5, R4, R5\nNOP\n"
          "LDS R6, [R2]\nFADD R7, R6, R7\n@P0 BRA 0x70\n@P1 BRA 0x10\nEXIT\n",
          3);
    /* One without reads is a part of the loop around it. */
    reads("MOV R0, RZ\nLDS R4, [R2]\n" FFMA "@P0 BRA 0x20\nFADD R5, R4, R5\n@P1 BRA 0x10\nEXIT\n",
          1);
    /* An inner loop without reads, one that only waits, does not count. */
    reads("MOV R0, RZ\nSYNCS.PHASECHK.TRANS64.TRYWAIT P2, [UR8], R54\n@!P2 BRA 0x10\n"
          "LDS R6, [R2]\n" FFMAS "FADD R7, R6, R7\n@P0 BRA 0x10\nEXIT\n",
          3);
    /* Two jumps back to one place are one loop. */
    reads("MOV R0, RZ\nLDS R6, [R2]\nFADD R7, R6, R7\n@P1 BRA 0x10\nLDS R4, [R2]\n" FFMAS FFMAS
          "LDS R8, [R2]\n" FFMA "FADD R4, R4, R8\n" BACK,
          1);
}

TEST(the_median_of_the_reads)
{
    reads("MOV R0, RZ\nLDS R4, [R2]\nLDS R5, [R2]\n" FFMA "FADD R7, R4, R7\n" FFMA
          "FADD R7, R5, R7\n" BACK,
          2);
}

TEST(copies_up_to_the_wait_for_their_group)
{
    reads("MOV R0, RZ\nLDGSTS.E.128 [R3], desc[UR4][R6.64]\n" FFMA BACK, NAN);
    copies("MOV R0, RZ\nLDGSTS.E.128 [R3], desc[UR4][R6.64]\nLDGDEPBAR\n" FFMAS
           "DEPBAR.LE SB0, 0x0\n" FFMA BACK,
           3);
    /* One group may stay open: the wait of the next round is for this one. */
    copies("MOV R0, RZ\nLDGSTS.E.128 [R3], desc[UR4][R6.64]\nLDGDEPBAR\n" FFMAS
           "DEPBAR.LE SB0, 0x1\n" FFMA BACK,
           7);
    /* A group that is not closed is not waited for, nor by a barrier for something else. */
    copies("MOV R0, RZ\nLDGSTS.E.128 [R3], desc[UR4][R6.64]\n" FFMAS
           "DEPBAR.LE SB0, 0x0\n" FFMA BACK,
           NAN);
    copies("MOV R0, RZ\nLDGSTS.E.128 [R3], desc[UR4][R6.64]\nLDGDEPBAR\n" FFMAS
           "DEPBAR.LE SB1, 0x0\n" FFMA BACK,
           NAN);
    /* An mbarrier announces it. */
    copies("MOV R0, RZ\nLDGSTS.E.128 [R3], desc[UR4][R6.64]\nARRIVES.LDGSTSBAR.64 [UR4]\n" FFMAS
           "SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [UR8], R54\n" BACK,
           NAN);
}

RUN_TESTS(NULL, NULL)
