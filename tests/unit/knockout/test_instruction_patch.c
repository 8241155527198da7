/*
 * Tests how single instructions are patched. The words are of real code, the texts are those that
 * nvdisasm prints for the words beside them.
 */
#include "fixture.h"

#include "knockout/instruction_patch.h"

struct patched {
    enum patch_kind kind;
    unsigned shared;
    uint64_t low, high, to_low, to_high;
    const char *text, *to_text;
};

static void check(const struct patched *row, unsigned scale, long distance)
{
    const struct sass sass = sass_read(row->text);
    struct instruction_word word = {row->low, row->high};
    const struct patch_setting setting = {row->shared, scale, distance, 255};
    char text[PATCH_TEXT] = "";
    if (instruction_patch(row->kind, &sass, &setting, &word, text))
        fail_msg("%s: refused", row->text);
    if (word.low != row->to_low || word.high != row->to_high || strcmp(text, row->to_text))
        fail_msg("%s: %#llx, %#llx: %s", row->text, (unsigned long long)word.low,
                 (unsigned long long)word.high, text);
}

TEST(patched_words_read_as_they_say)
{
    static const struct patched rows[] = {
        {PATCH_GUARD, 0, 0x41000000007b1d, 0xfec0000010000, 0x4100000000fb1d, 0xfec0000010000,
         "BAR.SYNC.DEFER_BLOCKING 0x1, 0x40", "@!PT BAR.SYNC.DEFER_BLOCKING 0x1, 0x40"},
        {PATCH_GUARD, 0, 0x602047981, 0xea2000c1e1d00, 0x60204f981, 0xea2000c1e1d00,
         "LDG.E.128 R4, desc[UR6][R2.64]", "@!PT LDG.E.128 R4, desc[UR6][R2.64]"},
        {PATCH_GUARD, 0, 0x480408002986, 0xfe8000c101b0c, 0x48040800f986, 0xfe8000c101b0c,
         "@P2 STG.E.64 desc[UR12][R8.64+0x48], R4", "@!PT STG.E.64 desc[UR12][R8.64+0x48], R4"},
        {PATCH_GUARD, 0, 0x2077fae, 0xfe2000b921844, 0x207ffae, 0xfe2000b921844,
         "LDGSTS.E [R7], desc[UR4][R2.64]", "@!PT LDGSTS.E [R7], desc[UR4][R2.64]"},
        {PATCH_GUARD, 0, 0xd0400798e, 0x1fe8000c10e186, 0xd0400f98e, 0x1fe8000c10e186,
         "REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R13",
         "@!PT REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R13"},
        {PATCH_GUARD, 0, 0x908ff798c, 0x4fe80008000004, 0x908fff98c, 0x4fe80008000004,
         "ATOMS.ADD RZ, [R8+UR4], R9", "@!PT ATOMS.ADD RZ, [R8+UR4], R9"},
        {PATCH_NOP, 0, 0x400800000606782b, 0x10fd0000000000a, 0x7918, 0x10fd00000000000,
         "DFMA R6, R6, 3, R10", "NOP"},
        {PATCH_NOP, 0, 0xe000f7311, 0xe22000030d100, 0x7918, 0xfe20000000000,
         "F2I.F64.TRUNC R15, R14", "NOP"},
        {PATCH_NOP, 0, 0x401c0000060a7429, 0x40fe40000000000, 0x7918, 0xfe40000000000,
         "DADD R10, R6.reuse, 7", "NOP"},
        {PATCH_NOP, 0, 0x1300040310, 0x8e220000201800, 0x7918, 0x8fe20000000000,
         "@P0 F2F.F64.F32 R4, R19", "NOP"},
        {PATCH_NOP, 0, 0x300007387, 0x41e40000100800, 0x7918, 0x4fe40000000000, "STL [R0], R3",
         "NOP"},
        {PATCH_NOP, 0, 0x7983, 0xf640000100800, 0x7918, 0xfe40000000000, "LDL R0, [R0]", "NOP"},
        {PATCH_LINEAR, 4096, 0x400070b7984, 0xe680000000800, 0x40400010b7984, 0xe680000004800,
         "LDS R11, [R7+0x4]", "LDS R11, [R1.X4+0x404]"},
        {PATCH_LINEAR, 256, 0x404047984, 0xe240008000800, 0x4000001047984, 0xe240000004800,
         "LDS R4, [R4+UR4]", "LDS R4, [R1.X4+0x400]"},
        {PATCH_LINEAR, 128, 0x70a0e1b7984, 0xe680008000000, 0x40000011b7984, 0xe680000004000,
         "LDS.U8 R27, [R14+UR10+0x7]", "LDS.U8 R27, [R1.X4+0x400]"},
        {PATCH_LINEAR, 128, 0xa15150984, 0xea20008000000, 0x4000001150984, 0xea20000004000,
         "@P0 LDS.U8 R21, [R21+UR10]", "@P0 LDS.U8 R21, [R1.X4+0x400]"},
        {PATCH_LINEAR, 4096, 0xffffb80013167984, 0xee80000000a00, 0x4000001167984, 0xee80000008a00,
         "LDS.64 R22, [R19+-0x48]", "LDS.64 R22, [R1.X8+0x400]"},
        {PATCH_LINEAR, 1000, 0x123400090a7984, 0xfe80000000a00, 0x4c000010a7984, 0xfe80000008a00,
         "LDS.64 R10, [R9+0x1234]", "LDS.64 R10, [R1.X8+0x4c0]"},
        {PATCH_LINEAR, 512, 0xc7984, 0xe240000000c00, 0x40000010c7984, 0xe24000000cc00,
         "LDS.128 R12, [R0]", "LDS.128 R12, [R1.X16+0x400]"},
        {PATCH_LINEAR, 65536, 0xc01000000c7984, 0xe240000000c00, 0xc41000010c7984, 0xe24000000cc00,
         "LDS.128 R12, [R0+0xc010]", "LDS.128 R12, [R1.X16+0xc410]"},
        {PATCH_LINEAR, 256, 0x800605007388, 0x8fe20000000800, 0x4000601007388, 0x8fe20000004800,
         "STS [R5+0x80], R6", "STS [R1.X4+0x400], R6"},
        {PATCH_LINEAR, 256, 0x121b007388, 0x3e80000000400, 0x4001201007388, 0x3e80000004400,
         "STS.U16 [R27], R18", "STS.U16 [R1.X4+0x400], R18"},
        {PATCH_LINEAR, 4096, 0x81613007388, 0xfe20000000a00, 0x4081601007388, 0xfe20000008a00,
         "STS.64 [R19+0x8], R22", "STS.64 [R1.X8+0x408], R22"},
        {PATCH_LINEAR, 4096, 0x408007388, 0x4fe20000000c00, 0x4000401007388, 0x4fe2000000cc00,
         "STS.128 [R8], R4", "STS.128 [R1.X16+0x400], R4"},
        {PATCH_LINEAR, 4096, 0x1b0eff738c, 0x2fe80001000000, 0x4001b01ff738c, 0x2fe80001004000,
         "ATOMS.MAX RZ, [R14], R27", "ATOMS.MAX RZ, [R1.X4+0x400], R27"},
        {PATCH_LINEAR, 4096, 0x18040fff738d, 0x47e80000000406, 0x4180401ff738d, 0x47e80000008406,
         "ATOMS.CAS.64 RZ, [R15+0x18], R4, R6", "ATOMS.CAS.64 RZ, [R1.X8+0x418], R4, R6"},
        {PATCH_ONE_WORD, 4096, 0x604067984, 0xe240008000800, 0x40000ff067984, 0xe240000000800,
         "LDS R6, [R4+UR6]", "LDS R6, [0x400]"},
        {PATCH_ONE_WORD, 1024, 0x3f00012047984, 0xf280000000c00, 0x7f000ff047984, 0xf280000000c00,
         "LDS.128 R4, [R18+0x3f0]", "LDS.128 R4, [0x7f0]"},
        {PATCH_ONE_WORD, 4096, 0x40808783b, 0xe280008000200, 0x40000ff08783b, 0xe280000000200,
         "LDSM.16.M88.4 R8, [R8+UR4]", "LDSM.16.M88.4 R8, [0x400]"},
        {PATCH_ONE_WORD, 16, 0xb1016783b, 0xe680008004100, 0x40000ff16783b, 0xe680000004100,
         "LDSM.16.MT88.2 R22, [R16+UR11]", "LDSM.16.MT88.2 R22, [0x400]"},
        {PATCH_ONE_WORD, 0, 0xc0000004007b82, 0x10620000000800, 0xc00000ff007b82, 0x10620000000800,
         "LDC R0, c[0x3][R4]", "LDC R0, c[0x3][RZ]"},
        {PATCH_ONE_WORD, 0, 0xc00000140c1b82, 0x1e220000000a00, 0xc00000ff0c1b82, 0x1e220000000a00,
         "@P1 LDC.64 R12, c[0x3][R20]", "@P1 LDC.64 R12, c[0x3][RZ]"},
        {PATCH_ONE_WORD, 0, 0xc00a0000057b82, 0xe240000000800, 0xc00a00ff057b82, 0xe240000000800,
         "LDC R5, c[0x3][R0+0x28]", "LDC R5, c[0x3][0x28]"},
        {PATCH_BANK, 0, 0xc08040223, 0x20fe20000000004, 0xd08040223, 0x20fe20000000004,
         "@P0 FFMA R4, R8, R12, R4", "@P0 FFMA R4, R8, R13, R4"},
        {PATCH_BANK, 0, 0x804047223, 0x84fe2000000000c, 0x805047223, 0x84fe2000000000c,
         "FFMA R4, R4, R8.reuse, R12", "FFMA R4, R5, R8.reuse, R12"},
        {PATCH_BANK, 0, 0x1d156d7223, 0x88fe20000000029, 0x1d146d7223, 0x88fe20000000029,
         "FFMA R109, R21, R29.reuse, R41", "FFMA R109, R20, R29.reuse, R41"},
        {PATCH_BANK, 0, 0xc08047223, 0xc0fe20000000104, 0xc08047223, 0xc0fe20000000105,
         "FFMA R4, -R8.reuse, R12.reuse, R4", "FFMA R4, -R8.reuse, R12.reuse, R5"},
        {PATCH_LANE, 0, 0xa00ff017b82, 0xfe20000000800, 0x17919, 0xf640000000000,
         "LDC R1, c[0x0][0x28]", "S2R R1, SR_LANEID"},
        {PATCH_WAIT, 0, 0x57919, 0xe2e0000002100, 0x57919, 0x20e2e0000002100, "S2R R5, SR_TID.X",
         "S2R R5, SR_TID.X"},
        {PATCH_WAIT, 0, 0xd087211, 0xc0fe200078e28ff, 0xd087211, 0xe0fe200078e28ff,
         "LEA R8, R13.reuse, R0.reuse, 0x5", "LEA R8, R13.reuse, R0.reuse, 0x5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check(&rows[i], 1, 0);
}

/* With a register that is the lane times a scale, and what makes it. */
TEST(words_for_scaled_lanes_read_as_they_say)
{
    static const struct {
        struct patched row;
        unsigned scale;
        long distance;
    } rows[] = {
        {{PATCH_LINEAR, 4096, 0x200400005c097fae, 0x3e8000b921846, 0x4c00005c017fae,
          0x3e8000b921846, "LDGSTS.E [R9+0x20040], desc[UR6][R92.64]",
          "LDGSTS.E [R1+0x4c0], desc[UR6][R92.64]"},
         4,
         0},
        {{PATCH_LINEAR, 4096, 0x1001000a1f1fae, 0xfe2000b921a4e, 0x5001000a011fae, 0xfe2000b921a4e,
          "@P1 LDGSTS.E.64 [R31+0x100], desc[UR14][R10.64+0x100]",
          "@P1 LDGSTS.E.64 [R1+0x500], desc[UR14][R10.64+0x100]"},
         8,
         0},
        {{PATCH_LINEAR, 4096, 0x10000000160c7fae, 0x5e2000d901d46, 0x80000016017fae,
          0x5e2000d901d46, "LDGSTS.E.BYPASS.LTC128B.128 [R12+0x10000], desc[UR6][R22.64], !P3",
          "LDGSTS.E.BYPASS.LTC128B.128 [R1+0x800], desc[UR6][R22.64], !P3"},
         16,
         0},
        {{PATCH_LINEAR, 4096, 0x8000000006097fae, 0x5e2000b101c46, 0x40000006017fae,
          0x5e2000b101c46, "LDGSTS.E.BYPASS.128 [R9+-0x80000], desc[UR6][R6.64], P6",
          "LDGSTS.E.BYPASS.128 [R1+0x400], desc[UR6][R6.64], P6"},
         16,
         0},
        {{PATCH_LINEAR, 4096, 0x403007844, 0x1e80000000200, 0x4000401007844, 0x1e80000000200,
          "STSM.16.M88.4 [R3], R4", "STSM.16.M88.4 [R1+0x400], R4"},
         16,
         0},
        {{PATCH_LINEAR, 4096, 0x2000403007844, 0x1e80008000205, 0x6000401007844, 0x1e80000000200,
          "STSM.16.M88.4 [R3+UR5+0x200], R4", "STSM.16.M88.4 [R1+0x600], R4"},
         16,
         0},
        {{PATCH_LINEAR, 4096, 0x400070b7984, 0xe680000000800, 0x40400010b7984, 0xe680000000800,
          "LDS R11, [R7+0x4]", "LDS R11, [R1+0x404]"},
         4,
         0},
        {{PATCH_LINEAR, 4096, 0x408007388, 0x4fe20000000c00, 0x4000401007388, 0x4fe20000004c00,
          "STS.128 [R8], R4", "STS.128 [R1.X4+0x400], R4"},
         4,
         0},
        {{PATCH_LINEAR, 4096, 0xc7984, 0xe240000000c00, 0x40000010c7984, 0xe240000000c00,
          "LDS.128 R12, [R0]", "LDS.128 R12, [R1+0x400]"},
         16,
         0},
        {{PATCH_LANE, 0, 0x7918, 0xfc00000000000, 0x17919, 0xf640000000000, "NOP",
          "S2R R1, SR_LANEID"},
         1,
         0},
        {{PATCH_SCALE, 0, 0x7918, 0xfc00000000000, 0x201017819, 0x20fec00000006ff, "NOP",
          "SHF.L.U32 R1, R1, 0x2, RZ"},
         4,
         0},
        {{PATCH_SCALE, 0, 0x7918, 0xfc00000000000, 0x401017819, 0x20fec00000006ff, "NOP",
          "SHF.L.U32 R1, R1, 0x4, RZ"},
         16,
         0},
        {{PATCH_JUMP, 0, 0xa00ff017b82, 0xfe20000000800, 0x10008c7947, 0xfea0003800000,
          "LDC R1, c[0x0][0x28]", "BRA 0x1240"},
         16,
         0x1230},
        {{PATCH_JUMP, 0, 0x7918, 0xfc00000000000, 0xfffffffc00f87947, 0xfea000383ffff, "NOP",
          "BRA -0x10"},
         16,
         -0x20},
        {{PATCH_JUMP, 0, 0x7918, 0xfc00000000000, 0xfffffedc00307947, 0xfea000383ffff, "NOP",
          "BRA -0x12330"},
         16,
         -0x12340},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i].row, rows[i].scale, rows[i].distance);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static int patch(enum patch_kind kind, const char *text, unsigned shared, unsigned scale,
                 struct instruction_word *word)
{
    const struct sass sass = sass_read(text);
    const struct patch_setting setting = {shared, scale, 24, 255};
    char patched[PATCH_TEXT];
    return instruction_patch(kind, &sass, &setting, word, patched);
}

TEST(other_instructions_are_refused)
{
    static const struct {
        enum patch_kind kind;
        const char *text;
        unsigned scale;
    } rows[] = {
        {PATCH_LINEAR, "LDG.E R0, desc[UR6][R2.64]", 1},
        {PATCH_LINEAR, "LDGSTS.E [R7], desc[UR4][R2.64]", 1},
        {PATCH_LINEAR, "LDSM.16.M88.4 R8, [R8+UR4]", 1},
        {PATCH_LINEAR, "STSM.16.M88.4 [R8], R4", 1},
        {PATCH_LINEAR, "LDL R0, [R1]", 1},
        {PATCH_LINEAR, "FADD R4, R4, R5", 1},
        {PATCH_ONE_WORD, "STS [R4], R0", 1},
        {PATCH_ONE_WORD, "ATOMS.ADD RZ, [R8], R9", 1},
        {PATCH_ONE_WORD, "STL [R1], R0", 1},
        {PATCH_ONE_WORD, "LDGDEPBAR", 1},
        {PATCH_LANE, "LDC R10, c[0x0][0x28]", 1},
        {PATCH_LANE, "MOV R1, c[0x0][0x28]", 1},
        {PATCH_LANE, "S2R R1, SR_TID.X", 1},
        {PATCH_LANE, "NOPE", 1},
        {PATCH_BANK, "FFMA R4, R5, R8, R12", 1},
        {PATCH_BANK, "FFMA R4, R6, R8, R12", 1}, /* its word says otherwise */
        {PATCH_LINEAR, "LDGSTS.E.64 [R7], desc[UR4][R2.64]", 4},
        {PATCH_LINEAR, "LDGSTS.E [R7], desc[UR4][R2.64]", 16},
        {PATCH_LINEAR, "LDGSTS.E [R7+UR8], desc[UR9][R2.64]", 4},
        {PATCH_LINEAR, "STSM.16.M88.4 [R8], R4", 8},
        {PATCH_LINEAR, "LDS.64 R0, [R4]", 4},
        {PATCH_LINEAR, "LDS.64 R0, [R4]", 16},
        {PATCH_LINEAR, "STS [R4], R0", 8},
        {PATCH_SCALE, "NOP", 1},
        {PATCH_SCALE, "S2R R1, SR_TID.X", 16},
        {PATCH_JUMP, "LDS R0, [R4]", 1},
        {PATCH_JUMP, "NOP", 1}, /* to between two instructions */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct instruction_word word = {0};
        if (patch(rows[i].kind, rows[i].text, 65536, rows[i].scale, &word) != FAIL_CHECK)
            fail_msg("%s: not refused", rows[i].text);
    }
}

TEST(three_sources_in_one_bank_are_a_conflict)
{
    static const struct {
        const char *text, *before; /* NULL: none */
        int registers, expected;
    } rows[] = {
        {"FFMA R4, R8, R12, R4", NULL, 16, 1},
        {"@!P0 FFMA.FTZ R4, -|R9|, R13, -R5", NULL, 16, 1},
        {"FFMA R4, R8, R13, R4", NULL, 16, 0},
        {"FFMA R4, R8, R8, R4", NULL, 16, 0}, /* perhaps read once */
        {"FFMA R4, R8, R12, RZ", NULL, 16, 0},
        {"FFMA R4, R8, 2, R4", NULL, 16, 0},
        {"FFMA R4, R8, c[0x0][0x210], R4", NULL, 16, 0},
        {"FFMA R4, R8, UR4, R4", NULL, 16, 0},
        {"FADD R4, R8, R12", NULL, 16, 0},
        {"FFMA2 R4, R8, R12, R4", NULL, 16, 0},
        {"IMAD R4, R8, R12, R4", NULL, 16, 0},
        {"FFMA R4, R8, R12, R4", "FFMA R2, R8.reuse, R13, R2", 16, 0},
        {"FFMA R4, R8, R12, R4", "FFMA R2, R18.reuse, R13, R2", 20, 1},
        {"FFMA R4, R8, R12, R4", "FFMA R2, R8, R13, R2", 16, 1},
        {"FFMA R0, R8, R12, R2", NULL, 13, 1}, /* R12 has no neighbour, R8 has one */
        {"FFMA R0, R8.reuse, R12, R2.reuse", NULL, 13, 0},
        {"FFMA R4, R8.reuse, R12.reuse, R4.reuse", NULL, 16, 0},
        {"FFMA", NULL, 16, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sass sass = sass_read(rows[i].text), before = sass_read(rows[i].before);
        if (has_bank_conflict(&sass, rows[i].before ? &before : NULL, rows[i].registers) !=
            rows[i].expected)
            fail_msg("%s, %d registers", rows[i].text, rows[i].registers);
    }
}

/* All lanes stay in the block's shared memory, and are aligned; too little of it is refused. */
TEST(addresses_stay_in_shared_memory)
{
    static const struct {
        enum patch_kind kind;
        const char *format;
        unsigned lane, extent;     /* bytes of a lane, and of all */
        unsigned scale, first_bit; /* of the offset */
    } rows[] = {
        {PATCH_LINEAR, "LDS R0, [R4+%#x]", 4, 128, 1, 40},
        {PATCH_LINEAR, "STS.U8 [R4+%#x], R8", 4, 128, 1, 40},
        {PATCH_LINEAR, "ATOMS.ADD.64 RZ, [R4+%#x], R8", 8, 256, 1, 40},
        {PATCH_LINEAR, "LDS.64 R0, [R4+%#x]", 8, 256, 1, 40},
        {PATCH_LINEAR, "STS.128 [R4+%#x], R8", 16, 512, 1, 40},
        {PATCH_ONE_WORD, "LDS R0, [R4+%#x]", 16, 16, 1, 40},
        {PATCH_ONE_WORD, "LDS.128 R0, [R4+%#x]", 16, 16, 1, 40},
        {PATCH_ONE_WORD, "LDSM.16.M88.4 R0, [R4+%#x]", 16, 16, 1, 40},
        {PATCH_LINEAR, "LDS [R4+%#x]", 4, 128, 4, 40},
        {PATCH_LINEAR, "STS.128 [R4+%#x], R8", 16, 512, 4, 40},
        {PATCH_LINEAR, "STSM.16.M88.4 [R4+%#x], R8", 16, 512, 16, 40},
        {PATCH_LINEAR, "LDGSTS.E [R4+%#x], desc[UR4][R2.64]", 4, 128, 4, 44},
        {PATCH_LINEAR, "LDGSTS.E.64 [R4+%#x], desc[UR4][R2.64]", 8, 256, 8, 44},
        {PATCH_LINEAR, "LDGSTS.E.128 [R4+%#x], desc[UR4][R2.64]", 16, 512, 16, 44},
    };
    static const unsigned extra[] = {0, 1, 4, 8, 15, 16, 17, 100, 512, 1024, 232448 - 512};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct instruction_word word = {0};
        if (patch(rows[i].kind, rows[i].format, rows[i].extent - 1, rows[i].scale, &word) !=
            FAIL_CHECK)
            fail_msg("%s: not refused", rows[i].format);
        for (size_t s = 0; s < sizeof extra / sizeof *extra; s++) {
            const unsigned shared = rows[i].extent + extra[s];
            for (unsigned offset = 0; offset < 2 * shared; offset += shared / 37 + 1) {
                char *text = text_new(rows[i].format, offset);
                word = (struct instruction_word){(uint64_t)offset << rows[i].first_bit, 0};
                assert_int_equal(patch(rows[i].kind, text, shared, rows[i].scale, &word), 0);
                free(text);
                const unsigned begin = (unsigned)(word.low >> rows[i].first_bit) - SHARED_BEGIN;
                if (begin > shared - rows[i].extent || begin % rows[i].lane)
                    fail_msg("%s, %u of %u bytes: begins at %u", rows[i].format, offset, shared,
                             begin);
            }
        }
    }
}

RUN_TESTS(NULL, NULL)
