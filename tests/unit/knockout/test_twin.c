/*
 * Tests which instructions twins of fixed kernels change, what is left alone and why, and that a
 * patch with another text is refused.
 */
#include "fixture.h"

#include <math.h>

#include "knockout/twin.h"
#include "knockout/twin_code.h"
#include "machine_code/disassembly.h"

/* ---- kernels --------------------------------------------------------------------------------- */

/* A row without words names the kernel of the rows behind it. */
static const struct row {
    uint64_t low, high;
    const char *text;
} rows[] = {
#define KERNEL(name) {0, 0, #name},
#define I(low, high, text) {low, high, text},
#include "twin_code.h"
#undef KERNEL
#undef I
    {0, 0, ""}};

enum { ROWS = sizeof rows / sizeof *rows, LENGTH = 64, BYTES = 16, NOPS = 3 };

static struct sass sass[LENGTH];
static unsigned char code[LENGTH * BYTES], is_chosen[LENGTH];
static struct counted_instruction counted[LENGTH];
static struct control_flow flow;
static struct twin_kernel kernel; /* the one loaded last */

/* Loads these instructions, and NOPs behind them. */
static void load_rows(const struct row *row, int nops)
{
    static const struct row nop = {0x7918, 0xfc00000000000, "NOP"};
    int count = 0;
    while (row[count].low) count++;
    count += nops;
    assert_in_range(count, 0, LENGTH);
    for (int i = 0; i < count; i++) {
        const struct row *from = i < count - nops ? &row[i] : &nop;
        sass[i] = sass_read(from->text);
        counted[i] = (struct counted_instruction){NAN, NAN, NAN};
        memcpy(code + i * BYTES, from, BYTES);
    }
    assert_true(count > 2);
    control_flow_free(&flow);
    assert_int_equal(control_flow_make(&flow, sass, count), 0);
    kernel = (struct twin_kernel){code, count, 90, sass, &flow, counted, NULL, 4096};
}

/* Returns the row behind the name of the kernel. */
static const struct row *find_rows(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (!rows[i].low && !strcmp(rows[i].text, name)) return &rows[i + 1];
    fail_msg("no kernel %s", name);
    return NULL;
}

/* ---- plans ----------------------------------------------------------------------------------- */

struct plan {
    const char *kernel;
    enum knockout knockout;
    const char *counts; /* of instructions: "at:executed,wavefronts,ideal" */
    const char *chosen; /* instructions that may be patched; NULL: all may */
    unsigned shared;    /* 0: the usual */
    const char
        *patches; /* "g13": a letter of `kinds`, and the instruction; "*4": the lane's scale */
    int left;
    const char *reason;
};

/* By enum patch_kind. Capital letters: not of the knock-out, but it needs them. */
static const char kinds[] = "gnlobLWSJ";

static void plan_twin(struct twin *twin, const struct plan *plan)
{
    struct counted_instruction count;
    int at, length;
    load_rows(find_rows(plan->kernel), NOPS);
    for (const char *p = plan->counts ? plan->counts : "";
         sscanf(p, " %d:%lf,%lf,%lf%n", &at, &count.executed, &count.wavefronts, &count.ideal,
                &length) == 4;
         p += length)
        counted[at] = count;
    memset(is_chosen, 0, sizeof is_chosen);
    for (const char *p = plan->chosen ? plan->chosen : ""; sscanf(p, " %d%n", &at, &length) == 1;
         p += length)
        is_chosen[at] = 1;
    if (plan->chosen) kernel.is_chosen = is_chosen;
    if (plan->shared) kernel.shared_bytes = plan->shared;
    assert_int_equal(twin_plan(twin, plan->knockout, &kernel), 0);
}

/* The words that the twin must have, and how many patches are of the knock-out. */
static int expect_code(unsigned char *expected, const struct plan *plan)
{
    const char *patches = plan->patches;
    struct patch_setting setting = {kernel.shared_bytes, 1, 0, 255};
    int at, length, patched = 0;
    char letter, text[PATCH_TEXT];
    memcpy(expected, code, sizeof code);
    for (; sscanf(patches, " %c%d%n", &letter, &at, &length) == 2; patches += length) {
        struct instruction_word word;
        const char *kind = strchr(kinds, letter);
        if (letter == '*') setting.scale = (unsigned)at;
        if (letter == '*') continue;
        assert_non_null(kind);
        memcpy(&word, code + at * BYTES, sizeof word);
        /* To the NOPs, and back to the second instruction. */
        setting.distance = (at ? -at : kernel.count - NOPS - 1) * BYTES;
        WORKS(instruction_patch((enum patch_kind)(kind - kinds), &sass[at], &setting, &word, text));
        memcpy(expected + at * BYTES, &word, sizeof word);
        patched += letter >= 'a';
    }
    return patched;
}

/* An instruction that waits for a barrier which the one before it sets would not see it after one
 * cycle: the compiler lets 2 pass. */
static void barriers_are_seen(const unsigned char *changed, const struct plan *plan)
{
    struct instruction_word before, word;
    for (int i = 1; i < kernel.count; i++) {
        memcpy(&before, changed + (i - 1) * BYTES, sizeof before);
        memcpy(&word, changed + i * BYTES, sizeof word);
        const int stall = before.high >> 41 & 15, reads = read_barrier(&before),
                  result = write_barrier(&before);
        if (stall < 2 && ((reads != NO_BARRIER && waits_for(&word) >> reads & 1) ||
                          (result != NO_BARRIER && waits_for(&word) >> result & 1)))
            fail_msg("%s: instruction %d waits too early", plan->kernel, i);
    }
}

static void check_plan(const struct plan *plan)
{
    unsigned char changed[sizeof code], expected[sizeof code];
    const char *name = knockout_kinds[plan->knockout].name;
    OWNED_BY(twin_free) struct twin twin;
    plan_twin(&twin, plan);
    const int patched = expect_code(expected, plan);
    memcpy(changed, code, sizeof code);
    twin_apply(&twin, changed);
    if (twin.patched != patched || twin.left != plan->left || twin.knockout != plan->knockout)
        fail_msg("%s, %s: %d patched, %d left: %s", plan->kernel, name, twin.patched, twin.left,
                 twin.reason);
    if (*plan->reason ? !strstr(twin.reason, plan->reason) : *twin.reason)
        fail_msg("%s, %s: '%s' instead of '%s'", plan->kernel, name, twin.reason, plan->reason);
    for (int i = 0; i < kernel.count; i++)
        if (memcmp(changed + i * BYTES, expected + i * BYTES, BYTES))
            fail_msg("%s, %s: instruction %d: %s", plan->kernel, name, i, sass[i].text);
    barriers_are_seen(changed, plan);
}

#define STEERS "what decides branches or addresses stays"
#define POLLS "an access for which threads may wait stays"

/* Texts of what a plan says, in the order of struct plan. */
static const struct plan plans[] = {
    {"exchange", KNOCKOUT_NOTHING, NULL, NULL, 0, "", 0, ""},
    {"exchange", KNOCKOUT_BARRIERS, NULL, NULL, 0, "n13 n16 n18", 0, ""},
    {"exchange", KNOCKOUT_BARRIERS, NULL, "1 16", 0, "n16", 0, ""},
    {"exchange", KNOCKOUT_BARRIERS, NULL, "", 0, "", 0, TWIN_HAS_NONE},
    {"exchange", KNOCKOUT_ALL, NULL, NULL, 0, "g5 g12 n13 g14 n16 g17 n18 g19 g20", 0, ""},
    {"exchange", KNOCKOUT_DOUBLES, NULL, NULL, 0, "", 0, TWIN_HAS_NONE},
    {"any_of", KNOCKOUT_BARRIERS, NULL, NULL, 0, "n6", 1, "a barrier that returns a value"},
    {"waits", KNOCKOUT_BARRIERS, NULL, NULL, 0, "n36", 5, "mbarriers"},
    {"waits", KNOCKOUT_STORE_CONFLICTS, "35:1,2,1", NULL, 0, "", 1, "mbarriers"},
    {"waits", KNOCKOUT_LOAD_CONFLICTS, "37:1,2,1", NULL, 0, "l37 L0 W7", 0, ""},
    {"waits", KNOCKOUT_ALL, NULL, NULL, 0, "g35 n36 g37 g40", 1, "mbarriers"},
    /* Conflicts: none, with a word for each lane, with words that lanes share, of unknown count. */
    {"transpose", KNOCKOUT_LOAD_CONFLICTS, "18:9,9,9 19:9,9.3,9", NULL, 0, "", 0, TWIN_HAS_NONE},
    {"transpose", KNOCKOUT_LOAD_CONFLICTS, "18:9,99,9 19:9,99,9", NULL, 0, "l18 l19 L0 W3", 0, ""},
    {"transpose", KNOCKOUT_LOAD_CONFLICTS, "18:9,99,5 19:9,99,9", NULL, 0, "o18 l19 L0 W3", 0, ""},
    {"transpose", KNOCKOUT_LOAD_CONFLICTS, "18:9,99,5 19:0,0,0", NULL, 0, "o18", 0, ""},
    {"transpose", KNOCKOUT_STORE_CONFLICTS, "15:9,18,9 18:9,99,9", NULL, 0, "l15 L0 W3", 0, ""},
    {"transpose", KNOCKOUT_CONFLICTS, "15:9,18,9 18:9,99,9", NULL, 0, "l15 l18 L0 W3", 0, ""},
    /* At once: both kinds, or none of them. */
    {"transpose", KNOCKOUT_BARRIERS_CONFLICTS, "15:9,18,9 18:9,99,9", NULL, 0, "l15 n17 l18 L0 W3",
     0, ""},
    {"transpose", KNOCKOUT_BARRIERS_CONFLICTS, NULL, NULL, 0, "", 0, TWIN_HAS_NONE},
    {"exchange", KNOCKOUT_BARRIERS_CONFLICTS, NULL, NULL, 0, "", 0, TWIN_HAS_NONE},
    {"transpose", KNOCKOUT_CONFLICTS, "15:9,18,9 18:9,99,9", "18 19", 0, "l18 L0 W3", 0, ""},
    {"transpose", KNOCKOUT_LOAD_CONFLICTS, "18:9,99,9 19:9,99,9", NULL, 100, "", 2,
     "too little shared memory"},
    {"wide", KNOCKOUT_CONFLICTS, "14:1,8,4 16:1,4,2 17:1,8,4", NULL, 0, "l14 l16 l17 L0 W6", 0, ""},
    {"wide", KNOCKOUT_LOAD_CONFLICTS, "16:1,4,1.4 17:1,8,2.9", NULL, 0, "o16 o17", 0, ""},
    {"wide", KNOCKOUT_LOAD_CONFLICTS, "16:1,4,2 17:1,8,4", NULL, 256, "l16 L0 W6", 1,
     "too little shared memory"},
    {"matrix", KNOCKOUT_MATRIX_CONFLICTS, "14:1,8,4", NULL, 0, "o14", 0, ""},
    {"matrix", KNOCKOUT_CONFLICTS, "12:1,8,4 14:1,8,4", NULL, 0, "l12 o14 L0 W3", 0, ""},
    /* Copies: the lane times their width, for which there must be room; others may fit it. */
    {"copies", KNOCKOUT_COPY_CONFLICTS, "13:1,2,1", NULL, 0, "*4 l13 J0 L21 S22 J23", 0, ""},
    {"copies", KNOCKOUT_CONFLICTS, "13:1,2,1 17:1,2,1", NULL, 0, "*4 l13 l17 J0 L21 S22 J23", 0,
     ""},
    {"copies", KNOCKOUT_CONFLICTS, "17:1,2,1", NULL, 0, "l17 L0 W5", 0, ""},
    {"copies", KNOCKOUT_CONFLICTS, "13:1,2,1", NULL, 100, "", 1, "too little shared memory"},
    {"copies", KNOCKOUT_GLOBAL_LOADS, NULL, NULL, 0, "g13", 0, ""},
    {"counts", KNOCKOUT_ATOMICS, NULL, NULL, 0, "g19 g23", 2, "an atomic that returns a value"},
    {"counts", KNOCKOUT_ATOMIC_CONFLICTS, "19:1,1,1", NULL, 0, "", 0, TWIN_HAS_NONE},
    {"counts", KNOCKOUT_ALL, NULL, NULL, 0, "g10 n11 g12 g19 n21 g22 g23 g25", 2,
     "an atomic that returns a value"},
    /* An access for which threads wait stays, and so does a store to where they may wait. */
    {"polls", KNOCKOUT_GLOBAL_LOADS, NULL, NULL, 0, "", 3, POLLS},
    {"polls", KNOCKOUT_GLOBAL_STORES, NULL, NULL, 0, "", 1, STEERS},
    /* The second store's address is loaded; it is no address if that store is off, too. */
    {"fenced", KNOCKOUT_GLOBAL_STORES, NULL, "8", 0, "", 1, STEERS},
    {"fenced", KNOCKOUT_GLOBAL_STORES, NULL, NULL, 0, "g8 g16", 0, ""},
    {"fenced", KNOCKOUT_GLOBAL_LOADS, NULL, NULL, 0, "", 2, STEERS},
    {"unfenced", KNOCKOUT_GLOBAL_STORES, NULL, "11", 0, "g11", 0, ""},
    {"unfenced", KNOCKOUT_GLOBAL_LOADS, NULL, NULL, 0, "g8", 1, STEERS},
    {"gather", KNOCKOUT_GLOBAL_LOADS, NULL, NULL, 0, "g6 g8", 0, ""},
    {"gather", KNOCKOUT_GLOBAL_LOADS, NULL, "6", 0, "", 1, STEERS},
    /* A kernel with a stack reads R1: there is no register for the lane. */
    {"local", KNOCKOUT_LOCAL_MEMORY, NULL, NULL, 0, "n16 n20", 0, ""},
    {"local", KNOCKOUT_LOAD_CONFLICTS, "30:1,4,1", NULL, 0, "o30", 0, ""},
    {"local", KNOCKOUT_STORE_CONFLICTS, "28:1,4,1", NULL, 0, "", 1, "no register is free"},
    {"constants", KNOCKOUT_CONSTANT_READS, NULL, NULL, 0, "o9 o13", 0, ""},
    {"doubles", KNOCKOUT_DOUBLES, NULL, NULL, 0, "n11 n12 n14 n16 n17", 2, STEERS},
    {"sums", KNOCKOUT_HALF_FP32, NULL, NULL, 0, "g13 g15", 1, STEERS},
    {"sums", KNOCKOUT_HALF_FP32, NULL, "12 13 15", 0, "g13", 0, ""},
    {"sums", KNOCKOUT_REGISTER_BANKS, NULL, NULL, 0, "b12 b13", 1, STEERS},
    {"product", KNOCKOUT_HALF_TENSOR, NULL, NULL, 0, "n31 n37", 0, ""},
    {"product", KNOCKOUT_HALF_FP32, NULL, NULL, 0, "g40", 0, ""},
    {"product", KNOCKOUT_REGISTER_BANKS, NULL, NULL, 0, "", 0, TWIN_HAS_NONE},
    {"doubles", KNOCKOUT_GLOBAL_LOADS, NULL, NULL, 0, "g7 g10", 1, STEERS},
};

TEST(twins_change_what_is_meant_and_nothing_else)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) check_plan(&plans[i]);
}

/* Without room for it, without a register, or with other widths. */
TEST(lanes_are_scaled_for_copies_where_that_is_possible)
{
#define COPY "LDGSTS.E [R7], desc[UR4][R2.64]"
#define COPY_128 "LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64]"
#define WITH_COPY_128 "the register for the lane fits copies of one width alone"
    static const struct {
        const char *text[3], *last;
        int nops, patched, left;
        const char *reason, *second; /* what the second one becomes */
    } cases[] = {
        {{COPY, "NOP", "NOP"}, "BRA 0x40", 3, 1, 0, "", NULL},
        {{COPY, "NOP", "NOP"}, "BRA 0x40", 2, 0, 1, "no room behind the end", NULL},
        {{COPY, "NOP", "NOP"}, "@P0 BRA 0x40", 3, 0, 1, "no room behind the end", NULL},
        {{COPY, "NOP", "NOP"}, "EXIT", 3, 0, 1, "no room behind the end", NULL},
        {{COPY, "BRA 0x60", "NOP"}, "BRA 0x40", 3, 0, 1, "no room behind the end", NULL},
        {{COPY, "FADD R1, R4, R4", "NOP"}, "BRA 0x40", 3, 0, 1, "no register is free", NULL},
        {{COPY, "SYNCS.EXCH.64 URZ, [UR8], UR4", "NOP"}, "BRA 0x40", 3, 0, 1, "mbarriers", NULL},
        {{"STSM.16.M88.4 [R8], R4", "NOP", "NOP"}, "BRA 0x40", 3, 1, 0, "", NULL},
        {{COPY_128, "LDS R4, [R2]", "NOP"}, "BRA 0x40", 3, 2, 0, "", "LDS R4, [0x400]"},
        {{COPY_128, "LDS.128 R4, [R2]", "NOP"}, "BRA 0x40", 3, 2, 0, "", "LDS.128 R4, [R1+0x400]"},
        {{COPY_128, "LDS.64 R4, [R2]", "NOP"}, "BRA 0x40", 3, 1, 1, WITH_COPY_128, NULL},
        {{COPY_128, "STS [R2], R4", "NOP"}, "BRA 0x40", 3, 1, 1, WITH_COPY_128, NULL},
        {{COPY_128, "STS [R2], R4", COPY}, "BRA 0x40", 3, 1, 2, WITH_COPY_128, NULL},
        {{COPY, "STS [R2], R4", COPY_128}, "BRA 0x40", 3, 2, 1, WITH_COPY_128, NULL},
        {{COPY, "STS.128 [R2], R4", "NOP"}, "BRA 0x40", 3, 2, 0, "", "STS.128 [R1.X4+0x400], R4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct row listed[] = {{1, 0, "LDC R1, c[0x0][0x28]"}, {1, 0, cases[i].text[0]},
                                     {1, 0, cases[i].text[1]},       {1, 0, cases[i].text[2]},
                                     {1, 0, cases[i].last},          {0, 0, NULL}};
        OWNED_BY(twin_free) struct twin twin;
        load_rows(listed, cases[i].nops);
        for (int n = 1; n < 4; n++) counted[n] = (struct counted_instruction){1, 9 - n, 4};
        assert_int_equal(twin_plan(&twin, KNOCKOUT_CONFLICTS, &kernel), 0);
        if (twin.patched != cases[i].patched || twin.left != cases[i].left ||
            !strstr(twin.reason, cases[i].reason) || !*twin.reason != !*cases[i].reason)
            fail_msg("%d: %d patched, %d left: %s", (int)i, twin.patched, twin.left, twin.reason);
        if (cases[i].second) assert_string_equal(twin.patch[1].text, cases[i].second);
    }
}

/* ---- what steers ----------------------------------------------------------------------------- */

#define TO_ADDRESS "LDS R0, [R4]\nEXIT\n"
#define TO_BRANCH "ISETP.NE.AND P0, PT, R4, RZ, PT\n@P0 EXIT\nEXIT\n"
#define TO_DATA "STG.E desc[UR6][R8.64], R4\nEXIT\n"

/* The first instruction of each listing is patched, or left alone for this reason. */
TEST(what_steers_is_left_alone)
{
    static const struct {
        enum knockout knockout;
        const char *listing, *reason;
    } cases[] = {
        {KNOCKOUT_GLOBAL_LOADS, "LDG.E R4, desc[UR6][R2.64]\n" TO_DATA, ""},
        {KNOCKOUT_GLOBAL_LOADS, "LDG.E R4, desc[UR6][R2.64]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_GLOBAL_LOADS, "LDG.E R4, desc[UR6][R2.64]\n" TO_BRANCH, STEERS},
        {KNOCKOUT_GLOBAL_LOADS, "LDGSTS.E [R7], desc[UR6][R2.64]\nLDS R4, [RZ]\n" TO_DATA, ""},
        {KNOCKOUT_GLOBAL_LOADS, "LDGSTS.E [R7], desc[UR6][R2.64]\nLDS R4, [RZ]\n" TO_BRANCH,
         STEERS},
        {KNOCKOUT_BARRIERS, "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4, [RZ]\n" TO_DATA, ""},
        {KNOCKOUT_BARRIERS, "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS R4, [RZ]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_BARRIERS,
         "BAR.SYNC.DEFER_BLOCKING 0x0\n@P0 BRA 0x20\nSYNCS.EXCH.64 URZ, [UR8], UR4\nEXIT\n", ""},
        {KNOCKOUT_BARRIERS,
         "BAR.SYNC.DEFER_BLOCKING 0x0\nSYNCS.EXCH.64 URZ, [UR8], UR4\n@P0 BRA 0x20\nEXIT\n",
         "mbarriers"},
        {KNOCKOUT_ATOMICS, "ATOMS.ADD RZ, [R8], R9\nLDS R4, [RZ]\n" TO_DATA, ""},
        {KNOCKOUT_ATOMICS, "ATOMS.ADD RZ, [R8], R9\nLDS R4, [RZ]\n" TO_BRANCH, STEERS},
        {KNOCKOUT_ATOMICS, "REDG.E.ADD.STRONG.GPU desc[UR6][R8.64], R9\n" TO_DATA, ""},
        {KNOCKOUT_LOCAL_MEMORY, "LDL R4, [R1]\n" TO_DATA, ""},
        {KNOCKOUT_LOCAL_MEMORY, "LDL R4, [R1]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_LOCAL_MEMORY, "STL [R1], R5\nMOV R4, RZ\n" TO_ADDRESS, ""},
        {KNOCKOUT_LOCAL_MEMORY, "STL [R1], R5\nLDL R4, [R1]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_LOCAL_MEMORY, "STL [R1], R5\nLDL R4, [R1+0x4]\n" TO_ADDRESS, ""},
        {KNOCKOUT_LOCAL_MEMORY, "STL.64 [R1], R6\nLDL R4, [R1+0x4]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_LOCAL_MEMORY, "STL [R2], R5\nLDL R4, [R1+0x4]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_LOCAL_MEMORY, "STL [R1], R5\nLDL R4, [R2]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_CONSTANT_READS, "LDC R4, c[0x3][R2]\n" TO_DATA, ""},
        {KNOCKOUT_CONSTANT_READS, "LDC R4, c[0x3][R2]\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_DOUBLES, "DADD R4, R2, R6\n" TO_DATA, ""},
        {KNOCKOUT_DOUBLES, "I2F.U32.RP R4, R2\n" TO_DATA, ""},
        {KNOCKOUT_DOUBLES, "I2F.U32.RP R4, R2\nMUFU.RCP R4, R4\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_DOUBLES, "DSETP.GT.AND P0, PT, R2, R6, PT\n@P0 EXIT\nEXIT\n", STEERS},
        {KNOCKOUT_DOUBLES, "F2F.F64.F32 R2, R8\nF2FP.BF16.F32.PACK_AB R4, R2, R3\n" TO_BRANCH,
         STEERS},
        {KNOCKOUT_GLOBAL_LOADS, "LD.E R4, desc[UR6][R2.64]\n" TO_DATA, "generic accesses"},
        {KNOCKOUT_GLOBAL_LOADS, "UTMALDG.2D [UR8], [UR4]\nEXIT\n", "bulk copies"},
        {KNOCKOUT_CONFLICTS, "HGMMA.64x16x16.F32 R24, gdesc[UR4], R24\nEXIT\n", "by descriptor"},
        {KNOCKOUT_ATOMICS, "ATOM.E.ADD PT, RZ, desc[UR6][R2.64], R9\nEXIT\n", "generic accesses"},
        {KNOCKOUT_HALF_TENSOR, "HGMMA.64x16x16.F32 R24, gdesc[UR4], R24\nEXIT\n", "warp groups"},
        {KNOCKOUT_REGISTER_BANKS, "FFMA R4, R2, R6, R8\n" TO_DATA, "its code is not known"},
        {KNOCKOUT_REGISTER_BANKS, "FFMA R4, R2, R6, R8\n" TO_ADDRESS, STEERS},
        {KNOCKOUT_LOAD_CONFLICTS, "LDS R4, [R2]\n" TO_BRANCH, STEERS},
        {KNOCKOUT_STORE_CONFLICTS, "STS [R2], R5\nLDS R4, [RZ]\n" TO_BRANCH, STEERS},
        {KNOCKOUT_ALL,
         "FADD R5, R4, R4\nATOM.E.ADD.STRONG.GPU PT, R4, desc[UR6][R8.64], R9\n"
         "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8], RZ\nEXIT\n",
         TWIN_HAS_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct row listed[8] = {{1, 0, "LDC R1, c[0x0][0x28]"}, {1, 0, "NOP"}};
        char *text = text_new("%s", cases[i].listing), *line = strtok(text, "\n");
        OWNED_BY(twin_free) struct twin twin;
        for (int n = 2; line && n < 7; n++, line = strtok(NULL, "\n"))
            listed[n] = (struct row){1, 0, line};
        load_rows(listed, 0);
        counted[2] = (struct counted_instruction){1, 2, 1};
        memset(is_chosen, 0, sizeof is_chosen);
        is_chosen[2] = 1;
        kernel.is_chosen = is_chosen;
        assert_int_equal(twin_plan(&twin, cases[i].knockout, &kernel), 0);
        if (!strstr(twin.reason, cases[i].reason) || twin.patched != !*cases[i].reason ||
            !*twin.reason != !*cases[i].reason)
            fail_msg("%d patched: '%s':\n%s", twin.patched, twin.reason, cases[i].listing);
        free(text);
    }
}

/* ---- checking -------------------------------------------------------------------------------- */

static struct twin twins[3]; /* of transpose: loads, stores, barriers */

static void plan_twins(void)
{
    static const enum knockout knockouts[] = {KNOCKOUT_LOAD_CONFLICTS, KNOCKOUT_STORE_CONFLICTS,
                                              KNOCKOUT_BARRIERS};
    for (int t = 0; t < 3; t++) {
        const struct plan plan = {.kernel = "transpose",
                                  .knockout = knockouts[t],
                                  .counts = "15:9,18,9 18:9,99,9 19:9,99,9"};
        twin_free(&twins[t]);
        plan_twin(&twins[t], &plan);
        assert_int_equal(twins[t].patched, t == 0 ? 2 : 1);
    }
}

static void make_tool(const char *script)
{
    make_directory("bin");
    assert_int_equal(chmod(write_text("bin/nvdisasm", script), 0700), 0);
    setenv("PATH", place("bin"), 1);
}

/* Makes a tool that prints the texts of all patches, but the one of `wrong` of this twin; or none
 * from there on if `wrong` is NULL. */
static void make_printer(int at, const char *wrong)
{
    OWNED_BY(text_free) struct text script = {0};
    unsigned pc = 0;
    text_append(&script, "#!/bin/sh\n[ \"$1 $2\" = '-b SM90' ] && [ -f \"$3\" ] || exit 9\n"
                         "while read -r line; do echo \"$line\"; done <<'END'\n");
    for (int t = 0; t < 3 && (wrong || t < at); t++)
        for (int p = 0; p < twins[t].patch_count; p++, pc += BYTES)
            text_format(&script, "/*%04x*/   %s ;\n", pc,
                        t == at && p == 1 ? wrong : twins[t].patch[p].text);
    text_append(&script, "END\n");
    make_tool(text_string(&script));
}

static void check_twins(void)
{
    SUCCEEDS(twins_check(twins, 3, &kernel), "");
}

TEST(right_texts_are_accepted)
{
    plan_twins();
    make_printer(3, "");
    check_twins();
    for (int t = 0; t < 3; t++) {
        assert_int_equal(twins[t].patched, t == 0 ? 2 : 1);
        assert_string_equal(twins[t].reason, "");
    }
    /* Marks of operand reuse and blanks are no difference. */
    make_printer(0, "LDS   R11,[R1.reuse.X4+0x404]");
    check_twins();
    assert_int_equal(twins[0].patched, 2);
}

TEST(a_wrong_text_refuses_its_twin_alone)
{
    static const char *const wrong[] = {"LDS R11, [R1.X4+0x405]", "LDS R11, [R1.X4+0x404], P0",
                                        "LDS R11, [R1.X4+0x40", "NOP"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plan_twins();
        make_printer(0, wrong[i]);
        check_twins();
        assert_int_equal(twins[0].patched + twins[0].patch_count, 0);
        holds(twins[0].reason, wrong[i]);
        assert_int_equal(twins[1].patched, 1);
        assert_int_equal(twins[2].patched, 1);
    }
    plan_twins();
    make_printer(1, NULL);
    check_twins();
    assert_int_equal(twins[0].patched, 2);
    assert_int_equal(twins[1].patched + twins[2].patched, 0);
    holds(twins[1].reason, "reads 'nothing' in place of 'S");
}

/* A target is printed relative to the start of what is disassembled. */
TEST(jumps_are_checked_at_their_place)
{
    static const char script[] =
        "#!/bin/sh\necho '/*0000*/ LDGSTS.E [R1+0x400], desc[UR4][R2.64] ;'\n"
        "echo '/*0010*/ BRA %s ;'\necho '/*0020*/ S2R R1, SR_LANEID ;'\n"
        "echo '/*0030*/ SHF.L.U32 R1, R1, 0x2, RZ ;'\necho '/*0040*/ BRA %s;'\n";
    static const char *const targets[][2] = {
        {"0x160", "-0x120"}, {"0x150", "-0x120"}, {"0x160", "0x10"}};
    for (int i = 0; i < 3; i++) {
        const struct plan plan = {
            .kernel = "copies", .knockout = KNOCKOUT_COPY_CONFLICTS, .counts = "13:1,2,1"};
        OWNED_BY(twin_free) struct twin twin;
        OWNED char *text = text_new(script, targets[i][0], targets[i][1]);
        make_tool(text);
        plan_twin(&twin, &plan);
        assert_string_equal(twin.patch[1].text, "BRA 0x150");
        assert_string_equal(twin.patch[4].text, "BRA 0x10");
        SUCCEEDS(twins_check(&twin, 1, &kernel), "");
        assert_int_equal(twin.patched, i == 0);
    }
}

TEST(twins_that_cannot_be_checked_are_refused)
{
    static const struct {
        const char *script, *reason;
    } tools[] = {
        {NULL, "nvdisasm is not on the PATH or beside nvcc"},
        {"#!/bin/sh\nexit 3\n", "nvdisasm failed with exit status 3"},
        {"#!/bin/sh\nkill -11 $$\n", "nvdisasm was ended by signal 11"},
        {"#!/bin/sh\necho 'no code'\n", "nvdisasm printed no code"},
    };
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        plan_twins();
        if (tools[i].script)
            make_tool(tools[i].script);
        else
            setenv("PATH", "", 1), setenv("NVCC", "/nowhere/nvcc", 1);
        check_twins();
        for (int t = 0; t < 3; t++) {
            assert_int_equal(twins[t].patched + twins[t].patch_count, 0);
            holds(twins[t].reason, tools[i].reason);
        }
    }
    /* Without a patch there is nothing to check. */
    check_twins();
}

static char *path_was;

TEST(texts_are_those_of_the_disassembler)
{
    setenv("PATH", path_was, 1);
    unsetenv("NVCC");
    char *tool = disassembler_find("nvdisasm");
    if (!tool) SKIP("there is no nvdisasm");
    free(tool);
    struct twin all[sizeof plans / sizeof *plans];
    int patched = 0;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) plan_twin(&all[i], &plans[i]);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) patched += all[i].patched;
    assert_int_equal(twins_check(all, sizeof all / sizeof *all, &kernel), 0);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        if (all[i].reason[0] && !strstr(all[i].reason, plans[i].reason))
            fail_msg("%s: %s", plans[i].kernel, all[i].reason);
        patched -= all[i].patched;
        twin_free(&all[i]);
    }
    assert_int_equal(patched, 0);
}

/* ---- broken code ----------------------------------------------------------------------------- */

static unsigned next_random(void)
{
    static uint64_t state = 20240229;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

/* Breaks some words and texts of the kernel that is loaded. */
static void break_kernel(void)
{
    for (unsigned n = next_random() % 8; n > 0; n--) {
        const unsigned bit = next_random() % (unsigned)(kernel.count * BYTES * 8);
        code[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (unsigned n = next_random() % 8; n > 0; n--)
        sass[next_random() % (unsigned)kernel.count] = sass_read(rows[next_random() % ROWS].text);
    for (int i = 0; i < kernel.count; i++) {
        counted[i] =
            (struct counted_instruction){next_random() % 3, next_random() % 9, next_random() % 5};
        is_chosen[i] = next_random() % 4 > 0;
    }
    control_flow_free(&flow);
    assert_int_equal(control_flow_make(&flow, sass, kernel.count), 0);
    kernel.is_chosen = next_random() % 2 ? is_chosen : NULL;
    kernel.shared_bytes = next_random() % 2 ? next_random() % 700 : next_random() % 233472;
}

/* Patches stay inside of the code, and are of what may be patched. */
static void check_broken(enum knockout knockout)
{
    OWNED_BY(twin_free) struct twin twin;
    unsigned char *copy = malloc((size_t)kernel.count * BYTES); /* for valgrind */
    assert_non_null(copy);
    memcpy(copy, code, (size_t)kernel.count * BYTES);
    assert_int_equal(twin_plan(&twin, knockout, &kernel), 0);
    twin_apply(&twin, copy);
    assert_in_range(twin.patch_count, twin.patched, twin.patched + 4);
    assert_true(twin.left >= 0 && twin.patched + twin.left <= kernel.count);
    for (int p = 0; p < twin.patch_count; p++) {
        assert_in_range(twin.patch[p].instruction, 0, kernel.count - 1);
        assert_true(strlen(twin.patch[p].text) > 0);
        if (p < twin.patched && kernel.is_chosen)
            assert_true(kernel.is_chosen[twin.patch[p].instruction]);
    }
    free(copy);
}

TEST(broken_code_is_planned_without_harm)
{
    const int rounds = getenv("MEMCHECK") ? 3 : 20;
    int kernels = 0;
    for (int i = 0; i < ROWS - 1; i++) {
        if (rows[i].low) continue;
        kernels++;
        for (int round = 0; round < rounds; round++) {
            load_rows(&rows[i + 1], NOPS);
            break_kernel();
            for (int k = 0; k < KNOCKOUTS; k++) check_broken((enum knockout)k);
        }
    }
    assert_int_equal(kernels, 17);
}

/* ---------------------------------------------------------------------------------------------- */

static int open_all(void **state)
{
    const char *path = getenv("PATH");
    path_was = text_new("%s", path ? path : "");
    return fixture_open(state);
}

static int close_all(void **state)
{
    control_flow_free(&flow);
    for (int t = 0; t < 3; t++) twin_free(&twins[t]);
    free(path_was);
    return fixture_close(state);
}

/* Words with barriers: the one that is set when operands are read, the one that is set when the
 * result is there, and those for which the instruction waits. */
#define CONTROL(reads, result, waits)                                                              \
    ((uint64_t)(result) << 46 | (uint64_t)(reads) << 49 | (uint64_t)(waits) << 52)

/* A store that leaves its place in the queue to nobody speaks no more for a load before it, which
 * may not have read its address yet. */
TEST(what_speaks_for_others_keeps_its_place)
{
    static const struct {
        uint64_t load, store;
        int expected; /* how the store is taken out */
    } cases[] = {
        {CONTROL(7, 0, 0), CONTROL(1, 7, 0), PATCH_GUARD}, /* the store may speak for the load */
        {CONTROL(7, 0, 0), CONTROL(1, 7, 1), PATCH_NOP},   /* it waits for what was loaded */
        {CONTROL(2, 0, 0), CONTROL(1, 7, 0), PATCH_NOP},   /* the load speaks for itself */
        {CONTROL(7, 0, 0), CONTROL(7, 7, 0), PATCH_NOP},   /* the store says nothing */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct row listed[] = {{1, CONTROL(7, 7, 0), "LDC R1, c[0x0][0x28]"},
                                     {1, cases[i].load, "LDG.E R4, desc[UR4][R2.64]"},
                                     {1, cases[i].store, "STL [R1], R5"},
                                     {1, CONTROL(7, 7, 0), "EXIT"},
                                     {0, 0, ""}};
        OWNED_BY(twin_free) struct twin twin;
        load_rows(listed, 0);
        assert_int_equal(twin_plan(&twin, KNOCKOUT_LOCAL_MEMORY, &kernel), 0);
        assert_int_equal(twin.patched, 1);
        assert_string_equal(twin.patch[0].text,
                            cases[i].expected == PATCH_NOP ? "NOP" : "@!PT STL [R1], R5");
    }
}

RUN_TESTS(open_all, close_all)
