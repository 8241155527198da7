/*
 * Tests for which instructions others wait.
 */
#include "sass_code.h"

#include "machine_code/wait_producers.h"

static struct wait_producers waits;

static void find(const char *listing)
{
    read_code(listing);
    wait_producers_free(&waits);
    assert_int_equal(wait_producers_find(&waits, code, code_length), 0);
}

static int close_waits(void **state)
{
    wait_producers_free(&waits);
    return 0;
}

/* Returns what the instruction waits for: "result global_load 14, operands shared_store 21". */
static const char *of(int instruction)
{
    static char words[512];
    *words = 0;
    for (int w = waits.first[instruction]; w < waits.first[instruction + 1]; w++) {
        const struct wait *wait = &waits.wait[w];
        assert_int_equal(wait->instruction, instruction);
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s %s %d",
                 *words ? ", " : "", wait_kind_name(wait->kind), wait_class_name(wait->wait_class),
                 wait->producer);
    }
    return words;
}

/* Returns the same without the pending ones. */
static const char *certain(int instruction)
{
    static char words[512];
    snprintf(words, sizeof words, "%s", of(instruction));
    char *pending = strstr(words, "pending");
    if (pending) *(pending > words ? pending - 2 : pending) = 0;
    return words;
}

TEST(results_are_waited_for_once)
{
    find("LDG.E.128 R4, desc[UR6][R2.64]\nLDS R8, [R9]\nFADD R0, R7, R8\nFADD R1, R4, R8\n"
         "MOV R6, R1\n");
    assert_string_equal(of(0), "");
    assert_string_equal(of(2), "result global_load 0, result shared_load 1");
    assert_string_equal(of(3), "");
    assert_string_equal(of(4), "");
}

TEST(operands_must_not_be_overwritten_before_they_are_read)
{
    find("F2I.FTZ.U32.TRUNC.NTZ R5, R4\nHFMA2.MMA R4, -RZ, RZ, 0, 0\nIMAD R7, R7, R5, RZ\n"
         "@P0 STG.E desc[UR6][R2.64], R5\nISETP.NE.AND P0, PT, R1, RZ, PT\nMOV R3, RZ\n");
    assert_string_equal(of(1), "operands conversion 0");
    assert_string_equal(of(2), "result conversion 0");
    assert_string_equal(certain(4), "");
    assert_string_equal(of(5), "operands global_store 3");
}

TEST(pending_ones_are_the_last_resort)
{
    find("LDS R0, [R8]\nLDG.E R2, desc[UR6][R4.64]\nLDS R1, [R9]\n@P0 BRA 0x0\nEXIT\n");
    assert_string_equal(of(3), "pending global_load 1, pending shared_load 2");
}

TEST(loops_carry_waits_round)
{
    find("MOV R0, RZ\nFADD R1, R0, R1\nLDG.E R0, desc[UR6][R2.64]\n@P0 BRA 0x10\nEXIT\n");
    assert_string_equal(of(1), "result global_load 2");
    /* On one way only: it may be waited for. */
    find("@P0 BRA 0x30\nLDL R0, [R1]\nBRA 0x40\nLDG.E R0, desc[UR6][R2.64]\nMOV R4, R0\n");
    assert_string_equal(of(4), "result local_load 1, result global_load 3");
}

TEST(a_kernel_of_the_run)
{
    find(reduce_01);
    /* IMAD.WIDE R4, R11, UR8, R2: of LDC, S2UR and S2R */
    assert_string_equal(
        certain(8), "result special_register 1, result special_register 2, result constant_load 7");
    assert_string_equal(certain(21), "result global_load 14");
    assert_string_equal(certain(0x1E0 / 16), "result special_function 29");
    assert_string_equal(certain(0x200 / 16), "operands conversion 31");
    assert_string_equal(certain(0x210 / 16), "result conversion 31");
    assert_string_equal(certain(0x2F0 / 16), "result shared_load 45, result shared_load 46");
    /* The store of the last round may not have read R6 yet. */
    assert_string_equal(certain(0x1A0 / 16), "operands shared_store 49");
}

TEST(copies_are_waited_for_behind_their_wait)
{
    find("LDGSTS.E.BYPASS.128 [R11], desc[UR6][R2.64]\nLDGDEPBAR\nMOV R8, R9\nDEPBAR.LE SB0, 0x0\n"
         "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS R16, [R7]\n");
    assert_string_equal(certain(2), "");
    assert_string_equal(certain(3), "result async_copy 1");
    assert_string_equal(certain(4), "result async_copy 1");
    assert_string_equal(certain(5), "");
    find("HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, gsb0\nWARPGROUP.DEPBAR.LE gsb0, 0x0\nNOP\n");
    assert_string_equal(certain(1), "result tensor 0");
    assert_string_equal(wait_class_reason(WAIT_TENSOR), "gmma");
}

/* The mainloops of gemm/16_producer_warps, each with its wait out of line: shortened. */
static const char consumer[] = "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R54\n"
                               "@!P0 BRA 0x60\n"
                               "LDS.128 R52, [R174+0x210]\n"
                               "FFMA R4, R52, R53, R4\n"
                               "@!P1 BRA 0x0\n"
                               "EXIT\n"
                               "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R54\n"
                               "@!P0 BRA 0x60\n"
                               "BRA 0x20\n";
static const char producer[] = "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n"
                               "@!P0 BRA 0xb0\n"
                               "BSSY B0, 0x70\n"
                               "@P1 BRA 0x60\n"
                               "HFMA2.MMA R4, -RZ, RZ, 0, -0.0\n"
                               "UTMALDG.2D [UR8], [UR16]\n"
                               "BSYNC B0\n"
                               "LDGSTS.E [R25], desc[UR12][R6.64]\n"
                               "ARRIVES.LDGSTSBAR.64.ARVCNT [UR9]\n"
                               "@!P2 BRA 0x0\n"
                               "EXIT\n"
                               "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n"
                               "@!P0 BRA 0xb0\n"
                               "BRA 0x20\n";
/* gemm/14_tma_stages: thread 0 copies, all warps compute. */
static const char both[] = "@P0 BRA 0x60\n"
                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R95+URZ], R94\n"
                           "@!P0 BRA 0xc0\n"
                           "SYNCS.ARRIVE.TRANS64 RZ, [R93+UR10], R96\n"
                           "UTMALDG.2D [UR16], [UR12]\n"
                           "NOP\n"
                           "FFMA R4, R52, R53, R4\n"
                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [R5+UR10], R38\n"
                           "@!P2 BRA 0x70\n"
                           "LDS R52, [R174]\n"
                           "@!P0 BRA 0x0\n"
                           "EXIT\n"
                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R95+URZ], R94\n"
                           "@!P0 BRA 0xc0\n"
                           "BRA 0x30\n";

/* gemm_tensor/14_clusters: at its end, the producer waits until the other block has read all. */
static const char last[] = "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n"
                           "@!P0 BRA 0x0\n"
                           "UTMALDG.2D [UR8], [UR16]\n"
                           "@!P2 BRA 0x0\n"
                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n"
                           "@!P0 BRA 0x40\n"
                           "LOP3.LUT R3, R3, UR6, RZ, 0x3c, !PT\n"
                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6+0x8], R3\n"
                           "@!P0 BRA 0x70\n"
                           "EXIT\n";
/* Two waits before what was copied is read. */
static const char two[] = "UTMALDG.2D [UR8], [UR16]\n"
                          "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n"
                          "@!P0 BRA 0x10\n"
                          "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6+0x8], R4\n"
                          "@!P0 BRA 0x30\n"
                          "LDS R52, [R174]\n"
                          "EXIT\n";

TEST(waits_at_mbarriers_have_roles)
{
    find(consumer);
    assert_string_equal(certain(1), "result mbarrier 0");
    assert_string_equal(wait_role_name(waits.role[0]), "consumer");
    assert_string_equal(wait_role_name(waits.role[6]), "consumer");
    assert_string_equal(wait_role_name(waits.role[1]), "");
    find(producer);
    assert_string_equal(certain(1), "result mbarrier 0");
    assert_string_equal(wait_role_name(waits.role[0]), "producer");
    assert_string_equal(wait_role_name(waits.role[11]), "producer");
    find(both);
    assert_string_equal(wait_role_name(waits.role[1]), "both");
    assert_string_equal(wait_role_name(waits.role[7]), "consumer");
    assert_string_equal(wait_role_name(waits.role[12]), "both");
    find(last);
    assert_string_equal(wait_role_name(waits.role[0]), "producer");
    assert_string_equal(wait_role_name(waits.role[4]), "producer");
    assert_string_equal(wait_role_name(waits.role[7]), "producer");
    find(two);
    assert_string_equal(wait_role_name(waits.role[1]), "consumer");
    assert_string_equal(wait_role_name(waits.role[3]), "consumer");
    /* The warp stores after its wait, so the role of the wait is unknown. */
    find("UTMALDG.2D [UR8], [UR16]\nSYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n"
         "@!P0 BRA 0x10\nSTG.E desc[UR4][R2.64], R5\nEXIT\n");
    assert_string_equal(wait_role_name(waits.role[1]), "");
    find("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\n@!P0 BRA 0x0\nEXIT\n");
    assert_string_equal(wait_role_name(waits.role[0]), "");
}

TEST(every_class_has_a_name_and_a_reason)
{
    for (int c = WAIT_NONE + 1; c < WAIT_CLASSES; c++) {
        assert_true(*wait_class_name((enum wait_class)c));
        assert_true(*wait_class_reason((enum wait_class)c));
    }
    read_code("LDSM.16.M88.4 R8, [R20]\nSYNCS.ARRIVE.TRANS64 RZ, [UR9], R0\nFFMA R1, R2, R3, R4\n");
    assert_int_equal(wait_class_of(&code[0]), WAIT_MATRIX_LOAD);
    assert_int_equal(wait_class_of(&code[1]), WAIT_MBARRIER_UPDATE);
    assert_int_equal(wait_class_of(&code[2]), WAIT_NONE);
    find("");
}

RUN_TESTS(NULL, close_waits)
