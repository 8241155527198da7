/*
 * Tests which results steer a kernel: those that reach a branch, or the guard or the address of an
 * access, and no others where that is certain.
 */
#include "sass_code.h"

#include "knockout/steering.h"

/* ---- small programs -------------------------------------------------------------------------- */

static struct steering steering; /* of the listing read last */

static void find(const char *listing, const unsigned char *patch, int follows_global)
{
    struct control_flow flow;
    steering_free(&steering);
    read_code(listing);
    assert_int_equal(control_flow_make(&flow, code, code_length), 0);
    const struct steering_code asked = {code, code_length, &flow, patch, follows_global};
    assert_int_equal(steering_find(&steering, &asked), 0);
    control_flow_free(&flow);
}

static unsigned char patches[CODE_LENGTH]; /* all unchanged if nothing else is said */

/* Whether a register steers in code before which it is written. */
static int register_steers(const char *name, const char *listing, int follows_global)
{
    OWNED char *with_write;
    if (*name == 'P')
        with_write = text_new("ISETP.NE.AND %s, PT, R250, RZ, PT\n%s\nEXIT\n", name, listing);
    else if (!strncmp(name, "UP", 2))
        with_write = text_new("UISETP.NE.AND %s, UPT, UR60, URZ, UPT\n%s\nEXIT\n", name, listing);
    else
        with_write =
            text_new("%s %s, RZ\n%s\nEXIT\n", *name == 'U' ? "UMOV" : "MOV", name, listing);
    assert_non_null(with_write);
    find(with_write, patches, follows_global);
    return steering.steers[0];
}

struct needs_of_code {
    const char *code;
    const char *steer, *others; /* registers that are written before: "R4 P0" */
    int follows_global;
};

static int check_registers(const struct needs_of_code *row, const char *names, int expected)
{
    int count = 0;
    char name[8];
    for (int length; sscanf(names, " %7[A-Z0-9]%n", name, &length) == 1; names += length, count++)
        if (register_steers(name, row->code, row->follows_global) != expected)
            fail_msg("%s %s steer:\n%s", name, expected ? "must" : "must not", row->code);
    return count;
}

#define CHECK_NEEDS(rows)                                                                          \
    do {                                                                                           \
        for (size_t row = 0; row < sizeof(rows) / sizeof *(rows); row++)                           \
            assert_true(check_registers(&(rows)[row], (rows)[row].steer, 1) +                      \
                            check_registers(&(rows)[row], (rows)[row].others, 0) >                 \
                        0);                                                                        \
    } while (0)

TEST(addresses_steer_and_data_do_not)
{
    static const struct needs_of_code rows[] = {
        {"LDG.E R0, desc[UR6][R4.64]", "R4 R5 UR6 UR7", "R0 R6 UR8", 0},
        {"LDG.E.128 R4, desc[UR6][R4.64+0x10]", "R4 R5", "R6 R7", 0},
        {"LDS R0, [R4+UR5]", "R4 UR5", "R0 R5 UR6", 0},
        {"LDS.128 R0, [R20.X16+0x400]", "R20", "R21", 0},
        {"LDL.64 R2, [R1+0x8]", "R1", "R2 R3", 0},
        {"LDC R0, c[0x3][R4]", "R4", "R5", 0},
        {"LDC.64 R0, c[0x0][R4+0x210]", "R4", "R5", 0},
        {"LDSM.16.M88.4 R8, [R8+UR4]", "R8 UR4", "R9", 0},
        {"STS.64 [R4+UR4], R6", "R4 UR4", "R6 R7", 0},
        {"STL [R1], R4", "R1", "R4", 0},
        {"STG.E.128 desc[UR4][R2.64], R8", "R2 R3 UR4 UR5", "R8 R11", 0},
        {"LDGSTS.E [R7+0x10], desc[UR4][R2.64], P1", "R7 R2 R3 UR4 UR5 P1", "R8", 0},
        {"ATOMS.ADD R9, [R8+UR4], R5", "R8 UR4", "R5 R9", 0},
        {"ATOMS.CAS R0, [R4], R6, R7", "R4", "R6 R7", 0},
        {"REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R13", "R4 R5 UR6 UR7", "R13", 0},
        {"ATOMG.E.ADD.STRONG.GPU PT, R9, desc[UR6][R2.64], R11", "R2 R3 UR6", "R9 R11", 0},
        {"HGMMA.64x16x16.F32 R24, gdesc[UR4], R24", "UR4 UR7", "R24", 0},
        {"FADD R5, R4, R4\nSTG.E desc[UR6][R8.64], R5", "R8 R9", "R4 R5", 0},
        {"@!PT LDS R0, [R4]", "", "R4", 0},
    };
    CHECK_NEEDS(rows);
}

TEST(guards_of_accesses_and_control_steer)
{
    static const struct needs_of_code rows[] = {
        {"@P1 LDS R0, [R4]", "P1 R4", "P0", 0},
        {"@!P1 STS [R4], R0", "P1 R4", "R0", 0},
        {"@P0 LDG.E R0, desc[UR6][R4.64]", "P0", "R0", 0},
        {"@UP1 LDS R0, [R4]", "UP1", "P1", 0},
        {"@P0 BAR.SYNC.DEFER_BLOCKING 0x0", "P0", "P1", 0},
        {"@P0 EXIT\nFADD R1, R2, R3", "P0", "R1 R2", 0},
        {"@!P0 BRA P2, 0x20", "P0 P2", "P1", 0},
        {"@P2 FADD R0, R1, R2", "", "P2 R0 R1", 0},
        {"BAR.SYNC R2, R3", "R2 R3", "R4", 0},
        {"BAR.ARV R2, 0x40", "R2", "R3", 0},
        {"NANOSLEEP R4", "R4", "R5", 0},
        {"WARPSYNC R4", "R4", "R5", 0},
        {"WARPSYNC.COLLECTIVE R4, 0x20", "R4", "R5", 0},
        {"SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR8], R0", "UR8 R0", "P1", 0},
        {"@!UP0 SYNCS.EXCH.64 URZ, [UR8], UR4", "UP0 UR8 UR4 UR5", "UR9", 0},
        {"SYNCS.ARRIVE.TRANS64 RZ, [R4+UR8], R5", "R4 UR8 R5", "R6", 0},
        {"UTMALDG.2D [UR8], [UR4]", "UR8 UR4 UR5", "R4", 0},
        {"RET.REL.NODEC R2 0x0", "R2 R3", "R4", 0},
        {"BRX R2 -0x10", "R2 R3", "R4", 0},
    };
    CHECK_NEEDS(rows);
}

/* Values reach a branch or an address through other instructions, with their widths. */
TEST(values_are_followed_through_instructions)
{
#define USE(address) "\nLDS R100, [" address "]"
#define USE_PAIR(address) "\nLDG.E R100, desc[UR40][" address ".64]"
    static const struct needs_of_code rows[] = {
        {"ISETP.GE.U32.AND P0, PT, R4, R5, PT\n@P0 EXIT", "R4 R5", "P0 R6", 0},
        {"ISETP.NE.AND.EX P0, PT, R5, UR5, PT, P0\n@P0 EXIT", "R5 UR5 P0", "R4 UR4", 0},
        {"DSETP.GT.AND P0, PT, R4, R12, PT\n@P0 EXIT", "R4 R5 R12 R13", "R6 P0", 0},
        {"LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT\n@P0 EXIT", "R4", "P0", 0},
        {"PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0\n@P0 EXIT", "P1 P2", "P0", 0},
        {"R2P PR, R4, 0x7f\n@P3 EXIT", "R4", "P3", 0},
        {"P2R R4, PR, RZ, 0x7f" USE("R4"), "P0 P6", "R4", 0},
        {"IMAD.WIDE R4, R2, R3, R8" USE_PAIR("R4"), "R2 R3 R8 R9", "R4 R5 R10", 0},
        {"IMAD.WIDE.U32 R4, R2, 0x4, R8" USE("R5"), "R2 R8 R9", "R3 R4 R5", 0},
        {"IMAD.HI.U32 R5, R5, R7, R4" USE("R5"), "R4 R5 R7", "R6 R8", 0},
        {"LEA R6, P1, R4, R6, 0x2\nLEA.HI.X R7, R4, R7, R5, 0x2, P1" USE_PAIR("R6"), "R4 R5 R6 R7",
         "P1", 0},
        {"R2UR UR4, R2" USE("R5+UR4"), "R2 R5", "R3 UR4", 0},
        {"R2UR UR40, R2\nR2UR UR41, R3" USE_PAIR("R8"), "R2 R3 R8 R9", "UR40 UR41", 0},
        {"UIADD3 UR4, UR5, UR6, URZ\nMOV R4, UR4" USE("R4"), "UR5 UR6", "UR4 R4", 0},
        {"LDG.E.128 R4, desc[UR6][R2.64]" USE("R7"), "R2 R3", "R4 R7", 0},
        {"LDG.E.64 R4, desc[UR6][R2.64]" USE("R6"), "R6", "R5", 0},
        {"CS2R R4, SRZ" USE_PAIR("R4"), "", "R4 R5", 0},
        {"DFMA R4, R6, R8, R10\nF2I.F64.TRUNC R0, R4" USE("R0"), "R6 R7 R8 R9 R10 R11", "R4 R5 R0",
         0},
        {"DADD R4, R6, R8" USE("R5"), "R6 R7 R8 R9", "R4 R5", 0},
        {"I2F.U32.RP R6, R8\nMUFU.RCP R6, R6\nVIADD R4, R6, 0xffffffe\n"
         "F2I.FTZ.U32.TRUNC.NTZ R5, R4" USE("R5"),
         "R8", "R4 R5 R6", 0},
        {"HFMA2.MMA R4, -RZ, RZ, 0, 0" USE("R4"), "", "R4", 0},
        {"HFMA2.MMA R4, -RZ, RZ, 0, 0" USE("R5"), "R5", "R4", 0},
        {"HMMA.16816.F32 R4, R8, R12, RZ" USE("R4"), "R8 R9 R10 R11 R12 R13", "R4", 0},
        {"HMMA.16816.F32 R4, R8, R12, RZ" USE("R7"), "R7 R8 R11 R13", "R4", 0},
        {"SHFL.BFLY PT, R4, R2, R3, R5" USE("R4"), "R2 R3 R5", "R4", 0},
        {"SEL R4, R2, R3, P0" USE("R4"), "R2 R3 P0", "R4 P1", 0},
        {"MATCH.ANY R4, R2\nFLO.U32 R5, R4\nISETP.EQ.U32.AND P0, PT, R5, R9, PT\n"
         "@P0 REDG.E.ADD.STRONG.GPU desc[UR6][R6.64], R3",
         "R2 R9", "R3 R4 R5", 0},
        {"VOTE.ANY R4, PT, P1\nPOPC R5, R4\nISETP.NE.AND P0, PT, R5, 0x20, PT\n@P0 BRA 0x60", "P1",
         "R4 R5 P0", 0},
        {"VOTE.ALL P0, P1\n@P0 BRA 0x30", "P1", "P0", 0},
        {"VOTEU.ANY UR4, UPT, P1" USE("R9+UR4"), "P1 R9", "UR4", 0},
        {"R2P PR, R4, 0x7e\n@P0 EXIT", "P0", "R5", 0},
        {"R2P PR, R4.B1, 0xf\n@P5 EXIT", "P5", "R5", 0},
    };
    CHECK_NEEDS(rows);
}

/* A write under a guard ends what readers under the same guard need, and nothing else. */
TEST(guarded_writes_end_needs_of_the_same_guard)
{
    static const struct needs_of_code rows[] = {
        {"@P0 MOV R4, R2" USE("R4"), "P0 R2 R4", "R5", 0},
        {"@P0 MOV R4, R2\n@P0 LDS R0, [R4]", "P0 R2", "R4", 0},
        {"@!P0 MOV R4, R2\n@!P0 LDS R0, [R4]", "P0 R2", "R4", 0},
        {"@P0 MOV R4, R2\n@!P0 LDS R0, [R4]", "P0 R4", "", 0},
        {"@!P0 MOV R4, R2\n@P0 LDS R0, [R4]", "P0 R4", "", 0},
        {"@P1 MOV R4, R2\n@P0 LDS R0, [R4]", "P0 R2 R4", "", 0},
        {"@P0 MOV R4, R2\n@P0 LDS R0, [R4]" USE("R4"), "P0 R2 R4", "", 0},
        {"@P0 MOV R4, R2\nISETP.NE.AND P0, PT, R7, RZ, PT\n@P0 LDS R0, [R4]", "P0 R2 R4 R7", "", 0},
        {"@P0 MOV R4, R2\n@P2 ISETP.NE.AND P0, PT, R7, RZ, PT\n@P0 LDS R0, [R4]", "P0 R2 R4 P2", "",
         0},
        {"@P0 MOV R4, R2\nISETP.NE.AND P1, PT, R7, RZ, PT\n@P0 LDS R0, [R4]", "P0 R2", "R4 R7 P1",
         0},
        {"@!P0 IADD3 R4, P1, R2, R3, RZ\n@!P0 IMAD.X R5, RZ, RZ, R6, P1"
         "\n@!P0 LDS R0, [R5]",
         "P0 R2 R3 R6", "R4 R5 P1", 0},
        {"@P2 IADD3 R4, P1, R2, R3, RZ\n@!P0 IMAD.X R5, RZ, RZ, R6, P1"
         "\n@!P0 LDS R0, [R5]",
         "P0 P1 P2 R2 R3 R6", "R4 R5", 0},
        {"@P0 SEL R4, R2, R3, P0\n@P0 LDS R0, [R4]", "P0 R2 R3", "R4", 0},
        {"@UP0 UMOV UR4, UR2\n@UP0 ULDC UR6, c[0x0][UR4]", "UP0 UR2", "UR4", 0},
    };
    CHECK_NEEDS(rows);
}

TEST(values_pass_through_memory)
{
    static const struct needs_of_code rows[] = {
        {"STS [RZ], R4\nLDS R5, [0x4]" USE("R5"), "R4", "R5", 0},
        {"STS.128 [RZ], R4\nLDS R9, [0x4]\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 EXIT", "R4 R7",
         "R8", 0},
        {"LDS R5, [RZ]" USE("R5") "\nSTS [RZ], R4", "R4", "", 0},
        {"STS [RZ], R4\nLDS R5, [0x4]\nSTG.E desc[UR6][R8.64], R5", "", "R4 R5", 0},
        {"STSM.16.M88.4 [RZ], R8\nLDSM.16.M88 R5, [RZ]" USE("R5"), "R8 R11", "", 0},
        {"STAS [R6.64], R4\nLDS R5, [RZ]" USE("R5"), "R4 R6 R7", "R5", 0},
        {"ATOMS.ADD R5, [RZ], R4" USE("R5"), "R4", "R5", 0},
        {"STL [R1], R4\nLDS R5, [RZ]" USE("R5"), "R1", "R4", 0},
        {"ST.E desc[UR6][R8.64], R4\nLDS R5, [RZ]" USE("R5"), "R4 R8", "", 0},
        {"STG.E desc[UR6][R8.64], R4\nLDG.E R5, desc[UR6][R8.64]" USE("R5"), "R8", "R4", 0},
        {"STG.E desc[UR6][R8.64], R4\nLDG.E R5, desc[UR6][R8.64]" USE("R5"), "R4 R8", "", 1},
        {"REDG.E.ADD.STRONG.GPU desc[UR6][R8.64], R4\nLDG.E R5, desc[UR6][R8.64]" USE("R5"), "R4",
         "R5", 1},
        {"LDGSTS.E [R7], desc[UR6][R8.64]\nSTG.E desc[UR6][R8.64], R4\nLDS R5, [RZ]" USE("R5"),
         "R7", "R4", 0},
        {"LDGSTS.E [R7], desc[UR6][R8.64]\nSTG.E desc[UR6][R8.64], R4\nLDS R5, [RZ]" USE("R5"),
         "R4 R7", "", 1},
    };
    CHECK_NEEDS(rows);
    find("STS [RZ], R4\nLDS R5, [0x4]" USE("R5") "\nEXIT\n", patches, 1);
    assert_true(steering.by_memory[SPACE_SHARED]);
    assert_false(steering.by_memory[SPACE_GLOBAL]);
}

/* Each word of the stack is followed alone, as long as its place is known. */
TEST(values_pass_through_words_of_the_stack)
{
    static const struct needs_of_code rows[] = {
        {"STL [R1], R4\nLDL R5, [R1]" USE("R5"), "R1 R4", "R5", 0},
        {"STL [R1], R4\nLDL R5, [R1+0x8]" USE("R5"), "R1", "R4 R5", 0},
        {"STL [R1+0x8], R4\nSTL [R1+0x8], R6\nLDL.LU R5, [R1+0x8]" USE("R5"), "R6", "R4", 0},
        {"STL [R1+0x8], R4\nLDL R5, [R1+0x8]\nSTG.E desc[UR6][R8.64], R5", "R1", "R4", 0},
        /* Widths that overlap. */
        {"STL.64 [R1+0x8], R4\nLDL R8, [R1+0xc]" USE("R8"), "R4 R5", "R6", 0},
        {"STL.64 [R1+0x8], R4\nLDL R8, [R1+0x10]" USE("R8"), "", "R4 R5", 0},
        {"STL [R1+0xc], R4\nSTL [R1+0x10], R5\nLDL.128 R8, [R1]" USE("R8"), "R4", "R5", 0},
        {"STL [R1+0xc], R4\nSTL.128 [R1], R8\nLDL R5, [R1+0xc]" USE("R5"), "R8 R11", "R4", 0},
        {"STL [R1+0xc], R4\nSTL.64 [R1], R8\nLDL R5, [R1+0xc]" USE("R5"), "R4", "R8", 0},
        {"STL [R1+0x8], R4\nSTL.U8 [R1+0x9], R6\nLDL R5, [R1+0x8]" USE("R5"), "R4 R6", "", 0},
        {"STL [R1+0x8], R4\nSTL.U16 [R1+0xc], R6\nLDL.S8 R5, [R1+0xb]" USE("R5"), "R4", "R6", 0},
        {"STL.64 [R1+0x6], R4\nLDL R8, [R1+0xc]" USE("R8"), "R4", "", 0},
        /* Other addresses may be any. */
        {"STL [R1+0x8], R4\nLDL R5, [R3]" USE("R5"), "R3 R4", "", 0},
        {"STL [R3], R4\nLDL R5, [R1+0x8]" USE("R5"), "R3 R4", "", 0},
        {"STL [R1+0x8], R4\nSTL [R3], R6\nLDL R5, [R1+0x8]" USE("R5"), "R4 R6", "", 0},
        {"STL [R1+0x8], R4\nLDL R5, [R1+UR4]" USE("R5"), "R4", "", 0},
        {"STL [R1+0x8], R4\nLDL R5, [R1+-0x8]" USE("R5"), "R4", "", 0},
        {"STL [R1+0x8], R4\nLDL R5, [R1+0x20000]" USE("R5"), "R4", "", 0},
        {"STL [R10+0x8], R4\nLDL R5, [R1+0x8]" USE("R5"), "R4 R10", "", 0},
        {"STL [R3], R4\nLDL R5, [R7]" USE("R5"), "R3 R4 R7", "", 0},
        {"STL [R1+0x8], R4\nLD.E R5, desc[UR6][R2.64]" USE("R5"), "R2 R4", "", 0},
        {"ST.E desc[UR6][R2.64], R4\nLDL R5, [R1+0x8]" USE("R5"), "R2 R4", "", 0},
        {"STL [R1+0x8], R4\nLDS R5, [RZ]" USE("R5"), "R1", "R4", 0},
        /* Guards. */
        {"STL [R1], R4\n@P0 STL [R1], R6\nLDL R5, [R1]" USE("R5"), "P0 R4 R6", "", 0},
        {"STL [R1], R4\n@P0 STL [R1], R6\n@P0 LDL R5, [R1]\n@P0 LDS R0, [R5]", "P0 R6", "R4", 0},
        {"STL [R1], R4\n@P0 STL [R1], R6\n@!P0 LDL R5, [R1]\n@!P0 LDS R0, [R5]", "P0 R4", "", 0},
        {"STL [R1], R4\n@P0 STL [R1], R6\nISETP.NE.AND P0, PT, R7, RZ, PT\n"
         "@P0 LDL R5, [R1]\n@P0 LDS R0, [R5]",
         "P0 R4 R6 R7", "", 0},
        {"STL [R1], R4\n@!PT STL [R1], R6\nLDL R5, [R1]" USE("R5"), "R4", "R6", 0},
    };
    CHECK_NEEDS(rows);
}

/* A stack pointer that changes later than at the start of the kernel makes all words one. */
TEST(words_of_a_stack_that_moves_are_not_told_apart)
{
    static const char store[] = "STL [R1], R4\n", load[] = "LDL R5, [R1+0x8]" USE("R5") "\n";
    static const struct {
        const char *before, *between, *behind;
        int is_told_apart;
    } rows[] = {
        {"LDC R1, c[0x0][0x28]\nIADD3 R1, R1, -0x118, RZ\n", "", "EXIT\n", 1},
        {"", "IADD3 R1, R1, 0x8, RZ\n", "EXIT\n", 0},
        {"@P0 BRA 0x30\nIADD3 R1, R1, 0x8, RZ\n", "", "EXIT\n", 0},
        {"", "SETLMEMBASE R8\n", "EXIT\n", 0},
        {"IADD3 R1, R1, -0x8, RZ\n", "", "BRA 0x0\n", 0},
        /* The last line is a function that has a frame of its own. */
        {"", "CALL.REL.NOINC 0x70\n", "EXIT\nNOP\nIADD3 R1, R1, -0x8, RZ\nRET.REL.NODEC R20 0x0\n",
         0},
        {"", "CALL.REL.NOINC 0x70\n", "EXIT\nNOP\nIADD3 R2, R1, -0x8, RZ\nRET.REL.NODEC R20 0x0\n",
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED char *listing = text_new("MOV R4, RZ\n%s%s%s%s%s", rows[i].before, store,
                                       rows[i].between, load, rows[i].behind);
        find(listing, patches, 0);
        if (steering.steers[0] == rows[i].is_told_apart) fail_msg("%s", listing);
    }
}

/* Functions that are not in the listing may need what is passed to them. */
TEST(calls_to_elsewhere_need_arguments)
{
    static const struct needs_of_code rows[] = {
        {"STL [R1+0x8], R20\nCALL.ABS.NOINC R8", "R4 R8 R15 R20", "R16 R24", 0},
        {"CALL.REL.NOINC `(f)", "R4 R15", "R16", 0},
        {"CALL.REL.NOINC 0x1000", "R4 R15", "R16", 0},
        {"CALL.REL.NOINC 0x30\nEXIT\nRET.REL.NODEC R20 0x0", "R20", "R4 R15", 0},
        {"@!PT CALL.ABS.NOINC R8", "", "R4", 0},
    };
    CHECK_NEEDS(rows);
}

/* An access that is off needs no address, guard or data; what it would have loaded may steer. */
TEST(accesses_that_are_off_need_nothing)
{
    static const struct needs_of_code one[] = {
        {"@P0 LDS R5, [R4]", "", "P0 R4", 0},
        {"@P0 LDS R5, [R4]" USE("R5"), "", "R4", 0},
        {"STS [R7], R4\nLDS R5, [RZ]" USE("R5"), "", "R4 R7", 0},
        {"ATOMS.ADD R5, [R4], R6" USE("R5"), "", "R4 R6", 0},
        {"LDGSTS.E [R7], desc[UR6][R8.64]" USE("R5"), "R5", "R7 R8 UR6", 0},
    };
    patches[1] = STEERING_OFF;
    CHECK_NEEDS(one);
    find("NOP\n@P0 LDS R5, [R4]" USE("R5") "\nEXIT\n", patches, 0);
    assert_true(steering.steers[1]);
    assert_false(steering.by_memory[SPACE_SHARED]); /* it loads nothing */
    patches[1] = STEERING_UNCHANGED;
    patches[2] = STEERING_OFF; /* the only address that the first load is for */
    static const struct needs_of_code other[] = {{"LDS R5, [R4]" USE("R5"), "R4", "R5", 0}};
    CHECK_NEEDS(other);
    assert_false(steering.steers[1]);
    patches[2] = STEERING_UNCHANGED;
}

/* Whether an access that is moved happens, and what a copy reads from global memory, is as before.
 */
TEST(accesses_that_are_moved_need_their_guards)
{
    static const struct needs_of_code rows[] = {
        {"@P0 LDS R5, [R4+UR4]", "P0", "R4 UR4", 0},
        {"@P0 LDS R5, [R4]\nSTS [RZ], R5", "P0", "R4 R5", 0},
        {"@!P1 STS.64 [R4], R6", "P1", "R4 R6 R7", 0},
        {"@P0 STSM.16.M88.4 [R8], R4", "P0", "R4 R8", 0},
        {"@P0 LDC R0, c[0x3][R4]", "P0", "R4", 0},
        {"@P0 LDGSTS.E [R7], desc[UR6][R8.64], P1", "P0 P1 UR6 R8 R9", "R10", 0},
        {"ATOMS.ADD RZ, [R4], R6\nLDS R5, [RZ]" USE("R5"), "", "R4 R6", 0},
    };
    patches[1] = STEERING_MOVED;
    CHECK_NEEDS(rows);
    patches[1] = STEERING_UNCHANGED;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Lines that begin with '*' steer, the others do not. */
static void check_marked(const char *marked)
{
    struct text listing = {0};
    unsigned char expected[CODE_LENGTH];
    int count = 0;
    for (const char *line = marked; *line; line += strcspn(line, "\n") + 1) {
        expected[count++] = *line == '*';
        text_append_bytes(&listing, line + 1, strcspn(line, "\n"));
    }
    find(text_string(&listing), patches, 0);
    text_free(&listing);
    assert_int_equal(code_length, count);
    for (int i = 0; i < count; i++)
        if (steering.steers[i] != expected[i])
            fail_msg("%s '%s' in:\n%s", expected[i] ? "does not steer:" : "steers:", code[i].text,
                     marked);
}

TEST(loops_carry_values_to_the_next_round)
{
    check_marked("*MOV R0, RZ\n"
                 "*MOV R1, RZ\n"
                 "*LDG.E R3, desc[UR4][R0.64]\n" /* 0x20 */
                 " LDG.E R6, desc[UR4][R10.64]\n"
                 "*IADD3 R0, R3, R7, RZ\n"
                 " FADD R5, R5, R6\n"
                 "*ISETP.GE.AND P0, PT, R8, R9, PT\n"
                 " @!P0 BRA 0x20\n"
                 " STG.E desc[UR4][R10.64], R5\n"
                 " EXIT\n");
    check_marked(" LDS R3, [RZ]\n" /* needed in no round: it is written anew in each */
                 "*LDS R3, [0x4]\n"
                 "*ISETP.NE.AND P0, PT, R3, RZ, PT\n"
                 "*MOV R4, R5\n" /* the last of three moves that a value takes in three rounds */
                 "*MOV R5, R6\n"
                 "*LDS R6, [R4]\n"
                 " @P0 BRA 0x10\n"
                 " EXIT\n");
}

TEST(values_take_the_ways_of_bssy_and_calls)
{
    check_marked("*ISETP.NE.AND P0, PT, R2, RZ, PT\n"
                 "*MOV R4, RZ\n"
                 " BSSY B0, 0x60\n"
                 " @P0 BRA 0x50\n"
                 "*LDG.E R4, desc[UR6][R8.64]\n"
                 " BSYNC B0\n"
                 " LDS R0, [R4]\n"
                 " EXIT\n");
    check_marked(" MOV R4, RZ\n"
                 " BSSY B0, 0x40\n"
                 "*LDG.E R4, desc[UR6][R8.64]\n"
                 " BSYNC B0\n"
                 " LDS R0, [R4]\n"
                 " EXIT\n");
    check_marked("*LDG.E R4, desc[UR6][R8.64]\n"
                 " LDG.E R6, desc[UR6][R8.64]\n"
                 "*MOV R20, 0x40\n"
                 " CALL.REL.NOINC 0x70\n"
                 " LDS R0, [R5]\n"
                 " STS [RZ], R6\n"
                 " EXIT\n"
                 "*IADD3 R5, R4, R4, RZ\n" /* 0x70 */
                 " FADD R6, R6, R6\n"
                 " RET.REL.NODEC R20 0x0\n");
}

TEST(indirect_jumps_may_lead_anywhere)
{
    check_marked("*LDG.E R2, desc[UR6][R8.64]\n"
                 "*LDG.E R4, desc[UR6][R8.64]\n"
                 " LDG.E R5, desc[UR6][R8.64]\n"
                 " BRX R2 -0x30\n"
                 " NOP\n"
                 " EXIT\n"
                 " LDS R0, [R4]\n"
                 " STG.E desc[UR6][R8.64], R5\n"
                 " EXIT\n");
}

TEST(what_is_overwritten_does_not_steer)
{
    check_marked(" LDG.E R4, desc[UR6][R8.64]\n"
                 "*MOV R4, RZ\n"
                 " LDS R0, [R4]\n"
                 " EXIT\n");
}

/* ---- memories -------------------------------------------------------------------------------- */

TEST(accesses_name_their_memories)
{
    static const struct {
        const char *text;
        unsigned loads, stores;
    } rows[] = {
        {"LDS R0, [R4]", 1, 0},
        {"LDSM.16.M88.4 R8, [R8+UR4]", 1, 0},
        {"@P0 STS [R4], R0", 0, 1},
        {"@!PT STS [R4], R0", 0, 0},
        {"ATOMS.ADD RZ, [R8+UR4], R9", 1, 1},
        {"LDG.E R0, desc[UR6][R4.64]", 2, 0},
        {"STG.E desc[UR6][R4.64], R0", 0, 2},
        {"LDGSTS.E [R7], desc[UR4][R2.64]", 2, 1},
        {"REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R13", 0, 2},
        {"ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR6][R2.64], R11", 2, 2},
        {"UTMALDG.2D [UR8], [UR4]", 2, 1},
        {"LDL R0, [R1]", 4, 0},
        {"STL [R1], R0", 0, 4},
        {"LDC R0, c[0x3][R4]", 0, 0},
        {"LDGDEPBAR", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sass sass = sass_read(rows[i].text);
        if (sass_loads_from(&sass) != rows[i].loads || sass_stores_to(&sass) != rows[i].stores)
            fail_msg("%s: %x, %x", rows[i].text, sass_loads_from(&sass), sass_stores_to(&sass));
    }
}

static int close_all(void **state)
{
    steering_free(&steering);
    return 0;
}

RUN_TESTS(NULL, close_all)
