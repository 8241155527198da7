/*
 * Reads listings of machine code for the tests of code/: one instruction a line, from pc 0 on. The
 * listings are from the recorded run; where a kernel is cut, the jumps are adapted. The code read
 * last is the header's until the next listing is read.
 */
#ifndef TESTS_UNIT_SASS_CODE_H
#define TESTS_UNIT_SASS_CODE_H

#include "fixture.h"

#include "machine_code/sass_text.h"

enum { CODE_LENGTH = 128, CODE_BYTES = 16384 };

static struct sass code[CODE_LENGTH];
static int code_length;

UNUSED_IS_FINE static void read_code(const char *listing)
{
    static char text[CODE_BYTES];
    snprintf(text, sizeof text, "%s", listing);
    code_length = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_in_range(code_length, 0, CODE_LENGTH - 1);
        code[code_length++] = sass_read(line);
    }
}

/* reduce/01_interleaved_modulo up to its result: a loop with a modulo. */
UNUSED_IS_FINE static const char reduce_01[] = "LDC R1, c[0x0][0x28]\n"
                                               "S2R R2, SR_TID.X\n"
                                               "S2UR UR8, SR_CTAID.X\n"
                                               "IMAD.MOV.U32 R3, RZ, RZ, RZ\n"
                                               "ULDC.64 UR4, c[0x0][0x220]\n"
                                               "IMAD.MOV.U32 R0, RZ, RZ, RZ\n"
                                               "ULDC.64 UR6, c[0x0][0x208]\n"
                                               "LDC R11, c[0x0][RZ]\n"
                                               "IMAD.WIDE.U32 R4, R11, UR8, R2\n"
                                               "ISETP.GE.U32.AND P0, PT, R4, UR4, PT\n"
                                               "ISETP.GE.U32.AND.EX P0, PT, R5, UR5, PT, P0\n"
                                               "@!P0 LDC.64 R6, c[0x0][0x210]\n"
                                               "@!P0 LEA R6, P1, R4, R6, 0x2\n"
                                               "@!P0 LEA.HI.X R7, R4, R7, R5, 0x2, P1\n"
                                               "@!P0 LDG.E R0, desc[UR6][R6.64]\n"
                                               "S2UR UR5, SR_CgaCtaId\n"
                                               "UMOV UR4, 0x400\n"
                                               "ISETP.GE.U32.AND P1, PT, R11, 0x2, PT\n"
                                               "ISETP.NE.AND P0, PT, R2, RZ, PT\n"
                                               "ULEA UR4, UR5, UR4, 0x18\n"
                                               "LEA R9, R2, UR4, 0x2\n"
                                               "STS [R9], R0\n"
                                               "BAR.SYNC.DEFER_BLOCKING 0x0\n"
                                               "@!P1 BRA 0x350\n"
                                               "IMAD.MOV.U32 R0, RZ, RZ, 0x1\n"
                                               "SHF.L.U32 R8, R0, 0x1, RZ\n"
                                               "I2F.U32.RP R6, R8\n"
                                               "IMAD.MOV R7, RZ, RZ, -R8\n"
                                               "ISETP.NE.U32.AND P2, PT, R8, RZ, PT\n"
                                               "MUFU.RCP R6, R6\n"
                                               "VIADD R4, R6, 0xffffffe\n"
                                               "F2I.FTZ.U32.TRUNC.NTZ R5, R4\n"
                                               "HFMA2.MMA R4, -RZ, RZ, 0, 0\n"
                                               "IMAD R7, R7, R5, RZ\n"
                                               "IMAD.HI.U32 R5, R5, R7, R4\n"
                                               "IMAD.HI.U32 R5, R5, R2, RZ\n"
                                               "IMAD.MOV R5, RZ, RZ, -R5\n"
                                               "IMAD R5, R8, R5, R2\n"
                                               "ISETP.GE.U32.AND P1, PT, R5, R8, PT\n"
                                               "@P1 IMAD.IADD R5, R5, 0x1, -R8\n"
                                               "ISETP.GE.U32.AND P1, PT, R5, R8, PT\n"
                                               "@P1 IADD3 R5, -R8, R5, RZ\n"
                                               "@!P2 LOP3.LUT R5, RZ, R8, RZ, 0x33, !PT\n"
                                               "ISETP.NE.AND P1, PT, R5, RZ, PT\n"
                                               "@!P1 IMAD R4, R0, 0x4, R9\n"
                                               "@!P1 LDS R0, [R9]\n"
                                               "@!P1 LDS R5, [R4]\n"
                                               "@!P1 IMAD.IADD R6, R0, 0x1, R5\n"
                                               "MOV R0, R8\n"
                                               "@!P1 STS [R9], R6\n"
                                               "BAR.SYNC.DEFER_BLOCKING 0x0\n"
                                               "ISETP.GE.U32.AND P1, PT, R8, R11, PT\n"
                                               "@!P1 BRA 0x190\n"
                                               "@P0 EXIT\n"
                                               "EXIT\n";

#endif
