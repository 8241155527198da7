/*
 * Tests what is read from the text of one instruction.
 */
#include "sass_code.h"

/* Writes the registers as "R4:2 UR6:2 P0:1". */
static const char *registers(const struct register_range *range, int count)
{
    static const struct {
        const char *name;
        int first;
    } kinds[] = {{"UP", SASS_UP}, {"P", SASS_P}, {"UR", SASS_UR}, {"R", SASS_R}};
    static char words[2][256];
    static int turn;
    char *out = words[turn ^= 1];
    *out = 0;
    for (int i = 0; i < count; i++) {
        int kind = 0;
        while (range[i].first < kinds[kind].first) kind++;
        snprintf(out + strlen(out), 256 - strlen(out), "%s%s%d:%d", i ? " " : "", kinds[kind].name,
                 range[i].first - kinds[kind].first, range[i].count);
    }
    return out;
}

static void check(const char *text, const char *writes, const char *reads)
{
    const struct sass sass = sass_read(text);
    const char *written = registers(sass.write, sass.write_count),
               *read = registers(sass.read, sass.read_count);
    if (strcmp(written, writes) || strcmp(read, reads))
        fail_msg("%s\n writes %s instead of %s\n reads %s instead of %s", text, written, writes,
                 read, reads);
}

TEST(registers_are_read_and_written)
{
    check("IADD3 R5, P0, R2, R6, RZ", "R5:1 P0:1", "R2:1 R6:1");
    check("IADD3.X R6, R7, R11, RZ, P1, !PT", "R6:1", "R7:1 R11:1 P1:1");
    check("@P1 IMAD.IADD R5, R5, 0x1, -R8", "R5:1", "P1:1 R5:1 R8:1");
    check("@!P1 IADD3 R0, R0, -R7.reuse, RZ", "R0:1", "P1:1 R0:1 R7:1");
    check("ISETP.GE.U32.AND.EX P0, PT, R5, UR5, PT, P0", "P0:1", "R5:1 UR5:1 P0:1");
    check("PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0", "P0:1", "UP0:1");
    check("LOP3.LUT P3, R2, R0, 0x1f, RZ, 0xc0, !PT", "P3:1 R2:1", "R0:1");
    check("SEL R8, R6, UR5, P0", "R8:1", "R6:1 UR5:1 P0:1");
    check("SHFL.IDX PT, R4, R0, RZ, 0x1f", "R4:1", "R0:1");
    check("P2R R10, PR, RZ, 0x40", "R10:1", "P0:7");
    check("R2P PR, R0, 0x3", "P0:1 P1:1", "R0:1");
    check("S2R R2, SR_TID.X", "R2:1", "");
    check("RET.REL.NODEC R2 0x0", "", "R2:2");
    check("BRA.DIV UR6, 0x12a0", "", "UR6:1");
    check("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R95+URZ], R94", "P0:1", "R95:1 R94:1");
    check("@!PT LDS RZ, [RZ]", "", "");
    check("ULEA.HI.X UR5, UR8, UR5, URZ, 0x2, UP0", "UR5:1", "UR8:1 UR5:1 UP0:1");
}

TEST(wide_operands_have_several_registers)
{
    check("LDG.E.128.CONSTANT R4, desc[UR6][R2.64]", "R4:4", "UR6:2 R2:2");
    check("@!P0 LDG.E R0, desc[UR6][R6.64]", "R0:1", "P0:1 UR6:2 R6:2");
    check("LDG.E.SYS R0, [R2]", "R0:1", "R2:2");
    check("STG.E.128 desc[UR10][R2.64+0x10], R56", "", "UR10:2 R2:2 R56:4");
    check("LDGSTS.E.BYPASS.128 [R11], desc[UR6][R2.64]", "", "R11:1 UR6:2 R2:2");
    check("ATOMG.E.ADD.64.STRONG.GPU PT, R6, desc[UR8][R2.64], R4", "R6:2", "UR8:2 R2:2 R4:2");
    check("LDS.64 R4, [R5+UR4]", "R4:2", "R5:1 UR4:1");
    check("ULDC.64 UR4, c[0x0][0x220]", "UR4:2", "");
    check("IMAD.WIDE.U32 R6, P0, R4, R13, R6", "R6:2 P0:1", "R4:1 R13:1 R6:2");
    check("IMAD.HI.U32 R5, R5, R7, R4", "R5:1", "R5:1 R7:1 R4:2");
    check("CS2R R12, SRZ", "R12:2", "");
    check("SHF.R.U64 R10, R2, R0.reuse, R3", "R10:1", "R2:1 R0:1 R3:1");
    check("I2F.U64.RP R4, R2", "R4:1", "R2:2");
    check("F2I.U64.TRUNC R8, R8", "R8:2", "R8:1");
    check("I2F.F64 R2, R0", "R2:2", "R0:1");
    check("F2I.F64 R0, R4", "R0:1", "R4:2");
    check("F2F.F32.F64 R0, R4", "R0:1", "R4:2");
    check("DFMA R6, -R2, UR4, R10", "R6:2", "R2:2 UR4:2 R10:2");
    check("HMMA.16816.F32 R4, R8, R12, R4", "R4:4", "R8:4 R12:2 R4:4");
    check("LDSM.16.M88.4 R8, [R20+UR4]", "R8:4", "R20:1 UR4:1");
    check("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24, !UPT, gsb0", "R24:64", "UR8:4 R24:64");
    check("UTMALDG.2D [UR8], [UR14]", "", "UR8:4 UR14:4");
    check("STS.128 [R254], R252", "", "R254:1 R252:4");
}

TEST(operations_have_parts)
{
    const struct sass sass = sass_read("@P0 LDG.E.64.CONSTANT R2, desc[UR4][R2.64]");
    assert_string_equal(sass.operation, "LDG.E.64.CONSTANT");
    assert_true(sass_is(&sass, "LDG") && sass_is(&sass, "LDG.E") && !sass_is(&sass, "LD"));
    assert_true(sass_has(&sass, "64") && !sass_has(&sass, "6") && !sass_has(&sass, "LDG"));
    assert_true(sass.is_conditional && !sass.is_never);
    assert_true(sass_read("@!PT LDS RZ, [RZ]").is_never);
    assert_int_equal(sass_read(NULL).write_count, 0);
    assert_string_equal(sass_read("").operation, "");
    sass_read("A.VERY.LONG.OPERATION.THAT.HAS.MORE.THAN.64.CHARACTERS.AND.IS.CUT.OFF R0, R1");
    sass_read("IADD3 R999, R1000, UR77777, P99, ,,, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11");
}

TEST(constants_may_be_indexed)
{
    static const struct {
        const char *text;
        int by_lane, by_warp;
    } loads[] = {{"LDC R2, c[0x0][0x210]", 0, 0},
                 {"LDC R2, c[0x3][RZ]", 0, 0},
                 {"LDC R2, c[0x3][URZ+0x4]", 0, 0},
                 {"@P0 LDC R2, c[0x3][R4]", 1, 1},
                 {"LDC.64 R2, c[0x3][R4+0x8]", 1, 1},
                 {"LDC R2, c[0x3][UR4]", 0, 1},
                 {"ULDC UR2, c[0x3][UR4]", 0, 1},
                 {"LDCU.64 UR2, c[0x3][UR4]", 0, 1},
                 {"@!PT LDC R2, c[0x3][R4]", 0, 0},
                 {"LDS R2, [R4]", 0, 0},
                 {"LDCBAR R2, [R4]", 0, 0}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const struct sass sass = sass_read(loads[i].text);
        if (sass_indexes_constant(&sass, SASS_UR) != loads[i].by_lane ||
            sass_indexes_constant(&sass, SASS_P) != loads[i].by_warp)
            fail_msg("%s", loads[i].text);
    }
}

TEST(flags_are_strong)
{
    static const char *const strong[] = {"LDG.E.STRONG.GPU R0, desc[UR4][R2.64]",
                                         "LD.E.VOLATILE R0, [R2]", "LDG.E.MMIO.SYS R0, [R2]",
                                         "LD.ACQUIRE R0, [R2]"};
    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++) {
        const struct sass sass = sass_read(strong[i]);
        assert_true(sass_is_strong(&sass));
    }
    const struct sass weak = sass_read("LDG.E.CONSTANT R0, desc[UR4][R2.64]");
    assert_false(sass_is_strong(&weak));
}

TEST(jumps_have_targets)
{
    assert_int_equal(sass_read("@!P1 BRA 0x190").target, 0x190);
    assert_true(sass_read("@!P1 BRA 0x190").is_conditional);
    assert_false(sass_read("BRA 0x190").is_conditional);
    assert_true(sass_read("BRA P2, 0x7500").is_conditional);
    assert_int_equal(sass_read("BSSY B0, 0x650").target, 0x650);
    assert_int_equal(sass_read("CALL.REL.NOINC 0x14d0").target, 0x14D0);
    assert_int_equal(sass_read("RET.REL.NODEC R2 0x0").target, -1);
    assert_int_equal(sass_read("BRA `(.L_x_3)").target, -1);
    assert_int_equal(sass_read("MOV R2, 0x130").target, -1);
}

RUN_TESTS(NULL, NULL)
