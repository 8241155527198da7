/*
 * Tests the sequences that the compiler writes for one operation of the source. The listings are of
 * nvcc 13 for compute capability 9.0.
 */
#include "sass_code.h"

#include "machine_code/code_idioms.h"

static struct code_idioms idioms;

/* Returns the idioms as "name: instructions; ...". */
static const char *found(const char *listing)
{
    static char words[512];
    read_code(listing);
    code_idioms_free(&idioms);
    assert_int_equal(code_idioms_find(&idioms, code, code_length), 0);
    *words = 0;
    for (int i = 0; i < idioms.count; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s: %d",
                 *words ? "; " : "", idioms.idiom[i].name, idioms.idiom[i].count);
    return words;
}

static int close_idioms(void **state)
{
    code_idioms_free(&idioms);
    return 0;
}

/* int r = a % b; */
static const char modulo[] = "LDC R1, c[0x0][0x28]\n"
                             "S2R R7, SR_TID.X\n"
                             "LDC.64 R4, c[0x0][0x218]\n"
                             "ULDC.64 UR4, c[0x0][0x208]\n"
                             "LDC.64 R2, c[0x0][0x210]\n"
                             "IMAD.WIDE R4, R7, 0x4, R4\n"
                             "LDG.E R4, desc[UR4][R4.64]\n"
                             "IMAD.WIDE R2, R7, 0x4, R2\n"
                             "LDG.E R0, desc[UR4][R2.64]\n"
                             "IABS R10, R4.reuse\n"
                             "IABS R9, R4\n"
                             "I2F.RP R8, R10\n"
                             "IADD3 R9, RZ, -R9, RZ\n"
                             "ISETP.GE.AND P2, PT, R0, RZ, PT\n"
                             "MUFU.RCP R8, R8\n"
                             "VIADD R6, R8, 0xffffffe\n"
                             "IABS R8, R0\n"
                             "F2I.FTZ.U32.TRUNC.NTZ R7, R6\n"
                             "IMAD.MOV.U32 R6, RZ, RZ, RZ\n"
                             "IMAD.MOV R5, RZ, RZ, -R7\n"
                             "IMAD R5, R5, R10, RZ\n"
                             "IMAD.HI.U32 R7, R7, R5, R6\n"
                             "MOV R5, R9\n"
                             "IMAD.HI.U32 R7, R7, R8, RZ\n"
                             "IMAD R7, R7, R5, R8\n"
                             "ISETP.GT.U32.AND P0, PT, R10, R7, PT\n"
                             "@!P0 IMAD.IADD R7, R7, 0x1, -R10\n"
                             "ISETP.NE.AND P0, PT, R4, RZ, PT\n"
                             "ISETP.GT.U32.AND P1, PT, R10, R7, PT\n"
                             "@!P1 IADD3 R7, R7, -R10, RZ\n"
                             "@!P2 IMAD.MOV R7, RZ, RZ, -R7\n"
                             "@!P0 LOP3.LUT R7, RZ, R4, RZ, 0x33, !PT\n"
                             "STG.E desc[UR4][R2.64], R7\n"
                             "EXIT\n";

/* unsigned q = a / b, r = a % b; */
static const char quotient_and_remainder[] = "LDC R1, c[0x0][0x28]\n"
                                             "S2R R7, SR_TID.X\n"
                                             "LDC.64 R2, c[0x0][0x218]\n"
                                             "ULDC.64 UR4, c[0x0][0x208]\n"
                                             "LDC.64 R4, c[0x0][0x210]\n"
                                             "IMAD.WIDE R2, R7, 0x4, R2\n"
                                             "LDG.E R9, desc[UR4][R2.64]\n"
                                             "IMAD.WIDE R4, R7, 0x4, R4\n"
                                             "LDG.E R0, desc[UR4][R4.64]\n"
                                             "I2F.U32.RP R8, R9\n"
                                             "IADD3 R11, RZ, -R9, RZ\n"
                                             "ISETP.NE.U32.AND P2, PT, R9, RZ, PT\n"
                                             "MUFU.RCP R8, R8\n"
                                             "IADD3 R6, R8, 0xffffffe, RZ\n"
                                             "F2I.FTZ.U32.TRUNC.NTZ R7, R6\n"
                                             "HFMA2.MMA R6, -RZ, RZ, 0, 0\n"
                                             "IMAD R11, R11, R7, RZ\n"
                                             "IMAD.HI.U32 R7, R7, R11, R6\n"
                                             "IMAD.HI.U32 R7, R7, R0, RZ\n"
                                             "IMAD.MOV R10, RZ, RZ, -R7\n"
                                             "IMAD R10, R9, R10, R0\n"
                                             "ISETP.GE.U32.AND P0, PT, R10, R9, PT\n"
                                             "@P0 IADD3 R10, -R9, R10, RZ\n"
                                             "@P0 VIADD R7, R7, 0x1\n"
                                             "ISETP.GE.U32.AND P1, PT, R10, R9, PT\n"
                                             "@P1 IADD3 R7, R7, 0x1, RZ\n"
                                             "@!P2 LOP3.LUT R7, RZ, R9, RZ, 0x33, !PT\n"
                                             "IADD3 R6, -R7, RZ, RZ\n"
                                             "STG.E desc[UR4][R4.64], R7\n"
                                             "IMAD R9, R9, R6, R0\n"
                                             "STG.E desc[UR4][R2.64], R9\n"
                                             "EXIT\n";

/* Three remainders by the same n share their preparation. */
static const char by_one_divisor[] = "LDC R1, c[0x0][0x28]\n"
                                     "LDC R9, c[0x0][0x220]\n"
                                     "S2R R5, SR_TID.X\n"
                                     "S2UR UR4, SR_CTAID.X\n"
                                     "LDC R0, c[0x0][RZ]\n"
                                     "I2F.U32.RP R4, R9\n"
                                     "MUFU.RCP R4, R4\n"
                                     "IMAD R0, R0, UR4, R5\n"
                                     "ULDC.64 UR4, c[0x0][0x208]\n"
                                     "IADD3 R6, R0.reuse, -0x1, R9\n"
                                     "IADD3 R8, R0, 0x7, RZ\n"
                                     "IADD3 R3, R4, 0xffffffe, RZ\n"
                                     "F2I.FTZ.U32.TRUNC.NTZ R3, R3\n"
                                     "IMAD.MOV R2, RZ, RZ, -R3\n"
                                     "IMAD R5, R2, R9, RZ\n"
                                     "HFMA2.MMA R2, -RZ, RZ, 0, 0\n"
                                     "IMAD.HI.U32 R5, R3, R5, R2\n"
                                     "VIADD R2, R0, 0x1\n"
                                     "IMAD.HI.U32 R3, R5, R6, RZ\n"
                                     "IMAD.HI.U32 R4, R5, R2, RZ\n"
                                     "IADD3 R3, -R3, RZ, RZ\n"
                                     "IMAD.HI.U32 R5, R5, R8, RZ\n"
                                     "IMAD.MOV R4, RZ, RZ, -R4\n"
                                     "IADD3 R5, -R5, RZ, RZ\n"
                                     "IMAD R2, R9.reuse, R4, R2\n"
                                     "IMAD R4, R9.reuse, R3, R6\n"
                                     "LOP3.LUT R3, RZ, R9, RZ, 0x33, !PT\n"
                                     "IMAD R8, R9, R5, R8\n"
                                     "ISETP.GE.U32.AND P0, PT, R2, R9.reuse, PT\n"
                                     "LDC.64 R6, c[0x0][0x210]\n"
                                     "ISETP.GE.U32.AND P1, PT, R4, R9.reuse, PT\n"
                                     "ISETP.GE.U32.AND P2, PT, R8, R9, PT\n"
                                     "@P0 IMAD.IADD R2, R2, 0x1, -R9\n"
                                     "@P1 IADD3 R4, R4, -R9.reuse, RZ\n"
                                     "@P2 IADD3 R8, R8, -R9.reuse, RZ\n"
                                     "ISETP.GE.U32.AND P0, PT, R2, R9.reuse, PT\n"
                                     "ISETP.GE.U32.AND P2, PT, R4, R9.reuse, PT\n"
                                     "ISETP.GE.U32.AND P3, PT, R8, R9, PT\n"
                                     "ISETP.NE.U32.AND P1, PT, R9, RZ, PT\n"
                                     "@P0 IMAD.IADD R2, R2, 0x1, -R9\n"
                                     "@P2 IADD3 R4, R4, -R9.reuse, RZ\n"
                                     "@P3 IADD3 R8, R8, -R9, RZ\n"
                                     "SEL R5, R3.reuse, R2, !P1\n"
                                     "SEL R9, R3.reuse, R4, !P1\n"
                                     "SEL R11, R3, R8, !P1\n"
                                     "EXIT\n";

/* s = s % n in a loop, ahead of which n is prepared. */
static const char in_a_loop[] = "IABS R13, R11.reuse\n"
                                "ISETP.NE.AND P0, PT, R11, RZ, PT\n"
                                "I2F.RP R4, R13\n"
                                "LOP3.LUT R11, RZ, R11, RZ, 0x33, !PT\n"
                                "MUFU.RCP R4, R4\n"
                                "VIADD R6, R4, 0xffffffe\n"
                                "F2I.FTZ.U32.TRUNC.NTZ R7, R6\n"
                                "IMAD.MOV.U32 R6, RZ, RZ, RZ\n"
                                "IADD3 R8, RZ, -R7, RZ\n"
                                "IMAD R9, R8, R13, RZ\n"
                                "IMAD.HI.U32 R8, R7, R9, R6\n"
                                "HFMA2.MMA R9, -RZ, RZ, 0, 0\n"
                                "IMAD.U32 R6, RZ, RZ, UR8\n"
                                "MOV R7, UR9\n"
                                "LDG.E R6, desc[UR6][R6.64]\n"
                                "IABS R17, R2\n"
                                "UIADD3 UR4, UR4, 0x1, URZ\n"
                                "UIADD3 UR8, UP0, UR8, 0x4, URZ\n"
                                "UIADD3.X UR9, URZ, UR9, URZ, UP0, !UPT\n"
                                "IMAD R9, R9, 0x5, R6\n"
                                "IABS R15, R9\n"
                                "IMAD.HI.U32 R4, R8, R15, RZ\n"
                                "IMAD.MOV R4, RZ, RZ, -R4\n"
                                "IMAD R4, R17, R4, R15\n"
                                "ISETP.GT.U32.AND P1, PT, R13, R4, PT\n"
                                "@!P1 IADD3 R4, R4, -R17, RZ\n"
                                "ISETP.GE.AND P1, PT, R9, RZ, PT\n"
                                "ISETP.GT.U32.AND P2, PT, R13, R4, PT\n"
                                "@!P2 IMAD.IADD R4, R4, 0x1, -R17\n"
                                "ISETP.LE.AND P2, PT, R3, UR4, PT\n"
                                "@!P1 IADD3 R4, -R4, RZ, RZ\n"
                                "SEL R9, R11, R4, !P0\n"
                                "@!P2 BRA 0xd0\n"
                                "EXIT\n";

TEST(integers_are_divided)
{
    assert_string_equal(found(reduce_01), "modulo by a variable: 17");
    assert_int_equal(idioms.idiom[0].first, 0x1A0 / 16);
    assert_int_equal(idioms.of[0x190 / 16], -1); /* computes the divisor */
    assert_int_equal(idioms.of[0x1B0 / 16], 0);  /* negates it */
    assert_int_equal(idioms.of[0x1C0 / 16], 0);  /* compares it with 0 */
    assert_int_equal(idioms.of[0x2A0 / 16], 0);
    assert_int_equal(idioms.of[0x2B0 / 16], -1); /* uses the result */
    assert_string_equal(found(modulo), "modulo by a variable: 16");
    assert_string_equal(found(quotient_and_remainder), "division by a variable: 18");
}

/* The subroutine is shortened. */
static const char wide_division[] = "MOV R4, 0x20\n"
                                    "CALL.REL.NOINC 0x40\n"
                                    "MOV R8, R6\n"
                                    "EXIT\n"
                                    "I2F.U64.RP R12, R6\n"
                                    "MUFU.RCP R12, R12\n"
                                    "VIADD R8, R12, 0x1ffffffe\n"
                                    "F2I.U64.TRUNC R8, R8\n"
                                    "RET.REL.NODEC R4 0x0\n";

TEST(subroutines_belong_to_their_calls)
{
    assert_string_equal(found(wide_division), "64-bit division or modulo by a variable: 6");
    assert_int_equal(idioms.of[1], 0);
    assert_int_equal(idioms.of[2], -1);
    assert_int_equal(idioms.of[8], 0);
}

/* From the reciprocal to the call, which is of a slow path. */
static const char single_division[] = "MUFU.RCP R6, R3\n"
                                      "FCHK P0, R0, R3\n"
                                      "FFMA R7, -R3, R6, 1\n"
                                      "FFMA R7, R6, R7, R6\n"
                                      "FFMA R6, R0, R7, RZ\n"
                                      "FFMA R8, -R3, R6, R0\n"
                                      "FFMA R7, R7, R8, R6\n"
                                      "@!P0 BRA 0xa0\n"
                                      "MOV R2, 0x140\n"
                                      "CALL.REL.NOINC 0xc0\n"
                                      "BSYNC B0\n"
                                      "EXIT\n"
                                      "FFMA R0, R0, R0, R0\n"
                                      "RET.REL.NODEC R2 0x0\n";
static const char double_division[] = "MUFU.RCP64H R3, R7\n"
                                      "FSETP.GEU.AND P1, PT, |R9|, 6.5827683646048100446e-37, PT\n"
                                      "DFMA R10, -R6, R2, 1\n"
                                      "DFMA R10, R10, R10, R10\n"
                                      "DFMA R10, R2, R10, R2\n"
                                      "DFMA R2, -R6, R10, 1\n"
                                      "DFMA R2, R10, R2, R10\n"
                                      "DMUL R10, R8, R2\n"
                                      "DFMA R12, -R6, R10, R8\n"
                                      "DFMA R2, R2, R12, R10\n"
                                      "FFMA R0, RZ, R7, R3\n"
                                      "FSETP.GT.AND P0, PT, |R0|, 1.469367938527859385e-39, PT\n"
                                      "@P0 BRA P1, 0x1c0\n"
                                      "MOV R0, 0x1a0\n"
                                      "CALL.REL.NOINC 0x1f0\n"
                                      "EXIT\n";
static const char square_root[] = "MUFU.RSQ R5, R0\n"
                                  "ISETP.GT.U32.AND P0, PT, R4, 0x727fffff, PT\n"
                                  "@!P0 BRA 0xf0\n"
                                  "MOV R9, 0xd0\n"
                                  "CALL.REL.NOINC 0x160\n"
                                  "EXIT\n";
static const char sine[] = "FMUL R4, R0.reuse, 0.63661974668502807617\n"
                           "FSETP.GE.AND P0, PT, |R0|, 105615, PT\n"
                           "F2I.NTZ R4, R4\n"
                           "I2FP.F32.S32 R5, R4\n"
                           "FFMA R6, R5, -1.5707962512969970703, R0\n"
                           "FFMA R6, R5, -7.5497894158615963534e-08, R6\n"
                           "FFMA R5, R5, -5.3903029534742383927e-15, R6\n"
                           "@!P0 BRA 0x7e0\n"
                           "EXIT\n";

TEST(floating_point_is_divided)
{
    /* MUFU, FCHK, five FFMA, the call, and the subroutine */
    assert_string_equal(found(single_division), "division in single precision: 10");
    assert_int_equal(idioms.of[1], 0);
    assert_string_equal(found(double_division), "division in double precision: 13");
    assert_string_equal(found(square_root), "square root in single precision: 2");
    assert_string_equal(found(sine), "sine or cosine, reduced to one period: 6");
}

#define PREPARATION "preparation of divisions by a variable: 7; "

TEST(divisions_by_one_divisor_share_their_preparation)
{
    assert_string_equal(found(by_one_divisor), PREPARATION "modulo by a variable: 8; modulo by a "
                                                           "variable: 8; modulo by a variable: 8");
    assert_string_equal(found(in_a_loop), PREPARATION "modulo by a variable: 9");
}

TEST(parts_alone_are_no_idiom)
{
    assert_string_equal(found("IMAD.HI.U32 R1, R2, R3, RZ\nLOP3.LUT R3, RZ, R9, RZ, 0x33, !PT\n"
                              "SEL R5, R3, R1, !P1\nEXIT\n"),
                        "");
    assert_string_equal(found("I2F.U32.RP R6, R8\nFADD R6, R6, R6\nEXIT\n"), "");
    assert_string_equal(found("MUFU.RCP R6, R8\nFMUL R6, R6, R7\nEXIT\n"), "");
    assert_string_equal(found("MUFU.RSQ R6, R8\nFMUL R6, R6, R7\nEXIT\n"), "");
    assert_string_equal(found("CALL.REL.NOINC 0x20\nEXIT\nRET.REL.NODEC R4 0x0\n"), "");
    assert_string_equal(found(""), "");
}

RUN_TESTS(NULL, close_idioms)
